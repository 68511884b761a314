# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses of a value that do not depend on the signs of its zeros.

If two values differ only in the signs of zeros, so do their sums, products, extrema and
selections: x + 0 is x for any other x, and a product with 0 is 0 or NaN either way
(IEEE 754, 6.3). Exponentials and comparisons are equal. All other uses depend on the
sign: quotients, conversions to integers, stores.
"""

from __future__ import annotations

from collections.abc import Iterable

from cuda_tile._mlir import ir
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.traits import (
    FOR_LOOPS,
    HIDES_ZERO_SIGNS,
    KEEPS_ZERO_SIGNS,
    REDUCTIONS,
)
from cuda_tile.ir.walk import nested_ops

_BRANCH = "cuda_tile.if"


def hides_zero_signs(value: ir.Value) -> bool:
    """Whether no use of a value, direct or not, tells -0 from +0."""
    seen: set[ir.Value] = set()
    work = [value]
    while work:
        current = work.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses:
            following = _following(use.owner.operation, use.operand_number)
            if following is None:
                return False
            work += following
    return True


def _following(op: ir.Operation, number: int) -> Iterable[ir.Value] | None:
    """The values to which the signs of an operand's zeros pass on; None if unknown."""
    if op.name in HIDES_ZERO_SIGNS:
        return []
    if op.name in FOR_LOOPS:  # zero_removal C6
        return _carried(op, number - first_carried(op)[0])
    if op.name in REDUCTIONS:
        is_plain = all(inner.name in KEEPS_ZERO_SIGNS for inner in nested_ops(op))
        return list(op.results) if is_plain else None
    parent = op.parent
    if parent is not None and op.name == "cuda_tile.continue":
        return _carried(parent.operation, number)
    if parent is not None and op.name == "cuda_tile.yield":
        is_branch = parent.operation.name == _BRANCH
        return [parent.operation.results[number]] if is_branch else None
    return list(op.results) if op.name in KEEPS_ZERO_SIGNS else None


def _carried(loop: ir.Operation, number: int) -> Iterable[ir.Value] | None:
    """A value that a loop carries, inside and after the loop."""
    if loop.name not in FOR_LOOPS or number < 0:
        return None
    body = loop.regions[0].blocks[0]
    return [body.arguments[first_carried(loop)[1] + number], loop.results[number]]
