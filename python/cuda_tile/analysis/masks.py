# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which value of a mask lets elements pass, judged by the uses of the mask."""

from __future__ import annotations

from math import isfinite

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.constants import MASKED_SCORE
from cuda_tile.ir.traits import CONSTANTS, KEEPS_ELEMENTS
from cuda_tile.ir.walk import defining_op, reached, user_ops, value_behind
from cuda_tile.ods import ops_by_rule

_PASSES_ON = KEEPS_ELEMENTS | ops_by_rule("combines masks", "andi", "ori")


def open_value(mask: ir.Value) -> bool:
    """Whether elements pass where a mask is true; true if its uses do not show it.

    A mask that selects between a computed value and a constant lets the computed value
    pass. Of two constants one is neutral: 0 beside a large number, 1 beside 0. Loads
    and stores access elements where their mask is true.
    """
    for value in reached([mask], _passed_on):
        for use in value.uses:
            op = use.owner.operation
            if op.name == "cuda_tile.select" and use.operand_number == 0:
                found = _chosen(op.operands[1], op.operands[2])
                if found is not None:
                    return found
    return True


def _passed_on(mask: ir.Value) -> list[ir.Value]:
    users = [op for op in user_ops(mask) if op.name in _PASSES_ON]
    return [result for op in users for result in op.results]


def _chosen(if_true: ir.Value, if_false: ir.Value) -> bool | None:
    """Which branch of a `select` stands for an open mask; None if neither does."""
    first, second = _number(if_true), _number(if_false)
    if first is None or second is None:
        return None if first is second else first is None
    if _is_large(first) != _is_large(second):
        return not _is_large(first)
    return None if {first, second} != {0, 1} else first == 1


def _is_large(number: float) -> bool:
    return not isfinite(number) or abs(number) >= MASKED_SCORE


def _number(value: ir.Value) -> int | float | None:
    """The number that all elements of a tile equal; None if there is none."""
    op = defining_op(value_behind(value, KEEPS_ELEMENTS))
    return constant_splat(op) if op is not None and op.name in CONSTANTS else None
