# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/sampling.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def temperature(x, temperatures, y, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=float("-inf")).to(tl.float32)
    tile = tile / tl.load(temperatures + row)
    powers = tl.exp(tile - tl.max(tile, 0))
    tl.store(y + row * n + j, powers / tl.sum(powers, 0), j < n)


@triton.jit
def greedy(x, y, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=float("-inf"))
    tl.store(y + row, tl.argmax(tile, 0))


@triton.jit
def mixed(bits):
    bits = bits ^ (bits >> 16)
    bits = bits * 0x7FEB352D
    bits = bits ^ (bits >> 15)
    bits = bits * 0x846CA68B
    return bits ^ (bits >> 16)


@triton.jit
def dropout(x, y, n, seed, keep, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    bits = mixed((i + seed).to(tl.uint32))
    uniform = (bits >> 8).to(tl.float32) * (1.0 / 16777216.0)
    tile = tl.load(x + i, i < n).to(tl.float32)
    out = tl.where(uniform < keep, tile * (1.0 / keep), 0.0)
    tl.store(y + i, out.to(y.dtype.element_ty), i < n)


@triton.jit
def gumbel(x, y, rows, n, seed, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=float("-inf"))
    bits = (mixed((row * SIZE + j + seed).to(tl.uint32)) >> 8).to(tl.float32)
    noise = -tl.log(-tl.log((bits + 0.5) * (1.0 / 16777216.0)))
    tl.store(y + row, tl.argmax(tile + noise, 0))


@triton.jit
def draw(p, u, y, rows, n, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    running = tl.cumsum(tl.load(p + row * n + j, j < n, other=0.0), 0)
    below = (running <= tl.load(u + row)).to(tl.int32)
    tl.store(y + row, tl.minimum(tl.sum(below, 0), SIZE - 1))


@triton.jit
def min_p(x, y, rows, n, fraction, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=float("-inf"))
    powers = tl.exp(tile - tl.max(tile, 0))
    kept = tl.where(powers >= fraction, powers, 0.0)
    tl.store(y + row * n + j, kept / tl.sum(kept, 0), j < n)


@triton.jit
def penalise(x, counts, y, rows, n, repeat, present, often, SIZE: tl.constexpr):
    j = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    at, ok = tl.program_id(0) * n + j, j < n
    tile = tl.load(x + at, ok).to(tl.float32)
    count = tl.load(counts + at, ok).to(tl.float32)
    less = tl.where(tile > 0.0, tile / repeat, tile * repeat) - present
    out = tl.where(count > 0.0, less - often * count, tile)
    tl.store(y + at, out.to(y.dtype.element_ty), ok)


@triton.jit
def nucleus(p, y, rows, n, limit, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(p + row * n + j, j < n, other=0.0)
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) * 0.5
        enough = tl.sum(tl.where(tile >= middle, tile, 0.0), 0) >= limit
        low = tl.where(enough, middle, low)
        high = tl.where(enough, high, middle)
    tl.store(y + row * n + j, tl.where(tile >= low, tile, 0.0), j < n)
