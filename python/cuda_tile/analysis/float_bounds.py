# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of the elements of an f32 that are numbers, from what computes them.

They say what is left out where it cannot happen: 1 + exp(x) is at least one, x * x + c
is no subnormal number, and -0.5 * x * x is not positive. An element may be NaN as well.
Rounding to nearest is monotonic, so bounds of a sum are sums of bounds; of a product
only the sign is told.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from math import inf, isnan, sqrt

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.fact_values import Facts
from cuda_tile.constants import MOST_BOUND_STEPS
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import KEEPS_ELEMENTS
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.records import dataclass
from cuda_tile.rules import RuleTable

Bounds = tuple[float, float]
"""The least and the largest number."""
ANY: Bounds = (-inf, inf)
NEVER_POSITIVE = "tileas.never_positive"
"""On an op: its operand has no positive element; it may have NaN."""
Integers = Callable[[ir.Value], Facts]
"""What is known of a value that is no float."""
_EXACT = 1 << 53
"""Integers up to this are f64, so that they are rounded once."""


@dataclass(frozen=True)
class _Of:
    """Tells of operands.

    Attributes:
        integers: What is known of those that are no floats, if it is.
        steps: How many operations to look through.
    """

    integers: Integers | None
    steps: int

    def __call__(self, value: ir.Value) -> Bounds:
        return float_bounds(value, self.integers, self.steps)


_RULES: RuleTable[Callable[[_Of, ir.Operation], Bounds]] = RuleTable("float bounds")


def float_bounds(
    value: ir.Value, integers: Integers | None = None, steps: int = MOST_BOUND_STEPS
) -> Bounds:
    """The bounds of each element that is a number; `ANY` of what is no f32.

    Args:
        value: A scalar or tile.
        integers: What is known of integers that floats are made of, if it is.
        steps: How many operations to look through.
    """
    number = uniform_f32(value)
    if number is not None:
        return ANY if isnan(number) else (number, number)
    made = defining_op(value)
    is_single = isinstance(element_of(value), ir.F32Type)
    if made is None or not is_single or not steps:
        return ANY
    if made.name in KEEPS_ELEMENTS:
        return float_bounds(made.operands[0], integers, steps - 1)
    rule = _RULES.get(op_stem(made), _unknown)
    return rule(_Of(integers, steps - 1), made)


def uniform_f32(value: ir.Value) -> float | None:
    """The f32 that all elements are known to be, or None.

    Args:
        value: A scalar or tile of any type.
    """
    bits = uniform_bits(value) if isinstance(element_of(value), ir.F32Type) else None
    return None if bits is None else struct.unpack("<f", struct.pack("<I", bits))[0]


def _unknown(of: _Of, op: ir.Operation) -> Bounds:
    return ANY


@_RULES.register("itof")
def _itof(of: _Of, op: ir.Operation) -> Bounds:
    """Facts are of signed numbers; those that are taken without a sign have none."""
    if of.integers is None:
        return ANY
    facts = of.integers(op.operands[0])
    low, high = facts.low, facts.high
    is_bit = ir.IntegerType(element_of(op.operands[0])).width == 1
    is_signed = keyword(op, "signedness") == "signed"
    if is_bit or not (is_signed or (low is not None and low >= 0)):
        return ANY
    least = -inf if low is None or abs(low) > _EXACT else low
    most = inf if high is None or abs(high) > _EXACT else high
    return _rounded(op, least, most)


def _rounded(op: ir.Operation, low: float, high: float) -> Bounds:
    """To f32, as an op rounds sums; what is no number is no bound."""
    is_nearest = keyword(op, "rounding_mode", "nearest_even") == "nearest_even"
    if not is_nearest or flag(op, "flush_to_zero"):
        return ANY
    low, high = -inf if isnan(low) else low, inf if isnan(high) else high
    try:
        return struct.unpack("<2f", struct.pack("<2f", low, high))
    except OverflowError:
        return ANY


@_RULES.register("sqrt")
def _sqrt(of: _Of, op: ir.Operation) -> Bounds:
    low, high = (sqrt(max(x, 0.0)) for x in of(op.operands[0]))
    least, most = _rounded(op, low, high)
    return max(0.0, least), most


@_RULES.register("maxf")
def _maxf(of: _Of, op: ir.Operation) -> Bounds:
    return _greatest(of, op, 1.0)


@_RULES.register("minf")
def _minf(of: _Of, op: ir.Operation) -> Bounds:
    low, high = _greatest(of, op, -1.0)
    return -high, -low


def _greatest(of: _Of, op: ir.Operation, sign: float) -> Bounds:
    """Of operands times a sign.

    Of a NaN and a number it is the number, unless NaN wins; a constant is no NaN.
    """
    if flag(op, "flush_to_zero"):
        return ANY
    both = [sorted((sign * low, sign * high)) for low, high in map(of, op.operands)]
    lows, highs = zip(*both, strict=True)
    known = [x for x in map(uniform_f32, op.operands) if x is not None]
    numbers = [sign * x for x in known if not isnan(x)]
    always = lows if flag(op, "propagate_nan") else numbers
    return max(always, default=min(lows)), max(highs)


@_RULES.register("exp", "exp2")
def _power(of: _Of, op: ir.Operation) -> Bounds:
    """What is rounded is one at most, below zero."""
    is_below = flag(op, NEVER_POSITIVE) or of(op.operands[0])[1] <= 0.0
    return 0.0, 2.0 if is_below else inf


@_RULES.register("select")
def _select(of: _Of, op: ir.Operation) -> Bounds:
    (low, high), (other_low, other_high) = map(of, op.operands[1:])
    return min(low, other_low), max(high, other_high)


@_RULES.register("absf")
def _absf(of: _Of, op: ir.Operation) -> Bounds:
    low, high = of(op.operands[0])
    return max(0.0, low, -high), max(-low, high)


@_RULES.register("negf")
def _negf(of: _Of, op: ir.Operation) -> Bounds:
    low, high = of(op.operands[0])
    return -high, -low


@_RULES.register("addf")
def _addf(of: _Of, op: ir.Operation) -> Bounds:
    (low, high), (other_low, other_high) = map(of, op.operands)
    return _rounded(op, low + other_low, high + other_high)


@_RULES.register("subf")
def _subf(of: _Of, op: ir.Operation) -> Bounds:
    (low, high), (other_low, other_high) = map(of, op.operands)
    return _rounded(op, low - other_high, high - other_low)


@_RULES.register("mulf")
def _mulf(of: _Of, op: ir.Operation) -> Bounds:
    return _sign(of, _factors(op.operands))


@_RULES.register("fma")
def _fma(of: _Of, op: ir.Operation) -> Bounds:
    low, high = _sign(of, _factors(op.operands[:2]))
    other_low, other_high = of(op.operands[2])
    return _rounded(op, low + other_low, high + other_high)


def _factors(operands: Sequence[ir.Value]) -> list[ir.Value]:
    """Those of a product whose factors may be products."""
    found: list[ir.Value] = []
    for operand in operands:
        made = defining_op(operand)
        is_product = made is not None and op_stem(made) == "mulf"
        found += made.operands if made is not None and is_product else [operand]
    return found


def _sign(of: _Of, factors: Sequence[ir.Value]) -> Bounds:
    """The bounds of a product as far as signs tell; twice the same factor has none."""
    is_negative = False
    for factor in dict.fromkeys(factors):
        low, high = (0.0, inf) if factors.count(factor) % 2 == 0 else of(factor)
        if low < 0.0 < high:
            return ANY
        is_negative ^= low < 0.0
    return (-inf, 0.0) if is_negative else (0.0, inf)
