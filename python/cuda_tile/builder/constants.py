# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants, and Python numbers as operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.elements import ElementLike, get_mlir_type
from cuda_tile.builder.type_makers import make_tile_type
from cuda_tile.builder.values import Pointer, Tile, wrap_value
from cuda_tile.builder.where import Where, cuda_tile_op

Number = bool | int | float
TileLike = ir.Value | Number
"""A tile, or a Python number, which becomes a constant."""


def _number_attr(element_type: ir.Type, value: Any) -> ir.Attribute:
    """One element of a constant.

    Raises:
        ValueError: An integer does not fit, or a number is not an integer.
        TypeError: There are no constants of this type.
    """
    if isinstance(element_type, ir.IntegerType):
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(f"expected an integer for {element_type}, got {value}")
        number, width = int(value), element_type.width
        if not -(1 << (width - 1)) <= number < 1 << width:
            raise ValueError(
                f"expected a number that fits {element_type}, got {number}"
            )
        # Attributes hold the bits as a signed integer.
        if number >= 1 << (width - 1) and width > 1:
            number -= 1 << width
        return ir.IntegerAttr.get(element_type, number)
    if not isinstance(element_type, ir.FloatType):
        raise TypeError(f"expected an element type of numbers, got {element_type}")
    return ir.FloatAttr.get(element_type, float(value))


def dense_attr(tile_type: ct.TileType, value: Any) -> ir.DenseElementsAttr:
    """The attribute with the value of a constant.

    Args:
        tile_type: Its type.
        value: A number, or numbers in nested sequences or an array: as many as the
            type has elements, in row-major order.

    Raises:
        ValueError: A number does not fit, or the count of numbers is wrong.
        TypeError: Tiles stand for numbers.
    """
    if isinstance(value, list | tuple) and any(
        isinstance(each, ir.Value) for each in cast("Sequence[object]", value)
    ):
        raise TypeError(
            "expected a tile or numbers, got a sequence of tiles; pass each by itself"
        )
    array = np.asarray(cast("Any", value))
    shaped = cast("ir.ShapedType", tile_type)
    if array.ndim == 0:
        attr = _number_attr(tile_type.element_type, array.item())
        return ir.DenseElementsAttr.get_splat(shaped, attr)
    count = int(np.prod(tile_type.shape))
    if array.size != count:
        raise ValueError(f"expected {count} numbers for {tile_type}, got {array.size}")
    numbers = [_number_attr(tile_type.element_type, x) for x in array.ravel().tolist()]
    return ir.DenseElementsAttr.get(numbers, shaped)


def _natural_element(array: np.ndarray[Any, Any]) -> ElementLike:
    if array.dtype.kind == "b":
        return bool
    return int if array.dtype.kind in "iu" else float


@cuda_tile_op
def constant(
    value: Any,
    element_type: ElementLike | Sequence[int] | None = None,
    shape: Sequence[int] | ElementLike | None = None,
    **where: Unpack[Where],
) -> Tile:
    """A constant tile.

    Args:
        value: A number for all elements, or all elements in nested sequences or an
            array.
        element_type: Element type, or a tile type; by default Boolean, Int32 or
            Float32, depending on `value`. Shape and element type may be exchanged.
        shape: Shape of the tile; by default that of `value`.
        **where: `loc` and `ip`.

    Raises:
        ValueError: A number does not fit, or the tile type is invalid.
    """
    if isinstance(element_type, Sequence) or isinstance(shape, type | ir.Type):
        element_type, shape = cast("Any", (shape, element_type))
    if isinstance(element_type, ct.TileType):
        tile_type = element_type
    else:
        array = np.asarray(value)
        tile_type = make_tile_type(
            _natural_element(array)
            if element_type is None
            else cast("ElementLike", element_type),
            list(array.shape) if shape is None else cast("Sequence[int]", shape),
        )
    return Tile(ct.constant(tile_type, dense_attr(tile_type, value)))


def as_list(values: Any) -> list[Any]:
    """A tuple or list as a list, anything else as a list of one."""
    if isinstance(values, tuple | list):
        return list(cast("Sequence[Any]", values))
    return [values]


def as_tile(value: TileLike) -> Tile:
    """A tile as `Tile` or `Pointer`; a number becomes a scalar constant.

    Raises:
        TypeError: The value is not a tile.
    """
    if not isinstance(value, ir.Value):
        return constant(value)
    tile = value if isinstance(value, Tile) else wrap_value(value)
    if not isinstance(tile, Tile):
        raise TypeError(f"expected a tile, got {value.type}")
    return tile


def as_pointer(value: ir.Value) -> Pointer:
    """A tile of pointers as `Pointer`.

    Raises:
        TypeError: Any other value.
    """
    pointer = as_tile(value)
    if not isinstance(pointer, Pointer):
        raise TypeError(f"expected a tile of pointers, got {value.type}")
    return pointer


def promote_rhs_to_tile(lhs: Tile, rhs: TileLike) -> Tile:
    """Converts the right operand to the type of the left one, if that is exact.

    A number becomes a constant; a scalar of the same element type is broadcast. Any
    other tile is returned unchanged.
    """
    if not isinstance(rhs, ir.Value):
        return constant(rhs, lhs.tile_type)
    tile = as_tile(rhs)
    same_element = tile.element_type == lhs.element_type
    if tile.shape or not lhs.shape or not same_element:
        return tile
    ones = make_tile_type(lhs.element_type, [1] * len(lhs.shape))
    return Tile(ct.broadcast(lhs.tile_type, ct.reshape(ones, tile)))


def promote(lhs: TileLike, rhs: TileLike) -> tuple[Tile, Tile]:
    """Converts the operands of a binary op, numbers or scalars too, to one type.

    Raises:
        TypeError: They are tiles of different types.
    """
    if not isinstance(lhs, ir.Value) and isinstance(rhs, ir.Value):
        right = as_tile(rhs)
        return promote_rhs_to_tile(right, lhs), right
    left = as_tile(lhs)
    right = promote_rhs_to_tile(left, rhs)
    if right.shape and not left.shape:
        left = promote_rhs_to_tile(right, left)
    check_same_type(left, right)
    return left, right


def check_same_type(lhs: ir.Value, rhs: ir.Value) -> None:
    """Checks that both operands have the same type.

    Raises:
        TypeError: They have not.
    """
    if lhs.type != rhs.type:
        raise TypeError(
            f"expected operands of one type, got {lhs.type} and {rhs.type}; convert "
            "the elements (Float32(x)) or the shape (reshape, broadcast) of one"
        )


def check_data_type_unary(value: Tile, *elements: ElementLike) -> None:
    """Checks that the operand has one of the element types.

    Raises:
        TypeError: It has another.
    """
    allowed = [get_mlir_type(element_type) for element_type in elements]
    if value.element_type not in allowed:
        names = " or ".join(str(element_type) for element_type in allowed)
        raise TypeError(f"expected a tile of {names}, got {value.type}")


def check_data_type_binary(lhs: Tile, rhs: Tile, *elements: ElementLike) -> None:
    """Checks that the operands have the same type, with one of the element types.

    Raises:
        TypeError: They have not.
    """
    check_same_type(lhs, rhs)
    check_data_type_unary(lhs, *elements)


def is_float(tile: Tile) -> bool:
    """Whether the elements are floating-point numbers."""
    return isinstance(tile.element_type, ir.FloatType)
