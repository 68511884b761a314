# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divides a dimension into blocks of neighbours, each in one warp.

An op that depends on the order along a dimension, such as a scan or a reduction whose
body is not commutative, first processes the blocks, then one value per block, which
every thread holds.
"""

from __future__ import annotations

from itertools import islice

from cuda_tile._mlir import ir
from cuda_tile.constants import MOST_TOTALS
from cuda_tile.ir.tiles import layout_of, shape_of
from cuda_tile.layout.coords import unit_steps
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.stage.build import convert, reshape


def block_extent(layout: LinearLayout, dim: int) -> int:
    """Elements of a block: the most neighbours that are in one warp.

    Args:
        layout: The layout of the tile.
        dim: The dimension, from 0.
    """
    extent = layout.shape[dim]
    for basis in (*layout.warp, *layout.block):
        if basis[dim]:
            extent = min(extent, basis[dim] & -basis[dim])
    return extent


def in_blocks(tile: ir.Value, dim: int) -> ir.Value:
    """A tile with `dim` divided into blocks (`dim`) and elements (`dim + 1`).

    Args:
        tile: The tile.
        dim: The dimension, from 0.
    """
    shape, extent = shape_of(tile), block_extent(layout_of(tile), dim)
    count = shape[dim] // extent
    return reshape(tile, (*shape[:dim], count, extent, *shape[dim + 1 :]))


def without(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    """A shape without one dimension.

    Args:
        shape: The shape.
        dim: The dimension, from 0.
    """
    return (*shape[:dim], *shape[dim + 1 :])


def held_by_all(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout in which each thread holds the whole of `dim`.

    Its registers along the dimension follow the others.

    Args:
        layout: The layout of the tile.
        dim: The dimension, from 0.
    """

    def off(basis: tuple[int, ...]) -> tuple[int, ...]:
        return (*basis[:dim], 0, *basis[dim + 1 :])

    register = [basis for basis in layout.register if not basis[dim]]
    register += unit_steps(dim, 1, layout.shape[dim], layout.rank)
    others = (map(off, group) for group in layout.bases[1:])
    return LinearLayout.of_bases(layout.shape, (register, *others))


def held_by_lanes(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout of `held_by_all`, except that lanes with copies divide `dim`.

    The lowest registers along `dim` stay, for vectors of four.

    Args:
        layout: The layout of the tile.
        dim: The dimension, from 0.
    """
    along = [basis for basis in layout.register if basis[dim]]
    others = [basis for basis in layout.register if not basis[dim]]
    kept, moved = along[:2], along[2:]
    lane = list(layout.lane)
    for bit, basis in enumerate(lane):
        if not any(basis) and moved:
            lane[bit] = moved.pop(0)
    register = (*others, *kept, *moved)
    return LinearLayout(layout.shape, register, tuple(lane), layout.warp, layout.block)


def in_order(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout in which each thread, lane and warp holds a run of neighbours.

    The bits of the coordinate along `dim` are distributed again: the lowest ones to the
    registers, then to the lanes, the warps and the CTAs, as many to each as before.

    Args:
        layout: The layout of the tile.
        dim: The dimension, from 0.
    """
    bases = [basis for group in layout.bases for basis in group]
    along = [i for i, basis in enumerate(bases) if basis[dim]]
    steps = sorted(bases[i][dim] for i in along)
    for i, step in zip(along, steps, strict=True):
        bases[i] = (*bases[i][:dim], step, *bases[i][dim + 1 :])
    rest = iter(bases)
    groups = [islice(rest, len(group)) for group in layout.bases]
    return LinearLayout.of_bases(layout.shape, groups)


def with_few_totals(tiles: list[ir.Value], dim: int) -> list[ir.Value]:
    """Tiles of one layout, converted if they had too many blocks.

    Args:
        tiles: The tiles.
        dim: The dimension, from 0.
    """
    layout = layout_of(tiles[0])
    rows = sum(not basis[dim] for basis in layout.register)
    count = (layout.shape[dim] // block_extent(layout, dim)) << rows
    if count <= MOST_TOTALS:
        return tiles
    return [convert(tile, in_order(layout, dim)) for tile in tiles]
