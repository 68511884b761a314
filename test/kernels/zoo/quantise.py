# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantisation and its inverse: integers, 8- and 4-bit floats, packed forms."""

import cuda.tile as ct
from registry import ZERO, ConstInt, add


def rounded(x):
    """To the nearest integer, halves away from zero."""
    return ct.where(x < 0.0, -ct.floor(0.5 - x), ct.floor(x + 0.5))


@ct.kernel
def to_int8(x, y, scale, size: ConstInt):
    """A scale per row."""
    row = ct.bid(0)
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    top = ct.maximum(ct.max(ct.abs(tile), axis=1, keepdims=True), 1e-8) / 127.0
    ct.store(y, (row, 0), ct.astype(rounded(tile / top), ct.int8))
    ct.store(scale, (row, 0), top)


add("to_int8_f16", to_int8, "f16*2", "i8*2", "f32*2", 64)


@ct.kernel
def from_int8(x, scale, zero, y, size: ConstInt):
    """A scale and a zero per column."""
    i = ct.bid(0)
    tile = ct.astype(ct.load(x, (i, 0), (4, size)), ct.int32)
    z = ct.astype(ct.load(zero, (0,), (size,)), ct.int32)[None, :]
    s = ct.load(scale, (0,), (size,))[None, :]
    ct.store(y, (i, 0), ct.astype(ct.astype(tile - z, ct.float32) * s, y.dtype))


add("from_int8_bf16", from_int8, "i8*2", "f32*1", "u8*1", "bf16*2", 32)


@ct.kernel
def to_f8_blocks(x, y, scale, rows: ConstInt, block: ConstInt):
    """A scale for each `rows` x `block` elements."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.astype(ct.load(x, (i, j), (rows, block)), ct.float32)
    top = ct.max(ct.max(ct.abs(tile), axis=1, keepdims=True), axis=0, keepdims=True)
    step = ct.maximum(top, 1e-6) / 448.0
    ct.store(y, (i, j), ct.astype(tile / step, y.dtype))
    ct.store(scale, (i, j), step)


add("to_f8_blocks_bf16", to_f8_blocks, "bf16*2", "f8e4m3*2", "f32*2", 8, 32)


@ct.kernel
def f8_round_trip(x, y, z, size: ConstInt):
    """f32 through both f8 types to f16; large values saturate or become infinite."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,))
    ct.store(y, (i,), ct.astype(ct.astype(tile, ct.float8_e4m3fn), ct.float16))
    ct.store(z, (i,), ct.astype(ct.astype(tile, ct.float8_e5m2), ct.float16))


add("f8_round_trip_f32", f8_round_trip, "f32*1", "f16*1", "f16*1", 64)


@ct.kernel
def to_mxf8(x, y, scale, rows: ConstInt, size: ConstInt):
    """Blocks of 32 with a power of two as scale, from the exponent of the largest."""
    i = ct.bid(0)
    tile = ct.reshape(ct.load(x, (i, 0), (rows, size)), (rows, size // 32, 32))
    top = ct.max(ct.abs(tile), axis=2, keepdims=True)
    exponent = (ct.bitcast(top, ct.int32) >> 23) - 8
    exponent = ct.maximum(exponent, 0)
    power = ct.bitcast(ct.maximum(exponent, 1) << 23, ct.float32)
    small = ct.astype(tile / power, ct.float8_e4m3fn)
    ct.store(y, (i, 0), ct.reshape(small, (rows, size)))
    codes = ct.astype(ct.reshape(exponent, (rows, size // 32)), ct.uint8)
    ct.store(scale, (i, 0), codes)


add("to_mxf8_f32", to_mxf8, "f32*2", "f8e4m3*2", "u8*2", 4, 64)


@ct.kernel
def pack_int4(x, y, rows: ConstInt, size: ConstInt):
    """Neighbours to one byte, the first in the low half."""
    i = ct.bid(0)
    pairs = ct.reshape(ct.load(x, (i, 0), (rows, size)), (rows, size // 2, 2))
    low = ct.reshape(ct.extract(pairs, (0, 0, 0), (rows, size // 2, 1)), (rows, -1))
    high = ct.reshape(ct.extract(pairs, (0, 0, 1), (rows, size // 2, 1)), (rows, -1))
    both = (ct.astype(low, ct.uint8) & 15) | (ct.astype(high, ct.uint8) << 4)
    ct.store(y, (i, 0), both)


add("pack_int4_i8", pack_int4, "i8*2", "u8*2", 4, 32)


@ct.kernel
def unpack_int4(x, scale, y, rows: ConstInt, size: ConstInt):
    """Signed halves of bytes, in groups of 16 with a scale, as f16."""
    i = ct.bid(0)
    raw = ct.astype(ct.load(x, (i, 0), (rows, size // 2)), ct.int32)
    low, high = ((raw & 15) ^ 8) - 8, ((raw >> 4) ^ 8) - 8
    both = ct.cat((low[:, :, None], high[:, :, None]), 2)
    tile = ct.reshape(ct.astype(both, ct.float16), (rows, size // 16, 16))
    factor = ct.load(scale, (i, 0), (rows, size // 16))[:, :, None]
    ct.store(y, (i, 0), ct.reshape(tile * factor, (rows, size)))


add("unpack_int4_u8", unpack_int4, "u8*2", "f16*2", "f16*2", 4, 64)


@ct.kernel
def from_nvf4(x, scale, y, factor: float, rows: ConstInt, size: ConstInt):
    """4-bit floats with f8 scales for 16 and one f32 factor for all."""
    i = ct.bid(0)
    raw = ct.reshape(ct.load(x, (i, 0), (rows, size // 2)), (rows * size // 2,))
    small = ct.unpack_from_bytes(raw, ct.float4_e2m1fn)
    tile = ct.reshape(ct.astype(small, ct.float32), (rows, size // 16, 16))
    s = ct.astype(ct.load(scale, (i, 0), (rows, size // 16)), ct.float32)
    out = tile * s[:, :, None] * factor
    ct.store(y, (i, 0), ct.reshape(ct.astype(out, y.dtype), (rows, size)))


add("from_nvf4_u8", from_nvf4, "u8*2", "f8e4m3*2", "bf16*2", "f32", 2, 32)


@ct.kernel
def to_nvf4(x, y, scale, rows: ConstInt, size: ConstInt):
    """The inverse: the scale is an f8, and elements are divided by what it holds."""
    i = ct.bid(0)
    tile = ct.reshape(ct.load(x, (i, 0), (rows, size)), (rows, size // 16, 16))
    top = ct.max(ct.abs(tile), axis=2, keepdims=True) / 6.0
    small = ct.astype(ct.maximum(top, 0.015625), ct.float8_e4m3fn)
    codes = ct.astype(tile / ct.astype(small, ct.float32), ct.float4_e2m1fn)
    raw = ct.pack_to_bytes(ct.reshape(codes, (rows * size,)))
    ct.store(y, (i, 0), ct.reshape(raw, (rows, size // 2)))
    ct.store(scale, (i, 0), ct.reshape(small, (rows, size // 16)))


add("to_nvf4_f32", to_nvf4, "f32*2", "u8*2", "f8e4m3*2", 2, 64)


@ct.kernel
def stochastic(x, noise, y, size: ConstInt):
    """f32 to bf16 by chance: random bits are added below the cut."""
    i = ct.bid(0)
    bits = ct.bitcast(ct.load(x, (i,), (size,)), ct.uint32)
    lifted = bits + (ct.load(noise, (i,), (size,)) & 0xFFFF)
    wide = ct.bitcast(lifted & 0xFFFF0000, ct.float32)
    ct.store(y, (i,), ct.astype(wide, ct.bfloat16))


add("stochastic_bf16", stochastic, "f32*1", "u32*1", "bf16*1", 64)


@ct.kernel
def to_tf32(x, y, size: ConstInt):
    i = ct.bid(0)
    tile = ct.astype(ct.load(x, (i,), (size,)), ct.tfloat32)
    ct.store(y, (i,), ct.astype(tile, ct.float32))


add("to_tf32_f32", to_tf32, "f32*1", "f32*1", 64)


@ct.kernel
def clamp_bytes(x, y, size: ConstInt):
    """Signed 16-bit samples to unsigned bytes, and halved with rounding."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,))
    half = (ct.astype(tile, ct.int32) + 1) >> 1
    ct.store(y, (i,), ct.astype(ct.minimum(ct.maximum(half, 0), 255), ct.uint8))


add("clamp_bytes_i16", clamp_bytes, "i16*1?", "u8*1?", 64)
