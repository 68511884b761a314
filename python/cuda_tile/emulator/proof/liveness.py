# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which registers matter behind each instruction: those that something still reads."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile.emulator.ptx.syntax import Function, Instruction, Label, Register

_ENDS = frozenset({"ret", "exit", "trap"})


def live_registers(
    function: Function,
    followed: frozenset[Register],
    reads: Callable[[Instruction], list[Register]],
    writes: Callable[[Instruction], tuple[Register, ...]],
) -> list[frozenset[Register]]:
    """The registers that are read before they are written, before each instruction.

    Args:
        function: The kernel.
        followed: The registers of which this is asked.
        reads: What an instruction reads.
        writes: What it writes.
    """
    code = function.code
    bits = {register: 1 << n for n, register in enumerate(followed)}
    gen = [sum(bits[r] for r in {*reads(i)} if r in bits) for i in code]
    kill = [
        0 if i.guard else sum(bits[r] for r in {*writes(i)} if r in bits) for i in code
    ]
    live = [0] * (len(code) + 1)
    is_changed = True
    while is_changed:
        is_changed = False
        for place in reversed(range(len(code))):
            after = 0
            for target in next_places(code[place], place):
                after |= live[min(target, len(code))]
            before = gen[place] | after & ~kill[place]
            is_changed |= before != live[place]
            live[place] = before
    sets: dict[int, frozenset[Register]] = {}
    for mask in live:
        if mask not in sets:
            sets[mask] = frozenset(r for r, bit in bits.items() if mask & bit)
    return [sets[mask] for mask in live]


def next_places(instruction: Instruction, place: int) -> list[int]:
    """Where threads may be behind an instruction, the target of a branch first."""
    found: list[int] = []
    if instruction.opcode == "bra" and isinstance(instruction.operands[0], Label):
        found.append(instruction.operands[0].target)
    jumps = instruction.opcode in _ENDS | {"bra", "brx"}
    if not jumps or instruction.guard is not None:
        found.append(place + 1)
    return found
