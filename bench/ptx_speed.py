# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures speed and peak memory of the emulator on whole PTX programs.

    python bench/ptx_speed.py [--runs 5] [--program NAME ...]

The GEMMs of `test/ptx`: with mma.sync one CTA of 128 x 128 x 64 and a whole product,
and those of the list `ptx_programs`. Time is CPU time of the launch, parsing included,
best of several runs; speed is PTX instructions times lanes per second. Peak memory is
what NumPy and Python allocate during one launch, inputs aside.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))

import numpy as np
from ptx_gemm import Gemm
from ptx_programs import PROGRAMS, Problem, Program

from cuda_tile.emulator import Report, launch
from cuda_tile.emulator.launch import Mode

TILE = Gemm(tile_m=128, tile_n=128, warps_m=2, warps_n=4)
_WARP_LANES = 32
_MODES: tuple[Mode, ...] = ("fast", "adversarial")


def _problem(extent: int, depth: int) -> Callable[[np.random.Generator], Problem]:
    """A product with square output and the given K."""

    def make(rng: np.random.Generator) -> Problem:
        a, b = (
            rng.integers(-4, 5, shape).astype(np.float16)
            for shape in ((extent, depth), (depth, extent))
        )
        c = np.zeros((extent, extent), np.float32)
        wanted = a.astype(np.float32) @ b.astype(np.float32)
        return Problem([a, b, c, extent, depth], c, wanted)

    return make


CANDIDATES = {
    "one CTA of 128x128x64": Program(
        "", TILE.text(), "sm_80", (1,), (TILE.threads,), _problem(128, 64)
    ),
    "512x512x512": Program(
        "", TILE.text(), "sm_80", (4, 4), (TILE.threads,), _problem(512, 512)
    ),
    **{name: program for name, program in PROGRAMS.items() if "gemm" in name},
}


def launcher(program: Program, mode: Mode) -> Callable[[], Report]:
    """Makes a problem; returns a function that launches the program on it."""
    problem = program.make(np.random.default_rng(0))
    return lambda: launch(
        program.text,
        grid=program.grid,
        block=program.block,
        cluster=program.cluster,
        shared_bytes=program.shared_bytes,
        args=problem.args,
        mode=mode,
    )


def best_seconds(program: Program, mode: Mode, runs: int) -> tuple[float, Report]:
    """CPU seconds of the best launch, and its report."""
    runs_done: list[tuple[float, Report]] = []
    for _ in range(runs):
        run = launcher(program, mode)
        start = time.process_time()
        report = run()
        runs_done.append((time.process_time() - start, report))
    return min(runs_done, key=lambda done: done[0])


def peak_bytes(program: Program, mode: Mode) -> int:
    """The most memory that one launch allocates."""
    run = launcher(program, mode)
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    parser.add_argument("--program", action="append", choices=tuple(CANDIDATES))
    options = parser.parse_args()
    names: list[str] = options.program or list(CANDIDATES)
    heads = f"{'ms':>10}{'insts x lanes/s':>18}{'peak MB':>10}"
    print(f"{'program':24}{'mode':14}{heads}")
    for name in names:
        for mode in _MODES:
            seconds, report = best_seconds(CANDIDATES[name], mode, options.runs)
            speed = report.totals["warps"] * _WARP_LANES / seconds
            peak = peak_bytes(CANDIDATES[name], mode) / 2**20
            row = f"{seconds * 1e3:>10.1f}{speed:>18,.0f}{peak:>10.1f}"
            print(f"{name:24}{mode:14}{row}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
