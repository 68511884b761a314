# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/sample.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import (
    CLOSE,
    Array,
    Launch,
    integers,
    launch,
    normal,
    softmax,
    uniform,
    wide,
    zeros,
)


def philox(counter: Array, key: int) -> tuple[Array, Array]:
    """Philox 2x32 with 10 rounds, as published by Salmon and others (2011)."""
    left, right = counter.astype(np.uint64), np.zeros(counter.shape, np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    for number in range(10):
        product = left * np.uint64(0xD256D193)
        word = np.uint64((key + number * 0x9E3779B9) & 0xFFFFFFFF)
        left, right = (product >> np.uint64(32)) ^ word ^ right, product & mask
    return left.astype(np.uint32), right.astype(np.uint32)


def fraction(bits: Array) -> Array:
    return ((bits >> np.uint32(8)).astype(np.float64) + 0.5) / 2.0**24


def places(*shape: int) -> Array:
    return np.arange(int(np.prod(shape)), dtype=np.uint32).reshape(shape)


@launch("random_bits_u32")
def random_bits() -> Launch:
    a, b = philox(places(64), 77)
    args = [zeros("u32", 64), zeros("u32", 64), np.uint32(77)]
    return Launch(args, (2,), {0: a, 1: b})


@launch("random_normal_f32")
def random_normal() -> Launch:
    a, b = philox(places(64), 78)
    radius = np.sqrt(-2 * np.log(fraction(a)))
    angle = 6.2831853 * fraction(b)
    both = np.stack((radius * np.cos(angle), radius * np.sin(angle)))
    exact = both.reshape(2, 2, 32).transpose(1, 0, 2).reshape(-1)
    return Launch([zeros("f32", 128), np.uint32(78)], (2,), {0: exact}, 2e-5)


@launch("dropout_philox_f16")
def dropout_philox() -> Launch:
    x, keep = normal("f16", 150), np.float32(0.6)
    bits, _ = philox(places(192), 79)
    y = np.where(fraction(bits[:150]) < keep, wide(x) / float(keep), 0)
    args = [x, zeros("f16", 150), np.uint32(79), keep]
    return Launch(args, (3,), {1: y}, CLOSE["f16"])


@launch("gumbel_f32")
def gumbel() -> Launch:
    x = normal("f32", 8, 50)
    bits, _ = philox(places(8, 64), 80)
    noise = -np.log(-np.log(fraction(bits)))[:, :50]
    y = np.argmax(wide(x) / 0.5 + noise, axis=1)
    args = [x, zeros("i32", 8), np.uint32(80), np.float32(0.5)]
    return Launch(args, (8,), {1: y})


@launch("draw_f32")
def draw() -> Launch:
    p = uniform("f32", 0.1, 1.0, 8, 32)
    u = uniform("f32", 0.0, 1.0, 8)
    running = np.cumsum(wide(p), axis=1)
    y = (running <= (wide(u) * running[:, -1])[:, None]).sum(axis=1)
    return Launch([p, u, zeros("i32", 8)], (2,), {2: np.minimum(y, 31)})


@launch("nucleus_f32")
def nucleus() -> Launch:
    p = softmax(normal("f32", 4, 32, scale=2)).astype(np.float32)
    y = np.zeros_like(p)
    for row, out in zip(p, y, strict=True):
        low, high = 0.0, 1.0
        for _ in range(12):
            middle = (low + high) / 2
            if wide(row[row >= middle]).sum() >= 0.875:
                low = middle
            else:
                high = middle
        out[:] = np.where(row >= low, row, 0)
    return Launch([p, zeros("f32", 4, 32), np.float32(0.875)], (4,), {1: y})


@launch("greedy_bf16")
def greedy() -> Launch:
    x, seen = normal("bf16", 6, 64), integers("b1", 0, 2, 6, 64)
    penalty = np.array([1.5, 2, 3, 1.25, 4, 1], np.float32)
    tile, factor = wide(x), wide(penalty)[:, None]
    less = np.where(tile > 0, tile / factor, tile * factor)
    y = np.argmax(np.where(seen, less, tile), axis=1)
    return Launch([x, penalty, seen, zeros("i32", 6)], (6,), {3: y})
