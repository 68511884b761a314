# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correctly rounded quotients of f32, those of a thread with one test for all.

ptxas makes of each `div.rn.f32` a reciprocal, its refinement, a correction, a test of
both exponents and a branch to a slow path. Here the reciprocal of a divisor is made
once, and one branch serves many quotients: all where they share divisors, as those of a
row's softmax, or where no divisor is small, as 1 + exp(x) and sqrt(x) + 1e-8 never are.

Let b be in [1, 2). `rcp.approx` gives y within a unit in the last place (PTX ISA,
"rcp"). With e = 1 - b y, rounded, and f = e + e^2, rounded up, y + y f is 1/b correctly
rounded: all b were tried, with all y that the unit allows. (y + y e is not, where all
bits of b are one.) So it is off by 2^-25 at most. The product q = a y is off by 1.5
units at most, and is corrected to q - (b q - a) y, where the remainder is exact: it has
few bits. What is rounded then is off by less than b 1.5 2^-25 units, 0.75 b^2 over
twice the integer that b's bits are. That might be wrong only for quotients which are 1,
2 or 3 over that number from the middle between two numbers. For each b there are a few;
all that are up to 15 over it were tried, 1.5 billion (2026-11-29), and
test/emit/test_quotients.py tries some.

All that holds while no step leaves the normal numbers:

- for a divisor from 2^-32 to 2^31, and dividends that are zero or of a magnitude from
  2^-94 to 2^94. A zero keeps its sign, which a positive divisor leaves. The quotient of
  a smaller one that is positive is so, too, or zero, and below 2^-61, which is enough
  where f16 is made of it;
- for a divisor of 2^-40 or more, and quotients of 2^-62 or more: then the remainder,
  which is at least 2^-46 of the dividend or zero, is representable. Of a divisor whose
  reciprocal is subnormal the quotient is zero, and what is infinite leaves NaN;
- for a divisor from 1 to 2^63 and a dividend from 2^-32 to 2^32, whatever the quotient.

A thread that has others divides one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import frexp

from cuda_tile._mlir import ir
from cuda_tile.analysis.float_bounds import float_bounds, uniform_f32
from cuda_tile.analysis.hidden_subnormals import SHORT, is_seen_short
from cuda_tile.constants import LEAST_JOINT_QUOTIENTS, MOST_SINGLE_QUOTIENTS
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.steps import ptx_float, splat
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import KEEPS_ELEMENTS
from cuda_tile.ir.walk import defining_op, value_behind
from cuda_tile.ods import ops_by_rule

FRACTION = (1 << 23) - 1
"""The bits of an f32 behind its exponent."""
_DIVISORS = 2.0**-32, 2.0**31
_LEAST, _MOST = 2.0**-94, 2.0**94
_LEAST_BITS = (127 - 94) << 24
"""The bits of `_LEAST` without the sign, one place up."""
_LEAST_DIVISOR, _LEAST_QUOTIENT = 2.0**-40, 2.0**-62
_RECIPROCAL_BIT = 1 << 29
"""The highest bit that is set in f32 from 2^-63 to below 2, and in none below."""
_NUMBERS = 2.0**-32, 2.0**32
"""Dividends whose quotients by 1 to 2^63 need no test."""

_CONVERTS = ops_by_rule("gives a number of another type, if it is one", "ftof", "itof")

_Values = Sequence[ir.Value]


def joint_quotients(e: Emitter, op: ir.Operation) -> list[ir.Value] | None:
    """The quotients of one thread, or None where these gain nothing by being joint.

    Args:
        e: The emitter.
        op: A division of tiles of f32, to nearest.
    """
    dividends, divisors = (e.packer.scalars(e.fragment(x)) for x in op.operands)
    count = len(dividends)
    if len(set(divisors)) * LEAST_JOINT_QUOTIENTS <= count:
        return _sharing(e, op, dividends, divisors)
    least = float_bounds(op.operands[1], e.facts.of)[0]
    is_tested = least < _LEAST_DIVISOR  # which pays where instructions take pairs
    has_test = e.target.has("max.NaN")
    if (is_tested and not e.target.has_packed_f32) or not has_test:
        return None
    if count < LEAST_JOINT_QUOTIENTS:
        return None
    made: list[ir.Value] = []
    for first in range(0, count, MOST_SINGLE_QUOTIENTS):
        some = slice(first, first + MOST_SINGLE_QUOTIENTS)
        made += _by_large(e, op, dividends[some], divisors[some], least)
    return made


def _sharing(
    e: Emitter, op: ir.Operation, dividends: _Values, divisors: _Values
) -> list[ir.Value]:
    """Those of few divisors; dividends may well be zeros, as masks leave them."""
    b, distinct = e.builder, list(dict.fromkeys(divisors))
    low, high = (b.constant(b.f32, limit) for limit in _DIVISORS)
    tests = [b.fcmp("oge", divisor, low) for divisor in distinct]
    tests += [b.fcmp("ole", divisor, high) for divisor in distinct]
    least, most = float_bounds(op.operands[0], e.facts.of)
    if max(-least, most) > _MOST:
        sizes = [b.op("llvm.intr.fabs", b.f32, x) for x in dividends]
        size = reduce(lambda x, y: b.op("llvm.intr.maxnum", b.f32, x, y), sizes)
        tests.append(b.fcmp("ole", size, b.constant(b.f32, _MOST)))
    is_unseen = least >= 0.0 and is_seen_short(op.results[0])
    if not is_unseen and not _is_of_few_bits(op.operands[0]):
        # Less one, zero is more than all others.
        places = [
            b.sub(b.binary("shl", b.bitcast(x, b.i32), b.constant(b.i32, 1)), 1)
            for x in dividends
        ]
        place = reduce(lambda x, y: b.op("llvm.intr.umin", b.i32, x, y), places)
        tests.append(b.icmp("uge", place, _LEAST_BITS - 1))

    def quick() -> list[ir.Value]:
        refined = _refined(e, distinct, _approximate(e, distinct))
        of = dict(zip(distinct, refined, strict=True))
        return _corrected(e, dividends, divisors, [of[x] for x in divisors])

    return _if_usual(b, tests, quick, dividends, divisors)


def _is_of_few_bits(value: ir.Value) -> bool:
    """Whether elements are zero or no less than the least f16, as those made of f16."""
    made = defining_op(value_behind(value, KEEPS_ELEMENTS))
    if made is None or made.name not in _CONVERTS:
        return False
    element = element_of(made.operands[0])
    return isinstance(element, ir.IntegerType) or str(element) in SHORT


def _by_large(
    e: Emitter, op: ir.Operation, dividends: _Values, divisors: _Values, least: float
) -> list[ir.Value]:
    """Those of divisors of their own, which are no less than `least`."""
    b, number = e.builder, uniform_f32(op.operands[0]) or 0.0
    rough = _approximate(e, divisors)

    def quick() -> list[ir.Value]:
        made = _refined(e, divisors, rough)
        if abs(frexp(number)[0]) == 0.5:  # a product is exact
            pairs = zip(dividends, made, strict=True)
            return [b.op("llvm.fmul", b.f32, *pair) for pair in pairs]
        return _corrected(e, dividends, divisors, made)

    if least >= 1.0 and _NUMBERS[0] <= abs(number) <= _NUMBERS[1]:
        words = [b.bitcast(y, b.i32) for y in rough]
        common = reduce(lambda x, y: b.binary("and", x, y), words)
        tests = [b.icmp("uge", common, _RECIPROCAL_BIT)]
        return _if_usual(b, tests, quick, dividends, divisors)
    made = quick()
    tests = [_are_no_less(b, made, _LEAST_QUOTIENT)]
    if least < _LEAST_DIVISOR:
        tests.append(_are_no_less(b, divisors, _LEAST_DIVISOR))
    return _if_usual(b, tests, lambda: made, dividends, divisors)


def _are_no_less(b: Builder, values: _Values, limit: float) -> ir.Value:
    """Whether all are numbers whose magnitude is no less than a limit."""
    sizes = [b.op("llvm.intr.fabs", b.f32, x) for x in values]
    size = reduce(lambda x, y: b.op("llvm.intr.minimum", b.f32, x, y), sizes)
    return b.fcmp("oge", size, b.constant(b.f32, limit))


def _if_usual(
    b: Builder,
    tests: _Values,
    quick: Callable[[], list[ir.Value]],
    dividends: _Values,
    divisors: _Values,
) -> list[ir.Value]:
    """What `quick` makes where all tests hold, else quotients one by one."""
    usual = reduce(lambda x, y: b.binary("and", x, y), tests)
    good, slow, after = b.block(), b.block(), b.block([b.f32] * len(dividends))
    b.branch_if(usual, good, slow)
    b.enter(slow)
    pairs = zip(dividends, divisors, strict=True)
    b.branch(after, [b.op("llvm.fdiv", b.f32, *pair) for pair in pairs])
    b.enter(good)
    b.branch(after, quick())
    b.enter(after)
    return list(after.arguments)


def _approximate(e: Emitter, divisors: _Values) -> list[ir.Value]:
    """Reciprocals; those of subnormal numbers, and subnormal ones, fail the tests."""
    return list(map(ptx_float(e, "rcp.approx.ftz", "f32"), divisors))


def _refined(e: Emitter, divisors: _Values, rough: _Values) -> list[ir.Value]:
    """Correctly rounded reciprocals."""
    b, up = e.builder, ptx_float(e, "fma.rp", "f32")

    def refine(divisor: ir.Value, y: ir.Value) -> ir.Value:
        off = _fma(b, _negative(b, divisor), y, splat(e, y.type, 1.0))
        return _fma(b, y, up(off, off, off), y)

    return _in_pairs(e, refine, divisors, rough)


def _corrected(
    e: Emitter, dividends: _Values, divisors: _Values, reciprocals: _Values
) -> list[ir.Value]:
    b = e.builder

    def correct(dividend: ir.Value, divisor: ir.Value, y: ir.Value) -> ir.Value:
        quotient = b.op("llvm.fmul", y.type, dividend, y)
        over = _fma(b, divisor, quotient, _negative(b, dividend))
        return _fma(b, _negative(b, over), y, quotient)

    return _in_pairs(e, correct, dividends, divisors, reciprocals)


def _fma(b: Builder, *operands: ir.Value) -> ir.Value:
    return b.op("llvm.intr.fma", operands[0].type, *operands)


def _negative(b: Builder, x: ir.Value) -> ir.Value:
    return b.op("llvm.fneg", x.type, x)


def _in_pairs(
    e: Emitter, function: Callable[..., ir.Value], *operands: _Values
) -> list[ir.Value]:
    """A function of each row of operands, of two rows at a time where the chip can."""
    count = 2 if e.target.has_packed_f32 and len(operands[0]) % 2 == 0 else 1
    columns = [[*zip(*[iter(x)] * count, strict=True)] for x in operands]
    rows = zip(*columns, strict=True)
    made = [function(*(e.builder.vector(each) for each in row)) for row in rows]
    return [x for each in made for x in e.builder.elements(each, count)]
