# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backward slice of a loop's copies, so that they can run iterations ahead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile.analysis.tokens import is_fresh
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.traits import COPIES, LOADS, is_pure
from cuda_tile.ir.walk import block_ops, defining_op, location_text
from cuda_tile.records import dataclass


class CannotMove(Exception):
    """A value that copies need cannot be computed ahead; the text names it."""


@dataclass(eq=False)
class BackwardSlice:
    """The ops of an iteration from which copies are computed: a backward slice.

    Attributes:
        loop: The loop.
        ops: The ops, by whether they were visited.
        carried: Numbers of the carried values that they need.
    """

    loop: ir.Operation
    ops: set[ir.Operation] = field(default_factory=set[ir.Operation])
    carried: set[int] = field(default_factory=set[int])

    def add(self, values: Iterable[ir.Value]) -> None:
        """Adds the ops that compute values.

        Raises:
            CannotMove: A value depends on more than the iteration's index, values from
                outside the loop, and carried values that do not either.
        """
        work = list(values)
        body = self.loop.regions[0].blocks[0]
        first = first_carried(self.loop)[1]
        end = block_ops(body)[-1]
        while work:
            value = work.pop()
            owner = value.owner
            if isinstance(owner, ir.Block):
                number = ir.BlockArgument(value).arg_number - first
                if owner == body and number >= 0 and number not in self.carried:
                    self.carried.add(number)
                    work.append(end.operands[number])
                continue
            op = owner.operation
            if op.block == body and op not in self.ops and op.name not in COPIES:
                _check(op)
                self.ops.add(op)
                work += op.operands

    def value_of(self, value: ir.Value, known: dict[ir.Value, ir.Value]) -> ir.Value:
        """The value in another iteration, computed at the insertion point.

        Args:
            value: A value of the slice, or one from outside the loop.
            known: The values of that iteration; more are added.
        """
        if value in known:
            return known[value]
        op = defining_op(value)
        if op is None or op not in self.ops:
            return value
        made = clone_with(
            op, [self.value_of(operand, known) for operand in op.operands]
        )
        known.update(zip(op.results, made.results, strict=True))
        return known[value]


def _check(op: ir.Operation) -> None:
    if is_pure(op):
        return
    if op.name in LOADS:
        tokens = [v for v in op.operands if isinstance(v.type, TokenType)]
        if not memory_order(op).is_strong and all(map(is_fresh, tokens)):
            return
        raise CannotMove(
            f"their addresses depend on '{op.name}' at {location_text(op)}, which is "
            "ordered with other accesses"
        )
    raise CannotMove(
        f"their addresses depend on '{op.name}' at {location_text(op)}, which may only "
        "run in its iteration"
    )
