# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a product costs, in clocks of one multiprocessor: formulas over a chip's row.

Rates are for a multiprocessor that does nothing else; what runs at the same time is
bounded by the slowest part. Loads through registers are not overlapped with the product
of their own CTA, only with other CTAs; copies by an engine are.
"""

from __future__ import annotations

from collections.abc import Iterable

from cuda_tile._mlir import ir
from cuda_tile.analysis.feeds import Parts, Product
from cuda_tile.constants import WARP_SLOWDOWN
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.targets import Target


def waiting_clocks(target: Target, busy: float, ctas: int) -> float:
    """Clocks per CTA of an iteration that waits for what it loads.

    Args:
        target: The chip.
        busy: Clocks in which the busiest resource works.
        ctas: CTAs of a multiprocessor, which work while one waits.
    """
    return max(busy, (busy + target.copy_latency_clocks) / ctas)


def resource_clocks(
    target: Target,
    plans: Parts,
    num_warps: int,
    exponentials: int,
) -> dict[str, float]:
    """Clocks per CTA of an iteration of all products, by the resource they take."""
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
    return clocks * (WARP_SLOWDOWN if target.has_wgmma and not plan.is_wgmma else 1)


def read_clocks(
    target: Target, product: Product, plan: ProductPlan, num_warps: int
) -> float:
    """Clocks of reading operands from shared memory.

    Each warp reads its rows of A, unless they stay in its threads, and columns of B.
    Each instruction of a warpgroup reads 64 rows and its columns.
    """
    m, n, k = product.extents
    columns = n // plan.warps_n
    if plan.is_wgmma:
        m, n = (n, m) if plan.swap else (m, n)
        step_m, step_n, _ = plan.atom.shape
        rows = 0 if plan.lhs == "register" else step_m
        elements = (m // step_m) * (n // step_n) * k * (rows + step_n)
        bytes_read = elements * product.operand_bits // 8
        if not rows and not product.keeps_operand(plan):
            bytes_read += plan.groups[1] * m * k  # which threads bring
        return bytes_read / target.shared_bytes_per_clock
    rows = 0 if product.keeps_operand(plan) else m // plan.warps_m
    bytes_read = num_warps * k * (rows + columns) * product.operand_bits // 8
    return bytes_read / target.shared_bytes_per_clock


def copy_clocks(target: Target, product: Product) -> float:
    """Clocks of bringing the right operand, which changes every iteration, from L2."""
    _, n, k = product.extents
    return n * k * product.operand_bits / 8 / target.l2_bytes_per_clock


def count_exponentials(ops: Iterable[ir.Operation]) -> int:
    """Elements of all `exp` and `exp2` of an entry."""
    return sum(
        elements_of(op.results[0])
        for op in ops
        if op.name in ("cuda_tile.exp", "cuda_tile.exp2")
        and is_distributed(op.results[0])
    )
