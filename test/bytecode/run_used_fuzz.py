# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses damaged modules that read; called by `tools/fuzz_bytecode --used`.

Prints each new kind of problem, and `N passed, N failed`. A module that takes too long
is named, too: whether it has an end is for a person to see.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

from used_fuzz import Outcome, use_all

SAID_EACH = 256
"""Modules between two lines of progress."""


def sort_of(found: Outcome) -> str:
    """Names a sort of problem: the step and the last line of the traceback."""
    lines = [line for line in found.text.strip().splitlines() if line.strip()]
    return f"{found.step}: {lines[-1][:150] if lines else 'nothing said'}"


def different(folder: Path) -> list[Path]:
    """The files of a folder by their numbers, one of those that are equal."""
    files = sorted(folder.glob("*.tileirbc"), key=lambda file: int(file.stem))
    first = {file.read_bytes(): file for file in reversed(files)}
    return sorted(first.values(), key=lambda file: int(file.stem))


def main() -> int:
    """Uses all files of a folder; 1 if there is a problem."""
    folder = Path(sys.argv[1])
    kinds: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for file, found in use_all(different(folder)):
        kinds[found.kind] += 1
        if kinds.total() % SAID_EACH == 0:
            print(f"{kinds.total()} used", flush=True)
        if found.kind in ("problem", "slow"):
            name = sort_of(found)
            known[name] += 1
            if known[name] == 1:
                kept = shutil.copy(file, folder.with_name(f"{found.kind}-{file.name}"))
                print(f"{name}: {kept}\n{found.text}", flush=True)
    for name, count in known.most_common():
        print(f"{count} times {name}")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    failed = kinds["problem"]
    print(f"{kinds.total() - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
