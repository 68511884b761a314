# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kernel, in both bytecode versions, on interpreter and emulator, against NumPy.

Inputs, references and bounds come from `examples/real_kernels.py`: exact for integers,
movement and sums; one unit in the last place of f32 for saxpy; four of float64's result
for softmax, whose difference to the row's maximum is an f32, as the kernel says, and
everything after it float64; for products K * 2^-24 times the product of magnitudes,
and half a unit of f16 where the result is rounded to it; for attention the rounding of
weights and result to f16.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from end_kernels import NAMES, VERSIONS, run
from real_kernels import RECIPES, Sizes, make_problem

from cuda_tile import UserError
from cuda_tile.running import Executor

pytestmark = pytest.mark.sampled(4)

PRODUCTS = ("matmul", "fmha")
ELEMENTWISE = tuple(name for name in NAMES if not name.startswith(PRODUCTS))
CASES = [(name, sizes) for name in NAMES for sizes in RECIPES[name].sizes]
IDS = [f"{name}-{'x'.join(map(str, sizes))}" for name, sizes in CASES]
EXECUTORS: dict[str, tuple[Executor, str]] = {
    "interp": ("interp", ""),
    "sm_80": ("emulator", "sm_80"),
    "sm_90": ("emulator", "sm_90"),
}


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("name", "sizes"), CASES, ids=IDS)
def test_equals_numpy(name: str, sizes: Sizes, version: str, executor: str) -> None:
    on, gpu = EXECUTORS[executor]
    problem = make_problem(name, sizes, seed=len(executor))
    run(problem, version, on, gpu)
    comparison = problem.compare()
    assert comparison.is_within, comparison


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_special_values(name: str, executor: str) -> None:
    on, gpu = EXECUTORS[executor]
    problem = make_problem(name, seed=5, special=True)
    run(problem, VERSIONS[0], on, gpu)
    comparison = problem.compare()
    assert comparison.is_within, comparison


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_no_order_of_warps_changes_the_result(name: str, seed: int) -> None:
    sizes = RECIPES[name].sizes[1]
    problem = make_problem(name, sizes, seed=seed)
    run(problem, VERSIONS[1], "emulator", "sm_90", mode="adversarial", seed=seed)
    comparison = problem.compare()
    assert comparison.is_within, comparison


def test_extreme_integers_wrap_around() -> None:
    problem = make_problem("vadd_i32_8", (16,))
    ends = np.array([-(2**31), 2**31 - 1, -1, 0], np.int32)
    a, b, c = (arg for arg in problem.args if isinstance(arg, np.ndarray))
    a[...], b[...] = np.repeat(ends, 4), np.tile(ends, 4)
    run(problem, VERSIONS[1], "emulator", "sm_80")
    assert c.tolist() == (a + b).tolist()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_blocks_beyond_the_arrays_do_nothing_or_are_refused(executor: str) -> None:
    # The interpreter refuses an index outside the view's tiles; the PTX masks it.
    on, gpu = EXECUTORS[executor]
    problem = replace(make_problem("vadd_f32_1024", (1024,)), grid=(3,))
    if on == "interp":
        with pytest.raises(UserError, match="outside the index space"):
            run(problem, VERSIONS[1], on)
        return
    run(problem, VERSIONS[1], on, gpu)
    assert problem.compare().is_within
