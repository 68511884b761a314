# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between element types; the shape does not change."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import (
    TileLike,
    as_pointer,
    as_tile,
    constant,
    is_float,
)
from cuda_tile.builder.elements import ElementLike, Int64, get_mlir_type
from cuda_tile.builder.keywords import IntegerOverflow, RoundingMode, Signedness
from cuda_tile.builder.type_makers import make_pointer_type, make_tile_type
from cuda_tile.builder.values import Pointer, Tile, operator
from cuda_tile.builder.where import Where, cuda_tile_op


def _with_element(tile: Tile, element_type: ElementLike) -> ct.TileType:
    return make_tile_type(element_type, tile.shape)


@cuda_tile_op
def bitcast(
    source: TileLike, element_type: ElementLike, **where: Unpack[Where]
) -> Tile:
    """Reinterprets bits as another element type of the same width."""
    tile = as_tile(source)
    return Tile(ct.bitcast(_with_element(tile, element_type), tile))


@cuda_tile_op
def exti(
    source: TileLike,
    element_type: ElementLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Extends integers to a wider type."""
    tile = as_tile(source)
    return Tile(ct.exti(_with_element(tile, element_type), tile, signedness))


@cuda_tile_op
def trunci(
    source: TileLike,
    element_type: ElementLike,
    *,
    overflow: str = IntegerOverflow.NONE,
    **where: Unpack[Where],
) -> Tile:
    """Truncates integers to a narrower type."""
    tile = as_tile(source)
    return Tile(ct.trunci(_with_element(tile, element_type), tile, overflow=overflow))


@cuda_tile_op
def ftof(
    source: TileLike,
    element_type: ElementLike,
    *,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    **where: Unpack[Where],
) -> Tile:
    """Converts between floating-point types."""
    tile = as_tile(source)
    result = _with_element(tile, element_type)
    return Tile(ct.ftof(result, tile, rounding_mode=rounding_mode))


@cuda_tile_op
def ftoi(
    source: TileLike,
    element_type: ElementLike,
    *,
    signedness: str = Signedness.SIGNED,
    rounding_mode: str = RoundingMode.NEAREST_INT_TO_ZERO,
    saturating: bool = False,
    **where: Unpack[Where],
) -> Tile:
    """Converts floats to integers, rounded toward zero.

    A value out of range gives an undefined integer or, with `saturating` (since 13.4),
    the nearest one in the range.
    """
    tile = as_tile(source)
    result = _with_element(tile, element_type)
    return Tile(ct.ftoi(result, tile, signedness, rounding_mode, saturating=saturating))


@cuda_tile_op
def itof(
    source: TileLike,
    element_type: ElementLike,
    *,
    signedness: str = Signedness.SIGNED,
    rounding_mode: str = RoundingMode.NEAREST_EVEN,
    **where: Unpack[Where],
) -> Tile:
    """Converts integers to floats."""
    tile = as_tile(source)
    return Tile(
        ct.itof(_with_element(tile, element_type), tile, signedness, rounding_mode)
    )


@cuda_tile_op
def int_to_ptr(
    source: TileLike, pointee: ElementLike, **where: Unpack[Where]
) -> Pointer:
    """Converts 64-bit integers to pointers to `pointee`."""
    tile = as_tile(source)
    result = _with_element(tile, make_pointer_type(pointee))
    return Pointer(ct.int_to_ptr(result, tile))


@cuda_tile_op
def ptr_to_int(source: ir.Value, **where: Unpack[Where]) -> Tile:
    """Converts pointers to 64-bit addresses."""
    tile = as_pointer(source)
    return Tile(ct.ptr_to_int(make_tile_type(Int64, tile.shape), tile))


@cuda_tile_op
def ptr_to_ptr(
    source: ir.Value,
    pointee: ElementLike,
    ptr_attr: str | None = None,
    **where: Unpack[Where],
) -> Pointer:
    """Changes the pointee type of pointers, and their `PtrAttr`."""
    tile = as_pointer(source)
    result = _with_element(tile, make_pointer_type(pointee, ptr_attr))
    return Pointer(ct.ptr_to_ptr(result, tile))


@operator
@cuda_tile_op
def to_element(
    value: Any,
    element_type: ElementLike,
    *,
    signedness: str = Signedness.SIGNED,
    **where: Unpack[Where],
) -> Tile:
    """Converts a number or tile to an element type, by the op that applies.

    This is one of exti, trunci, ftof, ftoi, itof, or none if the type is the same. A
    conversion to Boolean compares with 0. A Boolean converts to 0 or 1.

    Raises:
        TypeError: The value is a tile of pointers.
        ValueError: A number does not fit, or is not an integer for an integer type.
    """
    result = get_mlir_type(element_type)
    if not isinstance(value, ir.Value):
        is_boolean = result == get_mlir_type(bool)
        return constant(np.asarray(value) != 0 if is_boolean else value, result)
    tile = as_tile(cast("TileLike", value))
    if tile.element_type == result:
        return tile
    if isinstance(tile, Pointer) or isinstance(result, ct.PointerType):
        raise TypeError(
            "expected numbers, got pointers; use ptr_to_int, int_to_ptr or ptr_to_ptr"
        )
    if result == get_mlir_type(bool):
        return tile != 0
    if tile.element_type == get_mlir_type(bool):
        signedness = Signedness.UNSIGNED
    if is_float(tile):
        if isinstance(result, ir.FloatType):
            return ftof(tile, result)
        return ftoi(tile, result, signedness=signedness)
    if isinstance(result, ir.FloatType):
        return itof(tile, result, signedness=signedness)
    assert isinstance(tile.element_type, ir.IntegerType), "tiles are of numbers"
    assert isinstance(result, ir.IntegerType), "tiles are of numbers"
    if tile.element_type.width < result.width:
        return exti(tile, result, signedness=signedness)
    return trunci(tile, result)
