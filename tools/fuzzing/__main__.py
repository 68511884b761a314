# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all generators of programs for some time, and keeps what they find.

    tools/fuzz --seconds 3600 --jobs 4 --folder DIR
    tools/fuzz --folder DIR --history
    tools/fuzz --replay DIR/findings/programs-0123456789.json

Programs are judged as tools/differential, tools/near_misses, tools/fuzz_ptx and
tools/fuzz_bytecode judge theirs. Each failing one is made small and filed once. The
next session goes on where the last one ended, after it has seen what was mended.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import cast

from fuzzing.foreign_kind import Tileiras, find_tileiras
from fuzzing.history import history_table, session_table
from fuzzing.kinds import GENERATORS, OWN
from fuzzing.session import ROOT, Session
from fuzzing.store import Store
from fuzzing.tasks import judged


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="The exit status is 1 if a finding is open.",
    )
    add = parser.add_argument
    add("--seconds", type=float, default=600, metavar="S", help="of a session, 600")
    add("--programs", type=int, metavar="N", help="end after so many, too")
    add("--jobs", type=int, default=1, metavar="N", help="processes, 1")
    folder = ROOT / "build" / "fuzz" / "standing"
    add("--folder", type=Path, default=folder, metavar="DIR", help="keeps it all")
    add("--kind", action="append", choices=tuple(GENERATORS), help="may be repeated")
    add("--history", action="store_true", help="print a table of all sessions")
    add("--replay", type=Path, nargs="+", metavar="JSON", help="judge findings again")
    return parser.parse_args()


def _replay(store: Store, paths: list[Path]) -> int:
    """Judges findings again; 1 if one of them still fails."""
    is_open = False
    for path in paths:
        found = store.read_finding(path)
        failure = judged(GENERATORS[found.made.kind], found.made).failure
        print(f"{found.name}: {failure or 'all is well'}")
        is_open |= failure is not None
    return int(is_open)


def main() -> int:
    """Runs a session, or says what is known; 1 if a finding is open."""
    words = _arguments()
    store = Store(words.folder, GENERATORS)
    if words.history:
        print(history_table(store.history()))
        return 0
    if words.replay:
        return _replay(store, words.replay)
    kinds = cast("list[str]", words.kind) or list(OWN)
    if Tileiras.name in kinds:
        find_tileiras()
    session = Session(store, kinds, words.seconds, words.programs)
    session.run(words.jobs)
    print(session_table(session.facts()))
    found = [each for each in store.findings.values() if each.state == "open"]
    print("".join(f"open: {each}\n" for each in found), end="")
    programs = sum(total.programs for total in session.totals.values())
    print(f"{programs} programs, {len(found)} open findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
