# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engines mma_sync and fma: registers of a product besides the tiles live before it."""

from __future__ import annotations

from cuda_tile.analysis.operand_sources import Product, conversions_of, warp_share
from cuda_tile.analysis.product_rules import REGISTERS, Gathered
from cuda_tile.analysis.registers import Weigh, held_registers
from cuda_tile.constants import (
    COPIED_OVERHEAD_REGISTERS,
    LOOP_OVERHEAD_REGISTERS,
    PARTIAL_SUMS_IN_FLIGHT_REGISTERS,
)
from cuda_tile.engines.fma import FMA
from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.engines.short_sums import pieces_of_sums
from cuda_tile.ir.plan import ProductPlan, slice_depth
from cuda_tile.targets import REGISTER_BITS, WARP_LANES


@REGISTERS.register(MMA_SYNC.name, FMA.name)
def _slices(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered
) -> int:
    """Registers of the operands of one K-step, which come from shared memory.

    The tiles that were stored there right before the product are no longer live.
    """
    rows, columns = _piece(product, plan)
    batch = product.batch // min(product.batch, plan.warps_b)
    depth = slice_depth(product.op, plan.atom)
    step, bits = 0, product.operand_bits
    for index, extent in enumerate((rows, columns)):
        if index == 0 and product.keeps_operand(plan):
            continue
        elements = extent * batch * depth // WARP_LANES
        is_transposed = index == 1 and plan.warp_atom.columns > 1
        if gathered is None or bits >= REGISTER_BITS // 2:
            step += held_registers(elements, bits)
        else:
            words = -(-elements * bits // REGISTER_BITS)
            step += words + (elements if index in gathered and not is_transposed else 0)
    if plan.promote:
        part = batch * rows * columns // WARP_LANES
        one = plan.promote == plan.atom.shape[2]
        step += min(part, PARTIAL_SUMS_IN_FLIGHT_REGISTERS) if one else part
    step = max(0, step - sum(map(weigh, product.stored)))
    return step - _spared(product, plan, gathered)


def _spared(product: Product, plan: ProductPlan, gathered: Gathered) -> int:
    """Registers that a loop saves if a product reads only copied tiles.

    It saves none if partial sums are added to the sums between instructions, unless
    these are cut into pieces: then ptxas does not read ahead of the next piece.
    """
    if (
        gathered is None
        or (plan.promote and not is_cut(product, plan))
        or any(map(conversions_of, list(product.op.operands)[:2]))
    ):
        return 0
    if gathered - ({1} if plan.warp_atom.columns > 1 else set()):
        return 0
    return LOOP_OVERHEAD_REGISTERS - COPIED_OVERHEAD_REGISTERS


def is_cut(product: Product, plan: ProductPlan) -> bool:
    """Whether warps compute the partial sums of a product one piece at a time.

    Args:
        product: The product.
        plan: The plan of the product.
    """
    if plan.engine.reads_shared or not plan.promote:
        return False
    return _piece(product, plan) != warp_share(product, plan)


def _piece(product: Product, plan: ProductPlan) -> tuple[int, int]:
    """Rows and columns of the piece whose sums a warp computes at a time."""
    part = list(warp_share(product, plan))
    if plan.promote > slice_depth(product.op, plan.atom):
        shape = (product.batch, *product.extents[:2])
        dim, count = pieces_of_sums(shape, plan.warps, plan.warp_atom) or (-1, 1)
        part[dim] //= count
    rows, columns = part
    return rows, columns
