# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point arithmetic rounded exactly once, as the ISA asks.

NumPy rounds to nearest and cannot fuse; here sums of exact products are made in
double precision rounded to odd, which a second rounding to a type of at most half the
precision cannot spoil (Boldo and Melquiond, "Emulation of a FMA and correctly rounded
sums: proved algorithms using rounding to odd").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_tile.emulator.ptx.types import Array

Double = NDArray[np.float64]
Single = NDArray[np.float32]

NAN32 = np.uint32(0x7FFFFFFF)
NAN16 = np.uint16(0x7FFF)
_TINY32 = np.float32(2.0**-126)
_SPLIT = 134217729.0  # 2**27 + 1


def flush(x: Single) -> Single:
    """Replaces subnormal values by zero of the same sign (`.ftz`)."""
    return x * (np.abs(x) >= _TINY32)


def canonical(x: Array) -> Array:
    """Replaces NaNs of a fresh f32 or f16 array by the canonical one, in place."""
    nan = x != x
    if np.count_nonzero(nan):
        if x.dtype == np.float32:
            x.view(np.uint32)[nan] = NAN32
        elif x.dtype == np.float16:
            x.view(np.uint16)[nan] = NAN16
    return x


def saturate(x: Array) -> Array:
    """Clamps to [0, 1]; NaN gives +0 (`.sat`)."""
    return np.where(x > 0, np.minimum(x, x.dtype.type(1)), x.dtype.type(0))


def two_sum(a: Double, b: Double) -> tuple[Double, Double]:
    """Returns the rounded sum and its exact error."""
    s = a + b
    other = s - a
    return s, (a - (s - other)) + (b - other)


def two_product(a: Double, b: Double) -> tuple[Double, Double]:
    """Returns the rounded product and its exact error (no overflow, underflow)."""
    p = a * b
    high_a = a * _SPLIT - (a * _SPLIT - a)
    high_b = b * _SPLIT - (b * _SPLIT - b)
    low_a, low_b = a - high_a, b - high_b
    error = ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b
    return p, error


def to_odd(s: Double, error: Double) -> Double:
    """Turns a nearest sum with its error into the sum rounded to odd."""
    even = (s.view(np.int64) & 1) == 0
    fix = even & (error != 0) & np.isfinite(s)
    if np.count_nonzero(fix):
        s = np.where(fix, np.nextafter(s, np.where(error > 0, np.inf, -np.inf)), s)
    return s


def round_to(x: Double, dtype: DTypeLike, mode: str) -> Array:
    """Rounds exact (or odd) doubles to f32 or f16: rn, rz, rm or rp."""
    y = x.astype(dtype)
    if mode == "rn":
        return y
    wide = y.astype(np.float64)
    if mode == "rz":
        wrong, towards = np.abs(wide) > np.abs(x), 0.0
    elif mode == "rm":
        wrong, towards = wide > x, -np.inf
    else:
        wrong, towards = wide < x, np.inf
    return np.where(wrong, np.nextafter(y, y.dtype.type(towards)), y)


def narrow_to_odd(x: Double) -> Single:
    """Rounds doubles to f32 to odd, for a second rounding to bf16."""
    y = x.astype(np.float32)
    wide = y.astype(np.float64)
    fix = (wide != x) & ((y.view(np.int32) & 1) == 0) & np.isfinite(x)
    away = np.where(wide < x, np.float32(np.inf), np.float32(-np.inf))
    return np.where(fix, np.nextafter(y, away), y)


def bf16_to_f32(bits: Array) -> Single:
    """Widens bfloat16 bits exactly."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(x: Single, mode: str = "rn") -> NDArray[np.uint16]:
    """Rounds f32 to bfloat16 bits (rn, rz, rm, rp); NaN becomes canonical."""
    bits = x.view(np.uint32)
    high = bits >> np.uint32(16)
    if mode == "rn":
        rounded = (bits + np.uint32(0x7FFF) + (high & np.uint32(1))) >> np.uint32(16)
    else:
        is_negative = (bits >> np.uint32(31)).astype(np.bool_)
        away = {"rz": False, "rm": is_negative, "rp": ~is_negative}[mode]
        inexact = (bits & np.uint32(0xFFFF)) != 0
        finite = np.isfinite(x)
        rounded = high + (inexact & finite & away).astype(np.uint32)
    return np.where(x != x, np.uint32(NAN16), rounded).astype(np.uint16)


def add_f32(a: Single, b: Single, mode: str) -> Single:
    """Adds with a rounding mode other than nearest."""
    s, error = two_sum(a.astype(np.float64), b.astype(np.float64))
    result = round_to(to_odd(s, error), np.float32, mode)
    return _zero_sign(result, s, a, b, mode)


def _zero_sign(result: Array, total: Array, a: Array, b: Array, mode: str) -> Array:
    """An exact zero total of unlike signs is -0 when rounding down."""
    if mode != "rm":
        return result
    unlike = (total == 0) & (np.signbit(a) != np.signbit(b))
    return np.where(unlike, result.dtype.type(-0.0), result)


def mul_f32(a: Single, b: Single, mode: str) -> Single:
    """Multiplies f32 with any rounding mode; the double product is exact."""
    return round_to(a.astype(np.float64) * b.astype(np.float64), np.float32, mode)


def fma_odd(a: Array, b: Array, c: Array) -> Double:
    """Returns a*b+c of f32, f16 or bf16-as-f32 values, in double rounded to odd."""
    p = a.astype(np.float64) * b.astype(np.float64)
    s, error = two_sum(p, c.astype(np.float64))
    return to_odd(s, error)


def fma_f32(a: Single, b: Single, c: Single, mode: str = "rn") -> Single:
    """Returns a*b+c rounded once."""
    total = fma_odd(a, b, c)
    return _zero_sign(round_to(total, np.float32, mode), total, a * b, c, mode)


def fma_f16(a: Array, b: Array, c: Array) -> Array:
    """Returns a*b+c of halves rounded once."""
    return fma_odd(a, b, c).astype(np.float16)


def fma_bf16(a: Array, b: Array, c: Array) -> Array:
    """Returns a*b+c of bfloat16 bits rounded once."""
    wide = fma_odd(bf16_to_f32(a), bf16_to_f32(b), bf16_to_f32(c))
    return f32_to_bf16(narrow_to_odd(wide))


def round_f64(s: Double, error: Double, mode: str) -> Double:
    """Corrects a nearest double with a remaining error to another mode."""
    if mode == "rn":
        return s
    if mode == "rz":
        wrong, towards = (error != 0) & (np.signbit(error) != np.signbit(s)), 0.0
    elif mode == "rm":
        wrong, towards = error < 0, -np.inf
    else:
        wrong, towards = error > 0, np.inf
    return np.where(wrong & np.isfinite(s), np.nextafter(s, towards), s)


def fma_f64(a: Double, b: Double, c: Double, mode: str = "rn") -> Double:
    """Returns a*b+c of doubles rounded once.

    Extreme exponents, where the error-free products break, are done exactly in
    rational arithmetic, one by one; they are rare.
    """
    high, low = two_product(a, b)
    t, t_error = two_sum(c, low)
    v, v_error = two_sum(high, t)
    z = to_odd(*two_sum(t_error, v_error))
    s, error = two_sum(v, z)
    is_nothing = (a == 0) | (b == 0)  # a sum, with its sign where that is zero, too
    s = np.where(is_nothing, a * b + c, s)
    result = _zero_sign(round_f64(s, error, mode), s, a * b, c, mode)
    size = np.abs(a * b)
    plain = (size > 2.0**-900) | is_nothing
    plain &= np.maximum(size, np.abs(c)) < 2.0**1000
    plain &= np.maximum(np.abs(a), np.abs(b)) < 2.0**990
    for lane in np.flatnonzero(~plain):
        values = float(a[lane]), float(b[lane]), float(c[lane])
        result[lane] = _exact_fma(*values, mode)
    return result


def _exact_fma(a: float, b: float, c: float, mode: str) -> float:
    if math.isinf(c) and math.isfinite(a) and math.isfinite(b):
        return c  # whatever a * b would overflow to
    if not np.isfinite([a, b, c]).all():
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        sign = np.signbit(a) ^ np.signbit(b)
        if sign == np.signbit(c) and c == 0:
            return c
        return -0.0 if mode == "rm" else 0.0
    return _round_fraction(exact, mode)


def _round_fraction(exact: Fraction, mode: str) -> float:
    """Rounds a rational other than 0 to double."""
    negative = exact < 0
    try:
        nearest = float(exact)
    except OverflowError:
        nearest = -math.inf if negative else math.inf
    if math.isinf(nearest):
        gap = -1 if not negative else 1
    else:
        rest = exact - Fraction(nearest)
        gap = (rest > 0) - (rest < 0)
    if mode == "rn" or gap == 0:
        return nearest if nearest or not negative else -0.0
    down = mode == "rm" or (mode == "rz" and not negative)
    if down and gap < 0:
        return math.nextafter(nearest, -math.inf)
    if not down and gap > 0:
        nearest = math.nextafter(nearest, math.inf)
    return nearest if nearest or not negative else -0.0


def quotient(a: Array, b: Array, mode: str) -> Array:
    """Divides f32 or f64 with any rounding mode."""
    q = a / b
    if mode == "rn":
        return q
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    wide = wide_a / wide_b
    high, low = two_product(wide, wide_b)
    rest = ((wide_a - high) - low) * np.where(np.signbit(b), -1.0, 1.0)
    rest = np.where(np.isfinite(rest), rest, 0.0)
    if a.dtype == np.float32:
        return round_to(to_odd(wide, rest), np.float32, mode)
    result = round_f64(wide, rest, mode)
    for lane in np.flatnonzero(_is_extreme(a) | _is_extreme(b) | _is_extreme(q)):
        x, y = float(a[lane]), float(b[lane])
        if math.isfinite(x) and math.isfinite(y) and x and y:
            result[lane] = _round_fraction(Fraction(x) / Fraction(y), mode)
        else:
            result[lane] = q[lane]
    return result


def _is_extreme(x: Array) -> Array:
    """Where error-free products of doubles may overflow or lose bits."""
    size = np.abs(x)
    return ~((size > 2.0**-900) & (size < 2.0**900))


def square_root(a: Array, mode: str) -> Array:
    """Takes square roots of f32 or f64 with any rounding mode."""
    y = np.sqrt(a)
    if mode == "rn":
        return y
    # A power of four keeps the root's digits and the product's error in range.
    size = np.abs(a.astype(np.float64))
    scale = np.where(
        size < 2.0**-500, 2.0**600, np.where(size > 2.0**500, 2.0**-600, 1.0)
    )
    wide = a.astype(np.float64) * scale
    root = np.sqrt(wide)
    high, low = two_product(root, root)
    rest = np.where(np.isfinite(a) & (a > 0), (wide - high) - low, 0.0)
    if a.dtype == np.float32:
        return round_to(to_odd(root, rest), np.float32, mode)
    return np.where(a > 0, round_f64(root, rest, mode) / np.sqrt(scale), y)


def via_double(fn: Callable[[Double], Double]) -> Callable[[Array], Array]:
    """Makes a function that computes in double and rounds once to its input's type."""

    def apply(x: Array) -> Array:
        return fn(x.astype(np.float64)).astype(x.dtype)

    return apply
