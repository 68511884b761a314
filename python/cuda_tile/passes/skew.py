# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Software pipelining: copies run ahead of their uses, parts of loops behind.

Contract: in, level W with rings in their serial form (`ring`, and `roles` if there are
any); out, the same program in which

- the copies into a ring run `ahead` iterations before the iteration that takes them, as
  the plan of the copies says: the first copies stand before the loop, those in the loop
  under a guard that checks whether that iteration exists. With sync = groups only the
  copies are guarded: acquire and publish always run, so that each iteration commits one
  group;
- asynchronous products run on into the next iteration if their sum allows
  it, and the release of their slots trails by the `lag` of their plan;
- the address computations of copies (pure ops, loads that nothing orders, and
  carried values) run for that iteration, too.

Copies that cannot move stay serial, which is slow but right; a remark says why.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.plan import add_remark
from cuda_tile.ir.traits import FOR_LOOPS, TAKES
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.passes.skew_awaits import carry_awaits
from cuda_tile.passes.skew_fill import FillAhead
from cuda_tile.passes.skew_products import carry_products
from cuda_tile.passes.skew_slice import CannotMove
from cuda_tile.passes.skew_stages import cut_loop


@each_kernel
def run(entry: ir.Operation) -> None:
    """Skews every loop of an entry."""
    anchors = [op for op in nested_ops(entry) if _may_move(op)]
    while anchors:
        anchor, block = anchors[0], anchors[0].block
        anchors = [op for op in anchors if op.block != block]
        loop = anchor.parent
        if loop is not None and loop.operation.name in FOR_LOOPS:
            made = carry_products(_cut(entry, loop.operation))
            _skew(entry, carry_awaits(made))


def _may_move(op: ir.Operation) -> bool:
    """Whether the loop of an op may have something to move."""
    return op.name in TAKES or runs_by_itself(op)


def _cut(entry: ir.Operation, loop: ir.Operation) -> ir.Operation:
    """Cuts a loop between its products; returns the new loop."""
    where = location_text(loop)
    try:
        return cut_loop(loop)
    except CannotMove as reason:
        add_remark(
            entry,
            f"{where}: products in this loop do not run behind each other: {reason}",
        )
        return loop


def _skew(entry: ir.Operation, loop: ir.Operation) -> None:
    where = location_text(loop)
    try:
        FillAhead(loop).apply()
    except CannotMove as reason:
        add_remark(
            entry,
            f"{where}: copies in this loop do not run ahead of their use: {reason}",
        )
