# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the elements of a tile lie in memory, for the three kinds of views.

Tensor coordinate of element t of the tile at index p:
partition and strided views `c[dim_map[d]] = p[d] * step[d] + t[d]`; gather_scatter
views `c[sparse] = p[sparse][t]` and `c[d] = p[d] + t[d]` elsewhere, both in elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp import decisions
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op, TileViewType
from cuda_tile.interp.values import Mask, TileView
from cuda_tile.interp.words import Unsigned, unsigned
from cuda_tile.runtime.elements import Array, Element

PADDING = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "nan": np.nan,
    "pos_inf": np.inf,
    "neg_inf": -np.inf,
}
"""Value of an element outside the tensor, by the view's keyword."""


def natural(
    run: TileBlock, op: Op, group: tuple[Any, ...], start: int
) -> list[Unsigned]:
    """Unsigned readings of index operands; `start` is the first one's position."""
    return [
        unsigned(
            run.defined(op, value, "the index"), op.operand_tile(start + i).element
        )
        for i, value in enumerate(group)
    ]


def index_space(view: TileView) -> tuple[int, ...]:
    """Tiles per tile dimension: `ceil(shape[dim_map[d]] / step[d])`."""
    kind = view.type
    return tuple(
        -(-view.tensor.shape[dimension] // step)
        for dimension, step in zip(kind.dim_map, kind.steps, strict=True)
    )


def place(
    run: TileBlock, op: Op, view: TileView, index: list[Unsigned]
) -> tuple[NDArray[np.uint64], Mask | None]:
    """Addresses of a tile's elements, and which are inside (None where all are).

    Addresses are as `accesses` counts them: half bytes for the 4-bit types.
    """
    kind, tensor = view.type, view.tensor
    _check_index(run, op, view, index)
    rank = len(kind.tile_shape)
    unit = 1 if tensor.element.is_packed else tensor.element.storage_bytes
    base = tensor.address * 2 if tensor.element.is_packed else tensor.address
    address = np.full((1,) * rank, base, dtype=np.uint64)
    inside = np.ones((1,) * rank, dtype=np.bool_)
    for d, dimension in enumerate(kind.dim_map):
        size = tensor.shape[dimension]
        coordinate = _coordinates(kind, d, index[d], size)
        inside = inside & (coordinate < size)
        stride = np.uint64(tensor.strides[dimension] * unit % 2**64)
        address = address + coordinate.view(np.uint64) * stride
    if run.launch.is_checked and any(op.attributes.get("inbounds", ())):
        _check_inbounds(run, op, view, index)
    _check_distance(run, op, view, index)
    is_lost = decisions.GATHER_ALL_OUTSIDE_IS_UNDEFINED and kind.sparse_dim is not None
    if is_lost and run.launch.is_checked and not inside.any():
        run.doubt(
            op,
            "index",
            f"no element lies inside the tensor of {list(tensor.shape)}; skip such an "
            "access",
        )
    addresses = np.ascontiguousarray(np.broadcast_to(address, kind.tile_shape))
    whole = np.broadcast_to(inside, kind.tile_shape)
    return addresses, None if inside.all() else whole


def _coordinates(
    kind: TileViewType, d: int, index: Unsigned, size: int
) -> NDArray[np.int64]:
    """Tensor coordinates along tile dimension d, shaped to broadcast over the tile."""
    extent, step = kind.tile_shape[d], kind.steps[d]
    along = [1] * len(kind.tile_shape)
    along[d] = extent
    if d == kind.sparse_dim:
        return np.minimum(index, np.uint64(size)).view(np.int64).reshape(along)
    start = min(int(index), -(-size // step)) * step  # past the end any start will do
    return np.arange(start, start + extent, dtype=np.int64).reshape(along)


def _check_index(run: TileBlock, op: Op, view: TileView, index: list[Unsigned]) -> None:
    """Doubts an index outside the index space; half of a tile inside may have one."""
    if not run.launch.is_checked or run.entry.is_pair:
        return
    space = index_space(view)
    dense = [d for d in range(len(space)) if d != view.type.sparse_dim]
    if any(int(index[d]) >= space[d] for d in dense):
        numbers = [int(index[d]) for d in dense]
        run.doubt(
            op,
            "index",
            f"index {numbers} is outside the index space {[space[d] for d in dense]} "
            f"of tiles of {list(view.type.tile_shape)} over a tensor of "
            f"{list(view.tensor.shape)}; launch fewer tile blocks, or skip the access",
        )


def _check_inbounds(
    run: TileBlock, op: Op, view: TileView, index: list[Unsigned]
) -> None:
    """`inbounds` promises per index that the tile lies inside along it."""
    kind = view.type
    for flag, promised in enumerate(op.attributes.get("inbounds", ())):
        d = flag
        if decisions.INBOUNDS_GOES_BY == "dimension":
            d = kind.dim_map.index(flag)
        size = view.tensor.shape[kind.dim_map[d]]
        if d == kind.sparse_dim:
            stop = int(index[d].max()) + 1
        else:
            stop = int(index[d]) * kind.steps[d] + kind.tile_shape[d]
        if promised and stop > size:
            where = [0] * len(kind.tile_shape)
            begin = int(index[d].flat[0]) * kind.steps[d]
            where[d] = max(size - begin, 0)
            if d == kind.sparse_dim:
                where[d] = int(np.argmax(index[d]))
            run.fail(
                op,
                f"promised inbounds along index {flag}, but the tile ends at {stop} "
                f"of {size} elements",
                tuple(where),
            )


def _check_distance(
    run: TileBlock, op: Op, view: TileView, index: list[Unsigned]
) -> None:
    """How far a tile lies from the base must fit 63 bits."""
    if not run.launch.is_checked:
        return
    kind, tensor = view.type, view.tensor
    distance = sum(
        min(int(index[d].max()) * kind.steps[d], tensor.shape[dimension])
        * tensor.strides[dimension]
        for d, dimension in enumerate(kind.dim_map)
    )
    if distance * tensor.element.storage_bytes >= 1 << 63:
        run.fail(op, f"the tile lies {distance} elements from the base: beyond 2^63")


def why_outside(view: TileView, index: list[Unsigned]) -> str:
    """Which axes of the tensor a tile reaches past, for a load without padding."""
    kind, shape = view.type, view.tensor.shape
    axes: list[str] = []
    for d, dimension in enumerate(kind.dim_map):
        last = int(index[d].max()) * kind.steps[d]
        end = last + 1 if d == kind.sparse_dim else last + kind.tile_shape[d]
        if end > shape[dimension]:
            axes.append(f"axis {dimension} of extent {shape[dimension]}")
    return (
        f"its tile reaches past {' and '.join(axes)} of the tensor, and the load has "
        "no padding: give it one, such as cuTile's padding_mode=ct.PaddingMode.ZERO"
    )


def padding(run: TileBlock, view: TileView, kind: Element) -> Array:
    """A tile of the view's padding value, unspecified where it has none."""
    keyword = view.type.padding
    if keyword is None:
        return run.unspecified(view.type.tile_shape, kind)
    number = decisions.PADDING_WITHOUT_CODE.get((kind.name, keyword), PADDING[keyword])
    return np.full(view.type.tile_shape, number).astype(kind.dtype)
