# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family view: views are uniform values; accesses become vector accesses."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.tiling import tensor_view_op, tensor_view_parts, tiling_of
from cuda_tile.emit.access import TileAccess
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import View
from cuda_tile.emit.integer import divide_function
from cuda_tile.emit.reuse import load_reused
from cuda_tile.errors import Unsupported
from cuda_tile.ir.reuse import read_reuse
from cuda_tile.ir.tiles import element_of


@RULES.register("make_tensor_view")
def make_tensor_view(e: Emitter, op: ir.Operation) -> None:
    """Base, shape and strides; static ones are Python integers."""
    parts = tensor_view_parts(op)

    def lower(values: tuple[int | ir.Value, ...]) -> tuple[int | ir.Value, ...]:
        return tuple(v if isinstance(v, int) else e.scalar(v) for v in values)

    view = View(e.scalar(parts.base), lower(parts.shape), lower(parts.strides))
    e.set(op.results[0], view)


@RULES.register("make_partition_view", "make_strided_view", "make_gather_scatter_view")
def make_view_of_tiles(e: Emitter, op: ir.Operation) -> None:
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
    """How many tiles cover each dimension: extent / step, rounded up.

    Raises:
        Unsupported: A gather_scatter_view, which has no index space.
    """
    tiling, view = tiling_of(op.operands[0]), e.view(op.operands[0])
    if tiling.sparse_dim is not None:
        raise Unsupported(
            "get_index_space_shape: a gather_scatter_view has no index space; "
            "get_tensor_shape gives the extents"
        )
    texts = tensor_view_parts(tensor_view_op(op.operands[0])).shape
    axes = zip(tiling.steps, tiling.dim_map, op.results, strict=True)
    for step, target, result in axes:
        extent = view.shape[target]
        if isinstance(extent, int):
            count: int | ir.Value = -(-extent // step)
        else:
            text = texts[target]
            low = None if isinstance(text, int) else e.facts.of(text).low
            may_wrap = low is None or low < 0
            count = _rounded_up(e.builder, extent, step, may_wrap=may_wrap)
        e.set(result, _as_scalar(e, count, element_of(result)))


def _rounded_up(b: Builder, extent: ir.Value, step: int, *, may_wrap: bool) -> ir.Value:
    """The quotient, by a sum where the extent is surely no negative number."""
    wide = b.unsigned(extent, b.i32)
    divisor = b.constant(wide.type, step)
    if may_wrap or step > 1 << ir.IntegerType(wide.type).width - 1:
        return divide_function(b, "positive_inf", signed=False)(wide, divisor)
    whole = b.add(wide, step - 1)
    return b.binary("udiv", whole, divisor)


def _as_scalar(e: Emitter, value: int | ir.Value, ty: ir.Type) -> ir.Value:
    """A number of elements, which is not negative, in the wanted width."""
    if isinstance(value, int):
        return e.builder.constant(ty, value)
    b = e.builder
    wide = b.unsigned(value, ty)
    return wide if wide.type == ty else b.op("llvm.trunc", ty, wide)


@RULES.register("load_view_tko")
def load_view_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector loads; elements out of bounds get the view's padding value."""
    access, reuse = TileAccess.of_view(e, op, op.results[0]), read_reuse(op)
    if reuse is not None and reuse.slots:
        load_reused(e, op, access, reuse)
    else:
        access.load_into(op.results[0])
    e.set(op.results[1], None)


@RULES.register("store_view_tko")
def store_view_tko(e: Emitter, op: ir.Operation) -> None:
    """Vector stores; elements out of bounds are not stored."""
    tile = op.operands[0]
    TileAccess.of_view(e, op, tile).store(e.fragment(tile))
    e.set(op.results[0], None)
