# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of a kernel's own over rows that no registers hold, part by part."""

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
LOOP = {stream.name: stream for stream in k.STREAMS}["softmax f32 1M loop"]


def run(stream: Stream) -> None:
    """On the interpreter after passes, then on the emulator."""
    run_everywhere(stream, LEVELS, replace(ONE_WARP, gpu="sm_80"))


@pytest.mark.parametrize("columns", [3 * 4096, 9232, 4112, 16])
def test_softmax_over_tiles_of_a_longer_row(columns: int) -> None:
    """Two tiles of 4096 are carried, which are all registers of a warp."""
    stream = replace(
        LOOP,
        body=partial(k.softmax_chunks, 4096),
        launch=partial(k.softmax_launch, "f32", 2, columns),
    )
    assert loops(stream) == 4, "two for the sums, one around one for the result"
    run(stream)


@pytest.mark.parametrize("place", ["row_tiling", "emulator"])
def test_odd_numbers_in_tiles_of_a_longer_row(place: str) -> None:
    """Infinities, NaN and the lowest number: the same as of the kernel's text."""
    columns = 9232
    module = replace(LOOP, body=partial(k.softmax_chunks, 4096)).module()
    x = k.softmax_launch("f32", 6, columns)[1][0]
    x[0, 7] = np.inf
    x[1, 5000] = np.nan
    x[2, ::2] = -np.inf
    x[3] *= 1e30
    x[4, :4096] = -np.inf
    x[5] = np.finfo(np.float32).min
    args = [x, np.zeros_like(x), np.int32(6), np.int32(columns)]
    cuda_tile.run(module, grid=(6,), args=args)
    wanted, args[1] = args[1], np.zeros_like(x)
    options = replace(ONE_WARP, gpu="sm_80")
    if place == "row_tiling":
        lowered = cuda_tile.lower(module, until="row_tiling", options=options)
        cuda_tile.run(cuda_tile.load(str(lowered).encode()), grid=(6,), args=args)
    else:
        compiled = cuda_tile.compile(module, options=options, cubin=False)
        more: dict[str, Any] = {"on": "emulator", "mode": "adversarial"}
        more |= {"gpu": "sm_80", "compiled": compiled}
        cuda_tile.run(module, grid=(6,), args=args, **more)
    np.testing.assert_allclose(args[1], wanted, rtol=3e-6, atol=1e-30)


def _views(x: Any, y: Any, rows: int, columns: int, size: int = ROW) -> tuple[Any, Any]:
    source = b.make_tensor_view(x, [rows, columns], [columns, 1])
    target = b.make_tensor_view(y, [rows, columns], [columns, 1])
    return (
        b.make_partition_view(source, [1, size], padding_value="zero"),
        b.make_partition_view(target, [1, size]),
    )


def summed_rows(rows: int, columns: int, x: Any, y: Any) -> None:
    """Sums rows in order, with those that are odd counted from their number on."""
    source, target = _views(x, y, rows, columns)
    places = b.reshape(b.iota(ROW), [1, ROW])

    def add(i: Any, total: Any, least: Any) -> tuple[Any, Any]:
        tile = b.load_view_tko(source, [i, 0])[0]
        start = b.broadcast(b.reshape(b.andi(i, 1) * i, [1, 1]), [1, ROW])
        kept = b.select(places >= start, tile, b.constant(0.0, b.Float32, [1, ROW]))
        return total + kept, b.minf(least, tile)

    starts = [b.constant(0.0, b.Float32, [1, ROW])] * 2
    total, least = b.for_loop(0, rows, 1, starts, add)
    b.store_view_tko(total - least, target, [0, 0])


def summed_rows_launch(rows: int, columns: int) -> Any:
    x = np.random.default_rng(1).integers(-9, 9, (rows, columns)).astype(np.float32)
    kept = x.copy()
    for i in range(1, rows, 2):
        kept[i, :i] = 0
    y = np.zeros_like(x)
    y[0] = kept.sum(0) - np.minimum(x.min(0), 0)
    return (1,), [x, np.zeros_like(x)], {1: y}


def centred_rows(rows: int, columns: int, x: Any, y: Any) -> None:
    """Each row less its sum and the sum of those before it, in a loop."""
    source, target = _views(x, y, rows, columns)

    def centre(i: Any, before: Any) -> Any:
        tile = b.load_view_tko(source, [i, 0])[0]
        total = before + b.reduce(tile, 1, 0.0, lambda p, q: p + q)
        out = tile - b.broadcast(b.reshape(total, [1, 1]), [1, ROW])
        b.store_view_tko(out, target, [i, 0])
        return total

    b.for_loop(0, rows, 1, [b.constant(0.0, b.Float32, [1])], centre)


def centred_rows_launch(rows: int, columns: int) -> Any:
    x = np.random.default_rng(2).integers(-9, 9, (rows, columns)).astype(np.float32)
    y = x - np.cumsum(x.sum(1))[:, None]
    return (1,), [x, np.zeros_like(x)], {1: y}


def made(body: Callable[..., None], launch: Any, rows: int, columns: int) -> Stream:
    """A kernel of two arrays."""
    return Stream(
        "parts",
        ([b.Float32],) * 2,
        partial(body, rows, columns),
        partial(launch, rows, columns),
        tolerance=0,
    )


@pytest.mark.parametrize("columns", [ROW, 5008, 48])
def test_a_loop_that_carries_rows(columns: int) -> None:
    """It is repeated for each part; loads are not of the first index."""
    stream = made(summed_rows, summed_rows_launch, 5, columns)
    assert loops(stream) == 2
    run(stream)


@pytest.mark.parametrize("columns", [ROW, 5008, 48])
def test_a_loop_with_rows_of_its_own(columns: int) -> None:
    """It carries what a reduction gives: both loops over parts are in it."""
    stream = made(centred_rows, centred_rows_launch, 3, columns)
    assert loops(stream) == 5
    run(stream)


def stores_on_the_way(rows: int, columns: int, x: Any, y: Any) -> None:
    """As `summed_rows`, but each sum is stored."""
    source, target = _views(x, y, rows, columns)

    def add(i: Any, total: Any) -> Any:
        total = total + b.load_view_tko(source, [i, 0])[0]
        b.store_view_tko(total, target, [i, 0])
        return total

    b.for_loop(0, rows, 1, [b.constant(0.0, b.Float32, [1, ROW])], add)


def carries_a_number(rows: int, columns: int, x: Any, y: Any) -> None:
    """The loop carries a number beside the row."""
    source, target = _views(x, y, rows, columns)

    def add(i: Any, total: Any, number: Any) -> tuple[Any, Any]:
        return total + b.load_view_tko(source, [number, 0])[0], number + 1

    starts = [b.constant(0.0, b.Float32, [1, ROW]), 0]
    total, _ = b.for_loop(0, rows, 1, starts, add)
    b.store_view_tko(total, target, [0, 0])


def less_its_sum(size: int, rows: int, columns: int, x: Any, y: Any) -> None:
    """Sums of rows less the sum of these: two steps need what the loop leaves."""
    source, target = _views(x, y, rows, columns, size)

    def add(i: Any, *sums: Any) -> Any:
        tile = b.load_view_tko(source, [i, 0])[0]
        return tuple(each + tile for each in sums)

    starts = [b.constant(float(n), b.Float32, [1, size]) for n in range(2)]
    first, second = b.for_loop(0, rows, 1, starts, add)
    total = b.reduce(first, 1, 0.0, lambda p, q: p + q)
    out = second - b.broadcast(b.reshape(total, [1, 1]), [1, size])
    b.store_view_tko(out, target, [0, 0])


@pytest.mark.parametrize(
    "body", [stores_on_the_way, carries_a_number, partial(less_its_sum, ROW // 2)]
)
def test_loops_that_are_left_alone(body: Any) -> None:
    """The last one spills a little, and would be read twice."""
    assert loops(made(body, centred_rows_launch, 3, ROW)) == 1


def less_its_sum_launch(rows: int, columns: int) -> Any:
    x = np.random.default_rng(3).integers(-9, 9, (rows, columns)).astype(np.float32)
    y = np.zeros_like(x)
    y[0] = x.sum(0) + 1 - x.sum()
    return (1,), [x, np.zeros_like(x)], {1: y}


def test_a_loop_that_two_steps_need() -> None:
    """No registers hold its rows at all: it is repeated for each step."""
    stream = made(partial(less_its_sum, ROW), less_its_sum_launch, 3, 5008)
    assert loops(stream) == 8, "of each step two, with the loop in both"
    run(stream)


@pytest.mark.parametrize("gpu", ["sm_80", "sm_120"])
def test_carried_tiles_of_a_long_row_do_not_spill(gpu: str) -> None:
    """Two of 32 k elements are all registers that a multiprocessor has."""
    compiled = cuda_tile.compile(LOOP.module(), gpu)
    (report,) = compiled.report.kernels
    assert report.spill_bytes == 0
    assert report.registers <= 64, "room for a second CTA, and 32 KB on their way"
    assert any("computed in parts of 4096" in text for text in report.remarks)
