# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer expressions over a kernel's parameters, which a launcher evaluates.

A launch record gives extents and strides of tensor maps in this form. An expression is
a sequence of words in postfix order, a program of a stack machine, so that a launcher
in any language needs a loop and a stack:

    arg N                the integer parameter N, as a signed number
    const C              the number C
    add sub mul          of the two upper numbers, exact
    div div_floor div_ceil  quotient rounded toward zero, down, up
    rem                  what `div` leaves: it has the sign of the dividend
    min max
    signed B unsigned B  the low B bits of the upper number, read as such

Numbers are integers without a width; what wraps around says so by `signed B`. In JSON
and MLIR an expression is one string, words parted by spaces: `arg 2 const 4 mul`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cuda_tile.errors import UserError
from cuda_tile.records import dataclass

Word = str | int


def _div(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _signed(value: int, bits: int) -> int:
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


BINARY: Mapping[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _div,
    "div_floor": lambda a, b: a // b,
    "div_ceil": lambda a, b: -(-a // b),
    "rem": lambda a, b: a - b * _div(a, b),
    "min": min,
    "max": max,
}
UNARY: Mapping[str, Callable[[int, int], int]] = {
    "signed": _signed,
    "unsigned": lambda value, bits: value & ((1 << bits) - 1),
}
LEAVES = ("arg", "const")
MOST_BITS = 64


@dataclass(frozen=True)
class Expression:
    """One expression, well formed: its words leave one number on the stack.

    Attributes:
        words: The words in order, as in the text form.

    Raises:
        UserError: The words are none of the language, or leave no or several numbers.

    Example:
        >>> Expression.parse("arg 2 const 4 mul").evaluate({2: 10})
        40
    """

    words: tuple[Word, ...]

    def __post_init__(self) -> None:
        height = 0
        for name, number in self._steps():
            if name in BINARY:
                height -= 1
            elif name in LEAVES:
                height += 1
            if height < 1:
                raise self._error(f"'{name}' finds too few numbers")
            if name == "arg" and (number is None or number < 0):
                raise self._error(f"'arg {number}'")
            if name in UNARY and not 1 <= (number or 0) <= MOST_BITS:
                raise self._error(f"'{name} {number}'")
        if height != 1:
            raise self._error(f"{height} numbers are left")

    def _steps(self) -> list[tuple[str, int | None]]:
        """The words in steps: a name, and the number behind it where it has one."""
        steps: list[tuple[str, int | None]] = []
        rest = iter(self.words)
        for name in rest:
            if not isinstance(name, str) or name not in (*LEAVES, *UNARY, *BINARY):
                raise self._error(f"the word {name!r}")
            number = None if name in BINARY else next(rest, None)
            if name not in BINARY and type(number) is not int:
                raise self._error(f"no number behind '{name}'")
            steps.append((name, number if isinstance(number, int) else None))
        return steps

    def _error(self, got: str) -> UserError:
        return UserError(
            "expected a postfix expression over parameters, such as 'arg 2 const 4 "
            f"mul', got {' '.join(map(str, self.words))!r}: {got}"
        )

    def __str__(self) -> str:
        return " ".join(map(str, self.words))

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Reads the text form.

        Raises:
            UserError: It is none.
        """
        return cls(
            tuple(
                int(word) if word.lstrip("-").isdecimal() else word
                for word in text.split()
            )
        )

    @classmethod
    def argument(cls, number: int) -> Expression:
        """Parameter `number`."""
        return cls(("arg", number))

    @classmethod
    def constant(cls, value: int) -> Expression:
        """A number."""
        return cls(("const", value))

    def apply(self, name: str, other: Expression | int) -> Expression:
        """This expression, `other` and `name`; for `signed` and `unsigned` the bits."""
        words = (name, other) if isinstance(other, int) else (*other.words, name)
        return Expression((*self.words, *words))

    @property
    def arguments(self) -> frozenset[int]:
        """The parameters that it reads."""
        return frozenset(number or 0 for name, number in self._steps() if name == "arg")

    @property
    def value(self) -> int | None:
        """The number that it is whatever the arguments are, or None."""
        return None if self.arguments else self.evaluate({})

    def evaluate(self, arguments: Mapping[int, int] | Sequence[int]) -> int:
        """The number for given arguments, signed integers by parameter number.

        Raises:
            UserError: An argument that it reads is missing, or a divisor is zero.
        """
        stack: list[int] = []
        for name, number in self._steps():
            if name in BINARY:
                right = stack.pop()
                stack.append(self._combine(name, stack.pop(), right))
            elif name in UNARY:
                stack.append(UNARY[name](stack.pop(), number or 0))
            elif name == "const":
                stack.append(number or 0)
            else:
                stack.append(self._argument(arguments, number or 0))
        return stack.pop()

    def _combine(self, name: str, left: int, right: int) -> int:
        try:
            return BINARY[name](left, right)
        except ZeroDivisionError:
            raise UserError(
                f"expected no division by zero in expression '{self}', got {left} / 0"
            ) from None

    def _argument(
        self, arguments: Mapping[int, int] | Sequence[int], number: int
    ) -> int:
        try:
            return arguments[number]
        except (IndexError, KeyError):
            raise UserError(
                f"expected an integer argument {number} for expression '{self}', got "
                "none"
            ) from None
