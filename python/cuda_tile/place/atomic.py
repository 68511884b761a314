# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family atomic: pointers, operands and old values belong to the same threads."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.tiling import index_operands
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.place.constraints import Constraint, Same
from cuda_tile.place.memory import prefer, write_at_pointers, write_to_view
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("atomic_rmw_tko")
def update_at_pointers(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """As a store, if the old values are unused."""
    if list(op.results[0].uses):
        return at_pointers(ctx, op)
    return write_at_pointers(ctx, op)


@RULES.register("atomic_cas_tko")
def at_pointers(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """As an access through a tile of pointers; the first value decides the layout."""
    tiles = tuple(v for v in (*op.operands, *op.results) if is_distributed(v))
    return [Same(tiles), prefer(ctx, op, 1, can_convert=False)]


@RULES.register("atomic_red_view_tko")
def into_view(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """As a store of the value, the operand after the view and the indices."""
    return write_to_view(ctx, op, 1 + len(index_operands(op)))
