# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How soon each door of the lab answers on a small kernel.

    python bench/answers.py [--runs 5]

Seconds on the clock and of CPU, with all child processes: the least of some runs, each
a process of its own. Nothing is cached but Python's compiled files.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "examples" / "guide"
ADD = ROOT / "test" / "judge" / "suite" / "add"
KERNEL = [GUIDE / "scale.mlir", "--grid", "4", "arange:f32[256]", "zeros:f32[256]"]
SOFTMAX = GUIDE / "debugging" / "softmax.py"
EMULATED = ["--on", "emulator", "--gpu", "sm_90"]
JUDGED = [ADD / "right_plain.py", "--against", ADD / "reference.py"]
DOORS = {
    "interpreter": ["cuda_tile.cli.run", *KERNEL],
    "emulator": ["cuda_tile.cli.run", *EMULATED, *KERNEL],
    "debugger, Tile IR": ["cuda_tile.cli.run", "--debug", *KERNEL],
    "debugger, emulator": ["cuda_tile.cli.run", "--debug", *EMULATED, *KERNEL],
    "cuTile Python": ["cuda_tile.cutile", SOFTMAX],
    "debugger, cuTile Python": ["cuda_tile.cutile", "--debug", SOFTMAX],
    "judge": ["cuda_tile.judge", *JUDGED],
    "judge, interpreter only": ["cuda_tile.judge", "--no-emulator", *JUDGED],
}


def seconds(words: list[str | Path]) -> tuple[float, float]:
    """How long a command takes, clock and CPU; a debugger is told to go on."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", *map(str, words)]
    subprocess.run(command, input="c\n" * 9, text=True, check=True, capture_output=True)
    after, stop = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return stop - start, used


def main() -> None:
    """Prints a row for each door."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    # What is installed has its modules compiled, as a checkout has after one run.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(f"{'door':<26} {'clock':>6} {'CPU':>6}")
    for door, words in DOORS.items():
        found = [seconds(words) for _ in range(runs)]
        clock, used = (min(each) for each in zip(*found, strict=True))
        print(f"{door:<26} {clock:>6.2f} {used:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
