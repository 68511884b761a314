# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Half Precision Floating-Point Instructions": f16, bf16 and packed pairs.

Every result is the exact one rounded once to nearest. Halves are computed in the next
wider type, which is wide enough for that except for fma (see `numerics.fma_f16`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.isa import exact, numerics
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.floating import extreme
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import Array, Type
from cuda_tile.exact.algebra import RING

CHAPTER = Chapter("Half Precision Floating-Point Instructions")

IEEE = ("f16", "f16x2")
BRAIN = ("bf16", "bf16x2")
HALVES = (*IEEE, *BRAIN)
Fn = Callable[..., Array]

_TINY16 = np.float16(2.0**-14)


def _flush16(x: Array) -> Array:
    return x * (np.abs(x) >= _TINY16)


def on_halves(ty: Type, ieee: Fn, brain: Fn) -> Fn:
    """Makes a function on f16 or bf16 registers, packed or not.

    Args:
        ty: The instruction's type.
        ieee: The function on float16 arrays.
        brain: The function on bfloat16 bits (uint16 arrays).
    """
    is_brain = ty.name.startswith("bf16")
    fn = brain if is_brain else ieee
    element = np.dtype(np.uint16 if is_brain else np.float16)

    def apply(*values: Array) -> Array:
        halves = [np.ascontiguousarray(value).view(element) for value in values]
        return np.ascontiguousarray(fn(*halves)).view(values[0].dtype)

    return apply


def _finished(fn: Fn, *, ftz: bool, sat: bool, relu: bool = False) -> Fn:
    """Adds `.ftz`, `.sat`, `.relu` and the canonical NaN to a float16 function."""

    def apply(*values: Array) -> Array:
        if ftz:
            values = tuple(_flush16(value) for value in values)
        result = fn(*values)
        if ftz:
            result = _flush16(result)
        if sat:
            return numerics.saturate(result)
        result = numerics.canonical(result)
        return np.where(result < 0, np.float16(0), result) if relu else result

    return apply


def _brain_relu(fn: Fn, *, relu: bool) -> Fn:
    if not relu:
        return fn

    def apply(*values: Array) -> Array:
        bits = fn(*values)
        negative = numerics.bf16_to_f32(bits) < 0
        return np.where(negative, np.uint16(0), bits)

    return apply


def _via_single(fn: Fn) -> Fn:
    """Makes a bfloat16 function of a single-precision one, rounded once more.

    Right for one sum or product of bfloat16 values: f32 has more than twice the bits.
    """

    def apply(*values: Array) -> Array:
        return numerics.f32_to_bf16(fn(*(numerics.bf16_to_f32(v) for v in values)))

    return apply


def _binary(form: Form, b: Builder, fn: Fn) -> Compiled:
    form.flag("rn")
    ftz, sat = form.flag("ftz"), form.flag("sat")
    ty = form.type(*(IEEE if ftz or sat else HALVES))
    d, x, y = form.operands(3)
    if b.algebra:
        opcode = form.instruction.opcode
        both = exact.on_halves(b.algebra, ty, opcode, fn, sat=sat, relu=False)
    else:
        both = on_halves(ty, _finished(fn, ftz=ftz, sat=sat), _via_single(fn))
    return b.elementwise(both, b.dst(d, ty), b.src(x, ty), b.src(y, ty))


@CHAPTER.instruction("add", *HALVES)
def add(form: Form, b: Builder) -> Compiled:
    """Half Precision add."""
    return _binary(form, b, np.add)


@CHAPTER.instruction("sub", *HALVES)
def sub(form: Form, b: Builder) -> Compiled:
    """Half Precision sub."""
    return _binary(form, b, np.subtract)


@CHAPTER.instruction("mul", *HALVES)
def mul(form: Form, b: Builder) -> Compiled:
    """Half Precision mul."""
    return _binary(form, b, np.multiply)


@CHAPTER.instruction("fma", *HALVES)
def fma(form: Form, b: Builder) -> Compiled:
    """Half Precision fma."""
    form.require("rn")
    if form.next == "oob":
        form.error("'.oob' is not supported; the ISA does not say which NaN it means")
    ftz = form.flag("ftz")
    sat = form.flag("sat")
    relu = not sat and form.flag("relu")
    ty = form.type(*(IEEE if ftz or sat else HALVES))
    d, *sources = form.operands(4)
    if b.algebra:
        fn = exact.on_halves(b.algebra, ty, "fma", numerics.fma_f16, sat=sat, relu=relu)
    else:
        ieee = _finished(numerics.fma_f16, ftz=ftz, sat=sat, relu=relu)
        fn = on_halves(ty, ieee, _brain_relu(numerics.fma_bf16, relu=relu))
    return b.elementwise(fn, b.dst(d, ty), *(b.src(s, ty) for s in sources))


def _flip_sign(bits: Array) -> Array:
    return bits ^ np.uint16(0x8000)


def _clear_sign(bits: Array) -> Array:
    return bits & np.uint16(0x7FFF)


def _sign_bits(form: Form, b: Builder, fn: Fn) -> Compiled:
    ftz = form.flag("ftz")
    ty = form.type(*(IEEE if ftz else HALVES))
    d, x = form.operands(2)
    if b.algebra and b.algebra is not RING:  # whose codes have a sign as floats have
        opcode = form.instruction.opcode
        both = exact.on_halves(b.algebra, ty, opcode, fn, sat=False, relu=False)
        return b.elementwise(both, b.dst(d, ty), b.src(x, ty))

    def ieee(v: Array) -> Array:
        v = _flush16(v) if ftz else v
        return fn(v.view(np.uint16)).view(np.float16)

    return b.elementwise(on_halves(ty, ieee, fn), b.dst(d, ty), b.src(x, ty))


@CHAPTER.instruction("neg", *HALVES)
def neg(form: Form, b: Builder) -> Compiled:
    """Half Precision neg."""
    return _sign_bits(form, b, _flip_sign)


@CHAPTER.instruction("abs", *HALVES)
def abs_(form: Form, b: Builder) -> Compiled:
    """Half Precision abs."""
    return _sign_bits(form, b, _clear_sign)


def _extreme(form: Form, b: Builder, *, is_max: bool) -> Compiled:
    ftz, nan = form.flag("ftz"), form.flag("NaN")
    xorsign = form.flag("xorsign")
    if xorsign:
        form.require("abs")
    ty = form.type(*(IEEE if ftz else HALVES))
    d, x, y = form.operands(3)
    fn = extreme(is_max=is_max, nan=nan, xorsign=xorsign)
    if b.algebra:
        if xorsign:
            exact.refuse(form, "products of signs")
        opcode = form.instruction.opcode
        both = exact.on_halves(b.algebra, ty, opcode, fn, sat=False, relu=False)
    else:
        both = on_halves(ty, _finished(fn, ftz=ftz, sat=False), _via_single(fn))
    return b.elementwise(both, b.dst(d, ty), b.src(x, ty), b.src(y, ty))


@CHAPTER.instruction("min", *HALVES)
def min_(form: Form, b: Builder) -> Compiled:
    """Half Precision min."""
    return _extreme(form, b, is_max=False)


@CHAPTER.instruction("max", *HALVES)
def max_(form: Form, b: Builder) -> Compiled:
    """Half Precision max."""
    return _extreme(form, b, is_max=True)


def _function(form: Form, b: Builder, ty: Type, fn: Fn, *, ftz: bool) -> Compiled:
    def brain(bits: Array) -> Array:
        x = numerics.bf16_to_f32(bits)
        x = numerics.flush(x) if ftz else x
        wide = numerics.narrow_to_odd(fn(x.astype(np.float64)))
        return numerics.f32_to_bf16(numerics.flush(wide) if ftz else wide)

    def ieee(x: Array) -> Array:
        return numerics.canonical(fn(x.astype(np.float64)).astype(np.float16))

    d, x = form.operands(2)
    if b.algebra:
        opcode = form.instruction.opcode
        both = exact.on_halves(b.algebra, ty, opcode, fn, sat=False, relu=False)
    else:
        both = on_halves(ty, ieee, brain)
    return b.elementwise(both, b.dst(d, ty), b.src(x, ty))


@CHAPTER.instruction("ex2", *HALVES)
def ex2(form: Form, b: Builder) -> Compiled:
    """Half Precision ex2; bf16 only with `.ftz`."""
    form.require("approx")
    ftz = form.flag("ftz")
    ty = form.type(*(BRAIN if ftz else IEEE))
    return _function(form, b, ty, np.exp2, ftz=ftz)


@CHAPTER.instruction("tanh", *HALVES)
def tanh(form: Form, b: Builder) -> Compiled:
    """Half Precision tanh."""
    form.require("approx")
    return _function(form, b, form.type(*HALVES), np.tanh, ftz=False)
