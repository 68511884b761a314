# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row that no registers hold is served in parts, by loops over them.

A kernel loads a row as one tile, reduces it, and stores what it makes of it and of the
results. Where a thread would have to spill most of its part of the tile, the entry is
written anew: for each reduction, and for the stores at the end, a loop over parts of
the row that loads them, again if need be, and computes what that step needs. What the
first loop loads is kept for the others as far as there is room (`stage/held.py`).

That is possible where loads are weak and their tokens after no access: by the language
they may then be made at any time, and so more than once. Of a reduction, parts are
joined element by element first, which asks for a body that is seen to be commutative,
as clusters do.

A loop of the author's over a longer row is treated alike where it carries tiles that
leave no registers for what it does: it is repeated for each part of these, and a loop
that carries none has a loop over parts in it (`plan_rows.py`).

A tile may go beyond its tensor, its parts must not lie outside: the loops go as far as
all views reach. What is left, mostly nothing, is computed in a loop of its own, in
which loads outside a view are its padding and stores there are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.cost import register_limit
from cuda_tile.analysis.feeds import TileRegisters
from cuda_tile.analysis.held_tiles import repeated_tiles
from cuda_tile.analysis.registers import estimate, live_tiles
from cuda_tile.errors import UserError
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, PRODUCTS, Plan, add_remark
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.ir.walk import location_text
from cuda_tile.options import Options
from cuda_tile.passes.plan_rows import longest_row
from cuda_tile.passes.plan_writer import write_in_parts
from cuda_tile.targets import (
    MOST_CLUSTER,
    PORTABLE_CLUSTER,
    WARP_COUNTS,
    WARP_LANES,
    Target,
)

MOST_CLUSTER_WARPS = 128
"""Warps of a cluster: 8 in each of 16 CTAs have enough bytes in flight."""
PART_ELEMENTS = 8
"""Elements of a part in each thread: two accesses of 16 bytes of f32."""
SCANNED_ELEMENTS = 16
"""The same where a row is scanned: the exchanges between warps serve twice as many."""


def divide_rows(
    entry: ir.Operation,
    ops: list[ir.Operation],
    options: Options,
    hints: Mapping[str, int],
) -> dict[str, int] | None:
    """Writes an entry in parts if no registers hold its rows, whatever the plan.

    Args:
        entry: The entry, at level T.
        ops: Its ops.
        options: The user's choices.
        hints: The producer's.

    Returns:
        What its plan must have then; None if its rows are no longer than that, or if
        that is not possible.
    """
    if any(op.name in PRODUCTS for op in ops):
        return None
    size, target = longest_row(ops), options.target
    warps = options.num_warps or max(WARP_COUNTS)
    held = warps * WARP_LANES * register_limit(target, warps, 1)
    if options.persistent or hints.get("occupancy", 1) > 1:
        return None
    if size < held and not _is_crowded(entry, ops, target, warps):
        return None
    cluster = 1
    if target.has_clusters and suits_clusters(ops):
        hinted = hints.get("num_cta_in_cga", 1)
        if size < max(PORTABLE_CLUSTER, min(hinted, MOST_CLUSTER)) * held:
            return None
        cluster = PORTABLE_CLUSTER if options.abi == "tile" else MOST_CLUSTER
    warps = min(warps, MOST_CLUSTER_WARPS // cluster)
    is_scanned = any(op.name == "cuda_tile.scan" for op in ops)
    each = SCANNED_ELEMENTS if is_scanned else PART_ELEMENTS
    part = cluster * warps * WARP_LANES * each
    is_online, may_repeat = cluster == 1, size >= held
    if not write_in_parts(
        entry, size, part, is_online=is_online, may_repeat=may_repeat
    ):
        return None
    add_remark(
        entry,
        f"{location_text(entry)}: wanted a row of {size} elements in registers, it is "
        f"computed in parts of {part}, which are loaded again for each reduction where "
        "shared memory does not hold them; smaller tiles need fewer registers",
    )
    hold = int(bool(repeated_tiles(entry)))
    return {"num_warps": warps, "cluster": cluster, "hold": hold}


def divide_as_planned(
    entry: ir.Operation, ops: Sequence[ir.Operation], plan: Plan
) -> bool:
    """Writes an entry in parts as its plan asks for, if that is possible.

    Returns:
        Whether it was done; rows that are no longer than a part are left alone.

    Raises:
        UserError: The entry has products, which are not computed in parts.
    """
    size = longest_row(ops)
    if plan.part and any(op.name in PRODUCTS for op in ops):
        raise UserError(
            f"expected an entry without products for part = {plan.part} in "
            f"'{PLAN_ATTRIBUTE}'; leave part out",
            location_text(entry),
        )
    if not plan.part or size <= plan.part:
        return False
    is_online = plan.cluster == 1
    if write_in_parts(entry, size, plan.part, is_online=is_online, may_repeat=True):
        return True
    add_remark(
        entry,
        f"{location_text(entry)}: wanted a row of {size} elements in parts of "
        f"{plan.part} as planned, it stays whole; loads and stores through partition "
        "views that no token orders, elementwise operations and commutative "
        "reductions can be computed in parts",
    )
    return False


def _is_crowded(
    entry: ir.Operation, ops: Sequence[ir.Operation], target: Target, warps: int
) -> bool:
    """Whether what loops carry leaves too few registers for what they do."""
    threads, limit = warps * WARP_LANES, register_limit(target, warps, 1)
    carried = (
        sum(elements_of(value) for value in op.results if is_distributed(value))
        for op in ops
        if op.name == "cuda_tile.for"
    )
    if max(carried, default=0) < threads * limit // 4:
        return False
    live = live_tiles(entry, lambda op, index: False)
    return estimate(live, TileRegisters({}, warps), lambda op: 0).registers > limit
