# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks docs/zoo.md, kernels that people run beside Triton's; `--write` updates it.

The page is made from bench/zoo.json, which bench/zoo_table.py measures. Checked is that
each kernel of bench/zoo has its lines for each chip and that no result was wrong. Of
the half that is kept apart the page has means only. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "examples"))

from kernel_table import mean, table  # noqa: E402 - a program, found by its folder
from zoo.case import Case  # noqa: E402
from zoo.fields import FIELDS, load  # noqa: E402
from zoo_table import GPUS  # noqa: E402

DATA = ROOT / "bench" / "zoo.json"
PAGE = ROOT / "docs" / "zoo.md"
COLUMNS = {
    "time": "time",
    "clocks": "bound",
    "instr": "instructions",
    "ptx": "PTX",
    "sectors": "sectors",
    "regs": "registers",
}
"""Cells whose means the page has, and how it calls them."""
SLACK = 0.005
"""Times that differ by less are called equal: they are printed with two digits."""
HALVES = {"open": False, "apart": True}
TESTED = ROOT / "test" / "kernels" / "zoo"
EXACT = (
    "divisions, roots, exponentials and logarithms are within a unit in the last "
    "place, Triton's are approximate"
)
COALESCED = (
    "lanes have neighbours, so that each load takes one line of the cache; Triton's "
    "have four elements each, whose bounds neighbours share, and each load takes four "
    "lines, which the bound does not count"
)
EXTENTS = "extents of both arrays are compared, Triton's kernel takes one for both"
REASONS: dict[str, str] = {
    "options_f32": EXACT,
    "swiglu_bf16": EXACT,
    "swiglu_grad_bf16": EXACT,
    "linear_gelu_f16": EXACT,
    "penalise_bf16": EXACT,
    "temperature_f16": EXACT,
    "power_spectrum_f32": EXACT,
    "fir_f32": COALESCED,
    "jacobi_f32": COALESCED,
    "dropout_bf16": EXTENTS,
}
"""Kernels that are looked at, with wildcards: why ours takes more clocks."""
HEAD = """\
# Kernels that people run, beside Triton

<!-- made by tools/checks/zoo_page.py --write from bench/zoo.json -->

{count} kernels of ten fields, written in cuTile and in Triton with the same tiles,
arguments and promises ([bench/zoo](../bench/README.md)), both checked against NumPy.
Ours over Triton's: *time* is the clocks that the [model](time.md) calls likely for the
launch, on a multiprocessor that does many of them; *bound* the [bound](bounds.md) of a
CTA by its busiest resource; both leave DRAM out, of which small launches share less
than large ones, and which makes most of these kernels equal. *Instructions* are those
of the machine code that the warps of a CTA issue, *PTX* those of its text; sectors are
of the launch; registers and spills are those of ptxas. Nothing ran on a GPU.

Each second kernel of a field, in the order in which they were added, is *kept apart*:
it is only measured, and whoever changes the compiler looks at the others alone. A
difference between the halves shows a compiler that was fitted to what was looked at, or
halves that differ from the start: the first measurement, before anything was changed
for these kernels, is [below](#before-anything-was-changed). {known} of those kept apart
have the name of a kernel that tests compile (test/kernels/zoo); *new* are the others.

Measured on {date} with {versions}. This makes the page:

    python bench/zoo_table.py --json bench/zoo.json
    python bench/zoo_table.py --apart --json bench/zoo.json
    python tools/checks/zoo_page.py --write

Triton makes none of: {none}. These are in no mean.

## Halves

Geometric means; *worse*: how many take more than {slack:.1%} longer than Triton's, and
how many have a bound above Triton's; *spill*: how many of ours, and of Triton's, spill.

{halves}

## Fields

Time, over all four chips, and how many take longer:

{fields}

## Those that are looked at

Time, bound and instructions of ours over Triton's:

{rows}
"""
FIRST = """
## Before anything was changed

Bounds of the first measurement (2026-11-28), which counted instructions of PTX:

{first}
"""


@cache
def tested() -> set[str]:
    """The functions of kernels that tests compile."""
    texts = (path.read_text() for path in TESTED.glob("*.py"))
    return {name for text in texts for name in re.findall(r"^def (\w+)", text, re.M)}


def is_new(case: Case) -> bool:
    """Whether a kernel is kept apart, and unlike those of tests too."""
    return case.is_apart and case.kernel._pyfunc.__name__ not in tested()


@dataclass(frozen=True)
class Pair:
    """What was measured of one kernel on one chip; no cells where none compiles."""

    case: Case
    gpu: str
    ours: dict[str, str]
    theirs: dict[str, str]

    def share(self, column: str) -> float:
        """Ours over Triton's; 1 where both are 0."""
        ours, theirs = float(self.ours[column]), float(self.theirs[column])
        return ours / theirs if theirs else 1.0

    @property
    def is_slower(self) -> bool:
        """Whether ours takes longer."""
        return self.share("time") > 1 + SLACK

    @property
    def is_worse(self) -> bool:
        """Whether ours takes longer, or has a higher bound."""
        return self.is_slower or self.share("clocks") > 1


def faults(lines: Sequence[dict[str, Any]]) -> Iterable[str]:
    """What is wrong with the measurements."""
    known = {(line["kernel"], line["gpu"], line["who"]): line for line in lines}
    for name in load():
        for key in ((name, gpu, who) for gpu in GPUS for who in ("ours", "Triton")):
            line = known.get(key)
            if line is None:
                yield f"{' '.join(key)}: not measured; run bench/zoo_table.py"
            elif line["note"].startswith("WRONG") or (
                key[2] == "ours" and not line["cells"]
            ):
                yield f"{' '.join(key)}: {line['note']}"


def pairs(lines: Sequence[dict[str, Any]]) -> list[Pair]:
    """The measurements, kernel by kernel."""
    cases = load()
    found: list[Pair] = []
    for (name, gpu), group in groupby(
        lines, lambda line: (line["kernel"], line["gpu"])
    ):
        cells = {line["who"]: line["cells"] for line in group}
        if name in cases:
            words = (cells.get("ours", {}), cells.get("Triton", {}))
            found.append(Pair(cases[name], gpu, *words))
    return found


def _of(found: Iterable[Pair], *, is_apart: bool, **wanted: str) -> list[Pair]:
    """Those of a half, and of a chip or field if one is named."""
    gpu, field = wanted.get("gpu"), wanted.get("field")
    return [
        pair
        for pair in found
        if pair.case.is_apart == is_apart
        and (gpu is None or pair.gpu == gpu)
        and (field is None or pair.case.field == field)
        and pair.theirs
        and pair.ours
    ]


def halves(found: Sequence[Pair]) -> str:
    """A row for each chip and half."""
    rows: list[list[object]] = []
    for gpu in GPUS:
        for half, some in (
            *((half, _of(found, is_apart=HALVES[half], gpu=gpu)) for half in HALVES),
            ("new", [p for p in _of(found, is_apart=True, gpu=gpu) if is_new(p.case)]),
        ):
            means = [f"{mean([p.share(c) for p in some]):.2f}" for c in COLUMNS]
            slower = sum(pair.is_slower for pair in some)
            higher = sum(pair.share("clocks") > 1 for pair in some)
            spills = [
                sum(cells["spill"] != "0" for cells in each)
                for each in ([p.ours for p in some], [p.theirs for p in some])
            ]
            counts = [f"{slower}, {higher} of {len(some)}", "{}, {}".format(*spills)]
            rows.append([gpu, half, *means, *counts])
    return table(("chip", "half", *COLUMNS.values(), "worse", "spill"), rows)


def fields(found: Sequence[Pair]) -> str:
    """A row for each field."""
    rows: list[list[object]] = []
    for field in FIELDS:
        cells: list[object] = [field]
        for is_apart in HALVES.values():
            some = _of(found, is_apart=is_apart, field=field)
            shares = [pair.share("time") for pair in some]
            cells += [f"{mean(shares):.2f}", sum(pair.is_slower for pair in some)]
        rows.append(cells)
    return table(("field", "open", "slower", "apart", "slower"), rows)


def _cell(pair: Pair | None) -> str:
    if pair is None or not pair.theirs:
        return ""
    return ", ".join(f"{pair.share(c):.2f}" for c in ("time", "clocks", "instr"))


def open_rows(found: Sequence[Pair]) -> str:
    """A row for each kernel that is looked at, field by field, and why it is worse."""
    known = {(pair.case.name, pair.gpu): pair for pair in found}
    rows: list[list[object]] = []
    for case in load().values():
        if case.is_apart:
            continue
        some = [known.get((case.name, gpu)) for gpu in GPUS]
        why = ""
        if any(pair and pair.theirs and pair.is_worse for pair in some):
            why = next((REASONS[p] for p in REASONS if fnmatch(case.name, p)), "open")
        rows.append([f"`{case.name}`", *map(_cell, some), why])
    return table(("kernel", *GPUS, "why worse"), rows)


def _without(found: Sequence[Pair]) -> str:
    by_name = groupby(
        (pair for pair in found if not pair.theirs), lambda pair: pair.case.name
    )
    return "; ".join(
        f"`{name}` for {', '.join(pair.gpu for pair in some)}" for name, some in by_name
    )


def first_means(found: Sequence[Pair]) -> dict[str, list[float]]:
    """Means of clocks by chip: open, apart."""
    return {
        gpu: [
            round(
                mean([p.share("clocks") for p in _of(found, is_apart=half, gpu=gpu)]), 3
            )
            for half in HALVES.values()
        ]
        for gpu in GPUS
    }


def page(data: dict[str, Any]) -> str:
    """The page as it should be."""
    found = pairs(data["lines"])
    first = [
        [gpu, *(f"{x:.2f}" for x in means)] for gpu, means in data["first"].items()
    ]
    head = HEAD.format(
        count=len(load()),
        known=sum(c.is_apart and not is_new(c) for c in load().values()),
        slack=SLACK,
        date=data["date"],
        versions=data["versions"],
        none=_without(found),
        halves=halves(found),
        fields=fields(found),
        rows=open_rows(found),
    )
    return head + FIRST.format(first=table(("chip", *HALVES), first))


def main() -> int:
    """Compares or writes; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update the page")
    is_writing: bool = parser.parse_args().write
    data: dict[str, Any] = json.loads(DATA.read_text())
    wrong = [*faults(data["lines"])]
    wanted = page(data)
    if is_writing:
        PAGE.write_text(wanted)
    elif not PAGE.is_file() or PAGE.read_text() != wanted:
        wrong.append("docs/zoo.md is stale; run tools/checks/zoo_page.py --write")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{int(not wrong)} passed, {len(wrong)} failed")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
