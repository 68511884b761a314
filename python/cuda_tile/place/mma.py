"""Family mma: the layouts of a matrix instruction, tiled over the warps."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.ir.plan import read_product
from cuda_tile.ir.tiles import shape_of
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.place.constraints import Constraint, Demand, Fixed, Same
from cuda_tile.place.cost import tile_bits, trip_count
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("mmaf", "mmai")
def product(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Accumulator and operands as the instruction's fragments, cut over warps.

    Products that hand on an accumulator share a layout, unless their plans differ.
    """
    del ctx
    lhs, rhs, acc = op.operands
    plan = read_product(op)
    atom, warps = plan.atom, plan.warps
    weight = prod(shape_of(acc)) * tile_bits(acc) // 8 * trip_count(op)
    result = tile_mma(shape_of(acc), warps, "c", atom)
    return [
        Same((op.results[0], acc)),
        Fixed(op.results[0], result, weight),
        Demand(op, 2, result),
        Demand(op, 0, tile_mma(shape_of(lhs), warps, "a", atom)),
        Demand(op, 1, tile_mma(shape_of(rhs), warps, "b", atom)),
    ]
