"""Arithmetic of floating-point numbers.

Numbers and scalars as operands take the type of the other operand. Which rounding modes
an op takes, its own documentation says; the verifier refuses others.
"""

from __future__ import annotations

from typing import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_tile, promote, promote_rhs_to_tile
from cuda_tile.builder.integer import truth_type
from cuda_tile.builder.keywords import ComparisonOrdering, RoundingMode
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def absf(source: TileLike, **where: Unpack[Where]) -> Tile:
    """The absolute value."""
    return Tile(ct.absf(as_tile(source)))


@cuda_tile_op
def negf(source: TileLike, **where: Unpack[Where]) -> Tile:
    """The negative."""
    return Tile(ct.negf(as_tile(source)))


@cuda_tile_op
def addf(
    lhs: TileLike,
    rhs: TileLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """Sums."""
    left, right = promote(lhs, rhs)
    return Tile(ct.addf(left, right, rounding_mode, flush_to_zero=flush_to_zero))


@cuda_tile_op
def subf(
    lhs: TileLike,
    rhs: TileLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """Differences."""
    left, right = promote(lhs, rhs)
    return Tile(ct.subf(left, right, rounding_mode, flush_to_zero=flush_to_zero))


@cuda_tile_op
def mulf(
    lhs: TileLike,
    rhs: TileLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """Products."""
    left, right = promote(lhs, rhs)
    return Tile(ct.mulf(left, right, rounding_mode, flush_to_zero=flush_to_zero))


@cuda_tile_op
def divf(
    lhs: TileLike,
    rhs: TileLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """Quotients."""
    left, right = promote(lhs, rhs)
    return Tile(ct.divf(left, right, rounding_mode, flush_to_zero=flush_to_zero))


@cuda_tile_op
def fma(
    lhs: TileLike,
    rhs: TileLike,
    acc: TileLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """`lhs * rhs + acc`, rounded once."""
    left, right = promote(lhs, rhs)
    addend = promote_rhs_to_tile(left, acc)
    return Tile(ct.fma(left, right, addend, rounding_mode, flush_to_zero=flush_to_zero))


@cuda_tile_op
def remf(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Remainders of the quotient rounded towards zero, as C's `fmod`."""
    return Tile(ct.remf(*promote(lhs, rhs)))


@cuda_tile_op
def maxf(
    lhs: TileLike,
    rhs: TileLike,
    *,
    propagate_nan: bool = False,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """The larger of two numbers.

    With `propagate_nan` a NaN on either side wins, else it loses.
    """
    left, right = promote(lhs, rhs)
    return Tile(
        ct.maxf(left, right, propagate_nan=propagate_nan, flush_to_zero=flush_to_zero)
    )


@cuda_tile_op
def minf(
    lhs: TileLike,
    rhs: TileLike,
    *,
    propagate_nan: bool = False,
    flush_to_zero: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """The smaller of two numbers.

    With `propagate_nan` a NaN on either side wins, else it loses.
    """
    left, right = promote(lhs, rhs)
    return Tile(
        ct.minf(left, right, propagate_nan=propagate_nan, flush_to_zero=flush_to_zero)
    )


@cuda_tile_op
def cmpf(
    predicate: str,
    lhs: TileLike,
    rhs: TileLike,
    *,
    ordering: str = ComparisonOrdering.ORDERED,
    **where: Unpack[Where],
) -> Tile:
    """Whether `lhs` stands in a relation of `ComparisonPredicates` to `rhs`.

    Where one is a NaN: false if `ordering` is ordered, else true.
    """
    left, right = promote(lhs, rhs)
    return Tile(ct.cmpf(truth_type(left), predicate, ordering, left, right))
