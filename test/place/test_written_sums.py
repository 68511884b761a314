# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of products that go through pointers change threads where that saves sectors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import cuda_tile
from cuda_tile import builder as b

ROWS, COLUMNS, DEPTH = 64, 64, 16
SECTOR_BYTES = 32
Write = Literal["atomic", "store", "used"]
ELEMENTS = {"f32": (b.Float32, np.float32), "f16": (b.Float16, np.float16)}


def kernel(element: str, write: Write, columns: int) -> Any:
    """Writes the first columns of a product at pointers, or stores the old numbers."""
    ty = ELEMENTS[element][0]
    with b.TileIrGenerator() as generator:
        pointers = [b.make_pointer_type(t) for t in (b.Float16, b.Float16, ty, ty)]
        with generator.create_entry("written", pointers) as (x, y, out, old):
            left, _ = b.load_ptr_tko(x + places(ROWS, DEPTH))
            right, _ = b.load_ptr_tko(y + places(DEPTH, COLUMNS))
            zero = b.constant(0.0, b.make_tile_type(b.Float32, [ROWS, COLUMNS]))
            total = b.mmaf(left, right, zero)
            total = total if element == "f32" else b.ftof(total, ty)
            at, mask = places(ROWS, COLUMNS), column(ROWS, COLUMNS) < columns
            if write == "store":
                b.store_ptr_tko(out + at, total, mask)
                return generator.module
            before, _ = b.atomic_rmw_tko(out + at, "addf", total, mask)
            if write == "used":
                b.store_ptr_tko(old + at, before, mask)
        return generator.module


def column(rows: int, columns: int) -> Any:
    """The number of the column of each element."""
    thin = b.reshape(b.iota(columns), [1, columns])
    return b.broadcast(thin, [rows, columns])


def places(rows: int, columns: int) -> Any:
    """The number of each element, row by row."""
    thin = b.reshape(b.iota(rows) * columns, [rows, 1])
    return b.broadcast(thin, [rows, columns]) + column(rows, columns)


def run(element: str, write: Write, gpu: str, columns: int = COLUMNS) -> int:
    """Runs a kernel on whole numbers of -2 to 2, whose sums are exact.

    Returns:
        The sectors of global memory that it touches.
    """
    rng, dtype = np.random.default_rng(0), ELEMENTS[element][1]
    x = rng.integers(-2, 3, (ROWS, DEPTH)).astype(np.float16)
    y = rng.integers(-2, 3, (DEPTH, COLUMNS)).astype(np.float16)
    out = rng.integers(-2, 3, (ROWS, COLUMNS)).astype(dtype)
    before, old = out.copy(), np.zeros_like(out)
    module = kernel(element, write, columns)
    args = [array.reshape(-1) for array in (x, y, out, old)]
    report = cuda_tile.run(
        module,
        grid=1,
        args=args,
        on="emulator",
        mode="adversarial",
        compiled=cuda_tile.compile(module, gpu, cubin=False),
    )
    total = (x.astype(np.float32) @ y.astype(np.float32)).astype(dtype)
    wanted = total if write == "store" else before + total
    assert (out == np.where(np.arange(COLUMNS) < columns, wanted, before)).all()
    if write == "used":
        assert (old[:, :columns] == before[:, :columns]).all()
    return report.totals["sectors"]


LOADED = (ROWS + COLUMNS) * DEPTH * 2 // SECTOR_BYTES


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("write", ["atomic", "store"])
def test_each_sector_is_written_once(element: str, write: Write, gpu: str) -> None:
    """1,024 sectors, of f16 as of f32, where a product's own lanes wrote its sum."""
    n_bytes = ROWS * COLUMNS * np.dtype(ELEMENTS[element][1]).itemsize
    assert run(element, write, gpu) == LOADED + n_bytes // SECTOR_BYTES


def test_old_numbers_come_to_the_lanes_of_the_sum() -> None:
    assert run("f32", "used", "sm_80") > run("f32", "atomic", "sm_80")


@pytest.mark.parametrize("write", ["atomic", "store"])
def test_a_mask_goes_with_the_pointers(write: Write) -> None:
    run("f16", write, "sm_120", columns=37)
