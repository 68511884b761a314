# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention: its state is carried in registers and multiplied."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from linear_kernels import Linear
from lowered_levels import lowered_levels
from numpy.typing import NDArray

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

pytestmark = pytest.mark.sampled(2)

KERNELS = (Linear(128, 128), Linear(64, 64, chunk=128))
LEVELS = ("stage", "skew", "issue", "barriers")
ALLOWED = 2.0**-9
"""Error beside the largest result: states, weights and results are rounded to f16."""
ITERATIONS, RAGGED = 3, 8

named = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


@cache
def module(kernel: Linear) -> ir.Module:
    return cuda_tile.load(kernel.text().encode())


def run(made: ir.Module, kernel: Linear, **how: Any) -> NDArray[np.float64]:
    """What a module computes, checked against f64."""
    grid, values = kernel.launch(1, ITERATIONS * kernel.chunk - RAGGED)
    entry = find_entry(module(kernel).operation, None)
    arguments = spread_args("kernel", parameter_types(entry), values)
    cuda_tile.run(made, grid=grid, args=arguments, **how)
    found, expected = np.asarray(values[3], np.float64), kernel.reference(values)
    assert np.abs(found - expected).max() <= ALLOWED * np.abs(expected).max()
    return found


@named
def test_every_level_computes_the_same(kernel: Linear) -> None:
    expected = run(module(kernel), kernel)
    for level, lowered in lowered_levels(module(kernel), "sm_90", LEVELS):
        assert np.array_equal(run(lowered, kernel), expected), level


@named
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_the_emulator_agrees(kernel: Linear, gpu: str) -> None:
    compiled = cuda_tile.compile(module(kernel), gpu, cubin=False)
    for seed in range(2):
        how: dict[str, Any] = {"compiled": compiled, "gpu": gpu, "seed": seed}
        run(module(kernel), kernel, on="emulator", mode="adversarial", **how)


@named
def test_registers_suffice(kernel: Linear) -> None:
    compiled = cuda_tile.compile(module(kernel), "sm_90")
    (report,) = compiled.report.kernels
    assert report.spill_bytes == 0
    assert not compiled.report.warnings
