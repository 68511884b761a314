# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions": cvt.

Each value is converted exactly once: sources become exact doubles (or, for 64-bit
integers, doubles rounded to odd), and one rounding makes the result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.isa import exact, narrow, numerics, stochastic
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand, Register, Special
from cuda_tile.emulator.ptx.types import TYPES, Array, Type

CHAPTER = Chapter("Data Movement and Conversion Instructions: cvt")

_INTEGERS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
_FLOATS = ("f16", "bf16", "f32", "f64")
_TO_INTEGRAL = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_MODES = ("rn", "rz", "rm", "rp")
_CLAMPED = (("f32", "f16"), ("f32", "bf16"))
_PRECISION = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}

Fn = Callable[[Array], Array]


@CHAPTER.instruction("cvt")
def cvt(form: Form, b: Builder) -> Compiled:
    """Conversion cvt: between integers and floats, and packed narrow floats."""
    if form.flag("pack"):
        return _pack(form, b)
    if form.flag("rs"):
        return stochastic.convert(form, b)
    rounding = form.option(*_TO_INTEGRAL, *_MODES, "rna")
    relu = form.flag("relu")
    if form.next in ("satfinite", "ftz", "sat"):
        flags = _flags(form)
    else:
        flags = (False, False, False)
    relu = relu or form.flag("relu")
    if form.next == "scaled::n2::ue8m0":
        form.error("conversions with scale factors ('.scaled') are not supported")
    if form.next in (*narrow.DESTINATIONS, "tf32") or (
        form.instruction.modifiers[-1] in narrow.SOURCES
    ):
        if flags[1] or flags[2]:
            form.error("expected no '.ftz' or '.sat' with a packed type")
        return narrow.convert(form, b, rounding, relu=relu, satfinite=flags[0])
    to, source = form.type(*_INTEGERS, *_FLOATS), form.type(*_INTEGERS, *_FLOATS)
    satfinite, ftz, sat = flags
    _check_limits(form, to, source, limits=relu or satfinite, sat=sat)
    d, x = form.operands(2)
    _check_rounding(form, rounding, to, source)
    if sat and to.is_integer and source.is_integer and _holds(to, source):
        form.error(f"expected no '.sat' where {to} holds every {source} value")
    fn = _conversion(to, source, rounding, sat)
    if b.algebra:
        fn = _exactly(b, fn, to, source, x, rounding, sat=sat, relu=relu)
    else:
        fn = _limited(fn, to, source, form, (satfinite, ftz, relu))
    return _emit(b, fn, d, to, _source(form, b, to, source, x))


def _limited(
    fn: Fn, to: Type, source: Type, form: Form, flags: tuple[bool, bool, bool]
) -> Fn:
    """Adds `.satfinite`, `.ftz` and `.relu`."""
    satfinite, ftz, relu = flags
    if ftz:
        fn = _flushing(fn, to, source, form)
    if relu or satfinite:
        fn = narrow.clamped(fn, to, relu=relu, satfinite=satfinite)
    return fn


def _exactly(
    b: Builder,
    fn: Fn,
    to: Type,
    source: Type,
    operand: Operand,
    rounding: str,
    *,
    sat: bool,
    relu: bool,
) -> Fn:
    """The conversion of elements; those between integers stay."""
    if not _is_float(to):
        if not _is_float(source):
            return fn
        fn = _float_to_integer(to, TYPES["f64"], rounding)
    algebra = exact.algebra_of(b)
    fn = exact.conversion(algebra, to, source, fn, sat=sat, relu=relu, whole=rounding)
    if source.name not in ("f32", "f64"):
        return fn
    return exact.on_elements(b, fn, [operand])


def _source(form: Form, b: Builder, to: Type, source: Type, x: Operand) -> Array:
    """The source, which may be wider than its type or a special register.

    PTX ISA, "Operand Size Exceeding Instruction-Type Size": floating-point registers
    have the size of the type, integer and untyped ones may be wider.
    """
    if isinstance(x, Special) and not to.is_integer:
        form.error(f"expected a register, got {x}; copy it with mov")
    is_untyped = isinstance(x, Register) and x.type.kind == "b"
    return b.src(x, source, wider=source.is_integer or is_untyped)


_PACKED = ("u2", "s2", "u4", "s4", "u8", "s8")


def _pack(form: Form, b: Builder) -> Compiled:
    """cvt.pack: two s32 values saturated and packed, above them the bits of `c`."""
    form.require("sat")
    name = form.choice("u16", "s16", *_PACKED)
    form.require("s32")
    bits = int(name[1:])
    has_rest = name in _PACKED
    if has_rest:
        form.require("b32")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1)
    if name[0] == "u":
        low, high = 0, (1 << bits) - 1
    d, *sources = form.operands(4 if has_rest else 3)
    mask = np.uint32((1 << bits) - 1)

    def fn(x: Array, y: Array, *rest: Array) -> Array:
        upper, lower = (v.clip(low, high).view(np.uint32) & mask for v in (x, y))
        packed = upper << np.uint32(bits) | lower
        for above in rest:
            packed |= above << np.uint32(2 * bits)
        return packed

    kinds = (TYPES["s32"], TYPES["s32"], TYPES["b32"])
    values = [b.src(s, ty) for s, ty in zip(sources, kinds, strict=False)]
    return b.elementwise(fn, b.dst(d, TYPES["b32"]), *values)


def _check_limits(
    form: Form, to: Type, source: Type, *, limits: bool, sat: bool
) -> None:
    if sat and to.name == "bf16":
        form.error("expected no '.sat' to .bf16")
    if limits and (sat or (source.name, to.name) not in _CLAMPED):
        form.error("expected '.relu' and '.satfinite' only from f32 to f16 or bf16")


def _flags(form: Form) -> tuple[bool, bool, bool]:
    satfinite = form.flag("satfinite")
    ftz = form.flag("ftz")
    return satfinite, ftz, form.flag("sat")


def _is_float(ty: Type) -> bool:
    return ty.name in _PRECISION


def _check_rounding(form: Form, rounding: str, to: Type, source: Type) -> None:
    """PTX ISA, cvt: where a rounding modifier must stand and which."""
    if not _is_float(source):
        needed = _MODES if _is_float(to) else ()
    elif not _is_float(to):
        needed = tuple(_TO_INTEGRAL)
    elif _PRECISION[to.name] < _PRECISION[source.name] or (to.name == "bf16") != (
        source.name == "bf16"
    ):
        is_exact = source.name == "bf16" and to.bits > 16
        # Of one size: ptxas takes none as well, and makes of it what it makes of '.rn'.
        needed = () if is_exact else _MODES if to.bits < source.bits else ("", *_MODES)
    elif to == source:
        needed = ("", *_TO_INTEGRAL)
    else:
        needed = ()
    if rounding not in (needed or ("",)):
        wanted = ", ".join(f".{n}" for n in needed if n) or "no rounding modifier"
        got = f"'.{rounding}'" if rounding else "none"
        form.error(f"expected {wanted} from {source} to {to}, got {got}")


def _emit(b: Builder, fn: Fn, d: Operand, to: Type, source: Array) -> Compiled:
    """Makes the step; a wider destination register takes the extended value."""
    bits = d.type.bits if isinstance(d, Register) else 0
    if to.name in _INTEGERS and 64 >= bits > to.bits:
        wide = TYPES[f"{to.kind}{bits}"]

        def extended(x: Array) -> Array:
            return fn(x).astype(wide.dtype)

        return b.elementwise(extended, b.dst(d, wide), source)
    return b.elementwise(fn, b.dst(d, to), source)


def _flushing(fn: Fn, to: Type, source: Type, form: Form) -> Fn:
    if "f32" not in (to.name, source.name):
        form.error("expected '.ftz' only where one type is f32")

    def apply(x: Array) -> Array:
        result = fn(numerics.flush(x) if source.name == "f32" else x)
        return numerics.flush(result) if to.name == "f32" else result

    return apply


def _conversion(to: Type, source: Type, rounding: str, sat: bool) -> Fn:
    if not _is_float(to):
        if not _is_float(source):
            return _integer_to_integer(to, source, sat)
        return _float_to_integer(to, source, rounding)
    if not _is_float(source):
        fn = _integer_to_float(to, source, rounding)
    else:
        fn = _float_to_float(to, source, rounding)
    if not sat:
        return fn
    return lambda x: numerics.saturate(fn(x))


def _integer_to_integer(to: Type, source: Type, sat: bool) -> Fn:
    low, high = (int(v) for v in _limits(to))
    from_low, from_high = (int(v) for v in _limits(source))
    if not sat:
        return lambda x: x.astype(to.dtype)
    bounds = max(low, from_low), min(high, from_high)
    return lambda x: x.clip(*bounds).astype(to.dtype)


def _holds(to: Type, source: Type) -> bool:
    (low, high), (from_low, from_high) = _limits(to), _limits(source)
    return low <= from_low and from_high <= high


def _limits(ty: Type) -> tuple[int, int]:
    info = np.iinfo(ty.dtype)
    return info.min, info.max


def widen(x: Array, ty: Type) -> Array:
    """Returns the values of any float type as exact doubles."""
    if ty.name == "bf16":
        x = numerics.bf16_to_f32(x)
    return x.astype(np.float64)


def _float_to_integer(to: Type, source: Type, rounding: str) -> Fn:
    """Clamps to the range.

    NaN gives 2**(width-1) where the source is f64 or the result has 64 bits, else 0
    (PTX ISA, "Data Movement and Conversion Instructions: cvt").
    """
    round_ = _TO_INTEGRAL[rounding]
    low, high = _limits(to)
    beyond = float(high) + 1.0 if to.bits < 64 else float(2 ** (63 + (to.kind == "u")))
    bits = to.dtype.type
    nan = 1 << (to.bits - 1) if source.name == "f64" or to.bits == 64 else 0
    nan_value = np.array(nan, np.uint64).astype(f"u{to.bytes}").view(to.dtype)

    def apply(x: Array) -> Array:
        value = round_(widen(x, source))
        inside = (value >= float(low)) & (value < beyond)
        result = np.where(inside, value, 0.0).astype(to.dtype)
        result = np.where(value >= beyond, bits(high), result)
        result = np.where(value < float(low), bits(low), result)
        return np.where(value != value, nan_value, result)

    return apply


def _integer_to_float(to: Type, source: Type, mode: str) -> Fn:
    if mode == "rn" and to.name in ("f32", "f64"):
        return lambda x: x.astype(to.dtype)

    def apply(x: Array) -> Array:
        if source.bits < 64:
            return _round(x.astype(np.float64), np.zeros(len(x)), to, mode)
        high = (x >> x.dtype.type(32)).astype(np.float64) * 2.0**32
        low = (x & x.dtype.type(0xFFFFFFFF)).astype(np.float64)
        return _round(*numerics.two_sum(high, low), to, mode)

    return apply


def _round(value: Array, error: Array, to: Type, mode: str) -> Array:
    """Rounds value + error (an exact or nearest double and its rest) to a float."""
    if to.name == "f64":
        return numerics.round_f64(value, error, mode)
    odd = numerics.to_odd(value, error)
    if to.name == "bf16":
        return numerics.f32_to_bf16(numerics.narrow_to_odd(odd), mode)
    return numerics.canonical(numerics.round_to(odd, to.dtype, mode))


def _float_to_float(to: Type, source: Type, rounding: str) -> Fn:
    if rounding in _TO_INTEGRAL:
        return _integral(to, _TO_INTEGRAL[rounding])
    if to == source:
        return lambda x: x.copy()
    if source.name == "bf16" and to.name == "f32":
        return lambda x: numerics.canonical(numerics.bf16_to_f32(x))
    if source.name == "f16" and to.name == "f32":
        return lambda x: numerics.canonical(x.astype(np.float32))
    if (source.name, to.name) in (("f32", "f16"), ("f64", "f32")) and rounding == "rn":
        return lambda x: numerics.canonical(x.astype(to.dtype))
    mode = rounding or "rn"
    return lambda x: _round(widen(x, source), np.zeros(len(x)), to, mode)


def _integral(ty: Type, fn: Fn) -> Fn:
    """Rounds to an integral value of the same type; the sign of zero stays."""
    if ty.name == "bf16":
        return lambda x: numerics.f32_to_bf16(fn(numerics.bf16_to_f32(x)))
    return lambda x: numerics.canonical(np.copysign(fn(x), x))
