# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves data between warps through shared memory: operands, conversions, reductions.

Contract: in, level W from `place`; out, level W in which each remaining
`convert_layout`, `reduce` and `scan` stays within a warp, as do copies of results that
only one thread obtains, and each `extract` stays within a thread. The rewrites:

- a load whose plan names an engine becomes a copy into a buffer, from which products
  read it; no other use of its tile is left;
- a product reads its operands from swizzled buffers, one K-slice at a time; a
  loop-invariant operand is stored before the loop, and one of several products, once;
- a conversion between warps becomes alloc, store, load, in parts if the tile is larger
  than shared memory; so does an extract of elements that other threads hold, unless
  it loads columns of a sum in tensor memory;
- a reduction or scan across warps becomes one within warps, a conversion of the small
  rest to every thread, and one within threads;
- small conversions between warps that do not depend on each other are grouped, so that
  one barrier serves them;
- without products, the tiles of a loop are marked as kept for later loops that load
  them again, if the plan says so;
- without products, the loads of a block start together, as far as registers allow;
- a result that one thread gets of an atomic or strong load goes to those with copies;
- a store whose plan names an engine becomes stores to a buffer and a copy out of it.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.tensor_sums import columns_layout, goes_on
from cuda_tile.constants import LEAST_CONVERSION_BYTES
from cuda_tile.ir.plan import read_plan, read_target
from cuda_tile.ir.traits import PRODUCTS, REDUCTIONS, SCANS
from cuda_tile.ir.walk import listed_ops, nested_ops
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.stage.conversion import stage_conversion
from cuda_tile.stage.copies import obtains_once, share_result
from cuda_tile.stage.exchanges import hoist_store, join_exchanges
from cuda_tile.stage.extract import stage_extract
from cuda_tile.stage.families import stage_product
from cuda_tile.stage.fill import Fills
from cuda_tile.stage.hoisted import start_loads_together
from cuda_tile.stage.maps import add_maps
from cuda_tile.stage.operands import StagedOperands
from cuda_tile.stage.reduction import split_reduction
from cuda_tile.stage.reuse import reuse_tiles
from cuda_tile.stage.scan import split_scan
from cuda_tile.stage.staging import Staging
from cuda_tile.stage.stores import stage_stores


@each_kernel
def run(entry: ir.Operation) -> None:
    """Stages an entry."""
    limit = read_target(entry).shared_bytes_per_cta
    fills = Fills(entry)
    room = min(_room_for_loops(entry), max(0, limit - fills.most_bytes))
    _split_across_warps(entry)
    buffers = StagedOperands(room)
    has_products = any(op.name in PRODUCTS for op in nested_ops(entry))
    _stage_products(entry, Staging(buffers, limit, fills), limit - room)
    fills.finish()
    left = limit - (room - buffers.room_bytes)
    n_warps = read_plan(entry).num_warps
    for op in listed_ops(entry):
        if obtains_once(op):
            share_result(op, n_warps, _left(left, op, fills))
    if not has_products:
        reuse_tiles(entry)
        start_loads_together(entry)
    join_exchanges(entry)
    for op in listed_ops(entry):
        if op.name == "tileas.convert_layout":
            load = stage_conversion(op, _left(left, op, fills))
            if load is not None:
                hoist_store(load)
    stage_stores(entry)
    add_maps(entry)


def _stage_products(entry: ir.Operation, staging: Staging, room_bytes: int) -> None:
    """Stages products, and ops that take parts of tiles."""
    columns = {op for op in nested_ops(entry) if columns_layout(op) is not None}
    for op in listed_ops(entry):
        if op.name in PRODUCTS:
            stage_product(op, staging)
        elif op.name == "cuda_tile.extract" and not (op in columns and goes_on(op)):
            room = _left(room_bytes, op, staging.fills)
            stage_extract(op, staging.buffers, room)


def _split_across_warps(entry: ir.Operation) -> None:
    """Makes reductions and scans stay within warps."""
    for op in listed_ops(entry):
        if op.name in REDUCTIONS:
            split_reduction(op)
        elif op.name in SCANS:
            split_scan(op)


def _left(n_bytes: int, op: ir.Operation, fills: Fills) -> int:
    """Bytes that rings leave to an op between them."""
    return max(LEAST_CONVERSION_BYTES, n_bytes - fills.bytes_around(op))


def _room_for_loops(entry: ir.Operation) -> int:
    """Bytes that may be held through loops: half of what a CTA may have.

    The other half is for tiles that the loops themselves stage. If the plan asks for
    an occupancy, the CTAs share the multiprocessor's memory.
    """
    target = read_target(entry)
    limit = target.shared_bytes_per_cta
    if min_ctas := read_plan(entry).min_ctas:
        share = target.shared_bytes_per_sm // min_ctas - target.shared_bytes_reserved
        limit = min(limit, share)
    return limit // 2
