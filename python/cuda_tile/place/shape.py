"""Family shape: renamed elements stay in their thread, computed ones are free."""

from __future__ import annotations

from functools import partial

from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import is_distributed, shape_of
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Constraint, Related
from cuda_tile.place.elementwise import same_layout
from cuda_tile.place.rules import RULES, PlaceContext

RULES.register("select", "offset")(same_layout)


@RULES.register("constant", "iota")
def made_in_place(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Any layout will do: each thread computes its own elements."""
    del ctx, op
    return []


@RULES.register("reshape")
def reshape(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A row-major reshape renames coordinates; exact both ways."""
    del ctx
    if not (is_distributed(op.operands[0]) and is_distributed(op.results[0])):
        return []
    source, result = shape_of(op.operands[0]), shape_of(op.results[0])
    return [
        Related(
            op,
            0,
            0,
            forward=partial(_reshaped, shape=result),
            backward=partial(_reshaped, shape=source),
        )
    ]


def _reshaped(layout: LinearLayout, shape: tuple[int, ...]) -> LinearLayout:
    return layout.reshape(shape)


@RULES.register("broadcast")
def broadcast(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """A thread needs the elements its result elements are copies of."""
    del ctx
    shape = shape_of(op.operands[0])

    def backward(layout: LinearLayout) -> LinearLayout:
        return layout.broadcast_source(shape).drop_redundant_registers()

    return [Related(op, 0, 0, forward=None, backward=backward)]


@RULES.register("permute")
def permute(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Renames dimensions; exact both ways."""
    del ctx
    order = tuple(ir.DenseI32ArrayAttr(op.attributes["permutation"]))
    inverse = tuple(order.index(d) for d in range(len(order)))
    return [
        Related(
            op,
            0,
            0,
            forward=lambda layout: layout.permute(order),
            backward=lambda layout: layout.permute(inverse),
        )
    ]
