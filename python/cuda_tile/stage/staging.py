# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of how each matrix engine gets its operands, by the engine's name."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.records import dataclass
from cuda_tile.rules import RuleTable
from cuda_tile.stage.fill import Fills
from cuda_tile.stage.operands import StagedOperands


@dataclass(frozen=True)
class Staging:
    """The context of a rule.

    Attributes:
        buffers: The operands staged so far; more are added.
        limit_bytes: Shared memory of a CTA. Operands that do not fit go in parts along
            K, one after another through buffers of one part.
        fills: The operands that copies bring.
    """

    buffers: StagedOperands
    limit_bytes: int
    fills: Fills


StagingRule = Callable[[ir.Operation, ProductPlan, Staging], ir.Value]
STAGING: RuleTable[StagingRule] = RuleTable("stage")
"""Makes the op of an engine for a product at the current point; gives the sum."""

SIGNS = ("signedness_lhs", "signedness_rhs")
"""Attributes of an integer product."""
