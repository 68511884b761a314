# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family shape: renamed elements stay in their thread; computed ones are free."""

from __future__ import annotations

from functools import partial

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_in_body
from cuda_tile.analysis.operand_sources import layout_before, permutation_of
from cuda_tile.analysis.tensor_sums import columns_layout
from cuda_tile.constants import MOST_PART_REGISTERS
from cuda_tile.ir.tiles import is_distributed, shape_of, tile_bytes
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import every_part, part_layout, stays_in_thread
from cuda_tile.place.constraints import Constraint, Demand, Fixed, Related, Same
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("constant", "iota")
def made_in_place(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Any layout is possible: each thread computes its own elements."""
    del ctx, op
    return []


@RULES.register("reshape")
def reshape(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A row-major reshape renames coordinates; exact both ways."""
    del ctx
    if not (is_distributed(op.operands[0]) and is_distributed(op.results[0])):
        return []
    forward = partial(LinearLayout.reshape, shape=shape_of(op.results[0]))
    backward = partial(layout_before, op)
    return [Related(op, 0, 0, forward=forward, backward=backward)]


@RULES.register("broadcast")
def broadcast(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A thread needs the operand's elements that its result elements copy."""
    del ctx
    return [Related(op, 0, 0, forward=None, backward=partial(layout_before, op))]


@RULES.register("permute")
def permute(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Renames dimensions; exact both ways."""
    del ctx
    forward = partial(LinearLayout.permute, perm=permutation_of(op))
    backward = partial(layout_before, op)
    return [Related(op, 0, 0, forward=forward, backward=backward)]


@RULES.register("cat")
def cat(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A thread holds the elements that it may need of both operands, and selects one.

    If the result's registers tell the operands apart, the registers are concatenated.
    """
    del ctx
    half, whole = shape_of(op.operands[0]), shape_of(op.results[0])

    forward, backward = (
        partial(every_part, shape=whole),
        partial(part_layout, shape=half),
    )
    return [Related(op, i, 0, forward=forward, backward=backward) for i in range(2)]


@RULES.register("insert")
def insert(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A thread holds the part's elements that would replace its own elements."""
    del ctx
    if not is_distributed(op.results[0]):
        return []
    backward = partial(part_layout, shape=shape_of(op.operands[0]))
    return [
        Same((op.operands[1], op.results[0])),
        Related(op, 0, 0, forward=None, backward=backward),
    ]


@RULES.register("extract")
def extract(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """It is cheapest if a thread holds the same place of every part.

    Otherwise `stage` takes the part through shared memory. Columns of a sum in tensor
    memory are loaded from there.
    """
    if not is_distributed(op.results[0]):
        return []
    if (columns := columns_layout(op)) is not None:
        return [Fixed(op.results[0], columns, tile_bytes(op.results[0]))]
    whole, part = shape_of(op.operands[0]), shape_of(op.results[0])

    def forward(layout: LinearLayout) -> LinearLayout | None:
        return part_layout(layout, part) if stays_in_thread(layout, part) else None

    def backward(layout: LinearLayout) -> LinearLayout | None:
        source = every_part(layout, whole)
        return source if source.n_registers <= MOST_PART_REGISTERS else None

    if is_in_body(op):
        everywhere = LinearLayout.replicated(
            whole, ctx.plan.num_warps, ctx.plan.cluster
        )
        return [
            Demand(op, 0, everywhere),
            Related(op, 0, 0, forward=forward, backward=None),
        ]
    return [
        Related(op, 0, 0, forward=forward, backward=backward, is_binding=False),
    ]
