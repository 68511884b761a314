# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums and products of integers are those of the signed numbers themselves."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.fact_values import Facts, every_divisor
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of


def never_wraps(facts: Callable[[ir.Value], Facts], op: ir.Operation) -> bool:
    """Whether a result is that of the signed numbers themselves.

    So it is where the program promises it or its bounds are known, and where a multiple
    of a power of two is increased by less than that.

    Args:
        facts: What is known of a value.
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
