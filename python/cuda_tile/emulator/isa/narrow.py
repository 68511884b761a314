# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions: cvt", packed and narrow floats.

Pairs f16x2, bf16x2, e4m3x2, e5m2x2, e2m3x2, e3m2x2, e2m1x2, ue8m0x2 and the format
tf32. Of two sources the first goes to the upper half.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import B32, TYPES, Array, Type


@dataclass(frozen=True)
class Small:
    """A float format of at most 8 bits.

    Attributes:
        dtype: NumPy's type of one value, in the low bits of a byte.
        bits: Width of an element of a pair; formats of 6 bits take 8.
        largest: The largest finite value, which `.satfinite` clamps to.
        nan: What a NaN becomes; the largest value where the format has none.
    """

    dtype: DTypeLike
    bits: int
    largest: float
    nan: int


SMALL = {
    "e4m3x2": Small(ml_dtypes.float8_e4m3fn, 8, 448.0, 0x7F),
    "e5m2x2": Small(ml_dtypes.float8_e5m2, 8, 57344.0, 0x7F),
    "e2m3x2": Small(ml_dtypes.float6_e2m3fn, 8, 7.5, 0x1F),
    "e3m2x2": Small(ml_dtypes.float6_e3m2fn, 8, 28.0, 0x1F),
    "e2m1x2": Small(ml_dtypes.float4_e2m1fn, 4, 6.0, 0x07),
}
_SCALES = "ue8m0x2"
SOURCES = (*SMALL, _SCALES)
DESTINATIONS = ("f16x2", "bf16x2", *SOURCES)
_LARGEST_TF32 = 0x7F7FE000
LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38}

Fn = Callable[[Array], Array]


def convert(
    form: Form, b: Builder, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    """Compiles a cvt that has a packed or tf32 type."""
    if form.flag("tf32"):
        return _to_tf32(form, b, rounding, relu=relu, satfinite=satfinite)
    to = form.type(*DESTINATIONS)
    if to.name == _SCALES:
        return _to_scales(form, b, rounding, relu=relu, satfinite=satfinite)
    if to.name in SMALL:
        return _to_small(form, b, to, rounding, relu=relu, satfinite=satfinite)
    source = form.type("f32", *SOURCES)
    if source.name == _SCALES:
        return _from_scales(form, b, to, rounding, relu=relu)
    if satfinite and source.name != "f32" and to.name != "bf16x2":
        form.error("expected '.satfinite' only from f32 or to bf16x2")
    if source.name in SMALL:
        if rounding != "rn":
            form.error(f"expected 'cvt.rn.{to}' from {source}")
        return _from_small(form, b, to, source, relu=relu, satfinite=satfinite)
    if rounding not in ("rn", "rz"):
        form.error("expected '.rn' or '.rz' before a packed type")
    half = TYPES[to.name.removesuffix("x2")]
    fn = clamped(_half(half.name, rounding), half, relu=relu, satfinite=satfinite)
    if b.algebra:
        fn = exact.conversion(b.algebra, half, source, fn, relu=relu)
        fn = exact.from_pairs(b.algebra, fn)
    return _pack_halves(form, b, source, fn)


def _pack_halves(form: Form, b: Builder, source: Type, fn: Fn) -> Compiled:
    """Makes a pair of two results of `fn`."""
    d, high, low = form.operands(3)

    def pack(x: Array, y: Array) -> Array:
        upper = fn(x).view(np.uint16).astype(np.uint32) << np.uint32(16)
        return upper | fn(y).view(np.uint16)

    return b.elementwise(pack, b.dst(d, B32), b.src(high, source), b.src(low, source))


def _half(name: str, rounding: str) -> Fn:
    if name == "bf16":
        return lambda x: numerics.f32_to_bf16(x, rounding)
    return lambda x: numerics.canonical(
        numerics.round_to(x.astype(np.float64), np.float16, rounding)
    )


def clamped(fn: Fn, to: Type, *, relu: bool, satfinite: bool) -> Fn:
    """Adds `.relu` (negative gives +0) and `.satfinite` to an f32 conversion."""
    if not relu and not satfinite:
        return fn
    limit = np.float32(LARGEST[to.name])

    def apply(x: Array) -> Array:
        if satfinite:
            x = np.where(x != x, x, x.clip(-limit, limit))
        if relu:
            x = np.where(x < 0, np.float32(0), x)
        return fn(x)

    return apply


def _to_small(
    form: Form, b: Builder, to: Type, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    if rounding != "rn" or not satfinite:
        form.error(f"expected '.rn.satfinite' to {to}")
    relu = relu or form.flag("relu")
    small = SMALL[to.name]
    source = form.type("f32", "f16x2") if small.nan == 0x7F else form.type("f32")

    def encode(x: Array) -> Array:
        if b.algebra:
            x = b.algebra.from_bits(x)
            x = b.algebra.limited(x, sat=False) if relu else x
            codes = exact.codes_of(b.algebra, x, to.name.removesuffix("x2"))
            return codes.astype(np.uint16)
        x = np.where(x < 0, np.float32(0), x) if relu else x
        limited = x.clip(-small.largest, small.largest)
        bits = limited.astype(small.dtype).view(np.uint8)
        return np.where(x != x, np.uint8(small.nan), bits).astype(np.uint16)

    return _pack_codes(form, b, to, source, encode, small.bits)


def _pack_codes(
    form: Form, b: Builder, to: Type, source: Type, encode: Fn, bits: int
) -> Compiled:
    """Makes a pair of codes of two f32 operands, or of one f16x2 or bf16x2."""
    shift = np.uint16(bits)
    word = TYPES[f"b{to.bits}"]

    def pack(high: Array, low: Array) -> Array:
        return (encode(high) << shift | encode(low)).astype(word.dtype)

    if source.name == "f32":
        d, high, low = form.operands(3)
        sources = b.src(high, source), b.src(low, source)
        return b.elementwise(pack, b.dst(d, word), *sources)
    d, pair = form.operands(2)

    def split(x: Array) -> Array:
        halves = np.ascontiguousarray(x).view(np.uint16)
        if b.algebra:
            single = exact.halves(b.algebra, halves, exact.half_name(source))
        elif source.name == "bf16x2":
            single = numerics.bf16_to_f32(halves)
        else:
            single = halves.view(np.float16).astype(np.float32)
        return pack(single[1::2], single[0::2])

    return b.elementwise(split, b.dst(d, word), b.src(pair, source))


def _from_small(
    form: Form, b: Builder, to: Type, source: Type, *, relu: bool, satfinite: bool
) -> Compiled:
    """To pairs of 16 bits, which hold every value but, with `.satfinite`, infinity."""
    small = SMALL[source.name]
    d, x = form.operands(2)
    half = to.name.removesuffix("x2")
    fn = clamped(_half(half, "rn"), TYPES[half], relu=relu, satfinite=satfinite)

    def widen(pair: Array) -> Array:
        codes = np.ascontiguousarray(pair).view(np.uint8)
        if small.bits == 4:
            codes = np.stack([codes & 15, codes >> 4], axis=1).ravel()
        if b.algebra:
            name = source.name.removesuffix("x2")
            elements = exact.small_elements(b.algebra, codes, name)
            limited = exact.limited_codes(b.algebra, elements, half, relu=relu)
            return limited.view(np.uint32)
        halves = fn(codes.view(small.dtype).astype(np.float32))
        return np.ascontiguousarray(halves).view(np.uint32)

    return b.elementwise(widen, b.dst(d, B32), b.src(x, source))


_SCALE_BIAS = 127
_SCALE_NAN = 0xFF


def _to_scales(
    form: Form, b: Builder, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    """To powers of two: the exponent rounded down (`rz`) or up (`rp`).

    The ISA does not say what a negative source gives; here its magnitude counts.
    """
    if rounding not in ("rz", "rp") or relu:
        form.error("expected '.rz' or '.rp' and no '.relu' before '.ue8m0x2'")
    source = form.type("f32", "bf16x2")
    to = TYPES[_SCALES]

    def encode(x: Array) -> Array:
        if b.algebra:
            return exact.codes_of(b.algebra, x, "ue8m0").astype(np.uint16)
        fraction, exponent = np.frexp(np.abs(x))  # x = fraction * 2**exponent
        power = exponent - 1 + ((fraction > 0.5) & (rounding == "rp"))
        code = np.where(fraction == 0, 0, (power + _SCALE_BIAS).clip(0, _SCALE_NAN))
        code = np.where(np.isinf(x), _SCALE_NAN, code)
        if satfinite:
            code = np.minimum(code, _SCALE_NAN - 1)
        return np.where(x != x, _SCALE_NAN, code).astype(np.uint16)

    return _pack_codes(form, b, to, source, encode, 8)


def _from_scales(
    form: Form, b: Builder, to: Type, rounding: str, *, relu: bool
) -> Compiled:
    if rounding != "rn" or to.name != "bf16x2" or relu:
        form.error("expected 'cvt.rn.bf16x2' from .ue8m0x2")
    d, x = form.operands(2)

    def widen(pair: Array) -> Array:
        codes = np.ascontiguousarray(pair).view(np.uint8).astype(np.uint16)
        # The exponent moves to bf16's place; 0 is the subnormal 2**-127.
        halves = np.where(codes == 0, np.uint16(0x40), codes << np.uint16(7))
        return np.where(codes == _SCALE_NAN, numerics.NAN16, halves).view(np.uint32)

    return b.elementwise(widen, b.dst(d, B32), b.src(x, TYPES[_SCALES]))


def _to_tf32(
    form: Form, b: Builder, rounding: str, *, relu: bool, satfinite: bool
) -> Compiled:
    """Rounds f32 to 10 mantissa bits: `rna` ties away from zero, `rn` even, `rz`."""
    form.require("f32")
    if relu and rounding == "rna":
        form.error("expected no '.relu' with '.rna'")
    if rounding not in ("rna", "rn", "rz"):
        form.error("expected '.rna', '.rn' or '.rz' before '.tf32'")
    d, x = form.operands(2)

    def fn(value: Array) -> Array:
        if relu:
            value = np.where(value < 0, np.float32(0), value)
        bits = np.ascontiguousarray(value).view(np.uint32)
        if rounding == "rna":
            rounded = bits + np.uint32(0x1000)
        elif rounding == "rn":
            odd = (bits >> np.uint32(13)) & np.uint32(1)
            rounded = bits + np.uint32(0xFFF) + odd
        else:
            rounded = bits
        rounded = rounded & np.uint32(0xFFFFE000)
        rounded = np.where(np.isfinite(value), rounded, bits)
        if satfinite:
            sign = rounded & np.uint32(0x80000000)
            size = np.minimum(rounded ^ sign, np.uint32(_LARGEST_TF32))
            rounded = size | sign
        return np.where(value != value, numerics.NAN32, rounded)

    whole = b.algebra.to_tf32(fn) if b.algebra else fn

    def bits_of(value: Array) -> Array:
        return whole(value).view(np.uint32)

    return b.elementwise(bits_of, b.dst(d, B32), b.src(x, TYPES["f32"]))
