# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A scan across warps becomes one within warps, and one of the totals of blocks.

The dimension is divided into blocks of neighbours that lie in one warp. Each block is
scanned; its last prefix is its total. All totals go to every thread, which scans them
as well. Each thread then combines its elements of a block with the total of the blocks
before it; the first block has none.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.scalars import constant
from cuda_tile.ir.tiles import layout_of, shape_of, tile_type
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import part_layout
from cuda_tile.stage.blocks import (
    held_by_all,
    in_blocks,
    with_few_totals,
)
from cuda_tile.stage.build import (
    along,
    broadcast,
    cat,
    convert,
    extract,
    is_equal,
    join_along,
    reshape,
)


def split_scan(op: ir.Operation) -> None:
    """Splits a scan that crosses warps; other scans stay."""
    dim = integer(op, "dim")
    layout = layout_of(op.operands[0])
    if not layout.bits_along(dim).warp:
        return
    with ir.InsertionPoint(op), op.location:
        tiles = with_few_totals(list(op.operands), dim)
        done = _scan_in_blocks(op, tiles, dim)
        done = [convert(tile, layout) for tile in done]
    for old, new in zip(op.results, done, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _scan_in_blocks(
    op: ir.Operation, tiles: list[ir.Value], dim: int
) -> list[ir.Value]:
    """The scan of tiles whose blocks lie in warps."""
    is_reverse = ir.BoolAttr(op.attributes["reverse"]).value
    shape = shape_of(tiles[0])
    blocks = [in_blocks(tile, dim) for tile in tiles]
    local = along(op, blocks, dim + 1, [tile.type for tile in blocks])
    count, extent = shape_of(blocks[0])[dim : dim + 2]
    totals = [_totals(tile, dim, 0 if is_reverse else extent - 1) for tile in local]
    prefixes = along(op, totals, dim, [tile.type for tile in totals])
    layout = layout_of(local[0])
    before = [
        broadcast(_shifted(tile, dim, is_reverse=is_reverse), layout)
        for tile in prefixes
    ]
    combined = _combine(op, local, before)
    first = _is_block(layout, dim, count - 1 if is_reverse else 0)
    return [
        reshape(cuda_tile.SelectOp(first, own, both).result, shape)
        for own, both in zip(local, combined, strict=True)
    ]


def _totals(local: ir.Value, dim: int, last: int) -> ir.Value:
    """The last prefix of each block, in every thread."""
    shape = shape_of(local)
    thin = (*shape[: dim + 1], 1, *shape[dim + 2 :])
    layout = held_by_all(part_layout(layout_of(local), thin), dim)
    numbers = [last * (d == dim + 1) for d in range(len(shape))]
    return extract(local, numbers, layout)


def _shifted(prefixes: ir.Value, dim: int, *, is_reverse: bool) -> ir.Value:
    """The total before each block, its neighbour's prefix; any for the first."""
    shape = shape_of(prefixes)
    one = (*shape[:dim], 1, *shape[dim + 1 :])
    layout = part_layout(layout_of(prefixes), one)

    def prefix(block: int) -> ir.Value:
        return extract(
            prefixes, [block * (d == dim) for d in range(len(shape))], layout
        )

    count = shape[dim]
    parts = [prefix(block) for block in range(count)]
    parts = [*parts[1:], parts[-1]] if is_reverse else [parts[0], *parts[:-1]]
    return join_along(parts, dim)


def _is_block(layout: LinearLayout, dim: int, block: int) -> ir.Value:
    """A tile of i1: whether each element lies in a block."""
    i32 = ir.IntegerType.get_signless(32)
    row = tuple(n if d == dim else 1 for d, n in enumerate(layout.shape))
    thin = part_layout(layout, row)
    steps = cuda_tile.IotaOp(tile_type(i32, thin.reshape((row[dim],)))).result
    wanted = broadcast(constant(block), layout_of(steps))
    return broadcast(reshape(is_equal(steps, wanted), row), layout)


def _combine(
    op: ir.Operation, later: list[ir.Value], earlier: list[ir.Value]
) -> list[ir.Value]:
    """Applies the body of `op` element by element, as reductions of two registers."""
    shape = shape_of(later[0])
    pairs = [
        cat(reshape(first, (1, *shape)), reshape(second, (1, *shape)), 0)
        for first, second in zip(earlier, later, strict=True)
    ]
    copy = ir.Operation.create(
        "cuda_tile.reduce",
        results=[value.type for value in later],
        operands=pairs,
        attributes={
            "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 0),
            "identities": op.attributes["identities"],
        },
        regions=1,
    )
    whole = op.clone()
    whole.regions[0].blocks[0].append_to(copy.regions[0])
    whole.erase()
    return list(copy.results)
