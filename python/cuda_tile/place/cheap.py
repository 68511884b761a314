# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rematerialisation: values that are cheaper to recompute than to convert.

Before layout assignment, each use of such a value gets an op of its own, so that each
may have the layout of its user, and users that share only such a value (for example a
mask) need not agree on a layout. Afterwards copies that became equal are merged.
"""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.constants import MOST_REPEATED_OPS
from cuda_tile.ir.tiles import is_distributed, shape_of
from cuda_tile.ir.traits import ELEMENTWISE, EXPENSIVE, SPREADS
from cuda_tile.ir.walk import defining_op, nested_ops

FREE = SPREADS | {"cuda_tile.constant"}
"""Ops that a thread does without an instruction."""

REPEATABLE = FREE | {"cuda_tile.iota"} | (ELEMENTWISE - EXPENSIVE)
"""Ops that make their result of what the same thread has of their operands."""

Group = list[ir.Operation]
"""An op and its copies, in their order in the block."""


def duplicate_cheap_values(entry: ir.Operation) -> list[Group]:
    """Gives each use of a cheap value an op of its own.

    Users come after their operands, so one backward sweep is enough.

    Returns:
        The copies, operands before users.
    """
    ops = list(nested_ops(entry))
    sizes = _sizes(ops)
    groups: list[Group] = []
    for op in reversed(ops):
        if op not in sizes:
            continue
        group: Group = []
        for use in list(op.results[0].uses)[1:]:
            copy = op.clone(ip=ir.InsertionPoint(op))
            use.owner.operation.operands[use.operand_number] = copy.results[0]
            group.append(copy)
        if group:
            groups.append([*group, op])
    return groups[::-1]


def merge_copies(groups: list[Group]) -> list[ir.Operation]:
    """Merges copies that have the same operands and the same layout.

    Returns:
        The copies that have no uses any more.
    """
    merged: list[ir.Operation] = []
    for group in groups:
        kept: dict[tuple[ir.Value | ir.Type, ...], ir.Operation] = {}
        for op in group:
            result = op.results[0]
            first = kept.setdefault((result.type, *op.operands), op)
            if first is not op:
                result.replace_all_uses_with(first.results[0])
                merged.append(op)
    return merged


def erase_unused(ops: list[ir.Operation]) -> None:
    """Erases those of some ops that have no uses, the last first.

    An erased op must not be accessed any more, so each op is visited once.
    """
    for op in list(dict.fromkeys(reversed(ops))):
        if not list(op.results[0].uses):
            op.erase()


def _sizes(ops: list[ir.Operation]) -> dict[ir.Operation, int]:
    """The cheap ops, each with the number of ops that recompute its value.

    A broadcast is cheap whatever its operand is: that is smaller and is converted
    first.
    """
    sizes: dict[ir.Operation, int] = {}
    for op in ops:
        if op.name not in REPEATABLE or not is_distributed(op.results[0]):
            continue
        size = 1
        for operand in op.operands:
            if not is_distributed(operand) or _is_uniform(operand):
                continue
            if op.name != "cuda_tile.broadcast":  # it may convert its small operand
                maker = defining_op(operand)
                size += (
                    MOST_REPEATED_OPS
                    if maker is None
                    else sizes.get(maker, MOST_REPEATED_OPS)
                )
        if size <= MOST_REPEATED_OPS:
            sizes[op] = size
    return sizes


def _is_uniform(value: ir.Value) -> bool:
    """Whether a value is one element that every thread has anyway."""
    op = defining_op(value)
    return (
        op is not None
        and prod(shape_of(value)) == 1
        and op.name == "cuda_tile.reshape"
        and not is_distributed(op.operands[0])
    )
