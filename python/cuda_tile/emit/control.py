# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family control: structured control flow becomes blocks.

Each point of control flow that an edge reaches becomes a block; the values that edges
forward are its arguments. Conditions are scalars, equal in all threads of the tile
block, so control flow is uniform and barriers may stand in any region.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import (
    CountedLoop,
    Edge,
    Point,
    counted_loop,
    successors,
)
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.heap import clear, release
from cuda_tile.emit.tensor_memory import free_columns
from cuda_tile.engines.registry import have_products_by_themselves
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.walk import enclosing_entry, nested_ops


@RULES.register("for")
def for_(e: Emitter, op: ir.Operation) -> None:
    """A guard before the first iteration; each `continue` tests for the next one."""
    loop = _counted(op)
    first = e.scalar(loop.lower)
    runs = e.builder.icmp(_less_than(loop), first, e.scalar(loop.upper))
    _iteration(e, op, runs, first)
    _regions(e, op)


@RULES.register("loop")
def loop(e: Emitter, op: ir.Operation) -> None:
    """Begins the first iteration; `continue` begins the others."""
    _jump(e, op)
    _regions(e, op)


@RULES.register("if")
def if_(e: Emitter, op: ir.Operation) -> None:
    """A branch to one of two regions, or past the op where there is no second."""
    (condition,) = op.operands
    then, otherwise = (e.landing(edge.target) for edge in successors(op))
    e.builder.branch_if(e.scalar(condition), then, otherwise)
    _regions(e, op)


@RULES.register("continue")
def continue_(e: Emitter, op: ir.Operation) -> None:
    """The next iteration of a loop; of a `for`, if there is one."""
    target = successors(op)[0].target.op
    release(e, target)
    keeps_rolled = _keeps_rolled(e, target)
    if counted_loop(target) is None:
        _jump(e, op, keeps_rolled=keeps_rolled)
    else:
        _iteration(e, op, *_step(e, _counted(target)), keeps_rolled=keeps_rolled)
    e.leave()


def _keeps_rolled(e: Emitter, loop: ir.Operation) -> bool:
    """Whether a loop must not be unrolled: it has products that run by themselves.

    One iteration keeps the tensor cores busy; ptxas takes nine times as long for eight.
    """
    if not have_products_by_themselves(e.target):
        return False
    return any(map(runs_by_itself, nested_ops(loop)))


@RULES.register("break", "yield")
def leave(e: Emitter, op: ir.Operation) -> None:
    """Branches to the end of the op that the terminator leaves."""
    if op.name == "cuda_tile.break":
        release(e, successors(op)[0].target.op)
    _jump(e, op)
    e.leave()


@RULES.register("return")
def return_(e: Emitter, op: ir.Operation) -> None:
    """The end of the kernel."""
    release(e, enclosing_entry(op))
    free_columns(e)
    e.builder.create("llvm.return", [], [])
    e.leave()


# Counted loops ------------------------------------------------------------------------


def _counted(op: ir.Operation) -> CountedLoop:
    found = counted_loop(op)
    if found is None:
        raise InternalError(f"emit: expected a 'for', got '{op.name}'")
    return found


def _less_than(loop: CountedLoop) -> str:
    return "ult" if loop.is_unsigned else "slt"


def _iteration(
    e: Emitter,
    source: ir.Operation,
    runs: ir.Value,
    index: ir.Value,
    *,
    keeps_rolled: bool = False,
) -> None:
    """To the loop's body with `index` if `runs`, else behind the loop."""
    body, after = successors(source)
    e.builder.branch_if(
        runs,
        e.landing(body.target),
        e.landing(after.target),
        _arguments(e, body, [index]),
        _arguments(e, after),
        keeps_rolled=keeps_rolled,
    )


def _step(e: Emitter, loop: CountedLoop) -> tuple[ir.Value, ir.Value]:
    """Whether another iteration follows this one, and its index.

    A `for` ends when the next index would be beyond its type. Where that may
    happen, the distance to the bound is compared instead of the wrapped sum: it is
    positive, so it is right as an unsigned number.
    """
    b = e.builder
    index, upper, step = (e.scalar(v) for v in (loop.index, loop.upper, loop.step))
    following = b.add(index, step)
    if _fits(e, loop):
        return b.icmp(_less_than(loop), following, upper), following
    return b.icmp("ugt", b.sub(upper, index), step), following


def _fits(e: Emitter, loop: CountedLoop) -> bool:
    """Whether the index after the last one is surely a number of its type."""
    lower, upper, step = (e.facts.of(v) for v in (loop.lower, loop.upper, loop.step))
    if step.constant is None or step.constant < 1:
        return False
    # From one multiple of the step to the next one: at most to the bound itself.
    if lower.divisor % step.constant == 0 and upper.divisor % step.constant == 0:
        return True
    width = ir.IntegerType(e.scalar(loop.upper).type).width
    if upper.high is None or upper.low is None or (loop.is_unsigned and upper.low < 0):
        return False
    return upper.high - 1 + step.constant < 1 << (width - (not loop.is_unsigned))


# Edges --------------------------------------------------------------------------------


def _regions(e: Emitter, op: ir.Operation) -> None:
    """The regions that control reaches, then what stands behind `op`."""
    for number in range(len(op.regions)):
        e.enter(Point(op, number))
        clear(e, op)
        with e.packer.scope():
            for block in op.regions[number].blocks:
                e.emit_block(block)
    e.enter(Point(op, None))


def _jump(e: Emitter, op: ir.Operation, *, keeps_rolled: bool = False) -> None:
    """Follows the only edge out of `op`."""
    (edge,) = successors(op)
    target, arguments = e.landing(edge.target), _arguments(e, edge)
    e.builder.branch(target, arguments, keeps_rolled=keeps_rolled)


def _arguments(e: Emitter, edge: Edge, made: Sequence[ir.Value] = ()) -> list[ir.Value]:
    """What a branch along `edge` hands over; `made` are values of the op's own."""
    sent = dict(zip(edge.inputs, edge.sent, strict=True))
    own = iter(made)
    flat: list[ir.Value] = []
    for number in range(len(edge.target.values)):
        flat += e.flatten(sent[number]) if number in sent else [next(own)]
    return flat
