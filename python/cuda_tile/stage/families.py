# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The modules with staging rules of each engine; products are staged from here."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.plan import read_product
from cuda_tile.ir.walk import defining_op
from cuda_tile.stage.conversion import conversion_source
from cuda_tile.stage.staging import STAGING, Staging

STAGING.fill_from(
    "cuda_tile.stage", {"engine": "product tcgen05 wgmma"}, lambda _: "engine"
)


def stage_product(op: ir.Operation, staging: Staging) -> None:
    """Replaces a product by the op of its engine, whose operands are staged.

    Args:
        op: The product.
        staging: The context of the rule.
    """
    plan = read_product(op)
    operands = list(op.operands)
    with ir.InsertionPoint(op), op.location:
        total = STAGING[plan.engine.name](op, plan, staging)
    op.results[0].replace_all_uses_with(total)
    op.erase()
    for operand in dict.fromkeys(operands[:2] + operands[3:]):
        maker = defining_op(operand)
        is_unused = not list(operand.uses)
        if is_unused and maker is not None and conversion_source(operand) is not None:
            maker.erase()
