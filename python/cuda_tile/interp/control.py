# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the control family: regions, and the ops that end them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, TypeAlias

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import Event, TileBlock
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.values import Jump
from cuda_tile.interp.words import limits, reading, wrap

Steps: TypeAlias = Generator[Event, None, tuple[Any, ...] | Jump]
"""A rule that runs regions: results, or how the enclosing block ends too."""


@PARTIAL.register("yield", "continue", "break", "return")
@RULES.register("yield", "continue", "break", "return")
def leave(run: TileBlock, op: Op, *values: Any) -> Jump:
    """Ends the block and passes its operands on."""
    return Jump(op.name, values)


@PARTIAL.register("if")
@RULES.register("if")
def if_(run: TileBlock, op: Op, condition: Any) -> Steps:
    """Runs one region; anything but its `yield` ends the enclosing block as well."""
    taken = bool(run.defined(op, condition, "the condition"))
    block = op.regions[0 if taken else 1]
    if block is None:
        return ()
    end = yield from run.run_block(block, ())
    return end.values if end.kind == "yield" else end


@PARTIAL.register("for")
@RULES.register("for")
def for_(run: TileBlock, op: Op, *operands: Any) -> Steps:
    """Runs the body for lower, lower + step, ... below upper; the set never wraps."""
    lower, upper, step, *carried = operands
    kind = op.operand_tile().element
    signedness = "unsigned" if op.attributes.get("unsignedCmp") else "signed"
    step_reading = signedness if decisions.UNSIGNED_FOR_READS_STEP else "signed"
    start, stop, by = (
        int(reading(run.defined(op, value, name), kind, sign))
        for value, name, sign in (
            (lower, "the bound", signedness),
            (upper, "the bound", signedness),
            (step, "the step", step_reading),
        )
    )
    if by <= 0 and decisions.STEP_MUST_BE_POSITIVE:
        run.fail(op, f"expected a step above 0, got {by}")
    trips = range(start, stop, by) if by > 0 else range(0)
    _warn_of_overflow(run, op, trips, limits(kind, signedness)[1])
    values = tuple(carried)
    dtype = reading(lower, kind, signedness).dtype
    for index in _wrapping(trips, limits(kind, signedness)):
        induction = wrap(np.asarray(index, dtype=dtype), kind)
        end = yield from _trip(run, op, (induction, *values))
        if end.kind != "continue":
            return end
        values = end.values
    return values


def _wrapping(trips: range, ends: tuple[int, int]) -> Iterator[int]:
    """The indices; where a for wraps, those after the type's end too."""
    if not decisions.FOR_WRAPS:
        yield from trips
        return
    index = trips.start
    while index < trips.stop:
        yield index
        index = (index + trips.step - ends[0]) % (ends[1] - ends[0] + 1) + ends[0]


def _warn_of_overflow(run: TileBlock, op: Op, trips: range, largest: int) -> None:
    if run.launch.is_checked and trips and trips[-1] + trips.step > largest:
        run.launch.alarms.note(
            op.location,
            "wraps",
            f"'for' ends because {trips[-1]} + {trips.step} is beyond its type; a "
            "compiled loop may wrap around and go on",
        )


@PARTIAL.register("loop")
@RULES.register("loop")
def loop(run: TileBlock, op: Op, *carried: Any) -> Steps:
    """Runs the body until it ends in `break`, whose operands are the results."""
    values = carried
    while True:
        end = yield from _trip(run, op, values)
        if end.kind == "break":
            return end.values
        if end.kind == "return":
            return end
        values = end.values


def _trip(
    run: TileBlock, op: Op, arguments: tuple[Any, ...]
) -> Generator[Event, None, Jump]:
    """One run of a loop's body; allocas in it end with it."""
    outer = len(run.scratch)
    end = yield from run.run_block(op.block(), arguments)
    if op.name in decisions.ALLOCA_SCOPES:
        run.free(outer)
    return end
