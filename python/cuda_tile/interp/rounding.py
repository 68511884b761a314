# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correct rounding to every float format, in every rounding mode.

Values of the formats up to f32 are handled in float64: an exact or rounded-to-odd
float64 is rounded once more by `quantize`, which is then the rounding of the exact
value, because float64 has more than two bits to spare. f64 itself uses rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, isfinite, isnan, nan, nextafter

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp import decisions
from cuda_tile.runtime.elements import Array, Element

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """Field sizes of a binary floating-point format.

    Attributes:
        precision_bits: Significant bits with the hidden one (p of IEEE 754).
        min_exponent: Exponent of the smallest normal number.
        max_finite: Largest finite value.
        saturates: True where a conversion gives the largest finite value for every
            larger one and for infinity (the 8-bit formats).
        has_sign: False where a conversion drops the sign.
        nan: What a conversion of NaN gives.
    """

    precision_bits: int
    min_exponent: int
    max_finite: float
    saturates: bool = False
    has_sign: bool = True
    nan: float = nan


FORMATS = {
    "tf32": FloatFormat(11, -126, (2.0 - 2.0**-10) * 2.0**127),
    "f32": FloatFormat(24, -126, (2.0 - 2.0**-23) * 2.0**127),
    "f16": FloatFormat(11, -14, 65504.0),
    "bf16": FloatFormat(8, -126, (2.0 - 2.0**-7) * 2.0**127),
    "f8E4M3FN": FloatFormat(4, -6, 448.0, saturates=True, nan=decisions.E4M3_OF_NAN),
    "f8E5M2": FloatFormat(3, -14, 57344.0, saturates=True),
    "f8E8M0FNU": FloatFormat(1, -127, 2.0**127, saturates=True, has_sign=False),
    "f8E5M3FNU": FloatFormat(4, -14, 114688.0, saturates=True, has_sign=False),
    "f4E2M1FN": FloatFormat(2, 0, 6.0, saturates=True, nan=decisions.F4_OF_NAN),
}


def quantize(values: Floats, form: FloatFormat, mode: str) -> Floats:
    """Rounds float64 values to a narrower format; the result is still float64.

    Args:
        values: Exact values, or ones rounded to odd.
        form: Target format.
        mode: `nearest_even`, `nearest_away`, `zero`, `negative_inf`, `positive_inf`.
    """
    _, exponents = np.frexp(values)  # |values| in [2^(e-1), 2^e)
    shifts = form.precision_bits - 1 - np.maximum(exponents - 1, form.min_exponent)
    scaled = np.ldexp(values, shifts)
    if mode == "nearest_even":
        steps = np.rint(scaled)
    elif mode == "nearest_away":
        steps = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
    elif mode == "zero":
        steps = np.trunc(scaled)
    elif mode == "negative_inf":
        steps = np.floor(scaled)
    else:
        steps = np.ceil(scaled)
    finite = np.isfinite(values)
    rounded = np.where(finite, np.ldexp(steps, -shifts), values)
    rounded = np.copysign(rounded, values)
    return _overflow(rounded, finite, form, mode)


def _overflow(
    rounded: Floats, was_finite: NDArray[np.bool_], form: FloatFormat, mode: str
) -> Floats:
    beyond = np.abs(rounded) > form.max_finite  # False for NaN
    if not beyond.any():
        return rounded
    limit = np.copysign(form.max_finite, rounded)
    if form.saturates:
        return np.where(beyond, limit, rounded)
    stays_finite = np.zeros(rounded.shape, dtype=np.bool_)
    if mode == "zero":
        stays_finite = was_finite
    elif mode == "negative_inf":
        stays_finite = was_finite & (rounded > 0)
    elif mode == "positive_inf":
        stays_finite = was_finite & (rounded < 0)
    infinite = np.copysign(np.inf, rounded)
    return np.where(beyond, np.where(stays_finite, limit, infinite), rounded)


def round_to(values: Floats, kind: Element, mode: str = "nearest_even") -> Array:
    """Rounds float64 values once to the element type `kind`.

    Args:
        values: Exact values or ones rounded to odd; for f64 they are the result.
        kind: A float element type.
        mode: A rounding mode of `quantize`.
    """
    if kind.name == "f64":
        return np.asarray(values)
    if mode == "nearest_even" and kind.name in ("f32", "f16"):
        return np.asarray(values).astype(kind.dtype)  # NumPy rounds these once
    form = FORMATS[kind.name]
    if not form.has_sign:
        drops = decisions.F8_UNSIGNED_DROPS_SIGN
        values = np.abs(values) if drops else np.where(values < 0, 0.0, values)
    rounded = quantize(values, form, mode)
    if kind.name == "f8E8M0FNU":  # which has no zero
        rounded = np.where(rounded < 2.0**-127, 2.0**-127, rounded)
    if not isnan(form.nan):
        rounded = np.where(np.isnan(values), form.nan, rounded)
    result = np.asarray(rounded.astype(kind.dtype))
    if kind.name == "tf32":  # the payload of a NaN has ten bits too
        return (result.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return result


def widen(values: Array) -> Floats:
    """The exact float64 of any float value."""
    return values.astype(np.float64)


def to_odd(nearest: Floats, error: Floats) -> Floats:
    """Rounds `nearest + error` to odd.

    Args:
        nearest: The exact value rounded to nearest.
        error: Any number with the sign of (exact value - nearest), 0 where exact.
    """
    even = (np.asarray(nearest).view(np.int64) & 1) == 0
    step = even & (error != 0) & np.isfinite(nearest) & ~np.isnan(error)
    neighbour = np.nextafter(nearest, np.where(error > 0, np.inf, -np.inf))
    return np.where(step, neighbour, nearest)


def two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and its exact error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded product and its exact error (Dekker, Veltkamp).

    Exact only while no part leaves float64's range, so not for f64 operands.
    """
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + (
        a_low * b_low
    )
    return product, error


def _split(a: Floats) -> tuple[Floats, Floats]:
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def round_fraction(exact: Fraction, mode: str) -> float:
    """Rounds a rational to f64; an exact zero gives +0."""
    sign = -1.0 if exact < 0 else 1.0
    try:
        nearest = exact.numerator / exact.denominator  # correctly rounded by Python
    except OverflowError:
        nearest = sign * inf
    if mode == "nearest_even":
        return nearest
    error = -nearest if not isfinite(nearest) else exact - Fraction(nearest)
    toward = {
        "negative_inf": -inf,
        "positive_inf": inf,
        "zero": -inf if exact > 0 else inf,
    }[mode]
    if (error < 0 and toward < 0) or (error > 0 and toward > 0):
        return copysign(nextafter(nearest, toward), sign)
    return nearest
