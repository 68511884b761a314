# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backward slice of an op within its block, down to another op."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.ir.walk import block_ops, taken


def needed_since(
    first: ir.Operation,
    op: ir.Operation,
    may_move: Callable[[ir.Operation], bool],
) -> list[ir.Operation] | None:
    """The ops from `first` on in the block that `op` needs, in order.

    Args:
        first: An op before it in the block, which does not move.
        op: The op.
        may_move: Whether an op may move before `first`.

    Returns:
        The ops; None if `first`, or an op that may not move, is among them.
    """
    ops = block_ops(first.block)
    wanted = set(taken(op))
    found: list[ir.Operation] = []
    for other in reversed(ops[ops.index(first) : ops.index(op)]):
        if wanted.isdisjoint(other.results):
            continue
        if other == first or not may_move(other):
            return None
        wanted.update(taken(other))
        found.append(other)
    return found[::-1]
