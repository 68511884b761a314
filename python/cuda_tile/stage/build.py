# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders for tile ops with layouts, as the rewrites of `stage` insert them."""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BufferType,
    LayoutAttr,
    PointerType,
    TileType,
)
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.scalars import constant
from cuda_tile.ir.tile_values import constant_number
from cuda_tile.ir.tiles import element_of, layout_of, shape_of, tile_type
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import every_part
from cuda_tile.layout.shared import SharedLayout


def alloc(element: ir.Type, shared: SharedLayout) -> ir.Value:
    """A new buffer in shared memory.

    Args:
        element: The element type.
        shared: The layout of the buffer.
    """
    layout = LayoutAttr.get(shared.groups())
    ty = BufferType.get(list(shared.shape), element, layout)
    return tileas.AllocSharedOp(ty).result


def convert(tile: ir.Value, layout: LinearLayout) -> ir.Value:
    """A tile in another layout; the tile itself if it has that layout.

    Args:
        tile: The tile.
        layout: The layout that is wanted.
    """
    if layout_of(tile) == layout:
        return tile
    ty = tile_type(element_of(tile), layout)
    return tileas.ConvertLayoutOp(ty, tile).result


def reshape(tile: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """A tile in another shape; no element moves.

    Args:
        tile: The tile.
        shape: The new shape, of as many elements.
    """
    if shape_of(tile) == shape:
        return tile
    ty = tile_type(element_of(tile), layout_of(tile).reshape(shape))
    return cuda_tile.ReshapeOp(ty, tile).result


def permute(tile: ir.Value, order: tuple[int, ...]) -> ir.Value:
    """A tile with its dimensions in another order; no element moves.

    Args:
        tile: The tile.
        order: The source dimension of each new one.
    """
    if order == tuple(range(len(order))):
        return tile
    ty = tile_type(element_of(tile), layout_of(tile).permute(order))
    return cuda_tile.PermuteOp(ty, tile, permutation=list(order)).result


def broadcast(tile: ir.Value, layout: LinearLayout) -> ir.Value:
    """A tile, or a scalar, repeated to fill the shape of a layout.

    Args:
        tile: The tile or scalar.
        layout: The layout of the result.
    """
    source = layout.broadcast_source(shape_of(tile) or (1,) * layout.rank)
    source = source.drop_redundant_registers()
    element = element_of(tile)
    if not shape_of(tile):
        tile = cuda_tile.ReshapeOp(tile_type(element, source), tile).result
    tile = convert(tile, source)
    return cuda_tile.BroadcastOp(tile_type(element, layout), tile).result


def extract(tile: ir.Value, numbers: Sequence[int], layout: LinearLayout) -> ir.Value:
    """The part of a tile that constant indices name.

    Args:
        tile: The tile.
        numbers: The number of the part along each dimension.
        layout: The layout of the part.
    """
    indices = [constant(index) for index in numbers]
    ty = tile_type(element_of(tile), layout)
    return cuda_tile.ExtractOp(ty, tile, indices).result


def cat(first: ir.Value, second: ir.Value, dim: int) -> ir.Value:
    """Concatenates two tiles of one layout, in registers.

    Args:
        first: The first tile.
        second: The second one, of the same type.
        dim: The dimension, from 0.
    """
    shape = shape_of(first)
    whole = (*shape[:dim], 2 * shape[dim], *shape[dim + 1 :])
    layout = every_part(layout_of(first), whole)
    ty = tile_type(element_of(first), layout)
    return cuda_tile.CatOp(ty, first, second, dim).result


def along(
    op: ir.Operation, tiles: Sequence[ir.Value], dim: int, types: Sequence[ir.Type]
) -> list[ir.Value]:
    """A reduction or scan of other tiles.

    Args:
        op: The reduction or scan whose body is taken.
        tiles: The new operands.
        dim: The dimension of the operands along which it combines.
        types: The types of the results.
    """
    copy = clone_with(op, tiles, types)
    copy.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), dim)
    return list(copy.results)


def join_along(tiles: Sequence[ir.Value], dim: int) -> ir.Value:
    """Concatenates tiles of one type.

    Args:
        tiles: The tiles; their number is a power of two.
        dim: The dimension of the concatenation.
    """
    while len(tiles) > 1:
        pairs = zip(tiles[::2], tiles[1::2], strict=True)
        tiles = [cat(first, second, dim) for first, second in pairs]
    return tiles[0]


def renamed_view(buffer: ir.Value, shared: SharedLayout) -> ir.Value:
    """A view of a shared buffer with another layout.

    Args:
        buffer: The buffer.
        shared: Its layout for the view.
    """
    layout = LayoutAttr.get(shared.groups())
    element = BufferType(buffer.type).element_type
    ty = BufferType.get(list(shared.shape), element, layout)
    return buffer if ty == buffer.type else tileas.ReinterpretOp(ty, buffer).result


def converted_as(
    tile: ir.Value, conversions: Sequence[ir.Operation], layout: LinearLayout
) -> ir.Value:
    """Applies copies of some conversions to a tile.

    Args:
        tile: The operand of the first conversion.
        conversions: The conversions, in program order.
        layout: The layout of the tile, which all results have.
    """
    for op in conversions:
        ty = tile_type(element_of(op.results[0]), layout)
        tile = clone_with(op, [tile], [ty]).results[0]
    return tile


def is_equal(x: ir.Value, y: ir.Value) -> ir.Value:
    """Compares two tiles of integers, or scalars, for equality; the result is of i1.

    Args:
        x: A tile or scalar.
        y: Another one of the same type.
    """
    i1 = ir.IntegerType.get_signless(1)
    ty = tile_type(i1, layout_of(x)) if shape_of(x) else TileType.get([], i1)
    return cuda_tile.CmpIOp(ty, "equal", x, y, "signed").result


def add(x: ir.Value, y: ir.Value) -> ir.Value:
    """The sum of two tiles of floats of one type.

    Args:
        x: A tile.
        y: Another one of the same type.
    """
    return cuda_tile.AddFOp(x, y, "nearest_even", results=[x.type]).result


def select_if(condition: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
    """Selects one of two tiles of one type by a scalar of i1.

    Args:
        condition: A scalar i1.
        yes: The tile where it is true.
        no: The tile where it is false.
    """
    return cuda_tile.SelectOp(broadcast(condition, layout_of(yes)), yes, no).result


def zeros(like: ir.Value) -> ir.Value:
    """A tile of zeros, or of null pointers, of the type of another."""
    if not isinstance(element_of(like), PointerType):
        return constant_number(like.type, 0)
    i64 = ir.IntegerType.get_signless(64)
    addresses = constant_number(tile_type(i64, layout_of(like)), 0)
    return cuda_tile.IntToPtrOp(like.type, addresses).result
