# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All kernels of test/kernels on each chip: before rings, now, and Triton's.

    python bench/table.py [--gpu sm_80 ...] [--only TEXT] [--triton] [--json FILE]

A line for each: as it was before asynchronous copies (resources_before_rings.json), as
it is, and with `--triton` the same kernel in Triton (table_triton.py), by the same
launch (table_cases.py). Results are compared with NumPy's; a wrong one, and why a line
is missing, stands in the last column. `--json` adds the lines to a file, in place of
older ones of the same kernel and chip; docs/table.md is made of bench/table.json by
tools/checks/kernel_table.py. Columns:

- regs, spill, shared: per thread, bytes per thread, bytes per CTA
- instr: PTX instructions that the warps of a CTA issue (docs/bounds.md says which)
- sectors, confl, bars: as in resources.py
- clocks, limiter: the bound of a CTA, DRAM left out: a launch of this size shares less
  than one that fills a GPU
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cuda_tile
from cuda_tile.codegen.ptxas import ptxas_version
from cuda_tile.emulator import Report
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

from resources import DEFAULT_GPUS, count_barriers, read_rows
from rows import Cells, Row, show
from table_cases import CASES, Case
from table_triton import run_triton
from triton_ptx import VERSION as TRITON_VERSION

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


def ours(case: Case, gpu: str) -> Row:
    """Compiles and runs our kernel."""
    module = cuda_tile.load(case.path)
    run = case.make()
    try:
        compiled = cuda_tile.compile(module, gpu)
        (kernel,) = (k for k in compiled.report.kernels if k.kernel == case.entry)
        entry = find_entry(module.operation, case.entry)
        report = cuda_tile.run(
            module,
            case.entry,
            grid=run.grid,
            args=spread_args(case.entry, parameter_types(entry), run.values),
            on="emulator",
            gpu=gpu,
            compiled=compiled,
            bounds=find_target(gpu),
            registers=kernel.registers,
        )
    except UserError as error:
        return Row(case.name, gpu, "now", {}, f"refused: {error.message}")
    block = math.prod(compiled.launch[case.entry].block)
    cells = {
        "regs": str(kernel.registers),
        "spill": str(kernel.spill_bytes),
        "shared": str(kernel.shared_bytes),
    }
    cells |= counted(report, math.prod(run.grid) * block // 32)
    return Row(case.name, gpu, "now", cells, run.wrong(run.values))


def before(case: Case, gpu: str) -> Row:
    """What bench/resources.py said before asynchronous copies."""
    row = read_rows(BEFORE).get((case.name, gpu))
    if row is None:
        return Row(case.name, gpu, "before", {}, "not measured then")
    names = ("regs", "spill", "shared", "sectors", "confl", "bars")
    fields = ("registers", "spill_bytes", "shared_bytes", "sectors", "conflicts")
    values = [getattr(row, field) for field in (*fields, "barriers")]
    cells = {n: f"{v:.6g}" for n, v in zip(names, values, strict=True)}
    return Row(case.name, gpu, "before", cells)


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
    return Row(case.name, gpu, "Triton", cells, theirs.wrong)


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
            for gpu in DEFAULT_GPUS
            for who in ("before", "now", "Triton")
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
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: three")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--triton", action="store_true", help="Triton's beside it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the lines to it")
    words = parser.parse_args()
    is_wrong = False
    for case in (case for case in CASES.values() if words.only in case.name):
        lines: list[Row] = []
        for gpu in words.gpu or DEFAULT_GPUS:
            lines += [before(case, gpu), ours(case, gpu)]
            lines += [triton(case, gpu)] if words.triton else []
        show(lines, WIDTHS, name_width=30)
        is_wrong |= any(line.note.startswith("WRONG") for line in lines)
        if words.json:
            save(words.json, lines)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
