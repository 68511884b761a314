# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exponential of a difference to a maximum is short, and right for all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import builder as b

SIZE = 1024


def kernel() -> Any:
    """y = exp(x - max(x)) of one row."""
    generator = b.TileIrGenerator()
    with generator.tile_ir_start():
        pointers = [b.make_pointer_type(b.Float32)] * 2
        with generator.create_entry("below", pointers, None) as (x, y):
            lines = [b.make_tensor_view(p, [1, SIZE], [SIZE, 1]) for p in (x, y)]
            source, target = (b.make_partition_view(v, [1, SIZE]) for v in lines)
            tile = b.load_view_tko(source, [0, 0])[0]
            most = b.reduce(tile, 1, -math.inf, lambda p, q: b.maxf(p, q))
            spread = b.broadcast(b.reshape(most, [1, 1]), [1, SIZE])
            b.store_view_tko(b.exp(tile - spread), target, [0, 0])
        assert generator.module is not None
        generator.module.operation.verify()
    return generator.module


def rows() -> list[Any]:
    """Numbers that are not positive: everywhere, small, near the end, and odd ones."""
    random = np.random.default_rng(7)
    spread = -np.exp2(random.uniform(-149, 128, SIZE))
    near = -random.uniform(86, 105, SIZE)
    usual = -np.abs(random.standard_normal(SIZE)) * 9
    odd = np.full(SIZE, -np.inf)
    odd[1:8] = [-0.0, -1e-45, -87.3, -103.97, -104, -2.4e38, np.nan]
    found = [row.astype(np.float32) for row in (spread, near, usual, odd)]
    for row in found:
        row[0] = 0  # the maximum, so that differences are the numbers
    return found


@pytest.mark.parametrize("gpu", ["sm_75", "sm_90"])
def test_exponentials_below_a_maximum(gpu: str) -> None:
    module = kernel()
    compiled = cuda_tile.compile(module, gpu, cubin=False)
    assert (
        compiled.ptx.count("fma.rn.sat.f32")
        == SIZE // compiled.launch["below"].block[0]
    )
    for x in rows():
        y = np.zeros_like(x)
        cuda_tile.run(
            module, grid=(1,), args=[x, y], on="emulator", gpu=gpu, compiled=compiled
        )
        exact = np.exp(x.astype(np.float64))
        unit = np.spacing(exact.astype(np.float32)).astype(np.float64)
        same = (np.abs(y - exact) <= unit) | (np.isnan(y) & np.isnan(exact))
        assert same.all(), (gpu, x[~same], y[~same], exact[~same])
