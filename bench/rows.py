# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of the tables that the benchmarks here print, and whether goals are met.

A line `goal` belongs to the line of ours above it. Its cells say what the columns
should show:

- `<=56`, `<0.1`, `>=32`, `>1`: a number, of which percentages are another form
- `>=3+3`: of each ring at least so many slots
- anything else: just that, as a number or as text

A result that is wrong, or a kernel that was refused, meets no goal.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

Cells = dict[str, str]
GOAL = "goal"
"""Whose the line of a goal is."""
_RELATION = re.compile(r"(<=|>=|<|>)(.+)")
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Row:
    """One line: whose it is, its cells by column, and what to say behind them."""

    kernel: str
    gpu: str
    who: str
    cells: Cells
    note: str = ""


def show(rows: Sequence[Row], widths: Mapping[str, int], name_width: int) -> int:
    """Prints a table, a block for each kernel and chip, and which goals are met.

    Args:
        rows: In order; equal names and chips are printed once.
        widths: Of each column, blanks before it included.
        name_width: Of the kernel's name.

    Returns:
        How many goals are not met.
    """
    heads = "".join(f"{head:>{width}}" for head, width in widths.items())
    print(f"{'kernel':{name_width}}{'GPU':8}{'':8}{heads}")
    last = ("", "")
    verdicts: list[str] = []
    measured: Row | None = None
    for row in rows:
        key = row.kernel, row.gpu
        name, gpu = key if key != last else ("", "")
        cells = "".join(
            f"{row.cells.get(head, ''):>{width}}" for head, width in widths.items()
        )
        note = row.note
        if row.who == GOAL and measured is not None:
            note = verdict(measured, row.cells)
            verdicts.append(note)
        elif row.who == "ours":
            measured = row
        line = f"{name:{name_width}}{gpu:8}{row.who:8}{cells}  {note}"
        print(line.rstrip(), flush=True)
        last = key
    missed = sum(each.startswith("NOT MET") for each in verdicts)
    if verdicts:
        print(f"goals: {len(verdicts) - missed} met, {missed} not met")
    return missed


def verdict(row: Row, goal: Cells) -> str:
    """Whether a line meets its goal: `met`, or `NOT MET` and what misses it.

    Columns that were not measured, for which the table needs another option, are
    named.
    """
    wrong = [cell for cell in row.cells.values() if cell.startswith("WRONG")]
    if row.note or wrong:
        return f"NOT MET: {row.note or wrong[0]}"
    missing = [head for head in goal if head not in row.cells]
    missed = [
        f"{head} {row.cells[head]}"
        for head, wanted in goal.items()
        if head in row.cells and not meets(row.cells[head], wanted)
    ]
    if missed:
        return f"NOT MET: {', '.join(missed)}"
    return "met" + (f"; not measured: {', '.join(missing)}" if missing else "")


def meets(cell: str, wanted: str) -> bool:
    """Whether a cell is as a goal wants it."""
    found = _RELATION.fullmatch(wanted)
    if found is None:
        is_number = _is_number(cell) and _is_number(wanted)
        return _number(cell) == _number(wanted) if is_number else cell == wanted
    parts, limits = cell.split("+"), found[2].split("+")
    if len(parts) != len(limits) or not all(map(_is_number, parts)):
        return False
    compare = _ORDERS[found[1]]
    pairs = zip(parts, limits, strict=True)
    return all(compare(_number(part), _number(limit)) for part, limit in pairs)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?%?", text) is not None


def _number(text: str) -> float:
    return float(text.removesuffix("%"))


def write(rows: Sequence[Row], path: Path) -> None:
    """Writes all cells as JSON."""
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
