"""Ops on the bits of integers; Booleans are integers of one bit."""

from __future__ import annotations

from typing import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, promote
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def andi(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits that both have."""
    return Tile(ct.andi(*promote(lhs, rhs)))


@cuda_tile_op
def ori(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits that one of both has."""
    return Tile(ct.ori(*promote(lhs, rhs)))


@cuda_tile_op
def xori(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bits in which both differ."""
    return Tile(ct.xori(*promote(lhs, rhs)))
