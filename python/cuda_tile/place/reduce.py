# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: the result's layout is the operand's without one dimension."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_commutative
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.traits import COMBINES, STORES
from cuda_tile.ir.walk import reached, user_ops
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.reduction import most_spread_result, replicated_result
from cuda_tile.place.constraints import Constraint, Related, Same
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("reduce")
def reduce(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """All operands share a layout; the result has it without the reduced dimension.

    A result that is broadcast again, or combined in order, is replicated in the threads
    along the reduced dimension. Other results are spread over these threads, which
    takes fewer registers.
    """
    del ctx
    dim = ir.IntegerAttr(op.attributes["dim"]).value

    is_replicated = not is_commutative(op) or any(
        _is_broadcast(result) for result in op.results
    )

    def forward(layout: LinearLayout) -> LinearLayout:
        if is_replicated:
            return replicated_result(layout, dim)
        return most_spread_result(layout, dim)

    constraints: list[Constraint] = [Same(tuple(op.operands))]
    if is_distributed(op.results[0]):
        constraints += [
            Related(op, i, i, forward=forward, backward=None)
            for i in range(len(op.results))
        ]
    return constraints


@RULES.register("scan")
def scan(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """Every element stays where it is."""
    del ctx
    return [Same((*op.operands, *op.results))]


def _is_broadcast(value: ir.Value) -> bool:
    """Whether a broadcast uses the value, directly or through other shape ops.

    Carried values and yields count as broadcast: their uses are not followed.
    """

    def ends(op: ir.Operation) -> bool:
        is_end = bool(op.regions) or not op.results
        return is_end or op.name == "cuda_tile.broadcast"

    def results(value: ir.Value) -> list[ir.Value]:
        return [v for op in user_ops(value) if not ends(op) for v in op.results]

    users = (op for each in reached([value], results) for op in user_ops(each))
    return any(ends(op) and op.name not in COMBINES | STORES for op in users)
