# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of `allocate`, and what `allocate` knows of liveness, judge alike."""

from __future__ import annotations

from itertools import combinations

import pytest
from checked_kernels import GPUS, KERNELS, lowered, with_number

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.liveness import conflicts
from cuda_tile.checkers.allocate import faults_of
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.walk import entries

FAR = 1 << 24
"""More than all shared memory: what lies so far apart meets nothing."""


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", KERNELS)
def test_two_places_may_share_bytes_if_they_are_not_live_together(
    name: str, gpu: str
) -> None:
    module = lowered(name, gpu, "allocate")
    with module.context:
        for entry in entries(module.operation):
            flow = ControlFlow(entry)
            apart = conflicts(flow)
            for number, op in enumerate(apart):
                op.attributes["offset"] = _i64(number * FAR)
            assert not faults_of(flow)
            for one, other in combinations(apart, 2):
                with with_number(one, "offset", integer(other, "offset")):
                    assert bool(faults_of(flow)) == (other in apart[one])


def _i64(number: int) -> ir.IntegerAttr:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
