# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters of the kernels: no unnecessary sectors, no bank conflicts."""

from __future__ import annotations

import pytest
from end_kernels import run
from real_kernels import Sizes, make_problem

STREAMS: dict[str, Sizes] = {
    "vadd_f32_1024": (8192,),
    "vadd_f16_4096": (8192,),
    "vadd_i32_8": (1008,),
    "vadd_f32_i64idx": (5008,),
    "saxpy_tail_f32": (5008, 4321),
    "transpose_f32_64x64": (208, 144),
    "softmax_f32_1024": (32, 1024),
}
PRODUCTS = {
    "matmul_f16_64x64x64": (128, 128, 192),
    "matmul_f16_128x128x64": (256, 128, 192),
    "matmul_f16_f32out_128x128x64": (128, 256, 192),
}


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", STREAMS)
def test_streams_touch_the_least_number_of_sectors(name: str, gpu: str) -> None:
    totals = run(make_problem(name, STREAMS[name]), "13.4", "emulator", gpu).totals
    assert totals["sectors"] == totals["min_sectors"]
    assert totals["bank_conflicts"] == 0


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_main_loop_of_products(name: str, gpu: str) -> None:
    report = run(make_problem(name, PRODUCTS[name]), "13.4", "emulator", gpu)
    loop = report.hottest_loop()
    assert loop is not None
    assert loop.totals["flops"] == report.totals["flops"] > 0
    assert loop.totals["bank_conflicts"] == 0
    assert loop.totals["sectors"] == loop.totals["min_sectors"]


@pytest.mark.parametrize("name", PRODUCTS)
def test_results_of_products_are_stored_without_surplus(name: str) -> None:
    totals = run(make_problem(name, PRODUCTS[name]), "13.4", "emulator", "sm_90").totals
    assert totals["sectors"] == totals["min_sectors"]


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_run_on_matrix_instructions(name: str) -> None:
    m, n, k = PRODUCTS[name]
    report = run(make_problem(name, (m, n, k)), "13.4", "emulator", "sm_80")
    mix = report.instruction_mix()
    atoms = sum(count for name, count in mix.items() if name.startswith("mma.sync"))
    assert atoms == m * n * k // (16 * 8 * 16)
    assert not any(name.startswith("fma") for name in mix)
