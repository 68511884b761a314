"""Arithmetic of integers.

Numbers and scalars as operands take the type of the other operand. Integers have no
sign of their own; ops that need one read them as signed unless told otherwise.
"""

from __future__ import annotations

from typing import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_tile, promote
from cuda_tile.builder.keywords import IntegerOverflow, RoundingMode, Signedness
from cuda_tile.builder.type_makers import make_tile_type
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def absi(source: TileLike, **where: Unpack[Where]) -> Tile:
    """The absolute value of signed integers; the smallest one stays as it is."""
    return Tile(ct.absi(as_tile(source)))


@cuda_tile_op
def negi(
    source: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """The negative of integers."""
    return Tile(ct.negi(as_tile(source), overflow=overflow))


@cuda_tile_op
def addi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Sums modulo 2^bits."""
    return Tile(ct.addi(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def subi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Differences modulo 2^bits."""
    return Tile(ct.subi(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def muli(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Products modulo 2^bits."""
    return Tile(ct.muli(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def mulhii(x: TileLike, y: TileLike, **where: Unpack[Where]) -> Tile:
    """The upper half of the product of unsigned integers."""
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
    """Quotients of integers, rounded as `rounding` says (towards zero by default)."""
    return Tile(ct.divi(*promote(lhs, rhs), signedness, rounding=rounding))


@cuda_tile_op
def ceildivi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Quotients of integers, rounded up."""
    return divi(lhs, rhs, signedness=signedness, rounding=RoundingMode.POSITIVE_INF)


@cuda_tile_op
def floordivi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Quotients of integers, rounded down, as Python's `//`."""
    is_signed = signedness == Signedness.SIGNED
    # Of unsigned integers rounding down is rounding towards zero, and so it is called.
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
    """Remainders of `divi` towards zero: they have the sign of `lhs`, as in C."""
    return Tile(ct.remi(*promote(lhs, rhs), signedness))


@cuda_tile_op
def maxi(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """The larger of two integers."""
    return Tile(ct.maxi(*promote(lhs, rhs), signedness))


@cuda_tile_op
def mini(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """The smaller of two integers."""
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
    """Whether `lhs` stands in a relation of `ComparisonPredicates` to `rhs`."""
    left, right = promote(lhs, rhs)
    return Tile(ct.cmpi(truth_type(left), predicate, left, right, signedness))


def truth_type(tile: Tile) -> ct.TileType:
    """The type of a comparison of `tile`."""
    return make_tile_type(bool, tile.shape)


@cuda_tile_op
def shli(
    lhs: TileLike,
    rhs: TileLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Bits of `lhs` moved up by `rhs`."""
    return Tile(ct.shli(*promote(lhs, rhs), overflow=overflow))


@cuda_tile_op
def shri(
    lhs: TileLike,
    rhs: TileLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Bits of `lhs` moved down by `rhs`; of signed integers the sign comes in."""
    return Tile(ct.shri(*promote(lhs, rhs), signedness))
