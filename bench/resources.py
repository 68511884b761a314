# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists registers, spills and shared memory of compiled kernels.

    python bench/resources.py [PATH ...] [--gpu sm_90 ...] [--run] [--json FILE]
        [--compare FILE] [--spills]

One row per kernel and GPU: registers per thread as ptxas counts them and as the
compiler estimated them before, spilled bytes per thread (loads and stores), shared
bytes per CTA, occupancy, warnings of ptxas and the plan; or the error. `PATH` is a
bytecode or MLIR file, or a folder of bytecode, searched recursively; by default the
newest kernels in test/kernels. `--compare` adds the numbers of an earlier `--json` and
shows only rows that differ, and says in which columns which kernels got worse.
Registers count as the chip gives them out, in units of 8 a thread: more of them within
a unit take nothing from anybody, and are listed with that reason;
`--spills` shows only kernels that spill. `--run` also runs the kernels of test/kernels
on the emulator and adds what a launch (bench/kernel_args.py) does: sectors of global
memory, bank conflicts, barriers that each warp waits at.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cuda_tile
from cuda_tile.emulator import Report
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import REGISTER_UNIT_PER_WARP, WARP_LANES

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from kernel_args import LAUNCHES

DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / "test" / "kernels" / "13.4"
DEFAULT_GPUS = ("sm_80", "sm_90", "sm_120")
SUFFIXES = (".tileirbc", ".tilebc", ".mlir")


@dataclass(frozen=True)
class Row:
    """Resources of one kernel on one chip.

    Attributes:
        kernel: Its file below the given path, `#` and its symbol if it differs.
        gpu: Target chip.
        registers: 32-bit registers per thread.
        estimated: The registers that the search estimated for the plan.
        spill_bytes: Bytes per thread, loads and stores.
        shared_bytes: Shared memory per CTA.
        occupancy: Share of a multiprocessor's threads that may be resident.
        warnings: Lines of ptxas.
        sectors: Of global memory, in one launch; -1 if it was not run.
        conflicts: Bank conflicts of the launch.
        barriers: Barriers of a CTA that a warp waits at, on average.
        plan: The plan of the entry.
        refused: Why there is no machine code; the numbers are then zero.
    """

    kernel: str
    gpu: str
    registers: int = 0
    estimated: int = 0
    spill_bytes: int = 0
    shared_bytes: int = 0
    occupancy: float = 0.0
    warnings: tuple[str, ...] = ()
    sectors: int = -1
    conflicts: int = -1
    barriers: float = -1
    plan: str = ""
    refused: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Identifies the row in another run."""
        return self.kernel, self.gpu

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns of the table, as text."""
        if self.refused:
            return ("-",) * len(COLUMNS)
        return (
            str(self.registers),
            str(self.estimated),
            str(self.spill_bytes),
            str(self.shared_bytes),
            f"{self.occupancy:.0%}",
            str(len(self.warnings)),
            *(f"{n:.6g}" if n >= 0 else "-" for n in self.counts),
        )

    @property
    def counts(self) -> tuple[float, ...]:
        """What was counted in a launch; -1 where it was not."""
        return self.sectors, self.conflicts, self.barriers

    def worse_than(self, other: Row) -> list[str]:
        """In which columns this row is worse than another."""
        if self.refused and not other.refused:
            return ["refused"]
        return [
            f"{name} {getattr(other, field)} -> {getattr(self, field)}"
            for name, field in NO_WORSE.items()
            if 0 <= getattr(other, field) < getattr(self, field)
            and not (
                field == "registers" and self.given_registers == other.given_registers
            )
        ]

    @property
    def given_registers(self) -> int:
        """Registers of a thread that a multiprocessor gives out for it."""
        unit = REGISTER_UNIT_PER_WARP // WARP_LANES
        return -(-self.registers // unit) * unit

    def grown_within_unit(self, other: Row) -> str:
        """Registers that ptxas takes of what was given out before, if any."""
        if (
            not 0 < other.registers < self.registers
            or self.given_registers != other.given_registers
        ):
            return ""
        return (
            f"regs {other.registers} -> {self.registers}, both given out as "
            f"{self.given_registers}"
        )


COLUMNS = (
    *("regs", "est", "spills", "shared", "occup", "warn"),
    *("sectors", "confl", "bars"),
)
NO_WORSE = {
    "regs": "registers",
    "spills": "spill_bytes",
    "sectors": "sectors",
    "confl": "conflicts",
    "bars": "barriers",
}
"""Columns that should not grow, with the fields that hold them."""


def kernel_files(path: Path) -> Iterator[tuple[str, Path]]:
    """The kernels at `path` with their names in the table, in order."""
    if path.is_file():
        yield path.stem, path
    for file in sorted(path.rglob("*")) if path.is_dir() else ():
        if file.suffix in SUFFIXES:
            yield str(file.relative_to(path).with_suffix("")), file


def measure(name: str, path: Path, gpu: str, *, runs: bool) -> list[Row]:
    """Compiles one file; a row per kernel in it, or one with the error."""
    try:
        module = cuda_tile.load(path)
        estimates = {
            kernel: next(plan["cost"]["registers"] for plan in plans if plan["chosen"])
            for kernel, plans in cuda_tile.list_plans(module, gpu).items()
        }
        compiled = cuda_tile.compile(module, gpu)
    except UserError as error:
        return [Row(name, gpu, refused=error.message)]
    report = compiled.report
    rows = [
        Row(
            name if k.kernel == path.stem else f"{name}#{k.kernel}",
            gpu,
            k.registers,
            estimates[k.kernel],
            k.spill_bytes,
            k.shared_bytes,
            k.occupancy,
            report.warnings,
            plan=k.plan,
        )
        for k in report.kernels
    ]
    if not runs or path.stem not in LAUNCHES:
        return rows
    return [count(row, module, compiled) for row in rows]


def count(row: Row, module: Any, compiled: cuda_tile.Compiled) -> Row:
    """The row of a kernel of test/kernels with what a launch does."""
    entry = find_entry(module.operation, None)
    grid, values = LAUNCHES[entry_name(entry)]()
    args = spread_args("kernel", parameter_types(entry), values)
    report = cuda_tile.run(
        module, grid=grid, args=args, on="emulator", gpu=row.gpu, compiled=compiled
    )
    warps = math.prod(grid) * math.prod(compiled.launch[entry_name(entry)].block) // 32
    return replace(
        row,
        sectors=report.totals["sectors"],
        conflicts=report.totals["bank_conflicts"],
        barriers=count_barriers(report, warps),
    )


def count_barriers(report: Report, warps: int) -> float:
    """Barriers of a CTA that a warp waits at, on average over so many warps."""
    found = sum(
        number
        for name, number in report.instruction_mix().items()
        if name.startswith(("bar.", "barrier.")) and ".warp." not in name
    )
    return round(found / warps, 2)


def print_rows(rows: list[Row], before: dict[tuple[str, str], Row] | None) -> None:
    """The table; with `before`, an old and a new line of each row that changed."""
    heads = "".join(f"{head:>8}" for head in COLUMNS)
    width = max((len(row.kernel) for row in rows), default=0) + 1
    print(f"{'kernel':{width}}{'GPU':8}{heads}  plan or refusal")
    for row in rows:
        old = (before or {}).get(row.key)
        if old is not None and replace(old, estimated=row.estimated) == row:
            continue
        lines = [(" ", row)] if old is None else [("-", old), ("+", row)]
        for mark, line in lines:
            numbers = "".join(f"{number:>8}" for number in line.numbers)
            said = f"refused: {line.refused}" if line.refused else line.plan
            sign = mark if before is not None else ""
            print(f"{line.kernel:{width}}{line.gpu:8}{numbers}  {sign}{said}")


def print_worse(rows: list[Row], before: dict[tuple[str, str], Row]) -> None:
    """Prints what is worse than before, a line per kernel and GPU."""
    found = [
        (row, row.worse_than(before[row.key])) for row in rows if row.key in before
    ]
    worse = [(row, columns) for row, columns in found if columns]
    for row, columns in worse:
        print(f"worse: {row.kernel} {row.gpu}: {', '.join(columns)}")
    for row, _ in found:
        if reason := row.grown_within_unit(before[row.key]):
            print(f"not worse: {row.kernel} {row.gpu}: {reason}")
    print(f"{len(worse)} of {len(found)} rows are worse in {', '.join(NO_WORSE)}")


def print_sums(rows: list[Row]) -> None:
    """Prints, per chip, how many kernels compile, spill and have warnings."""
    for gpu in dict.fromkeys(row.gpu for row in rows):
        compiled = [row for row in rows if row.gpu == gpu and not row.refused]
        spilled = [row.spill_bytes for row in compiled if row.spill_bytes]
        print(
            f"{gpu}: {len(compiled)} compiled, {len(spilled)} spill "
            f"({sum(spilled)} bytes per thread in all), "
            f"{sum(bool(row.warnings) for row in compiled)} with warnings"
        )


def read_rows(path: Path) -> dict[tuple[str, str], Row]:
    """The rows of an earlier `--json`."""
    records: list[dict[str, Any]] = json.loads(path.read_text())
    for record in records:
        record["warnings"] = tuple(record["warnings"])
    rows = [Row(**record) for record in records]
    return {row.key: row for row in rows}


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[DEFAULT_FOLDER])
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: three")
    parser.add_argument("--run", action="store_true", help="count a launch of each")
    parser.add_argument("--spills", action="store_true", help="only what spills")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="earlier --json")
    return parser.parse_args()


def main() -> int:
    """Prints the table."""
    arguments = read_arguments()
    rows = [
        row
        for path in arguments.paths
        for name, file in kernel_files(path)
        for gpu in arguments.gpu or DEFAULT_GPUS
        for row in measure(name, file, gpu, runs=arguments.run)
    ]
    before = read_rows(arguments.compare) if arguments.compare else None
    shown = [row for row in rows if row.spill_bytes or not arguments.spills]
    print_rows(shown, before)
    if before is not None:
        print_worse(rows, before)
    print_sums(rows)
    if arguments.json:
        text = json.dumps([asdict(row) for row in rows], indent=1)
        arguments.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
