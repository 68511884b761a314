# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic.

Numbers and scalars as operands are converted to the type of the other operand. Integers
are signless; ops that depend on the signedness treat them as signed by default.
"""

from __future__ import annotations

from typing_extensions import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_tile, promote
from cuda_tile.builder.keywords import IntegerOverflow, RoundingMode, Signedness
from cuda_tile.builder.type_makers import make_tile_type
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def absi(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Absolute value of signed integers; the smallest one wraps around to itself."""
    return Tile(ct.absi(as_tile(source)))


@cuda_tile_op
def negi(
    source: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Negation."""
    return Tile(ct.negi(as_tile(source), overflow=overflow))


@cuda_tile_op
def addi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Sum modulo 2^bits."""
    return Tile(ct.addi(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def subi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Difference modulo 2^bits."""
    return Tile(ct.subi(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def muli(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Product modulo 2^bits."""
    return Tile(ct.muli(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def mulhii(x: TileLike, y: TileLike, **where: Unpack[Where]) -> Tile:
    """Upper half of the product of unsigned integers."""
    return Tile(ct.mulhii(*promote(x, y)))


@cuda_tile_op
def divi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    rounding: str = RoundingMode.ZERO,
    **where: Unpack[Where],
) -> Tile:
    """Quotient, rounded according to `rounding` (toward zero by default)."""
    return Tile(ct.divi(*promote(lhs, rhs), signedness, rounding=rounding))


@cuda_tile_op
def ceildivi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Quotient, rounded up."""
    return divi(lhs, rhs, signedness=signedness, rounding=RoundingMode.POSITIVE_INF)


@cuda_tile_op
def floordivi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Quotient, rounded down, like Python's `//`."""
    is_signed = signedness == Signedness.SIGNED
    # For unsigned integers, rounding down is rounding toward zero, which is legal.
    rounding = RoundingMode.NEGATIVE_INF if is_signed else RoundingMode.ZERO
    return divi(lhs, rhs, signedness=signedness, rounding=rounding)


@cuda_tile_op
def remi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Remainder of division toward zero: it has the sign of `lhs`, as in C."""
    return Tile(ct.remi(*promote(lhs, rhs), signedness))


@cuda_tile_op
def maxi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Maximum."""
    return Tile(ct.maxi(*promote(lhs, rhs), signedness))


@cuda_tile_op
def mini(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Minimum."""
    return Tile(ct.mini(*promote(lhs, rhs), signedness))


@cuda_tile_op
def cmpi(
    predicate: str,
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Comparison; `predicate` is one of `ComparisonPredicates`."""
    left, right = promote(lhs, rhs)
    return Tile(ct.cmpi(truth_type(left), predicate, left, right, signedness))


def truth_type(tile: Tile) -> ct.TileType:
    """Result type of a comparison of `tile`."""
    return make_tile_type(bool, tile.shape)


@cuda_tile_op
def shli(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Left shift of `lhs` by `rhs`."""
    return Tile(ct.shli(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def shri(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Right shift of `lhs` by `rhs`: arithmetic if signed, logical if unsigned."""
    return Tile(ct.shri(*promote(lhs, rhs), signedness))
