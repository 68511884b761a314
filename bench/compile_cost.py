# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling the real kernels costs: CPU milliseconds of each step.

    python bench/compile_cost.py [FOLDER] [--gpu sm_90 ...] [--runs 5] [--peer TILEIRAS]

One row per kernel and GPU, the best of several runs in one process (imports and the
first use of LLVM are not counted; `--cold` counts a whole process as well). ptxas is
a process of its own: its CPU time is what the system says of children. FOLDER has
bytecode files, at any depth; without one it is the kernels of `test/kernels`. What the
compiler refuses is counted in the last line.

With `--check` each kernel is also compiled to PTX, without and with the checkers behind
passes in turn; the last lines say what they add, as a share of the time without them.

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
from cuda_tile.errors import UserError
from cuda_tile.options import Options

PASSES_SHOWN = (
    *("load", "simplify", "plan", "place", "stage", "order", "allocate", "barriers"),
    *("emit", "llvm", "ptxas"),
)
REST = "rest"
SUFFIXES = (".tileirbc", ".tilebc")


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
        ptx: Without ptxas; None where `check` was not asked for.
        check: The same with the checkers behind passes.
    """

    kernel: str
    gpu: str
    total: float
    steps: dict[str, float] = field(default_factory=dict[str, float])
    peer: float | None = None
    cold: float | None = None
    ptx: float | None = None
    check: float | None = None


def children_seconds() -> float:
    """CPU seconds of the child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure_once(kernel: str, path: Path, gpu: str) -> Cost:
    """Reads and compiles a kernel in this process."""
    before, start = children_seconds(), time.process_time()
    module = cuda_tile.load(path)
    load = time.process_time() - start
    compiled = cuda_tile.compile(module, gpu)
    own = time.process_time() - start
    ptxas = children_seconds() - before
    steps = {"load": load} | compiled.report.seconds | {"ptxas": ptxas}
    steps[REST] = max(0.0, own + ptxas - sum(steps.values()))
    return Cost(kernel, gpu, own + ptxas, steps)


def measure_checks(path: Path, gpu: str, runs: int) -> tuple[float, float]:
    """CPU seconds to PTX without and with checkers, the best of runs in turn."""
    module = cuda_tile.load(path)
    best = [float("inf"), float("inf")]
    for _ in range(runs):
        for place, check in enumerate((False, True)):
            options, start = Options(gpu=gpu, check=check), time.process_time()
            cuda_tile.compile(module, options=options, cubin=False)
            best[place] = min(best[place], time.process_time() - start)
    return best[0], best[1]


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


def measure(
    kernel: str, path: Path, gpu: str, arguments: argparse.Namespace
) -> Cost | None:
    """The best of several runs, and beside it what was asked for; None if refused.

    A file that cannot be read counts as refused.
    """
    runs: int = arguments.runs
    try:
        costs = [measure_once(kernel, path, gpu) for _ in range(runs)]
    except UserError:
        return None
    best = min(costs, key=lambda cost: cost.total)
    peer = cold = ptx = check = None
    if arguments.check:
        ptx, check = measure_checks(path, gpu, runs)
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder, "kernel.cubin"))
        if arguments.peer:
            options = ["-o", output, "--gpu-name", gpu, "-O3"]
            peer = measure_process([arguments.peer, str(path), *options], runs)
        if arguments.cold:
            module = [sys.executable, "-m", "cuda_tile.cli.compile", str(path)]
            cold = measure_process([*module, "--gpu", gpu, "-o", output], runs)
    return Cost(kernel, gpu, best.total, best.steps, peer, cold, ptx, check)


def shown_steps(cost: Cost) -> dict[str, float]:
    """Seconds of each shown step; the others are added up as `rest`."""
    found: dict[str, float] = dict.fromkeys((*PASSES_SHOWN, REST), 0.0)
    for name, seconds in cost.steps.items():
        found[name if name in found else REST] += seconds
    return found


def print_table(
    costs: list[Cost], columns: dict[str, Callable[[Cost], float | None]]
) -> None:
    """Milliseconds of CPU, all of it and each step's."""
    names = (*PASSES_SHOWN, REST)
    heads = "".join(f"{name:>9}" for name in columns)
    print(f"{'kernel':30}{'GPU':7}{heads}   {''.join(f'{n:>9}' for n in names)}")
    for cost in costs:
        values = [column(cost) for column in columns.values()]
        times = "".join(
            f"{'-':>9}" if value is None else f"{value * 1e3:>9.0f}" for value in values
        )
        parts = "".join(f"{s * 1e3:>9.1f}" for s in shown_steps(cost).values())
        print(f"{cost.kernel:30}{cost.gpu:7}{times}   {parts}")
    sums = [[column(cost) or 0.0 for cost in costs] for column in columns.values()]
    totals = "".join(f"{sum(values) * 1e3:>9.0f}" for values in sums)
    print(f"{'sum':37}{totals}")
    for gpu in dict.fromkeys(cost.gpu for cost in costs if cost.check):
        plain = sum(cost.ptx or 0.0 for cost in costs if cost.gpu == gpu)
        checked = sum(cost.check or 0.0 for cost in costs if cost.gpu == gpu)
        print(f"{gpu}: checkers add {checked / plain - 1:.1%} to the time to PTX")
    both = [cost for cost in costs if cost.peer]
    if both:
        ratio = sum(c.total for c in both) / sum(c.peer or 0.0 for c in both)
        print(f"of the peer's, where it compiles too ({len(both)}): {ratio:.2f}")


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="of bytecode files")
    parser.add_argument("--gpu", action="append", metavar="SM", help="default: sm_90")
    parser.add_argument("--kernel", action="append", help="only those of this name")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="best of N")
    parser.add_argument("--peer", metavar="TILEIRAS", help="the program's path")
    parser.add_argument("--cold", action="store_true", help="time whole processes too")
    parser.add_argument("--check", action="store_true", help="time checkers too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers")
    return parser.parse_args()


def find_kernels(folder: Path | None) -> dict[str, Path]:
    """The files to compile, by the name that the table gives them."""
    if folder is None:
        return {name: kernel_path(name) for name in RECIPES}
    files = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    return {str(path.relative_to(folder).with_suffix("")): path for path in files}


def main() -> int:
    """Prints the table."""
    arguments = read_arguments()
    gpus: list[str] = arguments.gpu or ["sm_90"]
    kernels = find_kernels(arguments.folder)
    if arguments.kernel:
        wanted = set(arguments.kernel)
        kernels = {k: p for k, p in kernels.items() if {k, Path(k).name} & wanted}
    warm = next(iter(RECIPES))
    measure_once(warm, kernel_path(warm), gpus[0])  # loads LLVM's target, fills caches
    found = [measure(k, p, gpu, arguments) for k, p in kernels.items() for gpu in gpus]
    costs = [cost for cost in found if cost is not None]
    columns: dict[str, Callable[[Cost], float | None]] = {"ms": lambda c: c.total}
    if arguments.cold:
        columns["process"] = lambda c: c.cold
    if arguments.check:
        columns |= {"to PTX": lambda c: c.ptx, "checked": lambda c: c.check}
    if arguments.peer:
        columns["peer"] = lambda c: c.peer
    print_table(costs, columns)
    print(f"refused: {len(found) - len(costs)} of {len(found)}")
    if arguments.json:
        text = json.dumps([asdict(cost) for cost in costs], indent=1)
        arguments.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
