# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads into registers that may be in flight: those whose result nobody asked for yet.

Hardware goes on after a load until an instruction needs its result (a scoreboard). In
the order of the PTX text, which ptxas may change, that bounds the bytes that a thread
has in flight without asynchronous copies.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile.emulator.ptx.loops import Blocks
from cuda_tile.emulator.ptx.syntax import (
    Function,
    Instruction,
    Register,
    Vector,
    registers_in,
)
from cuda_tile.emulator.ptx.types import TYPES


def pending_bytes(function: Function) -> list[int]:
    """Returns after each instruction how many bytes of loads a thread awaits."""
    code = function.code
    waiting = {n: list(_results(i)) for n, i in enumerate(code) if _is_load(i)}
    pending = [0] * len(code)
    if not waiting:
        return pending
    loads_of: dict[Register, set[int]] = {}
    for number, registers in waiting.items():
        for register in registers:
            loads_of.setdefault(register, set()).add(number)
    ends = [
        {load for register in registers_in(i) for load in loads_of.get(register, ())}
        for i in code
    ]
    size = {number: _size(code[number]) for number in waiting}
    blocks = Blocks(function)
    after: list[frozenset[int]] = [frozenset()] * len(blocks.starts)
    todo = blocks.in_reverse_postorder()
    while todo:
        block = todo.pop(0)
        live = {load for b in blocks.predecessors[block] for load in after[b]}
        for number in range(blocks.starts[block], blocks.stops[block]):
            live -= ends[number]
            if number in size:
                live.add(number)
            pending[number] = sum(size[load] for load in live)
        left = frozenset(live)
        if left != after[block]:
            after[block] = left
            todo += [b for b in blocks.successors[block] if b not in todo]
    return pending


def _is_load(instruction: Instruction) -> bool:
    return instruction.opcode == "ld" and "global" in instruction.modifiers


def _results(instruction: Instruction) -> Iterator[Register]:
    head = instruction.operands[0]
    for element in head.elements if isinstance(head, Vector) else (head,):
        if isinstance(element, Register):
            yield element


def _size(instruction: Instruction) -> int:
    """Bytes that a lane loads."""
    head = instruction.operands[0]
    count = len(head.elements) if isinstance(head, Vector) else 1
    types = [TYPES[name] for name in instruction.modifiers if name in TYPES]
    return count * types[-1].bytes if types else 0
