# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a PTX text says, as plain data: module, variables, functions, instructions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cuda_tile.emulator.ptx.types import Type


@dataclass(frozen=True, eq=False)
class Register:
    """A declared register; two scopes may each have one of the same name."""

    name: str
    type: Type

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Part:
    """Bytes or halves of a register, `%r1.b2` or `%r1.h10`, in a video instruction."""

    register: Register
    selector: str


@dataclass(frozen=True)
class Special:
    """A special register such as `%tid.x`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Immediate:
    """A constant: an integer, or a float given by bits (`0f3F800000`) or decimally.

    `bits` is the width of a bit-exact float constant, 0 for decimal ones and integers.
    """

    value: int | float
    bits: int = 0

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Element:
    """One element of an initialiser: a constant, or the address of a variable.

    `is_generic` tells `generic(name)` from the plain name.
    """

    value: Immediate | str
    offset_bytes: int = 0
    is_generic: bool = False


@dataclass(frozen=True, eq=False)
class Variable:
    """A variable in a state space.

    Attributes:
        space: global, const, shared, local or param.
        size_bytes: Whole size; 0 for an `extern` array without a size.
        elements: Initial values, flat; empty for none.
    """

    name: str
    space: str
    type: Type
    size_bytes: int
    align_bytes: int
    line: int
    elements: tuple[Element, ...] = ()
    is_extern: bool = False


@dataclass(frozen=True)
class Label:
    """A branch target: the number of the instruction that it labels."""

    name: str
    target: int


@dataclass(frozen=True)
class FunctionName:
    """A function named as an operand of `call` or `mov`."""

    name: str


@dataclass(frozen=True)
class Prototype:
    """What an indirect call may reach, by the label of its declaration.

    Attributes:
        params, results: Sizes in bytes; None where `.calltargets` names functions.
        targets: The functions that `.calltargets` lists; empty for `.callprototype`.
    """

    params: tuple[int, ...] | None
    results: tuple[int, ...] | None
    targets: tuple[str, ...] = ()


@dataclass(frozen=True)
class SymbolAddress:
    """A variable named as an operand, with a constant offset."""

    variable: Variable
    offset_bytes: int = 0


@dataclass(frozen=True)
class Address:
    """A memory operand `[base+offset]`; `coordinates` only for tensor copies."""

    base: Register | Variable | int
    offset_bytes: int
    coordinates: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Vector:
    """A brace-enclosed operand `{a, b}`."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """A destination with a predicate, `d|p`."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Negated:
    """A negated predicate `!p`."""

    register: Register


@dataclass(frozen=True)
class Group:
    """A parenthesised operand list, as calls have."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True)
class Sink:
    """The bit bucket `_`."""


Operand = (
    Register
    | Part
    | Special
    | Immediate
    | Label
    | FunctionName
    | Prototype
    | SymbolAddress
    | Address
    | Vector
    | Pair
    | Negated
    | Group
    | Sink
)


@dataclass(frozen=True, eq=False)
class Instruction:
    """One instruction.

    Attributes:
        opcode: First part of the mnemonic (`ld` of `ld.global.b32`).
        modifiers: The dotted parts that follow, without dots.
        guard: Predicate register of `@p`, and whether it is negated (`@!p`).
        line: Line of the PTX text, from 1.
    """

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: tuple[Register, bool] | None
    line: int

    @property
    def mnemonic(self) -> str:
        """The whole dotted name."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(eq=False)
class Function:
    """An `.entry` or `.func`; `params` and `results` are in the param space."""

    name: str
    is_entry: bool
    line: int
    params: list[Variable] = field(default_factory=list[Variable])
    results: list[Variable] = field(default_factory=list[Variable])
    variables: list[Variable] = field(default_factory=list[Variable])
    code: list[Instruction] = field(default_factory=list[Instruction])
    labels: list[int] = field(default_factory=list[int])
    targets: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, "tuple[str, ...]"]
    )
    limits: dict[str, tuple[int, ...]] = field(
        default_factory=dict[str, "tuple[int, ...]"]
    )
    is_defined: bool = False

    def registers(self) -> set[Register]:
        """Returns the registers that its instructions name."""
        return {
            register
            for instruction in self.code
            for register in registers_in(instruction)
        }


def registers_in(instruction: Instruction) -> Iterator[Register]:
    """Yields the registers that an instruction names, its guard's first."""
    if instruction.guard is not None:
        yield instruction.guard[0]
    for operand in instruction.operands:
        yield from _registers(operand)


def _registers(operand: Operand) -> Iterator[Register]:
    if isinstance(operand, Register):
        yield operand
    elif isinstance(operand, Negated):
        yield operand.register
    elif isinstance(operand, (Vector, Group)):
        for element in operand.elements:
            yield from _registers(element)
    elif isinstance(operand, Pair):
        yield from _registers(operand.first)
        yield from _registers(operand.second)
    elif isinstance(operand, Address):
        if isinstance(operand.base, Register):
            yield operand.base
        for element in operand.coordinates:
            yield from _registers(element)


@dataclass(eq=False)
class Module:
    """A whole PTX text."""

    version: tuple[int, int]
    target: str
    lines: list[str]
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])

    def source(self, line: int) -> str:
        """Returns one line of the text, stripped, as messages show it."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
