# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the judges compute with in place of floats: one interface, of ring and terms.

Values are carried by floats: f32 and f64 as such, smaller formats as their codes. An
algebra says what they stand for. `RING` has elements of a ring (`ring.py`), `Terms` has
terms over symbols (`terms/`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

import numpy as np

from cuda_tile.exact import arrays, formats, functions, ring
from cuda_tile.exact.ring import Array, Elements

Natural = Callable[..., Array]


class Algebra(Protocol):
    """Arithmetic in place of that of floats."""

    def add(self, a: Array, b: Array) -> Elements:
        """A + b."""
        ...

    def subtract(self, a: Array, b: Array) -> Elements:
        """A - b."""
        ...

    def multiply(self, a: Array, b: Array) -> Elements:
        """A * b."""
        ...

    def fma(self, a: Array, b: Array, c: Array) -> Elements:
        """A * b + c."""
        ...

    def matmul(self, a: Array, b: Array, addend: Array | None = None) -> Elements:
        """`a @ b + addend` of [..., M, K] and [..., K, N]."""
        ...

    def function(self, name: str, natural: Natural | None = None) -> Natural:
        """The function of a name; `natural` follows order and sign of floats."""
        ...

    def compared(self, natural: Natural) -> Natural:
        """A comparison, which gives truths."""
        ...

    def to_integers(self, natural: Natural) -> Natural:
        """A conversion to integers."""
        ...

    def limited(self, values: Array, *, sat: bool) -> Array:
        """What is below zero is zero; with `sat` what is above one is one."""
        ...

    def literals(self, values: Array) -> Array:
        """What the constants of a program stand for."""
        ...

    def of_integers(self, values: Array) -> Elements:
        """What integers stand for."""
        ...

    def from_bits(self, values: Array) -> Array:
        """What f32 or f64 stand for that integer instructions may have made."""
        ...

    def without_sign(self, bits: Array) -> Array:
        """Words of 32 or 64 bits, in which floats may be, without their sign bit."""
        ...

    def accumulated(self, old: Array, value: Array, name: str) -> Elements:
        """What an atomic sum leaves in memory of a format, before it is narrowed."""
        ...

    def of_codes(self, codes: Array, name: str) -> Array:
        """What the codes of a format stand for, as f32."""
        ...

    def codes_of(self, elements: Array, name: str) -> Array:
        """Narrows to the codes of a format."""
        ...

    def to_tf32(self, natural: Natural) -> Natural:
        """A conversion to tf32, in a register of f32."""
        ...

    def cut_to_tf32(self, values: Array) -> Array:
        """An f32 as a multiplier of tf32 sees it."""
        ...

    def enter(self, values: Iterable[Any]) -> list[Any]:
        """Arguments, before a run and behind it; in place in arrays."""
        ...

    def widen(self, values: Array, name: str) -> Elements:
        """What values of a format stand for, as NumPy or ml_dtypes hold them."""
        ...

    def narrow(self, elements: Array, name: str) -> Array:
        """The values of a format; the inverse of `widen` where it has one."""
        ...


_FUNCTIONS: dict[str, Natural] = {
    "quotient": functions.quotient,
    "inverse": functions.inverse,
    "root": functions.root,
    "inverse_root": functions.inverse_root,
    "exp": functions.exp,
    "exp2": functions.exp2,
    "log": functions.log,
    "log2": functions.log2,
}
MIXED = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
MIXED_PAIRS = ("atan2", "pow", "fpowf", "remf")


class Ring:
    """The ring; see `Algebra` for what its methods are."""

    add = staticmethod(ring.add)
    subtract = staticmethod(ring.subtract)
    multiply = staticmethod(ring.multiply)
    fma = staticmethod(ring.fma)
    matmul = staticmethod(ring.matmul)
    literals = staticmethod(arrays.entered)
    of_integers = staticmethod(ring.of_integers)
    from_bits = staticmethod(formats.from_bits)
    without_sign = staticmethod(formats.without_sign)
    of_codes = staticmethod(formats.elements_of_codes)
    codes_of = staticmethod(formats.codes_of)
    cut_to_tf32 = staticmethod(formats.cut_to_tf32)
    enter = staticmethod(arrays.enter)
    widen = staticmethod(formats.widen)
    narrow = staticmethod(formats.narrow)

    def function(self, name: str, natural: Natural | None = None) -> Natural:
        """By a table, or at random; an element is an integer, so rounding leaves it."""
        if found := _FUNCTIONS.get(name):
            return found
        if name in MIXED:
            return partial(functions.mixed, name)
        if name in MIXED_PAIRS:
            return partial(functions.mixed_pair, name)
        assert natural is not None, name
        return natural

    def compared(self, natural: Natural) -> Natural:
        """By the order of representatives."""
        return natural

    to_integers = to_tf32 = compared

    def accumulated(self, old: Array, value: Array, name: str) -> Elements:
        """In the order in which atomics come."""
        return ring.add(old, value)

    def limited(self, values: Array, *, sat: bool) -> Array:
        """By the same order."""
        result = np.where(values > 0, values, 0.0)
        return np.minimum(result, 1.0) if sat else result


RING = Ring()


def algebra_of(numbers: str | Algebra) -> Algebra | None:
    """The algebra of a choice of numbers; None of floats.

    Args:
        numbers: `floats`, `exact`, or an algebra.
    """
    if isinstance(numbers, str):
        return RING if numbers == "exact" else None
    return numbers
