# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exact remainder of f64, by 48 bits of the quotient at a time.

libdevice's `fmod` takes one bit at a time: 2,097 iterations for the largest number by
the smallest, where these are 43, and 2.4 times the instructions for numbers that are
close. (Its `fmodf` takes many, and costs less than this would.)

The remainder is found on significands in [1, 2): with x = r 2^a and y = m 2^b,
`r <- r 2^s - q m` takes s bits of the quotient for q the integer nearest to r 2^s / m.
Both sides are multiples of m's last place, so one fused operation gives the new r
exactly as long as it is smaller than m. It is: of the reciprocal of m, rounded to 53
bits, comes an error of |r / m| 2^(s - 53) in what is rounded to q, so that

    |r' / m| <= 1/2 + |r / m| 2^(s - 53).

The first step begins with r < 2 m and ends below 0.6 m; later ones stay there. A
negative rest is mended once, at the end.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder

_FRACTION = 52
"""Bits of an f64 below the leading one (IEEE 754, table 3.5)."""
_PRECISION = _FRACTION + 1
_BIAS = 1023
_INFINITY = (2 * _BIAS + 1) << _FRACTION
_SIGN = 1 << 63
ITERATION_BITS = 48
"""Bits of the quotient of an iteration: below 51, where `_nearest` no longer rounds."""


def remainder(b: Builder, x: ir.Value, y: ir.Value) -> ir.Value:
    """C's fmod of two f64; goes on in the block behind a loop.

    The sign is that of x. A NaN for a NaN, for infinite x and for y of zero.

    Args:
        b: The builder.
        x: The dividend (f64).
        y: The divisor (f64).
    """
    bits = b.bitcast(x, b.i64)
    positive = b.constant(b.i64, _SIGN - 1)
    top = b.binary("and", bits, positive)
    bottom = b.binary("and", b.bitcast(y, b.i64), positive)
    rest, high = _parts(b, top)
    unit, place = _parts(b, bottom)
    zero = b.constant(b.i64, 0)
    distance = b.op("llvm.intr.smax", b.i64, b.sub(high, place), zero)
    rest = _divided(b, rest, unit, distance)
    is_negative = b.fcmp("olt", rest, b.constant(b.f64, 0.0))
    mended = b.op("llvm.fadd", b.f64, rest, unit)
    rest = _scaled(b, b.select(is_negative, mended, rest), place)
    sign = b.binary("and", bits, _SIGN)
    rest = b.binary("or", b.bitcast(rest, b.i64), sign)
    rest = b.select(b.icmp("ult", top, bottom), x, b.bitcast(rest, b.f64))
    infinity = b.constant(b.i64, _INFINITY)
    bad = b.icmp("eq", bottom, zero)
    bad = b.binary("or", bad, b.icmp("uge", top, infinity))
    bad = b.binary("or", bad, b.icmp("ugt", bottom, infinity))
    return b.select(bad, b.constant(b.f64, float("nan")), rest)


def _parts(b: Builder, bits: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The significand, in [1, 2), and the biased exponent of a positive number.

    What is below the normal numbers is first multiplied by 2^53, which is exact.
    """
    small = b.icmp("ult", bits, 1 << _FRACTION)
    power = b.constant(b.f64, 2.0**_PRECISION)
    grown = b.op("llvm.fmul", b.f64, b.bitcast(bits, b.f64), power)
    bits = b.select(small, b.bitcast(grown, b.i64), bits)
    exponent = b.binary("lshr", bits, _FRACTION)
    zero, added = b.constant(b.i64, 0), b.constant(b.i64, _PRECISION)
    exponent = b.sub(exponent, b.select(small, added, zero))
    fraction = b.binary("and", bits, (1 << _FRACTION) - 1)
    return b.bitcast(b.binary("or", fraction, _BIAS << _FRACTION), b.f64), exponent


def _power(b: Builder, exponent: ir.Value) -> ir.Value:
    """2 to the power of an integer, as a normal number."""
    biased = b.add(exponent, _BIAS)
    bits = b.binary("shl", biased, _FRACTION)
    return b.bitcast(bits, b.f64)


def _divided(
    b: Builder, rest: ir.Value, unit: ir.Value, distance: ir.Value
) -> ir.Value:
    """`rest` 2^`distance` less a multiple of `unit`: closer to zero than `unit`."""
    step_bits = b.constant(b.i64, ITERATION_BITS)
    iterations = b.binary("udiv", distance, step_bits)
    first = b.sub(distance, b.op("llvm.mul", b.i64, iterations, step_bits))
    inverse = b.op("llvm.fdiv", b.f64, b.constant(b.f64, 1.0), unit)
    grown = b.op("llvm.fmul", b.f64, rest, _power(b, first))
    rest = _less(b, grown, _nearest(b, grown, inverse), unit)
    step = b.constant(b.f64, 2.0**ITERATION_BITS)
    inverse = b.op("llvm.fmul", b.f64, inverse, step)
    head, body, done = b.block([b.i64, b.f64]), b.block(), b.block()
    b.branch(head, [iterations, rest])
    b.enter(head)
    left, rest = head.arguments
    b.branch_if(b.icmp("eq", left, 0), done, body)
    b.enter(body)
    grown = b.op("llvm.fmul", b.f64, rest, step)
    less = _less(b, grown, _nearest(b, rest, inverse), unit)
    b.branch(head, [b.sub(left, 1), less], keeps_rolled=True)
    b.enter(done)
    return rest


def _nearest(b: Builder, x: ir.Value, y: ir.Value) -> ir.Value:
    """The integer nearest to the product of two, which is smaller than 2^51.

    The numbers around 1.5 2^52 are the integers, so adding that rounds to one.
    """
    integers = b.constant(b.f64, 1.5 * 2.0**_FRACTION)
    rounded = b.op("llvm.intr.fma", b.f64, x, y, integers)
    return b.op("llvm.fsub", b.f64, rounded, integers)


def _less(b: Builder, whole: ir.Value, times: ir.Value, unit: ir.Value) -> ir.Value:
    """`whole` - `times` `unit`, rounded once."""
    minus = b.op("llvm.fneg", b.f64, times)
    return b.op("llvm.intr.fma", b.f64, minus, unit, whole)


def _scaled(b: Builder, rest: ir.Value, place: ir.Value) -> ir.Value:
    """`rest` times 2 to the power of a biased exponent.

    In two factors, both normal numbers; only the second product may be below them, and
    is exact: the remainder is a multiple of the last place of y.
    """
    exponent = b.sub(place, _BIAS)
    half = b.binary("ashr", exponent, 1)
    for part in (half, b.sub(exponent, half)):
        rest = b.op("llvm.fmul", b.f64, rest, _power(b, part))
    return rest
