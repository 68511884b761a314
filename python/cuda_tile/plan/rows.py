# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows under a plan: whether they are computed in parts, and in how large ones.

A row that no registers hold would spill. `row_tiling` computes it in parts of as many
elements as stand here; whether it can is asked by the same function.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.registers import estimate, live_tiles
from cuda_tile.analysis.reused_tiles import repeated_tiles
from cuda_tile.constants import (
    CROWDED_SHARE,
    MOST_CLUSTER_WARPS,
    PART_ELEMENTS,
    SCANNED_ELEMENTS,
)
from cuda_tile.ir.plan import Plan
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.ir.traits import FOR_LOOPS, PRODUCTS, SCANS
from cuda_tile.ir.walk import location_text
from cuda_tile.options import Options
from cuda_tile.plan.registers import TileRegisters
from cuda_tile.plan.space import Decision, Hints
from cuda_tile.rewrites.rows.joint_sums import no_sums, possible_sums
from cuda_tile.rewrites.rows.row import longest_row
from cuda_tile.rewrites.rows.tiler import RowTiler, find_tiler
from cuda_tile.targets import (
    MOST_CLUSTER,
    PORTABLE_CLUSTER,
    WARP_COUNTS,
    WARP_LANES,
    Target,
)


def plan_rows(
    entry: ir.Operation,
    ops: list[ir.Operation],
    options: Options,
    hints: Hints,
) -> tuple[Decision, str] | None:
    """The decision for an entry whose rows no registers hold, whatever the warps.

    Args:
        entry: The entry, at level T.
        ops: Its ops.
        options: The user's choices.
        hints: The producer's.

    Returns:
        The decision, with a remark; None if its rows are no longer than that, or stay
        whole.
    """
    if any(op.name in PRODUCTS for op in ops):
        return None
    if options.persistent or (hints.ctas or 1) > 1:
        return None
    size, target = longest_row(ops), options.target
    warps = options.num_warps or max(WARP_COUNTS)
    held = warps * WARP_LANES * target.register_limit(warps, 1)
    if size < held and not _is_crowded(entry, ops, target, warps):
        return None
    cluster = _cluster(ops, options, hints, size // held)
    if cluster is None:
        return None
    warps = min(warps, MOST_CLUSTER_WARPS // cluster)
    part = cluster * warps * WARP_LANES * _elements_each(ops)
    plan = Plan(warps, cluster=cluster, part=part)
    tiler = _tiler(entry, size, plan)
    if tiler is None or (size < held and tiler.repeats_loops):
        return None  # repeated loops may read more than spills do
    is_again = tiler.loads_again or bool(repeated_tiles(entry))
    decision = Decision(warps, cluster=cluster, part=part, reuse=int(is_again))
    return decision, (
        f"{location_text(entry)}: wanted a row of {size} elements in registers, it is "
        f"computed in parts of {part}, which are loaded again for each reduction where "
        "shared memory does not hold them; smaller tiles need fewer"
    )


def _cluster(
    ops: list[ir.Operation], options: Options, hints: Hints, ctas: int
) -> int | None:
    """How many CTAs share a row in parts; None if those of a cluster hold it whole.

    Args:
        ops: The ops of the entry.
        options: The user's choices.
        hints: The producer's.
        ctas: CTAs whose registers the row fills.
    """
    if not (options.target.has_clusters and suits_clusters(ops)):
        return 1
    if ctas < max(PORTABLE_CLUSTER, min(hints.cluster, MOST_CLUSTER)):
        return None
    return PORTABLE_CLUSTER if options.abi == "tile" else MOST_CLUSTER


def _elements_each(ops: Sequence[ir.Operation]) -> int:
    """Elements of a part in each thread."""
    is_scanned = any(op.name in SCANS for op in ops)
    return SCANNED_ELEMENTS if is_scanned else PART_ELEMENTS


def _tiler(entry: ir.Operation, size: int, plan: Plan) -> RowTiler | None:
    """How `row_tiling` will compute the rows, with the sums that will be marked."""
    is_held = plan.cluster > 1  # the CTAs of a cluster hold the row
    return find_tiler(entry, size, plan.part, no_sums if is_held else possible_sums)


def loads_rows_again(
    entry: ir.Operation, ops: Sequence[ir.Operation], plan: Plan
) -> bool:
    """Whether several loops load the rows of an entry where its plan divides them.

    Args:
        entry: The entry.
        ops: Its ops.
        plan: The plan of the entry.
    """
    size = longest_row(ops)
    tiler = _tiler(entry, size, plan) if 0 < plan.part < size else None
    return tiler is not None and tiler.loads_again


def _is_crowded(
    entry: ir.Operation, ops: Sequence[ir.Operation], target: Target, warps: int
) -> bool:
    """Whether what loops carry leaves too few registers for what they do."""
    threads, limit = warps * WARP_LANES, target.register_limit(warps, 1)
    carried = (
        sum(elements_of(value) for value in op.results if is_distributed(value))
        for op in ops
        if op.name in FOR_LOOPS
    )
    if max(carried, default=0) < threads * limit // CROWDED_SHARE:
        return False
    live = live_tiles(entry, lambda op, index: False)
    return estimate(live, TileRegisters({}, warps, {}), lambda op: 0).registers > limit
