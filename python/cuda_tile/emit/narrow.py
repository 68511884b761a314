# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of 8 bits and less, and tf32: from their bits and back, rounded once.

Decoding is exact, to a type that the chips compute with: f16 holds every value of
f8E4M3FN, f8E5M2 and f4E2M1FN, f32 those of f8E8M0FNU. Encoding starts from f32, which
is exact or rounded to odd, or from f16 where the chip does it. Each step has its form
in software, of integer operations, and uses the chip's instruction where there is one
(PTX ISA, "Data Movement and Conversion Instructions: cvt", "Target ISA Notes").
"""

from __future__ import annotations

from struct import pack

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.pairs import Pair, halves_of_word
from cuda_tile.records import dataclass
from cuda_tile.targets import Target


@dataclass(frozen=True)
class Format:
    """A small float format.

    Attributes:
        mantissa_bits: Bits of the mantissa without the hidden one.
        bias: Exponent bias.
        largest: Largest finite value; all that is larger becomes it.
        sign_shift: Right shift that brings the sign of an f32 to its place, or None
            where the sign is dropped.
        nan: Code that a NaN becomes.
    """

    mantissa_bits: int
    bias: int
    largest: float
    sign_shift: int | None
    nan: int


FORMATS = {
    "f8E4M3FN": Format(3, 7, 448.0, 24, 0x7F),
    "f8E5M2": Format(2, 15, 57344.0, 24, 0x7F),
    "f8E5M3FNU": Format(3, 15, 114688.0, None, 0xFF),
    "f4E2M1FN": Format(1, 1, 6.0, 28, 0x07),
}
CARRIERS = {
    "f8E4M3FN": "f16",
    "f8E5M2": "f16",
    "f4E2M1FN": "f16",
    "f8E8M0FNU": "f32",
    "f8E5M3FNU": "f32",
    "tf32": "f32",
}
"""The type to which a format is decoded without an instruction of its own."""
_PTX_NAMES = {"f8E4M3FN": "e4m3x2", "f8E5M2": "e5m2x2"}
_F32_BIAS, _F32_MANTISSA_BITS = 127, 23
_F32_SIZE = 0x7FFFFFFF
"""All bits of an f32 but its sign."""
TF32_DROPPED = 13
"""Mantissa bits of f32 that tf32 lacks; they are zero in its 32-bit container."""
_TF32_MASK = 0xFFFFFFFF << TF32_DROPPED & 0xFFFFFFFF


def has_f8(target: Target) -> bool:
    """Whether the chip converts pairs of f8E4M3FN and f8E5M2."""
    return target.has("cvt.e4m3x2")


def has_f4(target: Target) -> bool:
    """Whether it converts pairs of f4E2M1FN and f8E8M0FNU.

    PTX has these for targets of one architecture or family only, sm_100a and later.
    """
    return target.has("cvt.e2m1x2")


def carrier(e: Emitter, element: str) -> str:
    """The type to which `decoded` takes an element.

    Args:
        e: The emitter.
        element: The element type.
    """
    if element == "f8E8M0FNU" and has_f4(e.target):
        return "bf16"
    return CARRIERS.get(element, element)


# Decoding -----------------------------------------------------------------------------


def decoded(e: Emitter, element: str, pair: Pair) -> Pair:
    """A pair of `element` as its carrier, exactly; other floats as they are.

    Args:
        e: The emitter.
        element: The element type.
        pair: The pair.
    """
    match element:
        case "f8E4M3FN" | "f8E5M2" if has_f8(e.target):
            text = f"cvt.rn.f16x2.{_PTX_NAMES[element]} $0, $1;"
            return _f16_pair(e, e.builder.ptx_value(text, e.builder.i32, *pair))
        case "f8E4M3FN":
            return _from_e4m3(e, pair)
        case "f8E5M2":  # f16 with a shorter mantissa
            return _f16_pair(e, _spread(e, pair))
        case "f4E2M1FN":
            return _from_f4(e, pair)
        case "f8E8M0FNU":
            return _from_e8m0(e, pair)
        case "f8E5M3FNU":
            return _from_e5m3(e, pair)
        case _:
            return pair


def _f16_pair(e: Emitter, word: ir.Value) -> Pair:
    return (e.builder.bitcast(word, e.builder.vector_type(2, e.builder.f16)),)


def _spread(e: Emitter, pair: Pair) -> ir.Value:
    """Two bytes of an i16, each in the upper half of one half of an i32."""
    w = e.builder.binary
    word = e.builder.op("llvm.zext", e.builder.i32, pair[0])
    low = w("and", w("shl", word, 8), 0xFF00)
    return w("or", low, w("and", w("shl", word, 16), 0xFF000000))


def _scaled(e: Emitter, word: ir.Value, factor: float) -> Pair:
    """A pair of f16 bits times a power of two: moves the exponent's bias, exactly."""
    b = e.builder
    (pair,) = _f16_pair(e, word)
    scale = b.constant(b.f16, factor)
    return (b.op("llvm.fmul", pair.type, pair, b.vector([scale, scale])),)


def _from_e4m3(e: Emitter, pair: Pair) -> Pair:
    """The magnitude one bit lower is an f16 whose bias is 8 more.

    The one NaN, 0x7F, comes out as 480 and gets all bits of exponent and mantissa.
    """
    b, w = e.builder, e.builder.binary
    word = _spread(e, pair)
    size = w("lshr", w("and", word, 0x7F007F00), 1)
    (value,) = _scaled(e, w("or", w("and", word, 0x80008000), size), 2.0**8)
    is_nan = w("and", w("add", size, 0x00800080), 0x40004000)
    ones = w("sub", w("shl", is_nan, 1), w("lshr", is_nan, 14))
    return _f16_pair(e, w("or", b.bitcast(value, b.i32), ones))


def _from_f4(e: Emitter, pair: Pair) -> Pair:
    b, w = e.builder, e.builder.binary
    if has_f4(e.target):
        packed = w("or", pair[0], w("lshr", pair[0], 4))
        text = (
            "{ .reg .b8 %codes, %rest; mov.b16 {%codes, %rest}, $1; "
            "cvt.rn.f16x2.e2m1x2 $0, %codes; }"
        )
        return _f16_pair(e, e.builder.ptx_value(text, b.i32, packed))
    word = _spread(e, pair)
    sign = w("and", w("shl", word, 4), 0x80008000)
    size = w("and", w("shl", word, 1), 0x0E000E00)
    return _scaled(e, w("or", sign, size), 2.0**14)


def _from_e8m0(e: Emitter, pair: Pair) -> Pair:
    """The code is the exponent of f32; 0 is 2^-127, a subnormal, and 255 is NaN."""
    b, w = e.builder, e.builder.binary
    if has_f4(e.target):
        word = b.ptx_value("cvt.rn.bf16x2.ue8m0x2 $0, $1;", b.i32, *pair)
        return (b.bitcast(word, b.vector_type(2, b.bf16)),)
    low = w("and", pair[0], 0xFF)
    values: list[ir.Value] = []
    for code in (low, w("lshr", pair[0], 8)):
        word = b.op("llvm.zext", b.i32, code)
        ends = w("and", w("add", word, 1), 0xFE)  # zero for 0 and 255 only
        is_end = b.icmp("eq", ends, 0)
        half = b.constant(b.i32, 1 << _F32_MANTISSA_BITS - 1)
        top = b.select(is_end, half, b.constant(b.i32, 0))
        bits = w("or", w("shl", word, _F32_MANTISSA_BITS), top)
        values.append(b.bitcast(bits, b.f32))
    return tuple(values)


def _from_e5m3(e: Emitter, pair: Pair) -> Pair:
    """The code is the top of an f32 whose bias is 112 more; 255 is NaN."""
    b, w = e.builder, e.builder.binary
    form = FORMATS["f8E5M3FNU"]
    shift = _F32_MANTISSA_BITS - form.mantissa_bits
    scale = b.constant(b.f32, 2.0 ** (_F32_BIAS - form.bias))
    nan = b.constant(b.f32, float("nan"))
    values: list[ir.Value] = []
    for code in (w("and", pair[0], 0xFF), w("lshr", pair[0], 8)):
        word = w("shl", b.op("llvm.zext", b.i32, code), shift)
        value = b.op("llvm.fmul", b.f32, b.bitcast(word, b.f32), scale)
        is_nan = b.icmp("eq", code, form.nan)
        values.append(b.select(is_nan, nan, value))
    return tuple(values)


# Encoding -----------------------------------------------------------------------------


def clamps_to(element: str) -> float | None:
    """The number to which a format's conversion clamps all larger ones, if it does.

    Args:
        element: The element type.
    """
    return FORMATS[element].largest if element in _PTX_NAMES else None


def encodes_f16(e: Emitter, element: str) -> bool:
    """Whether the chip encodes pairs of f16 without a detour over f32.

    Args:
        e: The emitter.
        element: The element type.
    """
    return element in _PTX_NAMES and has_f8(e.target)


def encoded_f16(e: Emitter, element: str, pair: Pair) -> Pair:
    """A pair of f16 as `element`, where `encodes_f16`.

    Args:
        e: The emitter.
        element: The element type.
        pair: The pair.
    """
    b = e.builder
    text = f"cvt.rn.satfinite.{_PTX_NAMES[element]}.f16x2 $0, $1;"
    return (b.ptx_value(text, b.i16, b.bitcast(pair[0], b.i32)),)


def encoded(e: Emitter, element: str, pair: Pair, mode: str) -> Pair:
    """A pair of f32 as a format of `CARRIERS`, rounded once.

    Args:
        e: The emitter.
        element: The element type.
        pair: The pair.
        mode: The rounding mode.
    """
    low, high = pair
    match element:
        case "tf32":
            return (_to_tf32(e, low, mode), _to_tf32(e, high, mode))
        case "f8E8M0FNU":
            return _to_e8m0(e, pair, mode)
        case "f4E2M1FN" if has_f4(e.target):
            return _to_f4(e, pair)
        case _ if element in _PTX_NAMES and has_f8(e.target):
            text = f"cvt.rn.satfinite.{_PTX_NAMES[element]}.f32 $0, $1, $2;"
            return (e.builder.ptx_value(text, e.builder.i16, high, low),)
        case _:
            codes = (_code(e, x, FORMATS[element]) for x in pair)
            return (_code_pair(e, *codes),)


def _code_pair(e: Emitter, low: ir.Value, high: ir.Value) -> ir.Value:
    w = e.builder.binary
    return halves_of_word(e.builder, w("or", low, w("shl", high, 8)))[0]


def _code(e: Emitter, x: ir.Value, form: Format) -> ir.Value:
    """The code of an f32 in an i32: nearest, ties to even, clamped.

    A normal result is rounded in integers, where a carry moves on to the exponent. For
    a subnormal one the sum with a power of two whose last place is the format's
    smallest step is rounded by the addition.
    """
    b, w = e.builder, e.builder.binary
    dropped = _F32_MANTISSA_BITS - form.mantissa_bits
    bits = b.bitcast(x, b.i32)
    largest = b.constant(b.i32, _bits(form.largest))
    size = b.op("llvm.intr.umin", b.i32, w("and", bits, _F32_SIZE), largest)
    odd = w("and", w("lshr", size, dropped), 1)
    rounded = w("add", w("add", size, odd), (1 << dropped - 1) - 1)
    rebias = _F32_BIAS - form.bias << form.mantissa_bits
    normal = w("sub", w("lshr", rounded, dropped), rebias)
    step = 2.0 ** (1 - form.bias - form.mantissa_bits)
    magic = step * 2.0**_F32_MANTISSA_BITS
    total = b.op("llvm.fadd", b.f32, b.bitcast(size, b.f32), b.constant(b.f32, magic))
    subnormal = w("sub", b.bitcast(total, b.i32), _bits(magic))
    smallest = b.constant(b.i32, _bits(2.0 ** (1 - form.bias)))
    code = b.select(b.icmp("ult", size, smallest), subnormal, normal)
    if form.sign_shift is not None:
        place = 1 << 31 - form.sign_shift
        code = w("or", code, w("and", w("lshr", bits, form.sign_shift), place))
    nan = b.constant(b.i32, form.nan)
    return b.select(b.fcmp("uno", x, x), nan, code)


def _bits(value: float) -> int:
    """The bits of an f32."""
    return int.from_bytes(pack("<f", value), "little")


def _to_f4(e: Emitter, pair: Pair) -> Pair:
    b, w = e.builder, e.builder.binary
    text = (
        "{ .reg .b8 %codes; cvt.rn.satfinite.e2m1x2.f32 %codes, $1, $2; "
        "cvt.u16.u8 $0, %codes; }"
    )
    packed = b.ptx_value(text, b.i16, *pair[::-1])
    high = w("and", w("shl", packed, 4), 0x0F00)
    return (w("or", high, w("and", packed, 0x000F)),)


def _to_e8m0(e: Emitter, pair: Pair, mode: str) -> Pair:
    """The exponent of the absolute value, rounded down or up."""
    b, w = e.builder, e.builder.binary
    sizes = [w("and", b.bitcast(x, b.i32), _F32_SIZE) for x in pair]
    if has_f4(e.target):
        low, high = (b.bitcast(size, b.f32) for size in sizes)
        rounding = "rz" if mode == "zero" else "rp"
        text = f"cvt.{rounding}.satfinite.ue8m0x2.f32 $0, $1, $2;"
        return (b.ptx_value(text, b.i16, high, low),)
    codes: list[ir.Value] = []
    for size in sizes:
        code = size
        if mode != "zero":
            code = w("add", size, (1 << _F32_MANTISSA_BITS) - 1)
            smallest = b.constant(b.i32, 1 << _F32_MANTISSA_BITS - 1)  # 2^-127
            is_least = b.icmp("ule", size, smallest)
            code = b.select(is_least, b.constant(b.i32, 0), code)
        code = w("lshr", code, _F32_MANTISSA_BITS)
        code = b.op("llvm.intr.umin", b.i32, code, b.constant(b.i32, 0xFE))
        is_nan = b.icmp("ugt", size, 0xFF << _F32_MANTISSA_BITS)
        codes.append(b.select(is_nan, b.constant(b.i32, 0xFF), code))
    return (_code_pair(e, *codes),)


def _to_tf32(e: Emitter, x: ir.Value, mode: str) -> ir.Value:
    """Ten bits of mantissa; the others are cleared, also in a NaN."""
    b, w = e.builder, e.builder.binary
    if e.target.rounds_to_tf32(mode):
        rounding = {"nearest_away": "rna", "nearest_even": "rn", "zero": "rz"}[mode]
        word = b.ptx_value(f"cvt.{rounding}.tf32.f32 $0, $1;", b.i32, x)
        # What the instruction leaves in the low bits is not specified.
        return b.bitcast(w("and", word, _TF32_MASK), b.f32)
    bits = b.bitcast(x, b.i32)
    rounded = bits
    if mode == "nearest_away":
        rounded = w("add", bits, 1 << TF32_DROPPED - 1)
    elif mode == "nearest_even":
        odd = w("and", w("lshr", bits, TF32_DROPPED), 1)
        rounded = w("add", w("add", bits, odd), (1 << TF32_DROPPED - 1) - 1)
    # The mask comes last: ptxas 13.5 leaves it out where `mma.sync` reads the result.
    nan = b.ptx_value("set.nan.u32.f32 $0, $1, $1;", b.i32, x)
    word = w("and", b.binary("or", rounded, nan), _TF32_MASK)
    return b.bitcast(word, b.f32)
