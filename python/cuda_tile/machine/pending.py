# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads of global memory in flight to a thread, in the order of machine code.

ptxas moves loads before instructions that wait for earlier loads, so that more are in
flight than the order of the PTX text suggests.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile.machine.code import MachineCode, MachineInstruction
from cuda_tile.machine.kinds import loads_global

_REGISTER_BYTES = 4


def pending_by_line(code: MachineCode) -> dict[int, int]:
    """The most bytes that loads of a thread have in flight, by the latest PTX line.

    Only loads of one block are added up.
    """
    found: dict[int, int] = {}
    for block in code.reached:
        for line, size in _pending(code.instructions(block)):
            found[line] = max(found.get(line, 0), size)
    return found


def _pending(block: Sequence[MachineInstruction]) -> list[tuple[int, int]]:
    """For each load its line, and the bytes in flight after it."""
    found: list[tuple[int, int]] = []
    awaited: dict[str, MachineInstruction] = {}
    for instruction in block:
        named = set(instruction.registers)
        ended = {id(awaited[name]) for name in named & awaited.keys()}
        awaited = {n: i for n, i in awaited.items() if id(i) not in ended}
        if loads_global(instruction):
            awaited |= dict.fromkeys(_results(instruction), instruction)
            sizes = {id(i): i.width_bytes for i in awaited.values()}
            found.append((instruction.line, sum(sizes.values())))
    return found


def _results(load: MachineInstruction) -> list[str]:
    """The registers that a load fills."""
    first = next((name for name in load.registers if name[0] == "R"), "R0")
    count = max(1, load.width_bytes // _REGISTER_BYTES)
    return [f"R{int(first[1:]) + n}" for n in range(count)]
