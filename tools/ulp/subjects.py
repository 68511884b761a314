# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: each function in each mode, and how to compute it exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as untyped_mpmath
import numpy as np
from ml_dtypes import bfloat16
from numpy.typing import NDArray

mpmath: Any = untyped_mpmath
Array = NDArray[Any]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Format:
    """A floating-point type.

    Attributes:
        dtype: NumPy's type.
        fraction_bits: Stored bits of the fraction.
        largest_exponent: Of the largest finite numbers, 2^e times 1 to 2; that of the
            smallest normal numbers is 1 - e.
    """

    dtype: np.dtype[Any]
    fraction_bits: int
    largest_exponent: int

    @property
    def word(self) -> np.dtype[Any]:
        """Unsigned integers for the codes."""
        return np.dtype(f"u{self.dtype.itemsize}")


FORMATS = {
    "f16": Format(np.dtype(np.float16), 10, 15),
    "bf16": Format(np.dtype(bfloat16), 7, 127),
    "f32": Format(np.dtype(np.float32), 23, 127),
    "f64": Format(np.dtype(np.float64), 52, 1023),
}
ELEMENTS = tuple(FORMATS)
MODES_OF_F32 = ("approx", "full", "flush_to_zero")
"""Modes that the dialect has for f32 only."""


@dataclass(frozen=True)
class Subject:
    """A function in one mode.

    Attributes:
        op: The operation of the dialect.
        doubles: The function on f64 arrays; at most one unit of f64 off.
        exact: The function on numbers of mpmath; None if `doubles` is exact.
        mode: `approx`, `full`, `flush_to_zero` or nothing.
        exponent: Element type of an integer second operand.
        has_two: Whether there are two operands.
    """

    op: str
    doubles: Callable[..., Any]
    exact: Callable[..., Any] | None
    mode: str = ""
    exponent: str = ""
    has_two: bool = False

    @property
    def name(self) -> str:
        """As the page calls it."""
        return f"{self.op} {self.mode}".strip()

    @property
    def elements(self) -> tuple[str, ...]:
        """Element types that it exists for."""
        return ("f32",) if self.mode in MODES_OF_F32 else ELEMENTS

    def operands(self, element: str) -> list[str]:
        """Element types of the operands."""
        if not self.has_two:
            return [element]
        return [element, self.exponent or element]

    def statement(self) -> str:
        """The operation on `%a` and `%b`, without its type."""
        names = "%a, %b" if self.has_two else "%a"
        mode = self.mode
        if mode and mode != "flush_to_zero":
            mode = f"rounding<{mode}>"
        return f"{self.op} {names} {mode}".strip()


def _reciprocal_root(x: Doubles) -> Doubles:
    return 1.0 / np.sqrt(x)


def _exact_reciprocal_root(x: Any) -> Any:
    return 1 / mpmath.sqrt(x)


def _exact_log2(x: Any) -> Any:
    return mpmath.log(x) / mpmath.ln2


def _exact_exp2(x: Any) -> Any:
    return mpmath.power(2, x)


def _divide(x: Doubles, y: Doubles) -> Doubles:
    return x / y


def _power(x: Doubles, y: Array) -> Doubles:
    return np.power(x, y.astype(np.float64))


def _unary(op: str, doubles: Any, exact: Any, *modes: str) -> list[Subject]:
    return [Subject(op, doubles, exact, mode) for mode in ("", *modes)]


SUBJECTS: tuple[Subject, ...] = (
    *_unary("exp", np.exp, mpmath.exp, "approx"),
    *_unary("exp2", np.exp2, _exact_exp2, "flush_to_zero"),
    *_unary("log", np.log, mpmath.log),
    *_unary("log2", np.log2, _exact_log2),
    *_unary("sin", np.sin, mpmath.sin),
    *_unary("cos", np.cos, mpmath.cos),
    *_unary("tan", np.tan, mpmath.tan),
    *_unary("sinh", np.sinh, mpmath.sinh),
    *_unary("cosh", np.cosh, mpmath.cosh),
    *_unary("tanh", np.tanh, mpmath.tanh, "approx"),
    *_unary("rsqrt", _reciprocal_root, _exact_reciprocal_root, "flush_to_zero"),
    Subject("sqrt", np.sqrt, mpmath.sqrt, "nearest_even"),
    Subject("sqrt", np.sqrt, mpmath.sqrt, "approx"),
    Subject("atan2", np.arctan2, mpmath.atan2, has_two=True),
    Subject("pow", _power, mpmath.power, has_two=True),
    Subject("fpowi", _power, mpmath.power, exponent="i32", has_two=True),
    Subject("divf", _divide, mpmath.fdiv, has_two=True),
    Subject("divf", _divide, mpmath.fdiv, "approx", has_two=True),
    Subject("divf", _divide, mpmath.fdiv, "full", has_two=True),
    Subject("remf", np.fmod, None, has_two=True),
)
