# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The iterations of a loop in which inequalities hold, as bounds computed before it.

All arithmetic is in 64 bits, in which sums of the numbers of `analysis/affine.py` are
exact. The bounds are then converted to the index's type again. They lie on the grid of
the loop's iterations, and between the loop's own bounds except for less than a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import gcd

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BoundedAttr, DivByAttr, TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.control_flow import CountedLoop
from cuda_tile.analysis.fact_values import MAX_DIVISOR
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.ir.scalars import (
    add,
    both,
    compare,
    constant,
    constant_of,
    multiply,
    plus,
    subtract,
)
from cuda_tile.ir.tiles import element_of
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Condition:
    """`index * i + sum of terms + number >= 0`.

    Attributes:
        index: The coefficient of the loop's index.
        terms: The coefficients of scalars from outside the loop.
        number: The constant.
    """

    index: int
    terms: tuple[tuple[ir.Value, int], ...]
    number: int


class Bounds:
    """Bounds of the iterations of a loop, computed at the insertion point.

    Args:
        loop: The loop.
        facts: The facts of its bounds.
    """

    def __init__(self, loop: CountedLoop, facts: FactsAnalysis) -> None:
        self._loop = loop
        self._facts = facts
        self._i64 = TileType.get([], ir.IntegerType.get_signless(64))
        self._wides: dict[ir.Value, ir.Value] = {}
        self._lower, self._upper = self._wide(loop.lower), self._wide(loop.upper)

    def find(
        self, conditions: Sequence[Condition], *, begins: bool, ends: bool
    ) -> tuple[ir.Value | None, ...]:
        """The first iteration in which all conditions hold, and the first after those.

        Args:
            conditions: The conditions.
            begins: Whether to compute the first one; otherwise it is the loop's first.
            ends: Whether to compute the end; otherwise it is the loop's end.

        Returns:
            The two, None if not computed. If no such iteration exists, both are the
            lower bound, or the first one is the upper bound.
        """
        firsts: list[ir.Value] = []
        lasts: list[ir.Value] = []
        guards: list[ir.Value] = []
        for c in dict.fromkeys(conditions):
            rest = self._rest(c)
            if c.index > 0 and begins:  # i >= ceil(-rest / index)
                minus = subtract(constant(0, self._i64), rest)
                firsts.append(self._quotient(minus, c.index, "positive_inf"))
            elif c.index < 0 and ends:  # i <= floor(rest / -index)
                last = self._quotient(rest, -c.index, "negative_inf")
                lasts.append(plus(last, 1))
            else:
                guards.append(self._holds_in_all(c, rest))
        first = self._clamped(_most(firsts, "max"), self._lower) if begins else None
        start = self._lower if first is None else first
        last = self._clamped(_most(lasts, "min"), start) if ends else None
        largest = first if last is None else last  # loop_splitting C4
        if largest is not None and constant_of(self._loop.step) != 1:
            width = ir.IntegerType(element_of(self._loop.index)).width
            most = constant((1 << width - 1) - 1, self._i64)
            guards.append(compare("less_than_or_equal", largest, most))
        holds = reduce(both, guards) if guards else None
        otherwise, sources = self._lower, [self._loop.lower]
        if not ends:
            otherwise = cuda_tile.MaxIOp(self._upper, self._lower, "signed").result
            sources.append(self._loop.upper)
        return tuple(
            None if bound is None else self._narrowed(bound, holds, otherwise, sources)
            for bound in (first, last)
        )

    def below(self, bound: ir.Value) -> ir.Value:
        """A bound as an upper bound of a loop, at most that of the whole loop."""
        if constant_of(self._loop.step) == 1:
            return bound
        return cuda_tile.MinIOp(bound, self._loop.upper, "signed").result

    def _wide(self, value: ir.Value) -> ir.Value:
        if value not in self._wides:
            self._wides[value] = cuda_tile.ExtIOp(self._i64, value, "signed").result
        return self._wides[value]

    def _rest(self, condition: Condition) -> ir.Value:
        """The terms of a condition without the multiple of the index."""
        parts = [multiply(self._wide(v), n) for v, n in condition.terms]
        start = constant(condition.number, self._i64)
        return reduce(add, parts, start)

    def _quotient(self, value: ir.Value, divisor: int, rounding: str) -> ir.Value:
        if divisor == 1:
            return value
        number = constant(divisor, self._i64)
        return cuda_tile.DivIOp(value, number, "signed", rounding=rounding).result

    def _holds_in_all(self, condition: Condition, rest: ir.Value) -> ir.Value:
        """Whether a condition holds in all iterations: at the worse end of the loop."""
        if condition.index:
            worst = self._lower if condition.index > 0 else plus(self._upper, -1)
            rest = add(rest, multiply(worst, condition.index))
        return compare("greater_than_or_equal", rest, constant(0, self._i64))

    def _clamped(self, bound: ir.Value, low: ir.Value) -> ir.Value:
        """The first iteration from a bound on, but not before the iteration `low`.

        Beyond the last iteration it is the next point of the loop's grid.
        """
        bound = cuda_tile.MinIOp(bound, self._upper, "signed").result
        bound = cuda_tile.MaxIOp(bound, low, "signed").result  # loop_splitting C5
        if constant_of(self._loop.step) == 1:
            return bound
        step = self._wide(self._loop.step)
        past = subtract(bound, self._lower)
        iterations = cuda_tile.DivIOp(
            past, step, "signed", rounding="positive_inf"
        ).result
        return add(self._lower, cuda_tile.MulIOp(iterations, step).result)

    def _narrowed(
        self,
        bound: ir.Value,
        holds: ir.Value | None,
        otherwise: ir.Value,
        sources: Sequence[ir.Value],
    ) -> ir.Value:
        """A bound in the index's type, or another one if the guards do not hold.

        Args:
            bound: The bound, in 64 bits.
            holds: Whether all guards hold, if there are any.
            otherwise: The other bound.
            sources: Bounds of the loop from which both are a multiple of the step away.
        """
        if holds is not None:
            bound = cuda_tile.SelectOp(holds, bound, otherwise).result
        found = cuda_tile.TruncIOp(self._loop.index.type, bound).result
        known = [self._facts.of(value) for value in (*sources, self._loop.step)]
        divisor = gcd(*(facts.divisor for facts in known))
        if 1 < divisor < MAX_DIVISOR:
            found = cuda_tile.AssumeOp(found, DivByAttr.get(divisor)).result
        lowest = self._facts.of(self._loop.lower).low
        if lowest is not None:
            found = cuda_tile.AssumeOp(found, BoundedAttr.get(lowest, None)).result
        return found


def _most(values: Sequence[ir.Value], which: str) -> ir.Value:
    make = cuda_tile.MaxIOp if which == "max" else cuda_tile.MinIOp
    found = values[0]
    for value in values[1:]:
        found = make(found, value, "signed").result
    return found
