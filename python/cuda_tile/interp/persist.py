# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the persist family: a CTA that serves several tile blocks."""

from __future__ import annotations

from typing import Any

from cuda_tile.interp.control import Steps
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.structure import coordinates
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.values import Jump

TILES, NEXT_TILE = "tileas.tiles", "tileas.next_tile"


@PARTIAL.register(NEXT_TILE)
@RULES.register(NEXT_TILE)
def next_tile(run: TileBlock, op: Op, *values: Any) -> Jump:
    """Ends the body and passes its operands on."""
    return Jump(op.name, values)


@PARTIAL.register(TILES)
@RULES.register(TILES)
def tiles(run: TileBlock, op: Op, *carried: Any) -> Steps:
    """Runs the body for each tile block that the CTA serves, in its order."""
    values = carried
    for block_id in run.served:
        run.block_id = block_id
        if run.launch.on_block is not None:
            run.launch.on_block(block_id)
        arguments = (*coordinates(block_id), *values)
        end = yield from run.run_block(op.block(), arguments)
        if end.kind != NEXT_TILE:
            return end
        values = end.values
    return values
