# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the two CPU executors on the real kernels: wall seconds, and rates.

    python bench/emulator_speed.py [--gpu sm_90] [--runs 3] [--kernel NAME] [--exact]

The rate is warp instructions per second for the emulator, operations per second for the
interpreter; both run the demo's problem, best of several runs. With `--exact` the last
column is the emulator's CPU time with exact numbers, as a multiple of that with floats,
of runs that take turns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from real_kernels import RECIPES, kernel_path, make_problem

import cuda_tile
from cuda_tile._mlir import ir


def best_run(
    module: ir.Module, kernel: str, runs: int, **choices: Any
) -> tuple[float, Any]:
    """Wall seconds of the best run, and the executor's report of it."""
    best: tuple[float, Any] = (float("inf"), None)
    run: Callable[..., Any] = cuda_tile.run  # whose type depends on the choices
    for _ in range(runs):
        problem = make_problem(kernel)
        start = time.perf_counter()
        report = run(module, grid=problem.grid, args=problem.args, **choices)
        seconds = time.perf_counter() - start
        if seconds < best[0]:
            best = (seconds, report)
    return best


def exact_ratio(module: ir.Module, kernel: str, runs: int, **choices: Any) -> float:
    """The CPU time of the emulator with exact numbers by that with floats."""
    best = [float("inf"), float("inf")]
    run: Callable[..., Any] = cuda_tile.run
    for _ in range(runs):
        for place, numbers in enumerate(("floats", "exact")):
            problem = make_problem(kernel)
            how, start = choices | {"numbers": numbers}, time.process_time()
            run(module, grid=problem.grid, args=problem.args, on="emulator", **how)
            best[place] = min(best[place], time.process_time() - start)
    return best[1] / best[0]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", default="sm_90", metavar="SM")
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    parser.add_argument("--kernel", action="append", choices=tuple(RECIPES))
    parser.add_argument("--exact", action="store_true", help="compare exact numbers")
    arguments = parser.parse_args()
    kernels: list[str] = arguments.kernel or list(RECIPES)
    print(
        f"{'':30}{'interpreter':>24}{'emulator':>28}\n"
        f"{'kernel':30}{'ms':>10}{'ops/s':>14}{'ms':>12}{'warp insts/s':>16}"
    )
    for kernel in kernels:
        module = cuda_tile.load(kernel_path(kernel))
        compiled = cuda_tile.compile(module, arguments.gpu, cubin=False)
        seconds, report = best_run(module, kernel, arguments.runs)
        row = f"{kernel:30}{seconds * 1e3:>10.1f}{report.steps / seconds:>14,.0f}"
        seconds, report = best_run(
            module, kernel, arguments.runs, on="emulator", compiled=compiled
        )
        speed = report.totals["warps"] / seconds
        row += f"{seconds * 1e3:>12.1f}{speed:>16,.0f}"
        if arguments.exact:
            ratio = exact_ratio(module, kernel, arguments.runs, compiled=compiled)
            row += f"{ratio:>8.2f}"
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
