# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in tensor memory under a plan: how many of their columns come to registers.

What follows a sum up to its stores can be computed some columns at a time
(rewrites/rows/sums.py): threads hold those columns alone, a buffer what is stored of
them, and while the copy engine reads one part, threads load the next. Each part costs
two barriers, around what threads write to that buffer. While a loop adds to a sum, no
registers hold it.
"""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import (
    ProductPlans,
    enclosing_loop,
    is_plain_sum,
    is_staging_hoisted,
)
from cuda_tile.analysis.tcgen05 import sums_kept
from cuda_tile.analysis.tensor_sums import IsMine
from cuda_tile.constants import BARRIER_CLOCKS, SUM_REGISTERS
from cuda_tile.engines.tcgen05 import TCGEN05, as_tensor_atom
from cuda_tile.ir.plan import Plan
from cuda_tile.ir.tiles import shape_of, tile_bytes
from cuda_tile.ir.traits import FOR_LOOPS
from cuda_tile.layout.tensor import columns_of_sums
from cuda_tile.plan.loads import Copies
from cuda_tile.rewrites.rows.sums import SumColumns, sum_columns
from cuda_tile.targets import WARP_LANES, Target


def sum_part(copies: Copies, plan: Plan, products: ProductPlans, target: Target) -> int:
    """Columns of sums that threads load at a time where they need not load all.

    Args:
        copies: Who loads operands of an entry.
        plan: Its plan.
        products: The plans of its products.
        target: The chip.

    Returns:
        The columns; 0 where whole sums cost no more clocks.
    """
    parts = _parts(copies, plan, products, target)
    return min((part for _, part in parts), default=0)


def held_columns(
    copies: Copies, plan: Plan, products: ProductPlans, target: Target
) -> dict[ir.Value, int]:
    """Tiles of sums that threads never hold whole, each with its columns that they do.

    A loop holds none of a sum that it adds to, or changes in place; what follows a sum
    holds a part.

    Args:
        copies: Who loads operands of an entry.
        plan: Its plan.
        products: The plans of its products.
        target: The chip.
    """
    found: dict[ir.Value, int] = {}
    for product, product_plan in products.items():
        op = product.op
        found |= dict.fromkeys(sums_kept(product, product_plan), 0)
        is_mine = product_plan.engine == TCGEN05
        stays = _is_fed(op, copies) or _runs_on(op, copies)
        if is_mine and is_plain_sum(op) and stays:
            found |= {op.operands[2]: 0, op.results[0]: 0}
    parts = _parts(copies, plan, products, target)
    part = min((part for _, part in parts), default=0)
    for sums, _ in parts:
        found |= dict.fromkeys({*sums.sums, *sums.made, *sums.others}, part)
    return found


def _parts(
    copies: Copies, plan: Plan, products: ProductPlans, target: Target
) -> list[tuple[SumColumns, int]]:
    """What follows sums and gains by parts, each with the columns of one."""
    fed = {p: q for p, q in products.items() if _is_fed(p.op, copies)}
    mine = [p for p, q in fed.items() if q.engine == TCGEN05]
    return [
        (sums, part)
        for sums in (sum_columns(copies.loads.entry, _is_mine(fed)) if mine else ())
        if (part := _least_part(sums, plan, products)) < sums.size
        and _gain(sums, part, target) > 0
    ]


def divided_stores(
    entry: ir.Operation, plan: Plan, products: ProductPlans
) -> Mapping[ir.Operation, int]:
    """The stores that are made in parts, each with how many.

    Args:
        entry: The entry, at level T.
        plan: Its plan.
        products: The plans of its products.
    """
    if not plan.part:
        return {}
    return {
        store: max(1, sums.size // plan.part)
        for sums in sum_columns(entry, _is_mine(products))
        for store in sums.sinks()
    }


def _is_fed(product: ir.Operation, copies: Copies) -> bool:
    """Whether the operands of a product stay until it is done; else its sum leaves."""
    return all(
        copies.is_copied(product, index) or is_staging_hoisted(product, index)
        for index in (0, 1)
    )


def _runs_on(product: ir.Operation, copies: Copies) -> bool:
    """Whether a product runs on until threads store its next operand.

    It is awaited there, and its sum begins again as it is (passes/skew_awaits.py), if
    mbarriers tell when slots of its other operand are free.
    """
    loop = enclosing_loop(product)
    return copies.has_only_bulk_copies and loop is not None and loop.name in FOR_LOOPS


def _is_mine(products: ProductPlans) -> IsMine:
    mine = {p.op for p, q in products.items() if q.engine == TCGEN05}
    return lambda op: op in mine


def _least_part(sums: SumColumns, plan: Plan, products: ProductPlans) -> int:
    """Columns of which each thread holds `SUM_REGISTERS`, or the least it can load."""
    rows, columns = shape_of(sums.sums[0])
    atoms = (as_tensor_atom(q.atom) for q in products.values() if q.engine == TCGEN05)
    part = SUM_REGISTERS * plan.num_warps * WARP_LANES // rows
    for atom in atoms:
        while part < columns and not columns_of_sums(
            (rows, part), plan.num_warps, atom
        ):
            part *= 2
    return part


def _gain(sums: SumColumns, part: int, target: Target) -> float:
    """Clocks that parts save: of a whole, the copy begins when all of it is written."""
    n_bytes = sum(tile_bytes(store.operands[0]) for store in sums.sinks())
    write = n_bytes / target.shared_bytes_per_clock
    copy = n_bytes / target.l2_bytes_per_clock
    count = sums.size // part
    return min(write, copy) * (1 - 1 / count) - 2 * BARRIER_CLOCKS * count
