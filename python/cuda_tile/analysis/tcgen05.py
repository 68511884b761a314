# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine tcgen05: what a product takes beside its sums, which are in tensor memory."""

from __future__ import annotations

from cuda_tile.analysis.operand_sources import Product
from cuda_tile.analysis.product_rules import REGISTERS, Gathered
from cuda_tile.analysis.registers import Weigh
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.plan import ProductPlan


@REGISTERS.register(TCGEN05.name)
def registers(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered
) -> int:
    """None: one thread has descriptors of both operands."""
    del product, plan, weigh, gathered
    return 0
