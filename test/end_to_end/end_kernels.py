# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of `examples/real_kernels.py`, loaded and compiled once per process."""

from __future__ import annotations

from functools import cache
from typing import Any

from real_kernels import RECIPES, VERSIONS, Problem, kernel_path

import cuda_tile
from cuda_tile import Compiled
from cuda_tile.running import Executor

__all__ = ["NAMES", "VERSIONS", "load", "ptx_of", "run"]

NAMES = tuple(RECIPES)


@cache
def load(name: str, version: str) -> Any:
    """A kernel file as a module; nobody changes it."""
    return cuda_tile.load(kernel_path(name, version))


@cache
def ptx_of(name: str, version: Executor, gpu: str) -> Compiled:
    """A kernel as PTX, without a cubin."""
    return cuda_tile.compile(load(name, version), gpu, cubin=False)


def run(
    problem: Problem, version: str, on: Executor, gpu: str = "", **choices: Any
) -> Any:
    """Runs a problem's kernel on one executor and gives its report."""
    module = load(problem.kernel, version)
    if on == "emulator":
        choices["compiled"] = ptx_of(problem.kernel, version, gpu)
    return cuda_tile.run(module, grid=problem.grid, args=problem.args, on=on, **choices)
