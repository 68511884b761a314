"""What compiling the real kernels costs: CPU seconds, and the share of each step.

    python bench/compile_cost.py [--gpu sm_90 ...] [--runs 5] [--peer TILEIRAS]

One row per kernel and GPU, the best of several runs in one process (imports and the
first use of LLVM are not counted; `--cold` counts a whole process instead). ptxas is
a process of its own: its CPU time is what the system says of children.

With `--peer` NVIDIA's closed compiler `tileiras` runs side by side on the same files,
as a black box: one process per kernel, timed the same way. See bench/README.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

from real_kernels import RECIPES, kernel_path

import cuda_tile

PASSES_SHOWN = ("load", "simplify", "plan", "place", "stage", "emit", "llvm", "ptxas")
REST = "rest"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of one compilation.

    Attributes:
        kernel: Its name.
        gpu: Target chip.
        total: All of it, ptxas included.
        steps: Per step; what no step counted is `rest`.
        peer: The peer's process, or None where it did not run or failed.
        cold: A whole process of ours, or None where it was not asked for.
    """

    kernel: str
    gpu: str
    total: float
    steps: dict[str, float] = field(default_factory=dict[str, float])
    peer: float | None = None
    cold: float | None = None


def children_seconds() -> float:
    """CPU seconds of the child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure_once(kernel: str, gpu: str) -> Cost:
    """Reads and compiles a kernel in this process."""
    before, start = children_seconds(), time.process_time()
    module = cuda_tile.load(kernel_path(kernel))
    load = time.process_time() - start
    compiled = cuda_tile.compile(module, gpu)
    own = time.process_time() - start
    ptxas = children_seconds() - before
    steps = {"load": load} | compiled.report.seconds | {"ptxas": ptxas}
    steps[REST] = max(0.0, own + ptxas - sum(steps.values()))
    return Cost(kernel, gpu, own + ptxas, steps)


def measure_process(command: list[str], runs: int) -> float | None:
    """CPU seconds of a command and its children, best of `runs`; None if it fails."""
    best: float | None = None
    for _ in range(runs):
        before = children_seconds()
        result = subprocess.run(command, capture_output=True, check=False)
        spent = children_seconds() - before
        if result.returncode:
            return None
        best = spent if best is None else min(best, spent)
    return best


def measure(kernel: str, gpu: str, arguments: argparse.Namespace) -> Cost:
    """The best of several runs, and beside it what was asked for."""
    runs: int = arguments.runs
    best = min(
        (measure_once(kernel, gpu) for _ in range(runs)), key=lambda cost: cost.total
    )
    path = str(kernel_path(kernel))
    peer = cold = None
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder, "kernel.cubin"))
        if arguments.peer:
            command = [arguments.peer, path, "-o", output, "--gpu-name", gpu, "-O3"]
            peer = measure_process(command, runs)
        if arguments.cold:
            module = [sys.executable, "-m", "cuda_tile.cli.compile"]
            cold = measure_process([*module, path, "--gpu", gpu, "-o", output], runs)
    return Cost(kernel, gpu, best.total, best.steps, peer, cold)


def shares(cost: Cost) -> dict[str, float]:
    """Part of each shown step in the total; the others are added up as `rest`."""
    found: dict[str, float] = dict.fromkeys((*PASSES_SHOWN, REST), 0.0)
    for name, seconds in cost.steps.items():
        found[name if name in found else REST] += seconds / cost.total
    return found


def print_table(
    costs: list[Cost], columns: dict[str, Callable[[Cost], float | None]]
) -> None:
    """Milliseconds of CPU, then each step's share."""
    names = (*PASSES_SHOWN, REST)
    heads = "".join(f"{name:>9}" for name in columns)
    print(f"{'kernel':30}{'GPU':7}{heads}   {''.join(f'{n:>9}' for n in names)}")
    for cost in costs:
        values = [column(cost) for column in columns.values()]
        times = "".join(
            f"{'-':>9}" if value is None else f"{value * 1e3:>9.0f}" for value in values
        )
        parts = "".join(f"{share:>9.0%}" for share in shares(cost).values())
        print(f"{cost.kernel:30}{cost.gpu:7}{times}   {parts}")
    sums = [[column(cost) or 0.0 for cost in costs] for column in columns.values()]
    totals = "".join(f"{sum(values) * 1e3:>9.0f}" for values in sums)
    print(f"{'sum':37}{totals}")


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: sm_90")
    parser.add_argument("--kernel", action="append", choices=tuple(RECIPES))
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="best of N")
    parser.add_argument("--peer", metavar="TILEIRAS", help="the program's path")
    parser.add_argument("--cold", action="store_true", help="time whole processes too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers")
    return parser.parse_args()


def main() -> int:
    """Prints the table."""
    arguments = read_arguments()
    gpus: list[str] = arguments.gpu or ["sm_90"]
    kernels: list[str] = arguments.kernel or list(RECIPES)
    measure_once(kernels[0], gpus[0])  # loads LLVM's target, fills caches
    costs = [measure(kernel, gpu, arguments) for kernel in kernels for gpu in gpus]
    columns: dict[str, Callable[[Cost], float | None]] = {"ms": lambda c: c.total}
    if arguments.cold:
        columns["process"] = lambda c: c.cold
    if arguments.peer:
        columns["peer"] = lambda c: c.peer
    print_table(costs, columns)
    if arguments.json:
        text = json.dumps([asdict(cost) for cost in costs], indent=1)
        arguments.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
