# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constant expressions: their grammar and their values.

PTX ISA: "Constants": "Constant Expressions", "Integer Constant Expression Evaluation",
"Summary of Constant Expression Evaluation Rules". Integers are .s64 or .u64 and wrap,
floats are .f64; the two do not mix. Where the summary leaves a choice (the type of
`?:`, of `&`, `|` and `^`, shifts by 64 and more) it is taken as ptxas takes it.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.ptx.cursor import WARP_SIZE, Cursor, parse_int
from cuda_tile.emulator.ptx.syntax import Immediate

# Far more than anybody nests, and few enough for Python's stack.
_MOST_NESTED = 100
_WORD = 1 << 64
_HALF = 1 << 63

# Binary operators, from the loosest level to the tightest; all are left-associative.
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LEVEL_OF = {mark: level for level, marks in enumerate(_LEVELS) for mark in marks}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
}
_FLOAT: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": float.__truediv__,
}


class _Number(NamedTuple):
    """A value: .s64, .u64 or .f64, or the bits of a `0f` or `0d` constant."""

    value: int | float
    is_unsigned: bool = False
    bits: int = 0


def at_constant(cursor: Cursor) -> bool:
    """Whether a constant expression begins at the next token."""
    if cursor.token.kind in ("int", "float"):
        return True
    if cursor.at("!"):  # else a negated predicate
        following = cursor.following
        return following.kind != "name" or following.text == "WARP_SZ"
    return cursor.at("WARP_SZ", "-", "+", "~", "(")


def constant(cursor: Cursor) -> Immediate:
    """Reads a constant expression.

    Raises:
        PtxError: It is malformed, mixes integers and floats, or divides by zero.
    """
    found = _Reader(cursor).ternary()
    return Immediate(found.value, found.bits)


def integer_constant(cursor: Cursor, what: str) -> int:
    """Reads a constant expression that must be an integer."""
    if not at_constant(cursor):
        cursor.fail(what)
    line = cursor.line
    found = constant(cursor)
    if found.bits or isinstance(found.value, float):
        raise PtxError(f"expected {what}, got a floating-point constant", line)
    return found.value


class _Reader:
    """Reads one expression, with the values of its parts."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._depth = 0
        self._line = cursor.line

    def ternary(self) -> _Number:
        """`a`, or `a ? b : c`; both of b and c must have a value."""
        self._enter()
        found = self._binary(0)
        if self._cursor.accept("?"):
            is_true = self._integer(found, "?:").value != 0
            chosen = self._integer(self.ternary(), "?:")
            self._cursor.expect(":", "in a conditional constant expression")
            other = self._integer(self.ternary(), "?:")
            found = chosen if is_true else other
        self._depth -= 1
        return found

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            self._cursor.fail(f"at most {_MOST_NESTED} nested constant expressions")

    def _binary(self, least: int) -> _Number:
        left = self._unary()
        while self._cursor.token.kind in ("mark", "name"):
            mark = self._cursor.token.text
            level = _LEVEL_OF.get(mark, -1)
            if level < least:
                break
            self._cursor.take()
            left = self._combined(mark, left, self._binary(level + 1))
        return left

    def _unary(self) -> _Number:
        cursor = self._cursor
        for mark in ("-", "+", "!", "~"):
            if cursor.accept(mark):
                self._enter()
                found = self._signed(mark, self._unary())
                self._depth -= 1
                return found
        if not cursor.accept("("):
            return self._literal()
        if cursor.at(".s64", ".u64"):
            is_unsigned = cursor.take().text == ".u64"
            cursor.expect(")", "after the type of a cast")
            self._enter()
            found = self._integer(self._unary(), "a cast")
            self._depth -= 1
            return _wrapped(int(found.value), is_unsigned=is_unsigned)
        found = self.ternary()
        cursor.expect(")", "after a constant expression")
        return found

    def _literal(self) -> _Number:
        cursor = self._cursor
        token = cursor.token
        if cursor.accept("WARP_SZ"):
            return _Number(WARP_SIZE)
        if token.kind == "int":
            value = parse_int(cursor.take())
            return _Number(value, token.text.endswith("U") or value >= _HALF)
        text = cursor.kind("float", "a constant").text
        if text[:2] in ("0f", "0F", "0d", "0D"):
            return _Number(int(text[2:], 16), bits=4 * len(text[2:]))
        if math.isinf(value := float(text)):
            raise PtxError(
                f"expected a constant of double precision, got {text}", token.line
            )
        return _Number(value)

    def _signed(self, mark: str, operand: _Number) -> _Number:
        operand = self._number(operand, mark)
        value = operand.value
        if mark == "!":
            return _Number(int(self._integer(operand, mark).value == 0))
        if mark == "~":
            whole = int(self._integer(operand, mark).value)
            return _wrapped(~whole, is_unsigned=True)
        if isinstance(value, float):
            return _Number(-value if mark == "-" else value)
        return _wrapped(
            -value if mark == "-" else value, is_unsigned=operand.is_unsigned
        )

    def _combined(self, mark: str, left: _Number, right: _Number) -> _Number:
        left, right = self._number(left, mark), self._number(right, mark)
        a, b = left.value, right.value
        if isinstance(a, float) and isinstance(b, float):
            return self._of_floats(mark, a, b)
        if isinstance(a, float) or isinstance(b, float):
            self._fail(f"operands of one type for '{mark}', got a float and an integer")
        if mark in ("&&", "||"):
            is_true = (a and b) if mark == "&&" else (a or b)
            return _Number(int(is_true != 0))
        if mark in ("<<", ">>"):
            places = b % 64
            moved = a << places if mark == "<<" else a >> places
            return _wrapped(moved, is_unsigned=left.is_unsigned)
        is_unsigned = left.is_unsigned or right.is_unsigned or mark == "%"
        a = int(_wrapped(a, is_unsigned=is_unsigned).value)
        b = int(_wrapped(b, is_unsigned=is_unsigned).value)
        if mark in _COMPARISONS:
            return _Number(int(_COMPARISONS[mark](a, b)))
        if mark in _ARITHMETIC:
            return _wrapped(_ARITHMETIC[mark](a, b), is_unsigned=is_unsigned)
        return _wrapped(self._divided(mark, a, b), is_unsigned=is_unsigned)

    def _divided(self, mark: str, a: int, b: int) -> int:
        """As in C, the quotient is rounded towards zero; `%` has no signs."""
        if b == 0:
            self._fail(f"no zero on the right of '{mark}'")
        if mark == "%":
            return a % b
        quotient = abs(a) // abs(b)
        if (a < 0) != (b < 0):
            return -quotient
        if quotient == _HALF and a < 0:
            self._fail("a quotient of 64 bits")
        return quotient

    def _of_floats(self, mark: str, a: float, b: float) -> _Number:
        if mark in _COMPARISONS:
            return _Number(int(_COMPARISONS[mark](a, b)))
        if mark not in _FLOAT:
            self._fail(f"integers as operands of '{mark}', got floats")
        if mark == "/" and b == 0:
            self._fail("no zero on the right of '/'")
        return _Number(_FLOAT[mark](a, b))

    def _number(self, found: _Number, mark: str) -> _Number:
        """An operand; that of a `0d` constant is its value, one of `0f` has none."""
        if found.bits == 64:
            return _Number(
                struct.unpack("<d", int(found.value).to_bytes(8, "little"))[0]
            )
        if found.bits:
            self._fail(f"no 0f constant as an operand of '{mark}'; write it as 0d")
        return found

    def _integer(self, found: _Number, where: str) -> _Number:
        if found.bits or isinstance(found.value, float):
            self._fail(f"an integer in {where!r} of a constant expression, got a float")
        return found

    def _fail(self, expected: str) -> NoReturn:
        raise PtxError(f"expected {expected}", self._line)


def _wrapped(value: int, *, is_unsigned: bool) -> _Number:
    """The value modulo 2**64, as .u64 or .s64."""
    value %= _WORD
    if not is_unsigned and value >= _HALF:
        value -= _WORD
    return _Number(value, is_unsigned)
