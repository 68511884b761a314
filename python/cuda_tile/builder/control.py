# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control flow: Python functions build the bodies.

A body is called once, while the kernel is built; the region yields what it returns.
`return`, `break` and `continue` of the kernel are calls: `ret()`, `loop_break(...)`,
`loop_continue(...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_list, as_tile, constant, promote
from cuda_tile.builder.convert import to_element
from cuda_tile.builder.elements import Boolean
from cuda_tile.builder.values import Tile, wrap_results, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op, given_location

Body = Callable[..., Any]
"""Builds a region. Returns nothing, a value, or a sequence of values."""


def _values(result: Any) -> list[ir.Value]:
    """The values that a body returned; numbers become constants."""
    return [] if result is None else [as_value(item) for item in as_list(result)]


def _ends(block: ir.Block) -> bool:
    """Whether the block ends with a terminator."""
    operations = list(block.operations)
    terminators = (ct.BreakOp, ct.ContinueOp, ct.ReturnOp, ct.YieldOp)
    return bool(operations) and isinstance(operations[-1], terminators)


def _fill(
    block: ir.Block, body: Body, arguments: Sequence[ir.Value], end: type[ir.OpView]
) -> None:
    """Builds a block; adds the terminator `end` if the body has not added one."""
    with ir.InsertionPoint(block):
        result = body(*(wrap_value(argument) for argument in arguments))
        if not _ends(block):
            cast("Any", end)(_values(result))


def _types_at_end(block: ir.Block) -> list[ir.Type] | None:
    """Types that a block yields; None if it leaves the enclosing op."""
    end = list(block.operations)[-1]
    if not isinstance(end, ct.YieldOp):
        return None
    return [operand.type for operand in end.operands]


def _rebuilt(op: ir.OpView, results: Sequence[ir.Type]) -> ir.OpView:
    """Rebuilds the op with results, whose types are known once its regions exist."""
    if not results:
        return op
    new = ir.Operation.create(
        op.operation.name,
        results=list(results),
        operands=list(op.operands),
        regions=len(op.regions),
        ip=ir.InsertionPoint(op),
    )
    for old_region, new_region in zip(op.regions, new.regions, strict=True):
        for block in list(old_region.blocks):
            block.append_to(new_region)
    op.operation.erase()
    return new.opview


@cuda_tile_op
def if_generate(
    cond: TileLike,
    then_body: Body,
    else_body: Body | None = None,
    input_args: Sequence[ir.Value] | None = None,
    return_types: Sequence[ir.Type] | None = None,
    **where: Unpack[Where],
) -> Any:
    """Builds an `if`.

    Args:
        cond: A scalar Boolean.
        then_body: Builds the first branch.
        else_body: Builds the second one; it returns values of the same types.
        input_args: Arguments that both bodies are called with.
        return_types: Types of the results; by default those that a branch returns.
        **where: `loc` and `ip`.

    Returns:
        The results of the branch: None, a value or a tuple.

    Raises:
        ValueError: The branches return values of different types, or only one does.
    """
    op = ct.IfOp([], to_element(cond, Boolean))
    bodies = [then_body] if else_body is None else [then_body, else_body]
    types: list[ir.Type] | None = None if return_types is None else list(return_types)
    for region, body in zip(op.regions, bodies, strict=False):
        block = region.blocks.append()
        _fill(block, body, input_args or (), ct.YieldOp)
        found = _types_at_end(block)
        if types is not None and found is not None and found != types:
            raise ValueError(
                f"expected a branch that returns ({_list(types)}), got ({_list(found)})"
            )
        types = found if types is None else types
    if types and else_body is None:
        raise ValueError(
            f"expected a second branch that returns ({_list(types)}) as the first "
            "does, got none"
        )
    return wrap_results(_rebuilt(op, types or []))


def _list(types: Sequence[ir.Type]) -> str:
    return ", ".join(str(a_type) for a_type in types)


@cuda_tile_op
def for_loop(
    lower: TileLike,
    upper: TileLike,
    step: TileLike = 1,
    init_values: Sequence[TileLike] = (),
    body: Body | None = None,
    *,
    unsigned: bool = False,
    **where: Unpack[Where],
) -> Any:
    """Runs the body for lower, lower + step and so on, below upper.

    Without a body this is a decorator for one: after `@for_loop(0, n, 1, [zero])`, the
    name of the function is bound to the results.

    Args:
        lower: First value of the induction variable, a scalar integer.
        upper: Exclusive upper bound.
        step: Positive step.
        init_values: Initial values of the loop-carried values.
        body: Called with the induction variable and the loop-carried values; returns
            the loop-carried values of the next iteration.
        unsigned: Whether the bounds are compared as unsigned integers.
        **where: `loc` and `ip`.

    Returns:
        The loop-carried values after the last iteration: None, a value or a tuple.

    Raises:
        TypeError: Bounds and step have different types.
    """
    if body is None:
        return partial(
            for_loop,
            *(lower, upper, step, init_values),
            unsigned=unsigned,
            loc=given_location(),
            ip=ir.InsertionPoint.current,
        )
    first, last, stride = _bounds(lower, upper, step)
    values = [as_value(value) for value in init_values]
    types = [value.type for value in values]
    op = ct.ForOp(types, first, last, stride, values, unsignedCmp=unsigned)
    block = op.regions[0].blocks.append(
        first.type, *types, arg_locs=[op.location] * (1 + len(types))
    )
    _fill(block, body, list(block.arguments), ct.ContinueOp)
    return wrap_results(op)


def as_value(value: TileLike) -> ir.Value:
    """Returns a value unchanged, a number as a scalar constant."""
    return value if isinstance(value, ir.Value) else constant(value)


def _bounds(lower: TileLike, upper: TileLike, step: TileLike) -> tuple[Tile, ...]:
    """Converts bounds and step to the type of the first that is a value, or Int32."""
    bounds = (lower, upper, step)
    tiles = [as_tile(x) for x in (upper, lower, step) if isinstance(x, ir.Value)]
    if not tiles:
        return tuple(constant(bound, int) for bound in bounds)
    return tuple(promote(tiles[0], bound)[1] for bound in bounds)


@cuda_tile_op
def loop_generate(
    init_values: Sequence[TileLike],
    body: Body,
    return_types: Sequence[ir.Type] | None = None,
    **where: Unpack[Where],
) -> Any:
    """Builds a loop without a condition, which `loop_break` ends.

    Args:
        init_values: Initial values of the loop-carried values.
        body: Called with the loop-carried values; returns those of the next iteration.
            It calls `loop_break(...)` to end the loop.
        return_types: Types of the results; by default those of the first `loop_break`.
        **where: `loc` and `ip`.

    Returns:
        The operands of `loop_break`: None, a value or a tuple.
    """
    values = [as_value(value) for value in init_values]
    op = ct.LoopOp([], values)
    block = op.regions[0].blocks.append(
        *(value.type for value in values), arg_locs=[op.location] * len(values)
    )
    _fill(block, body, list(block.arguments), ct.ContinueOp)
    types = _break_types(block) if return_types is None else return_types
    return wrap_results(_rebuilt(op, types))


def _break_types(block: ir.Block) -> list[ir.Type]:
    """Types of the operands of the first break of a loop, nested loops excluded."""
    for op in block.operations:
        if isinstance(op, ct.BreakOp):
            return [operand.type for operand in op.operands]
        if isinstance(op, ct.IfOp):
            for region in op.regions:
                for inner in region.blocks:
                    if types := _break_types(inner):
                        return types
    return []


@cuda_tile_op
def loop_break(*values: TileLike, **where: Unpack[Where]) -> None:
    """Exits the innermost `loop_generate` with the given results."""
    ct.BreakOp([as_value(value) for value in values])


@cuda_tile_op
def loop_continue(*values: TileLike, **where: Unpack[Where]) -> None:
    """Starts the next iteration of the innermost loop with the given values."""
    ct.ContinueOp([as_value(value) for value in values])


@cuda_tile_op
def ret(**where: Unpack[Where]) -> None:
    """Ends the kernel early, from a branch; it is implicit at the end of an entry."""
    ct.ReturnOp([])


@cuda_tile_op
def assert_(cond: TileLike, message: str, **where: Unpack[Where]) -> None:
    """Stops the kernel with a message if an element of `cond` is false."""
    ct.AssertOp(as_tile(cond), message)
