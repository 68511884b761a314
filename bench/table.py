# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All kernels of test/kernels on each chip: before, now, and Triton's.

    python bench/table.py [--gpu sm_80 ...] [--only TEXT] [--triton] [--json FILE]

A line for each: as it was before asynchronous copies (resources_before_rings.json), or
where products are in tensor memory by `mma.sync` instead, as it is, and with `--triton`
the same kernel in Triton (table_triton.py), by the same
launch (table_cases.py). Results are compared with NumPy's; a wrong one, and why a line
is missing, stands in the last column. `--json` adds the lines to a file, in place of
older ones of the same kernel and chip; docs/table.md is made of bench/table.json by
tools/checks/kernel_table.py. Columns:

- regs, spill, shared: per thread, bytes per thread, bytes per CTA
- instr: PTX instructions that the warps of a CTA issue (docs/bounds.md says which)
- sectors, confl, bars: as in resources.py
- clocks, limiter: the bound of a CTA, DRAM left out: a launch of this size shares less
  than one that fills a GPU

Kernels with tensor memory have more, of runs that count machine code:

- columns: of tensor memory, that a CTA allocates
- step: of ours, machine instructions of a warp that starts products, in an iteration
- machine: machine instructions that the warps of a CTA issue
- time: clocks of the launch by the model of docs/time.md, as `zoo_table.py` has them
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import cuda_tile
from cuda_tile.api import Compiled
from cuda_tile.codegen.ptxas import ptxas_version
from cuda_tile.emulator import Report
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.record import read_grid
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import find_target
from cuda_tile.timing.counting import counting
from cuda_tile.tuning.clocks import launch_clocks

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

from loop_mix import loop_mix
from resources import count_barriers, read_rows
from rows import Cells, Row, show
from table_cases import CASES, GPUS, Case, Run
from table_triton import run_triton
from triton_ptx import VERSION as TRITON_VERSION

BEFORE = Path(__file__).resolve().parent / "resources_before_rings.json"
BY_MMA_SYNC = "mma.sync"
"""Whose the line of a kernel without tensor memory is."""
COLUMNS = ("regs", "spill", "shared", "instr", "sectors", "confl", "bars", "clocks")
MORE = ("columns", "step", "machine", "time")
WIDTHS = dict.fromkeys((*COLUMNS, *MORE), 9) | {"limiter": 18}


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


def by_machine(report: Report, grid: tuple[int, ...], gpu: str) -> Cells:
    """Columns of kernels with tensor memory, from a run that counted machine code."""
    assert report.bounds is not None, "bounds were asked for"
    slots = {r.name: r.work for r in report.bounds.grid.resources}["issue slots"]
    clocks = launch_clocks(report, read_grid(grid), find_target(gpu))
    return {
        "columns": str(report.tensor_columns),
        "machine": f"{slots:.0f}",
        "time": f"{clocks.total:.0f}",
    }


def ours(case: Case, gpu: str) -> list[Row]:
    """Compiles and runs our kernel, and where it has tensor memory one without."""
    try:
        compiled = _compiled(case, gpu)
    except UserError as error:
        return [Row(case.name, gpu, "now", {}, f"refused: {error.message}")]
    has_columns = TCGEN05.name in compiled.ptx
    now = _ran(case, gpu, "now", compiled, has_columns=has_columns)
    if not has_columns:
        return [now]
    with patch.object(TCGEN05, "refuse_chip", return_value="expected another engine"):
        other = _compiled(case, gpu)
    return [_ran(case, gpu, BY_MMA_SYNC, other, has_columns=True), now]


def _compiled(case: Case, gpu: str) -> Compiled:
    return cuda_tile.compile(cuda_tile.load(case.path), gpu)


def _ran(
    case: Case, gpu: str, who: str, compiled: Compiled, *, has_columns: bool
) -> Row:
    module = cuda_tile.load(case.path)
    (kernel,) = (k for k in compiled.report.kernels if k.kernel == case.entry)
    types = parameter_types(find_entry(module.operation, case.entry))

    def launched(**how: Any) -> tuple[Report, Run]:
        run = case.make()
        args = spread_args(case.entry, types, run.values)
        how |= {"on": "emulator", "gpu": gpu, "compiled": compiled}
        execute: Callable[..., Any] = cuda_tile.run  # its type depends on `how`
        return execute(module, case.entry, grid=run.grid, args=args, **how), run

    report, run = launched(bounds=find_target(gpu), registers=kernel.registers)
    block = math.prod(compiled.launch[case.entry].block)
    cells = {
        "regs": str(kernel.registers),
        "spill": str(kernel.spill_bytes),
        "shared": str(kernel.shared_bytes),
    }
    cells |= counted(report, math.prod(run.grid) * block // 32)
    if has_columns:
        report, _ = launched(**counting(compiled, case.entry, needs_machine=True))
        mix = loop_mix(compiled.cubin) if len(compiled.report.kernels) == 1 else None
        cells |= by_machine(report, run.grid, gpu)
        cells |= {} if mix is None else {"step": str(mix.instructions)}
    return Row(case.name, gpu, who, cells, run.wrong(run.values))


def before(case: Case, gpu: str) -> list[Row]:
    """What bench/resources.py said before asynchronous copies, if it did."""
    row = read_rows(BEFORE).get((case.name, gpu))
    if row is None:
        return []
    names = ("regs", "spill", "shared", "sectors", "confl", "bars")
    fields = ("registers", "spill_bytes", "shared_bytes", "sectors", "conflicts")
    values = [getattr(row, field) for field in (*fields, "barriers")]
    cells = {n: f"{v:.6g}" for n, v in zip(names, values, strict=True)}
    return [Row(case.name, gpu, "before", cells)]


def triton(case: Case, gpu: str) -> Row:
    """Runs Triton's."""
    theirs = run_triton(case, gpu)
    if theirs.report is None:
        return Row(case.name, gpu, "Triton", {}, f"none: {theirs.why_not}")
    cells = {
        "regs": str(theirs.registers),
        "spill": str(theirs.spill_bytes),
        "shared": str(theirs.shared_bytes),
    }
    cells |= counted(theirs.report, theirs.warps)
    if theirs.by_machine is not None:
        cells |= by_machine(theirs.by_machine, case.make().grid, gpu)
    return Row(case.name, gpu, "Triton", cells, theirs.wrong or theirs.found)


def versions() -> str:
    """Of the programs that make machine code and PTX."""
    release = re.search(r"V(\d+\.\d+\.\d+)", ptxas_version())
    assert release, "ptxas says its version"
    return f"ptxas {release[1]}, Triton {TRITON_VERSION}"


def save(path: Path, lines: list[Row]) -> None:
    """Writes lines to a file, in the order of the table; others of it are kept."""
    kept: list[dict[str, Any]] = (
        json.loads(path.read_text())["lines"] if path.exists() else []
    )
    found = {(each["kernel"], each["gpu"], each["who"]): each for each in kept}
    found |= {(each.kernel, each.gpu, each.who): asdict(each) for each in lines}
    order = {
        (name, gpu, who): place
        for place, (name, gpu, who) in enumerate(
            (name, gpu, who)
            for name in CASES
            for gpu in GPUS
            for who in ("before", BY_MMA_SYNC, "now", "Triton")
        )
    }
    rows = [found[key] for key in sorted(found, key=lambda key: order[key])]
    about = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": versions(),
    }
    path.write_text(json.dumps({**about, "lines": rows}, indent=1) + "\n")


def main() -> int:
    """Prints the table; 1 if a result is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: four")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the lines to it")
    words = parser.parse_args()
    is_wrong = False
    for case in (case for case in CASES.values() if words.only in case.name):
        lines: list[Row] = []
        for gpu in words.gpu or GPUS:
            lines += [*before(case, gpu), *ours(case, gpu)]
            lines += [triton(case, gpu)] if words.triton else []
        show(lines, WIDTHS, name_width=30)
        is_wrong |= any(line.note.startswith("WRONG") for line in lines)
        if words.json:
            save(words.json, lines)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
