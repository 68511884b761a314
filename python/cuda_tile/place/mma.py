# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family mma: the layouts of a matrix instruction, tiled over the warps."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.operand_sources import computed_from, source_load
from cuda_tile.engines.fma import FMA
from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.ir.plan import ProductPlan, read_product
from cuda_tile.ir.tiles import shape_of, tile_bytes
from cuda_tile.layout.atoms import Role
from cuda_tile.layout.converting import choose_computing
from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Constraint, Demand, Fixed, Same
from cuda_tile.place.cost import tile_bits, trip_count
from cuda_tile.place.memory import is_read_back, prefer_any
from cuda_tile.place.rules import FRAGMENTS, RULES, PlaceContext

ROLES: tuple[Role, ...] = ("a", "b", "c", "sa", "sb")
"""What each operand of a product is to its instruction."""


@RULES.register("mmaf", "mmai", "mmaf_scaled")
def product(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Accumulator and operands as the instruction's fragments, cut over warps.

    Products that pass on an accumulator share a layout, unless their plans differ.
    Operands that instructions read from shared memory may have any layout.
    """
    acc, plan = op.operands[2], read_product(op)
    weight = prod(shape_of(acc)) * tile_bits(acc) // 8 * trip_count(op)
    layouts = FRAGMENTS[plan.engine.name](op, plan)
    return [
        Same((op.results[0], acc)),
        Fixed(op.results[0], layouts[2], weight),
        # A product that continues this sum may have fixed the layout of all.
        *(Demand(op, index, layout) for index, layout in layouts.items()),
        *_computed(ctx, op, plan),
    ]


@FRAGMENTS.register(MMA_SYNC.name, FMA.name)
def _of_warps(op: ir.Operation, plan: ProductPlan) -> dict[int, LinearLayout]:
    """The fragments of all operands of a product of warps."""
    return {
        index: tile_mma(shape_of(value), plan.warps, role, plan.warp_atom)
        for index, (value, role) in enumerate(zip(op.operands, ROLES, strict=False))
    }


def _computed(
    ctx: PlaceContext, op: ir.Operation, plan: ProductPlan
) -> list[Constraint]:
    """The best layouts for threads that compute operands from copied tiles.

    The layout is chosen for the largest tile that an engine copies, as if each of its
    elements gave neighbours in the operand.
    """
    found: list[Constraint] = []
    for index in range(2):
        operand = op.operands[index]
        if "ab"[index] not in plan.convert or source_load(operand) is not None:
            continue
        loads = [load for load in computed_from(operand) if is_read_back(load)]
        load = max(loads, key=lambda load: tile_bytes(load.results[0]), default=None)
        if load is None or len(shape_of(load.results[0])) != 2:
            continue
        tile, bits = load.results[0], tile_bits(operand)
        shape, near = shape_of(tile), describe_access(load, ctx.facts).fastest
        whole = shape_of(operand)
        if any(n % m for n, m in zip(whole, shape, strict=True)):
            whole = shape
        source = (panel_buffer(shape, tile_bits(tile), near), tile_bits(tile))
        target = (panel_buffer(whole, bits, near), bits)
        factors = sum(tile_bytes(other.results[0]) for other in loads if other != load)
        layout = choose_computing(
            source, target, ctx.plan.num_warps, factors // whole[near]
        )
        found.append(
            replace(
                prefer_any(ctx, load), layout=layout, n_bytes=tile_bytes(operand) + 1
            )
        )
    return found
