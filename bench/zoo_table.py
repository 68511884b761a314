# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that people run, ours beside Triton's: what docs/zoo.md is made of.

    python bench/zoo_table.py [--gpu sm_80 ...] [--only TEXT] [--apart] [--json FILE]

Every kernel of zoo/ on each chip, compiled by this compiler and by Triton with the same
tiles, arguments and promises, and run on the emulator; both results are compared with
NumPy's. Columns are those of table.py, and three more:

- instr: instructions of the machine code instead of PTX, for the bound, too
- ptx: what table.py has under `instr`
- time: clocks of the launch by the model of docs/time.md, on a multiprocessor that does
  many of them; DRAM is left out here, too

One half of the kernels is kept apart: it is measured by `--apart` alone, and then
nothing is printed but what is wrong. Whoever changes the compiler looks at the other
half only, so that the two halves together show whether a change helps what nobody
looked at. `--json` adds the lines to a file, in place of older ones of the same kernel
and chip; docs/zoo.md is made of bench/zoo.json by tools/checks/zoo_page.py.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

from rows import Row, show
from table import COLUMNS, counted, versions
from zoo import ours, theirs
from zoo.case import Case
from zoo.fields import load

from cuda_tile.emulator import Report
from cuda_tile.emulator.bounds.slots import PtxSlots
from cuda_tile.errors import UserError
from cuda_tile.runtime.record import read_grid
from cuda_tile.targets import find_target
from cuda_tile.tuning.clocks import launch_clocks

GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
WIDTHS = dict.fromkeys((*COLUMNS, "time", "ptx"), 9) | {"warps": 7, "limiter": 18}


def timed(report: Report, grid: Sequence[int], gpu: str) -> dict[str, str]:
    """The model's clocks and PTX instructions of a launch that counted machine code."""
    target = find_target(gpu)
    code = [each for function in report.functions for each in function.code]
    ran = [number for number in range(len(code)) if report.counters.warps[number]]
    issued = PtxSlots(code, report.counters, target).slots(ran)
    clocks = launch_clocks(report, read_grid(grid), target)
    return {
        "ptx": f"{issued / math.prod(grid):.0f}",
        "time": f"{clocks.total:.0f}",
        "slowest": clocks.limiter,
    }


def our_row(case: Case, module: Any, gpu: str) -> Row:
    """Compiles and runs our kernel."""
    try:
        ran = ours.run(case, module, on="emulator", gpu=gpu, bounds=True)
    except UserError as error:
        return Row(case.name, gpu, "ours", {}, f"refused: {error.message}")
    (kernel,) = ran.compiled.report.kernels
    warps = math.prod(ran.compiled.launch[ran.name].block) // 32
    cells = {
        "regs": str(kernel.registers),
        "spill": str(kernel.spill_bytes),
        "shared": str(kernel.shared_bytes),
        "warps": str(warps),
    }
    cells |= counted(ran.report, math.prod(ran.launch.grid) * warps)
    cells |= timed(ran.report, ran.launch.grid, gpu)
    return Row(case.name, gpu, "ours", cells, ran.launch.wrong())


def triton_row(case: Case, gpu: str) -> Row:
    """Runs Triton's."""
    ran = theirs.run(case, gpu)
    if ran is None:
        return Row(case.name, gpu, "Triton", {}, "none: Triton does not compile it")
    warps = ran.kernel.meta["num_warps"]
    cells = {
        "regs": str(ran.registers),
        "spill": str(ran.spill_bytes),
        "shared": str(ran.kernel.meta["shared_bytes"]),
        "warps": str(warps),
    }
    cells |= counted(ran.report, math.prod(ran.launch.grid) * warps)
    cells |= timed(ran.report, ran.launch.grid, gpu)
    return Row(case.name, gpu, "Triton", cells, ran.launch.wrong())


def save(path: Path, rows: Iterable[Row]) -> None:
    """Writes lines to a file, in the order of the names; others of it are kept."""
    about: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    lines: list[dict[str, Any]] = [*about.pop("lines", []), *map(asdict, rows)]
    found = {(each["kernel"], each["gpu"], each["who"]): each for each in lines}
    about |= {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": versions(),
    }
    ordered = [
        json.dumps(found[key])
        for key in sorted(found, key=lambda key: (key[0], GPUS.index(key[1]), key[2]))
    ]
    text = ",\n  ".join(ordered)
    head = json.dumps(about)[:-1]
    path.write_text(f'{head}, "lines": [\n  {text}\n]}}\n')


def main() -> int:
    """Prints the table; 1 if a result is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: four")
    parser.add_argument("--only", metavar="TEXT", default="", help="part of the name")
    parser.add_argument("--apart", action="store_true", help="the half kept apart")
    parser.add_argument("--ours", action="store_true", help="without Triton's")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the lines to it")
    words = parser.parse_args()
    chips = words.gpu or GPUS
    cases = [each for each in load().values() if each.is_apart == words.apart]
    cases = [each for each in cases if words.only in each.name]
    if not words.ours:
        theirs.compile_all(cases, chips)
    is_wrong = False
    for case in cases:
        module = ours.module_of(case)
        rows: list[Row] = []
        for gpu in chips:
            rows.append(our_row(case, module, gpu))
            rows += [] if words.ours else [triton_row(case, gpu)]
        if not words.apart:
            show(rows, WIDTHS, name_width=30)
        wrong = [row for row in rows if row.note.startswith(("WRONG", "refused"))]
        print(*(f"{case.name} {row.gpu} {row.who}: {row.note}" for row in wrong))
        sys.stdout.flush()
        is_wrong |= bool(wrong)
        if words.json:
            save(words.json, rows)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
