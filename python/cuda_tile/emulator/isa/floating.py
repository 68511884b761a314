# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Floating-Point Instructions" (single and double precision).

Results that the ISA defines exactly are exact: every rounding mode, `.ftz`, `.sat`,
the canonical NaN of single precision. Approximations are computed in double precision
and rounded once, so they lie within every bound the ISA states; `.approx` divisions
keep the stated result 0 for divisors from 2**126.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.ptx.types import PRED, TYPES, Array, Type

CHAPTER = Chapter("Floating-Point Instructions")

FLOATS = ("f32", "f64")
MODES = ("rn", "rz", "rm", "rp")
Fn = Callable[..., Array]


def finish(fn: Fn, ty: Type, *, ftz: bool = False, sat: bool = False) -> Fn:
    """Adds `.ftz`, `.sat` and the canonical NaN to a function of one type."""
    if ty.name != "f32":
        return (lambda *v: numerics.saturate(fn(*v))) if sat else fn
    if not ftz and not sat:
        return lambda *v: numerics.canonical(fn(*v))

    def apply(*values: Array) -> Array:
        if ftz:
            values = tuple(numerics.flush(value) for value in values)
        result = fn(*values)
        if ftz:
            result = numerics.flush(result)
        return numerics.saturate(result) if sat else numerics.canonical(result)

    return apply


def _emit(
    form: Form,
    b: Builder,
    operands: tuple[Operand, ...],
    ty: Type,
    fn: Fn,
    flags: tuple[bool, bool] = (False, False),
) -> Compiled:
    if b.algebra:
        fn = exact.function(b.algebra, form.instruction.opcode, fn)
        fn = exact.limited(b.algebra, fn, sat=flags[1])
        fn = exact.on_elements(b, fn, operands[1:])
    else:
        fn = finish(fn, ty, ftz=flags[0], sat=flags[1])
    d, *sources = operands
    return b.elementwise(fn, b.dst(d, ty), *(b.src(s, ty) for s in sources))


def _mode_flags(form: Form) -> tuple[str, bool, bool]:
    return form.option(*MODES) or "rn", form.flag("ftz"), form.flag("sat")


def _checked_type(form: Form, ftz: bool, sat: bool) -> Type:
    """Takes the type; `.ftz` and `.sat` exist for f32 only."""
    return form.type("f32") if ftz or sat else form.type(*FLOATS)


def sum_in_mode(mode: str, ty: Type, fn: Fn, sign: float) -> Fn:
    """Makes x + sign * y of one type in a rounding mode; `fn` does it to nearest."""
    if mode == "rn":
        return fn

    def single(x: Array, y: Array) -> Array:
        return numerics.add_f32(x, y * np.float32(sign), mode)

    def double(x: Array, y: Array) -> Array:
        return numerics.fma_f64(x, np.ones_like(x), y * sign, mode)

    return single if ty.name == "f32" else double


def _emit_mixed(
    form: Form, b: Builder, count: int, ty: Type, fn: Fn, flags: tuple[bool, bool]
) -> Compiled:
    """Like `_emit`; the sources before the last may be f16 or bf16, widened first.

    PTX ISA: "Mixed Precision Floating-Point Instructions".
    """
    ftz, sat = flags
    half = form.option("f16", "bf16") if ty.name == "f32" and not ftz else ""
    d, *sources = form.operands(count)
    if not half:
        return _emit(form, b, (d, *sources), ty, fn, flags)
    narrow, widen = TYPES[half], _widen
    if b.algebra:
        widen = partial(exact.halves, b.algebra)
        fn = exact.function(b.algebra, form.instruction.opcode, fn)
        fn = exact.limited(b.algebra, fn, sat=sat)
    else:
        fn = finish(fn, ty, sat=sat)

    def widened(*values: Array) -> Array:
        singles = [widen(value, half) for value in values[:-1]]
        last = b.algebra.from_bits(values[-1]) if b.algebra else values[-1]
        return fn(*singles, last)

    halves = [b.src(source, narrow) for source in sources[:-1]]
    return b.elementwise(widened, b.dst(d, ty), *halves, b.src(sources[-1], ty))


def _widen(values: Array, name: str) -> Array:
    if name == "bf16":
        return numerics.bf16_to_f32(values)
    return values.astype(np.float32)


@CHAPTER.instruction("add", *FLOATS)
def add(form: Form, b: Builder) -> Compiled:
    """Floating-Point add."""
    mode, ftz, sat = _mode_flags(form)
    ty = _checked_type(form, ftz, sat)
    fn = sum_in_mode(mode, ty, np.add, 1.0)
    return _emit_mixed(form, b, 3, ty, fn, (ftz, sat))


@CHAPTER.instruction("sub", *FLOATS)
def sub(form: Form, b: Builder) -> Compiled:
    """Floating-Point sub."""
    mode, ftz, sat = _mode_flags(form)
    ty = _checked_type(form, ftz, sat)
    fn = sum_in_mode(mode, ty, np.subtract, -1.0)
    return _emit_mixed(form, b, 3, ty, fn, (ftz, sat))


@CHAPTER.instruction("mul", *FLOATS)
def mul(form: Form, b: Builder) -> Compiled:
    """Floating-Point mul."""
    mode, ftz, sat = _mode_flags(form)
    ty = _checked_type(form, ftz, sat)
    fn = product_in_mode(mode, ty)
    return _emit(form, b, form.operands(3), ty, fn, (ftz, sat))


def product_in_mode(mode: str, ty: Type) -> Fn:
    """Makes the product of one type in a rounding mode."""
    if mode == "rn":
        return np.multiply

    def single(x: Array, y: Array) -> Array:
        return numerics.mul_f32(x, y, mode)

    def double(x: Array, y: Array) -> Array:
        zero = np.where(np.signbit(x) == np.signbit(y), 0.0, -0.0)
        return numerics.fma_f64(x, y, zero, mode)

    return single if ty.name == "f32" else double


def _fused(form: Form, b: Builder) -> Compiled:
    mode = form.choice(*MODES)
    ftz, sat = form.flag("ftz"), form.flag("sat")
    ty = _checked_type(form, ftz, sat)
    fma = numerics.fma_f32 if ty.name == "f32" else numerics.fma_f64

    def fn(x: Array, y: Array, z: Array) -> Array:
        return fma(x, y, z, mode)

    return _emit_mixed(form, b, 4, ty, fn, (ftz, sat))


@CHAPTER.instruction("fma", *FLOATS)
def fma(form: Form, b: Builder) -> Compiled:
    """Floating-Point fma: rounded once."""
    return _fused(form, b)


@CHAPTER.instruction("mad", *FLOATS)
def mad(form: Form, b: Builder) -> Compiled:
    """Floating-Point mad: the same as fma from sm_20 on."""
    return _fused(form, b)


@CHAPTER.instruction("div", *FLOATS)
def div(form: Form, b: Builder) -> Compiled:
    """Floating-Point div: `.approx`, `.full`, or a rounding mode."""
    kind = form.choice("approx", "full", *MODES)
    ftz = form.flag("ftz")
    ty = form.type("f32") if ftz or kind in ("approx", "full") else form.type(*FLOATS)
    if kind == "approx":
        return _emit(form, b, form.operands(3), ty, _approximate_div, (ftz, False))
    mode = "rn" if kind == "full" else kind

    def fn(x: Array, y: Array) -> Array:
        return numerics.quotient(x, y, mode)

    return _emit(form, b, form.operands(3), ty, fn, (ftz, False))


def _approximate_div(x: Array, y: Array) -> Array:
    """A * (1/b): 0 (NaN for infinite a) where 2**126 < |b| < 2**128."""
    large = (np.abs(y) > np.float32(2.0**126)) & np.isfinite(y)
    return np.where(large, x * np.float32(0) * np.sign(y), x / y)


@CHAPTER.instruction("abs", *FLOATS)
def abs_(form: Form, b: Builder) -> Compiled:
    """Floating-Point abs."""
    ftz = form.flag("ftz")
    ty = _checked_type(form, ftz, False)
    return _emit(form, b, form.operands(2), ty, np.absolute, (ftz, False))


@CHAPTER.instruction("neg", *FLOATS)
def neg(form: Form, b: Builder) -> Compiled:
    """Floating-Point neg."""
    ftz = form.flag("ftz")
    ty = _checked_type(form, ftz, False)
    d, x = form.operands(2)
    if ftz or b.algebra:
        return _emit(form, b, (d, x), ty, np.negative, (ftz, False))
    return b.elementwise(np.negative, b.dst(d, ty), b.src(x, ty))


def extreme(*, is_max: bool, nan: bool, xorsign: bool) -> Fn:
    """Makes min or max: -0 < +0; one NaN gives the other operand, or NaN (`.NaN`).

    `.xorsign.abs` compares magnitudes and gives the product of the signs.
    """

    def fn(x: Array, y: Array) -> Array:
        sign = None
        if xorsign:
            sign = np.signbit(x) ^ np.signbit(y)
            x, y = np.abs(x), np.abs(y)
        # fmax and fmin of NumPy may give NaN for a signalling one and a number.
        result = (np.maximum if is_max else np.minimum)(x, y)
        result = np.where(x != x, y, np.where(y != y, x, result))
        equal = x == y
        if np.count_nonzero(equal):
            bits = np.dtype(f"u{x.dtype.itemsize}")
            first, second = (np.ascontiguousarray(v).view(bits) for v in (x, y))
            both = first & second if is_max else first | second
            result = np.where(equal, both.view(x.dtype), result)
        if nan:
            result = np.where((x != x) | (y != y), x.dtype.type(np.nan), result)
        if sign is not None:
            result = np.where(sign, -result, result)
        return numerics.canonical(result)

    return fn


def _extreme(form: Form, b: Builder, *, is_max: bool) -> Compiled:
    ftz, nan = form.flag("ftz"), form.flag("NaN")
    xorsign = form.flag("xorsign")
    is_abs = form.flag("abs")
    if xorsign and not is_abs:
        form.fail("'.abs'")
    single = ftz or nan or is_abs
    ty = form.type("f32") if single else form.type(*FLOATS)
    if b.algebra and is_abs:
        exact.refuse(form, "extremes of magnitudes")
    two = extreme(is_max=is_max, nan=nan, xorsign=xorsign)
    # PTX ISA, min and max: `.abs` alone is for three sources, `.xorsign.abs` for two.
    least = 4 if is_abs and not xorsign else 3
    operands = form.some_operands(least, 3 if xorsign or ty.name == "f64" else 4)

    def three(x: Array, y: Array, z: Array) -> Array:
        if is_abs:
            x, y, z = np.abs(x), np.abs(y), np.abs(z)
        return two(two(x, y), z)

    fn = three if len(operands) == 4 else two
    return _emit(form, b, operands, ty, fn, (ftz, False))


@CHAPTER.instruction("min", *FLOATS)
def min_(form: Form, b: Builder) -> Compiled:
    """Floating-Point min."""
    return _extreme(form, b, is_max=False)


@CHAPTER.instruction("max", *FLOATS)
def max_(form: Form, b: Builder) -> Compiled:
    """Floating-Point max."""
    return _extreme(form, b, is_max=True)


@CHAPTER.instruction("rcp")
def rcp(form: Form, b: Builder) -> Compiled:
    """Floating-Point rcp; `rcp.approx.ftz.f64` keeps the upper 32 bits."""
    kind = form.choice("approx", *MODES)
    ftz = form.flag("ftz")
    ty = form.type(*FLOATS) if kind == "approx" or not ftz else form.type("f32")
    if ty.name == "f64" and kind == "approx":
        if not ftz:
            form.error("expected '.ftz' after '.approx' for f64")
        return _emit(form, b, form.operands(2), ty, _upper_half(_inverse))
    mode = "rn" if kind == "approx" else kind

    def fn(x: Array) -> Array:
        return numerics.quotient(np.ones_like(x), x, mode)

    return _emit(form, b, form.operands(2), ty, fn, (ftz, False))


def _inverse(x: Array) -> Array:
    return 1.0 / x


def _upper_half(fn: Fn) -> Fn:
    """Flushes subnormals and clears the lower 32 bits of double results."""

    def apply(x: Array) -> Array:
        tiny = np.abs(x) < 2.0**-1022
        result = fn(np.where(tiny, np.copysign(0.0, x), x))
        return (result.view(np.uint64) & np.uint64(0xFFFFFFFF00000000)).view(x.dtype)

    return apply


@CHAPTER.instruction("sqrt")
def sqrt(form: Form, b: Builder) -> Compiled:
    """Floating-Point sqrt."""
    kind = form.choice("approx", *MODES)
    ftz = form.flag("ftz")
    ty = form.type("f32") if ftz or kind == "approx" else form.type(*FLOATS)
    mode = "rn" if kind == "approx" else kind

    def fn(x: Array) -> Array:
        return numerics.square_root(x, mode)

    return _emit(form, b, form.operands(2), ty, fn, (ftz, False))


def _approximate(form: Form, b: Builder, fn: Fn) -> Compiled:
    """`.approx{.ftz}.f32` of a function computed in double precision."""
    form.require("approx")
    ftz = form.flag("ftz")
    ty = form.type("f32")
    fn = numerics.via_double(fn)
    return _emit(form, b, form.operands(2), ty, fn, (ftz, False))


def _rsqrt(x: Array) -> Array:
    return (1 / np.sqrt(x.astype(np.longdouble))).astype(np.float64)


@CHAPTER.instruction("rsqrt")
def rsqrt(form: Form, b: Builder) -> Compiled:
    """Floating-Point rsqrt; `rsqrt.approx.ftz.f64` keeps the upper 32 bits."""
    form.require("approx")
    ftz = form.flag("ftz")
    ty = form.type(*FLOATS)
    if ty.name == "f64":
        fn = _upper_half(_rsqrt) if ftz else _rsqrt
        return _emit(form, b, form.operands(2), ty, fn)
    fn = numerics.via_double(_rsqrt)
    return _emit(form, b, form.operands(2), ty, fn, (ftz, False))


@CHAPTER.instruction("sin")
def sin(form: Form, b: Builder) -> Compiled:
    """Floating-Point sin."""
    return _approximate(form, b, np.sin)


@CHAPTER.instruction("cos")
def cos(form: Form, b: Builder) -> Compiled:
    """Floating-Point cos."""
    return _approximate(form, b, np.cos)


@CHAPTER.instruction("lg2")
def lg2(form: Form, b: Builder) -> Compiled:
    """Floating-Point lg2."""
    return _approximate(form, b, np.log2)


@CHAPTER.instruction("ex2", "f32")
def ex2(form: Form, b: Builder) -> Compiled:
    """Floating-Point ex2."""
    return _approximate(form, b, np.exp2)


@CHAPTER.instruction("tanh", "f32")
def tanh(form: Form, b: Builder) -> Compiled:
    """Floating-Point tanh."""
    form.require("approx")
    ty = form.type("f32")
    return _emit(form, b, form.operands(2), ty, numerics.via_double(np.tanh))


@CHAPTER.instruction("copysign")
def copysign(form: Form, b: Builder) -> Compiled:
    """Floating-Point copysign: the sign of `a` with the magnitude of `b`."""
    exact.only_in_ring(form, b)
    ty = form.type(*FLOATS)
    d, x, y = form.operands(3)

    def fn(sign: Array, size: Array) -> Array:
        return np.copysign(size, sign)

    return b.elementwise(fn, b.dst(d, ty), b.src(x, ty), b.src(y, ty))


def _is_subnormal(x: Array) -> Array:
    return (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny)


def _is_normal(x: Array) -> Array:
    return np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny)


def _is_number(x: Array) -> Array:
    return x == x


_TESTS: dict[str, Fn] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": _is_number,
    "notanumber": np.isnan,
    "normal": _is_normal,
    "subnormal": _is_subnormal,
}


@CHAPTER.instruction("testp")
def testp(form: Form, b: Builder) -> Compiled:
    """Floating-Point testp: tests a property."""
    exact.only_in_ring(form, b)
    test = form.choice(*_TESTS)
    ty = form.type(*FLOATS)
    p, x = form.operands(2)
    return b.elementwise(_TESTS[test], b.dst(p, PRED), b.src(x, ty))
