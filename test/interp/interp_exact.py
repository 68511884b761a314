# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference arithmetic on rationals: one rounding of an exact value, in every mode."""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isqrt

import numpy as np
from interp_harness import DTYPES

MODES = ("nearest_even", "zero", "negative_inf", "positive_inf")

FIELDS = {
    "f4E2M1FN": (2, 0, 6.0),
    "f8E5M2": (3, -14, 57344.0),
    "f8E4M3FN": (4, -6, 448.0),
    "f16": (11, -14, 65504.0),
    "bf16": (8, -126, 3.3895313892515355e38),
    "tf32": (11, -126, float(np.ldexp(2 - 2.0**-10, 127))),
    "f32": (24, -126, 3.4028234663852886e38),
    "f64": (53, -1022, 1.7976931348623157e308),
}
"""Precision, exponent of the smallest normal number, largest finite value."""


def round_exact(value: Fraction, kind: str, mode: str) -> float:
    """Rounds a value other than zero to a format; beyond the range as IEEE 754 says."""
    precision, lowest, largest = FIELDS[kind]
    sign = -1 if value < 0 else 1
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    quantum = Fraction(2) ** (max(exponent, lowest) - precision + 1)
    steps, rest = divmod(size, quantum)
    twice = 2 * rest / quantum
    is_outward = mode == ("negative_inf" if sign < 0 else "positive_inf")
    up = {
        "nearest_even": twice > 1 or (twice == 1 and steps % 2 == 1),
        "nearest_away": twice >= 1,
    }.get(mode, is_outward and rest > 0)
    rounded = (steps + up) * quantum
    if rounded > Fraction(largest):
        return sign * (inf if is_outward or "nearest" in mode else largest)
    return copysign(float(rounded), sign)


def root(value: Fraction) -> Fraction:
    """A rational on the same side of every float as the square root."""
    scale = 1 << 2400
    scaled = value * scale * scale
    whole = isqrt(scaled.numerator // scaled.denominator)
    return Fraction(2 * whole + (Fraction(whole) ** 2 != scaled), 2 * scale)


def samples(kind: str, count: int, seed: int) -> np.ndarray:
    """Finite and special values: half random bits, half numbers near 1."""
    dtype = DTYPES[kind]
    rng = np.random.default_rng(seed)
    word = f"u{dtype.itemsize}"
    raw = rng.integers(0, 2 ** (8 * dtype.itemsize) - 1, count, dtype=np.uint64)
    anything = raw.astype(word).view(dtype)
    scale = 2.0 ** rng.integers(-6, 6, count)
    usual = (rng.standard_normal(count) * scale).astype(dtype)
    values = np.where(rng.random(count) < 0.5, anything, usual)
    special = [0.0, -0.0, inf, -inf, np.nan, 1.0, -1.0, FIELDS[kind][2]]
    values[: len(special)] = special
    smallest = 2.0 ** FIELDS[kind][1]
    values[len(special)] = smallest
    values[len(special) + 1] = -smallest / 2
    rng.shuffle(values)
    return values
