"""Family view: views are uniform values; accesses become vector accesses."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PartitionViewType
from cuda_tile.analysis.access import tensor_view_parts
from cuda_tile.emit.access import TileAccess
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import View
from cuda_tile.emit.integer import divide_function
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import segments


@RULES.register("make_tensor_view")
def make_tensor_view(e: Emitter, op: ir.Operation) -> None:
    """Base, shape and strides; static ones are Python integers."""
    parts = tensor_view_parts(op)

    def lower(values: tuple[int | ir.Value, ...]) -> tuple[int | ir.Value, ...]:
        return tuple(v if isinstance(v, int) else e.scalar(v) for v in values)

    view = View(e.scalar(parts.base), lower(parts.shape), lower(parts.strides))
    e.set(op.results[0], view)


@RULES.register("make_partition_view")
def make_partition_view(e: Emitter, op: ir.Operation) -> None:
    """The same memory; the tiling is in the type."""
    e.set(op.results[0], e.get(op.operands[0]))


@RULES.register("get_tensor_shape")
def get_tensor_shape(e: Emitter, op: ir.Operation) -> None:
    """The extents, in the wanted width."""
    view = e.view(op.operands[0])
    for extent, result in zip(view.shape, op.results, strict=True):
        e.set(result, _as_scalar(e, extent, element_of(result)))


@RULES.register("get_index_space_shape")
def get_index_space_shape(e: Emitter, op: ir.Operation) -> None:
    """How many tiles cover each dimension: extent / tile, rounded up."""
    view, ty = e.view(op.operands[0]), PartitionViewType(op.operands[0].type)
    divide = divide_function(e.builder, "positive_inf", signed=True)
    axes = zip(ty.tile_shape, ty.dim_map, op.results, strict=True)
    for tile_extent, target, result in axes:
        extent = view.shape[target]
        if isinstance(extent, int):
            count: int | ir.Value = -(-extent // tile_extent)
        else:
            count = divide(extent, e.builder.constant(extent.type, tile_extent))
        e.set(result, _as_scalar(e, count, element_of(result)))


def _as_scalar(e: Emitter, value: int | ir.Value, ty: ir.Type) -> ir.Value:
    if isinstance(value, int):
        return e.builder.constant(ty, value)
    return e.builder.resize(value, ty)


@RULES.register("load_view_tko")
def load_view_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector loads; elements out of bounds get the view's padding value."""
    view, indices, *_ = segments(op)
    access = TileAccess.of_view(e, op, view[0], indices, op.results[0])
    access.load_into(op.results[0])
    e.set(op.results[1], None)


@RULES.register("store_view_tko")
def store_view_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector stores; elements out of bounds are not stored."""
    tile, view, indices, *_ = segments(op)
    access = TileAccess.of_view(e, op, view[0], indices, tile[0])
    access.store(e.fragment(tile[0]))
    e.set(op.results[0], None)
