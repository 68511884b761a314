# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tileas.tiles`, which makes a kernel persistent: a CTA serves several tile blocks."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import TILE_LOOPS
from cuda_tile.ir.walk import block_ops, body

TILES = "tileas.tiles"
NEXT_TILE = "tileas.next_tile"


def has_tiles(entry: ir.Operation) -> bool:
    """Whether a kernel is persistent: `tileas.tiles` is in its body or in a role's."""
    return any(
        op.name in TILE_LOOPS or (op.name == ROLES and _in_roles(op))
        for op in block_ops(body(entry))
    )


def _in_roles(op: ir.Operation) -> bool:
    return any(
        inner.name in TILE_LOOPS
        for region in op.regions
        for inner in block_ops(region.blocks[0])
    )
