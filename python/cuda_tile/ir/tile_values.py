# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles whose elements are all equal, as passes insert them at level T."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.tiles import element_of, shape_of


def constant_tile(ty: ir.Type, element: ir.Attribute) -> ir.Value:
    """A constant tile whose elements all have one attribute.

    Args:
        ty: The tile type.
        element: The attribute of each element.
    """
    tile = cast("TileType", ty)
    plain = cast("ir.ShapedType", TileType.get(list(tile.shape), tile.element_type))
    splat = ir.DenseElementsAttr.get_splat(plain, element)
    return cuda_tile.ConstantOp(ty, splat).result


def constant_like(op: ir.Operation, ty: ir.Type) -> ir.Value:
    """A splat constant in another shape.

    Args:
        op: The constant.
        ty: The type of the new one.
    """
    value = ir.DenseElementsAttr(op.attributes["value"])
    return constant_tile(ty, value.get_splat_value())


def constant_number(ty: ir.Type, value: float) -> ir.Value:
    """A tile of equal numbers.

    Args:
        ty: The type of a tile of integers or floats.
        value: The value of each element.
    """
    element = cast("TileType", ty).element_type
    if isinstance(element, ir.IntegerType):
        return constant_tile(ty, ir.IntegerAttr.get(element, int(value)))
    return constant_tile(ty, ir.FloatAttr.get(element, value))


def one_for_all(value: ir.Value, like: ir.Value) -> ir.Value:
    """The only element of a tile, repeated in the shape of another one.

    Args:
        value: A tile of one element.
        like: The tile with the new shape.
    """
    shape = list(shape_of(like))
    flat = reshaped(value, [1] * len(shape))
    ty = TileType.get(shape, element_of(value))
    return cuda_tile.BroadcastOp(ty, flat).result


def reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """A tile in another shape.

    Args:
        value: The tile.
        shape: The new shape, of as many elements.
    """
    ty = TileType.get(list(shape), element_of(value))
    return cuda_tile.ReshapeOp(ty, value).result
