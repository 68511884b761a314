# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the hint family."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.predicates import Bounded, DivBy, SameElements
from cuda_tile.interp.printf import BadDirective, render
from cuda_tile.interp.program import Op, TileType
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import data_of
from cuda_tile.interp.uses import argument_of, is_only_a_stride, is_unused
from cuda_tile.interp.values import Mask, TensorView, Token
from cuda_tile.interp.words import signed
from cuda_tile.runtime.elements import Array


@PARTIAL.register("assume")
@RULES.register("assume")
def assume(run: TileBlock, op: Op, value: Any) -> Any:
    """The value itself; strict mode verifies the predicate."""
    if run.launch.is_checked:
        _verify(run, op, value)
    return value


def _verify(run: TileBlock, op: Op, value: Any) -> None:
    """Fails where the predicate does not hold.

    Except in strict mode, the tensor view that takes a stride judges assumptions about
    it, since the view knows whether any access uses the stride. A false assumption
    about an unused value is only noted.
    """
    predicate = op.attributes["predicate"]
    data = data_of(value)
    if isinstance(data, TensorView):
        bad = np.asarray(data.address % predicate.divisor != 0)
        said = f"assumed {predicate}, got address {data.address:#x}"
        run.forbid(op, bad, said + _of_argument(run, op) if bad else said)
        return
    bad = broken(op, predicate, data)
    if data is not value:
        bad = bad & ~value.undefined
    run.broken.pop(op.results[0], None)
    if op.operands[0] in run.broken:
        run.broken[op.results[0]] = run.broken[op.operands[0]]
    if not bad.any():
        return
    is_unread = not run.launch.is_strict and is_unused(run.entry.body, op)
    if (
        not run.launch.is_strict
        and not is_unread
        and is_only_a_stride(run.entry.body, op)
    ):
        said = f"assumed {predicate}, got {data}{_of_argument(run, op)}"
        run.broken[op.results[0]] = op, said
        return
    shown = data
    if data.dtype == np.uint64:  # an address
        shown = np.vectorize(hex, [object])(data)
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    said = f"assumed {predicate}, got {shown[where]}{_of_argument(run, op)}"
    if is_unread:
        run.doubt(op, "unused", f"{said}; nothing uses the value", where)
    else:
        run.forbid(op, bad, said)


def _of_argument(run: TileBlock, op: Op) -> str:
    """Names the kernel's argument that breaks an assumption, and the way out."""
    number = argument_of(run.entry.body, op.operands[0])
    if number is None:
        return ""
    return f" for argument {number}; pass another, or a kernel built for such arguments"


@RULES.register("assert")
def assert_(run: TileBlock, op: Op, condition: Array) -> None:
    """Notes a line per false element; the launch goes on and fails at its end."""
    for where in np.argwhere(~condition):
        element = f", element {[int(i) for i in where]}" if len(where) else ""
        run.launch.failures.append(
            decisions.ASSERT_LINE.format(
                location=op.location,
                message=op.attributes["message"],
                element=element,
                block=run.block_id,
            )
        )


@PARTIAL.register("assert")
def assert_partial(run: TileBlock, op: Op, condition: Any) -> None:
    """An assertion about unspecified elements cannot hold."""
    run.defined(op, condition, "the condition")


@PARTIAL.register("print_tko", "print")
@RULES.register("print_tko", "print")
def print_tko(run: TileBlock, op: Op, *operands: Any) -> tuple[Token, ...]:
    """Appends the formatted text; prints of different blocks do not mix within one.

    A directive that does not suit its operand is an error when checked; permissive
    mode prints the format as it stands.
    """
    args, tokens = op.groups(operands) if op.segments else (operands, ())
    text = op.attributes["str"]
    tiles = [
        (run.defined(op, value, "a printed value"), op.operand_tile(index).element)
        for index, value in enumerate(args)
    ]
    try:
        text = render(text, tiles)
    except BadDirective as error:
        if run.launch.is_checked:
            run.fail(op, str(error))
    run.launch.output.append(text)
    done = tokens[0] if tokens else Token()
    return (done,) if op.results else ()


def broken(op: Op, predicate: DivBy | Bounded | SameElements, value: Array) -> Mask:
    """Where a tile breaks the predicate."""
    if isinstance(predicate, Bounded):
        numbers = signed(value)
        bad = np.zeros(value.shape, dtype=np.bool_)
        if predicate.lower is not None:
            bad = bad | (numbers < predicate.lower)
        if predicate.upper is not None:
            bad = bad | (numbers > predicate.upper)
        return np.asarray(bad)
    if isinstance(predicate, SameElements):
        return np.asarray(value != _group_leaders(value, predicate.groups))
    kind = op.operand_types[0]
    assert isinstance(kind, TileType), "div_by on a tile or a tensor_view"
    pointee = kind.element.pointee
    numbers = value if pointee is not None else signed(value)
    if predicate.every is None or predicate.along is None:
        return np.asarray(numbers % numbers.dtype.type(predicate.divisor) != 0)
    unit = 1 if pointee is None else pointee.storage_bytes
    groups = [1] * value.ndim
    groups[predicate.along] = predicate.every
    first = _group_leaders(numbers, tuple(groups))
    along = [1] * value.ndim
    along[predicate.along] = -1
    places = np.arange(value.shape[predicate.along], dtype=np.int64)
    rise = ((places % predicate.every) * unit).astype(numbers.dtype).reshape(along)
    divisible = first % numbers.dtype.type(predicate.divisor) == 0
    return np.asarray(~divisible | (numbers != first + rise))


def _group_leaders(value: Array, groups: tuple[int, ...]) -> Array:
    """Each element replaced by the first one of its box of `groups` elements."""
    leaders = value
    for axis, size in enumerate(groups):
        places = np.arange(value.shape[axis], dtype=np.int64) // size * size
        leaders = np.take(leaders, places, axis=axis)
    return leaders
