# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about integers and pointers: divisibility, contiguity, range.

A pure analysis: nothing in the IR changes. Per value and dimension it holds
three powers of two, true of every element (units: elements; pointers: bytes
for divisibility, pointee elements for contiguity):

- `constancy[d]`: aligned groups of this many elements along d are equal;
- `contiguity[d]`: aligned groups of this many elements along d count up by one;
- `divisibility[d]`: the first element of each contiguous group is a multiple.

`low` and `high` bound the signed value of every element, where known. A
rank-0 tile has empty tuples for the first two and one divisibility.

`fact_rules.py` has the rule of each op; this module propagates facts through loops and
branches.
"""

from __future__ import annotations

from math import gcd

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow, Point, counted_loop
from cuda_tile.analysis.dataflow import ValueAnalysis
from cuda_tile.analysis.fact_rules import RULES, tile_block_number, tile_shape
from cuda_tile.analysis.fact_values import (
    Facts,
    join,
    uniform,
    unknown,
    widen,
)
from cuda_tile.ir.traits import TILE_LOOPS
from cuda_tile.ir.walk import op_stem


class FactsAnalysis(ValueAnalysis[Facts]):
    """Facts of the values of one entry, through loops and branches.

    Args:
        entry: A `cuda_tile.entry` at level T or W.
    """

    def __init__(self, entry: ir.Operation) -> None:
        super().__init__(ControlFlow(entry))
        self.find_all()

    def find_all(self) -> None:
        """Walks the entry until all facts are known."""
        self.solve(())

    def unknown(self, value: ir.Value) -> Facts:
        """Trivial facts, also for values that are no tiles."""
        return unknown(tile_shape(value))

    def join_facts(self, known: Facts, news: Facts) -> Facts:
        """The facts that hold where two paths meet."""
        return join(known, news)

    def widen_facts(self, known: Facts, news: Facts) -> Facts:
        """The facts that hold at the head of a loop."""
        return widen(known, news)

    def made(self, point: Point, number: int) -> Facts:
        """Facts of the index of a `for`, by its bounds, or of a tile block's number."""
        if point.op.name in TILE_LOOPS:
            return tile_block_number()
        loop = counted_loop(point.op)
        if loop is None or point.region is None:
            return super().made(point, number)
        bounds = (self.of(value) for value in (loop.lower, loop.upper, loop.step))
        return _induction(*bounds, is_unsigned=loop.is_unsigned)

    def apply(self, op: ir.Operation) -> None:
        """Applies the op's rule; forgets what an earlier walk found."""
        if not has_rule(op):
            return
        found = RULES[op_stem(op)](self.of, op)
        each = [found] * len(op.results) if isinstance(found, Facts) else found or []
        for result in op.results:
            self.forget(result)
        for result, facts in zip(op.results, each, strict=False):
            if facts is not None:
                self.set(result, facts)


def has_rule(op: ir.Operation) -> bool:
    """Whether anything may be known of the results of an op without regions."""
    return op_stem(op) in RULES


def _induction(lower: Facts, upper: Facts, step: Facts, *, is_unsigned: bool) -> Facts:
    """The induction variable lies between the bounds and keeps their divisor."""
    divisor = gcd(lower.divisor, step.divisor)
    if is_unsigned and not (lower.is_natural and upper.is_natural):
        return uniform((), divisor)
    high = None if upper.high is None else upper.high - 1
    return uniform((), divisor, lower.low, high)
