# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of the rules that analyses ask for, by the name of the matrix engine."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import Product
from cuda_tile.analysis.registers import IsStaged, Weigh
from cuda_tile.ir.plan import Plan, ProductPlan
from cuda_tile.rules import RuleTable
from cuda_tile.targets import Target

Gathered = frozenset[int] | None
"""Operands of less than 16 bits whose elements threads read one by one: each has a
register then, beside the words that they become, unless the atom has `ldmatrix`
transpose them. Others are read as words. None if that is not known: each has a
register."""

ProposalRule = Callable[
    [Product, Plan, Target, FactsAnalysis | None, tuple[IsStaged, IsStaged]],
    ProductPlan | None,
]
PROPOSALS: RuleTable[ProposalRule] = RuleTable("proposals")
"""How an engine that reads shared memory itself would compute a product, if it can: of
the product, the entry's plan, the chip, facts, and which operands are copied, and which
are computed from what is."""

ReadsItselfRule = Callable[[ir.Operation, Target, FactsAnalysis], bool]
READS_ITSELF: RuleTable[ReadsItselfRule] = RuleTable("reading")
"""Whether such an engine computes a product however it is divided."""

RegistersRule = Callable[[Product, ProductPlan, Weigh, Gathered], int]
REGISTERS: RuleTable[RegistersRule] = RuleTable("registers")
"""Registers that a product needs beside the tiles live before it, weighed so."""
