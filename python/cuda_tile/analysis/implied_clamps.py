# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clamps to the range of a narrow float that its conversion implies.

Contract `implied_clamps`
    Law: let L be the largest finite number of a format whose conversion clamps. For a
    bound c >= L the conversion of min(x, c) is that of x, as both are L where they
    differ; so it is for max(x, c) with c <= -L.

    | | condition | near misses |
    |---|---|---|
    | C1 types | the conversion gives L for what is larger, and for infinity | to_half |
    | C2 flags | no subnormal number becomes a zero on the way | flushed |
    | C3 values | where x is a NaN, so is what the clamp makes of it | maybe_nan |
    | C4 values | the bound is known, and not within the format's range | tight, |
    | | | unknown_bound |
    | - order | no memory | |
    | - blocks | each element for itself | |
    | - indices | none | |
    | - extents | each element for itself | |
    | - aliasing | no memory | |
    | - captures | no region | |
"""

from __future__ import annotations

import math
import struct

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.ir.attributes import flag
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.walk import defining_op, op_stem

_SIDES = {"minf": 1.0, "maxf": -1.0}
"""Ops that clamp, and the sign of the bounds that they keep numbers below or above."""
_FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}
"""How `struct` reads a number of each format."""


def without_implied(value: ir.Value, largest: float) -> ir.Value:
    """The tile before redundant clamps, which a conversion may take instead.

    Args:
        value: The tile that is converted.
        largest: The largest finite number of the result's format, to which the
            conversion clamps.
    """
    while (source := _source(value, largest)) is not None:
        value = source
    return value


def _source(value: ir.Value, largest: float) -> ir.Value | None:
    made = defining_op(value)
    if made is None or op_stem(made) not in _SIDES:
        return None
    if flag(made, "flush_to_zero"):  # implied_clamps C2
        return None
    left, right = made.operands
    for x, bound in ((left, right), (right, left)):
        limit = _number(bound)
        if limit is None or limit * _SIDES[op_stem(made)] < largest:
            continue  # implied_clamps C4
        if flag(made, "propagate_nan") or _is_number(x):  # implied_clamps C3
            return x
    return None


def _is_number(value: ir.Value) -> bool:
    """Whether no element is NaN, since a minimum or maximum with a number drops it."""
    made = defining_op(value)
    if made is None or op_stem(made) not in _SIDES or flag(made, "propagate_nan"):
        return False
    return any(_number(operand) is not None for operand in made.operands)


def _number(value: ir.Value) -> float | None:
    """The one number of a tile; None if it is unknown or NaN."""
    bits, kind = uniform_bits(value), _FLOATS.get(str(element_of(value)))
    if bits is None or kind is None:
        return None
    (found,) = struct.unpack(kind, bits.to_bytes(struct.calcsize(kind), "little"))
    return None if math.isnan(found) else float(found)
