# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can stand in for the result of an operation that is removed."""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType, TokenType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.tile_values import constant_tile
from cuda_tile.ir.walk import block_ops


def stand_in(op: ir.Operation, result: ir.Value) -> ir.Value | None:
    """A value of the same type that is there before an operation; None if none is.

    An operand is the best, for programs then keep what they compute with; then zeros,
    or a fresh token; then any value that was made before.

    Args:
        op: The operation.
        result: One of its results.
    """
    for operand in op.operands:
        if operand.type == result.type:
            return operand
    made = _fresh(op, result.type)
    if made is not None:
        return made
    return next((v for v in _before(op) if v.type == result.type), None)


def _fresh(op: ir.Operation, kind: ir.Type) -> ir.Value | None:
    """A value that needs no other one: zeros, or a token after nothing."""
    with ir.InsertionPoint(op), op.location:
        if isinstance(kind, TokenType):
            return cuda_tile.MakeTokenOp().result
        if not isinstance(kind, TileType):
            return None
        element = ir.ShapedType(kind).element_type
        zero = _zero(element)
        return None if zero is None else constant_tile(kind, zero)


def _zero(element: ir.Type) -> ir.Attribute | None:
    """Zero as an element; None for pointers and types that MLIR has no literal of."""
    if isinstance(element, ir.IntegerType):
        return ir.IntegerAttr.get(element, 0)
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, 0.0)
    return None


def _before(op: ir.Operation) -> Iterator[ir.Value]:
    """The values that are known where an operation stands, the nearest first."""
    place = op
    while True:
        block = place.block
        ops = block_ops(block)
        for earlier in reversed(ops[: ops.index(place)]):
            yield from earlier.results
        yield from block.arguments
        if place.name == "cuda_tile.entry" or place.parent is None:
            return
        place = place.parent.operation
