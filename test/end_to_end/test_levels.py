# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""After each pass the module prints, parses, verifies and gives the same results."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from end_kernels import NAMES, VERSIONS, load
from lowered_levels import TILE_LEVELS
from real_kernels import RECIPES, kernel_path, make_problem

import cuda_tile
from cuda_tile.api import translate
from cuda_tile.pipeline import NAMES as PASSES

pytestmark = pytest.mark.sampled(3)

ROOT = Path(__file__).resolve().parent.parent.parent


def check(module: Any, name: str) -> None:
    """The interpreter gets the right result from a module."""
    problem = make_problem(name, RECIPES[name].sizes[0], seed=3)
    cuda_tile.run(module, grid=problem.grid, args=problem.args)
    comparison = problem.compare()
    assert comparison.is_within, comparison


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("last", TILE_LEVELS)
def test_text_after_each_pass_runs(name: str, last: str) -> None:
    lowered = cuda_tile.lower(load(name, VERSIONS[1]), "sm_90", until=last)
    text = str(lowered)
    again = cuda_tile.load(text.encode())
    assert again.operation.verify()
    assert str(again) == text
    check(again, name)


@pytest.mark.parametrize("name", NAMES)
def test_text_of_level_p_parses(name: str) -> None:
    text = str(translate(load(name, VERSIONS[1]), "nvvm", "sm_80"))
    assert "gpu.module" in text
    assert "cuda_tile" not in text
    cuda_tile.load(text.encode())


@pytest.mark.parametrize("last", ["place", "stage", "barriers"])
@pytest.mark.parametrize(
    "name", ["softmax_f32_1024", "matmul_f16_64x64x64", "saxpy_tail_f32"]
)
def test_the_tool_stops_after_a_pass(name: str, last: str) -> None:
    flags = [
        f"cuda-tile-{step.replace('_', '-')}"
        for step in PASSES[: PASSES.index(last) + 1]
    ]
    pipeline = ",".join(flags).replace("tile-plan", "tile-plan{gpu=sm_80}")
    tool = ROOT / ".venv" / "bin" / "cuda-tile-opt"
    command = [tool, kernel_path(name), f"--pass-pipeline=builtin.module({pipeline})"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    check(cuda_tile.load(done.stdout.encode()), name)
