# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of squared distances of rows in parts: right, and as exact as derived."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

from test_parts import usual_loops

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir

pytestmark = pytest.mark.sampled(4)

ROW = 8192
"""As much as 32 threads cannot hold."""
ITERATIONS = ROW // 256
"""Parts of a row: 32 threads with 8 elements each."""
UNIT = 2.0**-24
OPTIONS = cuda_tile.Options(num_warps=1, gpu="sm_80")
Kernel = Any


def _plus(x: Any, y: Any) -> Any:
    return x + y


def _spread(value: Any) -> Any:
    return b.broadcast(b.reshape(value, [1]), [ROW])


def squares(kind: str, x: Any, centres: Any, sums: Any, columns: Any) -> None:
    """The centre of each row, and the squared distances to it.

    Args:
        kind: `whole`: of all elements of the tile; `masked`: of those in the tensor;
            `after`: as that, but 0 is put in place of squares; `halves`: of those at
            even places in the tensor, which are no first ones.
        x: Rows.
        centres: What is stored.
        sums: And with it.
        columns: Elements of a row.
    """
    view = b.make_tensor_view(x, [64, columns], [columns, 1])
    rows = b.make_partition_view(view, [1, ROW], padding_value="zero")
    row = b.get_tile_block_id()[0]
    tile = b.reshape(b.load_view_tko(rows, [row, 0])[0], [ROW])
    zero = b.constant(0.0, b.Float32, [ROW])
    places = b.iota(ROW)
    inside = places < _spread(columns)
    if kind == "halves":
        even = b.bitand(places, b.constant(1, b.Int32, [ROW]))
        inside = b.bitand(inside, even < b.constant(1, b.Int32, [ROW]))
    counted = tile if kind in ("whole", "masked") else b.select(inside, tile, zero)
    count = b.itof(columns, b.Float32)
    centre = b.reduce(counted, 0, 0.0, _plus) / count
    far = tile - _spread(centre)
    if kind in ("masked", "halves"):
        far = b.select(inside, far, zero)
    square = far * far
    if kind == "after":
        square = b.select(inside, square, zero)
    b.store_ptr_tko(centres + row, centre)
    b.store_ptr_tko(sums + row, b.reduce(square, 0, 0.0, _plus))


def module(kind: str) -> ir.Module:
    generator = b.TileIrGenerator()
    with generator.tile_ir_start():
        pointer = b.make_pointer_type(b.Float32)
        types = [pointer, pointer, pointer, b.Int32]
        with generator.create_entry("squares", types) as values:
            partial(squares, kind)(*values)
        assert generator.module is not None
        generator.module.operation.verify()
    return generator.module


def rows_of(columns: int) -> Any:
    """Rows that are easy, and such that are not."""
    random = np.random.default_rng(5)
    x = random.standard_normal((8, columns)).astype(np.float32)
    x[1] += 1e6  # an offset of many deviations
    x[2, 0] = 1e9  # far out, first at its position
    x[3, 0] = 1.5e18  # the same, and its square is nearly the greatest number
    x[4, : columns // 2] += 4096  # two heaps
    x[5] = np.arange(columns)  # it grows
    x[6] = 7.25  # all the same
    x[7] = 1e-20 * x[0]  # squares are subnormal
    return x


def run(kind: str, place: str, x: Any) -> tuple[Any, Any]:
    """Centres and sums by one of the judges."""
    centres, sums = np.zeros(len(x), np.float32), np.zeros(len(x), np.float32)
    args = [x.copy(), centres, sums, np.int32(x.shape[1])]
    made, grid = module(kind), (len(x),)
    if place == "emulator":
        compiled = cuda_tile.compile(made, options=OPTIONS, cubin=False)
        for seed in range(2):
            on: dict[str, Any] = {"on": "emulator", "gpu": "sm_80", "seed": seed}
            on |= {"compiled": compiled, "mode": "adversarial"}
            cuda_tile.run(made, grid=grid, args=args, **on)
        return centres, sums
    if place != "text":
        made = cuda_tile.lower(made, until=place, options=OPTIONS)
        made = cuda_tile.load(str(made).encode())
    cuda_tile.run(made, grid=grid, args=args)
    return centres, sums


def exact(kind: str, x: Any, centres: Any) -> Any:
    """Sums about the centres that were stored."""
    wide = np.zeros((len(x), ROW))
    wide[:, : x.shape[1]] = x
    far = wide - centres.astype(np.float64)[:, None]
    if kind != "whole":
        far[:, x.shape[1] :] = 0
    if kind == "halves":
        far[:, 1::2] = 0
    return (far**2).sum(1)


@pytest.mark.parametrize("kind", ["whole", "masked", "after", "halves"])
def test_which_sums_need_no_loop_of_their_own(kind: str) -> None:
    """A mask must be of the first elements: counts of others differ by position."""
    assert usual_loops(module(kind), OPTIONS) == (4 if kind == "halves" else 2)


@pytest.mark.parametrize("place", ["text", "row_tiling", "place", "stage", "emulator"])
@pytest.mark.parametrize("columns", [ROW, 5024, 80])
@pytest.mark.parametrize("kind", ["whole", "masked", "after"])
def test_errors_are_below_the_derived_bound(
    kind: str, columns: int, place: str
) -> None:
    x = rows_of(columns)
    centres, sums = run(kind, place, x)
    wanted = exact(kind, x, centres)
    positions = 8 + 5  # what a thread adds of its 8, and what its warp does
    bound = (4 * (ITERATIONS + 12) * np.sqrt(ITERATIONS) + positions) * UNIT
    if place == "text":
        bound = (ROW - 1 + 3) * UNIT
    least = ROW * 2.0**-149
    assert (np.abs(sums - wanted) <= bound * wanted + least).all(), kind
    # rows whose first elements are not far out are as good as sums of few terms
    usual = [0, 1, 4, 5]
    few = (4 * ITERATIONS + positions) * UNIT
    if place != "text":
        assert (np.abs(sums - wanted)[usual] <= few * wanted[usual]).all()


@pytest.mark.parametrize("place", ["text", "row_tiling", "emulator"])
def test_odd_numbers(place: str) -> None:
    """NaN and infinities, first and later ones, and such behind the mask."""
    x = rows_of(5024)
    x[0, 3], x[1, 700], x[2, 0] = np.nan, np.nan, np.nan
    x[3, 5], x[4, 900], x[5, 0] = np.inf, -np.inf, np.inf
    x[6, 2], x[6, 3] = np.inf, -np.inf
    _, sums = run("masked", place, x)
    assert np.isnan(sums[:7]).all()
    assert np.isfinite(sums[7])
