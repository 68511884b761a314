# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point arithmetic.

Numbers and scalars as operands are converted to the type of the other operand. The
reference of each op lists its rounding modes; the verifier rejects others.
"""

from __future__ import annotations

from typing_extensions import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_tile, promote, promote_rhs_to_tile
from cuda_tile.builder.integer import truth_type
from cuda_tile.builder.keywords import ComparisonOrdering, RoundingMode
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def absf(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Absolute value."""
    return Tile(ct.absf(as_tile(source)))


@cuda_tile_op
def negf(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Negation."""
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
    """Sum."""
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
    """Difference."""
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
    """Product."""
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
    """Quotient."""
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
    """Remainder of the division that truncates toward zero, like C's `fmod`."""
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
    """Maximum.

    If one operand is a NaN, the result is the other operand; with `propagate_nan`, a
    NaN.
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
    """Minimum.

    If one operand is a NaN, the result is the other operand; with `propagate_nan`, a
    NaN.
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
    """Comparison; `predicate` is one of `ComparisonPredicates`.

    If an operand is a NaN: false if `ordering` is ordered, else true.
    """
    left, right = promote(lhs, rhs)
    return Tile(ct.cmpf(truth_type(left), predicate, ordering, left, right))
