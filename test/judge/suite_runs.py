# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs candidates of the suite; a file is called by its verdict, then a name.

    python test/judge/suite_runs.py [PATTERN ...]

judges all, or those that match, in one process; prints those with another verdict than
their name says, and how many kernels an hour one core judges.
"""

from __future__ import annotations

import resource
import sys
import time
from importlib import util
from pathlib import Path

from cuda_tile.judge.court import Rules
from cuda_tile.judge.launches import SUFFIXES
from cuda_tile.judge.runner import Limits, judge_file

SUITE = Path(__file__).parent / "suite"
CANDIDATES = sorted(
    path
    for path in SUITE.glob("*/*")
    if path.suffix in (".py", *SUFFIXES) and path.name != "reference.py"
)
CALL_SECONDS = 8.0
"""Enough for the slowest right one; three wait for it to end."""


def lacks(path: Path) -> str:
    """Why a candidate cannot be judged here; nothing if it can."""
    is_torch = path.parent.name == "tensors"
    if is_torch and util.find_spec("torch") is None:
        return "needs torch (800 MB), which the project's environment leaves out"
    return ""


def seed_of(path: Path) -> int | None:
    """A seed, so that a run can be repeated; but none for whom may not know it."""
    return None if "seed" in path.stem else 7


def wanted(path: Path) -> str:
    """The verdict that a candidate should get."""
    return path.stem.partition("_")[0]


def main(patterns: list[str]) -> int:
    """Judges; gives 1 if a verdict is another."""
    chosen = [
        path
        for path in CANDIDATES
        if any(path.match(pattern) for pattern in patterns or ["*"]) and not lacks(path)
    ]
    if not chosen:
        raise SystemExit("expected a pattern that some candidate matches")
    limits = Limits(300, 2 << 30, Rules(seconds=CALL_SECONDS))
    start, failures = time.perf_counter(), 0
    for path in chosen:
        verdict = judge_file(
            path, path.with_name("reference.py"), limits, seed_of(path)
        )
        if verdict.word != wanted(path):
            failures += 1
            print(
                path.relative_to(SUITE), verdict.word, *verdict.findings[:2], sep="\n  "
            )
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = [
        f"{3600 * len(chosen) / seconds:.0f} {what}"
        for seconds, what in (
            (wall, "an hour"),
            (used.ru_utime + used.ru_stime, "an hour of CPU time"),
        )
    ]
    print(f"{len(chosen)} judged, {failures} otherwise than named", *said, sep=", ")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
