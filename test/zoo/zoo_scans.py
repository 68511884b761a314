# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""References of `test/kernels/zoo/scans.py`."""

from __future__ import annotations

import itertools

import numpy as np
from zoo_launch import (
    CLOSE,
    Launch,
    integers,
    launch,
    normal,
    tiles,
    uniform,
    wide,
    zeros,
)


@launch("prefix_sum_i32", "i32", 150, 64)
@launch("prefix_sum_i64", "i64", 70, 32)
def prefix_sum(kind: str, size: int, tile: int) -> Launch:
    x = integers(kind, -(2**31), 2**31 - 1, size)
    (blocks,) = tiles((size, tile))
    y, totals = np.zeros_like(x), zeros(kind, blocks)
    with np.errstate(over="ignore"):
        for i in range(blocks):
            part = x[i * tile : (i + 1) * tile]
            running = np.cumsum(part, dtype=x.dtype)
            y[i * tile : (i + 1) * tile], totals[i] = running - part, running[-1]
    args = [x, np.zeros_like(y), np.zeros_like(totals)]
    return Launch(args, (blocks,), {1: y, 2: totals})


@launch("prefix_chain_i32")
def prefix_chain() -> Launch:
    x = integers("i32", -100, 100, 150)
    args = [x, zeros("i32", 150), zeros("i32", 5), zeros("i32", 5)]
    return Launch(args, (5,), {1: np.cumsum(x, dtype=np.int32)})


@launch("segmented_sum_f32")
def segmented_sum() -> Launch:
    x, heads = normal("f32", 8, 32), (integers("i32", 0, 6, 8, 32) == 0)
    y = np.zeros((8, 32))
    for i, j in itertools.product(range(8), range(32)):
        y[i, j] = x[i, j] + (0 if j == 0 or heads[i, j] else y[i, j - 1])
    args = [x, heads.astype(np.int32), zeros("f32", 8, 32)]
    return Launch(args, (2,), {2: y}, CLOSE["f32"])


@launch("recurrence_f32")
def recurrence() -> Launch:
    a, b = uniform("f32", 0.5, 1.0, 48, 16), normal("f32", 48, 16)
    y, state = np.zeros((48, 16)), np.zeros(16)
    for i in range(48):
        state = wide(a[i]) * state + b[i]
        y[i] = state
    return Launch([a, b, zeros("f32", 48, 16)], (2,), {2: y}, CLOSE["f32"])


@launch("running_maximum_i16", 1)
@launch("running_maximum_back_i16", -1)
def running_maximum(step: int) -> Launch:
    x = integers("i16", -32768, 32767, 8, 32)
    y = np.maximum.accumulate(x[:, ::step], axis=1)[:, ::step]
    return Launch([x, zeros("i16", 8, 32)], (2,), {1: y})


@launch("running_product_f64")
def running_product() -> Launch:
    x = uniform("f64", 0.5, 1.5, 16, 8)
    y = np.cumprod(x[::-1], axis=0)[::-1]
    return Launch([x, zeros("f64", 16, 8)], (2,), {1: y}, CLOSE["f64"])


@launch("sort_bitonic_i32", "i32", 5, 2, 16)
@launch("sort_bitonic_f16", "f16", 8, 4, 8)
def sort_bitonic(kind: str, rows: int, tile: int, size: int) -> Launch:
    if kind == "i32":
        x = integers(kind, -(2**31), 2**31 - 1, rows, size)
    else:
        x = normal(kind, rows, size)
    grid = tiles((rows, tile))
    return Launch([x, np.zeros_like(x)], grid, {1: np.sort(x, axis=1)})


@launch("sort_pairs_u32")
def sort_pairs() -> Launch:
    keys, values = integers("u32", 0, 2**32, 32), normal("f32", 32)
    keys[10:20] = keys[5]
    order = np.argsort(keys, kind="stable")
    args = [keys, values, zeros("u32", 32), zeros("f32", 32)]
    return Launch(args, (1,), {2: keys[order], 3: values[order]})


@launch("radix_pass_i32")
def radix_pass() -> Launch:
    x = integers("i32", 0, 1000, 64)
    y = x[np.argsort((x >> 4) & 3, kind="stable")]
    return Launch([x, zeros("i32", 64), np.int32(4)], (1,), {1: y})


@launch("compact_i32")
def compact() -> Launch:
    x = integers("i32", -50, 50, 150)
    kept = x[x > 0]
    y = np.concatenate((kept, np.zeros(150 - len(kept), np.int32)))
    count = np.array([len(kept)], np.int32)
    args = [x, zeros("i32", 150), zeros("i32", 1)]
    return Launch(args, (3,), {1: y, 2: count}, any_order=(1,))


@launch("changes_u8")
def changes() -> Launch:
    x = integers("u8", 0, 3, 64)
    y = np.concatenate(([1], 1 + np.cumsum(x[1:] != x[:-1])))
    return Launch([x, zeros("i32", 64)], (1,), {1: y})


@launch("top_k_f32")
def top_k() -> Launch:
    x = normal("f32", 4, 50)
    x[1, 20] = x[1, 30] = 9.0
    order = np.argsort(-x, axis=1, kind="stable")[:, :4]
    args = [x, zeros("f32", 4, 4), zeros("i32", 4, 4)]
    expected = {1: np.take_along_axis(x, order, 1), 2: order}
    return Launch(args, (4,), expected)


@launch("lower_bound_i64")
def lower_bound() -> Launch:
    keys = np.sort(integers("i64", -(2**40), 2**40, 37))
    queries = integers("i64", -(2**40), 2**40, 48, seed=1)
    queries[:5] = keys[[0, 3, 36, 20, 20]]
    y = np.searchsorted(keys, queries)
    return Launch([keys, queries, zeros("i32", 48)], (3,), {2: y})
