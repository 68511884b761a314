# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of narrow types beside their goals: machine code, rings, bounds.

    python bench/narrow.py [--gpu sm_90 ...] [--only TEXT] [--triton] [--tiles 1,1]
        [--iterations 8] [--judge N]

8-bit floats with and without promotion of partial sums, 8-bit integers, tf32, and
operands that are converted in the loop, each with B along K (`B^T`) and across it;
weights with scales and zero points are in dequantised.py. The columns are those of
products.py, and

- MMA, FADD: matrix instructions, and additions of f32, of one warp in an iteration of
  the inner loop (nvdisasm of our cubins; install the extra `bench`)
- atom: what `plan` chose
- worst, mean: of promoted sums of 8-bit floats, stored as f32, the largest and the mean
  error against f64, over those of sums in f32 of products of 128 along K that are each
  rounded once to f16
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import cuda_tile
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import judges
from loop_mix import loop_mix
from product_kernels import Product
from products import NAME_WIDTH, Case, ours
from products import WIDTHS as PRODUCT_WIDTHS
from products import measured as lines
from rows import Cells, Row, show

COLUMNS = (
    *("regs", "spill", "instr", "MMA", "FADD", "LDSM", "BAR", "slots", "KB"),
    *("clocks", "limiter", "tensor", "issue", "shared", "L2", "steady", "limits"),
    *("atom", "warn", "worst", "mean", *judges.COLUMNS),
)
WIDTHS = {head: PRODUCT_WIDTHS.get(head, 7) for head in COLUMNS} | {"atom": 17}

F8, I8, TF32 = "f8E4M3FN", "i8", "tf32"
_CLEAN = {"spill": "0", "warn": "0"}
_EXACT = {"worst": "<=1", "mean": "<=1"}
PART = 128
"""Elements along K of a partial sum."""


def _f8(m: int, n: int, parts: int) -> Case:
    product = Product(F8, "f16", (m, n, 128), is_transposed=True)
    goal = {"MMA": str(4 * parts), "FADD": str(64 * parts)}
    return Case(product, "sm_90", {**_CLEAN, **goal, **_EXACT}, warps=4 * parts)


def _by_warps(gpu: str, product: Product) -> Case:
    """8-bit floats are promoted: 64 additions for 64 instructions of a warp."""
    if product.operand != F8:
        return _case(gpu, product)
    count = str(64 * product.tile[0] * product.tile[1] // (128 * 128))
    return _case(gpu, product, MMA=count, FADD=count)


def _case(gpu: str, product: Product, **goal: str) -> Case:
    return Case(product, gpu, {**_CLEAN, **goal} if goal else {})


_TRANSPOSED_I8 = Product(I8, "i32", (128, 128, 128), is_transposed=True)
_TRANSPOSED_F8 = Product(F8, "f16", (128, 128, 128), is_transposed=True)
_WIDE_F8 = tuple(
    replace(_TRANSPOSED_F8, tile=tile) for tile in ((128, 256, 128), (256, 128, 128))
)
_TRANSPOSED_TF32 = Product(TF32, "f32", (128, 128, 32), is_transposed=True)
CASES = (
    _f8(128, 128, 1),
    _f8(128, 256, 2),
    _f8(256, 128, 2),
    _case("sm_90", replace(_TRANSPOSED_F8, is_fast=True), FADD="0"),
    *(
        Case(
            replace(_TRANSPOSED_F8, tile=(m, n, 128), is_transposed=False),
            "sm_90",
            goal,
        )
        for m, n, goal in (
            (128, 128, {**_CLEAN, "MMA": "4", "FADD": "64", "clocks": "<=728"}),
            (128, 256, {**_CLEAN, "MMA": "8", "FADD": "128", "clocks": "<=1152"}),
            (256, 128, {**_CLEAN, "MMA": "8", "FADD": "128", "clocks": "<=1092"}),
        )
    ),
    _case("sm_90", replace(_TRANSPOSED_F8, is_lifted=True), clocks="<=728"),
    _case("sm_90", replace(_TRANSPOSED_F8, is_lifted=True, is_transposed=False)),
    _case("sm_90", _TRANSPOSED_I8, FADD="0"),
    _case("sm_90", replace(_TRANSPOSED_I8, is_transposed=False), clocks="<=728"),
    _case("sm_90", replace(_TRANSPOSED_I8, is_lifted=True), clocks="<=728"),
    _case("sm_90", _TRANSPOSED_TF32, FADD="0"),
    _case("sm_90", replace(_TRANSPOSED_TF32, is_transposed=False)),
    _case("sm_90", replace(_TRANSPOSED_TF32, stored=("f32", "f32"))),
    _case("sm_90", Product("f16", "f16", (128, 128, 64), stored=("", F8))),
    _case(
        "sm_90",
        Product("f16", "f16", (128, 128, 64), stored=("", F8), is_transposed=True),
    ),
    _case("sm_90", Product("f16", "f16", (128, 128, 64), stored=("", I8))),
    *(
        _by_warps(gpu, replace(product, is_transposed=is_transposed))
        for gpu in ("sm_80", "sm_89", "sm_120")
        for product in (_TRANSPOSED_I8, _TRANSPOSED_F8, *_WIDE_F8, _TRANSPOSED_TF32)
        for is_transposed in (True, False)
        if gpu != "sm_80" or product.operand != F8
    ),
)
"""What is compared."""


def measured(
    case: Case, tiles: tuple[int, int], iterations: int, orders: int = 0
) -> Row:
    """The columns of products.py, and those of this table."""
    row = ours(case, tiles, iterations, orders)
    cells = row.cells | counted(case)
    if case.product.operand == F8 and int(cells.get("FADD", "0")):
        cells |= errors(case, iterations)
    return replace(row, cells=cells)


def errors(case: Case, iterations: int) -> Cells:
    """How exact promoted sums are, beside sums of products that are f16."""
    product = replace(case.product, result="f32")
    module = cuda_tile.load(product.text().encode())
    grid, values = product.launch((1, 1), iterations)
    types = parameter_types(find_entry(module.operation, None))
    args = spread_args("kernel", types, values)
    cuda_tile.run(module, grid=grid, args=args, on="emulator", gpu=case.gpu)
    a, b, c = (np.asarray(value, np.float64) for value in values)
    a, b = a.T if product.is_lifted else a, b.T if product.is_transposed else b
    rough = np.zeros(c.shape, np.float32)
    for first in range(0, a.shape[1], PART):
        part = a[:, first : first + PART] @ b[first : first + PART]
        rough += part.astype(np.float16).astype(np.float32)
    found, other = (np.abs(each - a @ b) for each in (c, rough))
    return {
        "worst": f"{found.max() / other.max():.2f}",
        "mean": f"{found.mean() / other.mean():.2f}",
    }


def counted(case: Case) -> Cells:
    """What the plan chose, and what machine code the loop has of it."""
    return compiled_cells(case.product.text(), case.gpu)[1]


def compiled_cells(text: str, gpu: str) -> tuple[cuda_tile.Compiled, Cells]:
    """A kernel, and the cells that need no run."""
    plans: list[str] = []

    def look(module: object) -> None:
        plans.extend(re.findall(r'atom = "(\w+)"', str(module)))

    module = cuda_tile.load(text.encode())
    compiled = cuda_tile.compile(module, gpu, after={"plan": look})
    mix = loop_mix(compiled.cubin)
    cells = {"atom": plans[0]}
    if mix is not None:
        cells |= {"MMA": str(mix.products), "FADD": str(mix.of("FADD"))}
        cells |= {"instr": str(mix.instructions)}
    return compiled, cells


def main() -> int:
    """Prints the table; 1 if a goal is not met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="only these chips")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--tiles", default="1,1", metavar="M,N", help="tiles to run")
    parser.add_argument(
        "--iterations", type=int, default=8, help="iterations of the loop"
    )
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="N orders")
    words = parser.parse_args()
    tiles_m, tiles_n = map(int, words.tiles.split(","))
    size = (tiles_m, tiles_n), words.iterations
    cases = [
        case
        for case in CASES
        if words.only in case.product.name and case.gpu in (words.gpu or [case.gpu])
    ]

    def row_of(case: Case) -> Row:
        return measured(case, *size, words.judge)

    rows = lines(cases, size, row_of, triton_too=words.triton, orders=words.judge)
    return int(show(rows, WIDTHS, NAME_WIDTH + 8) > 0)


if __name__ == "__main__":
    sys.exit(main())
