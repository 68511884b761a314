# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Logic and Shift Instructions", and bit fields of the integer chapter."""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.isa import exact
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.machine.build import Builder, Elementwise
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Operand
from cuda_tile.emulator.ptx.types import B32, TYPES, U32, Array, Type
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Logic and Shift Instructions")

_BITS = ("b16", "b32", "b64")


def _logic(form: Form, b: Builder, natural: Elementwise) -> Compiled:
    ty = form.type("pred", *_BITS)
    d, x, y = form.operands(3)
    fn = exact.of_sign(b, ty, y, natural)
    return b.elementwise(fn, b.dst(d, ty), b.src(x, ty), b.src(y, ty))


@CHAPTER.instruction("and")
def and_(form: Form, b: Builder) -> Compiled:
    """Logic: and."""
    return _logic(form, b, np.bitwise_and)


@CHAPTER.instruction("or")
def or_(form: Form, b: Builder) -> Compiled:
    """Logic: or."""
    return _logic(form, b, np.bitwise_or)


@CHAPTER.instruction("xor")
def xor(form: Form, b: Builder) -> Compiled:
    """Logic: xor."""
    return _logic(form, b, np.bitwise_xor)


@CHAPTER.instruction("not")
def not_(form: Form, b: Builder) -> Compiled:
    """Logic: not."""
    ty = form.type("pred", *_BITS)
    d, x = form.operands(2)
    return b.elementwise(np.invert, b.dst(d, ty), b.src(x, ty))


@CHAPTER.instruction("cnot")
def cnot(form: Form, b: Builder) -> Compiled:
    """Logic: cnot, 1 where the operand is 0."""
    ty = form.type(*_BITS)
    d, x = form.operands(2)
    source = b.src(x, ty)
    zero = b.machine.constant(0, ty.dtype)
    return b.elementwise(_is_equal, b.dst(d, ty), source, zero)


def _is_equal(x: Array, y: Array) -> Array:
    return x == y


@CHAPTER.instruction("lop3")
def lop3(form: Form, b: Builder) -> Compiled:
    """Logic: lop3, any function of three bits by its 8-entry table."""
    combine = form.option("or", "and")
    ty = form.type("b32")
    operands = form.operands(6 if combine else 5)
    d, p = b.pair(operands[0])
    table = b.integer(operands[4], "a constant table of 8 bits")
    if not 0 <= table < 256:
        form.error(f"expected a table from 0 to 255, got {table}")

    def fn(x: Array, y: Array, z: Array) -> Array:
        result = np.zeros_like(x)
        for entry in range(8):
            if table >> entry & 1:
                term = x if entry & 4 else ~x
                term = term & (y if entry & 2 else ~y)
                result |= term & (z if entry & 1 else ~z)
        return result

    sources = [b.src(operand, ty) for operand in operands[1:4]]
    if p is None:
        return b.elementwise(fn, b.dst(d, ty), *sources)
    if not combine:
        form.error("expected '.or' or '.and' before a predicate result")
    dst, flag = b.dst(d, ty), b.dst(p, TYPES["pred"])
    other = b.pred(operands[5])

    def run(lanes: Lanes) -> None:
        index = lanes.index
        result = fn(*(source[index] for source in sources))
        dst[index] = result
        nonzero = result != 0
        q = other[index]
        flag[index] = nonzero | q if combine == "or" else nonzero & q

    return b.step(run)


def shift_left(x: Array, amount: Array) -> Array:
    """Shifts left; amounts beyond the width give 0."""
    bits = x.dtype.itemsize * 8
    shifted = x << np.minimum(amount, bits - 1).astype(x.dtype)
    return np.where(amount < bits, shifted, x.dtype.type(0))


def shift_right(x: Array, amount: Array) -> Array:
    """Shifts right, with sign for signed types; large amounts shift all out."""
    bits = x.dtype.itemsize * 8
    shifted = x >> np.minimum(amount, bits - 1).astype(x.dtype)
    if x.dtype.kind == "i":
        return shifted
    return np.where(amount < bits, shifted, x.dtype.type(0))


def _shift(form: Form, b: Builder, ty: Type, fn: Elementwise) -> Compiled:
    d, x, amount = form.operands(3)
    return b.elementwise(fn, b.dst(d, ty), b.src(x, ty), b.src(amount, U32))


@CHAPTER.instruction("shl")
def shl(form: Form, b: Builder) -> Compiled:
    """Shift: shl; the amount is a 32-bit value, clamped to the width."""
    ty = form.type(*_BITS)
    return _shift(form, b, TYPES[f"u{ty.bits}"], shift_left)


@CHAPTER.instruction("shr")
def shr(form: Form, b: Builder) -> Compiled:
    """Shift: shr; arithmetic for signed types."""
    ty = form.type("u16", "u32", "u64", "s16", "s32", "s64", *_BITS)
    return _shift(form, b, ty, shift_right)


@CHAPTER.instruction("shf")
def shf(form: Form, b: Builder) -> Compiled:
    """Shift: shf, the funnel shift of a pair {b, a}: `.clamp` or `.wrap` to 32."""
    direction = form.choice("l", "r")
    mode = form.choice("clamp", "wrap")
    ty = form.type("b32")
    d, low, high, amount = form.operands(4)

    def fn(x: Array, y: Array, z: Array) -> Array:
        pair = x.astype(np.uint64) | (y.astype(np.uint64) << np.uint64(32))
        count = np.minimum(z, 32) if mode == "clamp" else z & np.uint32(31)
        count = count.astype(np.uint64)
        if direction == "l":
            return ((pair << count) >> np.uint64(32)).astype(np.uint32)
        return (pair >> count).astype(np.uint32)

    sources = b.src(low, ty), b.src(high, ty), b.src(amount, U32)
    return b.elementwise(fn, b.dst(d, ty), *sources)


def popcount(x: Array) -> Array:
    """Counts one bits."""
    return np.bitwise_count(x).astype(np.uint32)


def leading_zeros(x: Array) -> Array:
    """Counts zero bits above the highest one; the width for 0."""
    bits = x.dtype.itemsize * 8
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < bits:
            x = x | (x >> x.dtype.type(shift))
    return (bits - np.bitwise_count(x)).astype(np.uint32)


def reverse_bits(x: Array) -> Array:
    """Reverses the order of the bits."""
    octets = np.ascontiguousarray(x).view(np.uint8).reshape(len(x), -1)
    bits = np.unpackbits(octets, axis=1, bitorder="little")
    packed = np.packbits(bits[:, ::-1], axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view(x.dtype)[:, 0]


@CHAPTER.instruction("popc")
def popc(form: Form, b: Builder) -> Compiled:
    """Integer: popc."""
    ty = form.type("b32", "b64")
    d, x = form.operands(2)
    return b.elementwise(popcount, b.dst(d, U32), b.src(x, ty))


@CHAPTER.instruction("clz")
def clz(form: Form, b: Builder) -> Compiled:
    """Integer: clz."""
    ty = form.type("b32", "b64")
    d, x = form.operands(2)
    return b.elementwise(leading_zeros, b.dst(d, U32), b.src(x, ty))


@CHAPTER.instruction("brev")
def brev(form: Form, b: Builder) -> Compiled:
    """Integer: brev."""
    ty = form.type("b32", "b64")
    d, x = form.operands(2)
    return b.elementwise(reverse_bits, b.dst(d, ty), b.src(x, ty))


@CHAPTER.instruction("bfind")
def bfind(form: Form, b: Builder) -> Compiled:
    """Integer: bfind, the highest bit that is not a sign bit; all ones for none."""
    is_amount = form.flag("shiftamt")
    ty = form.type("u32", "u64", "s32", "s64")
    d, x = form.operands(2)

    def fn(v: Array) -> Array:
        if ty.kind == "s":
            v = np.where(v < 0, ~v, v)
        zeros = leading_zeros(np.ascontiguousarray(v).view(f"u{ty.bytes}"))
        place = (ty.bits - 1) - zeros.astype(np.int64)
        found = zeros < ty.bits
        result = zeros if is_amount else place
        return np.where(found, result, 0xFFFFFFFF).astype(np.uint32)

    return b.elementwise(fn, b.dst(d, U32), b.src(x, ty))


@CHAPTER.instruction("bfe")
def bfe(form: Form, b: Builder) -> Compiled:
    """Integer: bfe; position and length count modulo 256, the sign is extended."""
    ty = form.type("u32", "u64", "s32", "s64")
    d, x, position, length = form.operands(4)
    width = ty.bits

    def fn(v: Array, start: Array, count: Array) -> Array:
        start, count = start & np.uint32(255), count & np.uint32(255)
        if ty.kind == "u":
            return shift_right(v, start) & ~shift_left(~np.zeros_like(v), count)
        top = np.minimum(start.astype(np.int64) + count - 1, width - 1)
        sign = shift_right(v, top.clip(0).astype(np.uint32)) & 1
        field = shift_right(v.view(f"u{ty.bytes}"), start)
        keep = ~shift_left(~np.zeros_like(field), count)
        beyond = np.where(sign == 1, ~keep, field.dtype.type(0))
        result = (field & keep) | beyond
        # Bits above the register are copies of its sign bit as well.
        spare = shift_left(~np.zeros_like(field), (width - np.minimum(start, width)))
        result |= np.where(sign == 1, spare, field.dtype.type(0))
        return np.where(count == 0, 0, result).astype(field.dtype).view(ty.dtype)

    sources = b.src(x, ty), *_field(form, b, position, length)
    return b.elementwise(fn, b.dst(d, ty), *sources)


@CHAPTER.instruction("bfi")
def bfi(form: Form, b: Builder) -> Compiled:
    """Integer: bfi, puts the low bits of `a` into `b`."""
    ty = form.type("b32", "b64")
    d, x, y, position, length = form.operands(5)

    def fn(v: Array, base: Array, start: Array, count: Array) -> Array:
        start, count = start & np.uint32(255), count & np.uint32(255)
        mask = shift_left(~shift_left(~np.zeros_like(v), count), start)
        return (shift_left(v, start) & mask) | (base & ~mask)

    sources = b.src(x, ty), b.src(y, ty), *_field(form, b, position, length)
    return b.elementwise(fn, b.dst(d, ty), *sources)


def _field(form: Form, b: Builder, *operands: Operand) -> list[Array]:
    """Position and length of a bit field; constants are bytes."""
    for operand in operands:
        if isinstance(operand, Immediate):
            value = b.integer(operand, "a constant from 0 to 255")
            if not 0 <= value <= 255:
                form.error(f"expected a constant from 0 to 255, got {value}")
    return [b.src(operand, U32) for operand in operands]


@CHAPTER.instruction("bmsk")
def bmsk(form: Form, b: Builder) -> Compiled:
    """Integer: bmsk, a mask of `b` ones from bit `a`; `.clamp` or `.wrap` to 32."""
    mode = form.choice("clamp", "wrap")
    ty = form.type("b32")
    d, start, count = form.operands(3)

    def fn(x: Array, y: Array) -> Array:
        if mode == "wrap":
            x, y = x & np.uint32(31), y & np.uint32(31)
        return shift_left(~shift_left(~np.zeros_like(x), y), x)

    return b.elementwise(fn, b.dst(d, ty), b.src(start, U32), b.src(count, U32))


@CHAPTER.instruction("szext")
def szext(form: Form, b: Builder) -> Compiled:
    """Integer: szext, extends from a width; `.clamp` or `.wrap` to 32."""
    mode = form.choice("clamp", "wrap")
    ty = form.type("u32", "s32")
    d, x, width = form.operands(3)

    def fn(v: Array, count: Array) -> Array:
        if mode == "wrap":
            count = count & np.uint32(31)
        spare = 32 - np.minimum(count, 32)
        result = shift_right(shift_left(v, spare), spare)
        return np.where(count == 0, v.dtype.type(0), result)

    return b.elementwise(fn, b.dst(d, ty), b.src(x, ty), b.src(width, U32))


@CHAPTER.instruction("fns")
def fns(form: Form, b: Builder) -> Compiled:
    """Integer: fns, the n-th set bit from a base, upwards or downwards."""
    ty = form.type("b32")
    d, mask, base, offset = form.operands(4)
    bit = np.arange(32)

    def fn(m: Array, start: Array, n: Array) -> Array:
        is_set = (m[:, None] >> bit.astype(np.uint32) & 1).astype(np.bool_)
        start = start.astype(np.int64)[:, None]
        n = n[:, None]
        up = np.cumsum(is_set & (bit >= start), axis=1)
        down = np.cumsum((is_set & (bit <= start))[:, ::-1], axis=1)[:, ::-1]
        upward = is_set & (bit >= start) & (up == n) & (n > 0)
        downward = is_set & (bit <= start) & (down == -n) & (n < 0)
        here = is_set & (bit == start) & (n == 0)
        hit = upward | downward | here
        return np.where(hit.any(axis=1), hit.argmax(axis=1), 0xFFFFFFFF)

    sources = b.src(mask, B32), b.src(base, U32), b.src(offset, TYPES["s32"])
    return b.elementwise(fn, b.dst(d, ty), *sources)


_MODES = ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")


@CHAPTER.instruction("prmt")
def prmt(form: Form, b: Builder) -> Compiled:
    """Data Movement: prmt, picks four bytes of a pair; selector bit 3 copies signs."""
    ty = form.type("b32")
    mode = form.option(*_MODES)
    d, low, high, selector = form.operands(4)

    def fn(x: Array, y: Array, z: Array) -> Array:
        pair = x.astype(np.uint64) | (y.astype(np.uint64) << np.uint64(32))
        result = np.zeros_like(pair)
        for place in range(4):
            if mode:
                control = _mode_selector(mode, z & np.uint32(3), place)
            else:
                control = (z >> np.uint32(4 * place)) & np.uint32(15)
            control = control.astype(np.uint64)
            octet = pair >> ((control & np.uint64(7)) * np.uint64(8)) & np.uint64(255)
            signs = np.where(octet & np.uint64(128), np.uint64(255), np.uint64(0))
            octet = np.where(control & np.uint64(8), signs, octet)
            result |= octet << np.uint64(8 * place)
        return result.astype(np.uint32)

    def fixed(x: Array, y: Array, z: Array) -> Array:
        pair = x.astype(np.uint64) | (y.astype(np.uint64) << np.uint64(32))
        picked = pair.view(np.uint8).reshape(-1, 8)[:, places]
        return np.ascontiguousarray(picked).view(np.uint32).ravel()

    sources = b.src(low, ty), b.src(high, ty), b.src(selector, U32)
    is_constant = isinstance(selector, Immediate) and not mode
    places = [int(sources[2][0]) >> 4 * place & 15 for place in range(4)]
    picks = is_constant and max(places) < 8  # else some copy signs
    return b.elementwise(fixed if picks else fn, b.dst(d, ty), *sources)


def _mode_selector(mode: str, z: Array, place: int) -> Array:
    """The byte that a prmt mode puts at `place`, from the two low selector bits."""
    start = z.astype(np.int64)
    if mode == "f4e":
        return start + place
    if mode == "b4e":
        return (start - place) % 8
    if mode == "rc8":
        return start
    if mode == "ecl":
        return np.maximum(start, place)
    if mode == "ecr":
        return np.minimum(start, place)
    return (start & 1) * 2 + (place & 1)
