"""Puts into shared memory what must change threads: operands, conversions, sums.

Contract: in, level W from `place`; out, level W in which every remaining
`convert_layout` stays within a warp and every `reduce` too. Three rewrites:

- a product reads its operands from swizzled buffers, one K-slice at a time;
- a conversion between warps becomes alloc, store, load;
- a reduction across warps becomes one within warps, a conversion of the small
  rest to every thread, and one within threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, LayoutAttr
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.plan import Plan, read_plan
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    layout_of,
    shape_of,
    tile_type,
)
from cuda_tile.ir.walk import defining_op, entries, nested_ops
from cuda_tile.layout.convert import ConversionKind, classify
from cuda_tile.layout.fragments import M16N8K16, tile_mma
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_swizzle
from cuda_tile.options import Options


def run(module: ir.Operation, options: Options) -> None:
    """Stages every entry of `module`."""
    del options
    for entry in entries(module):
        plan = read_plan(entry)
        for op in list(nested_ops(entry)):
            if op.name == "cuda_tile.mmaf":
                stage_product(op, plan)
        for op in list(nested_ops(entry)):
            if op.name == "cuda_tile.reduce":
                split_reduction(op)
        for op in list(nested_ops(entry)):
            if op.name == "tileas.convert_layout":
                stage_conversion(op)


# Products -----------------------------------------------------------------------------


def stage_product(op: ir.Operation, plan: Plan) -> None:
    """Replaces a product by one `mma_sync` per K-slice of its staged operands."""
    lhs, rhs, acc = op.operands
    staged = [_conversion_source(value) for value in (lhs, rhs)]
    with ir.InsertionPoint(op), op.location:
        if staged[0] is None or staged[1] is None:
            total = tileas.MmaSyncOp(acc.type, lhs, rhs, acc, atom=plan.mma).result
        else:
            total = _sliced_product(op, plan, staged[0], staged[1])
    op.results[0].replace_all_uses_with(total)
    op.erase()
    if staged[0] is not None and staged[1] is not None:
        for conversion in dict.fromkeys((defining_op(lhs), defining_op(rhs))):
            if conversion is not None and not list(conversion.results[0].uses):
                conversion.erase()


def _sliced_product(
    op: ir.Operation, plan: Plan, lhs: ir.Value, rhs: ir.Value
) -> ir.Value:
    rows, depth = shape_of(lhs)
    columns = shape_of(rhs)[1]
    step = M16N8K16.shape[2]
    warps = (plan.warps_m, plan.warps_n)
    a_layout = tile_mma((rows, step), warps, "a")
    b_layout = tile_mma((step, columns), warps, "b")
    a_buffer = _store_in_buffer(lhs, a_layout)
    b_buffer = _store_in_buffer(rhs, b_layout)
    a_type = tile_type(element_of(lhs), a_layout)
    b_type = tile_type(element_of(rhs), b_layout)
    total = op.operands[2]
    for k in range(0, depth, step):
        a = tileas.LoadSharedOp(a_type, a_buffer, offsets=[0, k]).result
        b = tileas.LoadSharedOp(b_type, b_buffer, offsets=[k, 0]).result
        total = tileas.MmaSyncOp(total.type, a, b, total, atom=plan.mma).result
    return total


def _conversion_source(value: ir.Value) -> ir.Value | None:
    """What a conversion through shared memory converts, or None."""
    op = defining_op(value)
    if op is None or op.name != "tileas.convert_layout":
        return None
    source = op.operands[0]
    kind = classify(layout_of(source), layout_of(value))
    return source if kind is ConversionKind.SHARED else None


# Conversions --------------------------------------------------------------------------


def stage_conversion(op: ir.Operation) -> None:
    """Replaces a conversion between warps by a trip through shared memory."""
    source, result = op.operands[0], op.results[0]
    if _conversion_source(result) is None:
        return
    with ir.InsertionPoint(op), op.location:
        buffer = _store_in_buffer(source, layout_of(result))
        origin = [0] * len(shape_of(result))
        loaded = tileas.LoadSharedOp(result.type, buffer, offsets=origin).result
    result.replace_all_uses_with(loaded)
    op.erase()


def _store_in_buffer(source: ir.Value, reader: LinearLayout) -> ir.Value:
    """A new buffer that holds `source`, swizzled for how it is written and read."""
    element = element_of(source)
    shared = choose_swizzle(
        shape_of(source), element_bits(element), layout_of(source), reader
    )
    buffer = tileas.AllocSharedOp(_buffer_type(element, shared)).result
    tileas.StoreSharedOp(source, buffer)
    return buffer


def _buffer_type(element: ir.Type, shared: SharedLayout) -> ir.Type:
    return BufferType.get(list(shared.shape), element, LayoutAttr.get(shared.groups()))


# Reductions ---------------------------------------------------------------------------


def split_reduction(op: ir.Operation) -> None:
    """Splits a reduction that crosses warps; leaves others alone."""
    dim = integer(op, "dim")
    layout = layout_of(op.operands[0])
    warps = layout.bits_along(dim).warp
    if not warps:
        return
    with ir.InsertionPoint(op), op.location:
        tiles = _reduce_within_warps(op, list(op.operands), dim, layout)
        everywhere = _to_every_warp(layout_of(tiles[0]), dim)
        tiles = [
            tileas.ConvertLayoutOp(tile_type(element_of(t), everywhere), t).result
            for t in tiles
        ]
        types = [result.type for result in op.results]
        final = _reduce_like(op, tiles, dim, types)
    for old, new in zip(op.results, final, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _reduce_within_warps(
    op: ir.Operation, tiles: list[ir.Value], dim: int, layout: LinearLayout
) -> list[ir.Value]:
    """Folds what each warp holds; dimension `dim` is left with one per warp."""
    shape = layout.shape
    warp_part = 0
    for basis in layout.warp:
        warp_part |= basis[dim]
    runs = _bit_runs(warp_part, shape[dim])
    split = (*shape[:dim], *(extent for _, extent in runs), *shape[dim + 1 :])
    tiles = [_reshape(tile, split) for tile in tiles]
    for i, (is_warp, _) in reversed(list(enumerate(runs))):
        if not is_warp:
            reduced = layout_of(tiles[0]).reduce(dim + i).drop_redundant_registers()
            types = [tile_type(element_of(tile), reduced) for tile in tiles]
            tiles = _reduce_like(op, tiles, dim + i, types)
    count = prod(extent for is_warp, extent in runs if is_warp)
    merged = (*shape[:dim], count, *shape[dim + 1 :])
    return [_reshape(tile, merged) for tile in tiles]


def _bit_runs(mask: int, extent: int) -> list[tuple[bool, int]]:
    """Cuts the bits of a coordinate into runs of warp bits and others, high first."""
    runs: list[tuple[bool, int]] = []
    for bit in reversed(range(extent.bit_length() - 1)):
        is_warp = bool(mask >> bit & 1)
        if runs and runs[-1][0] == is_warp:
            runs[-1] = (is_warp, runs[-1][1] * 2)
        else:
            runs.append((is_warp, 2))
    return runs


def _reshape(tile: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    if shape_of(tile) == shape:
        return tile
    ty = tile_type(element_of(tile), layout_of(tile).reshape(shape))
    return cuda_tile.ReshapeOp(ty, tile).result


def _to_every_warp(layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout in which each thread holds the whole of `dim`."""
    zero = (0,) * layout.rank
    steps = [b for b in layout.warp if b[dim]]
    warp = tuple(zero if basis[dim] else basis for basis in layout.warp)
    register = (*layout.register, *steps)
    return LinearLayout(layout.shape, register, layout.lane, warp, layout.block)


def _reduce_like(
    op: ir.Operation, tiles: Sequence[ir.Value], dim: int, types: list[ir.Type]
) -> list[ir.Value]:
    """The same reduction of other tiles along another dimension."""
    copy = op.clone()
    for i, tile in enumerate(tiles):
        copy.operands[i] = tile
    copy.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), dim)
    for result, ty in zip(copy.results, types, strict=True):
        result.set_type(ty)
    return list(copy.results)
