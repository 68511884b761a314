# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The written form of one instruction, read part by part by its ISA function.

A function takes the modifiers in the order of the ISA's grammar; what it did not take
when it calls `operands` is an error, so no modifier is ever ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.syntax import Instruction, Operand, Sink, Special, Vector
from cuda_tile.emulator.ptx.types import TYPES, Type

# PTX ISA, "Special Registers": they are "accessed through mov or cvt instructions".
# ptxas also takes them as elements of any vector that is a source.
_READING_SPECIAL = ("mov", "cvt")
# Instructions whose whole result may be `_`.
_DISCARDING = ("atom", "mbarrier")


class Form:
    """Reads the modifiers and operands of one instruction."""

    def __init__(self, instruction: Instruction) -> None:
        self.instruction = instruction
        self._rest = list(instruction.modifiers)

    def fail(self, expected: str) -> NoReturn:
        """Raises "expected X, got Y" for the next modifier."""
        got = f"'.{self._rest[0]}'" if self._rest else "the end"
        self.error(f"expected {expected}, got {got}")

    def error(self, message: str) -> NoReturn:
        """Raises an error about this instruction."""
        raise PtxError(f"{self.instruction.mnemonic}: {message}", self.instruction.line)

    @property
    def next(self) -> str:
        """The next modifier, empty at the end."""
        return self._rest[0] if self._rest else ""

    def arrange(self, *groups: Iterable[str]) -> None:
        """Puts modifiers in the order of groups; ptxas takes them in any order."""
        rank = {name: place for place, group in enumerate(groups) for name in group}
        self._rest.sort(key=lambda modifier: rank.get(modifier, len(groups)))

    def flag(self, name: str) -> bool:
        """Takes an optional modifier."""
        if self._rest and self._rest[0] == name:
            del self._rest[0]
            return True
        return False

    def require(self, *names: str) -> None:
        """Takes modifiers that must stand here."""
        for name in names:
            if not self.flag(name):
                self.fail(f"'.{name}'")

    def option(self, *names: str) -> str:
        """Takes one of several optional modifiers; empty where none stands here."""
        if self._rest and self._rest[0] in names:
            return self._rest.pop(0)
        return ""

    def choice(self, *names: str) -> str:
        """Takes one of several modifiers, one of which must stand here."""
        found = self.option(*names)
        if not found:
            self.fail("one of " + ", ".join(f"'.{name}'" for name in names))
        return found

    def prefix(self, start: str) -> str:
        """Takes an optional modifier that begins with `start`."""
        if self._rest and self._rest[0].startswith(start):
            return self._rest.pop(0)
        return ""

    def type(self, *names: str) -> Type:
        """Takes a type, one of `names`."""
        return TYPES[self.choice(*names)]

    def operands(self, count: int) -> tuple[Operand, ...]:
        """Ends the modifiers and returns exactly `count` operands."""
        return self.some_operands(count, count)

    def some_operands(self, least: int, most: int) -> tuple[Operand, ...]:
        """Ends the modifiers and returns `least` to `most` operands."""
        if self._rest:
            self.fail("no further modifier")
        operands = self.instruction.operands
        if not least <= len(operands) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            self.error(f"expected {wanted} operands, got {len(operands)}")
        opcode = self.instruction.opcode
        for operand in operands:
            if isinstance(operand, Special) and opcode not in _READING_SPECIAL:
                self.error(f"expected a register, got {operand}; copy it with mov")
        is_discarded = bool(operands) and isinstance(operands[0], Sink)
        if is_discarded and opcode not in _DISCARDING:
            self.error("expected a register for the result, got '_'")
        return operands

    def vector(self, operand: Operand, count: int) -> tuple[Operand, ...]:
        """Returns the elements of a brace operand of `count` elements."""
        if not isinstance(operand, Vector) or len(operand.elements) != count:
            self.error(f"expected a vector of {count} elements, got {_show(operand)}")
        return operand.elements

    def registers(self, operand: Operand, count: int) -> tuple[Operand, ...]:
        """Returns `count` elements in braces; one may stand without them."""
        is_vector = count > 1 or isinstance(operand, Vector)
        return self.vector(operand, count) if is_vector else (operand,)


def _show(operand: Operand) -> str:
    if isinstance(operand, Vector):
        return f"a vector of {len(operand.elements)}"
    return f"'{operand}'"
