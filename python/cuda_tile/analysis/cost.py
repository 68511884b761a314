"""What a product costs, in clocks of one multiprocessor: formulas over a chip's row.

Rates are for a multiprocessor that does nothing else; what runs at the same time is
bounded by the slowest part. Loads are not overlapped with the product of their own CTA,
only with other CTAs.
"""

from __future__ import annotations

from collections.abc import Iterable

from cuda_tile._mlir import ir
from cuda_tile.analysis.feeds import Parts, Product
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.targets import (
    MAX_REGISTERS,
    REGISTER_UNIT_PER_WARP,
    WARP_LANES,
    Target,
)


def register_limit(target: Target, num_warps: int, ctas: int) -> int:
    """Registers a thread may have so that `ctas` CTAs fit; 0 CTAs count as 1."""
    unit = REGISTER_UNIT_PER_WARP // WARP_LANES
    share = target.registers_per_sm // (max(1, ctas) * num_warps * WARP_LANES)
    return min(MAX_REGISTERS, share // unit * unit)


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
    target: Target, plans: Parts, num_warps: int, ctas: int, exponentials: int
) -> float:
    """Clocks per CTA of one turn of every product, with `ctas` of them side by side."""
    busy = max(
        sum(multiply_clocks(target, product) for product in plans),
        sum(read_clocks(target, *item, num_warps) for item in plans.items()),
        sum(copy_clocks(target, product) for product in plans),
        exponentials / target.exp2_per_clock,
    )
    return max(busy, (busy + target.copy_latency_clocks) / ctas)


def multiply_clocks(target: Target, product: Product) -> float:
    """Clocks of the matrix units; twice the width of an operand is half the rate."""
    m, n, k = product.extents
    return m * n * k / target.fma_per_clock * product.operand_bits / 16


def read_clocks(
    target: Target, product: Product, plan: ProductPlan, num_warps: int
) -> float:
    """Clocks of reading operands from shared memory.

    Each warp reads its rows of A, unless they stay in its threads, and columns of B.
    """
    m, n, k = product.extents
    columns = n // plan.warps_n
    rows = 0 if product.keeps_operand(plan) else m // plan.warps_m
    bytes_read = num_warps * k * (rows + columns) * product.operand_bits // 8
    return bytes_read / target.shared_bytes_per_clock


def copy_clocks(target: Target, product: Product) -> float:
    """Clocks of bringing the right operand, which changes every turn, from L2."""
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
