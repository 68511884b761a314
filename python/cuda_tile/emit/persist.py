# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family persist: each CTA serves every n-th tile block, n being the CTAs launched.

The CTAs lie along x only. A tile block has a number from 0 on, its place in the order
in which blocks are served; at any time the CTAs of a grid work on blocks whose numbers
are close to each other. The launcher appends the grid's extents in tile blocks.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import Point, successors
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.errors import InternalError
from cuda_tile.ir.cta_pairs import PAIR_CTAS
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.tile_loop import NEXT_TILE, TILES
from cuda_tile.ir.walk import enclosing_entry


@RULES.register(TILES)
def tiles(e: Emitter, op: ir.Operation) -> None:
    """Block `%ctaid.x` is the CTA's first one; each `next_tile` goes to the next."""
    b = e.builder
    body, after = successors(op)
    carried = [ty for value in op.operands for ty in e.flat_types(value)]
    head = b.block([b.i32, *carried])
    e.tile_heads[op] = head
    _go_on(e, op, b.in_prologue(_register(e, "ctaid"), b.i32), op)
    b.enter(head)
    number, *values = head.arguments
    place = _coordinates(e, number, read_plan(enclosing_entry(op)).tile_group)
    if e.is_pair:  # block 2 i and 2 i + 1 along x
        place[0] = b.add(b.mul(place[0], PAIR_CTAS), e.threads.rank())
    b.branch(e.landing(body.target), [*place, *values])
    e.enter(body.target)
    with e.packer.scope():
        e.emit_block(body.target.block)
    e.enter(after.target)


@RULES.register(NEXT_TILE)
def next_tile(e: Emitter, op: ir.Operation) -> None:
    """The number of the block that the CTA serves next, if there is one."""
    b = e.builder
    target = successors(op)[0].target.op
    step = b.in_prologue(_register(e, "nctaid"), b.i32)
    number = e.tile_heads[target].arguments[0]
    _go_on(e, target, b.add(number, step), op)
    e.leave()


def _register(e: Emitter, name: str) -> str:
    """The special register of a number of CTAs along x, or of their pairs."""
    name = name.replace("cta", "cluster") if e.is_pair else name
    return f"nvvm.read.ptx.sreg.{name}.x"


def _go_on(
    e: Emitter, tiles_op: ir.Operation, number: ir.Value, source: ir.Operation
) -> None:
    """To the body with block `number`, or behind the op if there is no such block.

    Fewer than 2^31 blocks, which the launcher checks, and as many CTAs at most: as an
    unsigned number the sum does not wrap.
    """
    b = e.builder
    values = [flat for value in source.operands for flat in e.flatten(value)]
    x, y, z = _extents(e)
    count = b.mul(b.mul(x, y), z)
    b.branch_if(
        b.icmp("ult", number, count),
        e.tile_heads[tiles_op],
        e.landing(Point(tiles_op, None)),
        [number, *values],
        values,
    )


def _extents(e: Emitter) -> tuple[ir.Value, ir.Value, ir.Value]:
    if e.grid_extents is None:
        raise InternalError(f"emit: expected the grid's extents for '{TILES}'")
    return e.grid_extents


def _coordinates(e: Emitter, number: ir.Value, group: int) -> list[ir.Value]:
    """The tile block of a number.

    Numbers count x fastest, then y, then z. With a `group` above 1 they count in strips
    of so many rows: in a strip y fastest, then x. So CTAs that work at the same time
    have a block of the grid between them that is nearer to a square, and what tile
    blocks of one row or of one column load alike is loaded fewer times into the L2
    cache.
    """
    b = e.builder
    x_extent, y_extent, _ = _extents(e)
    layer = b.mul(x_extent, y_extent)
    z, rest = _divide(e, number, layer)
    if group <= 1:
        y, x = _divide(e, rest, x_extent)
        return [x, y, z]
    rows = b.constant(b.i32, group)
    strip, inside = _divide(e, rest, b.mul(x_extent, rows))
    first = b.mul(strip, rows)
    left = b.sub(y_extent, first)
    # The last strip may have fewer rows.
    height = b.select(b.icmp("ult", left, rows), left, rows)
    x, row = _divide(e, inside, height)
    return [x, b.add(first, row), z]


def _divide(
    e: Emitter, number: ir.Value, divisor: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """Quotient and remainder of unsigned numbers; extents are never zero."""
    b = e.builder
    quotient = b.binary("udiv", number, divisor)
    return quotient, b.sub(number, b.mul(quotient, divisor))
