# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of zoo/kernels/sorting.py in Triton."""

import triton
import triton.language as tl


@triton.jit
def prefix_sums(x, y, totals, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tile = tl.load(x + i, i < n, other=0)
    tl.store(y + i, tl.cumsum(tile, 0) - tile, i < n)
    tl.store(totals + tl.program_id(0), tl.sum(tile, 0))


@triton.jit
def row_sums(x, y, n, width, ROWS: tl.constexpr, SIZE: tl.constexpr):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = tl.arange(0, SIZE)[None, :]
    at, ok = i * width + j, (i < n) & (j < width)
    tile = tl.load(x + at, ok, other=0.0).to(tl.float32)
    tl.store(y + at, tl.cumsum(tile, 1).to(y.dtype.element_ty), ok)


@triton.jit
def sort_rows(x, y, n, width, ROWS: tl.constexpr, LOG_SIZE: tl.constexpr):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = tl.arange(0, 1 << LOG_SIZE)[None, :]
    at, ok = i * width + j, (i < n) & (j < width)
    tl.store(y + at, tl.sort(tl.load(x + at, ok, other=float("inf")), 1), ok)


@triton.jit
def top_k(x, values, places, rows, n, K: tl.constexpr, SIZE: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, SIZE)
    tile = tl.load(x + row * n + j, j < n, other=float("-inf"))
    for k in range(K):
        top, best = tl.max(tile, 0, return_indices=True)
        tl.store(values + row * K + k, top)
        tl.store(places + row * K + k, best)
        tile = tl.where(j == best, float("-inf"), tile)


@triton.jit
def histogram(x, bins, n, count, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    value = tl.load(x + i, i < n, other=0).to(tl.int32)
    tl.atomic_add(bins + value, 1, (i < n) & (value < count), sem="relaxed")


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def running_maximum(x, y, n, width, ROWS: tl.constexpr, SIZE: tl.constexpr):
    i = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    j = tl.arange(0, SIZE)[None, :]
    at, ok = i * width + j, (i < n) & (j < width)
    tile = tl.load(x + at, ok, other=float("-inf"))
    tl.store(y + at, tl.associative_scan(tile, 1, larger), ok)


@triton.jit
def lower_bound(keys, queries, y, n, count, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    query = tl.load(queries + i, i < count, other=0)
    low = tl.zeros((SIZE,), tl.int32)
    high = low + n
    while tl.max(high - low, 0) > 0:
        middle = (low + high) // 2
        less = tl.load(keys + middle, middle < n, other=0) < query
        active = low < high
        low = tl.where(active & less, middle + 1, low)
        high = tl.where(active & (not less), middle, high)
    tl.store(y + i, low, i < count)


@triton.jit
def extremes(x, low, high, n, width, ROWS: tl.constexpr, SIZE: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, SIZE)
    ok = (i < n)[:, None] & (j < width)[None, :]
    tile = tl.load(x + i[:, None] * width + j[None, :], ok, other=0.0)
    tl.store(low + i, tl.min(tile, 1), i < n)
    tl.store(high + i, tl.max(tile, 1), i < n)
