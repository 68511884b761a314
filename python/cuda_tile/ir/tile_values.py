# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles whose elements are all equal, as passes insert them at level T."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.tiles import element_of, shape_of


def constant_tile(ty: ir.Type, element: ir.Attribute) -> ir.Value:
    """A tile of an element's attribute.

    Args:
        ty: The tile type.
        element: The attribute of each element.
    """
    splat = ir.DenseElementsAttr.get_splat(ir.ShapedType(ty), element)
    return cuda_tile.ConstantOp(ty, splat).result


def constant_like(op: ir.Operation, ty: ir.Type) -> ir.Value:
    """A constant of equal elements, as a tile of another shape.

    Args:
        op: The constant.
        ty: The type of the new one.
    """
    value = ir.DenseElementsAttr(op.attributes["value"])
    return constant_tile(ty, value.get_splat_value())


def constant_float(ty: ir.Type, value: float) -> ir.Value:
    """A tile of equal floats.

    Args:
        ty: The tile type.
        value: The value of each element.
    """
    return constant_tile(ty, ir.FloatAttr.get(ir.ShapedType(ty).element_type, value))


def one_for_all(value: ir.Value, like: ir.Value) -> ir.Value:
    """The only element of a tile, repeated in the shape of another one.

    Args:
        value: A tile of one element.
        like: The tile whose shape is taken.
    """
    shape = list(shape_of(like))
    flat = reshaped(value, [1] * len(shape))
    ty = TileType.get(shape, element_of(value))
    return cuda_tile.BroadcastOp(ty, flat).result


def reshaped(value: ir.Value, shape: list[int]) -> ir.Value:
    """A tile in another shape.

    Args:
        value: The tile.
        shape: The new shape, of as many elements.
    """
    return cuda_tile.ReshapeOp(TileType.get(shape, element_of(value)), value).result
