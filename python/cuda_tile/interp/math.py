# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the math family: computed in float64 and rounded once to the tile's type.

The dialect promises little accuracy for these; tests of other executors compare with
a tolerance. Special values follow C99.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.interp import arithmetic, decisions
from cuda_tile.interp.float import inputs, output
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import Floats, round_to, widen
from cuda_tile.interp.table import RULES
from cuda_tile.interp.words import Signed, signed
from cuda_tile.runtime.elements import Array


def _rounded(op: Op, function: Callable[[Floats], Floats], source: Array) -> Array:
    (x,) = inputs(op, source)
    return output(op, round_to(function(widen(x)), op.tile().element))


@RULES.register("exp")
def exp(run: TileBlock, op: Op, source: Array) -> Array:
    """E to the power x."""
    return _rounded(op, np.exp, source)


@RULES.register("exp2")
def exp2(run: TileBlock, op: Op, source: Array) -> Array:
    """2 to the power x."""
    return _rounded(op, np.exp2, source)


@RULES.register("log")
def log(run: TileBlock, op: Op, source: Array) -> Array:
    """The natural logarithm."""
    return _rounded(op, np.log, source)


@RULES.register("log2")
def log2(run: TileBlock, op: Op, source: Array) -> Array:
    """The logarithm to base 2."""
    return _rounded(op, np.log2, source)


@RULES.register("sqrt")
def sqrt(run: TileBlock, op: Op, source: Array) -> Array:
    """`approx` gives the correctly rounded root, well within its bound."""
    kind = op.tile().element
    mode = op.attributes.get("rounding_mode", "nearest_even")
    ieee = "nearest_even" if mode == "approx" else mode
    (x,) = inputs(op, source)
    return output(op, arithmetic.square_root(x, kind, ieee))


@RULES.register("rsqrt")
def rsqrt(run: TileBlock, op: Op, source: Array) -> Array:
    """A zero gives the infinity of its sign; +Inf gives +0."""
    return _rounded(op, _reciprocal_root, source)


def _reciprocal_root(x: Floats) -> Floats:
    # In f64 the two roundings would add up; most machines have something longer.
    return (1 / np.sqrt(x.astype(np.longdouble))).astype(np.float64)


@RULES.register("sin")
def sin(run: TileBlock, op: Op, source: Array) -> Array:
    """The sine of radians; NaN for an infinity."""
    return _rounded(op, np.sin, source)


@RULES.register("cos")
def cos(run: TileBlock, op: Op, source: Array) -> Array:
    """The cosine of radians; NaN for an infinity."""
    return _rounded(op, np.cos, source)


@RULES.register("tan")
def tan(run: TileBlock, op: Op, source: Array) -> Array:
    """The tangent of radians; NaN for an infinity."""
    return _rounded(op, np.tan, source)


@RULES.register("sinh")
def sinh(run: TileBlock, op: Op, source: Array) -> Array:
    """The hyperbolic sine."""
    return _rounded(op, np.sinh, source)


@RULES.register("cosh")
def cosh(run: TileBlock, op: Op, source: Array) -> Array:
    """The hyperbolic cosine."""
    return _rounded(op, np.cosh, source)


@RULES.register("tanh")
def tanh(run: TileBlock, op: Op, source: Array) -> Array:
    """The hyperbolic tangent; `approx` gives the same value, within its bound."""
    return _rounded(op, np.tanh, source)


@RULES.register("atan2")
def atan2(run: TileBlock, op: Op, x: Array, y: Array) -> Array:
    """The angle whose tangent is x / y: the first operand is the ordinate."""
    return round_to(np.arctan2(widen(x), widen(y)), op.tile().element)


@RULES.register("pow", "fpowf")
def pow_(run: TileBlock, op: Op, source: Array, exponent: Array) -> Array:
    """`source ** exponent`; the two names are those of different versions."""
    return round_to(_power(widen(source), widen(exponent)), op.tile().element)


@RULES.register("fpowi")
def fpowi(run: TileBlock, op: Op, source: Array, exponent: Array) -> Array:
    """`source ** exponent` for a signed integer, as pow of the same number."""
    power = signed(exponent)
    if decisions.FPOWI == "products":
        return _products(source, power)
    number = power.astype(np.float64)
    return round_to(_power(widen(source), number), op.tile().element)


def _products(source: Array, power: Signed) -> Array:
    """Squares and products from the lowest bit up, the reciprocal last."""
    left, square = np.abs(power), source
    result = np.ones(source.shape, source.dtype)
    while left.any():
        result = np.where(left & 1, result * square, result)
        square, left = square * square, left >> 1
    return np.where(power < 0, result.dtype.type(1) / result, result)


def _power(base: Floats, exponent: Floats) -> Floats:
    """C's pow: 1 for an exponent of 0 or a base of 1, even with NaN.

    Some C libraries answer NaN where a NaN is a signalling one, and only on some CPUs.
    """
    return np.power(_quiet(base), _quiet(exponent))


def _quiet(numbers: Floats) -> Floats:
    """Numbers with one quiet NaN in the place of all."""
    return np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers)
