# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers by counters, and sampling from distributions."""

import cuda.tile as ct
from registry import NEG_INF, ConstInt, add


def philox(counter, key):
    """Philox 2x32 of 10 rounds: two words of random bits per counter."""
    left, right = counter, ct.zeros(counter.shape, dtype=ct.uint32)
    for _ in ct.static_iter(range(10)):
        product = ct.astype(left, ct.uint64) * 0xD256D193
        high = ct.astype(product >> 32, ct.uint32)
        low = ct.astype(product & 0xFFFFFFFF, ct.uint32)
        left, right = high ^ key ^ right, low
        key = key + 0x9E3779B9
    return left, right


def uniform(bits):
    """From (0, 1), in steps of 2^-24, shifted by half a step."""
    return (ct.astype(bits >> 8, ct.float32) + 0.5) * (1.0 / 16777216.0)


@ct.kernel
def random_bits(y, z, key, size: ConstInt):
    i = ct.bid(0)
    counter = ct.astype(i * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    a, b = philox(counter, key)
    ct.store(y, (i,), a)
    ct.store(z, (i,), b)


add("random_bits_u32", random_bits, "u32*1", "u32*1", "u32", 32)


@ct.kernel
def random_normal(y, key, size: ConstInt):
    """By the method of Box and Muller."""
    i = ct.bid(0)
    counter = ct.astype(i * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    a, b = philox(counter, key)
    radius = ct.sqrt(-2.0 * ct.log(uniform(a)))
    angle = 6.2831853 * uniform(b)
    ct.store(y, (2 * i,), radius * ct.cos(angle))
    ct.store(y, (2 * i + 1,), radius * ct.sin(angle))


add("random_normal_f32", random_normal, "f32*1", "u32", 32)


@ct.kernel
def dropout_philox(x, y, key, keep: float, size: ConstInt):
    i = ct.bid(0)
    counter = ct.astype(i * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    bits, _ = philox(counter, key)
    tile = ct.load(x, (i,), (size,))
    scaled = ct.astype(ct.astype(tile, ct.float32) / keep, y.dtype)
    ct.store(y, (i,), ct.where(uniform(bits) < keep, scaled, 0))


add("dropout_philox_f16", dropout_philox, "f16*1", "f16*1", "u32", "f32", 64)


@ct.kernel
def gumbel(logits, y, key, temperature: float, size: ConstInt):
    """One draw per row: the largest of logits and Gumbel noise."""
    row = ct.bid(0)
    tile = ct.load(logits, (row, 0), (1, size), padding_mode=NEG_INF)
    counter = ct.astype(row * size + ct.arange(size, dtype=ct.int32), ct.uint32)
    bits, _ = philox(counter, key)
    noise = -ct.log(-ct.log(uniform(bits)))
    noisy = ct.astype(tile, ct.float32) / temperature + noise[None, :]
    ct.store(y, (row,), ct.argmax(noisy, axis=1))


add("gumbel_f32", gumbel, "f32*2", "i32*1", "u32", "f32", 64)


@ct.kernel
def draw(p, u, y, rows: ConstInt, size: ConstInt):
    """By the inverse of the running sum."""
    i = ct.bid(0)
    running = ct.cumsum(ct.load(p, (i, 0), (rows, size)), axis=1)
    threshold = ct.load(u, (i,), (rows,))[:, None] * ct.max(running, 1, keepdims=True)
    below = ct.astype(running <= threshold, ct.int32)
    ct.store(y, (i,), ct.minimum(ct.sum(below, axis=1), size - 1))


add("draw_f32", draw, "f32*2", "f32*1", "i32*1", 4, 32)


@ct.kernel
def nucleus(p, y, limit: float, size: ConstInt):
    """Keeps the likeliest elements of a row that together reach a limit.

    The threshold is found by bisection.
    """
    row = ct.bid(0)
    tile = ct.load(p, (row, 0), (1, size))
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) * 0.5
        kept = ct.sum(ct.where(tile >= middle, tile, 0.0))
        if kept >= limit:
            low = middle
        else:
            high = middle
    ct.store(y, (row, 0), ct.where(tile >= low, tile, 0.0))


add("nucleus_f32", nucleus, "f32*2", "f32*2", "f32", 32)


@ct.kernel
def greedy(logits, penalty, seen, y, size: ConstInt):
    """The best token, those seen before made less likely; bf16 compared as f32."""
    row = ct.bid(0)
    tile = ct.astype(ct.load(logits, (row, 0), (1, size)), ct.float32)
    mask = ct.load(seen, (row, 0), (1, size))
    factor = ct.load(penalty, (row,), (1,)).item()
    less = ct.where(tile > 0.0, tile / factor, tile * factor)
    ct.store(y, (row,), ct.argmax(ct.where(mask, less, tile), axis=1))


add("greedy_bf16", greedy, "bf16*2", "f32*1", "b1*2", "i32*1", 64)
