# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter's two rule tables, filled by the family modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from cuda_tile.rules import RuleTable

Rule: TypeAlias = Callable[..., Any]
"""`rule(run, op, *operands)` gives the op's result, a tuple of results, or a Jump."""

RULES: RuleTable[Rule] = RuleTable("interp")
"""One rule per op; operands are fully defined values."""

PARTIAL: RuleTable[Rule] = RuleTable("interp, unspecified elements")
"""Rules used instead where an operand is `Partial`; without one, see `spread`."""

DRIVEN = frozenset(("module", "entry", "global"))
"""Ops without a rule: `decode.py` finds kernels and globals by them."""
