# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Creation and rearrangement of tiles of any element type, pointers included."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_pointer, as_tile, promote
from cuda_tile.builder.convert import to_element
from cuda_tile.builder.elements import ElementLike, Int8, Int32, get_mlir_type
from cuda_tile.builder.type_makers import make_tile_type
from cuda_tile.builder.values import Pointer, Tile, operator, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op


def _indices(values: Sequence[TileLike]) -> list[ir.Value]:
    return [to_element(value, Int32) for value in values]


@cuda_tile_op
def broadcast(source: TileLike, shape: Sequence[int], **where: Unpack[Where]) -> Any:
    """Repeats a tile along its dimensions of extent 1, a scalar along all."""
    tile = as_tile(source)
    if not tile.shape and shape:
        tile = reshape(tile, [1] * len(shape))
    if tile.shape == list(shape):
        return tile
    return wrap_value(ct.broadcast(make_tile_type(tile.element_type, shape), tile))


@cuda_tile_op
def reshape(source: TileLike, shape: Sequence[int], **where: Unpack[Where]) -> Any:
    """Changes the shape; elements keep their row-major order."""
    tile = as_tile(source)
    return wrap_value(ct.reshape(make_tile_type(tile.element_type, shape), tile))


@cuda_tile_op
def permute(
    source: TileLike, permutation: Sequence[int], **where: Unpack[Where]
) -> Any:
    """Dimension `i` of the result is dimension `permutation[i]` of the source.

    Raises:
        ValueError: It is not a permutation of the dimensions.
    """
    tile = as_tile(source)
    if sorted(permutation) != list(range(len(tile.shape))):
        raise ValueError(
            f"expected a permutation of {len(tile.shape)} dimensions, "
            f"got {list(permutation)}"
        )
    shape = [tile.shape[dim] for dim in permutation]
    result = make_tile_type(tile.element_type, shape)
    return wrap_value(ct.permute(result, tile, list(permutation)))


@cuda_tile_op
def cat(lhs: TileLike, rhs: TileLike, dim: int, **where: Unpack[Where]) -> Any:
    """Concatenates `lhs` and `rhs` along dimension `dim`.

    Raises:
        ValueError: There is no such dimension.
    """
    left, right = as_tile(lhs), as_tile(rhs)
    shape = left.shape
    if not 0 <= dim < min(len(shape), len(right.shape)):
        raise ValueError(f"expected a dimension of {left.type}, got {dim}")
    shape[dim] += right.shape[dim]
    return wrap_value(
        ct.cat(make_tile_type(left.element_type, shape), left, right, dim)
    )


@cuda_tile_op
def extract(
    source: TileLike,
    indices: Sequence[TileLike],
    shape: Sequence[int],
    **where: Unpack[Where],
) -> Any:
    """Extracts a part: `indices` selects it in the grid of parts of `shape`."""
    tile = as_tile(source)
    result = make_tile_type(tile.element_type, shape)
    return wrap_value(ct.extract(result, tile, _indices(indices)))


@cuda_tile_op
def insert(
    source: TileLike,
    destination: TileLike,
    indices: Sequence[TileLike],
    **where: Unpack[Where],
) -> Any:
    """Replaces the part `indices` of the destination by `source`."""
    return wrap_value(
        ct.insert(as_tile(source), as_tile(destination), _indices(indices))
    )


@cuda_tile_op
def iota(
    size: int | ir.Type, element_type: ElementLike = int, **where: Unpack[Where]
) -> Tile:
    """Consecutive integers 0, 1, 2, ...

    Args:
        size: Number of elements, or the tile type.
        element_type: Element type, Int32 by default.
        **where: `loc` and `ip`.
    """
    if isinstance(size, ir.Type):
        return Tile(ct.iota(size))
    return Tile(ct.iota(make_tile_type(element_type, [size])))


@cuda_tile_op
def select(
    cond: TileLike,
    val_if_true: TileLike,
    val_if_false: TileLike,
    **where: Unpack[Where],
) -> Any:
    """Elementwise selection; a scalar condition is broadcast."""
    if not isinstance(val_if_true, ir.Value) and isinstance(val_if_false, ir.Value):
        no, yes = promote(val_if_false, val_if_true)
    else:
        yes, no = promote(val_if_true, val_if_false)
    condition = broadcast(cond, yes.shape)
    return wrap_value(ct.select(condition, yes, no))


@cuda_tile_op
def pack(source: TileLike, **where: Unpack[Where]) -> Tile:
    """Reinterprets a 1-d tile as bytes (Int8), little-endian."""
    tile = as_tile(source)
    bits = prod(tile.shape) * _bits(tile.element_type)
    return Tile(ct.pack(make_tile_type(Int8, [bits // 8]), tile))


@cuda_tile_op
def unpack(source: TileLike, element_type: ElementLike, **where: Unpack[Where]) -> Tile:
    """Reinterprets a 1-d tile of bytes as elements; the inverse of `pack`."""
    tile = as_tile(source)
    count = prod(tile.shape) * 8 // _bits(get_mlir_type(element_type))
    return Tile(ct.unpack(make_tile_type(element_type, [count]), tile))


def _bits(element_type: ir.Type) -> int:
    if isinstance(element_type, ir.IntegerType | ir.FloatType):
        return element_type.width
    raise TypeError(f"expected an element type of numbers, got {element_type}")


@operator
@cuda_tile_op
def offset(pointer: ir.Value, count: TileLike, **where: Unpack[Where]) -> Pointer:
    """Adds `count` elements to pointers; either may be a scalar."""
    base = as_pointer(pointer)
    steps = as_tile(count)
    if base.shape and not steps.shape:
        steps = broadcast(steps, base.shape)
    elif steps.shape and not base.shape:
        base = broadcast(base, steps.shape)
    return Pointer(ct.offset(base, steps))
