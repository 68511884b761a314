# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-tune`: finds plan, hints and constants of fewest clocks, without a GPU.

    cuda-tile-tune matmul.tileirbc --gpu sm_90 -o record.json
    cuda-tile-compile matmul.tileirbc --gpu sm_90 --tuning record.json

docs/tuning.md describes it. Ctrl-C ends it with what is known by then, and 130.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cuda_tile import api
from cuda_tile.batch.cache import Cache, is_off
from cuda_tile.batch.run import Machines
from cuda_tile.batch.summary import progress_bar
from cuda_tile.batch.workers import Limits
from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.cli.files import write_output
from cuda_tile.cli.many import add_arguments, read_limits
from cuda_tile.errors import UserError
from cuda_tile.ir.walk import find_entry
from cuda_tile.options import Options
from cuda_tile.pictures.inputs import read_inputs
from cuda_tile.runtime.record import ABIS
from cuda_tile.targets import target_names
from cuda_tile.tuned import TuningRecord
from cuda_tile.tuning.search import TOP, Tuned, processors, tune
from cuda_tile.tuning.text import tuned_text

STOPPED = 130
"""Exit code of a command that Ctrl-C ended."""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="cuda-tile-tune",
        description="Finds the plan, hints and constants with which a kernel takes the "
        "fewest clocks, by compiling candidates and counting on the emulator.",
    )
    parser.add_argument(
        "kernel",
        metavar="KERNEL",
        nargs="?",
        help="kernel file, text or bytecode, or FILE.py:NAME of what "
        "cuda_tile.tunable marks",
    )
    parser.add_argument(
        "--gpu", metavar="SM", help=f"target chip: {', '.join(target_names())}"
    )
    parser.add_argument(
        "--args",
        metavar="'GRID ARG ...'",
        help="the launch that is counted, with arguments as cuda-tile-run has them, "
        "such as '4,4 randn:f16[64,64] ...', or the folder of a recorded launch; "
        "default: one tile block on arrays of a few tiles",
    )
    parser.add_argument(
        "--over",
        metavar="NAME[=V,...]",
        action="append",
        help="what is varied: plan, occupancy, num_cta_in_cga or a marked constant, "
        "with its values or all; may be repeated; default: plan and marked constants",
    )
    parser.add_argument(
        "--top", metavar="K", type=int, default=TOP, help="show and record the best K"
    )
    parser.add_argument(
        "--exhaustive",
        action="store_true",
        help="compile also what an estimate rules out",
    )
    parser.add_argument("-o", dest="output", metavar="RECORD", help="- is stdout")
    parser.add_argument(
        "--merge",
        metavar="RECORD",
        action="append",
        default=[],
        help="record whose choices the output has too; may be repeated",
    )
    parser.add_argument("--abi", choices=ABIS, default=ABIS[0], help="of the launcher")
    add_arguments(parser)
    return parser


@reports_errors
def main() -> int:
    """Runs the command on the process's arguments and returns its exit code."""
    words = build_parser().parse_args()
    _check(words)
    records = [TuningRecord.read(name) for name in words.merge]
    found = _tune(words) if words.kernel is not None else None
    whole = TuningRecord(()) if found is None else found.record
    for record in records:
        whole = whole.merged(record)
    if found is not None:
        print(tuned_text(found, words.top), file=_stream(words.output))
    if words.output is not None:
        write_output(words.output, whole.to_json())
    return STOPPED if found is not None and found.untried else 0


def _stream(output: str | None) -> Any:
    """Where the table goes: stdout, unless it has the record."""
    return sys.stderr if output == "-" else sys.stdout


def _check(words: argparse.Namespace) -> None:
    """Refuses what argparse cannot.

    Raises:
        UserError: A kernel without a chip, nothing to do, or a number that is none.
    """
    if words.kernel is None and not (words.merge and words.output):
        raise UserError("expected KERNEL, or --merge RECORD ... with -o, got neither")
    if words.kernel is not None and words.gpu is None:
        raise UserError("expected --gpu with a kernel, got none; see --help")
    for flag in ("top", "jobs"):
        number = getattr(words, flag)
        if number is not None and number < 1:
            raise UserError(f"expected --{flag} of 1 or more, got {number}")


def _tune(words: argparse.Namespace) -> Tuned:
    source, launch = _source(words)
    seconds, memory_bytes = read_limits(words)
    limits = Limits(seconds or Limits.seconds, memory_bytes or Limits.memory_bytes)
    with ExitStack() as stack:
        advance: list[Any] = []

        def start(count: int) -> None:
            advance.append(stack.enter_context(progress_bar(count, "tuning")))

        return tune(
            source,
            options=Options(gpu=words.gpu, abi=words.abi),
            over=_over(words.over),
            top=words.top,
            machines=Machines(words.jobs or processors(), words.ray, limits),
            cache=Cache() if words.cache and not is_off() else None,
            prune=not words.exhaustive,
            on_start=start,
            on_candidate=lambda name: advance[0](name),
            **launch,
        )


def _source(words: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The kernel, and its launch where one was given."""
    file, colon, name = words.kernel.rpartition(":")
    if colon and file.endswith(".py"):
        return _marked(file, name), {}
    module = api.load(words.kernel)
    if words.args is None:
        return module, {}
    inputs = read_inputs(words.args, find_entry(module.operation, None), "--args")
    return module, {"grid": inputs.grid, "args": inputs.args}


def _marked(file: str, name: str) -> Any:
    """What a Python program calls a name.

    Raises:
        UserError: The file cannot be read, or has no such name.
    """
    if not Path(file).is_file():
        raise UserError(f"cannot read '{file}'")
    found = runpy.run_path(file, run_name="<tuned>").get(name)
    if not hasattr(found, "build"):
        raise UserError(
            f"expected '{name}' of {file} to be marked by cuda_tile.tunable, got "
            f"{found!r:.60}"
        )
    return found


def _over(words: list[str] | None) -> Mapping[str, tuple[Any, ...]] | None:
    """What `--over` says.

    Raises:
        UserError: A value is no number.
    """
    if words is None:
        return None
    found: dict[str, tuple[Any, ...]] = {}
    for word in words:
        name, _, values = word.partition("=")
        try:
            found[name] = tuple(int(each, 0) for each in values.split(",") if values)
        except ValueError:
            raise UserError(
                f"expected --over NAME=V,... with integers, got '{word}'"
            ) from None
    return found


if __name__ == "__main__":
    sys.exit(main())
