# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of one process over many compilations: it must not grow.

    python bench/compile_memory.py [--runs 10000] [--threads 2] [--gpu sm_90]

Reads and compiles small real kernels to PTX, in turn, in some threads. Prints ten times
what memory the process holds (resident, MiB), and how many bytes a compilation added:
the median over the tenths after the first, in which caches fill. A leak adds to every
tenth; an allocator that takes a new arena adds to one.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import cuda_tile

KERNELS = Path(__file__).resolve().parent.parent / "test" / "kernels" / "13.4"
NAMES = ("vadd_f32_1024", "vadd_i32_8", "saxpy_tail_f32", "softmax_f32_1024")


def resident_bytes() -> int:
    """What the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def ptx_of(name: str, gpu: str, line_info: bool = True) -> str:
    """Reads and compiles a kernel, in a context of its own."""
    module = cuda_tile.load(KERNELS / f"{name}.tileirbc")
    options = cuda_tile.Options(line_info=line_info)
    return cuda_tile.compile(module, gpu, options=options, cubin=False).ptx


def grown_bytes(runs: int, threads: int, gpu: str, is_shown: bool = False) -> float:
    """Bytes that memory grew by per compilation: the median of the tenths of `runs`.

    The first tenth is left out. Memory that a tenth gives back is negative growth.
    """

    def compile_next(turn: int) -> str:
        return ptx_of(NAMES[turn % len(NAMES)], gpu)

    tenth = max(1, runs // 10)
    sizes: list[int] = []
    with ThreadPoolExecutor(threads) as pool:
        for part in range(10):
            turns = range(part * tenth, (part + 1) * tenth)
            list(pool.map(compile_next, turns))
            gc.collect()
            sizes.append(resident_bytes())
            if is_shown:
                done, size = (part + 1) * tenth, sizes[-1] / (1 << 20)
                print(f"{done:>7} compilations {size:8.1f} MiB", flush=True)
    grown = [after - before for before, after in pairwise(sizes)]
    return statistics.median(grown) / tenth


def main() -> int:
    """Prints the measurement; 1 if memory grew by a kibibyte per compilation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--gpu", default="sm_90")
    arguments = parser.parse_args()
    grown = grown_bytes(arguments.runs, arguments.threads, arguments.gpu, True)
    print(f"{grown:.0f} bytes per compilation")
    return int(grown > 1024)


if __name__ == "__main__":
    sys.exit(main())
