# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program in cuTile and CuPy: runs kernels of `test/kernels/zoo`, judged by NumPy.

    python -m cuda_tile.cutile [--on=emulator --gpu=sm_90] zoo.py [NAME ...]

Without names all of them; `--every N` takes each N-th.
"""

import argparse
import importlib
import sys
import time
from pathlib import Path

TEST = Path(__file__).resolve().parents[2]
sys.path += [str(TEST / "kernels" / "zoo"), str(TEST / "zoo")]

import cuda.tile as ct  # noqa: E402
import cupy as cp  # noqa: E402
import numpy as np  # noqa: E402
from cuda.tile.compilation import ArrayConstraint, ScalarConstraint  # noqa: E402
from registry import KERNELS, TYPES  # noqa: E402
from zoo_launch import LAUNCHES  # noqa: E402

PASSED = {"i32", "f32", "b1"}
"""What `ct.launch` makes of Python's int, float and bool."""

for file in sorted((TEST / "zoo").glob("zoo_*.py")):
    importlib.import_module(file.stem)
    if file.stem != "zoo_launch":
        importlib.import_module(file.stem.removeprefix("zoo_"))


def can_launch(name):
    """Whether the scalars of a kernel are those that `ct.launch` passes."""
    types = {TYPES[kind] for kind in PASSED}
    _, parameters = KERNELS[name]
    scalars = [each for each in parameters if isinstance(each, ScalarConstraint)]
    return all(scalar.dtype in types for scalar in scalars)


def run(name):
    """Launches one kernel; what is wrong with its results."""
    kernel, parameters = KERNELS[name]
    launch = LAUNCHES[name]()
    given = iter(launch.args)
    args = []
    for parameter in parameters:
        if isinstance(parameter, ArrayConstraint):
            args.append(cp.asarray(next(given)))
        elif isinstance(parameter, ScalarConstraint):
            args.append(np.asarray(next(given)).item())
        else:
            args.append(parameter)
    ct.launch(cp.cuda.get_current_stream(), launch.grid, kernel, tuple(args))
    arrays = iter([arg for arg in args if isinstance(arg, cp.ndarray)])
    launch.args = [
        cp.asnumpy(next(arrays)) if isinstance(arg, np.ndarray) else arg
        for arg in launch.args
    ]
    return launch.complaints()


def main():
    """Launches what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep-going", action="store_true")
    words = parser.parse_args()
    names = words.names or list(filter(can_launch, sorted(LAUNCHES)))[:: words.every]
    wrong = 0
    start = time.perf_counter()
    for name in names:
        try:
            complaints = run(name)
        except Exception as error:
            if not words.keep_going:
                raise
            complaints = [f"{type(error).__name__}: {error}"]
        wrong += bool(complaints)
        for complaint in complaints:
            print(f"{name}: {complaint}")
    seconds = time.perf_counter() - start
    print(f"{len(names)} kernels, {wrong} wrong, {seconds:.0f} s")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
