"""Types from element classes and Python numbers.

Every maker checks: a type that cannot exist is a ValueError with the verifier's text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.elements import ElementLike, get_mlir_type

Extents = Sequence[int | None]
"""Sizes or strides; None is `?`, a number that is known only at run time."""


def _is_shape(value: object) -> bool:
    return isinstance(value, Sequence)


def make_pointer_type(pointee: ElementLike) -> ct.PointerType:
    """`ptr<E>`, the element type of tiles of addresses."""
    return ct.PointerType.get(get_mlir_type(pointee))


def make_tile_type(
    element_type: ElementLike | Sequence[int], shape: Sequence[int] | ElementLike = ()
) -> ct.TileType:
    """`tile<4x8xE>`; without a shape a scalar. The two may come in either order.

    Raises:
        ValueError: No tile is like that; with the verifier's text.
    """
    if _is_shape(element_type):
        element_type, shape = shape, element_type
    return ct.TileType.get(
        list(cast("Sequence[int]", shape)),
        get_mlir_type(cast("ElementLike", element_type)),
    )


def make_tensor_view_type(
    element_type: ElementLike, shape: Extents, strides: Extents
) -> ct.TensorViewType:
    """`tensor_view<?x64xE, strides=[64,1]>`; strides count elements.

    Raises:
        ValueError: No tensor_view is like that; with the verifier's text.
    """
    return ct.TensorViewType.get(
        get_mlir_type(element_type), list(shape), list(strides)
    )


def make_partition_view_type(
    tile_shape: Sequence[int],
    tensor_view: ir.Type,
    dim_map: Sequence[int] | None = None,
    padding_value: str | None = None,
) -> ct.PartitionViewType:
    """A tensor cut into a grid of equal tiles.

    Args:
        tile_shape: Extents of a tile.
        tensor_view: Type of the tensor.
        dim_map: For each tile dimension the tensor dimension it runs along; None for
            one after the other.
        padding_value: A `PaddingValue`, read outside the tensor.

    Raises:
        ValueError: No view is like that; with the verifier's text.
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
    """As `make_partition_view_type`, but tiles start at multiples of a stride.

    Raises:
        ValueError: No view is like that; with the verifier's text.
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
    """A tensor whose tiles collect slices along `sparse_dim`.

    Raises:
        ValueError: No view is like that; with the verifier's text.
    """
    return ct.GatherScatterViewType.get(
        list(tile_shape), ct.TensorViewType(tensor_view), sparse_dim, padding_value
    )
