# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a placement rule, and the table that holds the rules."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.legality import INSTEAD
from cuda_tile.ir.plan import Plan, ProductPlan
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.place.constraints import Constraint
from cuda_tile.records import dataclass
from cuda_tile.rules import RuleTable
from cuda_tile.targets import Target


@dataclass(frozen=True)
class PlaceContext:
    """The context of a rule."""

    plan: Plan
    facts: FactsAnalysis
    target: Target


PlaceRule = Callable[[PlaceContext, ir.Operation], list[Constraint]]
RULES: RuleTable[PlaceRule] = RuleTable("place", INSTEAD)

FragmentsRule = Callable[[ir.Operation, ProductPlan], dict[int, LinearLayout]]
FRAGMENTS: RuleTable[FragmentsRule] = RuleTable("fragments of products")
"""By the name of an engine: the layouts of a product's sum and of those operands that
instructions read from registers, by their numbers."""
