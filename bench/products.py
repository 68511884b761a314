# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products beside their goals and beside Triton's: machine code, rings, bounds.

    python bench/products.py [--gpu sm_80 ...] [--only TEXT] [--all] [--triton]
        [--tiles 2,2] [--iterations 32] [--judge N] [--json FILE]

For each product and chip a line for ours, one for the goal, which says whether it is
met, and with `--triton` one for the PTX that Triton makes of the same product
(tools/oracle/triton_ptx.py installs it). All run on the emulator. Columns:

- regs, spill: of ptxas, the latter in bytes per thread
- instr, /MMA: instructions of one warp in an iteration of the inner loop, and over its
  matrix instructions (nvdisasm of our cubins only; install the extra `bench`)
- LDSM: ldmatrix over products, in the PTX of the loop; BAR: barriers of a warp per
  iteration
- slots: stages of the rings at level W; KB: most bytes in flight per CTA, all stages
  where a role of its own fills them (goals leave out the one that is read)
- clocks, limiter and shares of the loop's bound, per iteration (docs/bounds.md), DRAM
  left out: the few tiles that run here share operands less than those of a whole GPU.
  Copies ahead of the loop are not the loop's: who starts more of them there shows less
  L2
- whole: clocks of the bound of a whole CTA, over the iterations of its loop
- steady, limits: clocks of one iteration more, and their limiter: the bound of the
  whole CTA less that of one with half the iterations, over the difference. What comes
  before and after the loop, and which of it a compiler moved there, is not in it
- warn: warnings of ptxas, such as C7510 (products serialised)
- orders, passes: with `--judge N`, in how many of N orders of the emulator, and after
  how many of the passes on the interpreter, results are NumPy's (judges.py)

The exit status is 1 if a goal is not met.

Results are compared with NumPy's; a wrong one is said instead of a limiter.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.emulator import Report
from cuda_tile.emulator.bounds import Bound
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entries, find_entry, nested_ops
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))

import judges
from kernel_args import Array
from loop_mix import loop_mix
from product_kernels import Product
from rows import GOAL, Cells, Row, show, write
from triton_kernels import Described, Problem
from triton_specs import compile_specs, triton_kernel

SHARES = {
    "tensor": "tensor cores",
    "issue": "issue slots",
    "shared": "shared memory",
    "L2": "L2",
    "flight": "bytes in flight",
}
COLUMNS = (
    *("regs", "spill", "instr", "/MMA", "LDSM", "BAR", "slots", "KB"),
    *("clocks", "limiter", *SHARES, "whole", "steady", "limits", "warn"),
    *judges.COLUMNS,
)
WIDTHS = dict.fromkeys(COLUMNS, 7) | {"limiter": 16, "limits": 16}
NAME_WIDTH = 32


@dataclass(frozen=True)
class Case:
    """One product on one chip.

    Attributes:
        product: The product.
        gpu: The chip.
        goal: What the columns should show.
        warps, stages: What Triton is told.
    """

    product: Product
    gpu: str
    goal: Cells
    warps: int = 4
    stages: int = 3


def _f16(m: int, n: int) -> Product:
    return Product("f16", "f16", (m, n, 64))


_ONE_ROLE = {"spill": "0", "slots": "3", "BAR": "1"}
_SMALL = {**_ONE_ROLE, "/MMA": "<=1.9"}
_SYNC = {**_SMALL, "regs": "<=236", "LDSM": "0.25", "KB": "64"}
_WIDE = {**_ONE_ROLE, "regs": "<=225", "/MMA": "<=1.8", "limiter": "tensor cores"}
_ROLES = {"spill": "0", "warn": "0"}
_TENSOR = {**_ROLES, "regs": "<=72", "instr": "<=36"}
# Two CTAs share a multiprocessor, and its slots: one multiplies while the other stores.
GOALS = (
    Case(_f16(128, 128), "sm_80", {**_SYNC, "limiter": "tensor cores"}),
    Case(_f16(128, 256), "sm_80", _WIDE, 8),
    Case(_f16(256, 128), "sm_80", _WIDE, 8),
    Case(_f16(128, 128), "sm_86", _SMALL),
    Case(_f16(128, 128), "sm_89", _SMALL),
    Case(_f16(128, 128), "sm_120", _SMALL),
    Case(
        _f16(128, 128),
        "sm_90",
        {**_ROLES, "regs": "168", "instr": "<=40", "slots": "6", "KB": "160"},
        stages=4,
    ),
    Case(
        _f16(128, 256),
        "sm_90",
        {**_ROLES, "instr": "<=40", "slots": "4", "KB": "144"}
        | {"limiter": "tensor cores"},
        8,
    ),
    Case(
        _f16(256, 128),
        "sm_90",
        {**_ROLES, "instr": "<=45", "limiter": "tensor cores"},
        8,
    ),
    Case(_f16(128, 128), "sm_100", {**_TENSOR, "slots": "1+3", "KB": "96"}),
    Case(_f16(128, 256), "sm_100", {**_TENSOR, "slots": "1+2", "KB": "96"}, 8),
    Case(_f16(256, 128), "sm_100", {**_TENSOR, "instr": "<=46", "slots": "1+2"}, 8),
)
"""What asynchronous copies, warpgroups and tensor memory should reach."""
_OTHERS = (
    Product("bf16", "bf16", (128, 128, 64)),
    Product("tf32", "f32", (128, 128, 32)),
    Product("i8", "i32", (128, 128, 64)),
    Product("f8E4M3FN", "f32", (128, 128, 128)),
    Product("f64", "f64", (64, 64, 16)),
)
OTHERS = tuple(
    Case(product, gpu, {})
    for product in _OTHERS
    for gpu in ("sm_80", "sm_90")
    if gpu != "sm_80" or product.operand != "f8E4M3FN"
)
"""Other element types, which `--all` adds."""


def ours(case: Case, tiles: tuple[int, int], iterations: int, orders: int = 0) -> Row:
    """Compiles, disassembles and runs our product."""
    product = case.product
    slots: list[int] = []

    def look(module: ir.Operation) -> None:
        for entry in entries(module):
            rings = [op for op in nested_ops(entry) if op.name == "tileas.ring"]
            types = [str(op.results[0].type) for op in rings]
            slots.extend(int(n) for t in types for n in re.findall(r"ring<(\d+)", t))

    module = cuda_tile.load(product.text().encode())
    try:
        compiled = cuda_tile.compile(module, case.gpu, after={"barriers": look})
        entry = find_entry(module.operation, None)
        (kernel,) = compiled.report.kernels

        def run(
            iterations: int, made: ir.Module = module, **how: Any
        ) -> tuple[Any, list[Array]]:
            grid, values = product.launch(tiles, iterations)
            args = spread_args("kernel", parameter_types(entry), values)
            execute: Callable[..., Any] = cuda_tile.run  # its type depends on `how`
            return execute(made, grid=grid, args=args, **how), values

        def is_right(made: ir.Module, **how: Any) -> bool:
            _, (a, b, c) = run(iterations, made, **how)
            return not checked(a, b, c, product)

        how: dict[str, Any] = {"on": "emulator", "gpu": case.gpu, "compiled": compiled}
        how |= {"bounds": find_target(case.gpu), "registers": kernel.registers}
        report, values = run(iterations, **how)
        half, _ = run(iterations // 2, **how)
    except UserError as error:
        return Row(product.name, case.gpu, "ours", {"limiter": error.message[:60]})
    cells = {
        "regs": str(kernel.registers),
        "spill": str(kernel.spill_bytes),
        "slots": "+".join(map(str, slots)) or "-",
        "warn": str(len(compiled.report.warnings)),
    }
    mix = loop_mix(compiled.cubin)
    if mix is not None:
        cells["instr"] = str(mix.instructions)
        cells["/MMA"] = f"{mix.instructions / mix.products:.2f}"
    cells |= counted(report, tiles) | steady(report, half, iterations)
    a, b, c = values
    cells |= checked(a, b, c, product)
    if orders:
        cells |= judges.judged(is_right, module, compiled, case.gpu, orders)
    return Row(product.name, case.gpu, "ours", cells)


def spec_of(case: Case) -> str:
    """How make_product.py is told."""
    product = case.product
    tile = "x".join(map(str, product.tile))
    types = f"{product.operand}:{product.result}"
    spec = f"{types}:{tile}:{case.gpu.removeprefix('sm_')}:{case.warps}:{case.stages}"
    return f"{spec}:transposed" if product.is_transposed else spec


def has_triton(case: Case) -> bool:
    """Whether make_product.py has such a kernel."""
    product = case.product
    is_plain = not (product.is_lifted or product.is_fast or any(product.stored))
    by_maps = find_target(case.gpu).has("cp.async.bulk.tensor")
    return is_plain and (by_maps or not product.is_transposed)


def triton(case: Case, tiles: tuple[int, int], iterations: int) -> Row:
    """Runs Triton's PTX; its machine code is only asked for its registers."""
    product = case.product
    made = triton_kernel("make_product.py", spec_of(case))
    if made is None:
        return Row(product.name, case.gpu, "Triton", {"limiter": "no kernel"})
    meta = made.kernel.meta

    def run(iterations: int) -> tuple[Report, list[Array]]:
        (_, (a, b, c)) = product.launch(tiles, iterations)
        (m, k), n = a.shape, b.shape[0 if product.is_transposed else 1]
        args: list[Any] = [a, b, c, m, n, k]
        if meta["descriptors"]:
            args = [*map(Described, (a, b, c)), k]
        report = made.kernel.start(
            Problem(args, tiles, []),
            "fast",
            bounds=find_target(case.gpu),
            registers=made.registers,
        )
        return report, [a, b, c]

    report, (a, b, c) = run(iterations)
    half, _ = run(iterations // 2)
    m, n, k = product.tile
    slot_bytes = (m + n) * k * np.dtype(a.dtype).itemsize
    cells = {
        "regs": str(made.registers),
        "spill": str(made.spill_bytes),
        "slots": str(meta["shared_bytes"] // slot_bytes),
        "warn": str(made.warnings),
    }
    cells |= counted(report, tiles) | steady(report, half, iterations)
    cells |= checked(a, b, c, product)
    return Row(product.name, case.gpu, "Triton", cells)


def checked(a: Array, b: Array, c: Array, how: Product | None = None) -> Cells:
    """What to say of a result that is not the product, within the types' precision."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    left = left.T if how and how.is_lifted else left
    right = right.T if how and how.is_transposed else right
    error = np.abs(c.astype(np.float64) - left @ right)
    allowed = 2.0**-8 * (np.abs(left) @ np.abs(right)) * (a.dtype.kind not in "iu")
    return {} if (error <= allowed).all() else {"limiter": "WRONG RESULT"}


def counted(report: Report, tiles: tuple[int, int]) -> Cells:
    """The columns that the emulator fills."""
    assert report.bounds is not None, "bounds were asked for"
    products = ("mma.", "wgmma.mma_async", "wmma.mma")
    loop = report.bounds.hottest()
    inside = [
        line
        for line in report.by_instruction()
        if any(first <= int(line["line"]) <= last for first, last in loop.lines)
    ]

    def ran(*starts: str) -> int:
        chosen = [i for i in inside if str(i["mnemonic"]).startswith(starts)]
        return sum(int(i["warps"]) for i in chosen)

    iterations = loop.iterations * loop.warps * tiles[0] * tiles[1]
    shares = _limiter(loop)
    is_wgmma = bool(ran("wgmma"))
    return {
        "LDSM": "-" if is_wgmma else f"{ran('ldmatrix') / max(ran(*products), 1):.2f}",
        "BAR": f"{ran('bar.sync', 'barrier.sync') / iterations:.2g}",
        "KB": f"{loop.bytes_in_flight / 1024:.0f}",
        **shares,
    }


def steady(report: Report, half: Report, iterations: int) -> Cells:
    """What a CTA takes over its iterations, and what one iteration more takes."""
    assert report.bounds is not None, "bounds were asked for"
    assert half.bounds is not None, "bounds were asked for"
    fewer = {r.name: r.clocks for r in half.bounds.grid.resources}
    parts = [r for r in report.bounds.grid.resources if r.name != "DRAM"]
    more = {
        r.name: (r.clocks - fewer.get(r.name, 0)) / (iterations - iterations // 2)
        for r in parts
    }
    limiter = max(more, key=lambda name: more[name])
    return {
        "whole": f"{max(r.clocks for r in parts) / iterations:.0f}",
        "steady": f"{more[limiter]:.0f}",
        "limits": limiter,
    }


def _limiter(loop: Bound) -> Cells:
    """What limits a loop whose operands come from L2, and the shares against it."""
    resources = [r for r in loop.resources if r.name != "DRAM"]
    limiter = max(resources, key=lambda resource: resource.clocks)
    clocks = {r.name: r.clocks for r in resources}
    shares = {
        head: f"{clocks[name] / limiter.clocks:.0%}" for head, name in SHARES.items()
    }
    return {"clocks": f"{limiter.clocks:.0f}", "limiter": limiter.name, **shares}


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="only these chips")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--all", action="store_true", help="other element types too")
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--tiles", default="2,2", metavar="M,N", help="tiles to run")
    parser.add_argument(
        "--iterations", type=int, default=32, help="iterations of the loop"
    )
    parser.add_argument("--judge", type=int, default=0, metavar="N", help="N orders")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all cells")
    return parser.parse_args()


def measured(
    cases: Sequence[Case],
    size: tuple[tuple[int, int], int],
    row_of: Callable[[Case], Row],
    *,
    triton_too: bool,
    orders: int,
) -> list[Row]:
    """The lines of all products: ours, goals, Triton's."""
    if triton_too:
        specs = [spec_of(case) for case in cases if has_triton(case)]
        compile_specs("make_product.py", specs)
    rows: list[Row] = []
    for case in cases:
        rows.append(row_of(case))
        goal = case.goal | (judges.goal(orders) if orders else {})
        if goal:
            rows.append(Row(case.product.name, case.gpu, GOAL, goal))
        if triton_too and has_triton(case):
            rows.append(triton(case, *size))
    return rows


def main() -> int:
    """Prints the table; 1 if a goal is not met."""
    words = read_arguments()
    cases = [
        case
        for case in (*GOALS, *(OTHERS if words.all else ()))
        if words.only in case.product.name and case.gpu in (words.gpu or [case.gpu])
    ]
    tiles_m, tiles_n = map(int, words.tiles.split(","))
    size = (tiles_m, tiles_n), words.iterations

    def row_of(case: Case) -> Row:
        return ours(case, *size, words.judge)

    rows = measured(cases, size, row_of, triton_too=words.triton, orders=words.judge)
    missed = show(rows, WIDTHS, NAME_WIDTH)
    if words.json:
        write(rows, words.json)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
