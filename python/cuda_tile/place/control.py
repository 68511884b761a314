"""Family control: what a loop carries keeps one layout all the way round."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.walk import block_ops, body
from cuda_tile.place.constraints import Constraint, Same
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("for")
def for_(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Initial value, loop argument, next value and result are one class each."""
    del ctx
    block = body(op)
    carried = zip(
        list(op.operands)[3:],
        list(block.arguments)[1:],
        block_ops(block)[-1].operands,
        op.results,
        strict=True,
    )
    return [Same(values) for values in carried if is_distributed(values[0])]


@RULES.register("continue", "yield", "return")
def terminator(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """The enclosing op's rule speaks for its terminators."""
    del ctx, op
    return []
