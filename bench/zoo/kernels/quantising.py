# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantisation, its inverse, and products of quantised operands."""

from __future__ import annotations

import cuda.tile as ct
import ml_dtypes
import numpy as np

from zoo.case import Array, Field, Launch, integers, near, normal, uniform, wide, zeros

ConstInt = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
FIELD = Field("quantising")


@ct.kernel
def int8_rows(x, y, scales, size: ConstInt):
    row = ct.bid(0)
    tile = ct.astype(ct.load(x, (row, 0), (1, size), padding_mode=ZERO), ct.float32)
    top = ct.maximum(ct.max(ct.abs(tile), axis=1, keepdims=True), 1e-8)
    code = ct.floor(tile * (127.0 / top) + 0.5)
    ct.store(y, (row, 0), ct.astype(code, ct.int8))
    ct.store(scales, (row,), ct.reshape(top / 127.0, (1,)))


def _int8_rows() -> Launch:
    x, y, scales = normal("f16", 4, 4096), zeros("i8", 4, 4096), zeros("f32", 4)
    top = np.abs(wide(x)).max(1, keepdims=True)
    wanted = {1: (wide(x) * (127 / top), 0.501), 2: near(top[:, 0] / 127, "f32")}
    return Launch((4,), [x, y, scales], wanted)


FIELD.add("int8_rows_f16", int8_rows, _int8_rows, warps=8, SIZE=4096)


@ct.kernel
def from_int8(x, scales, zero_points, y, rows: ConstInt, size: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.astype(ct.load(x, (i, j), (rows, size)), ct.float32)
    z = ct.astype(ct.load(zero_points, (j,), (size,)), ct.float32)[None, :]
    s = ct.load(scales, (j,), (size,))[None, :]
    ct.store(y, (i, j), ct.astype((tile - z) * s, y.dtype))


def _from_int8() -> Launch:
    x, z = integers("i8", -128, 128, 64, 512), integers("i8", -8, 8, 512)
    s, y = uniform("f32", 0.1, 1, 512), zeros("bf16", 64, 512)
    exact = (wide(x) - wide(z)) * wide(s)
    return Launch((4, 4), [x, s, z, y], {3: near(exact, "bf16")})


FIELD.add("from_int8_bf16", from_int8, _from_int8, ROWS=16, SIZE=128)


@ct.kernel
def f8_blocks(x, y, scales, rows: ConstInt, block: ConstInt):
    """A scale for each `rows` x `block` elements."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.astype(ct.load(x, (i, j), (rows, block)), ct.float32)
    top = ct.max(ct.max(ct.abs(tile), axis=1, keepdims=True), axis=0, keepdims=True)
    step = ct.maximum(top, 1e-6) / 448.0
    small = ct.minimum(ct.maximum(tile / step, -448.0), 448.0)
    ct.store(y, (i, j), ct.astype(small, y.dtype))
    ct.store(scales, (i, j), step)


def _f8_blocks() -> Launch:
    x, y, scales = normal("bf16", 128, 256), zeros("f8", 128, 256), zeros("f32", 2, 2)
    top = np.abs(wide(x)).reshape(2, 64, 2, 128).max((1, 3))
    exact = wide(x) / np.repeat(np.repeat(top, 64, 0), 128, 1) * 448
    wanted = {1: (exact, np.abs(exact) / 15.9 + 0.001), 2: near(top / 448, "f32")}
    return Launch((2, 2), [x, y, scales], wanted)


FIELD.add("f8_blocks_bf16", f8_blocks, _f8_blocks, ROWS=64, BLOCK=128)


@ct.kernel
def f8_tokens(x, y, scales, rows: ConstInt, group: ConstInt):
    """A scale for each `group` elements of a row."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.astype(ct.load(x, (i, j), (rows, group)), ct.float32)
    top = ct.maximum(ct.max(ct.abs(tile), axis=1, keepdims=True), 1e-6)
    ct.store(y, (i, j), ct.astype(tile * (448.0 / top), y.dtype))
    ct.store(scales, (i, j), top / 448.0)


def _f8_tokens() -> Launch:
    x, y, scales = normal("bf16", 64, 512), zeros("f8", 64, 512), zeros("f32", 64, 4)
    top = np.abs(wide(x)).reshape(64, 4, 128).max(2)
    exact = wide(x) / np.repeat(top, 128, 1) * 448
    wanted = {1: (exact, np.abs(exact) / 15.9 + 0.001), 2: near(top / 448, "f32")}
    return Launch((4, 4), [x, y, scales], wanted)


FIELD.add("f8_tokens_bf16", f8_tokens, _f8_tokens, ROWS=16, GROUP=128)


@ct.kernel
def int4_unpack(x, scales, y, rows: ConstInt, half: ConstInt):
    """Low halves of bytes are the first columns, high halves those after."""
    i = ct.bid(0)
    raw = ct.astype(ct.load(x, (i, 0), (rows, half)), ct.int32)
    s = ct.astype(ct.load(scales, (i,), (rows,)), ct.float32)[:, None]
    low = ct.astype((raw & 15) - 8, ct.float32) * s
    high = ct.astype((raw >> 4) - 8, ct.float32) * s
    ct.store(y, (i, 0), ct.astype(low, y.dtype))
    ct.store(y, (i, 1), ct.astype(high, y.dtype))


def _int4_unpack() -> Launch:
    x, s = integers("u8", 0, 256, 64, 256), uniform("f16", 0.1, 1, 64)
    y, raw = zeros("f16", 64, 512), wide(x).astype(int)
    exact = np.concatenate([(raw & 15) - 8, (raw >> 4) - 8], 1) * wide(s)[:, None]
    return Launch((4,), [x, s, y], {2: near(exact, "f16")})


FIELD.add("int4_unpack_f16", int4_unpack, _int4_unpack, ROWS=16, HALF=256)


@ct.kernel
def int8_product(a, b, sa, sb, c, m: ConstInt, n: ConstInt, k: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.int32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.load(b, (p, j), (k, n), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    left = ct.load(sa, (i,), (m,))[:, None]
    right = ct.load(sb, (j,), (n,))[None, :]
    ct.store(c, (i, j), ct.astype(ct.astype(acc, ct.float32) * left * right, c.dtype))


def _product_extents(a: Array, b: Array, *_: Array) -> list[int]:
    return [a.shape[0], b.shape[0], a.shape[1]]


def _int8_product() -> Launch:
    a, b = integers("i8", -99, 99, 128, 512), integers("i8", -99, 99, 256, 512, seed=1)
    sa, sb = uniform("f32", 0.001, 0.01, 128), uniform("f32", 0.001, 0.01, 256)
    exact = (wide(a) @ wide(b).T) * wide(sa)[:, None] * wide(sb)
    values = [a, b, sa, sb, zeros("f16", 128, 256)]
    return Launch((2, 2), values, {4: near(exact, "f16")})


FIELD.add(
    "int8_product", int8_product, _int8_product, _product_extents, M=64, N=128, K=64
)


@ct.kernel
def f8_product(a, b, c, scale: float, m: ConstInt, n: ConstInt, k: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.load(b, (p, j), (k, n), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(x, y, acc)
    ct.store(c, (i, j), ct.astype(acc * scale, c.dtype))


def _f8_product() -> Launch:
    a, b, c = (
        normal("f8", 128, 512),
        normal("f8", 256, 512, seed=1),
        zeros("bf16", 128, 256),
    )
    sizes = np.abs(wide(a)) @ np.abs(wide(b)).T * 0.5
    # Each of 16 sums of wgmma of f8 may keep but 14 bits.
    found = near(wide(a) @ wide(b).T * 0.5, "bf16", sizes, 2.0**15)
    return Launch((2, 2), [a, b, c, np.float32(0.5)], {2: found})


FIELD.add("f8_product", f8_product, _f8_product, _product_extents, M=64, N=128, K=128)


@ct.kernel
def int8_weights(a, w, scales, c, m: ConstInt, n: ConstInt, k: ConstInt):
    """Activations in f16 by weights in bytes, with a scale per column."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((m, n), dtype=ct.float32)
    for p in range(ct.num_tiles(a, axis=1, shape=(m, k))):
        x = ct.load(a, (i, p), (m, k), padding_mode=ZERO)
        y = ct.astype(ct.load(w, (p, j), (k, n), padding_mode=ZERO), a.dtype)
        acc = ct.mma(x, y, acc)
    s = ct.load(scales, (j,), (n,))[None, :]
    ct.store(c, (i, j), ct.astype(acc * s, c.dtype))


def _int8_weights() -> Launch:
    a, w = normal("f16", 16, 512), integers("i8", -127, 128, 512, 256)
    s, c = uniform("f32", 0.001, 0.01, 256), zeros("f16", 16, 256)
    sizes = np.abs(wide(a)) @ np.abs(wide(w)) * wide(s)
    found = near(wide(a) @ wide(w) * wide(s), "f16", sizes, 512)
    return Launch((1, 2), [a, w, s, c], {3: found})


FIELD.add(
    "int8_weights_f16",
    int8_weights,
    _int8_weights,
    lambda a, w, *_: [a.shape[0], w.shape[1], a.shape[1]],
    M=16,
    N=128,
    K=64,
)


@ct.kernel
def mx_scales(x, y, scales, rows: ConstInt, blocks: ConstInt):
    """Blocks of 32 with a power of two as scale, from the largest exponent."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, (i, j, 0), (rows, blocks, 32))
    top = ct.max(ct.abs(tile), axis=2, keepdims=True)
    exponent = ct.maximum((ct.bitcast(top, ct.int32) >> 23) - 8, 1)
    power = ct.bitcast((254 - exponent) << 23, ct.float32)
    ct.store(y, (i, j, 0), ct.astype(tile * power, y.dtype))
    codes = ct.reshape(exponent, (rows, blocks))
    ct.store(scales, (i, j), ct.astype(codes, ct.uint8))


def _mx_scales() -> Launch:
    x, y, scales = (
        normal("f32", 64, 16, 32),
        zeros("f8", 64, 16, 32),
        zeros("u8", 64, 16),
    )
    exponent = np.floor(np.log2(np.abs(wide(x)).max(2))).astype(int) + 127 - 8
    exact = wide(x) * 2.0 ** (127 - exponent)[..., None]
    exact = np.clip(exact, -448, 448).astype(ml_dtypes.float8_e4m3fn)
    return Launch((4, 2), [x, y, scales], {1: (wide(exact), 0), 2: (exponent, 0)})


FIELD.add("mx_scales_f32", mx_scales, _mx_scales, ROWS=16, BLOCKS=8)
