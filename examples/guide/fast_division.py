# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass: divisions by a constant become products with its inverse."""

import numpy as np

import cuda_tile
from cuda_tile import builder as b
from cuda_tile.ir import InsertionPoint, Operation
from cuda_tile.ir.walk import defining_op, nested_ops


def divisor_of(op: Operation) -> float | None:
    """The number that an op divides by, where it is the same for all elements."""
    constant = defining_op(op.operands[1])
    if constant is None or constant.name != "cuda_tile.constant":
        return None
    values = np.unique(np.array(constant.attributes["value"]))
    return float(values[0]) if len(values) == 1 else None


@cuda_tile.register_pass("fast-division")
def fast_division(module: Operation, *, largest: float = 1e6) -> None:
    """Turns x / c into x * (1 / c), which may round differently."""
    for op in list(nested_ops(module)):  # a list, for the loop erases ops
        if op.name != "cuda_tile.divf":
            continue
        divisor = divisor_of(op)
        if not divisor or abs(divisor) > largest:
            continue
        with InsertionPoint(op), op.location:
            inverse = b.constant(1 / divisor, op.operands[1].type)
            product = b.mulf(op.operands[0], inverse)
        op.results[0].replace_all_uses_with(product)
        op.erase()
