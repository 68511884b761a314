# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of `count`: it takes right counts, and notices each that is too high."""

from __future__ import annotations

import pytest
from checked_kernels import GPUS, KERNELS, lowered, with_number

from cuda_tile import Options
from cuda_tile._mlir import ir
from cuda_tile.checkers import count
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.traits import AWAITS, DRAIN_STEPS
from cuda_tile.ir.walk import nested_ops


def is_noticed(module: ir.Module, op: ir.Operation) -> bool:
    with with_number(op, "groups", integer(op, "groups") + 1):
        try:
            count.check(module.operation, Options())
        except InternalError:
            return True
        return False


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", KERNELS)
def test_a_wait_that_leaves_one_group_more_is_noticed(name: str, gpu: str) -> None:
    module = lowered(name, gpu, "count")
    with module.context:
        ops = nested_ops(module.operation)
        waits = [op for op in ops if op.name in AWAITS | DRAIN_STEPS]
        counted = [op for op in waits if "groups" in op.attributes]
        unnoticed = [str(op) for op in counted if not is_noticed(module, op)]
    assert not unnoticed
