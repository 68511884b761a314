# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of tensors in global memory, and accesses through them."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import Unpack

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.builder.constants import TileLike, as_pointer, as_tile, constant
from cuda_tile.builder.elements import ElementLike, Int32
from cuda_tile.builder.keywords import MemoryOrderingSemantics
from cuda_tile.builder.type_makers import (
    make_gather_scatter_view_type,
    make_partition_view_type,
    make_strided_view_type,
    make_tensor_view_type,
    make_tile_type,
)
from cuda_tile.builder.values import (
    GatherScatterView,
    TensorView,
    Tile,
    TileView,
    Token,
    return_partition_view,
    return_strided_view,
    return_tensor_view,
    wrap_value,
)
from cuda_tile.builder.where import Where, cuda_tile_op

Extent = int | ir.Value
"""A size or stride: a number, or a scalar known at run time."""


def _static(extents: Sequence[Extent]) -> list[int | None]:
    return [None if isinstance(x, ir.Value) else x for x in extents]


def _dynamic(extents: Sequence[Extent]) -> list[ir.Value]:
    return [x for x in extents if isinstance(x, ir.Value)]


def view_indices(indices: Sequence[TileLike]) -> list[ir.Value]:
    """Indices of an access; numbers become constants with the type of the others."""
    tiles = [as_tile(index) for index in indices if isinstance(index, ir.Value)]
    element_type: ElementLike = tiles[0].element_type if tiles else Int32
    return [
        index if isinstance(index, ir.Value) else constant(index, element_type)
        for index in indices
    ]


@cuda_tile_op
@return_tensor_view
def make_tensor_view(
    base: ir.Value,
    shape: Sequence[Extent],
    strides: Sequence[Extent],
    **where: Unpack[Where],
) -> ir.Value:
    """Describes memory behind a pointer as a strided tensor.

    Args:
        base: Pointer to the first element, a scalar.
        shape: Sizes in elements; values are `?` in the type.
        strides: Stride of each dimension, in elements.
        **where: `loc` and `ip`.
    """
    pointer = as_pointer(base)
    result = make_tensor_view_type(
        pointer.pointee_type, _static(shape), _static(strides), pointer.ptr_attr
    )
    return ct.make_tensor_view(result, pointer, _dynamic(shape), _dynamic(strides))


@cuda_tile_op
@return_partition_view
def make_partition_view(
    tensor_view: ir.Value,
    tile_shape: Sequence[int],
    dim_map: Sequence[int] | None = None,
    padding_value: str | None = None,
    **where: Unpack[Where],
) -> ir.Value:
    """Partitions a tensor into equal tiles; see `make_partition_view_type`."""
    result = make_partition_view_type(
        tile_shape, tensor_view.type, dim_map, padding_value
    )
    return ct.make_partition_view(result, tensor_view)


@cuda_tile_op
@return_strided_view
def make_strided_view(
    tensor_view: ir.Value,
    tile_shape: Sequence[int],
    traversal_strides: Sequence[int],
    dim_map: Sequence[int] | None = None,
    padding_value: str | None = None,
    **where: Unpack[Where],
) -> ir.Value:
    """A tensor as tiles at multiples of a stride; see `make_strided_view_type`."""
    result = make_strided_view_type(
        tile_shape, traversal_strides, tensor_view.type, dim_map, padding_value
    )
    return ct.make_strided_view(result, tensor_view)


@cuda_tile_op
def make_gather_scatter_view(
    tensor_view: ir.Value,
    tile_shape: Sequence[int],
    sparse_dim: int,
    padding_value: str | None = None,
    **where: Unpack[Where],
) -> GatherScatterView:
    """A tensor as tiles of slices; see `make_gather_scatter_view_type`."""
    result = make_gather_scatter_view_type(
        tile_shape, tensor_view.type, sparse_dim, padding_value
    )
    return GatherScatterView(ct.make_gather_scatter_view(result, tensor_view))


def as_view(value: ir.Value) -> TileView:
    """A view of tiles.

    Raises:
        TypeError: Any other value.
    """
    view = wrap_value(value)
    if not isinstance(view, TileView):
        raise TypeError(f"expected a view of tiles, got {value.type}")
    return view


def bools(values: Sequence[bool] | None) -> ir.DenseBoolArrayAttr | None:
    """The attribute of a sequence of Booleans."""
    return None if values is None else ir.DenseBoolArrayAttr.get(list(values))


def view_tile(value: TileLike, view: ir.Value) -> ir.Value:
    """A tile to store; a number is broadcast to the tile type of the view."""
    if isinstance(value, ir.Value):
        return value
    return constant(value, as_view(view).tile_type)


@cuda_tile_op
def get_tensor_shape(
    tensor_view: ir.Value, element_type: ElementLike = int, **where: Unpack[Where]
) -> tuple[Tile, ...]:
    """Sizes of a tensor, as scalars."""
    rank = len(TensorView(tensor_view).shape)
    op = ct.GetTensorShapeOp([make_tile_type(element_type)] * rank, tensor_view)
    return tuple(Tile(result) for result in op.results)


@cuda_tile_op
def get_index_space_shape(
    view: ir.Value, element_type: ElementLike = int, **where: Unpack[Where]
) -> tuple[Tile, ...]:
    """Numbers of tiles along each dimension of a view, as scalars."""
    results = [make_tile_type(element_type)] * as_view(view).index_rank
    op = ct.GetIndexSpaceShapeOp(results, view)
    return tuple(Tile(result) for result in op.results)


@cuda_tile_op
def load_view_tko(
    view: ir.Value,
    index: Sequence[TileLike],
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.WEAK,
    memory_scope: str | None = None,
    optimization_hints: ct.OptimizationHintsAttr | None = None,
    inbounds: Sequence[bool] | None = None,
    **where: Unpack[Where],
) -> tuple[Tile, Token]:
    """Loads tile `index` of a view.

    Args:
        view: A view of tiles.
        index: An index per dimension of the view's index space.
        token: The load is ordered after it.
        memory_ordering_semantics: weak, relaxed or acquire.
        memory_scope: Threads for which the ordering holds.
        optimization_hints: Hints, per GPU.
        inbounds: Per index, whether the tile is guaranteed to be in bounds along it;
            since 13.4.
        **where: `loc` and `ip`.

    Returns:
        The tile, and the token of the load.
    """
    tile, after = ct.load_view_tko(
        as_view(view).tile_type,
        ct.TokenType.get(),
        memory_ordering_semantics,
        view,
        view_indices(index),
        memory_scope=memory_scope,
        token=token,
        optimization_hints=optimization_hints,
        inbounds=bools(inbounds),
    )
    return Tile(tile), Token(after)


@cuda_tile_op
def store_view_tko(
    tile: TileLike,
    view: ir.Value,
    index: Sequence[TileLike],
    token: ir.Value | None = None,
    *,
    memory_ordering_semantics: str = MemoryOrderingSemantics.WEAK,
    memory_scope: str | None = None,
    optimization_hints: ct.OptimizationHintsAttr | None = None,
    inbounds: Sequence[bool] | None = None,
    **where: Unpack[Where],
) -> Token:
    """Stores tile `index` of a view; elements out of bounds are not written.

    Args:
        tile: The tile; a number is broadcast.
        view: A view of tiles.
        index: An index per dimension of the view's index space.
        token: The store is ordered after it.
        memory_ordering_semantics: weak, relaxed or release.
        memory_scope: Threads for which the ordering holds.
        optimization_hints: Hints, per GPU.
        inbounds: Per index, whether the tile is guaranteed to be in bounds along it;
            since 13.4.
        **where: `loc` and `ip`.

    Returns:
        The token of the store.
    """
    after = ct.store_view_tko(
        memory_ordering_semantics,
        view_tile(tile, view),
        view,
        view_indices(index),
        memory_scope=memory_scope,
        token=token,
        optimization_hints=optimization_hints,
        inbounds=bools(inbounds),
    )
    return Token(after)
