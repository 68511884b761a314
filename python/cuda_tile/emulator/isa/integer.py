# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Integer Arithmetic Instructions" and "Extended-Precision Integer ..."."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder, Elementwise
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import TYPES, U32, Array, Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Integer Arithmetic Instructions")

INTEGERS = ("u16", "u32", "u64", "s16", "s32", "s64")
PACKED = ("u16x2", "s16x2")
_WIDE = {16: 32, 32: 64}
_HALF = {"u16x2": np.dtype(np.uint16), "s16x2": np.dtype(np.int16)}


def lanes16(dtype: np.dtype[Any], fn: Elementwise) -> Elementwise:
    """Makes a function on packed pairs from one on 16-bit values."""

    def apply(*values: Array) -> Array:
        pairs = [np.ascontiguousarray(value).view(dtype) for value in values]
        return np.ascontiguousarray(fn(*pairs)).view(np.uint32)

    return apply


def _binary(form: Form, b: Builder, ty: Type, fn: Elementwise) -> Compiled:
    d, x, y = form.operands(3)
    if ty.name in _HALF:
        fn = lanes16(_HALF[ty.name], fn)
    return b.elementwise(fn, b.dst(d, ty), b.src(x, ty), b.src(y, ty))


def _carry(b: Builder) -> Array:
    """The condition-code register's carry, one flag per thread."""
    return b.machine.register(CARRY)


CARRY = Register("CC.CF", TYPES["pred"])


@CHAPTER.instruction("add", *INTEGERS, *PACKED)
def add(form: Form, b: Builder) -> Compiled:
    """Integer add: `add{.sat}`; "Extended-Precision": `add.cc`."""
    if form.flag("cc"):
        return _with_carry(form, b, subtracts=False, reads=False, writes=True)
    if form.flag("sat"):
        return _binary(form, b, form.type("s32"), _saturated(np.add))
    return _binary(form, b, form.type(*INTEGERS, *PACKED), np.add)


@CHAPTER.instruction("sub", *INTEGERS)
def sub(form: Form, b: Builder) -> Compiled:
    """Integer sub: `sub{.sat}`; "Extended-Precision": `sub.cc`."""
    if form.flag("cc"):
        return _with_carry(form, b, subtracts=True, reads=False, writes=True)
    if form.flag("sat"):
        return _binary(form, b, form.type("s32"), _saturated(np.subtract))
    return _binary(form, b, form.type(*INTEGERS), np.subtract)


@CHAPTER.instruction("addc")
def addc(form: Form, b: Builder) -> Compiled:
    """Extended-Precision: addc."""
    writes = form.flag("cc")
    return _with_carry(form, b, subtracts=False, reads=True, writes=writes)


@CHAPTER.instruction("subc")
def subc(form: Form, b: Builder) -> Compiled:
    """Extended-Precision: subc."""
    writes = form.flag("cc")
    return _with_carry(form, b, subtracts=True, reads=True, writes=writes)


def _saturated(fn: Elementwise) -> Elementwise:
    limits = np.iinfo(np.int32)

    def apply(x: Array, y: Array) -> Array:
        wide = fn(x.astype(np.int64), y.astype(np.int64))
        return wide.clip(limits.min, limits.max).astype(np.int32)

    return apply


def _with_carry(
    form: Form, b: Builder, *, subtracts: bool, reads: bool, writes: bool
) -> Compiled:
    """Sum or difference with carry in and out.

    A difference is the sum with the complement of y, whose carry says that nothing was
    borrowed. Where only differences, or only sums, follow each other this cannot be
    told from the ISA's words ("borrow-out written to CC.CF"); nvcc's division of
    128-bit integers reads the flag of sub.cc with addc, and is right this way only.
    """
    ty = form.type("u32", "s32", "u64", "s64", "b32", "b64")
    word = TYPES[f"u{ty.bits}"]
    d, x, y = form.operands(3)
    dst, first, second = b.dst(d, word), b.src(x, word), b.src(y, word)
    flags = _carry(b)

    def run(lanes: Lanes) -> None:
        index = lanes.index
        p, q = first[index], second[index]
        if subtracts:
            q = ~q
        carry_in = word.dtype.type(subtracts)
        if reads:
            carry_in = flags[index].astype(word.dtype)
        partial = p + q
        total = partial + carry_in
        out = (partial < p) | (total < partial)
        dst[index] = total
        if writes:
            flags[index] = out

    return b.step(run)


def high_product(x: Array, y: Array) -> Array:
    """Returns the upper half of the product of 16-, 32- or 64-bit integers."""
    bits = x.dtype.itemsize * 8
    if bits < 64:
        wide = np.dtype(f"{x.dtype.kind}{bits // 4}")
        product = x.astype(wide) * y.astype(wide)
        return (product >> wide.type(bits)).astype(x.dtype)
    ux, uy = x.view(np.uint64), y.view(np.uint64)
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    x0, x1, y0, y1 = ux & mask, ux >> half, uy & mask, uy >> half
    middle = x1 * y0 + ((x0 * y0) >> half)
    other = x0 * y1 + (middle & mask)
    high = x1 * y1 + (middle >> half) + (other >> half)
    if x.dtype.kind == "i":
        high = high - np.where(x < 0, uy, 0) - np.where(y < 0, ux, 0)
        return high.view(np.int64)
    return high


def _wide_product(x: Array, y: Array) -> Array:
    wide = np.dtype(f"{x.dtype.kind}{x.dtype.itemsize * 2}")
    return np.multiply(x, y, dtype=wide)


@CHAPTER.instruction("mul", *INTEGERS)
def mul(form: Form, b: Builder) -> Compiled:
    """Integer mul: `.lo`, `.hi`, `.wide`."""
    part = form.choice("lo", "hi", "wide")
    if part == "wide":
        ty = form.type("u16", "u32", "s16", "s32")
        d, x, y = form.operands(3)
        wide = TYPES[f"{ty.kind}{_WIDE[ty.bits]}"]
        sources = b.src(x, ty), b.src(y, ty)
        return b.elementwise(_wide_product, b.dst(d, wide), *sources)
    ty = form.type(*INTEGERS)
    return _binary(form, b, ty, np.multiply if part == "lo" else high_product)


@CHAPTER.instruction("mad", *INTEGERS)
def mad(form: Form, b: Builder) -> Compiled:
    """Integer mad: `.lo`, `.hi`, `.wide`; `mad.hi.sat`; `mad{.lo,.hi}.cc`."""
    part = form.choice("lo", "hi", "wide")
    if form.flag("cc"):
        return _mad_carry(form, b, part, reads=False, writes=True)
    is_saturated = part == "hi" and form.flag("sat")
    ty = form.type("s32") if is_saturated else form.type(*INTEGERS)
    if part == "wide" and ty.bits == 64:
        form.error("expected a 16- or 32-bit type, got .wide of 64 bits")
    d, x, y, z = form.operands(4)
    wide = TYPES[f"{ty.kind}{_WIDE[ty.bits]}"] if part == "wide" else ty
    product = {"lo": np.multiply, "hi": high_product, "wide": _wide_product}[part]
    total = _saturated(np.add) if is_saturated else np.add

    def fn(p: Array, q: Array, r: Array) -> Array:
        return total(product(p, q), r)

    sources = b.src(x, ty), b.src(y, ty), b.src(z, wide)
    return b.elementwise(fn, b.dst(d, wide), *sources)


@CHAPTER.instruction("madc")
def madc(form: Form, b: Builder) -> Compiled:
    """Extended-Precision: madc."""
    part = form.choice("lo", "hi")
    return _mad_carry(form, b, part, reads=True, writes=form.flag("cc"))


def _mad_carry(
    form: Form, b: Builder, part: str, *, reads: bool, writes: bool
) -> Compiled:
    ty = form.type("u32", "s32", "u64", "s64")
    product = np.multiply if part == "lo" else high_product
    d, x, y, z = form.operands(4)
    dst, addend = b.dst(d, ty), b.src(z, ty)
    first, second, flags = b.src(x, ty), b.src(y, ty), _carry(b)
    word = np.dtype(f"uint{ty.bits}")

    def run(lanes: Lanes) -> None:
        index = lanes.index
        p = np.ascontiguousarray(product(first[index], second[index])).view(word)
        partial = p + addend[index].view(word)
        total = partial + (flags[index].astype(word) if reads else word.type(0))
        dst[index] = total.view(ty.dtype)
        if writes:
            flags[index] = (partial < p) | (total < partial)

    return b.step(run)


@CHAPTER.instruction("mul24")
def mul24(form: Form, b: Builder) -> Compiled:
    """Integer mul24: product of 24-bit values, its low or high 32 bits of 48."""
    part = form.choice("lo", "hi")
    ty = form.type("u32", "s32")
    shift = 0 if part == "lo" else 16

    def fn(x: Array, y: Array) -> Array:
        wide = _wide_product(_low24(x), _low24(y))
        return (wide >> shift).astype(ty.dtype)

    return _binary(form, b, ty, fn)


def _low24(x: Array) -> Array:
    """Sign- or zero-extends the low 24 bits."""
    return (x << 8) >> 8


@CHAPTER.instruction("mad24")
def mad24(form: Form, b: Builder) -> Compiled:
    """Integer mad24."""
    part = form.choice("lo", "hi")
    is_saturated = part == "hi" and form.flag("sat")
    ty = form.type("s32") if is_saturated else form.type("u32", "s32")
    total = _saturated(np.add) if is_saturated else np.add

    def fn(x: Array, y: Array, z: Array) -> Array:
        wide = _wide_product(_low24(x), _low24(y))
        return total((wide >> (0 if part == "lo" else 16)).astype(ty.dtype), z)

    d, x, y, z = form.operands(4)
    return b.elementwise(fn, b.dst(d, ty), *(b.src(s, ty) for s in (x, y, z)))


@CHAPTER.instruction("sad")
def sad(form: Form, b: Builder) -> Compiled:
    """Integer sad: sum of absolute difference, `c + |a - b|`."""
    ty = form.type(*INTEGERS)
    d, x, y, z = form.operands(4)

    def fn(p: Array, q: Array, r: Array) -> Array:
        return r + np.where(p > q, p - q, q - p)

    return b.elementwise(fn, b.dst(d, ty), *(b.src(s, ty) for s in (x, y, z)))


def divide(x: Array, y: Array) -> Array:
    """Divides integers towards zero; by zero gives all ones (unspecified by PTX)."""
    if x.dtype.kind == "u":
        quotient = x // y
    else:
        word = np.dtype(f"uint{x.dtype.itemsize * 8}")
        size = np.abs(x).view(word) // np.abs(y).view(word)
        signed = size.view(x.dtype)
        quotient = np.where((x < 0) != (y < 0), -signed, signed)
    zero = y == 0
    if np.count_nonzero(zero):
        quotient = np.where(zero, ~x.dtype.type(0), quotient)
    return quotient


def remainder(x: Array, y: Array) -> Array:
    """Remainder of `divide`; by zero gives the dividend (unspecified by PTX)."""
    rest = np.fmod(x, y)
    zero = y == 0
    return np.where(zero, x, rest) if np.count_nonzero(zero) else rest


@CHAPTER.instruction("div", *INTEGERS)
def div(form: Form, b: Builder) -> Compiled:
    """Integer div: rounds towards zero."""
    return _binary(form, b, form.type(*INTEGERS), divide)


@CHAPTER.instruction("rem")
def rem(form: Form, b: Builder) -> Compiled:
    """Integer rem."""
    return _binary(form, b, form.type(*INTEGERS), remainder)


@CHAPTER.instruction("abs", "s16", "s32", "s64")
def abs_(form: Form, b: Builder) -> Compiled:
    """Integer abs: the most negative value stays."""
    ty = form.type("s16", "s32", "s64")
    d, x = form.operands(2)
    return b.elementwise(np.absolute, b.dst(d, ty), b.src(x, ty))


@CHAPTER.instruction("neg", "s16", "s32", "s64")
def neg(form: Form, b: Builder) -> Compiled:
    """Integer neg."""
    ty = form.type("s16", "s32", "s64")
    d, x = form.operands(2)
    return b.elementwise(np.negative, b.dst(d, ty), b.src(x, ty))


def _min_max(form: Form, b: Builder, fn: Elementwise) -> Compiled:
    is_relu = form.flag("relu")
    names = ("s32", "s16x2") if is_relu else (*INTEGERS, *PACKED)
    ty = form.type(*names)
    if not is_relu:
        return _binary(form, b, ty, fn)

    def clamped(x: Array, y: Array) -> Array:
        return np.maximum(fn(x, y), 0)

    return _binary(form, b, ty, clamped)


@CHAPTER.instruction("min", *INTEGERS, *PACKED)
def min_(form: Form, b: Builder) -> Compiled:
    """Integer min."""
    return _min_max(form, b, np.minimum)


@CHAPTER.instruction("max", *INTEGERS, *PACKED)
def max_(form: Form, b: Builder) -> Compiled:
    """Integer max."""
    return _min_max(form, b, np.maximum)


@CHAPTER.instruction("dp4a")
def dp4a(form: Form, b: Builder) -> Compiled:
    """Integer dp4a: four-way byte dot product with 32-bit accumulate."""
    first, second = form.type("u32", "s32"), form.type("u32", "s32")
    d, x, y, z = form.operands(4)
    ty = TYPES["u32" if first.kind == second.kind == "u" else "s32"]

    def fn(p: Array, q: Array, r: Array) -> Array:
        left = p.view(f"{first.dtype.kind}1").reshape(-1, 4).astype(np.int32)
        right = q.view(f"{second.dtype.kind}1").reshape(-1, 4).astype(np.int32)
        return (left * right).sum(axis=1, dtype=np.int32).view(ty.dtype) + r

    sources = b.src(x, U32), b.src(y, U32), b.src(z, ty)
    return b.elementwise(_contiguous(fn), b.dst(d, ty), *sources)


def _contiguous(fn: Elementwise) -> Elementwise:
    def apply(*values: Array) -> Array:
        return fn(*(np.ascontiguousarray(value) for value in values))

    return apply


@CHAPTER.instruction("dp2a")
def dp2a(form: Form, b: Builder) -> Compiled:
    """Integer dp2a: two 16-bit by two low or high 8-bit values, accumulated."""
    part = form.choice("lo", "hi")
    first, second = form.type("u32", "s32"), form.type("u32", "s32")
    d, x, y, z = form.operands(4)
    ty = TYPES["u32" if first.kind == second.kind == "u" else "s32"]
    start = 0 if part == "lo" else 2

    def fn(p: Array, q: Array, r: Array) -> Array:
        left = p.view(f"{first.dtype.kind}2").reshape(-1, 2).astype(np.int32)
        right = q.view(f"{second.dtype.kind}1").reshape(-1, 4)[:, start : start + 2]
        dot = (left * right.astype(np.int32)).sum(axis=1, dtype=np.int32)
        return dot.view(ty.dtype) + r

    sources = b.src(x, U32), b.src(y, U32), b.src(z, ty)
    return b.elementwise(_contiguous(fn), b.dst(d, ty), *sources)
