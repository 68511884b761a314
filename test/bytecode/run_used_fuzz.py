# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses damaged modules that read; called by `tools/fuzz_bytecode --used`.

Prints each new kind of problem, and `N passed, N failed`.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

from used_fuzz import Outcome, use_in_child


def sort_of(found: Outcome) -> str:
    """Names a sort of problem: the step and the last line of the traceback."""
    lines = [line for line in found.text.strip().splitlines() if line.strip()]
    return f"{found.step}: {lines[-1][:150] if lines else 'nothing said'}"


def main() -> int:
    """Uses all files of a folder; 1 if there is a problem."""
    folder = Path(sys.argv[1])
    kinds: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for file in sorted(folder.glob("*.tileirbc"), key=lambda file: int(file.stem)):
        found = use_in_child(file)
        kinds[found.kind] += 1
        if kinds.total() % 100 == 0:
            print(f"{kinds.total()} used", flush=True)
        if found.kind == "problem":
            name = sort_of(found)
            known[name] += 1
            if known[name] == 1:
                kept = shutil.copy(file, folder.with_name(f"problem-{file.name}"))
                print(f"{name}: {kept}\n{found.text}", flush=True)
    for name, count in known.most_common():
        print(f"{count} times {name}")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    failed = kinds["problem"]
    print(f"{kinds.total() - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
