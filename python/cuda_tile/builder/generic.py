"""Ops that choose by element type: what the operators of `Tile` build.

Of integers all are signed; for others call the op of the type.
"""

from __future__ import annotations

from typing import Any, Unpack

from cuda_tile._mlir import ir
from cuda_tile.builder import bitwise, integer, math
from cuda_tile.builder import float as floats
from cuda_tile.builder.constants import TileLike, as_tile, is_float, promote
from cuda_tile.builder.keywords import ComparisonOrdering, ComparisonPredicates
from cuda_tile.builder.shape import offset
from cuda_tile.builder.values import Pointer, Tile, operator
from cuda_tile.builder.where import Where, cuda_tile_op


@operator
@cuda_tile_op
def add(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Any:
    """Sums, by addi or addf; of a pointer and integers, by offset."""
    if isinstance(lhs, ir.Value) and isinstance(as_tile(lhs), Pointer):
        return offset(lhs, rhs)
    left, right = promote(lhs, rhs)
    return (floats.addf if is_float(left) else integer.addi)(left, right)


@operator
@cuda_tile_op
def sub(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Differences, by subi or subf."""
    left, right = promote(lhs, rhs)
    return (floats.subf if is_float(left) else integer.subi)(left, right)


@operator
@cuda_tile_op
def mul(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Products, by muli or mulf."""
    left, right = promote(lhs, rhs)
    return (floats.mulf if is_float(left) else integer.muli)(left, right)


@operator
@cuda_tile_op
def div(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Quotients, by divf; of integers by divi, which rounds towards zero."""
    left, right = promote(lhs, rhs)
    return (floats.divf if is_float(left) else integer.divi)(left, right)


@operator
@cuda_tile_op
def floordiv(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Quotients rounded down: of integers by one op, of floats floor of divf."""
    left, right = promote(lhs, rhs)
    if is_float(left):
        return math.floor(floats.divf(left, right))
    return integer.floordivi(left, right)


@operator
@cuda_tile_op
def rem(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Remainders with the sign of `lhs`, as in C (Python's have that of `rhs`)."""
    left, right = promote(lhs, rhs)
    return (floats.remf if is_float(left) else integer.remi)(left, right)


@operator
@cuda_tile_op
def power(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Powers of floats.

    Raises:
        TypeError: Integers, for whose powers the dialect has no op.
    """
    left, right = promote(lhs, rhs)
    if not is_float(left):
        raise TypeError(f"expected floats to take a power of, got {left.type}")
    return math.pow(left, right)


@cuda_tile_op
def max(  # noqa: A001  (the name users expect)
    lhs: TileLike, rhs: TileLike, **where: Unpack[Where]
) -> Tile:
    """The larger of two numbers, by maxi or maxf."""
    left, right = promote(lhs, rhs)
    return (floats.maxf if is_float(left) else integer.maxi)(left, right)


@cuda_tile_op
def min(  # noqa: A001  (the name users expect)
    lhs: TileLike, rhs: TileLike, **where: Unpack[Where]
) -> Tile:
    """The smaller of two numbers, by mini or minf."""
    left, right = promote(lhs, rhs)
    return (floats.minf if is_float(left) else integer.mini)(left, right)


@operator
@cuda_tile_op
def cmp(predicate: str, lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Whether a relation of `ComparisonPredicates` holds, by cmpi or cmpf.

    Floats compare as in Python: with a NaN only `not_equal` holds.
    """
    left, right = promote(lhs, rhs)
    if not is_float(left):
        return integer.cmpi(predicate, left, right)
    is_unequal = predicate == ComparisonPredicates.NOT_EQUAL
    ordering = (
        ComparisonOrdering.UNORDERED if is_unequal else ComparisonOrdering.ORDERED
    )
    return floats.cmpf(predicate, left, right, ordering=ordering)


@operator
@cuda_tile_op
def neg(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Negatives, by negi or negf."""
    tile = as_tile(source)
    return (floats.negf if is_float(tile) else integer.negi)(tile)


@operator
@cuda_tile_op
def absolute(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Absolute values, by absi or absf."""
    tile = as_tile(source)
    return (floats.absf if is_float(tile) else integer.absi)(tile)


@operator
@cuda_tile_op
def bitand(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits that both integers have."""
    return bitwise.andi(lhs, rhs)


@operator
@cuda_tile_op
def bitor(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits that one of both integers has."""
    return bitwise.ori(lhs, rhs)


@operator
@cuda_tile_op
def bitxor(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits in which both integers differ; -1 inverts all, of Booleans too."""
    return bitwise.xori(lhs, rhs)


@operator
@cuda_tile_op
def shift_left(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits of integers moved up."""
    return integer.shli(lhs, rhs)


@operator
@cuda_tile_op
def shift_right(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits of integers moved down; the sign comes in."""
    return integer.shri(lhs, rhs)
