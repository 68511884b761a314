# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Subnormal results that could as well be zero, since no use tells them apart.

A power below 2^-126 does not change 1 + exp(x), as in a sigmoid. Nor does it matter in
a sum of powers of which one is 1, as in a softmax after the maximum was subtracted:
there it is smaller than the effect of the order of the sum. `ex2.approx.ftz` takes
three instructions less than `ex2.approx`, which ptxas scales if its result may be
subnormal. `mark_hidden_subnormals` notes it at level T, where reductions are visible.
"""

from __future__ import annotations

import struct

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_symmetric
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.float_bounds import float_bounds
from cuda_tile.analysis.never_positive import subtracted_maximum
from cuda_tile.ir.attributes import integer, keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import KEEPS_ELEMENTS, POWERS, REDUCTIONS
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    nested_ops,
    op_stem,
    user_ops,
    value_behind,
)
from cuda_tile.ods import ops_by_rule

_LEAST = 2.0**-100
"""Half a unit in the last place of this, and of all above, is more than 2^-126."""
SHORT = ("f16", "f8E4M3FN", "f8E5M2")
"""Types of which half the least number is more than 2^-126."""

_NARROWS = ops_by_rule("rounds a number to a type of fewer bits", "ftof")
_DIVIDES = ops_by_rule("is no larger than its first operand if the second is", "divf")
_ADDS = ops_by_rule("rounds a number and another to the sum of both", "addf", "subf")


MAY_FLUSH = "tileas.may_flush"
"""On an op: what is subnormal in its result may as well be zero."""


def mark_hidden_subnormals(entry: ir.Operation) -> None:
    """Marks each power of f32 whose subnormal results could as well be zero.

    Args:
        entry: An entry at level T.
    """
    for op in nested_ops(entry):
        is_power = op.name in POWERS and isinstance(
            element_of(op.results[0]), ir.F32Type
        )
        if is_power and hides_subnormals(op.results[0]):
            op.attributes[MAY_FLUSH] = ir.UnitAttr.get()


def hides_subnormals(value: ir.Value) -> bool:
    """Whether a subnormal f32 in a value could as well be zero.

    This holds if each use adds it to a constant that is large enough, or narrows it to
    a type in which it is zero, and rounds to nearest.

    Args:
        value: A value of f32.
    """
    return all(_hides(value, user) for user in user_ops(value))


def is_seen_short(value: ir.Value) -> bool:
    """Whether all that uses an f32 rounds it to a type in which 2^-61 is zero.

    Args:
        value: A value of f32.
    """
    return all(
        is_seen_short(user.results[0])
        if user.name in KEEPS_ELEMENTS
        else user.name in _NARROWS and _hides(value, user)
        for user in user_ops(value)
    )


def _hides(value: ir.Value, user: ir.Operation) -> bool:
    if user.name in KEEPS_ELEMENTS:
        return hides_subnormals(user.results[0])
    if keyword(user, "rounding_mode", "nearest_even") != "nearest_even":
        return False
    if user.name in _NARROWS:
        return str(element_of(user.results[0])) in SHORT
    if user.name in _DIVIDES:
        is_large = _is_large(user.operands[1]) and user.operands[1] != value
        return is_large and hides_subnormals(user.results[0])
    if user.name in REDUCTIONS:
        return _sums_below_maximum(user)
    if user.name not in _ADDS:
        return False
    others = [operand for operand in user.operands if operand != value]
    bits = uniform_bits(others[0]) if len(others) == 1 else None
    if bits is None:
        return False
    (number,) = struct.unpack("<f", struct.pack("<I", bits))
    return abs(number) >= _LEAST  # false for NaN


def _is_large(value: ir.Value) -> bool:
    """Whether all elements that are numbers are at least one, apart from rounding."""
    behind = value_behind(value, KEEPS_ELEMENTS)
    made = defining_op(behind)
    is_sum = made is not None and made.name in REDUCTIONS and _sums_below_maximum(made)
    return is_sum or float_bounds(value)[0] >= 1.0


def _sums_below_maximum(op: ir.Operation) -> bool:
    """Whether a reduction adds up rows of powers whose largest exponent is zero."""
    power = defining_op(op.operands[0])
    if power is None or power.name not in POWERS or len(op.operands) != 1:
        return False
    maximum = subtracted_maximum(power.operands[0])
    first = block_ops(body(op))[0]
    return (
        maximum is not None
        and integer(maximum, "dim") == integer(op, "dim")
        and is_symmetric(op)
        and op_stem(first) == "addf"
        and keyword(first, "rounding_mode", "nearest_even") == "nearest_even"
    )
