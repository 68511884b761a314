# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/attention.py`."""

from __future__ import annotations

import numpy as np
from zoo_launch import (
    CLOSE,
    KINDS,
    Array,
    Launch,
    launch,
    normal,
    softmax,
    tiles,
    wide,
    zeros,
)

WEIGHTS = {"f16": 4e-3, "bf16": 2e-2}
"""Errors where weights are rounded to a type as well as the result."""


def attend(q: Array, k: Array, v: Array, bias: Array | float, scale: float) -> Array:
    scores = wide(q) @ np.swapaxes(wide(k), -1, -2) * scale + bias
    return softmax(scores) @ wide(v)


@launch("attention_full_f16", "f16", 2, 1, 45, 50, 32, (32, 32))
@launch("attention_grouped_bf16", "bf16", 4, 2, 20, 40, 64, (16, 32))
def full(
    kind: str, heads: int, group: int, m: int, n: int, d: int, tile: tuple[int, int]
) -> Launch:
    q = normal(kind, heads, m, d)
    k, v = (normal(kind, heads // group, n, d, seed=seed) for seed in (1, 2))
    scale = np.float32(d**-0.5)
    exact = attend(q, k.repeat(group, 0), v.repeat(group, 0), 0.0, float(scale))
    args = [q, k, v, zeros(kind, heads, m, d), scale]
    grid = (*tiles((m, tile[0])), heads)
    return Launch(args, grid, {3: exact}, WEIGHTS[kind])


def distance(m: int) -> Array:
    place = np.arange(m)
    return place[:, None] - place[None, :]


@launch("attention_window_f16")
def window() -> Launch:
    q, k, v = (normal("f16", 2, 50, 32, seed=seed) for seed in range(3))
    far = distance(50)
    bias = np.where((far >= 0) & (far <= 20), 0.0, -np.inf)
    exact = attend(q, k, v, bias, 0.25)
    args = [q, k, v, zeros("f16", 2, 50, 32), np.float32(0.25), np.int32(20)]
    return Launch(args, (4, 2), {3: exact}, WEIGHTS["f16"])


@launch("attention_slopes_f16")
def slopes() -> Launch:
    q, k, v = (normal("f16", 2, 40, 32, seed=seed) for seed in range(3))
    slope = np.array([0.5, 0.125], np.float32)
    scores = 20 * np.tanh(wide(q) @ np.swapaxes(wide(k), 1, 2) * 0.5 / 20)
    scores = scores - slope[:, None, None] * distance(40)
    scores = np.where(distance(40) >= 0, scores, -np.inf)
    exact = softmax(scores) @ wide(v)
    args = [q, k, v, slope, zeros("f16", 2, 40, 32), np.float32(0.5)]
    return Launch(args, (3, 2), {4: exact}, WEIGHTS["f16"])


@launch("attention_paged_f16")
def paged() -> Launch:
    lengths = np.array([35, 1, 16], np.int32)
    table = np.random.default_rng(1).permutation(9).reshape(3, 3).astype(np.int32)
    q = normal("f16", 3, 32)
    k, v = (normal("f16", 9, 16, 32, seed=seed) for seed in (1, 2))
    exact = np.zeros((3, 32))
    for i, n in enumerate(lengths):
        keys, values = (p[table[i]].reshape(48, 32)[:n] for p in (k, v))
        exact[i] = attend(q[i : i + 1], keys, values, 0.0, 0.25)[0]
    args = [q, k, v, table, lengths, zeros("f16", 3, 32), np.float32(0.25)]
    return Launch(args, (3,), {5: exact}, CLOSE["f16"])


@launch("attention_split_f32")
def split() -> Launch:
    q = normal("f32", 1, 32)
    k, v = (normal("f32", 1, 40, 32, seed=seed) for seed in (1, 2))
    scores = wide(k[0]) @ wide(q[0]) * 0.25
    part, tops, sums = np.zeros((3, 32)), np.zeros((3, 1)), np.zeros((3, 1))
    for j in range(3):
        some = slice(16 * j, min(16 * j + 16, 40))
        tops[j] = scores[some].max()
        p = np.exp(scores[some] - tops[j])
        part[j], sums[j] = p @ wide(v[0, some]), p.sum()
    outs = [zeros("f32", 3, 32), zeros("f32", 3, 1), zeros("f32", 3, 1)]
    args = [q, k, v, *outs, np.float32(0.25)]
    return Launch(args, (3,), {3: part, 4: tops, 5: sums}, 2e-5)


@launch("attention_merge_f32")
def merge() -> Launch:
    part, tops = normal("f32", 5, 32), normal("f32", 5, 1)
    sums = np.abs(normal("f32", 5, 1, seed=1)) + np.float32(0.5)
    weight = np.exp(wide(tops) - wide(tops).max())
    exact = (part * weight).sum(axis=0) / (sums * weight).sum()
    args = [part, tops, sums, zeros("f32", 1, 32)]
    return Launch(args, (1,), {3: exact[None]}, CLOSE["f32"])


@launch("attention_linear_bf16")
def linear() -> Launch:
    q, k, v = (normal("bf16", 2, 40, 32, seed=s, scale=0.2) for s in range(3))
    scores = np.where(distance(40) >= 0, wide(q) @ np.swapaxes(wide(k), 1, 2), 0)
    exact = scores @ wide(v)
    args = [q, k, v, zeros("bf16", 2, 40, 32)]
    return Launch(args, (2,), {3: exact}, CLOSE["bf16"])


@launch("rope_f16")
def rope() -> Launch:
    x = normal("f16", 20, 64)
    angle = np.arange(20)[:, None] * 10000.0 ** (-np.arange(32) / 32)[None, :]
    c, s = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    a, b = wide(x[:, :32]), wide(x[:, 32:])
    exact = np.concatenate((a * c - b * s, b * c + a * s), axis=1)
    return Launch([x, c, s, zeros("f16", 20, 64)], (3,), {3: exact}, CLOSE["f16"])


@launch("rope_pairs_f32")
def rope_pairs() -> Launch:
    x = normal("f32", 6, 32)
    step = -13.287712 * np.arange(16) / 16
    angle = np.arange(6)[:, None] * np.exp2(step)[None, :]
    c, s = np.cos(angle), np.sin(angle)
    a, b = wide(x[:, ::2]), wide(x[:, 1::2])
    exact = np.stack((a * c - b * s, b * c + a * s), axis=2).reshape(6, 32)
    return Launch([x, zeros("f32", 6, 32)], (2,), {1: exact}, 1e-5)


@launch("cache_write_f8")
def cache_write() -> Launch:
    fresh = normal("f32", 12, 32)
    slots = np.random.default_rng(1).permutation(20)[:16].astype(np.int32)
    slots[[3, 7, 12, 13, 14, 15]] = -1
    pages = zeros("f8e4m3", 5, 4, 32)
    exact = pages.reshape(20, 32).copy()
    for row, slot in enumerate(slots[:12]):
        if slot >= 0:
            exact[slot] = fresh[row].astype(KINDS["f8e4m3"])
    args = [fresh, slots, pages]
    return Launch(args, (2,), {2: exact.reshape(5, 4, 32)})
