# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All kernels of test/kernels on each chip: before rings, now, and Triton's.

    python bench/table.py [--gpu sm_80 ...] [--only TEXT] [--triton] [--json FILE]

A line for each: as it was before asynchronous copies (resources_before_rings.json), as
it is, and with `--triton` the same kernel in Triton where there is one (matrix
products, attention, softmax, layer norm, transpose, vector sums, prefix sums, gathers,
histograms), by the same launch (kernel_args.py). Columns:

- regs, spill, shared: per thread, bytes per thread, bytes per CTA
- instr: PTX instructions that the warps of a CTA issue (docs/bounds.md says which)
- sectors, confl, bars: as in resources.py
- clocks, limiter: the bound of a CTA, DRAM left out: a launch of this size shares less
  than one that fills a GPU
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile.emulator import Report
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))

import triton_attention
from attention_kernels import Attention
from kernel_args import LAUNCHES, Array, Launch
from resources import DEFAULT_FOLDER, DEFAULT_GPUS, count_barriers, read_rows
from rows import Cells, Row, show, write
from triton_kernels import Described, Problem
from triton_specs import Assembled, triton_kernel

BEFORE = Path(__file__).resolve().parent / "resources_before_rings.json"
COLUMNS = ("regs", "spill", "shared", "instr", "sectors", "confl", "bars", "clocks")
WIDTHS = dict.fromkeys(COLUMNS, 9) | {"limiter": 18}


def counted(report: Report, n_warps: int) -> Cells:
    """The columns that a launch of so many warps fills."""
    assert report.bounds is not None, "bounds were asked for"
    grid = {r.name: r for r in report.bounds.grid.resources if r.name != "DRAM"}
    limiter = max(grid.values(), key=lambda resource: resource.clocks)
    return {
        "instr": f"{grid['issue slots'].work:.0f}",
        "sectors": str(report.totals["sectors"]),
        "confl": str(report.totals["bank_conflicts"]),
        "bars": f"{count_barriers(report, n_warps):.4g}",
        "clocks": f"{limiter.clocks:.0f}",
        "limiter": limiter.name,
    }


def ours(name: str, gpu: str) -> Row:
    """Compiles and runs our kernel."""
    module = cuda_tile.load(DEFAULT_FOLDER / f"{name}.tileirbc")
    try:
        compiled = cuda_tile.compile(module, gpu)
    except UserError as error:
        return Row(name, gpu, "now", {"limiter": f"refused: {error.message[:40]}"})
    (kernel,) = compiled.report.kernels
    grid, values = LAUNCHES[name]()
    entry = find_entry(module.operation, None)
    report = cuda_tile.run(
        module,
        grid=grid,
        args=spread_args("kernel", parameter_types(entry), values),
        on="emulator",
        gpu=gpu,
        compiled=compiled,
        bounds=find_target(gpu),
        registers=kernel.registers,
    )
    block = math.prod(compiled.launch[entry_name(entry)].block)
    cells = {
        "regs": str(kernel.registers),
        "spill": str(kernel.spill_bytes),
        "shared": str(kernel.shared_bytes),
    }
    return Row(name, gpu, "now", cells | counted(report, math.prod(grid) * block // 32))


def before(name: str, gpu: str) -> Row:
    """What bench/resources.py said before asynchronous copies."""
    row = read_rows(BEFORE)[name, gpu]
    names = ("regs", "spill", "shared", "sectors", "confl", "bars")
    fields = ("registers", "spill_bytes", "shared_bytes", "sectors", "conflicts")
    values = [getattr(row, field) for field in (*fields, "barriers")]
    return Row(
        name,
        gpu,
        "before",
        {n: f"{v:.6g}" for n, v in zip(names, values, strict=True)},
    )


# Triton -------------------------------------------------------------------------------

Made = tuple[Assembled, Sequence[int], list[Any]]
"""A kernel of Triton, its programs, and its arguments."""


def _product(types: str, tile: str) -> Callable[[Launch, str], Made | None]:
    def make(launch: Launch, gpu: str) -> Made | None:
        stages = 4 if gpu == "sm_90" else 3
        spec = f"{types}:{tile}:{gpu.removeprefix('sm_')}:4:{stages}"
        made = triton_kernel("make_product.py", spec)
        if made is None:
            return None
        a, b, c = launch[1]
        rows, columns, _ = map(int, tile.split("x"))
        (m, k), n = a.shape, b.shape[1]
        args = [a, b, c, m, n, k]
        if made.kernel.meta["descriptors"]:
            args = [*map(Described, (a, b, c)), k]
        return made, (-(-m // rows), -(-n // columns)), args

    return make


def _attention(depth: int) -> Callable[[Launch, str], Made | None]:
    def make(launch: Launch, gpu: str) -> Made | None:
        made = triton_attention.triton_attention(Attention("split", depth), gpu)
        if made is None:
            return None
        (grid, (q, k, v, out, scale)) = launch
        flat: list[Any] = [x.reshape(-1, depth) for x in (k, v)]
        if made.kernel.meta["descriptors"]:
            flat = [Described(x) for x in flat]
        length = np.int32(q.shape[2])
        return made, grid, [q, *flat, out, length, length, scale]

    return make


def _stream(name: str, script: str = "make_streams.py") -> Any:
    """Rows of a matrix, or a line: extents follow the arrays."""

    def make(launch: Launch, gpu: str) -> Made | None:
        spec = f"{name}:{gpu.removeprefix('sm_')}"
        made = triton_kernel(script, spec)
        if made is None:
            return None
        grid, values = launch
        arrays: list[Array] = [v for v in values if isinstance(v, np.ndarray)]
        scalars = [v for v in values if not isinstance(v, np.ndarray)]
        is_matrix = arrays[0].ndim == 2 and "gather" not in name
        first = arrays[1] if "gather" in name else arrays[0]
        extents = [np.int32(n) for n in (first.shape if is_matrix else (first.size,))]
        return made, grid, [*arrays, *extents, *scalars]

    return make


SAME: dict[str, Callable[[Launch, str], Made | None]] = {
    "vadd_f32_1024": _stream("add f32 1024"),
    "vadd_f16_4096": _stream("add f16 4096"),
    "transpose_f32_64x64": _stream("transpose f32 64x64"),
    "softmax_f32_1024": _stream("softmax fp32 1024", "make_table.py"),
    "softmax_f16_4096": _stream("softmax fp16 4096", "make_table.py"),
    "layernorm_f16_1024": _stream("layernorm fp16 1024", "make_table.py"),
    "cumsum_f32_1024": _stream("cumsum f32 1024"),
    "gather_rows_f16_64x128": _stream("gather f16 64x128"),
    "histogram_i32_1024": _stream("histogram i32 1k"),
    "matmul_f16_64x64x64": _product("f16:f16", "64x64x64"),
    "matmul_f16_128x128x64": _product("f16:f16", "128x128x64"),
    "matmul_f16_f32out_128x128x64": _product("f16:f32", "128x128x64"),
    "matmul_bf16_128x128x64": _product("bf16:bf16", "128x128x64"),
    "matmul_tf32_128x128x32": _product("tf32:f32", "128x128x32"),
    "matmul_i8_128x128x64": _product("i8:i32", "128x128x64"),
    "fmha_causal_f16_d64_128x64": _attention(64),
    "fmha_causal_f16_d128_128x64": _attention(128),
}
"""The kernels that are written in Triton, too."""


def triton(name: str, gpu: str) -> Row | None:
    """Runs Triton's PTX; its machine code is only asked for its resources."""
    found = SAME[name](LAUNCHES[name](), gpu) if name in SAME else None
    if found is None:
        return None
    made, grid, args = found
    report = made.kernel.start(
        Problem(args, grid, []),
        "fast",
        bounds=find_target(gpu),
        registers=made.registers,
    )
    cells = {
        "regs": str(made.registers),
        "spill": str(made.spill_bytes),
        "shared": str(made.kernel.meta["shared_bytes"]),
    }
    n_warps = math.prod(grid) * made.kernel.meta["num_warps"]
    return Row(name, gpu, "Triton", cells | counted(report, n_warps))


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: three")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all cells")
    words = parser.parse_args()
    lines: list[Row] = []
    for name in (name for name in LAUNCHES if words.only in name):
        for gpu in words.gpu or DEFAULT_GPUS:
            lines += [before(name, gpu), ours(name, gpu)]
            theirs = triton(name, gpu) if words.triton else None
            lines += [] if theirs is None else [theirs]
    show(lines, WIDTHS, name_width=30)
    if words.json:
        write(lines, words.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
