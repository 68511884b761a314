# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of which nobody sees whether they are subnormal or zero.

In 1 + exp(x), of which sigmoids are made, what is below 2^-126 changes nothing.
`ex2.approx.ftz` takes three instructions less than `ex2.approx`, which ptxas scales
where its result may be subnormal.
"""

from __future__ import annotations

import struct

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import KEEPS_ELEMENTS
from cuda_tile.ir.walk import user_ops
from cuda_tile.ods import ops_by_rule

_LEAST = 2.0**-100
"""Half a unit in the last place of this, and of all above, is more than 2^-126."""
_SHORT = ("f16", "f8E4M3FN", "f8E5M2")
"""Types of which half the least number is more than 2^-126."""

_NARROWS = ops_by_rule("rounds a number to a type of fewer bits", "ftof")
_ADDS = ops_by_rule("rounds a number and another to the sum of both", "addf", "subf")


def hides_subnormals(value: ir.Value) -> bool:
    """Whether a subnormal f32 in a value could as well be zero.

    All that uses it adds it to a constant that is large enough, or narrows it so that
    it is zero then, and rounds to nearest.

    Args:
        value: A value of f32.
    """
    return all(_hides(value, user) for user in user_ops(value))


def _hides(value: ir.Value, user: ir.Operation) -> bool:
    if user.name in KEEPS_ELEMENTS:
        return hides_subnormals(user.results[0])
    if keyword(user, "rounding_mode", "nearest_even") != "nearest_even":
        return False
    if user.name in _NARROWS:
        return str(element_of(user.results[0])) in _SHORT
    if user.name not in _ADDS:
        return False
    others = [operand for operand in user.operands if operand != value]
    bits = uniform_bits(others[0]) if len(others) == 1 else None
    if bits is None:
        return False
    (number,) = struct.unpack("<f", struct.pack("<I", bits))
    return abs(number) >= _LEAST  # of NaN, false
