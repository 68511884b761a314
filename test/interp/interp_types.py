# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types from the fields of their formats: samples, bits and exact values.

Independent of the interpreter: numbers are decoded with Python's integers and
rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import copysign, inf, isinf, isnan, nan

import numpy as np
from interp_exact import round_exact
from interp_harness import DTYPES

Number = Fraction | float
"""A finite value other than zero as a rational; zeros, infinities and NaN as floats."""


@dataclass(frozen=True)
class Format:
    """Fields of a binary floating-point format.

    Attributes:
        exponent: Bits of the exponent.
        fraction: Bits of the fraction.
        bias: What is subtracted from the exponent field.
        unused: Low bits of the container that are zero (tf32).
        nan_codes: Magnitudes that are NaN; None: all of the top exponent but infinity.
    """

    exponent: int
    fraction: int
    bias: int
    unused: int = 0
    nan_codes: tuple[int, ...] | None = None


FORMATS = {
    "f64": Format(11, 52, 1023),
    "f32": Format(8, 23, 127),
    "tf32": Format(8, 10, 127, unused=13),
    "f16": Format(5, 10, 15),
    "bf16": Format(8, 7, 127),
    "f8E4M3FN": Format(4, 3, 7, nan_codes=(0x7F,)),
    "f8E5M2": Format(5, 2, 15),
    "f4E2M1FN": Format(2, 1, 1, nan_codes=()),
}
WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
BITS = WIDTHS | {"f8E8M0FNU": 8} | {
    kind: 1 + form.exponent + form.fraction + form.unused
    for kind, form in FORMATS.items()
}  # fmt: skip
NATIVE = DTYPES | {"i4": np.dtype(np.int8), "pointer": np.dtype(np.uint64)}
"""NumPy type of a tile; i4 stands in its signed reading."""


def width(kind: str) -> int:
    """Bits of an element."""
    return 64 if kind.startswith("ptr<") else BITS[kind]


def codes(kind: str, count: int, seed: int = 0) -> np.ndarray:
    """Bit patterns: all of them where there are few, else special and random ones."""
    bits = width(kind)
    if bits <= 8 and count >= 1 << bits:
        found = np.resize(np.arange(1 << bits, dtype=np.uint64), count)
        return np.random.default_rng(seed).permutation(found)
    rng = np.random.default_rng(seed)
    found = rng.integers(0, (1 << bits) - 1, count, np.uint64, endpoint=True)
    form = FORMATS.get(kind)
    if form is not None:
        found &= np.uint64(((1 << bits) - 1) >> form.unused << form.unused)
        near = rng.standard_normal(count // 2) * 2.0 ** rng.integers(-6, 6, count // 2)
        found[::2][: len(near)] = [encode(round_to(x, kind), kind) for x in near]
        some = SPECIAL[:count]
        found[: len(some)] = [encode(round_to(x, kind), kind) for x in some]
    else:
        top = 1 << (bits - 1)
        special = np.array([0, 1, top - 1, top, 2 * top - 1, 3 % (2 * top)], np.uint64)
        found[: len(special)] = special[:count]
    return rng.permutation(found)


SPECIAL = (0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 2.0**-15, -(2.0**-133), 1e38, -3.0)


def tile(kind: str, patterns: np.ndarray) -> np.ndarray:
    """The tile with these bit patterns."""
    if kind == "i1":
        return patterns != 0
    if kind.startswith("ptr<"):
        return patterns.astype(np.uint64)
    if kind == "i4":
        low = patterns.astype(np.int8) & 15
        return (low - ((low & 8) << 1)).astype(np.int8)
    dtype = NATIVE[kind]
    return patterns.astype(f"u{dtype.itemsize}").view(dtype)


def patterns(kind: str, values: np.ndarray) -> list[int]:
    """The bit patterns of a tile, row-major."""
    flat = np.ascontiguousarray(values).reshape(-1)
    if kind == "i1":
        return flat.astype(np.uint8).tolist()
    raw = flat.view(f"u{flat.dtype.itemsize}")
    return (raw & raw.dtype.type(15) if width(kind) == 4 else raw).tolist()


def sample(kind: str, shape: tuple[int, ...] | int, seed: int = 0) -> np.ndarray:
    """A tile of `codes`."""
    count = int(np.prod(shape))
    return tile(kind, codes(kind, count, seed)).reshape(shape)


def decode(code: int, kind: str) -> Number:
    """What a bit pattern means."""
    if kind in WIDTHS:
        raise ValueError("integers have a signedness; see `read`")
    if kind == "f8E8M0FNU":
        return nan if code == 0xFF else Fraction(2) ** (code - 127)
    form = FORMATS[kind]
    assert code % (1 << form.unused) == 0, f"{code:#x} has bits that no {kind} has"
    code >>= form.unused
    sign = -1 if code >> (form.exponent + form.fraction) else 1
    magnitude = code & ((1 << (form.exponent + form.fraction)) - 1)
    exponent = magnitude >> form.fraction
    fraction = magnitude & ((1 << form.fraction) - 1)
    if form.nan_codes is not None:
        if magnitude in form.nan_codes:
            return nan
    elif exponent == (1 << form.exponent) - 1:
        return nan if fraction else sign * inf
    if magnitude == 0:
        return copysign(0.0, sign)
    scale = Fraction(2) ** (max(exponent, 1) - form.bias - form.fraction)
    return sign * ((fraction + ((exponent > 0) << form.fraction)) * scale)


def numbers(kind: str, values: np.ndarray) -> list[Number]:
    """What the elements of a tile of floats mean."""
    return [decode(code, kind) for code in patterns(kind, values)]


def encode(value: Number, kind: str) -> int:
    """The bit pattern of a value that the format has; one of NaN's for NaN."""
    form = FORMATS[kind]
    top = 1 << (form.exponent + form.fraction)
    if isinstance(value, float) and isnan(value):
        if form.nan_codes is not None:
            return form.nan_codes[0] if form.nan_codes else top - 1
        return (top - 1) << form.unused
    sign = top if copysign(1.0, float(value)) < 0 else 0
    if isinstance(value, float) and isinf(value):
        return (sign | top - (1 << form.fraction)) << form.unused
    size = abs(Fraction(value))
    power = size.numerator.bit_length() - size.denominator.bit_length()
    power -= Fraction(2) ** power > size
    exponent = max(power + form.bias, 0) if size else 0
    normal = exponent > 0
    steps = size / Fraction(2) ** (max(exponent, 1) - form.bias - form.fraction)
    assert steps.denominator == 1, f"{value} is no {kind}"
    hidden = (1 << form.fraction) if normal else 0
    return (sign | exponent << form.fraction | int(steps) - hidden) << form.unused


def round_to(value: Number, kind: str, mode: str = "nearest_even") -> Number:
    """The value rounded to a format, as `ftof` must."""
    saturates = kind.startswith(("f8", "f4"))
    if isinstance(value, float) and (isnan(value) or not value):
        return 6.0 if kind == "f4E2M1FN" and isnan(value) else value
    if isinstance(value, float) and isinf(value):
        largest = LARGEST[kind] if saturates else inf
        return copysign(float(largest), value)
    result = round_exact(Fraction(value), kind, mode)
    if isinf(result) and saturates:
        return copysign(float(LARGEST[kind]), result)
    return result


LARGEST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f4E2M1FN": 6.0}
"""What conversions to the small formats give instead of infinity."""


def read(code: int, kind: str, sign: str) -> int:
    """The signed or unsigned reading of an integer's bit pattern."""
    low = code & ((1 << WIDTHS[kind]) - 1)
    is_negative = sign == "signed" and low >> (WIDTHS[kind] - 1)
    return low - (1 << WIDTHS[kind]) if is_negative else low


def same(kind: str, got: np.ndarray, expected: list[Number]) -> None:
    """Each element means what was expected, signs of zeros included."""
    for place, (mine, true) in enumerate(
        zip(numbers(kind, got), expected, strict=True)
    ):
        if isinstance(true, float) and isnan(true):
            assert isinstance(mine, float), place
            assert isnan(mine), (place, mine)
        else:
            assert mine == true, (place, mine, true)
            assert copysign(1, float(mine)) == copysign(1, float(true)), (place, true)
