# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles larger than shared memory: the same cases on a chip with little of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from op_case import OpCase, check_case
from reduce_cases import AFFINE, ARGMAX
from reduce_cases import case as reduction
from shape_cases import all_moves, pointers

from cuda_tile._mlir import ir
from cuda_tile.passes import stage
from cuda_tile.targets import Target

CASES = [
    *(all_moves("f32", shape, f"moves-{len(shape)}", num_warps=4)
      for shape in ((64, 32), (2,) * 8)),
    all_moves("i1", (64, 64), "truths", num_warps=8),
    pointers("f32", num_warps=4),
    reduction(AFFINE, (4096,), 0, warps=4),
    reduction(ARGMAX, (64, 32), 0, warps=8),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_goes_in_parts(case: OpCase, monkeypatch: pytest.MonkeyPatch) -> None:
    read = stage.read_target

    def little(entry: ir.Operation) -> Target:
        return replace(read(entry), shared_bytes_per_cta=512)

    monkeypatch.setattr(stage, "read_target", little)
    check_case(case, "sm_80")
