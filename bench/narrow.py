# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of narrow types beside their goals: machine code, rings, bounds.

    python bench/narrow.py [--gpu sm_90 ...] [--only TEXT] [--tiles 1,1] [--turns 8]

8-bit floats with and without promotion of partial sums, 8-bit integers, tf32, and
operands that are converted in the loop, each with B along K (`B^T`) and across it;
weights with scales and zero points are in dequantised.py. The columns are those of
products.py, and

- MMA, FADD: matrix instructions, and additions of f32, of one warp in a turn of the
  inner loop (nvdisasm of our cubins; install the extra `bench`)
- atom: what `plan` chose
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

import cuda_tile

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from loop_mix import loop_mix
from product_kernels import Product
from products import NAME_WIDTH, Case, ours
from products import WIDTHS as PRODUCT_WIDTHS
from rows import Cells, Row, show

COLUMNS = (
    *("regs", "spill", "instr", "MMA", "FADD", "LDSM", "BAR", "slots", "KB"),
    *("clocks", "limiter", "tensor", "issue", "shared", "L2", "atom", "warn"),
)
WIDTHS = {head: PRODUCT_WIDTHS.get(head, 7) for head in COLUMNS} | {"atom": 17}

F8, I8, TF32 = "f8E4M3FN", "i8", "tf32"
_CLEAN = {"spill": "0", "warn": "0"}


def _f8(m: int, n: int, parts: int) -> Case:
    product = Product(F8, "f16", (m, n, 128), is_turned=True)
    goal = {**_CLEAN, "MMA": str(4 * parts), "FADD": str(64 * parts)}
    return Case(product, "sm_90", goal)


def _by_warps(gpu: str, product: Product) -> Case:
    """8-bit floats are promoted: 64 additions for 64 instructions of a warp."""
    return _case(gpu, product, **{"FADD": "64"} if product.operand == F8 else {})


def _case(gpu: str, product: Product, **goal: str) -> Case:
    return Case(product, gpu, {**_CLEAN, **goal} if goal else {})


_TURNED_I8 = Product(I8, "i32", (128, 128, 128), is_turned=True)
_TURNED_F8 = Product(F8, "f16", (128, 128, 128), is_turned=True)
_TURNED_TF32 = Product(TF32, "f32", (128, 128, 32), is_turned=True)
CASES = (
    _f8(128, 128, 1),
    _f8(128, 256, 2),
    _f8(256, 128, 2),
    _case("sm_90", replace(_TURNED_F8, is_fast=True), FADD="0"),
    *(
        Case(replace(_TURNED_F8, tile=(m, n, 128), is_turned=False), "sm_90", goal)
        for m, n, goal in (
            (128, 128, {**_CLEAN, "MMA": "4", "FADD": "64", "clocks": "728"}),
            (128, 256, {**_CLEAN, "MMA": "8", "FADD": "128", "clocks": "1152"}),
            (256, 128, {**_CLEAN, "MMA": "8", "FADD": "128", "clocks": "1092"}),
        )
    ),
    _case("sm_90", replace(_TURNED_F8, is_lifted=True), clocks="728"),
    _case("sm_90", replace(_TURNED_F8, is_lifted=True, is_turned=False)),
    _case("sm_90", _TURNED_I8, FADD="0"),
    _case("sm_90", replace(_TURNED_I8, is_turned=False), clocks="728"),
    _case("sm_90", replace(_TURNED_I8, is_lifted=True), clocks="728"),
    _case("sm_90", _TURNED_TF32, FADD="0"),
    _case("sm_90", replace(_TURNED_TF32, is_turned=False)),
    _case("sm_90", replace(_TURNED_TF32, stored=("f32", "f32"))),
    _case("sm_90", Product("f16", "f16", (128, 128, 64), stored=("", F8))),
    _case(
        "sm_90", Product("f16", "f16", (128, 128, 64), stored=("", F8), is_turned=True)
    ),
    _case("sm_90", Product("f16", "f16", (128, 128, 64), stored=("", I8))),
    *(
        _by_warps(gpu, replace(product, is_turned=is_turned))
        for gpu in ("sm_80", "sm_89", "sm_120")
        for product in (_TURNED_I8, _TURNED_F8, _TURNED_TF32)
        for is_turned in (True, False)
        if gpu != "sm_80" or product.operand != F8
    ),
)
"""What is compared."""


def measured(case: Case, tiles: tuple[int, int], turns: int) -> Row:
    """The columns of products.py, and those of this table."""
    row = ours(case, tiles, turns)
    return replace(row, cells=row.cells | counted(case))


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
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="only these chips")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--tiles", default="1,1", metavar="M,N", help="tiles to run")
    parser.add_argument("--turns", type=int, default=8, help="turns of the loop")
    words = parser.parse_args()
    tiles_m, tiles_n = map(int, words.tiles.split(","))
    rows: list[Row] = []
    for case in CASES:
        name, gpu = case.product.name, case.gpu
        if words.only in name and gpu in (words.gpu or [gpu]):
            rows.append(measured(case, (tiles_m, tiles_n), words.turns))
            if case.goal:
                rows.append(Row(name, gpu, "goal", case.goal))
    show(rows, WIDTHS, NAME_WIDTH + 8)
    return 0


if __name__ == "__main__":
    sys.exit(main())
