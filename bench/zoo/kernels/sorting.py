# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, scans, selection, histograms."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np

from zoo.case import Array, Field, Launch, integers, near, normal, wide, zeros

ConstInt = ct.Constant[int]
ZERO, LOWEST = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
RELAXED = ct.MemoryOrder.RELAXED
FIELD = Field("sorting")


def _both(x: Array, y: Array, *_: Array) -> list[int]:
    return [x.size, y.size]


@ct.kernel
def prefix_sums(x, y, totals, size: ConstInt):
    """Sums before each element within a block, and the block's sum."""
    i = ct.bid(0)
    tile = ct.load(x, (i,), (size,), padding_mode=ZERO)
    ct.store(y, (i,), ct.cumsum(tile, axis=0) - tile)
    ct.store(totals, (i,), ct.sum(tile, axis=0, keepdims=True))


def _prefix_sums() -> Launch:
    x, y, totals = integers("i32", -99, 99, 8192), zeros("i32", 8192), zeros("i32", 4)
    parts = x.reshape(4, 2048)
    wanted = {1: (np.cumsum(parts, 1) - parts, 0), 2: (parts.sum(1), 0)}
    return Launch((4,), [x, y, totals], wanted)


FIELD.add(
    "prefix_sums_i32", prefix_sums, _prefix_sums, lambda x, *_: [x.size], SIZE=2048
)


@ct.kernel
def row_sums(x, y, rows: ConstInt, size: ConstInt):
    """Running sums of rows, in f32."""
    i = ct.bid(0)
    tile = ct.astype(ct.load(x, (i, 0), (rows, size), padding_mode=ZERO), ct.float32)
    ct.store(y, (i, 0), ct.astype(ct.cumsum(tile, axis=1), y.dtype))


def _row_sums() -> Launch:
    x, y = normal("f16", 32, 256), zeros("f16", 32, 256)
    found = near(np.cumsum(wide(x), 1), "f16", np.cumsum(np.abs(wide(x)), 1))
    return Launch((4,), [x, y], {1: found})


FIELD.add("row_sums_f16", row_sums, _row_sums, ROWS=8, SIZE=256)


@ct.kernel
def sort_rows(x, y, rows: ConstInt, log_size: ConstInt):
    """Sorts each row of 2^log_size elements by a bitonic network of reshapes."""
    i = ct.bid(0)
    size = 1 << log_size
    tile = ct.load(x, (i, 0), (rows, size))
    place = ct.arange(size, dtype=ct.int32)[None, :]
    for stage in ct.static_iter(range(1, log_size + 1)):
        up = (place >> stage) & 1
        for step in ct.static_iter(range(stage - 1, -1, -1)):
            half = 1 << step
            count = size // (2 * half)
            pairs = ct.reshape(tile, (rows, count, 2, half))
            first = ct.extract(pairs, (0, 0, 0, 0), (rows, count, 1, half))
            second = ct.extract(pairs, (0, 0, 1, 0), (rows, count, 1, half))
            other = ct.reshape(ct.cat((second, first), 2), (rows, size))
            take_large = (((place >> step) & 1) ^ up) != 0
            low, high = ct.minimum(tile, other), ct.maximum(tile, other)
            tile = ct.where(take_large, high, low)
    ct.store(y, (i, 0), tile)


def _sort_rows() -> Launch:
    x, y = normal("f32", 32, 128), zeros("f32", 32, 128)
    return Launch((4,), [x, y], {1: (np.sort(x, 1), 0)})


FIELD.add("sort_rows_f32", sort_rows, _sort_rows, ROWS=8, LOG_SIZE=7)


@ct.kernel
def top_k(x, values, places, k: ConstInt, size: ConstInt):
    """The k largest of a row, one after another."""
    row = ct.bid(0)
    tile = ct.load(x, (row, 0), (1, size), padding_mode=LOWEST)
    column = ct.arange(size, dtype=ct.int32)[None, :]
    for j in range(k):
        best = ct.argmax(tile, axis=1, keepdims=True)
        ct.store(values, (row, j), ct.max(tile, axis=1, keepdims=True))
        ct.store(places, (row, j), best)
        tile = ct.where(column == best, float("-inf"), tile)


def _top_k() -> Launch:
    x, values, places = normal("f32", 4, 512), zeros("f32", 4, 8), zeros("i32", 4, 8)
    order = np.argsort(-x, 1, kind="stable")[:, :8]
    wanted = {1: (np.take_along_axis(x, order, 1), 0), 2: (order, 0)}
    return Launch((4,), [x, values, places], wanted)


FIELD.add("top_k_f32", top_k, _top_k, K=8, SIZE=512)


@ct.kernel
def histogram(x, bins, size: ConstInt):
    i = ct.bid(0)
    value = ct.astype(ct.load(x, (i,), (size,)), ct.int32)
    ct.atomic_add(bins, value, 1, memory_order=RELAXED)


def _histogram() -> Launch:
    x, bins = integers("u8", 0, 256, 8192), zeros("i32", 256)
    return Launch((4,), [x, bins], {1: (np.bincount(x, minlength=256), 0)})


FIELD.add("histogram_u8", histogram, _histogram, _both, SIZE=2048)


@ct.kernel
def running_maximum(x, y, rows: ConstInt, size: ConstInt):
    i = ct.bid(0)
    tile = ct.load(x, (i, 0), (rows, size), padding_mode=LOWEST)
    ct.store(y, (i, 0), ct.scan(tile, 1, ct.maximum, float("-inf")))


def _running_maximum() -> Launch:
    x, y = normal("f32", 16, 512), zeros("f32", 16, 512)
    return Launch((4,), [x, y], {1: (np.maximum.accumulate(x, 1), 0)})


FIELD.add("running_maximum_f32", running_maximum, _running_maximum, ROWS=4, SIZE=512)


@ct.kernel
def lower_bound(keys, queries, y, size: ConstInt):
    """Binary search, all queries of a block at once."""
    i = ct.bid(0)
    query = ct.load(queries, (i,), (size,))
    low = ct.zeros((size,), dtype=ct.int32)
    high = ct.full((size,), keys.shape[0], dtype=ct.int32)
    while ct.max(high - low) > 0:
        middle = (low + high) // 2
        less = ct.gather(keys, middle) < query
        active = low < high
        low = ct.where(active & less, middle + 1, low)
        high = ct.where(active & (~less), middle, high)
    ct.store(y, (i,), low)


def _lower_bound() -> Launch:
    keys, queries = zeros("i32", 1000), integers("i32", -10, 5010, 1024)
    keys[...] = np.sort(np.random.default_rng(1).integers(0, 5000, 1000))
    exact = np.searchsorted(keys, queries)
    return Launch((4,), [keys, queries, zeros("i32", 1024)], {2: (exact, 0)})


FIELD.add("lower_bound_i32", lower_bound, _lower_bound, _both, SIZE=256)


@ct.kernel
def extremes(x, low, high, rows: ConstInt, size: ConstInt):
    """The least and the largest of each row."""
    i = ct.bid(0)
    tile = ct.load(x, (i, 0), (rows, size))
    ct.store(low, (i,), ct.min(tile, axis=1))
    ct.store(high, (i,), ct.max(tile, axis=1))


def _extremes() -> Launch:
    x, low, high = normal("f16", 64, 512), zeros("f16", 64), zeros("f16", 64)
    return Launch(
        (4,), [x, low, high], {1: (wide(x).min(1), 0), 2: (wide(x).max(1), 0)}
    )


FIELD.add("extremes_f16", extremes, _extremes, ROWS=16, SIZE=512)
