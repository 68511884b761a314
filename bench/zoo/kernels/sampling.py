# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sampling of tokens, and random numbers."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, integers, near, normal, uniform, wide, zeros

ConstInt = ct.Constant[int]
ZERO, LOWEST = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
FIELD = Field("sampling")


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


@ct.kernel
def temperature(x, temperatures, y, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    tile = ct.astype(tile, ct.float32) / ct.load(temperatures, (row,), (1,))[:, None]
    powers = ct.exp(tile - ct.max(tile, axis=1, keepdims=True))
    ct.store(y, (row, 0), powers / ct.sum(powers, axis=1, keepdims=True))


def _temperature() -> Launch:
    x, t, y = normal("f16", 4, 4000), uniform("f32", 0.5, 2, 4), zeros("f32", 4, 4000)
    exact = _softmax(wide(x) / wide(t)[:, None])
    return Launch((4,), [x, t, y], {2: near(exact, "f32", None, 128)})


FIELD.add("temperature_f16", temperature, _temperature, warps=8, SIZE=4096)


@ct.kernel
def greedy(x, y, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    ct.store(y, (row,), ct.argmax(tile, axis=1))


def _greedy() -> Launch:
    x, y = normal("f32", 4, 4000), zeros("i32", 4)
    return Launch((4,), [x, y], {1: (x.argmax(1), 0)})


FIELD.add("greedy_f32", greedy, _greedy, SIZE=4096)


def mixed(bits):
    """A hash of 32 bits in which each input bit moves each output bit."""
    bits = bits ^ (bits >> 16)
    bits = bits * 0x7FEB352D
    bits = bits ^ (bits >> 15)
    bits = bits * 0x846CA68B
    return bits ^ (bits >> 16)


def _mixed(bits: Array) -> Array:
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        bits = (bits ^ (bits >> np.uint32(shift))) * np.uint32(factor)
    return bits ^ (bits >> np.uint32(16))


@ct.kernel
def dropout(x, y, seed: ct.Scalar, keep: float, size: ConstInt):
    i = ct.bid(0)
    place = ct.astype(i * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    uniform_ = ct.astype(mixed(place + ct.astype(seed, ct.uint32)) >> 8, ct.float32) * (
        1.0 / 16777216.0
    )
    tile = ct.astype(ct.load(x, (i,), (size,)), ct.float32)
    out = ct.where(uniform_ < keep, tile * (1.0 / keep), 0.0)
    ct.store(y, (i,), ct.astype(out, y.dtype))


def _dropout() -> Launch:
    x, y, keep = normal("bf16", 8192), zeros("bf16", 8192), np.float32(0.75)
    bits = _mixed(np.arange(8192, dtype=np.uint32) + np.uint32(12345))
    exact = np.where((bits >> np.uint32(8)) / 2.0**24 < keep, wide(x) / 0.75, 0)
    return Launch((8,), [x, y, np.int32(12345), keep], {1: near(exact, "bf16")})


FIELD.add("dropout_bf16", dropout, _dropout, SIZE=1024)


@ct.kernel
def gumbel(x, y, seed: ct.Scalar, size: ConstInt):
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    place = ct.astype(row * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    bits = ct.astype(mixed(place + ct.astype(seed, ct.uint32)) >> 8, ct.float32)
    noise = -ct.log(-ct.log((bits + 0.5) * (1.0 / 16777216.0)))
    ct.store(y, (row,), ct.argmax(tile + noise[None, :], axis=1))


def _gumbel() -> Launch:
    x, y = normal("f32", 4, 2000), zeros("i32", 4)
    place = np.arange(4 * 2048, dtype=np.uint32).reshape(4, 2048)[:, :2000]
    bits = (_mixed(place + np.uint32(777)) >> np.uint32(8)) + 0.5
    noisy = wide(x) - np.log(-np.log(bits / 2.0**24))
    best = np.sort(noisy, 1)
    assert (best[:, -1] - best[:, -2] > 1e-4).all()
    return Launch((4,), [x, y, np.int32(777)], {1: (noisy.argmax(1), 0)})


FIELD.add("gumbel_f32", gumbel, _gumbel, SIZE=2048)


@ct.kernel
def draw(p, u, y, size: ConstInt):
    """By the inverse of the running sum."""
    row = ct.bid(0)
    running = ct.cumsum(ct.load(p, (row, 0), (1, size), padding_mode=ZERO), axis=1)
    below = ct.astype(running <= ct.load(u, (row,), (1,))[:, None], ct.int32)
    ct.store(y, (row,), ct.minimum(ct.sum(below, axis=1), size - 1))


def _draw() -> Launch:
    p, u, y = zeros("f32", 4, 1024), uniform("f32", 0.1, 0.9, 4), zeros("i32", 4)
    p[...] = _softmax(wide(normal("f32", 4, 1024)))
    running = np.cumsum(wide(p), 1)
    assert np.abs(running - wide(u)[:, None]).min() > 1e-6
    return Launch((4,), [p, u, y], {2: ((running <= wide(u)[:, None]).sum(1), 0)})


FIELD.add("draw_f32", draw, _draw, SIZE=1024)


@ct.kernel
def min_p(x, y, fraction: float, size: ConstInt):
    """Drops tokens less likely than a fraction of the likeliest; scales the rest."""
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    powers = ct.exp(tile - ct.max(tile, axis=1, keepdims=True))
    kept = ct.where(powers >= fraction, powers, 0.0)
    ct.store(y, (row, 0), kept / ct.sum(kept, axis=1, keepdims=True))


def _min_p() -> Launch:
    x, y = normal("f32", 4, 2048), zeros("f32", 4, 2048)
    powers = np.exp(wide(x) - wide(x).max(1, keepdims=True))
    assert np.abs(powers - 0.05).min() > 1e-7
    kept = np.where(powers >= 0.05, powers, 0)
    exact = kept / kept.sum(1, keepdims=True)
    return Launch((4,), [x, y, np.float32(0.05)], {1: near(exact, "f32", None, 128)})


FIELD.add("min_p_f32", min_p, _min_p, SIZE=2048)


@ct.kernel
def penalise(x, counts, y, repeat: float, present: float, often: float, size: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.astype(ct.load(x, (i, j), (1, size)), ct.float32)
    count = ct.astype(ct.load(counts, (i, j), (1, size)), ct.float32)
    less = ct.where(tile > 0.0, tile / repeat, tile * repeat) - present
    out = ct.where(count > 0.0, less - often * count, tile)
    ct.store(y, (i, j), ct.astype(out, y.dtype))


def _penalise() -> Launch:
    x, y = normal("bf16", 4, 4096), zeros("bf16", 4, 4096)
    counts = integers("i32", 0, 3, 4, 4096)
    wide_x, n = wide(x), wide(counts)
    less = np.where(wide_x > 0, wide_x / 1.25, wide_x * 1.25) - 0.5 - 0.25 * n
    exact = np.where(n > 0, less, wide_x)
    numbers = [np.float32(value) for value in (1.25, 0.5, 0.25)]
    found = near(exact, "bf16", np.abs(wide_x) + 2)
    return Launch((4, 2), [x, counts, y, *numbers], {2: found})


FIELD.add("penalise_bf16", penalise, _penalise, SIZE=2048)


@ct.kernel
def nucleus(p, y, limit: float, size: ConstInt):
    """The threshold above which elements add up to a limit, by bisection."""
    row = ct.bid(0)
    tile = ct.load(p, (row, 0), (1, size), padding_mode=ZERO)
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) * 0.5
        if ct.sum(ct.where(tile >= middle, tile, 0.0)) >= limit:
            low = middle
        else:
            high = middle
    ct.store(y, (row, 0), ct.where(tile >= low, tile, 0.0))


def _nucleus() -> Launch:
    p, y = zeros("f32", 4, 1024), zeros("f32", 4, 1024)
    p[...] = _softmax(wide(normal("f32", 4, 1024)))
    exact = np.zeros(p.shape)
    for row, line in enumerate(wide(p)):
        low, high = 0.0, 1.0
        for _ in range(12):
            middle = (low + high) / 2
            total = line[line >= middle].sum()
            assert abs(total - 0.8) > 1e-5
            low, high = (middle, high) if total >= 0.8 else (low, middle)
        exact[row] = np.where(line >= low, line, 0)
    return Launch((4,), [p, y, np.float32(0.8)], {1: (exact, 0)})


FIELD.add("nucleus_f32", nucleus, _nucleus, SIZE=1024)
