# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in which many elements of a tile update one place, for streams.py."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from real_kernels import aligned
from stream_kernels import Sizes, Stream

from cuda_tile import builder as b


def _values(x: Any, shape: list[Any], tile: Sizes | tuple[int], at: list[Any]) -> Any:
    """A tile of an array whose extents are multiples of 16."""
    known = [b.assume_div_by(b.assume_bounded(n, 0, None), 16) for n in shape]
    strides = [known[-1], 1][-len(known) :]
    view = b.make_tensor_view(b.assume_div_by(x, 16), known, strides)
    tiles = b.make_partition_view(view, list(tile), padding_value="zero")
    return b.load_view_tko(tiles, at)[0]


def _counter(size: int, x: Any, out: Any, n: Any) -> None:
    """How many values are no multiple of 4: all elements update one place."""
    values = _values(x, [n], (size,), [b.get_tile_block_id()[0]])
    where = b.broadcast(b.reshape(out, [1]), [size])
    ones = b.constant(1, b.Int32, [size])
    b.atomic_rmw_tko(where, "add", ones, b.bitand(values, 3) != 0)


def _counter_launch(size: int) -> Any:
    x, out = aligned((4 * size,), np.int32), aligned((1,), np.int32)
    x[...] = np.random.default_rng(1).integers(0, 64, 4 * size)
    wanted = np.array([np.count_nonzero(x & 3)])
    return (4,), [x, out, np.int32(4 * size)], {1: wanted}


def _row_counts(tile: Sizes, x: Any, out: Any, rows: Any, columns: Any) -> None:
    """Sums of rows, of which each program adds a tile: one place for each row."""
    i, j, _ = b.get_tile_block_id()
    values = _values(x, [rows, columns], tile, [i, j])
    where = b.reshape(out + (i * tile[0] + b.iota(tile[0])), [tile[0], 1])
    b.atomic_rmw_tko(b.broadcast(where, list(tile)), "add", values)


def _row_counts_launch(tile: Sizes) -> Any:
    rows, columns = 2 * tile[0], 2 * tile[1]
    x, out = aligned((rows, columns), np.int32), aligned((rows,), np.int32)
    x[...] = np.random.default_rng(1).integers(0, 64, x.shape)
    args = [x, out, np.int32(rows), np.int32(columns)]
    return (2, 2), args, {1: x.sum(1)}


UPDATES = [
    Stream(
        "counter i32 1024",
        ([b.Int32], [b.Int32], b.Int32),
        partial(_counter, 1024),
        partial(_counter_launch, 1024),
        tolerance=0,
        goal={"atoms": "<0.01"},
    ),
    Stream(
        "row-counts i32 16x256",
        ([b.Int32], [b.Int32], b.Int32, b.Int32),
        partial(_row_counts, (16, 256)),
        partial(_row_counts_launch, (16, 256)),
        tolerance=0,
        goal={"atoms": "<0.01"},
    ),
]
