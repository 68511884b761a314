# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the tables that the benchmarks here print."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

Cells = dict[str, str]


@dataclass(frozen=True)
class Row:
    """One line: whose it is, its cells by column, and what to say behind them."""

    kernel: str
    gpu: str
    who: str
    cells: Cells
    note: str = ""


def show(rows: Sequence[Row], widths: Mapping[str, int], name_width: int) -> None:
    """Prints a table, a block for each kernel and chip.

    Args:
        rows: In order; equal names and chips are printed once.
        widths: Of each column, blanks before it included.
        name_width: Of the kernel's name.
    """
    heads = "".join(f"{head:>{width}}" for head, width in widths.items())
    print(f"{'kernel':{name_width}}{'GPU':8}{'':8}{heads}")
    last = ("", "")
    for row in rows:
        key = row.kernel, row.gpu
        name, gpu = key if key != last else ("", "")
        cells = "".join(
            f"{row.cells.get(head, ''):>{width}}" for head, width in widths.items()
        )
        line = f"{name:{name_width}}{gpu:8}{row.who:8}{cells}  {row.note}"
        print(line.rstrip(), flush=True)
        last = key


def write(rows: Sequence[Row], path: Path) -> None:
    """Writes all cells as JSON."""
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
