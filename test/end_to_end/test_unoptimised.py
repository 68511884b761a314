# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels at level 0 and for debuggers: what products in flight use stays in place.

Copies between registers that LLVM makes for each value a loop carries would touch the
sums of asynchronous products.
"""

from __future__ import annotations

from typing import Any

import pytest
from end_kernels import VERSIONS, load
from real_kernels import RECIPES, make_problem

import cuda_tile
from cuda_tile import Options

NAMES = ("matmul_f16_128x128x64", "fmha_causal_f16_d64_128x64")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("choice", ["llvm_opt_level", "device_debug"])
def test_products_stay_in_place(name: str, choice: str) -> None:
    chosen: Any = {choice: 0 if choice == "llvm_opt_level" else True}
    options = Options(gpu="sm_90", **chosen)
    module = load(name, VERSIONS[-1])
    compiled = cuda_tile.compile(module, options=options, cubin=False)
    problem = make_problem(name, RECIPES[name].sizes[-1])
    cuda_tile.run(
        *(module, None),
        grid=problem.grid,
        args=problem.args,
        on="emulator",
        gpu="sm_90",
        compiled=compiled,
        mode="adversarial",
    )
    assert problem.compare().is_within
