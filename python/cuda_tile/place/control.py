# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family control: a forwarded value and what it becomes have one layout."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import successors
from cuda_tile.ir.tile_loop import NEXT_TILE, TILES
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.place.constraints import Constraint, Same
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register(
    "for", "loop", "if", "continue", "break", "yield", "return", TILES, NEXT_TILE
)
def hand_on(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Forwarded operands and the values they become have one layout.

    This joins the initial value, argument, next value and result of a loop, and the
    values that the branches of an `if` yield.
    """
    del ctx
    return [
        Same(pair)
        for edge in successors(op)
        for pair in edge.pairs
        if is_distributed(pair[0])
    ]
