# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The asynchronous copies of level W, and their plan."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.copy_plan import CP_ASYNC, THREADS
from cuda_tile.ir.plan import PLAN_ATTRIBUTE
from cuda_tile.ir.traits import BUFFER_STORES
from cuda_tile.ir.walk import defining_op, segments


def is_planned_store(op: ir.Operation) -> bool:
    """Whether an op is a store by which threads fill a slot of a ring."""
    return op.name in BUFFER_STORES and planned(op, "slots", 0) > 0


def copy_buffer(op: ir.Operation) -> ir.Value:
    """The buffer that a copy, or a store by threads, fills."""
    return op.operands[1] if op.name in BUFFER_STORES else segments(op)[-1][0]


def copy_engine(op: ir.Operation) -> str:
    """The engine of a copy: `tma`, `cp_async` or `threads`."""
    if op.name == "tileas.gather_in":
        return CP_ASYNC
    if op.name in BUFFER_STORES:
        return THREADS
    return ir.StringAttr(op.attributes["engine"]).value


def waits_by_groups(ring: ir.Value) -> bool:
    """Whether a `take` of a ring waits for groups of copies, not for mbarriers."""
    op = defining_op(ring)
    return op is not None and ir.StringAttr(op.attributes["sync"]).value == "groups"


def planned(op: ir.Operation, field: str, default: int) -> int:
    """A number of the plan on an op.

    Args:
        op: The load or product.
        field: The field of `tileas.plan`.
        default: The number without a plan.
    """
    if PLAN_ATTRIBUTE not in op.attributes:
        return default
    plan = ir.DictAttr(op.attributes[PLAN_ATTRIBUTE])
    return ir.IntegerAttr(plan[field]).value if field in plan else default


def copy_numbers(op: ir.Operation) -> tuple[int, int]:
    """The number of slots of a copy's ring, and of iterations that it runs ahead."""
    slots = max(1, planned(op, "slots", 1))
    return slots, planned(op, "ahead", slots - 1)
