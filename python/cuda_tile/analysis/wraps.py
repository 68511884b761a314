# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums and products of integers never wrap as signed numbers."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.fact_values import Facts, every_divisor
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of


def never_wraps(facts: Callable[[ir.Value], Facts], op: ir.Operation) -> bool:
    """Whether a result never wraps as a signed number.

    It does not if the program promises it, if the bounds are known, or if less than a
    power of two is added to a multiple of that power.

    Args:
        facts: Gives the facts of a value.
        op: An addition, subtraction or multiplication.
    """
    if keyword(op, "overflow", "none") in ("no_signed_wrap", "no_wrap"):
        return True
    known = facts(op.results[0])
    if known.low is not None and known.high is not None:
        return True
    if op.name != "cuda_tile.addi":
        return False
    width = ir.IntegerType(element_of(op.results[0])).width
    for multiple, rest in (op.operands, reversed(list(op.operands))):
        bounds, unit = facts(rest), every_divisor(facts(multiple))
        if bounds.low is None or bounds.high is None or bounds.low < 0:
            continue
        if bounds.high < min(unit, 1 << (width - 1)):
            return True
    return False
