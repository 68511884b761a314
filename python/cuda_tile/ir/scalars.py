# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar ops as passes insert them: constants, sums, comparisons, branches."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BoundedAttr, TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.tile_values import constant_number
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import CONSTANTS

INDEX_BITS = 32
"""Bits of an iteration."""


def i32_tile() -> ir.Type:
    """The type of iterations."""
    return TileType.get([], ir.IntegerType.get_signless(INDEX_BITS))


def constant(value: int, ty: ir.Type | None = None) -> ir.Value:
    """A constant of a scalar integer type, an i32 unless said otherwise.

    Args:
        value: The number.
        ty: Its type; i32 for None.
    """
    return constant_number(i32_tile() if ty is None else ty, value)


def i64_tile() -> ir.Type:
    """The type of indices that may need more than 32 bits."""
    return TileType.get([], ir.IntegerType.get_signless(64))


def plus(x: ir.Value, number: int) -> ir.Value:
    """`x + number`; `x` itself for 0.

    Args:
        x: A scalar integer.
        number: The number that is added.
    """
    if not number:
        return x
    if (known := constant_of(x)) is not None:
        return constant(known + number, x.type)
    return cuda_tile.AddIOp(x, constant(number, x.type)).result


def add(x: ir.Value, y: ir.Value) -> ir.Value:
    """`x + y`.

    Args:
        x: A scalar integer.
        y: Another one of the same type.
    """
    return cuda_tile.AddIOp(x, y).result


def subtract(x: ir.Value, y: ir.Value) -> ir.Value:
    """`x - y`.

    Args:
        x: A scalar integer.
        y: Another one of the same type.
    """
    return cuda_tile.SubIOp(x, y).result


def multiply(x: ir.Value, number: int) -> ir.Value:
    """`x * number`; `x` itself for 1.

    Args:
        x: A scalar integer.
        number: The factor.
    """
    if number == 1:
        return x
    return cuda_tile.MulIOp(x, constant(number, x.type)).result


def extended(x: ir.Value, ty: ir.Type) -> ir.Value:
    """Extends a scalar integer, read as unsigned, to a type that is no narrower.

    Args:
        x: A scalar integer.
        ty: A scalar type of at least as many bits.
    """
    if x.type == ty:
        return x
    if (known := constant_of(x)) is not None:
        return constant(known & ((1 << _width(x)) - 1), ty)
    return cuda_tile.ExtIOp(ty, x, "unsigned").result


def widened(x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Extends the narrower of two scalar integers, read as unsigned, to the wider type.

    Args:
        x: A scalar integer.
        y: Another one, of any width.
    """
    most = max((x, y), key=_width)
    return extended(x, most.type), extended(y, most.type)


def minimum(x: ir.Value, y: ir.Value) -> ir.Value:
    """The minimum of two non-negative numbers, in the type of the narrower one.

    Args:
        x: A scalar integer.
        y: Another one, of any width.
    """
    least = cuda_tile.MinIOp(*widened(x, y), "signed").result
    ty = min((x, y), key=_width).type
    return least if least.type == ty else cuda_tile.TruncIOp(ty, least).result


def at_most(x: ir.Value, most: int) -> ir.Value:
    """`x` with the assumption that it is at most `most` at this place.

    Args:
        x: A scalar integer.
        most: Its upper bound.
    """
    return cuda_tile.AssumeOp(x, BoundedAttr.get(None, most)).result


def compare(
    predicate: str, x: ir.Value, y: ir.Value, *, is_unsigned: bool = False
) -> ir.Value:
    """A comparison of two scalar integers.

    Args:
        predicate: The keyword of `cmpi`, such as `less_than`.
        x: A scalar integer.
        y: Another one of the same type.
        is_unsigned: Whether both are read as unsigned.
    """
    i1 = TileType.get([], ir.IntegerType.get_signless(1))
    sign = "unsigned" if is_unsigned else "signed"
    return cuda_tile.CmpIOp(i1, predicate, x, y, sign).result


def both(x: ir.Value, y: ir.Value) -> ir.Value:
    """`x and y` of two conditions.

    Args:
        x: A scalar i1.
        y: Another one.
    """
    return cuda_tile.AndIOp(x, y).result


def constant_of(value: ir.Value) -> int | None:
    """The value of a constant scalar integer, read as signed; None if not constant."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in CONSTANTS:
        return None
    if not isinstance(element_of(value), ir.IntegerType):
        return None
    attribute = ir.DenseIntElementsAttr(owner.operation.attributes["value"])
    bits = _width(value)
    splat = ir.IntegerAttr(attribute.get_splat_value())
    number = splat.value & ((1 << bits) - 1)
    return number - (number >> bits - 1 << bits)


def _width(value: ir.Value) -> int:
    return cast("ir.IntegerType", element_of(value)).width


@contextmanager
def branch(
    condition: ir.Value, types: Sequence[ir.Type] = ()
) -> Generator[ir.Operation]:
    """Inserts an `if` and builds its first branch inside `with`.

    With results, both branches still need their `yield`; without, it is added.

    Args:
        condition: A scalar i1.
        types: The types of the results.
    """
    made = cuda_tile.IfOp(list(types), condition)
    block = made.operation.regions[0].blocks.append()
    with ir.InsertionPoint(block):
        yield made.operation
        if not types:
            cuda_tile.YieldOp([])
