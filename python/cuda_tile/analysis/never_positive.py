# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats that are never positive: differences to a maximum, negative squares.

A softmax computes the exponential of the difference of each element to its row's
maximum. `mark_never_positive` notes that at level T, where it is visible: later the
results of reductions between warps are loaded from shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile._mlir import ir
from cuda_tile.analysis.float_bounds import NEVER_POSITIVE, float_bounds
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import REDUCTIONS
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    nested_ops,
    op_stem,
    value_behind,
)


def mark_never_positive(entry: ir.Operation) -> None:
    """Marks each `exp` of f32 whose operand is never positive."""
    for op in nested_ops(entry):
        if op.name == "cuda_tile.exp" and str(element_of(op.operands[0])) == "f32":
            terms = _difference(op.operands[0])
            is_below = terms is not None and _is_at_least(terms[1], terms[0])
            if is_below or float_bounds(op.operands[0])[1] <= 0.0:
                op.attributes[NEVER_POSITIVE] = ir.UnitAttr.get()


def subtracted_maximum(value: ir.Value) -> ir.Operation | None:
    """The reduction whose row maxima were subtracted from a tile's elements.

    One element of each row is then zero or NaN.

    Args:
        value: The difference.
    """
    terms = _difference(value)
    if terms is None:
        return None
    spread = defining_op(terms[1])
    maximum = None if spread is None else _made(spread.operands[0])
    is_own = (
        spread is not None
        and maximum is not None
        and _is_row_maximum(maximum, spread)
        and maximum.operands[0] == terms[0]
    )
    return maximum if is_own else None


def _difference(value: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    made = defining_op(value)
    if made is None or op_stem(made) != "subf":
        return None
    return made.operands[0], made.operands[1]


def _is_at_least(value: ir.Value, least: ir.Value) -> bool:
    """Whether each element is no less than that of another tile, or one is NaN."""
    if value == least:
        return True
    made = defining_op(value)
    if made is None or not made.operands:
        return False
    if op_stem(made) == "maxf":
        return any(_is_at_least(operand, least) for operand in made.operands)
    return any(
        _is_at_least(maximum.operands[0], least)
        for maximum in _greater_ones(made.operands[0])
        if _is_row_maximum(maximum, made)
    )


def _greater_ones(value: ir.Value) -> Iterator[ir.Operation]:
    """The ops that make a tile, or the operands of a maximum that makes it.

    A running maximum is the greater one of the former maximum and of the row's own.
    """
    made = _made(value)
    operands = list(made.operands) if made and op_stem(made) == "maxf" else []
    for operand in operands:
        yield from _greater_ones(operand)
    if made and not operands:
        yield made


def _made(value: ir.Value) -> ir.Operation | None:
    """The op that makes a tile; reshaping keeps the order of elements."""
    return defining_op(value_behind(value, ("cuda_tile.reshape",)))


def _is_row_maximum(source: ir.Operation, spread: ir.Operation) -> bool:
    """Whether an op finds maxima along the dimension along which `spread` repeats."""
    is_spread = op_stem(spread) == "broadcast" and source.name in REDUCTIONS
    if not is_spread or len(source.operands) != 1:
        return False
    *inner, last = block_ops(body(source))
    if [op_stem(op) for op in inner] != ["maxf"] or (
        {*inner[0].operands} != {*body(source).arguments}
        or last.operands[0] != inner[0].results[0]
    ):
        return False
    reduced = list(shape_of(source.operands[0]))
    is_whole = reduced == list(shape_of(spread.results[0]))
    reduced[integer(source, "dim")] = 1
    return is_whole and reduced == list(shape_of(spread.operands[0]))
