# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan that is chosen is the best of those that could be: a sample.

`tools/checks/plan_choices.py` has the whole comparison.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/checks"))

from plan_choices import Judged, Kernel, bench_cases, candidates, verdict
from product_kernels import Product


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_the_chosen_plan_of_a_small_product_is_the_best(gpu: str) -> None:
    product = Kernel.of(Product("f16", "f16", (64, 32, 32)))
    judged = list(candidates(product, gpu, ctas=(1,), engines=("tma", "cp_async")))
    assert len(judged) >= 3
    assert verdict(judged) is None


def judged(spill_bytes: int, clocks: float) -> Judged:
    fields = {"num_warps": 4, "warps_m": 2, "warps_n": 2, "min_ctas": 1}
    fields |= {"engine": "cp_async", "roles": "one"}
    return Judged({"fields": fields}, spill_bytes, clocks, "L2")


def test_spills_and_clocks_are_told() -> None:
    assert verdict([judged(0, 100), judged(0, 96), judged(8, 10)]) is None
    assert "spills 8 bytes" in str(verdict([judged(8, 90), judged(0, 100)]))
    assert "1.25 of the best" in str(verdict([judged(0, 125), judged(0, 100)]))


def test_every_kernel_of_bench_is_one_that_can_be_judged() -> None:
    cases = bench_cases()
    assert len({(kernel.name, gpu) for kernel, gpu in cases}) == len(cases) > 100
    for kernel in {kernel.name: kernel for kernel, _ in cases}.values():
        grid, values = kernel.launch(2)
        assert len(values) > 2, kernel.name
        assert all(extent >= 1 for extent in grid), kernel.name
