"""Rules of the view family: tensors in memory seen as grids of tiles.

A view is address, shape and strides; making one touches no memory. An element of a
tile is inside iff every coordinate is within the tensor's shape: loads give the
padding outside, stores drop it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp import accesses
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.memory import specified
from cuda_tile.interp.program import Op, PartitionViewType, TensorViewType
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import partial
from cuda_tile.interp.values import Mask, Partial, PartitionView, TensorView, Token
from cuda_tile.interp.words import limits, unsigned, wrap
from cuda_tile.runtime.elements import Array, Element, poison

PADDING = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": np.nan,
    "pos_inf": np.inf,
    "neg_inf": -np.inf,
}
"""Value of an element outside the tensor, by the view's keyword."""


def _natural(run: TileBlock, op: Op, group: tuple[Any, ...], start: int) -> list[int]:
    """Unsigned readings of scalar operands; `start` is the first one's position."""
    return [
        int(
            unsigned(
                run.defined(op, value, "the index"), op.operand_tile(start + i).element
            )
        )
        for i, value in enumerate(group)
    ]


@PARTIAL.register("make_tensor_view")
@RULES.register("make_tensor_view")
def make_tensor_view(run: TileBlock, op: Op, *operands: Any) -> TensorView:
    """Dynamic operands fill the `?` of the type left to right, shape first."""
    base, sizes, steps = op.groups(operands)
    kind = op.result_types[0]
    assert isinstance(kind, TensorViewType), "make_tensor_view gives a tensor_view"
    shape = iter(_natural(run, op, sizes, 1))
    strides = iter(_natural(run, op, steps, 1 + len(sizes)))
    address = int(run.defined(op, base[0], "the base address"))
    if run.launch.is_checked and address % kind.element.storage_bytes:
        run.fail(
            op,
            f"expected a base aligned to {kind.element.storage_bytes} bytes for "
            f"{kind.element}, got {address:#x}",
        )
    return TensorView(
        address,
        tuple(next(shape) if size is None else size for size in kind.shape),
        tuple(next(strides) if step is None else step for step in kind.strides),
        kind.element,
    )


@RULES.register("make_partition_view")
def make_partition_view(run: TileBlock, op: Op, tensor: TensorView) -> PartitionView:
    """Pairs the tensor view with how to cut it."""
    kind = op.result_types[0]
    assert isinstance(kind, PartitionViewType), "the result is a partition_view"
    return PartitionView(tensor, kind)


def index_space(view: PartitionView) -> tuple[int, ...]:
    """Tiles per tile dimension: `ceil(shape[dim_map[d]] / tile[d])`."""
    kind = view.type
    return tuple(
        -(-view.tensor.shape[dimension] // extent)
        for dimension, extent in zip(kind.dim_map, kind.tile_shape, strict=True)
    )


def _shape_results(
    run: TileBlock, op: Op, numbers: tuple[int, ...]
) -> tuple[Array, ...]:
    results: list[Array] = []
    for position, number in enumerate(numbers):
        kind = op.tile(position).element
        if run.launch.is_checked and number > limits(kind, "unsigned")[1]:
            run.fail(op, f"expected a size that fits {kind}, got {number}")
        results.append(wrap(np.asarray(number, dtype=np.uint64), kind))
    return tuple(results)


@RULES.register("get_index_space_shape")
def get_index_space_shape(
    run: TileBlock, op: Op, view: PartitionView
) -> tuple[Array, ...]:
    """Tiles along each dimension of the view."""
    return _shape_results(run, op, index_space(view))


@RULES.register("get_tensor_shape")
def get_tensor_shape(run: TileBlock, op: Op, view: TensorView) -> tuple[Array, ...]:
    """Sizes of the tensor."""
    return _shape_results(run, op, view.shape)


def _place(
    run: TileBlock, op: Op, view: PartitionView, index: list[int]
) -> tuple[NDArray[np.uint64], Mask | None]:
    """Addresses of a tile's elements, and which are inside (None where all are).

    Tensor coordinate `c[dim_map[d]] = index[d] * tile[d] + t[d]`.
    """
    space = index_space(view)
    if run.launch.is_checked and any(i >= n for i, n in zip(index, space, strict=True)):
        run.fail(op, f"index {index} is outside the index space {list(space)}")
    kind, tensor = view.type, view.tensor
    rank = len(kind.tile_shape)
    address = np.full((1,) * rank, tensor.address, dtype=np.uint64)
    inside = np.ones((1,) * rank, dtype=np.bool_)
    for d, (dimension, extent) in enumerate(
        zip(kind.dim_map, kind.tile_shape, strict=True)
    ):
        along = [1] * rank
        along[d] = extent
        start = min(index[d], space[d]) * extent  # any start past the end will do
        coordinate = np.arange(start, start + extent, dtype=np.int64).reshape(along)
        inside = inside & (coordinate < tensor.shape[dimension])
        step_bytes = tensor.strides[dimension] * tensor.element.storage_bytes
        distance = coordinate.view(np.uint64) * np.uint64(step_bytes % 2**64)
        address = address + distance
    whole = np.broadcast_to(inside, kind.tile_shape)
    _check_inbounds(run, op, view, index)
    addresses = np.ascontiguousarray(np.broadcast_to(address, kind.tile_shape))
    return addresses, None if inside.all() else whole


def _check_inbounds(
    run: TileBlock, op: Op, view: PartitionView, index: list[int]
) -> None:
    """`inbounds` promises per index that the tile lies inside along it."""
    promises = op.attributes.get("inbounds", ())
    for d, promised in enumerate(promises):
        size = view.tensor.shape[view.type.dim_map[d]]
        stop = (index[d] + 1) * view.type.tile_shape[d]
        if promised and stop > size and run.launch.is_checked:
            run.fail(op, f"promised inbounds along index {d}, got {stop} past {size}")


def _padding(view: PartitionView, kind: Element) -> Array:
    keyword = view.type.padding
    if keyword is None:
        return poison(view.type.tile_shape, kind)
    value = np.full(view.type.tile_shape, PADDING[keyword])
    return value.astype(kind.dtype)


@PARTIAL.register("load_view_tko")
@RULES.register("load_view_tko")
def load_view_tko(
    run: TileBlock, op: Op, *operands: Any
) -> tuple[Array | Partial, Token]:
    """Memory inside the tensor; outside the padding, or unspecified without one."""
    views, indices, tokens = op.groups(operands)
    view: PartitionView = views[0]
    kind = view.tensor.element
    addresses, inside = _place(run, op, view, _natural(run, op, indices, 1))
    token = accesses.order(run, op, addresses, inside, kind, *(tokens or (None,)))
    fill = _padding(view, kind)
    values = accesses.read(run, op, addresses, inside, kind, fill)
    if inside is None or view.type.padding is not None or not run.launch.is_checked:
        return values, token
    return partial(values, ~inside), token


@PARTIAL.register("store_view_tko")
@RULES.register("store_view_tko")
def store_view_tko(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Stores the elements inside the tensor and drops the others."""
    tiles, views, indices, tokens = op.groups(operands)
    view: PartitionView = views[0]
    kind = view.tensor.element
    addresses, inside = _place(run, op, view, _natural(run, op, indices, 2))
    values = specified(run, op, tiles[0], inside)
    token = accesses.order(run, op, addresses, inside, kind, *(tokens or (None,)))
    accesses.write(run, op, addresses, inside, kind, values)
    return token
