# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long instructions keep the read ports of the register file.

Huerta et al. ("Analyzing Modern NVIDIA GPU Cores", MICRO 2025) measured on RTX A6000:
the registers of a scheduler lie in two banks, even and odd. Each bank reads one
register of a whole warp per clock. If an instruction does not get its operands within
three clocks, later ones wait. An operand marked `.reuse` stays for the next instruction
that names the same register at the same place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from cuda_tile.machine.code import MachineInstruction

_WINDOW = 3
_BANKS = 2
_OPERAND = re.compile(r"(?<![\w.])R(?P<number>\d+)(?P<pair>\.64)?(?P<kept>\.reuse)?")
_NO_RESULT = frozenset({"ST", "STG", "STS", "STL", "RED", "REDG"})
_Place = tuple[int, int]
"""Of a kept register: which operand, and which bank."""


def port_clocks(block: Iterable[MachineInstruction]) -> Iterator[int]:
    """Clocks from each instruction's issue to that of the next one, by ports alone.

    A register of a tuple that the text does not name counts as none.
    """
    free, kept = [0] * _BANKS, dict[_Place, int]()
    issued = before = 0
    for instruction in block:
        needs = Counter(n % _BANKS for n in _read(instruction, kept))
        ends = {bank: free[bank] + count for bank, count in needs.items()}
        issued = max([issued, *(end - _WINDOW for end in ends.values())])
        for bank, count in needs.items():
            free[bank] = max(free[bank], issued) + count
        issued += 1
        yield issued - before
        before = issued


def _read(instruction: MachineInstruction, kept: dict[_Place, int]) -> list[int]:
    """The registers read through ports; notes which are kept for the next one."""
    operands = instruction.operands.split(",")
    found: list[int] = []
    for place, text in enumerate(operands):
        if place == 0 and instruction.opcode not in _NO_RESULT and "[" not in text:
            continue
        for named in _OPERAND.finditer(text):
            first = int(named["number"])
            at = place, first % _BANKS
            if kept.get(at) != first:
                found += range(first, first + (2 if named["pair"] else 1))
            kept.pop(at, None)
            if named["kept"]:
                kept[at] = first
    return found
