# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine wgmma: the layouts of its sums, and of left operands in registers."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.left_operands import is_brought, left_layout, sums_layout
from cuda_tile.engines.wgmma import WGMMA
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.rules import FRAGMENTS


@FRAGMENTS.register(WGMMA.name)
def fragments(op: ir.Operation, plan: ProductPlan) -> dict[int, LinearLayout]:
    """Layouts of the sum, and of the left operand if it is in registers."""
    result = sums_layout(op, plan)
    layouts = {2: result}  # transposed_products C9
    if plan.lhs == "register" and not is_brought(op, plan):
        layouts[plan.swap] = left_layout(op, plan, result)
    return layouts
