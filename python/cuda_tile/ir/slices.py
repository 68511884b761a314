# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an op needs of the ops of its block that stand between it and another one."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.ir.walk import block_ops, taken


def needed_since(
    first: ir.Operation,
    op: ir.Operation,
    may_move: Callable[[ir.Operation], bool],
) -> list[ir.Operation] | None:
    """What an op needs of what its block makes from another op on, in order.

    Args:
        first: An op before it in the block, which does not move.
        op: The op.
        may_move: Whether an op could as well be done before `first`.

    Returns:
        None if that needs `first`, or what may not move.
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
