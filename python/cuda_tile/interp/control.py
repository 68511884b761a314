"""Rules of the control family: regions, and the ops that end them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.values import Jump
from cuda_tile.interp.words import reading, wrap


@PARTIAL.register("yield", "continue", "break", "return")
@RULES.register("yield", "continue", "break", "return")
def leave(run: TileBlock, op: Op, *values: Any) -> Jump:
    """Ends the block and hands its operands on."""
    return Jump(op.name, values)


@PARTIAL.register("if")
@RULES.register("if")
def if_(run: TileBlock, op: Op, condition: Any) -> tuple[Any, ...] | Jump:
    """Runs one region; anything but its `yield` ends the enclosing block as well."""
    taken = bool(run.defined(op, condition, "the condition"))
    block = op.regions[0 if taken else 1]
    if block is None:
        return ()
    end = run.run_block(block, ())
    return end.values if end.kind == "yield" else end


@PARTIAL.register("for")
@RULES.register("for")
def for_(run: TileBlock, op: Op, *operands: Any) -> tuple[Any, ...] | Jump:
    """Runs the body for lower, lower + step, ... below upper; the set never wraps."""
    lower, upper, step, *carried = operands
    kind = op.operand_tile().element
    signedness = "unsigned" if op.attributes.get("unsignedCmp") else "signed"
    bounds = [
        int(reading(run.defined(op, value, name), kind, signedness))
        for value, name in (
            (lower, "the bound"),
            (upper, "the bound"),
            (step, "the step"),
        )
    ]
    if bounds[2] <= 0:
        run.fail(op, f"expected a step above 0, got {bounds[2]}")
    body = op.block()
    values = tuple(carried)
    dtype = reading(lower, kind, signedness).dtype
    for index in range(*bounds):
        induction = wrap(np.asarray(index, dtype=dtype), kind)
        end = run.run_block(body, (induction, *values))
        if end.kind != "continue":
            return end
        values = end.values
    return values


@PARTIAL.register("loop")
@RULES.register("loop")
def loop(run: TileBlock, op: Op, *carried: Any) -> tuple[Any, ...] | Jump:
    """Runs the body until it ends in `break`, whose operands are the results."""
    body = op.block()
    values = carried
    while True:
        end = run.run_block(body, values)
        if end.kind == "break":
            return end.values
        if end.kind == "return":
            return end
        values = end.values
