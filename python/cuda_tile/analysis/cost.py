# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a product costs, in clocks of one multiprocessor: formulas over a chip's row.

Rates are for a multiprocessor that does nothing else; what runs at the same time is
bounded by the slowest part. Loads through registers are not overlapped with the product
of their own CTA, only with other CTAs; copies by an engine are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from cuda_tile._mlir import ir
from cuda_tile.analysis.feeds import Parts, Product
from cuda_tile.engines.engine import Reading
from cuda_tile.ir.copy_plan import MOST_SLOTS
from cuda_tile.ir.plan import LOAD_WARPS, ProductPlan
from cuda_tile.ir.tiles import element_bits, element_of, elements_of, is_distributed
from cuda_tile.targets import (
    MAX_REGISTERS,
    REGISTER_UNIT_PER_WARP,
    WARP_LANES,
    Target,
)

MOST_ROLE_REGISTERS = 240
"""More than a thread can address (255) are of no use."""


def register_limit(target: Target, num_warps: int, ctas: int) -> int:
    """Registers a thread may have so that `ctas` CTAs fit; 0 CTAs count as 1."""
    unit = REGISTER_UNIT_PER_WARP // WARP_LANES
    share = target.registers_per_sm // (max(1, ctas) * num_warps * WARP_LANES)
    return min(MAX_REGISTERS, share // unit * unit)


def role_registers(
    target: Target, num_warps: int, ctas: int, needed: int = 0
) -> tuple[int, int]:
    """Registers of a thread of the role that works, and of the one that loads.

    The role that loads gives back what it does not need of its share at the launch
    (PTX ISA, "setmaxnreg": multiples of 8, all warps together no more than launched).

    Args:
        target: The chip.
        num_warps: Warps that work.
        ctas: CTAs on a multiprocessor.
        needed: Registers of a thread that works. Where they are more than it would
            have, the one that loads keeps as few as it can do with.
    """
    warps = num_warps + LOAD_WARPS
    launched = register_limit(target, warps, ctas)
    found: list[tuple[int, int]] = []
    for load in (40, 24) if num_warps <= 2 * LOAD_WARPS else (24,):
        work = (launched * warps - load * LOAD_WARPS) // num_warps // 8 * 8
        found.append((min(work, MOST_ROLE_REGISTERS), load))
    return next((pair for pair in found if pair[0] >= needed), found[0])


def least_registers(plans: Parts) -> int:
    """Registers that each thread must be launched with for the instructions alone.

    `setmaxnreg` does not help: ptxas compiles a kernel for what it is launched with.
    """
    return max(
        (
            plan.engine.least_registers(
                plan, element_bits(element_of(product.op.results[0]))
            )
            for product, plan in plans.items()
        ),
        default=0,
    )


def resident_ctas(target: Target, num_warps: int, registers: int) -> int:
    """CTAs that registers and threads of a multiprocessor allow; at least 1."""
    per_warp = -(-registers * WARP_LANES // REGISTER_UNIT_PER_WARP)
    per_warp *= REGISTER_UNIT_PER_WARP
    return max(
        1,
        min(
            target.ctas_per_sm,
            target.threads_per_sm // (num_warps * WARP_LANES),
            target.registers_per_sm // (per_warp * num_warps),
        ),
    )


def turn_clocks(
    target: Target,
    plans: Parts,
    num_warps: int,
    ctas: int,
    exponentials: int,
    *,
    waits: bool = True,
) -> float:
    """Clocks per CTA of one turn of every product, with `ctas` of them side by side.

    Args:
        target: The chip.
        plans: The products and how they are divided.
        num_warps: Warps of a CTA.
        ctas: CTAs of a multiprocessor.
        exponentials: Exponentials of a turn.
        waits: Whether a turn waits for what it loads.
    """
    busy = max(turn_parts(target, plans, num_warps, exponentials).values())
    if not waits:
        return busy
    return max(busy, (busy + target.copy_latency_clocks) / ctas)


def turn_parts(
    target: Target,
    plans: Parts,
    num_warps: int,
    exponentials: int,
) -> dict[str, float]:
    """Clocks per CTA of one turn of every product, by the resource that they take."""
    reads = sum(read_clocks(target, *item, num_warps) for item in plans.items())
    return {
        "tensor cores": sum(multiply_clocks(target, *item) for item in plans.items()),
        "shared memory": reads,
        "L2": sum(copy_clocks(target, product) for product in plans),
        "special functions": exponentials / target.exp2_per_clock,
    }


def multiply_clocks(target: Target, product: Product, plan: ProductPlan) -> float:
    """Clocks of the matrix units; twice the width of an operand is half the rate."""
    m, n, k = product.extents
    clocks = m * n * k / target.fma_per_clock * product.operand_bits / 16
    return clocks * plan.engine.slowdown(target)


def read_clocks(
    target: Target, product: Product, plan: ProductPlan, num_warps: int
) -> float:
    """Clocks of reading operands from shared memory."""
    reading = Reading(
        product.extents,
        product.operand_bits,
        num_warps,
        keeps_left=product.keeps_operand(plan),
    )
    return plan.engine.shared_bytes_read(reading, plan) / target.shared_bytes_per_clock


def copy_clocks(target: Target, product: Product) -> float:
    """Clocks of bringing the right operand, which changes every turn, from L2."""
    _, n, k = product.extents
    return n * k * product.operand_bits / 8 / target.l2_bytes_per_clock


@dataclass(frozen=True)
class Room:
    """Shared memory that the rings of one loop may take, and what a turn of it costs.

    Attributes:
        room_bytes: Bytes for all slots.
        turn_clocks: Clocks of one turn.
        ctas: CTAs of a multiprocessor.
    """

    room_bytes: int
    turn_clocks: float
    ctas: int


def choose_slots(
    target: Target, room: Room, slot_bytes: int, deep: int | None = None
) -> int:
    """Slots for the copies of a loop, each of which holds what one turn uses.

    So many that a copy has landed when its turn comes, and one more, since latency
    varies; fewer where they do not fit. 0 if not even two do: then a turn would wait
    for its own copies.

    Args:
        target: The chip.
        room: What there is.
        slot_bytes: What a turn takes.
        deep: Slots to have if they fit, though fewer hide the latency.
    """
    turns = target.copy_latency_clocks / (room.turn_clocks * room.ctas)
    wanted = max(2 + ceil(turns), deep or 0)
    slots = min(wanted, MOST_SLOTS, room.room_bytes // slot_bytes)
    return slots if slots >= 2 else 0


def count_exponentials(ops: Iterable[ir.Operation]) -> int:
    """Elements of all `exp` and `exp2` of an entry."""
    return sum(
        elements_of(op.results[0])
        for op in ops
        if op.name in ("cuda_tile.exp", "cuda_tile.exp2")
        and is_distributed(op.results[0])
    )
