# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make types from element classes and Python numbers.

An invalid type is a ValueError with the message of the verifier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.elements import ElementLike, get_mlir_type

Extents = Sequence[int | None]
"""Sizes or strides; None is `?`, a dynamic one."""


def _is_shape(value: object) -> bool:
    return isinstance(value, Sequence)


def make_pointer_type(
    pointee: ElementLike, ptr_attr: str | None = None
) -> ct.PointerType:
    """`ptr<E>`, the element type of tiles of pointers; since 13.5 with `PtrAttr`."""
    return ct.PointerType.get(get_mlir_type(pointee), ptr_attr=ptr_attr)


def make_tile_type(
    element_type: ElementLike | Sequence[int], shape: Sequence[int] | ElementLike = ()
) -> ct.TileType:
    """`tile<4x8xE>`; without a shape a scalar. The arguments may be exchanged.

    Raises:
        ValueError: The type is invalid; has the verifier's message.
    """
    if _is_shape(element_type):
        element_type, shape = shape, element_type
    return ct.TileType.get(
        list(cast("Sequence[int]", shape)),
        get_mlir_type(cast("ElementLike", element_type)),
    )


def make_tensor_view_type(
    element_type: ElementLike,
    shape: Extents,
    strides: Extents,
    ptr_attr: str | None = None,
) -> ct.TensorViewType:
    """`tensor_view<?x64xE, strides=[64,1]>`; strides are in elements.

    Args:
        element_type: The type of its elements.
        shape: Sizes.
        strides: Strides of the dimensions.
        ptr_attr: The `PtrAttr` of the base pointer.

    Raises:
        ValueError: The type is invalid; has the verifier's message.
    """
    return ct.TensorViewType.get(
        get_mlir_type(element_type), list(shape), list(strides), ptr_attr=ptr_attr
    )


def make_partition_view_type(
    tile_shape: Sequence[int],
    tensor_view: ir.Type,
    dim_map: Sequence[int] | None = None,
    padding_value: str | None = None,
) -> ct.PartitionViewType:
    """A tensor partitioned into a grid of equal tiles.

    Args:
        tile_shape: Extents of a tile.
        tensor_view: Type of the tensor.
        dim_map: Per tile dimension its tensor dimension; None for the identity.
        padding_value: A `PaddingValue` for elements out of bounds.

    Raises:
        ValueError: The type is invalid; has the verifier's message.
    """
    view = ct.TensorViewType(tensor_view)
    return ct.PartitionViewType.get(list(tile_shape), view, dim_map, padding_value)


def make_strided_view_type(
    tile_shape: Sequence[int],
    traversal_strides: Sequence[int],
    tensor_view: ir.Type,
    dim_map: Sequence[int] | None = None,
    padding_value: str | None = None,
) -> ct.StridedViewType:
    """Like `make_partition_view_type`, but tiles start at multiples of a stride.

    Raises:
        ValueError: The type is invalid; has the verifier's message.
    """
    return ct.StridedViewType.get(
        list(tile_shape),
        list(traversal_strides),
        ct.TensorViewType(tensor_view),
        dim_map,
        padding_value,
    )


def make_gather_scatter_view_type(
    tile_shape: Sequence[int],
    tensor_view: ir.Type,
    sparse_dim: int,
    padding_value: str | None = None,
) -> ct.GatherScatterViewType:
    """A tensor whose tiles gather slices along `sparse_dim`.

    Raises:
        ValueError: The type is invalid; has the verifier's message.
    """
    return ct.GatherScatterViewType.get(
        list(tile_shape), ct.TensorViewType(tensor_view), sparse_dim, padding_value
    )
