# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares interpreter and emulator bit for bit with exact numbers; see docs/exact.md.

Runs the kernels of test/kernels that have launches. One that differs needs a reason
that this finds in its ops: a law that exact numbers lack. `--gpu` names the chips,
words are parts of kernels' names, `--write` puts the table of what differs on the page.
Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "zoo"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import real_kernels
from zoo_launch import LAUNCHES

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.options import Options

ROOT = Path(__file__).resolve().parents[2]

PAGE = ROOT / "docs" / "exact.md"
START, END = (
    "<!-- differs: tools/checks/exact.py --write -->",
    "<!-- end of differs -->",
)
CALLS = Options(libdevice=False)
"""Functions of libdevice stay calls, with which the emulator computes."""
GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
SECONDS = 60
"""Wall time after which a run counts as endless: a loop may wait for convergence."""
MOST_OPS = 100_000
ARCHIVE = ROOT / "test" / "kernels" / "zoo" / "bytecode-13.4.zip"
_NARROWED = r"ftof .*-> tile<[^>]*({})"
REASONS = (
    (r"= (bitcast) .*f\d+>", "`{}`: integer arithmetic on the bits of floats"),
    (r"= (loop)\b", "`{}`: until something converges"),
    (
        r"= iota .*\n.*= (itof) ",
        "`{}` of known numbers: LLVM folds what it is multiplied with, and rounds",
    ),
)
FIRST_CHIPS = {"f8": 89, "f4": 100}
"""The first chip that has instructions to narrow to a format."""

Made = tuple[tuple[int, ...], list[Any], list[Any]]
"""Grid, arguments and the arrays among them."""
Make = Callable[[], Made]


@dataclass(frozen=True)
class Work:
    """A kernel with its launches.

    Attributes:
        data: Its bytecode.
        make: Grid, arguments and the arrays among them, the same each time.
    """

    name: str
    data: bytes
    make: Make


def works() -> Iterator[Work]:
    """All kernels with launches."""
    for file in sorted((ROOT / "test" / "zoo").glob("zoo_*.py")):
        import_module(file.stem)
    with zipfile.ZipFile(ARCHIVE) as archive:
        for name in sorted(LAUNCHES):
            data = archive.read(f"{name}.tileirbc")
            yield Work(name, data, partial(_zoo, name))
    for name in sorted(real_kernels.RECIPES):
        data = real_kernels.kernel_path(name).read_bytes()
        yield Work(name, data, partial(real, name))


def _zoo(name: str) -> Made:
    launch = LAUNCHES[name]()
    args: list[Any] = []
    for arg in launch.args:
        is_array = isinstance(arg, np.ndarray)
        args.extend(cuda_tile.array_args(cast(Any, arg)) if is_array else [arg])
    return launch.grid, args, _arrays(args)


def real(name: str, sizes: tuple[int, ...] | None = None) -> Made:
    """A problem of one of the real kernels, of its own sizes if None."""
    problem = real_kernels.make_problem(name, sizes)
    return problem.grid, problem.args, _arrays(problem.args)


def _arrays(args: list[Any]) -> list[Any]:
    return [arg for arg in args if hasattr(arg, "tobytes") and arg.ndim]


def outcome(module: Any, work: Work, **choices: Any) -> list[bytes] | str:
    """The arrays after a run with exact numbers, or why there are none."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError

    grid, args, arrays = work.make()
    signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        cuda_tile.run(module, grid=grid, args=args, numbers="exact", **choices)
    except (UserError, TimeoutError) as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:200]}"
    finally:
        signal.alarm(0)
    return [array.tobytes() for array in arrays]


def reason(module: Any, gpu: str) -> str:
    """The law that a kernel needs and that exact numbers lack; empty for none."""
    text = str(module)
    for pattern, why in REASONS:
        if found := re.search(pattern, text):
            return why.format(found[1])
    for kind, first in FIRST_CHIPS.items():
        if int(gpu.removeprefix("sm_")) < first and re.search(
            _NARROWED.format(kind), text
        ):
            return f"rounding to {kind} by integer instructions before sm_{first}"
    return ""


def judge(work: Work, gpus: tuple[str, ...]) -> dict[str, str]:
    """How the emulator differs, per chip; empty where it does not."""
    module = cuda_tile.load(work.data)
    expected = outcome(module, work, limit=MOST_OPS)
    if isinstance(expected, str):
        return dict.fromkeys(gpus, expected)
    found: dict[str, str] = {}
    for gpu in gpus:
        compiled = cuda_tile.compile(module, gpu, options=CALLS, cubin=False)
        got = outcome(module, work, on="emulator", compiled=compiled)
        same = got if isinstance(got, str) else ""
        found[gpu] = same or ("" if got == expected else "other bits")
    return found


EVERY = 12
"""Of so many kernels one is judged where nobody asks for all, as in CI."""


def main() -> int:
    """Judges kernels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--gpu", default=",".join(GPUS))
    parser.add_argument("--write", action="store_true", help="judge all, and note it")
    parser.add_argument("--every", type=int, default=EVERY, help="of so many one")
    options = parser.parse_args()
    gpus = tuple(options.gpu.split(","))
    every = 1 if options.write or options.words else options.every
    rows: list[str] = []
    equal = listed = failed = 0
    for work in list(works())[::every]:
        if options.words and not any(word in work.name for word in options.words):
            continue
        for gpu, difference in judge(work, gpus).items():
            why = reason(cuda_tile.load(work.data), gpu) if difference else ""
            equal += not difference
            listed += bool(why)
            failed += bool(difference and not why)
            if difference:
                print(
                    f"{gpu} {work.name}: {difference} ({why or 'no reason'})",
                    flush=True,
                )
                rows.append(f"| {work.name} | {gpu} | {why} |")
    print(f"{equal} equal, {listed} listed")
    if options.write:
        _write(
            [
                f"{equal} of {equal + listed + failed} runs are equal.",
                "",
                "| kernel | chip | why it differs |",
                "|---|---|---|",
                *rows,
            ]
        )
    print(f"{equal + listed} passed, {failed} failed")
    return min(failed, 1)


def _write(lines: list[str]) -> None:
    text = PAGE.read_text()
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    table = "\n".join(lines)
    PAGE.write_text(f"{before}{START}\n{table}\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
