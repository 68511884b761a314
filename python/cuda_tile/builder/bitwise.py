# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bitwise operations on integers; a Boolean is an integer of one bit."""

from __future__ import annotations

from typing_extensions import Unpack

from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, promote
from cuda_tile.builder.values import Tile
from cuda_tile.builder.where import Where, cuda_tile_op


@cuda_tile_op
def andi(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bitwise and."""
    return Tile(ct.andi(*promote(lhs, rhs)))


@cuda_tile_op
def ori(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bitwise or."""
    return Tile(ct.ori(*promote(lhs, rhs)))


@cuda_tile_op
def xori(lhs: TileLike, rhs: TileLike, **where: Unpack[Where]) -> Tile:
    """Bitwise exclusive or."""
    return Tile(ct.xori(*promote(lhs, rhs)))
