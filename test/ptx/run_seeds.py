# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs under many adversarial seeds: `run_seeds.py [SEEDS [PROGRAM ...]]`.

Called by `tools/adversarial`. Prints a line per program and `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import sys
import time

from ptx_programs import PROGRAMS, Program

from cuda_tile.emulator import FindingError


def failure_of(program: Program, seed: int) -> str:
    """What is wrong under a seed; nothing if all is well."""
    try:
        program.run("adversarial", seed)
    except (FindingError, AssertionError) as error:
        return f"seed {seed}: {error}"
    return ""


def main() -> int:
    """Runs them; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="?", default=100)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    names: list[str] = options.programs or list(PROGRAMS)
    if unknown := [name for name in names if name not in PROGRAMS]:
        parser.error(f"expected programs of {', '.join(PROGRAMS)}, got {unknown[0]}")
    passed = failed = 0
    for name in names:
        start = time.process_time()
        found = [failure_of(PROGRAMS[name], seed) for seed in range(options.seeds)]
        bad = [text for text in found if text]
        passed, failed = passed + len(found) - len(bad), failed + len(bad)
        seconds = time.process_time() - start
        print(f"{name:24}{len(found) - len(bad)} seeds right, {seconds:.1f} s")
        for text in bad[:3]:
            print(f"  {text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
