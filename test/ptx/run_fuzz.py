# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the emulator on mutated PTX; called by `tools/fuzz_ptx`.

Prints the outcomes, each new kind of failure, and `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

from ptx_fuzz import Outcome, Start, mutated, outcome, starts
from ptx_harness import assemble

from cuda_tile.emulator.launch import Mode

FOLDER = Path(__file__).resolve().parents[2] / "build" / "fuzz"
SLOW_SECONDS = 10.0
_PLACE = re.compile(r'emulator/(\S+)", line (\d+)')


def sort_of(found: Outcome) -> str:
    """Names a sort of problem: the exception and where it was raised."""
    places = _PLACE.findall(found.message)
    where = ":".join(places[-1]) if places else "somewhere"
    return f"{found.message.strip().splitlines()[-1][:100]} ({where})"


def judged(
    start: Start, text: str, number: int, options: argparse.Namespace
) -> Outcome:
    """The outcome of an input, a slow one and one that ptxas refuses included."""
    begin = time.process_time()
    mode: Mode = "adversarial" if options.adversarial else "fast"
    found = outcome(start, text, mode, number)
    seconds = time.process_time() - begin
    if found.kind != "problem" and seconds > SLOW_SECONDS:
        return Outcome("problem", f"took {seconds:.1f} s")
    if options.ptxas and found.kind in ("report", "FindingError"):
        said = assemble(text, start.target)
        if said:
            return Outcome("refused by ptxas only", said)
    return found


def main() -> int:
    """Runs them; 1 if there is a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=100_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--adversarial", action="store_true")
    parser.add_argument("--ptxas", action="store_true")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    known: Counter[str] = Counter()
    texts = starts()
    for number in range(options.runs):
        draw = random.Random(f"{options.seed} {number}")
        start = draw.choice(texts)
        text = mutated(start.text, draw)
        found = judged(start, text, number, options)
        kinds[found.kind] += 1
        if found.kind in ("problem", "refused by ptxas only"):
            name = sort_of(found)
            known[name] += 1
            if known[name] == 1:
                FOLDER.mkdir(parents=True, exist_ok=True)
                path = FOLDER / f"ptx-{options.seed}-{number}.ptx"
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
                print(f"{start.name}, {found.kind}: {name}: {path}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    failed = kinds["problem"]
    print(f"{options.runs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
