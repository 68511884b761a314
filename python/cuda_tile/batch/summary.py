# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of many jobs: a progress bar, a table, JSON, an exit code."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cuda_tile.batch.job import Outcome
from cuda_tile.errors import INTERNAL
from cuda_tile.report import SCHEMA

_WORDS = {
    "compiled": "compiled",
    "cached": "from the cache",
    "refused": "refused",
    "failed": "failed",
    "time": "out of time",
    "unwritten": "not written",
}
"""How the summary calls each status, in its order."""


@contextmanager
def progress_bar(total: int, doing: str) -> Generator[Callable[[str], None]]:
    """Shows progress on stderr if that is a terminal.

    Args:
        total: How many jobs there are.
        doing: What is done to them.

    Yields:
        What to call after each job, with its name.
    """
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(
        doing,
        *columns,
        "{task.fields[last]}",
        console=console,
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        task = progress.add_task("", total=total, last="")

        def advance(last: str) -> None:
            progress.update(task, advance=1, last=last)

        yield advance


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many ended in which way, the ways that there were."""
    found = Counter(outcome.status for outcome in outcomes)
    return {status: found[status] for status in _WORDS if found[status]}


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """0 if every file is there, `INTERNAL` if the compiler failed, else 1."""
    if all(outcome.is_good for outcome in outcomes):
        return 0
    return INTERNAL if any(outcome.status == "failed" for outcome in outcomes) else 1


def to_json(
    outcomes: Sequence[Outcome], seconds: float, versions: dict[str, str]
) -> str:
    """All outcomes as one JSON object, see `report_schema.json`.

    Args:
        outcomes: What became of each job.
        seconds: Wall time of all.
        versions: Of the programs that made them.
    """
    whole = {
        "schema": SCHEMA,
        "versions": versions,
        "seconds": round(seconds, 3),
        "counts": counts(outcomes),
        "jobs": [asdict(outcome) for outcome in outcomes],
    }
    return json.dumps(whole, indent=2)


def print_table(outcomes: Sequence[Outcome]) -> None:
    """A row per kernel, and per file without one."""
    table = Table(box=None, header_style="", pad_edge=False)
    table.add_column("kernel", overflow="fold")
    table.add_column("chip")
    table.add_column("state")
    for name in ("ms", "registers", "spilled", "shared"):
        table.add_column(name, justify="right")
    for outcome in outcomes:
        first = [outcome.gpu, _WORDS[outcome.status], f"{outcome.seconds * 1e3:.0f}"]
        for kernel in outcome.kernels or ({},):
            name = kernel.get("kernel", outcome.file)
            fields = ("registers", "spill_bytes", "shared_bytes")
            numbers = [str(kernel.get(each, "")) for each in fields]
            table.add_row(Text(str(name)), *first, *numbers)
    # Not cut to 80 columns where nobody looks at a terminal.
    width = None if sys.stdout.isatty() else 160
    Console(width=width, highlight=False).print(table)


def summary_line(outcomes: Sequence[Outcome], seconds: float) -> str:
    """One line: how many ended how, and the wall time."""
    parts = [f"{n} {_WORDS[status]}" for status, n in counts(outcomes).items()]
    return f"{', '.join(parts)}; {seconds:.1f} s"


def print_problems(outcomes: Sequence[Outcome]) -> None:
    """Errors and warnings to stderr, each with its file and chip."""
    for outcome in outcomes:
        place = f"{outcome.file} for {outcome.gpu}"
        if outcome.message:
            print(f"{place}: error: {outcome.message}", file=sys.stderr)
        for warning in outcome.warnings:
            print(f"{place}: warning: {warning}", file=sys.stderr)
