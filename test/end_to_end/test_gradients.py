# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention with all five products, on all judges."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from backward_kernels import Backward
from lowered_levels import lowered_levels
from numpy.typing import NDArray

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

KERNELS = (Backward(64), Backward(128, by_queries=True))
LEVELS = ("stage", "skew", "issue", "barriers")
ALLOWED = 2.0**-9
"""Error beside the largest gradient: weights and results are rounded to f16."""
ITERATIONS, RAGGED = 2, 8

named = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


@cache
def module(kernel: Backward) -> ir.Module:
    return cuda_tile.load(kernel.text().encode())


def run(made: ir.Module, kernel: Backward, **how: Any) -> list[NDArray[np.float64]]:
    """The gradients that a module computes, checked against those of f64."""
    grid, values = kernel.launch(1, ITERATIONS * kernel.queries - RAGGED, kernel.keys)
    entry = find_entry(module(kernel).operation, None)
    arguments = spread_args("kernel", parameter_types(entry), values)
    cuda_tile.run(made, grid=grid, args=arguments, **how)
    found = [np.asarray(value, np.float64) for value in values[6:-1]]
    for mine, expected in zip(found, kernel.reference(values), strict=True):
        assert np.abs(mine - expected).max() <= ALLOWED * np.abs(expected).max()
    return found


@named
def test_every_level_computes_the_same(kernel: Backward) -> None:
    expected = run(module(kernel), kernel)
    for level, lowered in lowered_levels(module(kernel), "sm_90", LEVELS):
        found = run(lowered, kernel)
        # The sum over keys is made in slices where mma.sync computes it.
        same = [np.array_equal(a, b) for a, b in zip(expected, found, strict=True)]
        assert same[:2] == [True, True], level


@named
@pytest.mark.parametrize("seed", range(2))
def test_the_emulator_agrees(kernel: Backward, seed: int) -> None:
    compiled = cuda_tile.compile(module(kernel), "sm_90", cubin=False)
    how: dict[str, Any] = {"on": "emulator", "gpu": "sm_90", "mode": "adversarial"}
    run(module(kernel), kernel, compiled=compiled, seed=seed, **how)


@named
def test_registers_suffice(kernel: Backward) -> None:
    compiled = cuda_tile.compile(module(kernel), "sm_90")
    (report,) = compiled.report.kernels
    assert report.spill_bytes == 0
    assert not compiled.report.warnings
    assert 'roles = "load"' in report.plan


def test_products_of_one_iteration_overlap_those_of_another() -> None:
    planned = str(cuda_tile.lower(module(KERNELS[0]), "sm_90", until="plan"))
    assert planned.count("stage = 1") == 2


@named
def test_warpgroups_make_all_five_products(kernel: Backward) -> None:
    """Also the fifth of 64 columns, of which each of two warpgroups has 32."""
    staged = str(cuda_tile.lower(module(kernel), "sm_90", until="stage"))
    assert staged.count("= tileas.wgmma") == 5
    assert "mma_sync" not in staged
