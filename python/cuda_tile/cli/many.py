# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-compile` of several files or for several chips; docs/compile-many.md."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import cast

from cuda_tile.api import Emit
from cuda_tile.cli.files import STANDARD_STREAM
from cuda_tile.codegen.versions import versions
from cuda_tile.errors import UserError
from cuda_tile.options import Options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the flags that only many files need."""
    group = parser.add_argument_group(
        "many files or chips", "-o is a folder then; --report=json prints all results"
    )
    group.add_argument(
        "--jobs", "-j", metavar="N", type=int, help="worker processes; default: 1"
    )
    group.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="compile on a Ray cluster: HOST:PORT, auto, or local",
    )
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=float,
        help="wall time of one kernel; default: 300 of many, none of a single file",
    )
    group.add_argument(
        "--memory-limit",
        metavar="GIB",
        type=float,
        help="memory of the process that compiles; default: 8 for many files, none for "
        "a single one",
    )
    group.add_argument(
        "--cache",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep results in CUDA_TILE_CACHE_DIR (default: ~/.cache/cuda-tile) up "
        "to CUDA_TILE_CACHE_SIZE (default: 1G)",
    )


def is_many(arguments: argparse.Namespace) -> bool:
    """Whether the command line asks for more than one kernel for one chip."""
    return (
        len(arguments.file) > 1
        or "," in arguments.gpu
        or arguments.jobs is not None
        or arguments.ray is not None
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuses what goes with one file only.

    Raises:
        UserError: One of these.
    """
    for flag, value in {
        "--print-after": arguments.print_after,
        "--timing": arguments.timing,
        "--report=html": arguments.report == "html",
        "--report-run": arguments.report_run,
        "--tuning": arguments.tuning,
    }.items():
        if value:
            raise UserError(f"expected one file for one chip with {flag}, got several")
    if STANDARD_STREAM in (*arguments.file, arguments.output):
        raise UserError("expected files and a folder for many kernels, got '-'")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UserError(f"expected --jobs of 1 or more, got {arguments.jobs}")
    if arguments.jobs is not None and arguments.ray is not None:
        raise UserError("expected --jobs or --ray, got both: Ray counts its own cores")


def read_limits(arguments: argparse.Namespace) -> tuple[float | None, int | None]:
    """The limits that were given: seconds, bytes of memory.

    Raises:
        UserError: One is not above 0.
    """
    for flag in ("time_limit", "memory_limit"):
        given = getattr(arguments, flag)
        if given is not None and not given > 0:
            name = flag.replace("_", "-")
            raise UserError(f"expected --{name} above 0, got {given:g}")
    gigabytes: float | None = arguments.memory_limit
    return arguments.time_limit, None if gigabytes is None else int(
        gigabytes * (1 << 30)
    )


def compile_many(arguments: argparse.Namespace, options: Options) -> int:
    """Compiles every file for every chip and says what became of them.

    Args:
        arguments: The command line.
        options: Its choices but the chip.

    Returns:
        The exit code: 0 if all files were written, 70 if the compiler failed, else 1.

    Raises:
        UserError: The command line is at fault, or the Ray cluster.
    """
    # Imported here: one kernel needs none of them.
    from cuda_tile.batch import summary
    from cuda_tile.batch.cache import Cache, is_off
    from cuda_tile.batch.run import Machines, compile_all, plan_jobs
    from cuda_tile.batch.workers import Limits

    _check(arguments)
    started = time.monotonic()
    choices = [replace(options, gpu=name) for name in arguments.gpu.split(",")]
    jobs = plan_jobs(
        [Path(name) for name in arguments.file],
        choices,
        cast(Emit, arguments.emit or "cubin"),
        Path(arguments.output or "."),
    )
    seconds, memory_bytes = read_limits(arguments)
    limits = Limits(seconds or Limits.seconds, memory_bytes or Limits.memory_bytes)
    machines = Machines(arguments.jobs or 1, arguments.ray, limits)
    cache = Cache() if arguments.cache and not is_off() else None
    # Ray prints messages of its own, which are no results.
    bar = summary.progress_bar(len(jobs), "compiling")
    with redirect_stdout(sys.stderr), bar as advance:
        outcomes = compile_all(
            jobs, machines, cache, lambda each: advance(f"{each.file} {each.gpu}")
        )
    seconds = time.monotonic() - started
    if arguments.report == "json":
        print(summary.to_json(outcomes, seconds, versions()))
    else:
        summary.print_table(outcomes)
        print(summary.summary_line(outcomes, seconds))
    summary.print_problems(outcomes)
    if cache is not None and cache.problem:
        print(f"warning: {cache.problem}", file=sys.stderr)
    return summary.exit_code(outcomes)
