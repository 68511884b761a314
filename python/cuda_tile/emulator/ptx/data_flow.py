# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the text of a function says of how its values flow.

Idioms of compilers that, looked at one instruction at a time, would seem to be faults.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile.emulator.ptx.syntax import (
    Address,
    Function,
    Immediate,
    Instruction,
    Label,
    Operand,
    Register,
    Vector,
)

_LOOKS = frozenset({"volatile", "relaxed", "acquire"})


def polling_branches(function: Function) -> Iterator[int]:
    """Branches back over an instruction that looks at what other threads do."""
    before = [0]
    for instruction in function.code:
        looks = instruction.opcode == "atom" or (
            instruction.opcode == "ld" and not _LOOKS.isdisjoint(instruction.modifiers)
        )
        before.append(before[-1] + looks)
    for number, instruction in enumerate(function.code):
        for operand in instruction.operands:
            if isinstance(operand, Label) and before[operand.target] < before[number]:
                yield number


def only_loaded(function: Function) -> frozenset[Register]:
    """Registers that nothing but loads write."""
    loaded: set[Register] = set()
    others: set[Register] = set()
    for instruction in function.code:
        if instruction.operands:
            head = instruction.operands[0]
            elements = head.elements if isinstance(head, Vector) else (head,)
            target = loaded if instruction.opcode == "ld" else others
            target.update(e for e in elements if isinstance(e, Register))
    return frozenset(loaded - others)


def changes_bit_field(instruction: Instruction, loaded: frozenset[Register]) -> bool:
    """Whether an instruction masks a word from memory with a constant.

    Unoptimised code sets a bit-field so, also the first one of a word that nobody has
    written; the bits that the mask clears are defined from here on, and a word counts
    as defined if a part of it is.
    """
    if instruction.opcode != "and" or len(instruction.operands) != 3:
        return False
    _, source, mask = instruction.operands
    return isinstance(mask, Immediate) and mask.value != -1 and source in loaded


def compared_loads(function: Function) -> frozenset[Instruction]:
    """Loads whose value only says what a compare-and-swap of that place expects.

    CUDA C++ Programming Guide, "Atomic Functions", makes other atomic operations so: a
    plain load, then atomicCAS until what it returns is what it was given. If the load
    saw an old value the swap fails, so it need not be ordered with other swaps.
    """
    # What has too few operands is told as it is compiled.
    swaps = [
        instruction.operands
        for instruction in function.code
        if instruction.opcode == "atom"
        and "cas" in instruction.modifiers
        and len(instruction.operands) > 2
    ]
    if not swaps:
        return frozenset()
    moves = _moves(function)
    expected = {
        (place.base, place.offset_bytes, register)
        for _, place, value, *_ in swaps
        if isinstance(place, Address) and isinstance(value, Register)
        for register in _sources(moves, value)
    }
    return frozenset(
        instruction
        for instruction in function.code
        if instruction.opcode == "ld"
        and len(instruction.operands) > 1
        and isinstance(instruction.operands[1], Address)
        and (
            instruction.operands[1].base,
            instruction.operands[1].offset_bytes,
            instruction.operands[0],
        )
        in expected
    )


_FLOATS = frozenset({"f32", "f64"})
_COPIES = frozenset({"mov", "selp", "shfl", "slct"})
_FROM_OUTSIDE = frozenset({"ld", "ldu", "ldmatrix", "atom", "call", "mma", "wgmma"})


def made_of_bits(function: Function) -> frozenset[Register]:
    """Registers that may hold a float whose bits integer instructions made.

    Such as a bf16 widened by a shift. What comes from memory counts as made by float
    instructions.
    """
    made: set[Register] = set()
    size = -1
    while size != len(made):
        size = len(made)
        for instruction in function.code:
            if instruction.operands and _makes_bits(instruction, made):
                made.update(_named(instruction.operands[0]))
    return frozenset(made)


def _makes_bits(instruction: Instruction, made: set[Register]) -> bool:
    opcode, modifiers = instruction.opcode, instruction.modifiers
    if opcode in _COPIES:
        source = instruction.operands[1:]
        return any(
            isinstance(operand, Vector) or not made.isdisjoint(_named(operand))
            for operand in source
        )
    if opcode in _FROM_OUTSIDE:
        return False
    # The first type of a conversion is that of its result; so it is of all others.
    types = [name for name in modifiers if name[0] in "bfsu" and name[-1].isdigit()]
    return not types or types[0] not in _FLOATS


def _named(operand: Operand) -> tuple[Register, ...]:
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    return tuple(e for e in elements if isinstance(e, Register))


def _moves(function: Function) -> dict[Register, set[Register]]:
    """Which registers moves copy to each register, whole or as parts."""
    moves: dict[Register, set[Register]] = {}
    for instruction in function.code:
        if instruction.opcode != "mov" or len(instruction.operands) != 2:
            continue
        target, value = instruction.operands
        if isinstance(target, Register):
            parts = value.elements if isinstance(value, Vector) else (value,)
            found = {part for part in parts if isinstance(part, Register)}
            moves.setdefault(target, set()).update(found)
    return moves


def _sources(moves: dict[Register, set[Register]], register: Register) -> set[Register]:
    """The registers that moves bring to a register, itself included."""
    sources: set[Register] = set()
    pending = [register]
    while pending:
        found = pending.pop()
        if found not in sources:
            sources.add(found)
            pending += moves.get(found, ())
    return sources
