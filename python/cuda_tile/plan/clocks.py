# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a product in clocks of one multiprocessor, by formulas over a chip's row.

Rates are for a multiprocessor that does nothing else; what runs at the same time is
bounded by the slowest part. Loads through registers are not overlapped with the product
of their own CTA, only with other CTAs; copies by an engine are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import (
    IsStaged,
    Product,
    ProductPlans,
    conversions_of,
    enclosing_loop,
    is_staging_hoisted,
    source_load,
)
from cuda_tile.analysis.tcgen05 import alternates, scaling_clocks
from cuda_tile.chip_clocks import nearest_clocks
from cuda_tile.constants import EXCHANGE_CLOCKS, ROUNDED_SLOTS, TENSOR_WAIT_CLOCKS
from cuda_tile.engines.engine import Reading
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.attributes import integer, keyword
from cuda_tile.ir.cta_pairs import PAIR_CTAS, halved_dim
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    elements_of,
    is_distributed,
    shape_of,
    tile_bytes,
)
from cuda_tile.ir.traits import COMBINES, POWERS
from cuda_tile.targets import REGISTER_BITS, Target


def iteration_clocks(
    clocks: Mapping[str, float],
    plans: ProductPlans,
    ops: Iterable[ir.Operation],
    *,
    overlaps: bool,
) -> float:
    """Clocks of an iteration: of the busiest resource, and what nothing hides.

    Args:
        clocks: Clocks by resource.
        plans: The plans of the products.
        ops: The ops of the entry.
        overlaps: Whether products run while threads use the sums of others.
    """
    waiting = [p for p, q in plans.items() if q.engine == TCGEN05 and alternates(p.op)]
    exchanges = sum(_exchanges(plans, op) for op in ops if op.name in COMBINES)
    busy, lost = max(clocks.values()), EXCHANGE_CLOCKS * exchanges
    if waiting and not overlaps:
        others = max(n for name, n in clocks.items() if name != "tensor cores")
        busy = clocks["tensor cores"] + others + TENSOR_WAIT_CLOCKS * len(waiting)
    return busy + lost


def _exchanges(plans: ProductPlans, op: ir.Operation) -> bool:
    """Whether warps exchange what they combine of rows or columns in each iteration.

    That is so for a tile like the sum of a product in tensor memory that several warps
    divide along that dimension. Other engines' products have the entry's division.
    """
    if enclosing_loop(op) is None:
        return False
    shape, dim = shape_of(op.operands[0]), integer(op, "dim")
    return any(
        plan.engine == TCGEN05 and p.extents[:2] == shape and plan.warps[dim] > 1
        for p, plan in plans.items()
    )


def resource_clocks(
    target: Target,
    plans: ProductPlans,
    num_warps: int,
    exponentials: int,
) -> dict[str, float]:
    """Clocks per CTA of an iteration of all products, by the resource they take.

    Args:
        target: The chip.
        plans: The plans of the products.
        num_warps: Warps of a CTA.
        exponentials: Exponentials of an iteration.
    """
    reads = sum(read_clocks(target, *item, num_warps) for item in plans.items())
    scaled = (p for p, q in plans.items() if not getattr(q.atom, "scalings", ()))
    return {
        "tensor cores": sum(multiply_clocks(target, *item) for item in plans.items()),
        "shared memory": reads,
        "L2": sum(copy_clocks(target, product) for product in plans),
        "special functions": exponentials / target.exp2_per_clock,
        "multiply-adds": sum(map(scaling_clocks, scaled)),
    }


def multiply_clocks(target: Target, product: Product, plan: ProductPlan) -> float:
    """Clocks of the matrix units.

    Args:
        target: The chip.
        product: The product.
        plan: The plan of the product.
    """
    return product.least_clocks(target) * plan.engine.slowdown(target, plan.atom)


def read_clocks(
    target: Target, product: Product, plan: ProductPlan, num_warps: int
) -> float:
    """Clocks of reading operands from shared memory.

    Args:
        target: The chip.
        product: The product.
        plan: The plan of the product.
        num_warps: Warps of a CTA.
    """
    reading = Reading(
        product.extents,
        product.operand_bits,
        num_warps,
        keeps_left=product.keeps_operand(plan),
    )
    return plan.engine.shared_bytes_read(reading, plan) / target.shared_bytes_per_clock


def fill_clocks(target: Target, plans: ProductPlans) -> float:
    """Clocks of writing operands to shared memory, by engines or by threads.

    Not those that stay in their threads, nor those that are there before the loop.

    Args:
        target: The chip.
        plans: The plans of the products.
    """
    filled = {
        value: _brought_bytes(value)
        for product, plan in plans.items()
        for index, value in enumerate(list(product.op.operands)[:2])
        if not is_staging_hoisted(product.op, index)
        and not (index == 0 and product.keeps_operand(plan))
    }
    return sum(filled.values()) / target.shared_bytes_per_clock


def conversion_clocks(
    target: Target, product: Product, plan: ProductPlan, is_copied: IsStaged
) -> tuple[float, float]:
    """Clocks in which threads convert operands that loads bring, in a product's loop.

    Args:
        target: The chip.
        product: The product.
        plan: The plan of the product.
        is_copied: Which operands engines bring.

    Returns:
        Those of operands that warps read from the slots of copies, each for itself,
        while it multiplies others; and of what threads convert once, on its way.
    """
    op, read, stored = product.op, 0.0, 0.0
    for index, warps in enumerate((plan.warps_n, plan.warps_m)):
        value = op.operands[index]
        made = conversions_of(value) if source_load(value) is not None else []
        if not made or is_staging_hoisted(op, index):
            continue
        slots = sum(_conversion_slots(each, target) for each in made)
        slots *= elements_of(value)
        if plan.engine.completion == "at once" and is_copied(op, index):
            read += slots * warps
        else:
            stored += slots
    lanes = nearest_clocks(target).integer_lanes
    return read / lanes, stored / lanes


def _conversion_slots(op: ir.Operation, target: Target) -> float:
    """Instructions for an element: one for a register, more where there is none."""
    element = element_of(op.results[0])
    mode = keyword(op, "rounding_mode", "nearest_even")
    if str(element) == "tf32" and not target.rounds_to_tf32(mode):
        return ROUNDED_SLOTS
    return element_bits(element) / REGISTER_BITS


def copy_clocks(target: Target, product: Product) -> float:
    """Clocks of bringing the right operand, which changes every iteration, from L2.

    Args:
        target: The chip.
        product: The product.
    """
    bytes_ = _brought_bytes(product.op.operands[1]) / product.batch
    return bytes_ / target.l2_bytes_per_clock


def _brought_bytes(operand: ir.Value) -> int:
    """Bytes that a CTA brings of an operand to shared memory."""
    load = source_load(operand)
    if halved_dim(load) is None:
        return tile_bytes(operand)
    return tile_bytes(operand) // PAIR_CTAS


def count_exponentials(ops: Iterable[ir.Operation]) -> int:
    """Elements of all `exp` and `exp2` of an entry."""
    return sum(
        elements_of(op.results[0])
        for op in ops
        if op.name in POWERS and is_distributed(op.results[0])
    )
