# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked of the engines together; their rules are imported here."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis import product_registers, wgmma
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.feeds import Product
from cuda_tile.analysis.product_rules import (
    PROPOSALS,
    READS_ITSELF,
    REGISTERS,
    Gathered,
)
from cuda_tile.analysis.registers import IsStaged, Weigh
from cuda_tile.ir.plan import Plan, ProductPlan
from cuda_tile.targets import Target

FAMILIES = (product_registers, wgmma)


def propose(
    product: Product,
    plan: Plan,
    target: Target,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> ProductPlan | None:
    """How an engine that reads shared memory itself computes a product; None if none.

    Args:
        product: The product.
        plan: The entry's.
        target: The chip.
        facts: Facts of the entry, if an engine loads some of its operands.
        staged: Which operands an engine loads, and which ones threads compute from
            what an engine loads.
    """
    rules = (PROPOSALS[name] for name in PROPOSALS)
    found = (rule(product, plan, target, facts, staged) for rule in rules)
    return next((each for each in found if each is not None), None)


def reads_itself(op: ir.Operation, target: Target, facts: FactsAnalysis) -> bool:
    """Whether such an engine computes a product, however it is divided."""
    return any(READS_ITSELF[name](op, target, facts) for name in READS_ITSELF)


def slice_registers(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered = None
) -> int:
    """Registers that a product needs beside the tiles live before it.

    Args:
        product: The product.
        plan: How it is computed.
        weigh: Registers of a tile.
        gathered: Operands whose elements threads read one by one.
    """
    return REGISTERS[plan.engine.name](product, plan, weigh, gathered)
