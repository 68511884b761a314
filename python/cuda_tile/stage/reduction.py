# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reduction across warps becomes one within warps, and one of partial results."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_commutative
from cuda_tile.analysis.lane_folds import redux_kinds
from cuda_tile.constants import MOST_FOLDED_WARPS
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.tiles import (
    element_of,
    is_distributed,
    layout_of,
    shape_of,
    tile_type,
    with_layout,
)
from cuda_tile.ir.walk import enclosing_entry
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.layout.reduction import (
    lanes_along,
    most_spread_result,
    replicated_result,
    spread_result,
)
from cuda_tile.stage.blocks import (
    held_by_all,
    held_by_lanes,
    in_blocks,
    with_few_totals,
    without,
)
from cuda_tile.stage.build import along, convert, permute, reshape


def split_reduction(op: ir.Operation) -> None:
    """Splits a reduction that crosses warps; other reductions stay."""
    dim = integer(op, "dim")
    layout = layout_of(op.operands[0])
    bits = layout.bits_along(dim)
    if not (bits.warp or bits.block):
        return
    with ir.InsertionPoint(op), op.location:
        if is_commutative(op):
            tiles, kept = _reduce_within_warps(op, list(op.operands), dim, layout)
        else:
            tiles = _reduce_below_warps(op, list(op.operands), dim)
            kept = layout_of(tiles[0])
        everywhere = held_by_all(kept, dim)
        if is_commutative(op) and layout_of(tiles[0]).shape[dim] > MOST_FOLDED_WARPS:
            everywhere = held_by_lanes(everywhere, dim)
        tiles = [convert(tile, everywhere) for tile in tiles]
        final = along(op, tiles, dim, _final_types(op, everywhere, dim))
        if is_distributed(op.results[0]):
            wanted = [layout_of(result) for result in op.results]
            final = [convert(*pair) for pair in zip(final, wanted, strict=True)]
    for old, new in zip(op.results, final, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _reduce_within_warps(
    op: ir.Operation, tiles: list[ir.Value], dim: int, layout: LinearLayout
) -> tuple[list[ir.Value], LinearLayout]:
    """Reduces the elements of each warp; `dim` keeps one value per warp and CTA.

    The coordinate's bits that tell warps apart are moved in front of the others, so
    that one reduction combines all the others: registers before lanes, which leaves
    one value per thread to shuffle instead of one per register.
    """
    shape = layout.shape
    warp_part = 0
    for basis in (*layout.warp, *layout.block):
        warp_part |= basis[dim]
    runs = _bit_runs(warp_part, shape[dim])
    split = (*shape[:dim], *(extent for _, extent in runs), *shape[dim + 1 :])
    across = [dim + i for i, (is_warp, _) in enumerate(runs) if is_warp]
    within = [dim + i for i, (is_warp, _) in enumerate(runs) if not is_warp]
    order = (*range(dim), *across, *within, *range(dim + len(runs), len(split)))
    count = prod(split[place] for place in across)
    merged = (*shape[:dim], count, shape[dim] // count, *shape[dim + 1 :])
    if not within:
        return tiles, layout
    tiles = [reshape(permute(reshape(t, split), order), merged) for t in tiles]
    layout = layout_of(tiles[0])
    reduced = _spread(op, layout, dim + 1)
    types = [tile_type(element_of(tile), reduced) for tile in tiles]
    return along(op, tiles, dim + 1, types), most_spread_result(layout, dim + 1)


def _spread(op: ir.Operation, layout: LinearLayout, dim: int) -> LinearLayout:
    """The layout in which lanes divide rows that go on through shared memory.

    Few rows, each of which one instruction reduces over all lanes, stay in all lanes.
    """
    lanes = lanes_along(layout, dim)
    if len(lanes) == N_LANE_BITS and redux_kinds(op, read_target(enclosing_entry(op))):
        return most_spread_result(layout, dim)
    rows = replicated_result(layout, dim).register
    return spread_result(layout, dim, min(len(rows), len(lanes)))


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


def _reduce_below_warps(
    op: ir.Operation, tiles: list[ir.Value], dim: int
) -> list[ir.Value]:
    """Reduces blocks of neighbours that lie in one warp, and keeps their order."""
    tiles = [in_blocks(tile, dim) for tile in with_few_totals(tiles, dim)]
    layout = layout_of(tiles[0])
    if layout.shape[dim + 1] == 1:
        return [reshape(tile, without(shape_of(tile), dim + 1)) for tile in tiles]
    types = [
        tile_type(element_of(tile), replicated_result(layout, dim + 1))
        for tile in tiles
    ]
    return along(op, tiles, dim + 1, types)


def _final_types(op: ir.Operation, everywhere: LinearLayout, dim: int) -> list[ir.Type]:
    """Result types of the last step, before any change of layout."""
    if not is_distributed(op.results[0]):
        return [result.type for result in op.results]
    layout = replicated_result(everywhere, dim)
    return [with_layout(result, layout) for result in op.results]
