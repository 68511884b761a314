# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a hand-written kernel on interpreter and emulator: all results must agree.

The interpreter runs the original program and the output of each pass; the emulator
runs the PTX in adversarial mode and reports every race.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lowered_levels import lowered_levels

import cuda_tile
from cuda_tile.options import Options


def results(module: Any, args: Sequence[Any], **choices: Any) -> list[Any]:
    """The arguments after a run of the module's kernel on copies of them."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    cuda_tile.run(module, grid=choices.pop("grid", (1,)), args=copies, **choices)
    return copies


def agree(
    text: str,
    args: Sequence[Any],
    *,
    gpu: str = "sm_80",
    num_warps: int | None = None,
    seeds: Sequence[int] = (0, 1),
    grid: Sequence[int] = (1,),
) -> list[Any]:
    """Checks that all judges agree; gives the arguments after the run.

    Args:
        text: A module with one kernel.
        args: Its arguments; arrays are copied for each run.
        gpu: The target.
        num_warps: Warps per CTA, or None to let the compiler choose.
        seeds: Orders of threads that the emulator tries.
        grid: Tile blocks.
    """
    module = cuda_tile.load(text.encode())
    options = Options(num_warps=num_warps)
    expected = results(module, args, on="interp", grid=grid)
    for last, lowered in lowered_levels(module, gpu, options=options):
        same(expected, results(lowered, args, on="interp", grid=grid), last)
    compiled = cuda_tile.compile(module, gpu, options=options, cubin=False)
    for seed in seeds:
        choices: dict[str, Any] = {"compiled": compiled, "gpu": gpu, "grid": grid}
        choices["mode"] = "adversarial"
        got = results(module, args, on="emulator", seed=seed, **choices)
        same(expected, got, f"emulator, seed {seed}")
    return expected


def same(expected: Sequence[Any], got: Sequence[Any], where: str) -> None:
    """Fails unless two runs left the same bits behind."""
    for number, (mine, theirs) in enumerate(zip(expected, got, strict=True)):
        assert np.array_equal(mine, theirs, equal_nan=False), (
            f"{where}: argument {number}: expected {mine}, got {theirs}"
        )
