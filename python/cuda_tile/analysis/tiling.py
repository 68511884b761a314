# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor views and how the tiles of a view lie in them.

Tensor coordinate of element t of the tile at index p: `c[dim_map[d]] = p[d] * step[d] +
t[d]`; along the sparse dimension of a gather_scatter view `c[d] = p[d][t[d]]`, where
all steps are one. Indices, extents and strides are read unsigned.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TensorViewType,
)
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import defining_op, named_operands
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Tiling:
    """How the tiles of a view lie in its tensor.

    Attributes:
        tile_shape: Extents of a tile.
        dim_map: Tensor dimension of each tile dimension.
        steps: Elements from one tile to the next along each tile dimension.
        sparse_dim: The dimension with a position per slice, of gather and scatter; else
            None.
        padding: Keyword of the value outside the tensor, None if unspecified.
        element: Element type of the tensor.
    """

    tile_shape: tuple[int, ...]
    dim_map: tuple[int, ...]
    steps: tuple[int, ...]
    sparse_dim: int | None
    padding: str | None
    element: ir.Type


def tiling_of(view: ir.Value) -> Tiling:
    """The tiling that is in the type of a view of tiles.

    Raises:
        InternalError: The value is no view of tiles.
    """
    ty = view.type
    match ty:
        case PartitionViewType():
            steps, dim_map = tuple(ty.tile_shape), tuple(ty.dim_map)
        case StridedViewType():
            steps, dim_map = tuple(ty.traversal_strides), tuple(ty.dim_map)
        case GatherScatterViewType():
            steps = (1,) * len(ty.tile_shape)
            dim_map = tuple(range(len(ty.tile_shape)))
        case _:
            raise InternalError(f"expected a view of tiles, got {ty}")
    return Tiling(
        tuple(ty.tile_shape),
        dim_map,
        steps,
        ty.sparse_dim if isinstance(ty, GatherScatterViewType) else None,
        ty.padding_value,
        ty.tensor_view.element_type,
    )


def view_operand(op: ir.Operation) -> ir.Value:
    """The view of a view access."""
    return named_operands(op, "view")[0]


def index_operands(op: ir.Operation) -> list[ir.Value]:
    """The indices of a view access, one for each tile dimension."""
    return named_operands(op, "index")


def promised_inside(op: ir.Operation, rank: int) -> list[bool]:
    """Whether the producer promises that a tile is in bounds, for each dimension.

    Args:
        op: The access.
        rank: Dimensions of the tile.
    """
    if "inbounds" not in op.attributes:
        return [False] * rank
    return list(ir.DenseBoolArrayAttr(op.attributes["inbounds"])) or [False] * rank


def tensor_view_op(view: ir.Value) -> ir.Operation:
    """The `make_tensor_view` behind a view; views never pass through a block.

    Raises:
        InternalError: No `make_tensor_view` stands behind the view.
    """
    op = defining_op(view)
    while op is not None:
        if op.name == "cuda_tile.make_tensor_view":
            return op
        op = defining_op(op.operands[0])
    raise InternalError("expected a view made by make_tensor_view")


@dataclass(frozen=True)
class TensorViewParts:
    """Operands of a `make_tensor_view`, static values filled in.

    A shape or stride is an int where the type fixes it, else the SSA value.
    """

    base: ir.Value
    shape: tuple[int | ir.Value, ...]
    strides: tuple[int | ir.Value, ...]


def tensor_view_parts(op: ir.Operation) -> TensorViewParts:
    """Splits the operands of `make_tensor_view` by their meaning."""
    ty = TensorViewType(op.results[0].type)
    operands = list(op.operands)
    base, rest = operands[0], iter(operands[1:])
    shape = tuple(next(rest) if n is None else n for n in ty.shape)
    strides = tuple(next(rest) if n is None else n for n in ty.strides)
    return TensorViewParts(base, shape, strides)
