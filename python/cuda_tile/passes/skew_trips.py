# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditions for the remaining iterations of a counted loop, safe from overflow.

`upper - index` is computed modulo 2^N and read as unsigned: right for any bounds, as
long as the index is below the upper one.
"""

from __future__ import annotations

from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.control_flow import CountedLoop, counted_loop
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.errors import InternalError
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
from cuda_tile.ir.walk import enclosing_entry, location_text
from cuda_tile.passes.skew_slice import CannotMove
from cuda_tile.records import dataclass


@dataclass(frozen=True)
class Trips:
    """The iterations of a counted loop.

    Attributes:
        op: The loop.
        loop: Its bounds.
        step: The step, if it is a constant.
    """

    op: ir.Operation
    loop: CountedLoop
    step: int | None

    @classmethod
    def of(cls, op: ir.Operation, most: int) -> Trips:
        """The iterations of a `for`.

        Args:
            op: The loop.
            most: The largest number of iterations that will be asked for.

        Raises:
            CannotMove: So many steps do not fit the index's type.
        """
        loop = counted_loop(op)
        if loop is None:
            raise InternalError(
                f"expected a for loop, got '{op.name}'", location_text(op)
            )
        step = constant_of(loop.step)
        bits = cast("ir.IntegerType", TileType(loop.step.type).element_type).width
        if step is not None and step * most >= 1 << bits - 1:
            raise CannotMove(f"{most} steps of {step} are beyond the index's type")
        return cls(op, loop, step)

    def first(self, number: int) -> ir.Value:
        """The index of an iteration, counted from the first one."""
        return self.later(self.loop.lower, number)

    def later(self, index: ir.Value, number: int) -> ir.Value:
        """The index of an iteration that comes `number` iterations later.

        Args:
            index: The index of an iteration.
            number: The distance in iterations.
        """
        if not number:
            return index
        if self.step is not None:
            return plus(index, self.step * number)
        return add(index, multiply(self.loop.step, number))

    def reaches(self, number: int) -> ir.Value:
        """Whether there is an iteration of that number."""
        loop = self.loop
        starts = compare(
            "less_than", loop.lower, loop.upper, is_unsigned=loop.is_unsigned
        )
        return both(starts, self.comes(loop.lower, number)) if number else starts

    def comes_later(self, number: int) -> ir.Value:
        """Whether an iteration exists `number` after that of the insertion point.

        It is a comparison with a bound from before the loop, so that no second counter
        is needed.
        """
        loop = self.loop
        if self.step is None:
            return self.comes(loop.index, number)
        with ir.InsertionPoint(self.op), self.op.location:
            nearer = plus(loop.upper, -self.step * number)
            reached = self.reaches(number)
            bound = cuda_tile.SelectOp(reached, nearer, loop.lower).result
        return compare("less_than", loop.index, bound, is_unsigned=loop.is_unsigned)

    def comes(self, index: ir.Value, number: int) -> ir.Value:
        """Whether an iteration exists `number` after that of an existing index.

        Args:
            index: The index of an iteration.
            number: The distance in iterations.
        """
        left = subtract(self.loop.upper, index)
        if self.step is not None:
            bound = constant(self.step * number, index.type)
            return compare("greater_than", left, bound, is_unsigned=True)
        behind = plus(left, -1)
        whole = cuda_tile.DivIOp(behind, self.loop.step, "unsigned").result
        bound = constant(number, index.type)
        return compare("greater_than_or_equal", whole, bound, is_unsigned=True)


def last_index(op: ir.Operation) -> int | None:
    """An upper bound of the index of a `for`, from facts of its bounds; or None."""
    loop = counted_loop(op)
    known = None if loop is None else FactsOnDemand(enclosing_entry(op)).of(loop.upper)
    if known is None or known.low is None or known.high is None or known.low < 0:
        return None
    return known.high - 1
