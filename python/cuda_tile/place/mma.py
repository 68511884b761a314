# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family mma: the layouts of a matrix instruction, tiled over the warps."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.ir.plan import read_product
from cuda_tile.ir.tiles import shape_of
from cuda_tile.layout.atoms import Role
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.layout.wgmma import WgmmaAtom, tile_wgmma
from cuda_tile.place.constraints import Constraint, Demand, Fixed, Same
from cuda_tile.place.cost import tile_bits, trip_count
from cuda_tile.place.rules import RULES, PlaceContext

ROLES: tuple[Role, ...] = ("a", "b", "c", "sa", "sb")
"""What each operand of a product is to its instruction."""


@RULES.register("mmaf", "mmai", "mmaf_scaled")
def product(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Accumulator and operands as the instruction's fragments, cut over warps.

    Products that hand on an accumulator share a layout, unless their plans differ.
    What the instructions of a warpgroup read from shared memory may have any.
    """
    del ctx
    acc, plan = op.operands[2], read_product(op)
    weight = prod(shape_of(acc)) * tile_bits(acc) // 8 * trip_count(op)
    if isinstance(plan.atom, WgmmaAtom):
        result = tile_wgmma(shape_of(acc), plan.groups, "c", plan.atom)
        found: list[Constraint] = [
            Same((op.results[0], acc)),
            Fixed(op.results[0], result, weight),
        ]
        if plan.lhs == "register":
            lhs = tile_wgmma(shape_of(op.operands[0]), plan.groups, "a", plan.atom)
            return [*found, Demand(op, 0, lhs)]
        return found
    atom = plan.atom
    layouts = [
        tile_mma(shape_of(value), plan.warps, role, atom)
        for value, role in zip(op.operands, ROLES, strict=False)
    ]
    demands = [Demand(op, index, layout) for index, layout in enumerate(layouts)]
    return [
        Same((op.results[0], acc)),
        Fixed(op.results[0], layouts[2], weight),
        *demands,
    ]
