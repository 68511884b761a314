# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that README's status table is up to date; `--write` updates it.

The table is between two comments in README.md. It counts, per family, the ops that each
stage supports (see stages.py), and the element types of operands and results that
tests of test/ops use, of all that there are (see pairs.py). A count below README's,
because an op lost its rule or test, is an error even with `--write`; it takes an edit
of README by hand, in a commit that gives the reason. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pairs import counts
from stages import STAGES, table

from cuda_tile import ods

README = Path(__file__).resolve().parents[2] / "README.md"
BEGIN = "<!-- status: tools/checks/status.py --write -->"
PAIRS = "pairs tested"
"""Element types of operands and results that the op tests use, see pairs.py."""
END = "<!-- end of status -->"


def family_of(name: str) -> str:
    """The family of an op; the second dialect counts as one."""
    return "tileas" if name.startswith("tileas.") else ods.ops()[name].family


def status() -> str:
    """The table in Markdown."""
    rows = table()
    families = dict.fromkeys(family_of(name) for name in rows)
    tested = counts()
    lines = [
        f"| family | ops | {' | '.join((*STAGES, PAIRS))} |",
        "|---" * (len(STAGES) + 3) + "|",
    ]
    for family in sorted(families):
        members = [name for name in rows if family_of(name) == family]
        cells = [_count([rows[name][stage] for name in members]) for stage in STAGES]
        known = tested.get(family)
        cells.append(f"{known[0]} of {known[1]}" if known else "-")
        lines.append(f"| {family} | {len(members)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _count(cells: list[str]) -> str:
    """How many of the ops that need a stage have it; `-` if none needs it."""
    known = sum(cell in ("yes", "STALE") for cell in cells)
    needed = known + cells.count("GAP")
    if not needed:
        return "-"
    return "all" if known == needed else f"{known} of {needed}"


def fallen(committed: str, current: str) -> list[str]:
    """Says which counts of a table are less than those of a table before it.

    A family or stage that only one of the tables has is not compared.
    """
    before, now = _known(committed), _known(current)
    return [
        f"README.md: expected '{stage}' to know {known} ops of {family} or more, got "
        f"{now[family, stage]}; a rule or a test was lost"
        for (family, stage), known in before.items()
        if now.get((family, stage), known) < known
    ]


def _known(text: str) -> dict[tuple[str, str], int]:
    """How many ops each stage knows, by family and stage; `-` counts as none."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.strip().splitlines()
    ]
    if not rows:
        return {}
    (_, _, *stages), _, *families = rows
    return {
        (family, stage): _number(cell, count)
        for family, count, *cells in families
        for stage, cell in zip(stages, cells, strict=True)
    }


def _number(cell: str, count: str) -> int:
    if cell in ("all", "-"):
        return int(count) if cell == "all" else 0
    return int(cell.split()[0])


def main() -> int:
    """Compares or writes; 1 if README is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="update README.md")
    is_writing: bool = parser.parse_args().write
    text = README.read_text()
    before, begin, rest = text.partition(BEGIN)
    committed, end, after = rest.partition(END)
    if not begin or not end:
        print(f"README.md: expected '{BEGIN}' and '{END}', got none")
        print("0 passed, 1 failed")
        return 1
    current = status()
    if lost := fallen(committed, current):
        print(*lost, f"0 passed, {len(lost)} failed", sep="\n")
        return 1
    wanted = f"{before}{BEGIN}\n{current}\n{END}{after}"
    if is_writing:
        README.write_text(wanted)
    elif wanted != text:
        print("README.md: status table is stale; run tools/checks/status.py --write")
        print("0 passed, 1 failed")
        return 1
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
