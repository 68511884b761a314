# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's PTX of the table's kernels with exact numbers, against our Tile IR.

    python bench/triton_exact.py [WORDS] [--gpu sm_80,sm_90,sm_100,sm_120]

For each kernel of table_cases.py that table_triton.py has in Triton: whether the
interpreter, which runs our Tile IR, and the emulator, which runs Triton's PTX, leave
the same bits in the same arrays, given the same numbers. Where they differ, Triton's
compiler or its kernel uses a law that exact numbers lack (docs/exact.md), or is wrong:
the law is found in our Tile IR and in Triton's PTX, or the line says `no reason`, and
the command ends with 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from table_cases import CASES, GPUS, Case, Run
from table_triton import NO_FORM, Problem, kernel_of

import cuda_tile
from cuda_tile import exact
from cuda_tile.errors import CudaTileError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

REASONS = (
    (
        r"= (sin|cos|tan|tanh|sinh|cosh|log|pow)\b",
        r"",
        "functions of libdevice are linked",
    ),
    (
        r"tf32",
        r"mma\.(?!.*cvt\.rna\.tf32)",
        "operands are cut off to tf32, which Tile IR rounds",
    ),
)
"""What our Tile IR and Triton's PTX have, and the law that this needs."""


def entered(case: Case) -> Run:
    """A launch whose arrays have elements of the ring already, as maps of them want."""
    run = case.make()
    return Run(run.grid, exact.enter(run.values), run.wanted)


def by_interpreter(case: Case) -> list[bytes]:
    """What our Tile IR leaves in the arrays that are results."""
    run, module = entered(case), cuda_tile.load(case.path)
    types = parameter_types(find_entry(module.operation, case.entry))
    args = spread_args(case.entry, types, run.values)
    cuda_tile.run(module, case.entry, grid=run.grid, args=args, numbers="exact")
    return [np.asarray(run.values[place]).tobytes() for place in run.wanted]


def by_triton(case: Case, gpu: str) -> tuple[list[bytes], str] | None:
    """What Triton's PTX leaves there, and the PTX; None where Triton makes none."""
    run = entered(case)
    if case.name in NO_FORM or (found := kernel_of(case, run, gpu)) is None:
        return None
    made, grid, args = found
    problem = Problem(exact.enter(args), grid, [])
    made.kernel.start(problem, "fast", collect=True, numbers="exact")
    left = [np.asarray(run.values[place]).tobytes() for place in run.wanted]
    return left, made.kernel.text


def reason(case: Case, ptx: str) -> str:
    """The law that a kernel needs and that exact numbers lack."""
    text = str(cuda_tile.load(case.path))
    found = (
        why
        for ours, theirs, why in REASONS
        if re.search(ours, text) and re.search(theirs, ptx, re.S)
    )
    return next(found, "no reason")


def judge(case: Case, gpu: str, expected: list[bytes]) -> str:
    """`equal`, `none` where there is nothing to compare, or what differs."""
    try:
        found = by_triton(case, gpu)
    except CudaTileError as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    if found is None:
        return "none"
    got, ptx = found
    if got == expected:
        return "equal"
    pairs = (
        map(np.frombuffer, two, ("u1", "u1")) for two in zip(expected, got, strict=True)
    )
    shares = (f"{np.mean(one != other):.1%}" for one, other in pairs)
    return f"other bits: {', '.join(shares)} of the bytes ({reason(case, ptx)})"


def main() -> int:
    """Prints a line for each kernel and chip, and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names of kernels")
    parser.add_argument("--gpu", default=",".join(GPUS))
    options = parser.parse_args()
    counts = Counter[str]()
    for name, case in CASES.items():
        if options.words and not any(word in name for word in options.words):
            continue
        expected: Any = by_interpreter(case)
        for gpu in options.gpu.split(","):
            said = judge(case, gpu, expected)
            kind = "listed" if "bits" in said and "no reason" not in said else "without"
            counts[said if said in ("equal", "none") else kind] += 1
            print(f"{name} {gpu}: {said}", flush=True)
    print(
        f"{counts['equal']} equal, {counts['listed']} listed, {counts['without']} "
        f"without a reason; Triton has none of {counts['none']}"
    )
    return min(counts["without"], 1)


if __name__ == "__main__":
    sys.exit(main())
