# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that a block of a function body declares.

PTX ISA, "Kernel and Function Directives": braces open a scope; a name hides that of an
outer block.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cuda_tile.emulator.ptx.syntax import Prototype, Register, Variable, Vector
from cuda_tile.emulator.ptx.types import Type

# A register with more digits in its name belongs to no family.
_MOST_DIGITS = 9


@dataclass(eq=False)
class Scope:
    """The names that one pair of braces declares; `depth` pairs are around it."""

    parent: Scope | None
    depth: int = 0
    registers: dict[str, Register] = field(default_factory=dict[str, Register])
    families: dict[str, tuple[int, Type]] = field(
        default_factory=dict[str, "tuple[int, Type]"]
    )
    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    tables: dict[str, tuple[str, ...]] = field(
        default_factory=dict[str, "tuple[str, ...]"]
    )
    prototypes: dict[str, Prototype] = field(default_factory=dict[str, Prototype])

    def has(self, name: str) -> bool:
        """Whether the block itself declares a name, whatever it stands for."""
        known = (self.registers, self.vectors, self.variables, self.labels, self.tables)
        if any(name in names for names in known):
            return True
        return self.of_family(name) is not None

    def of_family(self, name: str) -> Type | None:
        """The type of a register that the block declares as one of `%r<32>`."""
        stem, number = split_number(name)
        if number is None or stem not in self.families:
            return None
        count, ty = self.families[stem]
        return ty if number < count else None

    def register(self, name: str) -> Register | None:
        """Finds a register, also one of a family `%r<32>`, here or further out."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.registers.get(name)
            if found is not None:
                return found
            if (ty := scope.of_family(name)) is not None:
                return scope.registers.setdefault(name, Register(name, ty))
            if name in scope.vectors:
                return None
            scope = scope.parent
        return None

    def vector(self, name: str) -> Vector | None:
        """Finds a vector register declared here or further out."""
        scope: Scope | None = self
        while scope is not None and not scope.has(name):
            scope = scope.parent
        return scope.vectors.get(name) if scope is not None else None

    def variable(self, name: str) -> Variable | None:
        """Finds a variable declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.parent
        return None

    def label(self, name: str) -> int | None:
        """Finds the instruction number of a label declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None

    def table(self, name: str) -> tuple[tuple[str, ...], Scope] | None:
        """Finds a `.branchtargets` list declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.tables:
                return scope.tables[name], scope
            scope = scope.parent
        return None

    def prototype(self, name: str) -> Prototype | None:
        """Finds a `.callprototype` or `.calltargets` declared here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.prototypes:
                return scope.prototypes[name]
            scope = scope.parent
        return None


def split_number(name: str) -> tuple[str, int | None]:
    """Splits `%r12` into stem and number; no number where it is not canonical."""
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    if not digits or len(digits) > _MOST_DIGITS or (digits[0] == "0" and digits != "0"):
        return name, None
    return stem, int(digits)
