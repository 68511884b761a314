# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: the result's layout is the operand's without one dimension."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_commutative
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.traits import COMBINES, STORES
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.reduction import most_spread_result, replicated_result
from cuda_tile.place.constraints import Constraint, Related, Same
from cuda_tile.place.rules import RULES, PlaceContext


@RULES.register("reduce")
def reduce(ctx: PlaceContext, op: ir.Operation) -> list[Constraint]:
    """All operands share a layout; the result is what is left of it.

    A result that is broadcast again, or combined in order, is replicated in the threads
    along the reduced dimension; others are spread over them, which takes fewer
    registers.
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

    Carried values and yields count as such: what becomes of them is not looked at.
    """
    work, seen = [value], {value}
    while work:
        for use in work.pop().uses:
            user = use.owner.operation
            if user.name == "cuda_tile.broadcast" or user.regions or not user.results:
                if user.name not in COMBINES | STORES:
                    return True
                continue
            for result in user.results:
                if result not in seen:
                    seen.add(result)
                    work.append(result)
    return False
