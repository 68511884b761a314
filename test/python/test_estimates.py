# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan was estimated to take stands beside what its code takes."""

from __future__ import annotations

from pathlib import Path

import cuda_tile
from cuda_tile import Options
from cuda_tile.ir.plan import ESTIMATE_ATTRIBUTE
from cuda_tile.ir.walk import entries
from cuda_tile.pictures.estimates import compared_rows
from cuda_tile.pictures.measured import run_kernels

KERNELS = Path(__file__).resolve().parents[1] / "kernels" / "13.4"
PRODUCT = KERNELS / "matmul_f16_64x64x64.tileirbc"


def test_the_report_has_the_estimate_of_the_plan_that_was_taken() -> None:
    module = cuda_tile.load(PRODUCT)
    (plans,) = cuda_tile.list_plans(module, "sm_80").values()
    chosen = next(plan for plan in plans if plan["chosen"])
    other = next(p for p in plans if p["refusal"] is None and not p["chosen"])
    for plan in (chosen, other):
        options = Options(gpu="sm_80", plan=plan["number"])
        (kernel,) = cuda_tile.compile(module, options=options).report.kernels
        cost, estimate = plan["cost"], kernel.estimate
        assert estimate["registers"] == cost["registers"]
        assert estimate["shared_bytes"] == cost["shared_bytes"]
        assert estimate["clocks"] == {n: round(c) for n, c in cost["clocks"].items()}


def test_a_plan_by_hand_has_no_estimate() -> None:
    module = cuda_tile.load(PRODUCT)
    planned = cuda_tile.lower(module, "sm_80", until="plan")
    (entry,) = entries(planned.operation)
    del entry.attributes[ESTIMATE_ATTRIBUTE]
    (kernel,) = cuda_tile.compile(planned, "sm_80").report.kernels
    assert kernel.estimate == {}
    assert compared_rows(kernel, None) == []


def test_estimated_and_counted_clocks_stand_beside_each_other() -> None:
    module = cuda_tile.load(PRODUCT)
    compiled = cuda_tile.compile(module, "sm_80")
    placed = cuda_tile.lower(module, "sm_80", until="barriers")
    (run,) = run_kernels(module, placed, compiled, None)
    (kernel,) = compiled.report.kernels
    rows = {name: (mine, final) for name, mine, final in compared_rows(kernel, run)}
    assert rows["registers per thread"][1] == str(kernel.registers)
    # 64 x 64 x 64 multiply-adds at 1,024 a clock, estimated and counted alike.
    assert rows["clocks of an iteration: tensor cores"] == ("256", "256")
    without = compared_rows(kernel, None)
    assert [name for name, _, _ in without] == list(rows)
    assert without[-1][2] == "not counted"
