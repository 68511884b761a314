# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact arithmetic on float formats, as the reference for the emulator.

Values are Python rationals; a format is given by precision and exponent range.
Written for clarity: one value at a time, no NumPy arithmetic.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

MODES = ("rn", "rz", "rm", "rp", "rna")
INF = "inf"
NAN = "nan"


@dataclass(frozen=True)
class Format:
    """A binary float format; `bits` in all, `precision` with the hidden bit."""

    bits: int
    precision: int

    @property
    def bias(self) -> int:
        return (1 << (self.bits - self.precision - 1)) - 1

    @property
    def smallest_exponent(self) -> int:
        """Exponent of the last place of subnormal numbers."""
        return 2 - self.bias - self.precision


F16 = Format(16, 11)
BF16 = Format(16, 8)
F32 = Format(32, 24)
F64 = Format(64, 53)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


@dataclass(frozen=True)
class Value:
    """A decoded number: sign, and a rational magnitude, INF or NAN."""

    negative: bool
    size: Fraction | str

    @property
    def magnitude(self) -> Fraction:
        """The size of a finite number."""
        assert isinstance(self.size, Fraction), "expected a finite value"
        return self.size

    @property
    def exact(self) -> Fraction:
        assert isinstance(self.size, Fraction), "expected a finite value"
        return -self.size if self.negative else self.size

    @property
    def is_finite(self) -> bool:
        return isinstance(self.size, Fraction)


def decode(bits: int, fmt: Format) -> Value:
    """Reads the bits of a float."""
    fraction_bits = fmt.precision - 1
    negative = bool(bits >> (fmt.bits - 1))
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = (bits >> fraction_bits) & ((1 << (fmt.bits - fmt.precision)) - 1)
    if exponent == (1 << (fmt.bits - fmt.precision)) - 1:
        return Value(negative, NAN if fraction else INF)
    if exponent == 0:
        return Value(negative, Fraction(fraction) * _power(fmt.smallest_exponent))
    whole = fraction | 1 << fraction_bits
    return Value(negative, whole * _power(exponent - 1 + fmt.smallest_exponent))


def _power(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def infinity(fmt: Format, *, negative: bool) -> int:
    sign = int(negative) << (fmt.bits - 1)
    return sign | ((1 << (fmt.bits - fmt.precision)) - 1) << (fmt.precision - 1)


def nan(fmt: Format) -> int:
    """The canonical NaN of PTX; for f64 the usual quiet one."""
    if fmt == F64:
        return 0x7FF8000000000000
    return (1 << (fmt.bits - 1)) - 1


def encode(exact: Fraction, fmt: Format, mode: str = "rn", *, zero: int = 0) -> int:
    """Rounds a rational to a format; `zero` is the sign bit of an exact zero."""
    sign = 1 << (fmt.bits - 1)
    if exact == 0:
        return sign * zero
    negative = exact < 0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if _power(exponent) > size:
        exponent -= 1
    place = max(exponent - fmt.precision + 1, fmt.smallest_exponent)
    scaled = size / _power(place)
    whole = scaled.numerator // scaled.denominator
    if _rounds_up(scaled - whole, whole, mode, negative=negative):
        whole += 1
    if whole == 1 << fmt.precision:
        whole, place = whole >> 1, place + 1
    if whole < 1 << (fmt.precision - 1):
        bits = whole
    else:
        field = place - fmt.smallest_exponent + 1
        if field >= (1 << (fmt.bits - fmt.precision)) - 1:
            return _overflow(fmt, mode, negative=negative)
        bits = (field << (fmt.precision - 1)) | (
            whole & ((1 << (fmt.precision - 1)) - 1)
        )
    return bits | (sign if negative else 0)


def _rounds_up(rest: Fraction, whole: int, mode: str, *, negative: bool) -> bool:
    half = Fraction(1, 2)
    if mode == "rn":
        return rest > half or (rest == half and whole % 2 == 1)
    if mode == "rna":
        return rest >= half
    if mode == "rz":
        return False
    return rest > 0 and (mode == "rm") == negative


def _overflow(fmt: Format, mode: str, *, negative: bool) -> int:
    inf = infinity(fmt, negative=negative)
    is_inf = mode in ("rn", "rna") or (mode == "rm") == negative
    return inf if is_inf and mode != "rz" else inf - 1


def encode_sqrt(exact: Fraction, fmt: Format, mode: str) -> int:
    """Rounds a square root, through a rational a hair on the right side of it."""
    scale = 4**600
    root = isqrt(exact.numerator * scale * scale // exact.denominator)
    low = Fraction(root, scale)
    if low * low == exact:
        return encode(low, fmt, mode)
    return encode(low + Fraction(1, 2 * scale), fmt, mode)


def to_bits(value: float, fmt: Format) -> int:
    """Returns the bits of a Python float in a format."""
    if value != value:
        return nan(fmt)
    if value in (float("inf"), float("-inf")):
        return infinity(fmt, negative=value < 0)
    (wide,) = struct.unpack("<Q", struct.pack("<d", value))
    return encode(Fraction(value), fmt, zero=wide >> 63)
