# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/product.py`."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
from zoo_launch import (
    CLOSE,
    KINDS,
    Array,
    Launch,
    integers,
    launch,
    normal,
    tiles,
    wide,
    zeros,
)


def matrix(kind: str, *shape: int, seed: int = 0) -> Array:
    """Numbers of a size that sums of products stay near 1."""
    if KINDS[kind].kind in "iu":
        info = np.iinfo(KINDS[kind])
        return integers(kind, info.min, info.max + 1, *shape, seed=seed)
    return normal(kind, *shape, seed=seed, scale=0.5)


def exact_product(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        return a.astype(np.int64) @ b.astype(np.int64)
    return wide(a) @ wide(b)


@launch("gemm_f16", "f16", "f16", (80, 96, 64), (64, 64))
@launch("gemm_bf16", "bf16", "f32", (70, 50, 40), (64, 32))
@launch("gemm_tf32", "f32", "f32", (40, 33, 50), (32, 32), 3e-3)
@launch("gemm_f32", "f32", "f32", (20, 40, 35), (16, 32))
@launch("gemm_f64", "f64", "f64", (20, 18, 40), (16, 16))
@launch("gemm_i8", "i8", "i32", (40, 50, 100), (32, 32))
@launch("gemm_u8", "u8", "i32", (33, 20, 50), (32, 16))
@launch("gemm_f8e4m3", "f8e4m3", "f32", (40, 50, 100), (32, 32))
@launch("gemm_f8e5m2", "f8e5m2", "f16", (33, 20, 50), (32, 32))
@launch("gemm_unaligned_f16", "f16", "f16", (33, 35, 19), (32, 32))
def gemm(
    kind: str,
    result: str,
    sizes: tuple[int, int, int],
    tile: tuple[int, int],
    tolerance: float = 0.0,
) -> Launch:
    m, n, k = sizes
    a, b = matrix(kind, m, k), matrix(kind, k, n, seed=1)
    grid = (math.prod(tiles((m, tile[0]), (n, tile[1]))),)
    expected = {2: exact_product(a, b)}
    tolerance = tolerance or CLOSE.get(result, 0.0)
    return Launch([a, b, zeros(result, m, n)], grid, expected, tolerance)


@launch("gemm_half_nt")
def gemm_half_nt() -> Launch:
    a, b = matrix("f16", 40, 50), matrix("f16", 33, 50, seed=1)
    # `order=(1, 0)` turns the whole array: indices and shape count turned dimensions.
    args = [a, b, zeros("f16", 40, 33)]
    return Launch(args, (2, 2), {2: wide(a) @ wide(b).T}, 2e-2)


@launch("gemm_tn_bf16")
def gemm_tn() -> Launch:
    a, b = matrix("bf16", 48, 32), matrix("bf16", 48, 64, seed=1)
    args = [a, b, zeros("bf16", 32, 64)]
    return Launch(args, (1, 2), {2: wide(a).T @ wide(b)}, CLOSE["bf16"])


@launch("gemm_bias_gelu_f16")
def gemm_bias_gelu() -> Launch:
    a, b = matrix("f16", 40, 50), matrix("f16", 50, 33, seed=1)
    bias = matrix("f16", 33)
    x = wide(a) @ wide(b) + wide(bias)
    y = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    args = [a, b, bias, zeros("f16", 40, 33)]
    return Launch(args, (2, 2), {3: y}, CLOSE["f16"])


@launch("gemm_split_f16", "f16", "f32", (20, 40, 70), (2, 2, 2))
@launch("gemm_persistent_bf16", "bf16", "bf16", (70, 80, 40), (3,))
def plain(
    kind: str, result: str, sizes: tuple[int, int, int], grid: tuple[int, ...]
) -> Launch:
    m, n, k = sizes
    a, b = matrix(kind, m, k), matrix(kind, k, n, seed=1)
    expected = {2: wide(a) @ wide(b)}
    return Launch([a, b, zeros(result, m, n)], grid, expected, CLOSE[result])


@launch("gemm_batched_f16", "f16", (5, 12, 16, 30), 3)
@launch("gemm_small_f32", "f32", (6, 4, 3, 4), 2)
def batched(kind: str, sizes: tuple[int, int, int, int], blocks: int) -> Launch:
    count, m, n, k = sizes
    a, b = matrix(kind, count, m, k), matrix(kind, count, k, n, seed=1)
    args = [a, b, zeros("f32", count, m, n)]
    return Launch(args, (blocks,), {2: wide(a) @ wide(b)}, CLOSE["f32"])


@launch("gemv_f16")
def gemv() -> Launch:
    a, x = matrix("f16", 16, 160), matrix("f16", 160)
    args = [a, x, zeros("f32", 16)]
    return Launch(args, (4,), {2: wide(a) @ wide(x)}, CLOSE["f32"])


@launch("gemm_single_row_bf16")
def single_row() -> Launch:
    a, b = matrix("bf16", 1, 70), matrix("bf16", 70, 50, seed=1)
    args = [a, b, zeros("bf16", 1, 50)]
    return Launch(args, (2,), {2: wide(a) @ wide(b)}, CLOSE["bf16"])


@launch("gemm_grouped_f16")
def grouped() -> Launch:
    ends = np.array([16, 48, 48, 64], np.int32)
    a, b = matrix("f16", 64, 40), matrix("f16", 4, 40, 50, seed=1)
    group = np.searchsorted(ends, np.arange(64), side="right")
    exact = np.einsum("mk,mkn->mn", wide(a), wide(b)[group])
    args = [a, b, zeros("f16", 64, 50), ends]
    return Launch(args, (4, 2), {2: exact}, CLOSE["f16"])


@launch("experts_bf16")
def experts() -> Launch:
    rng = np.random.default_rng(4)
    order = rng.integers(0, 20, 48).astype(np.int32)
    order[[5, 20]] = 20  # no such row: reads zero, adds nothing
    expert = np.array([0, 2, 1], np.int32)
    weight = np.abs(normal("f32", 48))
    x, w = matrix("bf16", 20, 50), matrix("bf16", 3, 50, 30, seed=1)
    exact = np.zeros((20, 30))
    for place, row in enumerate(order):
        if row < 20:
            part = wide(x[row]) @ wide(w[expert[place // 16]])
            exact[row] += part * weight[place]
    args = [x, w, order, expert, weight, zeros("f32", 20, 30)]
    return Launch(args, (3, 2), {5: exact}, CLOSE["f32"])


@launch("gemm_int8_weights_f16")
def int8_weights() -> Launch:
    a, b = matrix("f16", 20, 70), integers("i8", -128, 128, 70, 40)
    scale = np.abs(normal("f32", 40)) * np.float32(0.01)
    args = [a, b, scale, zeros("f16", 20, 40)]
    return Launch(args, (2, 2), {3: wide(a) @ wide(b) * scale}, CLOSE["f16"])


@launch("gemm_int4_weights_f16")
def int4_weights() -> Launch:
    a, b = matrix("f16", 16, 64), integers("u8", 0, 256, 32, 40)
    scale = np.abs(normal("f32", 2, 40)) * np.float32(0.1)
    codes = np.stack((b & 15, b >> 4), axis=1).reshape(64, 40).astype(np.int64) - 8
    exact = wide(a) @ (codes * wide(scale).repeat(32, 0))
    args = [a, b, scale, zeros("f16", 16, 40)]
    return Launch(args, (1, 2), {3: exact}, CLOSE["f16"])


@launch("gemm_f8_blocks")
def f8_blocks() -> Launch:
    a, b = matrix("f8e4m3", 20, 128), matrix("f8e4m3", 128, 30, seed=1)
    sa, sb = np.abs(normal("f32", 20, 2)), np.abs(normal("f32", 2, 30))
    exact = (wide(a) * wide(sa).repeat(64, 1)) @ (wide(b) * wide(sb).repeat(64, 0))
    args = [a, sa, b, sb, zeros("bf16", 20, 30)]
    return Launch(args, (2, 2), {4: exact}, CLOSE["bf16"])


def powers(*shape: int, seed: int) -> Array:
    exponent = np.random.default_rng(seed).integers(-3, 4, shape)
    return (2.0**exponent).astype(KINDS["f8e8m0"])


@launch("gemm_mxf8", "f8e4m3", (32, 16, 128), (16, 16))
@launch("gemm_mxf8_e5m2", "f8e5m2", (32, 32, 64), (32, 32))
def mxf8(kind: str, sizes: tuple[int, int, int], tile: tuple[int, int]) -> Launch:
    m, n, k = sizes
    a, b = matrix(kind, m, k), matrix(kind, k, n, seed=1)
    sa, sb = powers(m, k // 32, seed=1), powers(k // 32, n, seed=2)
    exact = (wide(a) * wide(sa).repeat(32, 1)) @ (wide(b) * wide(sb).repeat(32, 0))
    args = [a, sa, b, sb, zeros("f32", m, n)]
    grid = tiles((m, tile[0]), (n, tile[1]))
    return Launch(args, grid, {4: exact}, CLOSE["f32"])


def halves(raw: Array) -> Array:
    """The 4-bit floats in bytes, the low half first."""
    codes = np.stack((raw & 15, raw >> 4), axis=-1).reshape(raw.shape[0], -1)
    return wide(codes.astype(np.uint8).view(ml_dtypes.float4_e2m1fn))


@launch("gemm_nvf4", "f8e4m3")
@launch("gemm_mxf4", "f8e8m0")
def nvf4(kind: str) -> Launch:
    a, b = integers("u8", 0, 256, 32, 64), integers("u8", 0, 256, 16, 64, seed=1)
    if kind == "f8e8m0":
        sa, sb = powers(32, 8, seed=1), powers(16, 8, seed=2)
    else:
        sa, sb = (np.abs(normal(kind, n, 8, seed=n)) for n in (32, 16))
        sa, sb = sa.astype(KINDS[kind]), sb.astype(KINDS[kind])
    x, y = halves(a) * wide(sa).repeat(16, 1), halves(b) * wide(sb).repeat(16, 1)
    args = [a, sa, b, sb, zeros("f32", 32, 16)]
    return Launch(args, (2, 1), {4: x @ y.T}, CLOSE["f32"])


@launch("gemm_complex_f16")
def gemm_complex() -> Launch:
    ar, ai = matrix("f16", 20, 40), matrix("f16", 20, 40, seed=1)
    br, bi = matrix("f16", 40, 18), matrix("f16", 40, 18, seed=1)
    exact = (wide(ar) + 1j * wide(ai)) @ (wide(br) + 1j * wide(bi))
    args = [ar, ai, br, bi, zeros("f32", 20, 18), zeros("f32", 20, 18)]
    expected = {4: exact.real, 5: exact.imag}
    return Launch(args, (2, 2), expected, CLOSE["f32"])


@launch("low_rank_f16")
def low_rank() -> Launch:
    x, w = matrix("f16", 40, 50), matrix("f16", 50, 33, seed=1)
    down, up = matrix("f16", 50, 8, seed=2), matrix("f16", 8, 33, seed=3)
    exact = wide(x) @ wide(w) + wide(x) @ wide(down) @ wide(up)
    args = [x, w, down, up, zeros("f16", 40, 33)]
    return Launch(args, (2, 2), {4: exact}, 4e-3)


@launch("two_layers_bf16")
def two_layers() -> Launch:
    x, w = matrix("bf16", 20, 32), matrix("bf16", 32, 50, seed=1)
    v = matrix("bf16", 50, 32, seed=2)
    exact = np.maximum(wide(x) @ wide(w), 0) @ wide(v)
    args = [x, w, v, zeros("bf16", 20, 32)]
    return Launch(args, (2,), {3: exact}, 3e-2)
