# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the structure family: a block's place in the grid, and globals."""

from __future__ import annotations

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import RULES
from cuda_tile.runtime.elements import Array


def coordinates(values: tuple[int, int, int]) -> tuple[Array, ...]:
    """Three numbers as 0-d tiles."""
    return tuple(np.array(value, dtype=np.int32) for value in values)


@RULES.register("get_tile_block_id")
def get_tile_block_id(run: TileBlock, op: Op) -> tuple[Array, ...]:
    """The block's place in the grid: x, y, z."""
    if run.entry.is_persistent:
        run.fail(
            op,
            "expected the arguments of 'tileas.tiles' instead, in a kernel whose CTAs "
            "serve several tile blocks",
        )
    return coordinates(run.block_id)


@RULES.register("get_num_tile_blocks")
def get_num_tile_blocks(run: TileBlock, op: Op) -> tuple[Array, ...]:
    """The launch grid: x, y, z."""
    return coordinates(run.launch.grid)


@RULES.register("get_global")
def get_global(run: TileBlock, op: Op) -> Array:
    """The address of element 0, the same in every launch of a loaded module."""
    return np.array(run.launch.globals[op.attributes["name"]].address, dtype=np.uint64)
