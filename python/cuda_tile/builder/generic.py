# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that select an op by element type; the operators of `Tile` call them.

Integers are signed; for unsigned ones call the integer op itself.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

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
    """Sum: addi or addf; of a pointer and integers: offset."""
    if isinstance(lhs, ir.Value) and isinstance(as_tile(lhs), Pointer):
        return offset(lhs, rhs)
    left, right = promote(lhs, rhs)
    return (floats.addf if is_float(left) else integer.addi)(left, right)


@operator
@cuda_tile_op
def sub(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Difference: subi or subf."""
    left, right = promote(lhs, rhs)
    return (floats.subf if is_float(left) else integer.subi)(left, right)


@operator
@cuda_tile_op
def mul(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Product: muli or mulf."""
    left, right = promote(lhs, rhs)
    return (floats.mulf if is_float(left) else integer.muli)(left, right)


@operator
@cuda_tile_op
def div(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Quotient: divf, or divi for integers, which rounds toward zero."""
    left, right = promote(lhs, rhs)
    return (floats.divf if is_float(left) else integer.divi)(left, right)


@operator
@cuda_tile_op
def floordiv(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Quotient rounded down: divi for integers, floor of divf for floats."""
    left, right = promote(lhs, rhs)
    if is_float(left):
        return math.floor(floats.divf(left, right))
    return integer.floordivi(left, right)


@operator
@cuda_tile_op
def rem(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Remainder with the sign of `lhs`, as in C (in Python, it has that of `rhs`)."""
    left, right = promote(lhs, rhs)
    return (floats.remf if is_float(left) else integer.remi)(left, right)


@operator
@cuda_tile_op
def power(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Power of floats.

    Raises:
        TypeError: The operands are integers, for which the dialect has no op.
    """
    left, right = promote(lhs, rhs)
    if not is_float(left):
        raise TypeError(f"expected floats to take a power of, got {left.type}")
    return math.pow(left, right)


@cuda_tile_op
def max(  # noqa: A001  (the name users expect)
    lhs: TileLike, rhs: TileLike, **where: Unpack[Where]
) -> Tile:
    """Maximum: maxi or maxf."""
    left, right = promote(lhs, rhs)
    return (floats.maxf if is_float(left) else integer.maxi)(left, right)


@cuda_tile_op
def min(  # noqa: A001  (the name users expect)
    lhs: TileLike, rhs: TileLike, **where: Unpack[Where]
) -> Tile:
    """Minimum: mini or minf."""
    left, right = promote(lhs, rhs)
    return (floats.minf if is_float(left) else integer.mini)(left, right)


@operator
@cuda_tile_op
def cmp(predicate: str, lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Comparison by one of `ComparisonPredicates`: cmpi or cmpf.

    Floats compare as in Python: for a NaN, only `not_equal` is true.
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
    """Negation: negi or negf."""
    tile = as_tile(source)
    return (floats.negf if is_float(tile) else integer.negi)(tile)


@operator
@cuda_tile_op
def absolute(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Absolute value: absi or absf."""
    tile = as_tile(source)
    return (floats.absf if is_float(tile) else integer.absi)(tile)


@operator
@cuda_tile_op
def bitand(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bitwise and of integers."""
    return bitwise.andi(lhs, rhs)


@operator
@cuda_tile_op
def bitor(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bitwise or of integers."""
    return bitwise.ori(lhs, rhs)


@operator
@cuda_tile_op
def bitxor(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bitwise exclusive or of integers; with -1 (or True), the complement."""
    return bitwise.xori(lhs, rhs)


@operator
@cuda_tile_op
def shift_left(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Left shift of integers."""
    return integer.shli(lhs, rhs)


@operator
@cuda_tile_op
def shift_right(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Arithmetic right shift of integers."""
    return integer.shri(lhs, rhs)
