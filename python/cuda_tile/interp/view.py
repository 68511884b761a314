# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the view family: tensors in memory seen as grids of tiles.

A view is address, shape and strides; making one touches no memory. An element of a
tile is inside iff every coordinate is within the tensor's shape: loads give the
padding outside, stores drop it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import accesses, decisions
from cuda_tile.interp.atomic import reduce_into
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.memory import only, specified
from cuda_tile.interp.program import Op, TensorViewType, TileViewType
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.tiling import index_space, natural, padding, place, why_outside
from cuda_tile.interp.undefined import partial
from cuda_tile.interp.uses import strides_of
from cuda_tile.interp.values import Partial, TensorView, TileView, Token
from cuda_tile.interp.words import limits, wrap
from cuda_tile.runtime.elements import Array


@PARTIAL.register("make_tensor_view")
@RULES.register("make_tensor_view")
def make_tensor_view(run: TileBlock, op: Op, *operands: Any) -> TensorView:
    """Dynamic operands fill the `?` of the type left to right, shape first."""
    base, sizes, steps = op.groups(operands)
    kind = op.result_types[0]
    assert isinstance(kind, TensorViewType), "make_tensor_view gives a tensor_view"
    sizes_read = [int(size) for size in natural(run, op, sizes, 1)]
    if run.launch.is_checked and 0 in sizes_read and not decisions.TENSORS_MAY_BE_EMPTY:
        run.fail(op, "expected sizes above 0, got 0")
    shape = iter(sizes_read)
    steps_read = [int(step) for step in natural(run, op, steps, 1 + len(sizes))]
    _check_steps(run, op, steps_read, sizes_read)
    strides = iter(steps_read)
    address = int(run.defined(op, base[0], "the base address"))
    if run.launch.is_checked and address % kind.element.storage_bytes:
        run.fail(
            op,
            f"expected a base aligned to {kind.element.storage_bytes} bytes for "
            f"{kind.element}, got {address:#x}",
        )
    view = TensorView(
        address,
        tuple(next(shape) if size is None else size for size in kind.shape),
        tuple(next(strides) if step is None else step for step in kind.strides),
        kind.element,
    )
    if run.launch.is_checked and kind.element.is_packed:
        _check_bytes(run, op, view)
    return view


def _check_bytes(run: TileBlock, op: Op, view: TensorView) -> None:
    """Elements of 4 bits fill bytes along some axis."""
    axes = zip(view.shape, view.strides, strict=True)
    if not any(step == 1 and size % 2 == 0 for size, step in axes):
        run.fail(
            op,
            "expected a stride of 1 and an even size along one axis for "
            f"{view.element}, got sizes {list(view.shape)} and strides "
            f"{list(view.strides)}",
        )


def _check_steps(run: TileBlock, op: Op, steps: list[int], sizes: list[int]) -> None:
    """Strides are above 0, and what was assumed of them holds where it matters.

    Along an axis of one element no access multiplies by the stride.
    """
    kind = op.result_types[0]
    assert isinstance(kind, TensorViewType), "make_tensor_view gives a tensor_view"
    if not run.launch.is_checked:
        return
    if 0 in steps:
        text = "expected strides above 0, got 0: elements of the tensor coincide"
        run.doubt(op, "stride", text)
    dynamic = iter(sizes)
    shape = [next(dynamic) if size is None else size for size in kind.shape]
    axes = [axis for axis, step in enumerate(kind.strides) if step is None]
    for axis, slot in zip(axes, strides_of(op), strict=True):
        if slot not in run.broken:
            continue
        source, text = run.broken[slot]
        if shape[axis] > 1:
            run.fail(source, text)
        run.doubt(source, "assumption", f"{text}; the axis has one element")


@RULES.register("make_partition_view", "make_strided_view", "make_gather_scatter_view")
def make_tile_view(run: TileBlock, op: Op, tensor: TensorView) -> TileView:
    """Pairs the tensor view with how tiles lie in it."""
    kind = op.result_types[0]
    assert isinstance(kind, TileViewType), "the result is a view of tiles"
    return TileView(tensor, kind)


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
def get_index_space_shape(run: TileBlock, op: Op, view: TileView) -> tuple[Array, ...]:
    """Tiles along each dimension of the view."""
    if view.type.sparse_dim is not None and not decisions.GATHER_HAS_INDEX_SPACE:
        run.fail(op, "a gather_scatter_view has no index space")
    return _shape_results(run, op, index_space(view))


@RULES.register("get_tensor_shape")
def get_tensor_shape(run: TileBlock, op: Op, view: TensorView) -> tuple[Array, ...]:
    """Sizes of the tensor."""
    return _shape_results(run, op, view.shape)


@PARTIAL.register("load_view_tko")
@RULES.register("load_view_tko")
def load_view_tko(
    run: TileBlock, op: Op, *operands: Any
) -> tuple[Array | Partial, Token]:
    """Memory inside the tensor; outside the padding, or unspecified without one."""
    views, indices, tokens = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    index = natural(run, op, indices, 1)
    places, inside = place(run, op, view, index)
    token = accesses.order(run, op, places, inside, kind, only(tokens), is_write=False)
    fill = padding(run, view, kind)
    values = accesses.read(run, op, places, inside, kind, fill)
    unset = accesses.unwritten(run, places, inside, kind)
    if not run.launch.is_checked:
        return values, token
    lost = np.zeros(places.shape, np.bool_) if unset is None else unset
    if inside is not None and view.type.padding is None:
        lost = lost | ~inside
        run.origins.reasons.setdefault(op, why_outside(view, index))
    return partial(values, lost), token


@PARTIAL.register("store_view_tko")
@RULES.register("store_view_tko")
def store_view_tko(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Stores the elements inside the tensor and drops the others."""
    tiles, views, indices, tokens = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    places, inside = place(run, op, view, natural(run, op, indices, 2))
    values = specified(run, op, tiles[0], inside, kind)
    token = accesses.order(
        run, op, places, inside, kind, only(tokens), is_write=True, stored=values
    )
    accesses.write(run, op, places, inside, kind, values)
    accesses.publish(run, op, places, inside, token)
    return token


@PARTIAL.register("atomic_red_view_tko")
@RULES.register("atomic_red_view_tko")
def atomic_red_view_tko(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Each element inside becomes `mode(memory, value)` atomically."""
    views, indices, values, tokens = op.groups(operands)
    view: TileView = views[0]
    places, inside = place(run, op, view, natural(run, op, indices, 1))
    value = specified(run, op, values[0], inside, view.tensor.element)
    _, token = reduce_into(
        run,
        op,
        places,
        inside,
        view.tensor.element,
        value,
        only(tokens),
        op.attributes["mode"],
    )
    return token
