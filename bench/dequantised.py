# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by weights that the loop dequantises, beside Triton's.

    python bench/dequantised.py [--gpu sm_90 ...] [--only TEXT] [--triton]
        [--tiles 1,1] [--iterations 8]

Weights of i8, two i4 to a byte, and f8, with a scale and perhaps a zero point for each
column of each group of K or of all of it. With `--triton` the PTX that Triton makes of
the same product runs on the emulator too (test/ptx/triton/make_dequantised.py), with 4
and with 8 warps: with 4 ptxas spills some, with 8 they read more shared memory. The
columns are those of products.py, and

- instr: machine instructions of one warp in an iteration (of ours alone)
- PTX: instructions of PTX of one warp in an iteration, of both
- LDG: of these, loads from global memory to registers, which an iteration waits for
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import cuda_tile
from cuda_tile.emulator import Report
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))

from dequantised_kernels import PACKED, Dequantised
from narrow import compiled_cells
from products import NAME_WIDTH, counted
from products import WIDTHS as PRODUCT_WIDTHS
from rows import Cells, Row, show
from triton_kernels import Described, Problem
from triton_specs import compile_specs, triton_kernel

COLUMNS = (
    *("regs", "spill", "instr", "PTX", "LDG", "LDSM", "BAR", "KB"),
    *("clocks", "limiter", "tensor", "issue", "shared", "L2", "atom", "warn"),
)
WIDTHS = {head: PRODUCT_WIDTHS.get(head, 7) for head in COLUMNS} | {"atom": 17}
F8 = "f8E4M3FN"
KERNELS = (
    Dequantised("i8", has_zero=False, group=0),
    Dequantised("i8", has_zero=False),
    Dequantised("i8"),
    Dequantised(PACKED),
    Dequantised("i8", "bf16"),
    Dequantised(PACKED, "bf16"),
    Dequantised(F8, has_zero=False, has_scale=False),
    Dequantised(F8),
)
WARPS = (4, 8)
"""With how many Triton compiles."""
CHIPS = ("sm_80", "sm_90", "sm_120")


def ours(kernel: Dequantised, gpu: str, tiles: tuple[int, int], iterations: int) -> Row:
    """Compiles and runs our product."""
    compiled, cells = compiled_cells(kernel.text(), gpu)
    (resources,) = compiled.report.kernels
    grid, args, expected = kernel.problem(tiles, iterations)
    report = cuda_tile.run(
        cuda_tile.load(kernel.text().encode()),
        grid=grid,
        args=args,
        on="emulator",
        gpu=gpu,
        compiled=compiled,
        bounds=find_target(gpu),
        registers=resources.registers,
    )
    cells |= {
        "regs": str(resources.registers),
        "spill": str(resources.spill_bytes),
        "warn": str(len(compiled.report.warnings)),
    }
    cells |= counted(report, tiles) | in_iteration(report, tiles)
    if not np.array_equal(args[4], expected):
        cells["limiter"] = "WRONG RESULT"
    return Row(kernel.name, gpu, "ours", cells)


def in_iteration(report: Report, tiles: tuple[int, int]) -> Cells:
    """Instructions of one warp in an iteration of the loop, and those that load."""
    assert report.bounds is not None, "bounds were asked for"
    loop = report.bounds.hottest()
    inside = [
        line
        for line in report.by_instruction()
        if any(first <= int(line["line"]) <= last for first, last in loop.lines)
    ]
    warps = loop.iterations * loop.warps * tiles[0] * tiles[1]
    loads = [line for line in inside if str(line["mnemonic"]).startswith("ld.global")]
    return {
        "PTX": f"{sum(int(line['warps']) for line in inside) / warps:.0f}",
        "LDG": f"{sum(int(line['warps']) for line in loads) / warps:.2g}",
    }


def spec_of(kernel: Dequantised, gpu: str, warps: int) -> str:
    """How make_dequantised.py is told."""
    tile = "x".join(map(str, kernel.tile))
    factors = "z" * kernel.has_zero + "s" * kernel.has_scale or "-"
    chip = gpu.removeprefix("sm_")
    types, stages = f"{kernel.stored}:{kernel.operand}", 4 if chip == "90" else 3
    return f"{types}:{tile}:{factors}:{kernel.group}:{chip}:{warps}:{stages}"


def triton(
    kernel: Dequantised, gpu: str, warps: int, tiles: tuple[int, int], iterations: int
) -> Row:
    """Runs Triton's PTX; its machine code is only asked for its registers."""
    who = f"Triton {warps}"
    made = triton_kernel("make_dequantised.py", spec_of(kernel, gpu, warps))
    if made is None:
        return Row(kernel.name, gpu, who, {"limiter": "no kernel"})
    _, (a, w, scales, zeros, c, m, n, k, _), expected = kernel.problem(
        tiles, iterations
    )
    args = [a, w, scales, zeros, c, m, n, k]
    if made.kernel.meta["descriptors"]:
        args = [Described(a), Described(w), scales, zeros, Described(c), m, n, k]
    report = made.kernel.start(
        Problem(args, tiles, []),
        "fast",
        bounds=find_target(gpu),
        registers=made.registers,
    )
    cells = {
        "regs": str(made.registers),
        "spill": str(made.spill_bytes),
        "warn": str(made.warnings),
    }
    cells |= counted(report, tiles) | in_iteration(report, tiles)
    if not np.array_equal(c, expected):
        cells["limiter"] = "WRONG RESULT"
    return Row(kernel.name, gpu, who, cells)


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="only these chips")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--tiles", default="1,1", metavar="M,N", help="tiles to run")
    parser.add_argument(
        "--iterations", type=int, default=8, help="iterations of the loop"
    )
    words = parser.parse_args()
    tiles_m, tiles_n = map(int, words.tiles.split(","))
    size = (tiles_m, tiles_n), words.iterations
    cases = [
        (kernel, gpu)
        for gpu in words.gpu or CHIPS
        for kernel in KERNELS
        if words.only in kernel.name
    ]
    if words.triton:
        specs = [spec_of(*case, warps) for case in cases for warps in WARPS]
        compile_specs("make_dequantised.py", specs)
    rows: list[Row] = []
    for case in cases:
        rows.append(ours(*case, *size))
        if words.triton:
            rows += [triton(*case, warps, *size) for warps in WARPS]
    show(rows, WIDTHS, NAME_WIDTH + 8)
    return 0


if __name__ == "__main__":
    sys.exit(main())
