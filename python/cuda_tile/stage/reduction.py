"""A reduction across warps becomes one within warps, an exchange and a small rest."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import element_of, layout_of, shape_of, tile_type
from cuda_tile.layout.linear import LinearLayout


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
