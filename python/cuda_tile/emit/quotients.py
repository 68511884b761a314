# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correctly rounded quotients of f32 that share divisors, as those of a row's softmax.

ptxas makes of each `div.rn.f32` a reciprocal, its refinement, two corrections, a test
of both exponents and a branch to a slow path. Here the reciprocal of a divisor is made
once, and one branch serves all quotients of a thread.

Let b be in [1, 2). `rcp.approx` is off by a unit in the last place at most (PTX ISA,
"rcp"). After two steps of Newton y is 1/b correctly rounded, unless all bits of b are
one (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000
processor", theorem 6), so off by 2^-25 at most. The product q = a y is off by 1.5 units
at most, and is corrected to q - (b q - a) y, where the remainder is exact: it has few
bits. What is rounded then is off by less than b 1.5 2^-25 units, 0.75 b^2 over twice
the integer that b's bits are. That might be wrong only for quotients which are 1, 2 or
3 over that number from the middle between two numbers. For each b there are a few; all
23 million were tried (2026-11-29), and test/emit/test_quotients.py tries some.

All that holds while no step leaves the normal numbers: for a divisor from 2^-32 to
2^31, and dividends that are zero or of a magnitude from 2^-94 to 2^94. A zero keeps its
sign, which a positive divisor leaves. A thread that has others divides one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from cuda_tile._mlir import ir
from cuda_tile.constants import LEAST_SHARED_QUOTIENTS
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter

_DIVISORS = 2.0**-32, 2.0**31
FRACTION = (1 << 23) - 1
"""The bits of an f32 behind its exponent."""
_LEAST, _MOST = 2.0**-94, 2.0**94
_LEAST_BITS = (127 - 94) << 24
"""The bits of `_LEAST` without the sign, one place up."""


def shared_quotients(
    e: Emitter, dividends: Sequence[ir.Value], divisors: Sequence[ir.Value]
) -> list[ir.Value] | None:
    """The quotients of f32 of one thread; None where too few share a divisor.

    Args:
        e: The emitter.
        dividends: Of one thread.
        divisors: One for each; values that are one and the same are shared.
    """
    distinct = list(dict.fromkeys(divisors))
    if len(distinct) * LEAST_SHARED_QUOTIENTS > len(dividends):
        return None
    b = e.builder
    quick, slow = b.block(), b.block()
    after = b.block([b.f32] * len(dividends))
    b.branch_if(_are_usual(b, dividends, distinct), quick, slow)
    b.enter(slow)
    pairs = list(zip(dividends, divisors, strict=True))
    b.branch(after, [b.op("llvm.fdiv", b.f32, *pair) for pair in pairs])
    b.enter(quick)
    b.branch(after, _corrected(e, pairs))
    b.enter(after)
    return list(after.arguments)


def _are_usual(
    b: Builder, dividends: Sequence[ir.Value], divisors: Sequence[ir.Value]
) -> ir.Value:
    """Whether no step leaves the normal numbers."""
    low, high = (b.constant(b.f32, limit) for limit in _DIVISORS)
    found: list[ir.Value] = []
    for divisor in divisors:
        found += [b.fcmp("oge", divisor, low), b.fcmp("ole", divisor, high)]
        fraction = b.binary("and", b.bitcast(divisor, b.i32), FRACTION)
        found.append(b.icmp("ne", fraction, FRACTION))
    sizes = [b.op("llvm.intr.fabs", b.f32, x) for x in dividends]
    most = reduce(lambda x, y: b.op("llvm.intr.maxnum", b.f32, x, y), sizes)
    # Less one, zero is more than all others.
    places = [
        b.sub(b.binary("shl", b.bitcast(x, b.i32), b.constant(b.i32, 1)), 1)
        for x in dividends
    ]
    least = reduce(lambda x, y: b.op("llvm.intr.umin", b.i32, x, y), places)
    found.append(b.fcmp("ole", most, b.constant(b.f32, _MOST)))
    found.append(b.icmp("uge", least, _LEAST_BITS - 1))
    return reduce(lambda x, y: b.binary("and", x, y), found)


def _corrected(
    e: Emitter, pairs: Sequence[tuple[ir.Value, ir.Value]]
) -> list[ir.Value]:
    b = e.builder
    one = b.constant(b.f32, 1.0)

    def fma(*operands: ir.Value) -> ir.Value:
        return b.op("llvm.intr.fma", b.f32, *operands)

    def negative(x: ir.Value) -> ir.Value:
        return b.op("llvm.fneg", b.f32, x)

    reciprocals: dict[ir.Value, ir.Value] = {}
    made: list[ir.Value] = []
    for dividend, divisor in pairs:
        if divisor not in reciprocals:
            y = b.ptx_value("rcp.approx.f32 $0, $1;", b.f32, divisor)
            for _ in range(2):
                y = fma(y, fma(negative(divisor), y, one), y)
            reciprocals[divisor] = y
        y = reciprocals[divisor]
        quotient = b.op("llvm.fmul", b.f32, dividend, y)
        over = fma(divisor, quotient, negative(dividend))
        made.append(fma(negative(over), y, quotient))
    return made
