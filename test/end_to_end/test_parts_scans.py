# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans of rows that no registers hold, part by part."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

import stream_kernels as k
from stream_kernels import Stream
from stream_runs import run_everywhere
from test_parts import LEVELS, ONE_WARP, loops

import cuda_tile
from cuda_tile import builder as b

pytestmark = pytest.mark.sampled(2)

ROW = 8192
"""As much as 32 threads cannot hold."""
Body = Callable[[int, Any, Any], None]


def run(stream: Stream) -> None:
    """On the interpreter after passes, then on the emulator."""
    run_everywhere(stream, LEVELS, replace(ONE_WARP, gpu="sm_80"))


def _views(columns: int, x: Any, y: Any) -> tuple[Any, Any]:
    source = b.make_tensor_view(x, [2, columns], [columns, 1])
    target = b.make_tensor_view(y, [2, columns], [columns, 1])
    return (
        b.make_partition_view(source, [1, ROW], padding_value="zero"),
        b.make_partition_view(target, [1, ROW]),
    )


def running_sum(columns: int, x: Any, y: Any, *, reverse: bool = False) -> None:
    source, target = _views(columns, x, y)
    row = b.get_tile_block_id()[0]
    tile = b.load_view_tko(source, [row, 0])[0]
    sums = b.scan(tile, 1, 0.0, lambda p, q: p + q, reverse=reverse)
    b.store_view_tko(sums, target, [row, 0])


def last_other(columns: int, x: Any, y: Any, *, reverse: bool = False) -> None:
    """The last element so far that is not 0: associative, but in one order only."""
    source, target = _views(columns, x, y)
    row = b.get_tile_block_id()[0]
    tile = b.load_view_tko(source, [row, 0])[0]

    def choose(element: Any, before: Any) -> Any:
        none = b.constant(0.0, b.Float32)
        return b.select(b.cmpf("equal", element, none), before, element)

    b.store_view_tko(b.scan(tile, 1, 0.0, choose, reverse=reverse), target, [row, 0])


def share_of_prefixes(columns: int, x: Any, y: Any) -> None:
    """Prefixes less the greatest of them: once for the maximum, once for the store."""
    source, target = _views(columns, x, y)
    row = b.get_tile_block_id()[0]
    tile = b.load_view_tko(source, [row, 0])[0]
    sums = b.scan(tile, 1, 0.0, lambda p, q: p + q)
    most = b.reduce(sums, 1, float("-inf"), lambda p, q: b.maxf(p, q))
    out = sums - b.broadcast(b.reshape(most, [1, 1]), [1, ROW])
    b.store_view_tko(out, target, [row, 0])


def _numbers(columns: int) -> Any:
    """Whole numbers, whose sums are exact, many of them 0."""
    rng = np.random.default_rng(columns)
    x = rng.integers(-9, 9, (2, columns)) * (rng.random((2, columns)) < 0.1)
    return x.astype(np.float32)


def _last_other(x: Any) -> Any:
    places = np.where(x != 0, np.arange(x.shape[1]), 0)
    return np.take_along_axis(x, np.maximum.accumulate(places, 1), 1)


def _shares(x: Any) -> Any:
    sums = x.cumsum(1)
    whole = np.concatenate([sums, sums[:, -1:]], 1)  # padding repeats the last one
    return sums - whole.max(1, keepdims=True)


CASES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "sum": (running_sum, lambda x: x.cumsum(1)),
    "sum back": (
        partial(running_sum, reverse=True),
        lambda x: x[:, ::-1].cumsum(1)[:, ::-1],
    ),
    "last": (last_other, _last_other),
    "last back": (
        partial(last_other, reverse=True),
        lambda x: _last_other(x[:, ::-1])[:, ::-1],
    ),
    "share": (share_of_prefixes, _shares),
}


def kernel(name: str, columns: int) -> Stream:
    """A scan of two rows."""
    body, exact = CASES[name]

    def launch() -> Any:
        x = _numbers(columns)
        return (2,), [x, np.zeros_like(x)], {1: exact(x).copy()}

    return Stream(
        "scan", ([b.Float32],) * 2, partial(body, columns), launch, tolerance=0
    )


SIZES = [("sum", ROW), ("sum back", ROW), ("sum back", 48), ("last", 48)]
"""Beside rows that end within a part: those of the tile's length, and of one part."""


@pytest.mark.parametrize(("name", "columns"), [*SIZES, *((n, 5008) for n in CASES)])
def test_scans_in_parts(name: str, columns: int) -> None:
    """Rows as long as the tile, shorter ones, and one shorter than a part."""
    stream = kernel(name, columns)
    assert loops(stream) == (4 if name == "share" else 1)
    run(stream)


def both_ways(columns: int, x: Any, y: Any) -> None:
    source, target = _views(columns, x, y)
    tile = b.load_view_tko(source, [0, 0])[0]
    there = b.scan(tile, 1, 0.0, lambda p, q: p + q)
    back = b.scan(tile, 1, 0.0, lambda p, q: p + q, reverse=True)
    b.store_view_tko(there - back, target, [0, 0])


def test_parts_have_one_order() -> None:
    """Prefixes and suffixes of a row need parts in two orders, and are left alone."""
    stream = replace(kernel("sum", ROW), body=partial(both_ways, ROW))
    assert loops(stream) == 0


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
def test_long_scans_do_not_spill(gpu: str) -> None:
    stream = {stream.name: stream for stream in k.STREAMS}["cumsum f32 1M"]
    compiled = cuda_tile.compile(stream.module(), gpu)
    (report,) = compiled.report.kernels
    assert report.spill_bytes == 0
    assert any("computed in parts of" in text for text in report.remarks)
