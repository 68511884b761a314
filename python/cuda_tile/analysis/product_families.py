# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Questions to all engines together; their rules are imported here."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis import product_registers, tcgen05, wgmma
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import Product
from cuda_tile.analysis.product_rules import (
    PROPOSALS,
    READS_ITSELF,
    REGISTERS,
    Gathered,
)
from cuda_tile.analysis.registers import IsStaged, Weigh
from cuda_tile.ir.plan import Plan, ProductPlan
from cuda_tile.targets import Target

FAMILIES = (product_registers, tcgen05, wgmma)


def propose(
    product: Product,
    plan: Plan,
    target: Target,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> ProductPlan | None:
    """The proposal of the first engine that has a rule in `PROPOSALS` and can do it.

    Args:
        product: The product.
        plan: The plan of the entry.
        target: The chip.
        facts: The facts of the entry's values; None before there are any.
        staged: Whether A and B come from shared memory, by operand.
    """
    rules = (PROPOSALS[name] for name in PROPOSALS)
    found = (rule(product, plan, target, facts, staged) for rule in rules)
    return next((each for each in found if each is not None), None)


def reads_itself(op: ir.Operation, target: Target, facts: FactsAnalysis) -> bool:
    """Whether any engine reads a product's operands itself (rules in `READS_ITSELF`).

    Args:
        op: A product.
        target: The chip.
        facts: The facts of the entry's values.
    """
    return any(READS_ITSELF[name](op, target, facts) for name in READS_ITSELF)


def slice_registers(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered = None
) -> int:
    """Registers of a product's slices, by the rule of its engine in `REGISTERS`.

    Args:
        product: The product.
        plan: The plan of the product.
        weigh: Gives the registers of a tile.
        gathered: Operands that threads gather element by element.
    """
    return REGISTERS[plan.engine.name](product, plan, weigh, gathered)
