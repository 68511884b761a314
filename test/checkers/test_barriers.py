# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of `barriers`: it takes what the pass leaves, and misses each barrier."""

from __future__ import annotations

import pytest
from checked_kernels import GPUS, KERNELS, lowered

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.checkers.barriers import faults_of
from cuda_tile.ir.walk import entries, nested_ops


def waits(module: ir.Module) -> list[ir.Operation]:
    """The barriers and waits for bulk stores of a kernel."""
    names = {"tileas.barrier", "tileas.await_copies"}
    return [op for op in nested_ops(module.operation) if op.name in names]


def is_right(module: ir.Module) -> bool:
    return not any(faults_of(ControlFlow(e)) for e in entries(module.operation))


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", KERNELS)
def test_each_barrier_is_missed_where_it_is_deleted(name: str, gpu: str) -> None:
    kept = lowered(name, gpu, "order")
    unneeded: list[str] = []
    number = 0
    while True:
        module = lowered(name, gpu, "barriers")
        with module.context:
            assert is_right(module)
            if number == len(waits(module)):
                break
            wait = waits(module)[number]
            what = str(wait)
            wait.erase()
            if is_right(module):
                unneeded.append(what)
        number += 1
    with kept.context:
        for_memory = [op for op in waits(kept) if op.name == "tileas.barrier"]
    assert len(unneeded) <= len(for_memory)


def test_a_fence_is_missed() -> None:
    module = lowered("matmul_f16_128x128x64", "sm_90", "barriers")
    with module.context:
        fences = [op for op in waits(module) if "async" in op.attributes]
        for fence in fences:
            del fence.attributes["async"]
        assert fences
        assert not is_right(module)
