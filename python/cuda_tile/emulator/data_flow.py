"""What the text of a function says of how its values flow.

Idioms of compilers that, looked at one instruction at a time, would seem to be faults.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile.emulator.syntax import (
    Address,
    Function,
    Immediate,
    Instruction,
    Label,
    Register,
    Vector,
)

_LOOKS = frozenset({"volatile", "relaxed", "acquire"})


def polling_branches(function: Function) -> Iterator[int]:
    """Branches back over an instruction that looks at what other threads do."""
    looks = [
        instruction.opcode == "atom"
        or (instruction.opcode == "ld" and not _LOOKS.isdisjoint(instruction.modifiers))
        for instruction in function.code
    ]
    for number, instruction in enumerate(function.code):
        for operand in instruction.operands:
            if isinstance(operand, Label) and any(looks[operand.target : number]):
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
    found: set[Instruction] = set()
    for instruction in function.code:
        if instruction.opcode == "atom" and "cas" in instruction.modifiers:
            _, place, expected, *_ = instruction.operands
            if isinstance(place, Address) and isinstance(expected, Register):
                sources = _sources(function, expected)
                found.update(_loads(function, place, sources))
    return frozenset(found)


def _sources(function: Function, register: Register) -> set[Register]:
    """The registers that moves bring to a register, itself included."""
    sources = {register}
    before = 0
    while len(sources) > before:
        before = len(sources)
        for instruction in function.code:
            if instruction.opcode == "mov" and instruction.operands[0] in sources:
                value = instruction.operands[1]
                parts = value.elements if isinstance(value, Vector) else (value,)
                sources.update(part for part in parts if isinstance(part, Register))
    return sources


def _loads(
    function: Function, place: Address, targets: set[Register]
) -> Iterator[Instruction]:
    for instruction in function.code:
        if instruction.opcode == "ld" and instruction.operands[0] in targets:
            source = instruction.operands[1]
            if isinstance(source, Address) and (
                (source.base, source.offset_bytes) == (place.base, place.offset_bytes)
            ):
                yield instruction
