# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile types as passes see them: shape, element, layout, bits."""

from __future__ import annotations

from functools import cache
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    BufferType,
    F8E5M3FNUType,
    LayoutAttr,
    PendingType,
    PointerType,
    TileType,
)
from cuda_tile.errors import InternalError
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout

POINTER_BITS = 64
_E5M3 = "f8E5M3FNU"

FrozenGroups = tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
"""The groups of a `#cute.layout` attribute, hashable."""


def is_distributed(value: ir.Value) -> bool:
    """Whether `value` is spread over threads: a tile of rank 1 or more.

    Rank-0 tiles are uniform: each thread holds the one value.
    """
    return isinstance(value.type, TileType) and len(value.type.shape) > 0


def tile_of(value: ir.Value) -> TileType:
    """The type of a tile value.

    Raises:
        InternalError: The value is no tile.
    """
    ty = value.type
    if not isinstance(ty, TileType):
        raise InternalError(f"expected a tile value, got {ty}")
    return ty


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """Extents of a tile value, dimension 0 first."""
    return tuple(tile_of(value).shape)


def elements_of(value: ir.Value) -> int:
    """Number of elements of a tile value."""
    return prod(shape_of(value))


def tile_bytes(value: ir.Value) -> int:
    """Bytes that a tile value takes in shared memory."""
    return elements_of(value) * element_bits(element_of(value)) // 8


def element_of(value: ir.Value) -> ir.Type:
    """Element type of a tile value."""
    return tile_of(value).element_type


def pointee_of(value: ir.Value) -> ir.Type:
    """The pointee type of a tile of pointers.

    Raises:
        InternalError: The value is no tile of pointers.
    """
    element = element_of(value)
    if not isinstance(element, PointerType):
        raise InternalError(f"expected a tile of pointers, got {value.type}")
    return element.pointee_type


def element_bits(element: ir.Type) -> int:
    """Bits of one element in a register or in shared memory.

    i1 and the types of 4 bits take a byte there.

    Raises:
        InternalError: The type is neither a number nor a pointer.
    """
    if isinstance(element, PointerType):
        return POINTER_BITS
    if isinstance(element, ir.IntegerType):
        return max(8, element.width)
    if isinstance(element, F8E5M3FNUType):
        return 8
    if isinstance(element, ir.FloatType):
        # tf32 is 19 bits of a 32-bit container.
        return 32 if element.width == 19 else max(8, element.width)
    if is_e5m3(element):
        return 8
    raise InternalError(f"expected a number or pointer element type, got {element}")


def element_name(element: ir.Type) -> str:
    """An element type by its short name, such as `f16`."""
    return _E5M3 if is_e5m3(element) else str(element)


def is_e5m3(element: ir.Type) -> bool:
    """Whether this is f8E5M3FNU, a type of the dialect that MLIR lacks."""
    is_number = isinstance(element, ir.IntegerType | ir.FloatType | PointerType)
    return not is_number and str(element).endswith(_E5M3[1:])


def memory_bits(element: ir.Type) -> int:
    """Bits of one element in global memory.

    Two elements of 4 bits share a byte there, the even one in the low half.
    """
    is_number = isinstance(element, ir.IntegerType | ir.FloatType)
    return 4 if is_number and element.width == 4 else element_bits(element)


@cache
def _decode(shape: tuple[int, ...], groups: FrozenGroups) -> LinearLayout:
    return LinearLayout.from_groups(shape, groups)


@cache
def _decode_shared(shape: tuple[int, ...], groups: FrozenGroups) -> SharedLayout:
    return SharedLayout.from_groups(shape, groups)


def _freeze(groups: list[list[list[tuple[int, int]]]]) -> FrozenGroups:
    return tuple([tuple(map(tuple, group)) for group in groups])


def layout_of(value: ir.Value) -> LinearLayout:
    """The layout of a distributed tile value at level W.

    Raises:
        InternalError: The value has none; `place` has not run or missed it.
    """
    ty = value.type
    if not isinstance(ty, TileType) or (layout := ty.layout) is None:
        raise InternalError(f"no layout on a value of type {ty} after place")
    return _decode(tuple(ty.shape), _freeze(layout.groups))


def pending_tile(value: ir.Value) -> tuple[ir.Type, LinearLayout]:
    """Element type and layout of the tile that a pending value becomes.

    Raises:
        InternalError: The value is not pending, or its tile has no layout.
    """
    if not isinstance(value.type, PendingType):
        raise InternalError(f"expected a pending value, got {value.type}")
    tile = value.type.tile
    if (layout := tile.layout) is None:
        raise InternalError(f"no layout on a value of type {value.type} after place")
    return tile.element_type, _decode(tuple(tile.shape), _freeze(layout.groups))


def buffer_layout_of(value: ir.Value) -> SharedLayout:
    """The layout of a buffer in shared memory."""
    ty = BufferType(value.type)
    return _decode_shared(tuple(ty.shape), _freeze(ty.layout.groups))


def with_layout(value: ir.Value, layout: LinearLayout) -> ir.Type:
    """The tile type of `value` carrying `layout`.

    Args:
        value: The tile.
        layout: The layout.
    """
    attr = LayoutAttr.get(layout.groups())
    return TileType.get(list(layout.shape), element_of(value), layout=attr)


def tile_type(element: ir.Type, layout: LinearLayout) -> ir.Type:
    """A tile type of `layout`'s shape.

    Args:
        element: The element type.
        layout: The layout.
    """
    return TileType.get(
        list(layout.shape), element, layout=LayoutAttr.get(layout.groups())
    )
