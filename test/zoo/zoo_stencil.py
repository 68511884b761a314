# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/stencil.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import (
    CLOSE,
    KINDS,
    Array,
    Launch,
    integers,
    launch,
    normal,
    sigmoid,
    tiles,
    wide,
    zeros,
)


@launch("conv1d_f32")
def conv1d() -> Launch:
    x, w = normal("f32", 76), normal("f32", 5)
    y = np.correlate(wide(x), wide(w), "valid")
    return Launch([x, w, zeros("f32", 72)], (3,), {2: y}, CLOSE["f32"])


@launch("conv1d_causal_bf16")
def conv1d_causal() -> Launch:
    x, w = normal("bf16", 40, 24), normal("bf16", 4, 24)
    padded = np.concatenate((np.zeros((3, 24)), wide(x)))
    acc = sum(padded[t : t + 40] * wide(w[t]) for t in range(4))
    y = acc * sigmoid(np.asarray(acc))
    args = [x, w, zeros("bf16", 40, 24)]
    return Launch(args, (3, 2), {2: y}, CLOSE["bf16"])


def windows(x: Array, height: int, width: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(wide(x), (height, width))


@launch("conv2d_f32")
def conv2d() -> Launch:
    x, w = normal("f32", 20, 42), normal("f32", 3, 3)
    y = np.einsum("ijst,st->ij", windows(x, 3, 3), wide(w))
    return Launch([x, w, zeros("f32", 18, 40)], (3, 3), {2: y}, CLOSE["f32"])


@launch("conv2d_product_f16")
def conv2d_product() -> Launch:
    x, w = normal("f16", 10, 12, 16, scale=0.5), normal("f16", 9, 16, 16, scale=0.25)
    padded = np.zeros((12, 14, 16))
    padded[1:-1, 1:-1] = wide(x)
    y = np.zeros((10, 12, 16))
    for s in range(3):
        for t in range(3):
            y += padded[s : s + 10, t : t + 12] @ wide(w[s * 3 + t])
    args = [x, w, zeros("f16", 120, 16)]
    return Launch(args, (4,), {2: y.reshape(120, 16)}, CLOSE["f16"])


@launch("conv2d_depthwise_f16")
def conv2d_depthwise() -> Launch:
    x, w = normal("f16", 3, 21, 33), normal("f16", 3, 3, 3)
    y = np.stack(
        [
            np.einsum("ijst,st->ij", windows(a, 3, 3)[::2, ::2], wide(b))
            for a, b in zip(x, w, strict=True)
        ]
    )
    return Launch([x, w, zeros("f16", 3, 10, 16)], (3, 3), {2: y}, CLOSE["f16"])


@launch("pool_maximum_f16")
def pool_maximum() -> Launch:
    x = normal("f16", 22, 26)
    x[3, 5:9] = x[2, 4]  # ties
    four = x.reshape(11, 2, 13, 2).transpose(0, 2, 1, 3).reshape(11, 13, 4)
    args = [x, zeros("f16", 11, 13), zeros("i8", 11, 13)]
    expected = {1: four.max(axis=2), 2: four.argmax(axis=2)}
    return Launch(args, (2, 2), expected)


@launch("pool_mean_bf16")
def pool_mean() -> Launch:
    x = normal("bf16", 8, 13, 15)
    args = [x, zeros("f32", 8)]
    return Launch(args, (2,), {1: wide(x).mean(axis=(1, 2))}, CLOSE["f32"])


@launch("jacobi_f64")
def jacobi() -> Launch:
    x = normal("f64", 20, 30)
    y = x.copy()
    y[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
    return Launch([x, zeros("f64", 20, 30)], (3, 2), {1: y}, CLOSE["f64"])


@launch("heat_3d_f32")
def heat_3d() -> Launch:
    x = normal("f32", 7, 6, 10)
    p = np.pad(wide(x), 1)
    middle = p[1:-1, 1:-1, 1:-1]
    around = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1]
    around = around + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:]
    y = middle + 0.125 * (around - 6 * middle)
    args = [x, zeros("f32", 7, 6, 10), np.float32(0.125)]
    return Launch(args, (2, 2, 2), {1: y}, CLOSE["f32"])


@launch("life_i8")
def life() -> Launch:
    x = integers("i8", 0, 2, 20, 18)
    turns = [(s, t) for s in (-1, 0, 1) for t in (-1, 0, 1)]
    around = sum(np.roll(x, turn, (0, 1)) for turn in turns)
    y = (around == 3) | ((x == 1) & (around == 4))
    return Launch([x, zeros("i8", 20, 18)], (3, 2), {1: y.astype(np.int8)})


@launch("edges_u8")
def edges() -> Launch:
    x = integers("u8", 0, 256, 20, 40)
    w = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    size = sum(np.abs(np.einsum("ijst,st->ij", windows(x, 3, 3), v)) for v in (w, w.T))
    y = np.minimum(np.asarray(size), 255).astype(np.uint8)
    return Launch([x, zeros("u8", 18, 38)], (3, 3), {1: y})


@launch("enlarge_f32")
def enlarge() -> Launch:
    x = normal("f32", 9, 11)
    scale = np.float32(0.375)
    row, column = np.arange(20) * 0.375, np.arange(24) * 0.375
    r, c = np.floor(row).astype(int), np.floor(column).astype(int)
    fr, fc = (row - r)[:, None], (column - c)[None, :]
    r1, c1 = np.minimum(r + 1, 8), np.minimum(c + 1, 10)
    a = wide(x)
    top = a[r][:, c] * (1 - fc) + a[r][:, c1] * fc
    low = a[r1][:, c] * (1 - fc) + a[r1][:, c1] * fc
    y = top * (1 - fr) + low * fr
    args = [x, zeros("f32", 20, 24), scale]
    return Launch(args, tiles((20, 8), (24, 16)), {1: y}, CLOSE["f32"])


@launch("turned_i16", "i16", (6, 20, 13), (4, 8, 8))
@launch("turned_f8", "f8e4m3", (3, 20, 13), (2, 16, 8))
def turned(kind: str, shape: tuple[int, ...], tile: tuple[int, ...]) -> Launch:
    codes = integers("u8", 0, 127, *shape)
    x = codes.view(KINDS[kind]) if kind.startswith("f8") else codes.astype(KINDS[kind])
    y = np.ascontiguousarray(x.transpose(2, 0, 1))
    grid = tiles(*zip(shape, tile, strict=True))
    return Launch([x, np.zeros_like(y)], grid, {1: y})
