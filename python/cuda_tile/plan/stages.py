# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products of a loop run an iteration behind the others, to overlap with them.

While a product runs by itself, threads may compute, but not what the product gives. A
product that is made of another one's result in the same iteration is therefore given
`stage = 1`: it runs while threads compute what the next iteration makes of the other.
One that threads compute by `mma.sync` stays in its iteration. Its left operand is then
held for an iteration more, so that this is done only where registers allow it, and
where a role of its own fills the slots. Where they do not allow it for all such
products, those stay in their iteration whose result leaves it, to memory: addresses and
what is stored would be live beside the sums that the loop carries.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import (
    Product,
    ProductPlans,
    is_staging_hoisted,
)
from cuda_tile.constants import MOST_ROLE_REGISTERS, SPARE_ROLE_REGISTERS
from cuda_tile.ir.plan import Plan, ProductPlan
from cuda_tile.ir.traits import FOR_LOOPS
from cuda_tile.ir.walk import makers_in, reached, user_ops
from cuda_tile.plan.loads import Copies
from cuda_tile.plan.registers import late_registers
from cuda_tile.plan.rings import SharedMemory
from cuda_tile.records import dataclass
from cuda_tile.rewrites.duplicates import may_duplicate, shared_operands


@dataclass(frozen=True)
class Staged:
    """The products that shall run behind others.

    Attributes:
        plans: Their plans.
        registers: What a thread that works needs, with some to spare; as many as there
            are where that is too much, and 0 if no product could run behind others.
    """

    plans: dict[Product, ProductPlan]
    registers: int


def stage_products(
    parts: ProductPlans,
    unplanned: Set[Product],
    plan: Plan,
    copies: Copies,
    resident: int,
) -> Staged:
    """Chooses the products that shall run behind others.

    Args:
        parts: The products of an entry, in order, with their plans.
        unplanned: Those that nobody planned by hand.
        plan: The entry's.
        copies: Who loads their operands.
        resident: CTAs that registers allow on a multiprocessor.
    """
    if plan.roles == "one" or not copies.engines:
        return Staged({}, 0)
    found: dict[Product, ProductPlan] = {}
    most = 0
    for block in dict.fromkeys(product.op.block for product in unplanned):
        mine = {p: q for p, q in parts.items() if p.op.block == block}
        late = [
            p for p in mine if mine[p].engine.runs_by_itself and _is_dependent(p, mine)
        ]
        leaving = [p for p in late if _leaves(p, mine)]
        if late_registers(mine, late, leaving, plan) > plan.registers:
            late = [p for p in late if p not in leaving]
        early = [p for p in mine if p not in late]
        needed = late_registers(mine, late, leaving, plan)
        if late:
            most = max(most, min(needed + SPARE_ROLE_REGISTERS, MOST_ROLE_REGISTERS))
        if (
            late
            and early
            and block.owner.operation.name in FOR_LOOPS
            and all(p in unplanned and _may_trail(p, copies) for p in late)
            and needed <= plan.registers
            and _may_load_twice(late, SharedMemory(copies, plan, parts, resident))
        ):
            found |= {p: replace(mine[p], stage=1) for p in late}
    return Staged(found, most)


def _is_dependent(product: Product, others: Iterable[Product]) -> bool:
    """Whether an operand is computed from another product of the block."""
    sources, block = {other.op for other in others}, product.op.block
    first = makers_in(block, list(product.op.operands)[:2])
    behind = reached(first, lambda op: makers_in(block, op.operands))
    return not sources.isdisjoint(behind)


def _leaves(product: Product, others: Iterable[Product]) -> bool:
    """Whether neither the loop carries what comes of a product nor another takes it."""
    block, sources = product.op.block, {other.op for other in others}

    def following(op: ir.Operation) -> list[ir.Operation]:
        return [user for v in op.results for user in user_ops(v) if op.block == block]

    users = reached(user_ops(product.op.results[0]), following)
    return not any(op.name == "cuda_tile.continue" or op in sources for op in users)


def _may_trail(product: Product, copies: Copies) -> bool:
    """Whether an engine brings the right operand to slots, or the loop keeps it."""
    return copies.is_copied(product.op, 1) or is_staging_hoisted(product.op, 1)


def _may_load_twice(late: Sequence[Product], memory: SharedMemory) -> bool:
    """Whether late products can have loads of their own, if others read theirs too."""
    shared = shared_operands(product.op for product in late)
    if not shared:
        return True
    loop, again = late[0].op.block.owner.operation, {each.load for each in shared}
    return may_duplicate(shared) and memory.has_room(loop, again)
