# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the repository's kernels become what `bench/ecosystem.json` says?

    python tools/checks/ecosystem.py [--sample]
    python tools/checks/ecosystem.py --write

Compiles each kernel, runs one CTA of it on the emulator, and compares both with the
record, whose line for each kernel and chip every change writes again: `git diff` of the
record is what a change does to our kernels. `--sample` takes one chip for each kernel,
another one for each commit. Prints what differs from the record, and what the record
has changed since `main`, as a table, also to the summary of a GitHub workflow. Ends
with `N passed, N failed`; a row fails that is another one now.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kernel_records.compare import Limits, table
from kernel_records.own import CHIPS, RECORD, differences, gone, own_tasks, rows_at
from kernel_records.record import Wish, record
from kernel_records.states import ROOT, Rows, without_times, write_rows
from sampling import add_sample_option

from cuda_tile.errors import UserError

WRITE = "run tools/checks/ecosystem.py --write, and commit the record"
SUMMARY = "GITHUB_STEP_SUMMARY"
"""Environment variable of GitHub's runners: a file of Markdown that they show."""


def git(*words: str) -> str:
    """What git says, or nothing."""
    command = ["git", "-C", str(ROOT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def recorded_now(salt: str | None, jobs: int) -> Rows:
    """The rows of what is here."""
    rows = record(Wish((), jobs=jobs), own_tasks(salt))
    return without_times([asdict(row) for row in rows])


def since_main(rows: Rows) -> Iterator[str]:
    """What a record has changed since the branch left `main`, or since its parent."""
    bases = (git("merge-base", "HEAD", name) for name in ("origin/main", "main"))
    head = git("rev-parse", "HEAD")
    start = next((base for base in bases if base not in ("", head)), "HEAD~1")
    try:
        before = rows_at(start)
    except UserError as error:
        yield f"not compared with an earlier commit: {error}"
        return
    yield f"our kernels since {start[:12]}:"
    yield table(differences(before, rows, Limits()))


def show(lines: list[str]) -> None:
    """Prints lines, and adds them to a workflow's summary."""
    text = "\n".join(lines)
    print(text)
    if place := os.environ.get(SUMMARY):
        with Path(place).open("a") as summary:
            summary.write(f"### Our kernels\n\n```\n{text}\n```\n")


def compare(now: Rows) -> int:
    """Compares with the record and prints the report; the number of stale rows."""
    recorded = rows_at(str(ROOT))
    found = [*differences(recorded, now, Limits()), *gone(recorded)]
    lines = [*since_main(recorded)]
    if found:
        lines += [f"{RECORD} is stale; {WRITE}:", table(found)]
        worse = sum(change.is_worse for change in found)
        lines += [f"{len(found)} differences, {worse} for the worse"]
    show(lines)
    return len({(change.kernel, change.gpu) for change in found})


def main() -> int:
    """Compares or writes; 1 if the record is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the record again")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes, 1")
    add_sample_option(parser, len(CHIPS))
    words = parser.parse_args()
    is_whole = words.write or words.sample == 1
    now = recorded_now(None if is_whole else git("rev-parse", "HEAD"), words.jobs)
    if words.write:
        write_rows(ROOT / RECORD, now)
    failed = compare(now)
    print(f"{len(now) - min(failed, len(now))} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
