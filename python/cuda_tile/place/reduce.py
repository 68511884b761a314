"""Family reduce: the reduced dimension leaves the layout."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Constraint, Related, Same
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("reduce")
def reduce(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """All operands share a layout; the result is what is left of it.

    The threads along the reduced dimension all hold the result.
    """
    del ctx
    dim = ir.IntegerAttr(op.attributes["dim"]).value

    def forward(layout: LinearLayout) -> LinearLayout:
        return layout.reduce(dim).drop_redundant_registers()

    constraints: list[Constraint] = [Same(tuple(op.operands))]
    if is_distributed(op.results[0]):
        constraints += [
            Related(op, i, i, forward=forward, backward=None)
            for i in range(len(op.results))
        ]
    return constraints
