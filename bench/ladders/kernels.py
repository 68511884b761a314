# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bound and model of every kernel of docs/table.md on every chip with constants.

    .venv/bin/python bench/ladders/kernels.py [--gpu sm_90] [--only softmax]

Fails where a bound exceeds the likely clocks by the terms of the model alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "examples")]

from table_cases import CASES, GPUS, Case  # noqa: E402 - found by its folder

import cuda_tile  # noqa: E402
from cuda_tile.errors import CudaTileError  # noqa: E402
from cuda_tile.timing.model import Time  # noqa: E402


def timed(case: Case, gpu: str) -> Time:
    """The time of a kernel, by the launch of the table.

    Raises:
        CudaTileError: The chip does not have it, or it fails.
    """
    compiled = cuda_tile.compile(cuda_tile.load(case.path), gpu)
    run = case.make()
    return cuda_tile.time_of(
        compiled, grid=run.grid, args=run.values, kernel=case.entry
    )


def main() -> int:
    """Prints a line for each kernel and chip; 1 if a bound is none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="append", choices=GPUS, help="only this chip")
    parser.add_argument("--only", default="", metavar="TEXT", help="part of the name")
    words = parser.parse_args()
    above = count = 0
    for case in (case for case in CASES.values() if words.only in case.name):
        for gpu in words.gpu or GPUS:
            try:
                time = timed(case, gpu)
            except CudaTileError as problem:
                print(f"{case.name} {gpu}: {problem.message[:100]}")
                continue
            count += 1
            is_above = time.bound > time.terms
            above += is_above
            print(
                f"{case.name:42} {gpu:7} bound {time.bound:8.0f} model {time.low:8.0f} "
                f"{time.likely:8.0f} {time.high:8.0f} clocks  {time.limiter}"
                + " BOUND ABOVE MODEL"
                * is_above,
                flush=True,
            )
    print(f"{count} times, {above} with a bound above the model")
    return int(above > 0)


if __name__ == "__main__":
    sys.exit(main())
