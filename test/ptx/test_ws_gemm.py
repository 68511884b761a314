# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warp-specialised TMA and wgmma GEMM on a grid of several tiles."""

from __future__ import annotations

import make_ws_gemm as ws
import ml_dtypes
import numpy as np
from ptx_arrays import aligned
from ptx_programs import PROGRAMS

from cuda_tile.emulator import TensorMap, launch

DEPTH = 3 * ws.TILE_K
GRID = (2, 2)


def test_several_tiles_and_their_operations() -> None:
    rng = np.random.default_rng(0)
    m, n = ws.TILE_M * GRID[0], ws.TILE_N * GRID[1]
    a, b, c = (
        aligned(shape, ml_dtypes.bfloat16) for shape in ((m, DEPTH), (n, DEPTH), (m, n))
    )
    a[...] = rng.integers(-2, 3, a.shape)
    b[...] = rng.integers(-2, 3, b.shape)
    maps = [
        TensorMap(a, (ws.TILE_M, ws.TILE_K), 128),
        TensorMap(b, (ws.TILE_N, ws.TILE_K), 128),
        TensorMap(c, (64, ws.TILE_N)),
    ]
    report = launch(
        PROGRAMS["ws_gemm"].text,
        grid=GRID,
        block=384,
        shared_bytes=ws.SHARED_BYTES,
        args=[*maps, DEPTH],
    )
    wanted = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_array_equal(c, wanted.astype(ml_dtypes.bfloat16))
    assert report.totals["flops"] == 2 * m * n * DEPTH
