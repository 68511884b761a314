# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans of rows in parts: several operands, any dimension, with others of the row."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

from stream_kernels import Stream
from stream_runs import run_everywhere
from test_parts import LEVELS, ONE_WARP, loops

from cuda_tile import builder as b

pytestmark = pytest.mark.sampled(4)

ROW = 8192
"""As much as 32 threads cannot hold."""
Body = Callable[[Any], list[Any]]
"""Of a row of i32, what is stored of it."""


def run(stream: Stream) -> None:
    """On the interpreter at each level, then on the emulator."""
    run_everywhere(stream, ("simplify", *LEVELS), replace(ONE_WARP, gpu="sm_80"))


def plus(x: Any, y: Any) -> Any:
    return x + y


def cumsum(tile: Any, *, reverse: bool = False) -> Any:
    return b.scan(tile, tile.shape.index(ROW), 0, plus, reverse=reverse)


def spread(value: Any) -> Any:
    return b.broadcast(b.reshape(value, [1, 1]), [1, ROW])


def np_cumsum(x: Any, *, reverse: bool = False) -> Any:
    step = -1 if reverse else 1
    return x[:, ::step].cumsum(1, dtype=x.dtype)[:, ::step]


def of_integers(name: str, columns: int, made: Body, wanted: Body) -> Stream:
    """A kernel that stores what `made` makes of each row of i32.

    Args:
        name: What a failure says.
        columns: Elements of a row in memory; the tile has more, or as many.
        made: Builds the results of a tile, each of 1 x ROW.
        wanted: The same of NumPy's rows, padded with zeros.
    """
    data = np.random.default_rng(7).integers(-99, 99, (2, columns)).astype(np.int32)
    padded = np.zeros((2, ROW), np.int32)
    padded[:, :columns] = data
    results = [np.asarray(each) for each in wanted(padded)]
    assert all(each.dtype == np.int32 for each in results)

    def body(x: Any, *out: Any) -> None:
        views = [b.make_tensor_view(y, [2, columns], [columns, 1]) for y in (x, *out)]
        source = b.make_partition_view(views[0], [1, ROW], padding_value="zero")
        row = b.get_tile_block_id()[0]
        tile = b.load_view_tko(source, [row, 0])[0]
        for view, result in zip(views[1:], made(tile), strict=True):
            target = b.make_partition_view(view, [1, ROW])
            b.store_view_tko(result, target, [row, 0])

    def launch() -> Any:
        args = [data, *(np.zeros_like(data) for _ in results)]
        exact = {n: y[:, :columns] for n, y in enumerate(results, 1)}
        return (2,), args, exact

    parameters = ([b.Int32],) * (1 + len(results))
    return Stream(name, parameters, body, launch, tolerance=0)


@pytest.mark.parametrize("shape", [[ROW], [ROW, 1], [1, ROW, 1]])
@pytest.mark.parametrize("reverse", [False, True])
def test_along_any_dimension(shape: list[int], *, reverse: bool) -> None:
    def made(tile: Any) -> list[Any]:
        scanned = cumsum(b.reshape(tile, shape), reverse=reverse)
        return [b.reshape(scanned, [1, ROW])]

    run(of_integers("transposed", ROW, made, lambda x: [np_cumsum(x, reverse=reverse)]))


def test_single_elements_stay_as_they_are() -> None:
    """Along a dimension of one element nothing is carried."""
    stream = of_integers(
        "single", ROW, lambda tile: [b.scan(tile, 0, 0, plus)], lambda x: [x]
    )
    assert loops(stream) == 1
    run(stream)


@pytest.mark.parametrize("reverse", [False, True])
def test_bodies_that_are_not_commutative(*, reverse: bool) -> None:
    """x -> a x + c, one after another: two operands, whose order matters."""

    def after(a: Any, a_before: Any, c: Any, c_before: Any) -> list[Any]:
        return [a * a_before, a * c_before + c]

    def made(tile: Any) -> list[Any]:
        factors = b.bitor(tile, 1)
        return b.scan([factors, tile], 1, [1, 0], after, reverse=reverse)

    def wanted(x: Any) -> list[Any]:
        ordered = x[:, ::-1] if reverse else x
        a, c = np.ones(2, np.int32), np.zeros(2, np.int32)
        found: list[tuple[Any, Any]] = []
        for column in ordered.T:
            a, c = (column | 1) * a, (column | 1) * c + column
            found.append((a, c))
        rows = [np.stack(each, 1) for each in zip(*found, strict=True)]
        return [each[:, ::-1] if reverse else each for each in rows]

    stream = of_integers("affine", 5021, made, wanted)
    assert loops(stream) == 1
    run(stream)


def test_scans_of_scans_and_what_is_between() -> None:
    """One loop has all of them, and the numbers of elements."""

    def made(tile: Any) -> list[Any]:
        places = b.reshape(b.iota(ROW), [1, ROW])
        first = cumsum(b.bitxor(tile, places))
        return [first - places, cumsum(first + tile)]

    def wanted(x: Any) -> list[Any]:
        places = np.arange(ROW, dtype=np.int32)
        first = np_cumsum(x ^ places)
        with np.errstate(over="ignore"):
            return [first - places, np_cumsum(first + x)]

    stream = of_integers("twice", 5021, made, wanted)
    assert loops(stream) == 1
    run(stream)


def test_reductions_of_scans_and_scans_behind_reductions() -> None:
    """A sum is known before the loop that needs it begins, and scans anew."""

    def made(tile: Any) -> list[Any]:
        sums = cumsum(tile)
        most = b.reduce(sums, 1, -(2**31), lambda x, y: b.maxi(x, y))
        less = sums - spread(most)
        return [cumsum(b.andi(less, 15))]

    def wanted(x: Any) -> list[Any]:
        sums = np_cumsum(x)
        return [np_cumsum((sums - sums.max(1, keepdims=True)) & 15)]

    stream = of_integers("behind", 5021, made, wanted)
    assert loops(stream) == 4
    run(stream)


def test_softmax_of_a_scan() -> None:
    """The sum of powers is computed with the maximum, and both with the scan."""

    def body(x: Any, y: Any) -> None:
        views = [
            b.make_partition_view(b.make_tensor_view(p, [ROW], [1]), [ROW])
            for p in (x, y)
        ]
        sums = b.scan(b.load_view_tko(views[0], [0])[0], 0, 0.0, plus)
        most = b.reduce(sums, 0, float("-inf"), lambda p, q: b.maxf(p, q))
        power = b.exp(sums - b.broadcast(b.reshape(most, [1]), [ROW]))
        whole = b.reduce(power, 0, 0.0, plus)
        out = power / b.broadcast(b.reshape(whole, [1]), [ROW])
        b.store_view_tko(out, views[1], [0])

    def launch() -> Any:
        x = np.random.default_rng(5).integers(-2, 3, ROW).astype(np.float32)
        sums = x.astype(np.float64).cumsum()
        power = np.exp(sums - sums.max())
        return (1,), [x, np.zeros_like(x)], {1: power / power.sum()}

    stream = Stream("powers", ([b.Float32],) * 2, body, launch, tolerance=1e-5)
    assert loops(stream) == 4
    run(stream)
