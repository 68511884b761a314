# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products of a loop run a turn behind the others, so that both kinds overlap.

While a product of warpgroups runs, their threads may compute, but not what the product
gives. A product that is made of another one's result in the same turn is therefore
given `stage = 1`: it runs while threads compute what the next turn makes of the other.
Its left operand is then held for a turn more, so that this is done only where registers
allow it, and where a role of its own fills the slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.feeds import Parts, Product, source_load
from cuda_tile.ir.plan import Plan, ProductPlan
from cuda_tile.ir.walk import defining_op
from cuda_tile.passes.plan_loads import LoadChooser
from cuda_tile.targets import REGISTER_BITS, WARP_LANES

OVERHEAD_REGISTERS = 40
"""Registers beside sums and left operands: maxima, scales, addresses, turns. Fitted to
what ptxas 13.5 needs without spilling in attention with 64 to 256 columns."""


def stage_products(
    parts: Parts, unplanned: Set[Product], plan: Plan, loads: LoadChooser
) -> dict[Product, ProductPlan]:
    """The plans of the products that shall run behind others.

    Args:
        parts: The products of an entry, in order, with their plans.
        unplanned: Those that nobody planned by hand.
        plan: The entry's.
        loads: Who loads their operands.
    """
    if plan.roles == "one":
        return {}
    found: dict[Product, ProductPlan] = {}
    for block in dict.fromkeys(product.op.block for product in unplanned):
        mine = {p: q for p, q in parts.items() if p.op.block == block}
        late = [p for p in mine if _is_dependent(p, mine)]
        early = [p for p in mine if p not in late]
        if (
            late
            and early
            and block.owner.operation.name == "cuda_tile.for"
            and all(p in unplanned and _may_trail(p, mine[p], loads) for p in late)
            and _loads_of(late).isdisjoint(_loads_of(early))
            and _fits(mine, late, plan)
        ):
            found |= {p: replace(mine[p], stage=1) for p in late}
    return found


def _is_dependent(product: Product, others: Iterable[Product]) -> bool:
    """Whether an operand is computed from another product of the block."""
    sources = {other.op for other in others}
    seen: set[ir.Operation] = set()
    work = list(product.op.operands)[:2]
    while work:
        op = defining_op(work.pop())
        if op is None or op in seen or op.block != product.op.block:
            continue
        if op in sources:
            return True
        seen.add(op)
        work += op.operands
    return False


def _may_trail(product: Product, plan: ProductPlan, loads: LoadChooser) -> bool:
    """Whether an engine brings the right operand to slots, or the loop keeps it."""
    return plan.is_wgmma and loads.is_copied(product.op, 1)


def _loads_of(products: list[Product]) -> set[ir.Operation]:
    found = [source_load(p.op.operands[index]) for p in products for index in (0, 1)]
    return {load for load in found if load is not None}


def _fits(
    mine: Mapping[Product, ProductPlan], late: Iterable[Product], plan: Plan
) -> bool:
    """Whether a thread holds all sums, and the left operands of the late products."""
    threads = plan.num_warps * WARP_LANES
    needed = OVERHEAD_REGISTERS
    for product in mine:
        m, n, _ = product.extents
        needed += m * n // threads
    for product in late:
        m, _, k = product.extents
        needed += m * k * product.operand_bits // REGISTER_BITS // threads
    return needed <= plan.registers
