# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the float family.

f16 and bf16 results are rounded once from the exact value; `flush_to_zero` (f32 only)
flushes inputs and result and keeps their signs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cuda_tile.interp import arithmetic, decisions
from cuda_tile.interp.integer import COMPARE
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import Floats, widen
from cuda_tile.interp.table import RULES
from cuda_tile.interp.values import Mask
from cuda_tile.runtime.elements import Array, Element

SMALLEST_NORMAL_F32 = np.float32(2.0**-126)
CANONICAL_NAN_BITS = {
    "f16": 0x7FFF,
    "bf16": 0x7FFF,
    "f32": 0x7FFFFFFF,
    "f64": decisions.F64_CANONICAL_NAN_BITS,
}
"""NaN that max and min give. Source: PTX ISA, "max" and "min"."""


def flush(values: Array) -> Array:
    """Subnormal f32 values become zeros of their sign."""
    tiny = np.abs(values) < SMALLEST_NORMAL_F32
    return np.where(tiny, np.copysign(np.float32(0), values), values)


def inputs(op: Op, *operands: Array) -> tuple[Array, ...]:
    """The operands, flushed where the op asks for it."""
    if op.attributes.get("flush_to_zero"):
        return tuple(flush(operand) for operand in operands)
    return operands


def output(op: Op, result: Array) -> Array:
    """The result, flushed where the op asks for it."""
    return flush(result) if op.attributes.get("flush_to_zero") else result


def _rounded(op: Op, compute: Callable[[str], Array]) -> Array:
    """A result in the op's rounding mode, flushed where the op asks for it."""
    result = compute(_mode(op))
    if decisions.FLUSH_BEFORE_ROUNDING and op.attributes.get("flush_to_zero"):
        result = np.where(
            np.abs(compute("zero")) < SMALLEST_NORMAL_F32,
            np.copysign(np.float32(0), result),
            result,
        )
    return output(op, result)


def _mode(op: Op) -> str:
    return op.attributes.get("rounding_mode", "nearest_even")


@RULES.register("addf")
def addf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The sum, rounded once."""
    a, b = inputs(op, lhs, rhs)
    return _rounded(op, partial(arithmetic.add, a, b, op.tile().element))


@RULES.register("subf")
def subf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The difference, rounded once."""
    a, b = inputs(op, lhs, rhs)
    return _rounded(op, partial(arithmetic.add, a, -b, op.tile().element))


@RULES.register("mulf")
def mulf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The product, rounded once."""
    a, b = inputs(op, lhs, rhs)
    return _rounded(op, partial(arithmetic.multiply, a, b, op.tile().element))


@RULES.register("fma")
def fma(run: TileBlock, op: Op, lhs: Array, rhs: Array, acc: Array) -> Array:
    """Lhs * rhs + acc with one rounding."""
    a, b, c = inputs(op, lhs, rhs, acc)
    return _rounded(op, partial(arithmetic.fma, a, b, c, op.tile().element))


@RULES.register("divf")
def divf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The quotient; `approx` and `full` as `_divide` says."""
    a, b = inputs(op, lhs, rhs)
    return _rounded(op, partial(_divide, a, b, op.tile().element))


def _divide(lhs: Array, rhs: Array, kind: Element, mode: str) -> Array:
    """`full` and `approx` give the rounded quotient (their bound is 2 ulp).

    `approx` is a * (1/b): for |b| in (2^126, 2^128) the reciprocal flushes to 0, so
    the result is 0, or NaN for an infinite a. Source: PTX ISA, "div.approx.f32".
    """
    ieee = mode not in ("approx", "full")
    quotient = arithmetic.divide(lhs, rhs, kind, mode if ieee else "nearest_even")
    if mode != "approx":
        return quotient
    huge = (np.abs(rhs) > np.float32(2.0**126)) & np.isfinite(rhs)
    zero = np.where(np.signbit(lhs) ^ np.signbit(rhs), np.float32(-0.0), np.float32(0))
    vanished = np.where(np.isfinite(lhs), zero, np.float32(np.nan))
    return np.where(huge, vanished, quotient)


@RULES.register("remf")
def remf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """C's fmod, exact: the sign of lhs, smaller than rhs; NaN for a divisor of 0."""
    if decisions.REMF == "rounded":
        return lhs - np.trunc(widen(lhs / rhs)).astype(lhs.dtype) * rhs
    return np.fmod(widen(lhs), widen(rhs)).astype(lhs.dtype)


@RULES.register("negf")
def negf(run: TileBlock, op: Op, source: Array) -> Array:
    """The sign bit flipped."""
    return np.negative(source)


@RULES.register("absf")
def absf(run: TileBlock, op: Op, source: Array) -> Array:
    """The sign bit cleared."""
    return np.abs(source)


@RULES.register("floor")
def floor(run: TileBlock, op: Op, source: Array) -> Array:
    """The largest integer not above the value; keeps -0, infinities and NaN."""
    return np.floor(widen(source)).astype(source.dtype)


@RULES.register("ceil")
def ceil(run: TileBlock, op: Op, source: Array) -> Array:
    """The smallest integer not below the value."""
    return np.ceil(widen(source)).astype(source.dtype)  # ceil(-0.5) is -0


@RULES.register("maxf")
def maxf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The larger operand; +0 is larger than -0."""
    a, b = inputs(op, lhs, rhs)
    return output(op, _extreme(op, a, b, np.fmax, is_max=True))


@RULES.register("minf")
def minf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """The smaller operand; -0 is smaller than +0."""
    a, b = inputs(op, lhs, rhs)
    return output(op, _extreme(op, a, b, np.fmin, is_max=False))


def _extreme(
    op: Op, lhs: Array, rhs: Array, choose: Callable[..., Array], *, is_max: bool
) -> Array:
    """MaximumNumber / minimumNumber, or maximum / minimum with `propagate_nan`.

    +0 is larger than -0, and a NaN result has the canonical bits.
    """
    a, b = widen(lhs), widen(rhs)
    both_zero = (a == 0) & (b == 0)
    negative = (
        np.signbit(a) & np.signbit(b) if is_max else np.signbit(a) | np.signbit(b)
    )
    zero = np.where(negative, -0.0, 0.0) if decisions.EXTREMES_ORDER_ZEROS else a
    result = np.where(both_zero, zero, number(choose, a, b)).astype(lhs.dtype)
    missing: Mask = np.isnan(a) & np.isnan(b)
    if op.attributes.get("propagate_nan"):
        missing = np.isnan(a) | np.isnan(b)
    return np.where(missing, canonical_nan(op.tile().element), result)


def number(choose: Callable[..., Array], a: Floats, b: Floats) -> Floats:
    """The larger or smaller operand, the other one where one is any NaN."""
    # np.fmax alone would let a signalling NaN win, as C's fmax may.
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, choose(a, b)))


def canonical_nan(kind: Element) -> Array:
    """The 0-d NaN with the bits that hardware gives for `kind`."""
    word = np.dtype(f"uint{kind.bits}").type(CANONICAL_NAN_BITS[kind.name])
    return np.asarray(word).view(kind.dtype)


@RULES.register("cmpf")
def cmpf(run: TileBlock, op: Op, lhs: Array, rhs: Array) -> Array:
    """With a NaN operand: false if `ordered`, true if `unordered`."""
    a, b = widen(lhs), widen(rhs)
    unordered = np.isnan(a) | np.isnan(b)
    related = COMPARE[op.attributes["comparison_predicate"]](a, b)
    if op.attributes["comparison_ordering"] == "ordered":
        return related & ~unordered
    return related | unordered
