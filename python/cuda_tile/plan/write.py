# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A candidate as attributes: what it says of the entry, its products, loads and stores.

`complete` makes whole plans of a candidate, pure values; `write` puts them on the ops.
A plan by hand is not changed.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import Product, ProductPlans
from cuda_tile.analysis.reused_tiles import repeated_tiles
from cuda_tile.ir.copy_plan import TMA, StorePlan
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    Plan,
    ProductPlan,
    add_remark,
    read_product,
)
from cuda_tile.ir.walk import location_text
from cuda_tile.options import Options
from cuda_tile.plan.loads import Copies
from cuda_tile.plan.model import Candidate
from cuda_tile.plan.persist import make_persistent
from cuda_tile.plan.products import remarks_of, remarks_of_columns
from cuda_tile.plan.registers import role_registers
from cuda_tile.plan.rings import Rings, SharedMemory
from cuda_tile.plan.space import Space
from cuda_tile.plan.stages import stage_products
from cuda_tile.plan.sums import sum_part
from cuda_tile.records import dataclass
from cuda_tile.rewrites.duplicates import shared_operands
from cuda_tile.targets import Target


@dataclass(frozen=True, eq=False)
class Whole:
    """The plans of an entry and of all that stands in it.

    Attributes:
        plan: The entry's.
        products: Those of its products.
        unplanned: The products that nobody planned by hand.
        copies: The engines of its loads.
        rings: What they take of shared memory.
        stores: The stores that bulk copies make.
        remark: Why it is not persistent, though the user wants it.
    """

    plan: Plan
    products: ProductPlans
    unplanned: Set[Product]
    copies: Copies
    rings: Rings
    stores: Sequence[ir.Operation]
    remark: str | None = None


def complete(
    entry: ir.Operation, chosen: Candidate, space: Space, options: Options
) -> Whole:
    """The plans that follow from a candidate.

    Args:
        entry: The entry, which has no plan.
        chosen: The candidate.
        space: What it was chosen from.
        options: The user's choices.
    """
    decision, target = chosen.decision, options.target
    is_reused = decision.cluster > 1 and can_reuse(entry, space.products)
    plan = Plan(
        decision.num_warps,
        *decision.division,
        decision.ctas if space.is_bounded else 0,
        cluster=decision.cluster,
        part=decision.part,
        reuse=int(decision.reuse or is_reused),
    )
    if decision.roles == "load":
        plan = _with_role(replace(plan, roles="load"), target, chosen.cost.registers)
    remark = None
    if options.persistent:
        plan, remark = make_persistent(entry, plan, target, chosen.copies.copied)
    copies, resident = chosen.copies, chosen.cost.ctas
    return _completed(plan, chosen.products, copies, resident, target, remark)


def complete_by_hand(plan: Plan, products: ProductPlans, copies: Copies) -> Whole:
    """The plans of what stands in an entry whose own plan is given.

    Args:
        plan: The entry's.
        products: Those of its products, as that plan divides them.
        copies: The engines of its loads.
    """
    return _completed(plan, products, copies, 1, None)


def _completed(
    plan: Plan,
    products: ProductPlans,
    copies: Copies,
    resident: int,
    target: Target | None,
    remark: str | None = None,
) -> Whole:
    """The plans of products, loads and stores under the plan of an entry.

    Args:
        plan: The entry's.
        products: Those of its products.
        copies: The engines of its loads.
        resident: CTAs that registers allow on a multiprocessor.
        target: The chip, where the plan's registers may change.
        remark: Why it is not persistent.
    """
    unplanned = {p for p in products if PLAN_ATTRIBUTE not in p.op.attributes}
    known = {
        p: q if p in unplanned else read_product(p.op, plan)
        for p, q in products.items()
    }
    if target is not None and not plan.part:
        part = sum_part(copies, plan, known, target)
        plan = replace(plan, part=part)
    staged = stage_products(known, unplanned, plan, copies, resident)
    if target is not None and staged.registers > plan.registers:
        plan = _with_role(plan, target, staged.registers)
    parts: dict[Product, ProductPlan] = {**known, **staged.plans}
    again = shared_operands(p.op for p, q in parts.items() if q.stage)
    copies = copies.twice(again) if again else copies
    memory = SharedMemory(copies, plan, known, resident)
    rings, stores = memory.rings(), memory.bulk_stores()
    return Whole(plan, parts, unplanned, copies, rings, stores, remark)


def _with_role(plan: Plan, target: Target, needed: int) -> Plan:
    """A plan whose role that computes has the registers that the other can spare."""
    work, load = role_registers(target, plan.num_warps, max(1, plan.min_ctas), needed)
    return replace(plan, registers=work, load_registers=load)


def can_reuse(entry: ir.Operation, products: Sequence[ir.Operation]) -> bool:
    """Whether shared memory has room for, and any use in, what loops load again.

    Args:
        entry: The entry.
        products: Its products.
    """
    return not products and bool(repeated_tiles(entry))


def write(entry: ir.Operation, whole: Whole) -> None:
    """Writes the plans of an entry, and remarks; what is planned by hand stays.

    Args:
        entry: The entry.
        whole: Its plans.
    """
    if whole.remark is not None:
        add_remark(entry, whole.remark)
    if PLAN_ATTRIBUTE not in entry.attributes:
        entry.attributes[PLAN_ATTRIBUTE] = whole.plan.to_attribute()
    # While any engine may still compute what has no plan.
    columns = list(remarks_of_columns(whole.products, whole.plan, entry, whole.copies))
    for product in whole.products:
        if product in whole.unplanned:
            plan = whole.products[product]
            product.op.attributes[PLAN_ATTRIBUTE] = plan.to_attribute(whole.plan)
            for text in remarks_of(product.op, plan, whole.copies):
                add_remark(entry, text)
    for text in columns:
        add_remark(entry, text)
    for store in whole.stores:
        store.attributes[PLAN_ATTRIBUTE] = StorePlan(TMA).to_attribute()
    _write_loads(entry, whole)


def _write_loads(entry: ir.Operation, whole: Whole) -> None:
    """Writes the plans of loads, and what they did not get."""
    for loop in dict.fromkeys(operand.loop for operand in whole.copies.operands):
        for text in whole.copies.remarks(loop):
            add_remark(entry, text)
        if loop in whole.rings.remarks:
            add_remark(entry, whole.rings.remarks[loop])
    for product, reason in whole.rings.stored_scales.items():
        where = location_text(product)
        text = f"{where}: threads store scale factors in tensor memory: {reason}"
        add_remark(entry, text)
    for load, plan in whole.rings.plans.items():
        load.attributes[PLAN_ATTRIBUTE] = plan.to_attribute()
