# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of ops with other operands, at the insertion point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cuda_tile._mlir import ir
from cuda_tile.ir.walk import nested_ops


def clone_with(
    op: ir.Operation, operands: Iterable[ir.Value], types: Iterable[ir.Type] = ()
) -> ir.Operation:
    """A copy of an op with other operands.

    Args:
        op: The op.
        operands: The first operands of the copy; it keeps the remaining ones.
        types: The types of its first results; it keeps the remaining ones.
    """
    made = op.clone()
    for number, operand in enumerate(operands):
        made.operands[number] = operand
    for result, ty in zip(made.results, types, strict=False):
        result.set_type(ty)
    return made


def clone_renamed(
    op: ir.Operation, values: Mapping[ir.Value, ir.Value]
) -> ir.Operation:
    """A copy of an op with other values as operands, also in its regions.

    Args:
        op: The op.
        values: The replacement of each value; other values stay.
    """
    made = op.clone()
    for inner in (made, *nested_ops(made)):
        for number, operand in enumerate(inner.operands):
            if operand in values:
                inner.operands[number] = values[operand]
    return made
