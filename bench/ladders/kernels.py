# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bound and model of every kernel of test/kernels/13.4 on every chip with constants.

    .venv/bin/python bench/ladders/kernels.py [--gpu sm_90] [--only softmax]

Fails where a bound exceeds the likely clocks by the terms of the model alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cuda_tile
from cuda_tile.errors import CudaTileError
from cuda_tile.ir.walk import entries
from cuda_tile.pictures.inputs import generate_inputs
from cuda_tile.timing.model import Time

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "test" / "kernels" / "13.4"
CHIPS = ("sm_80", "sm_90", "sm_100", "sm_120")


def timed(path: Path, gpu: str) -> Time:
    """The time of a kernel with inputs that are made up.

    Raises:
        CudaTileError: None could be made up, or the kernel fails with them.
    """
    module = cuda_tile.load(path)
    (entry,) = entries(module.operation)
    inputs = generate_inputs(entry)
    compiled = cuda_tile.compile(module, gpu)
    return cuda_tile.time_of(compiled, grid=inputs.grid, args=inputs.args)


def main() -> int:
    """Prints a line for each kernel and chip; 1 if a bound is none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="append", choices=CHIPS, help="only this chip")
    parser.add_argument("--only", default="", metavar="TEXT", help="part of the name")
    words = parser.parse_args()
    above = count = 0
    found = sorted(FOLDER.glob("*.tileirbc"))
    for path in (path for path in found if words.only in path.stem):
        for gpu in words.gpu or CHIPS:
            try:
                time = timed(path, gpu)
            except CudaTileError as problem:
                print(f"{path.stem} {gpu}: {problem.message[:100]}")
                continue
            count += 1
            is_above = time.bound > time.terms
            above += is_above
            print(
                f"{path.stem:42} {gpu:7} bound {time.bound:8.0f} model {time.low:8.0f} "
                f"{time.likely:8.0f} {time.high:8.0f} clocks  {time.limiter}"
                + " BOUND ABOVE MODEL"
                * is_above,
                flush=True,
            )
    print(f"{count} times, {above} with a bound above the model")
    return int(above > 0)


if __name__ == "__main__":
    sys.exit(main())
