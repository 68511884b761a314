# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-optimize`: optimizes a kernel file, for example before distribution.

The default pipeline is, by level, 1: fold-constants, cse; 2: also loop-invariant code
motion; 3: also loop-split, fold-constants. `--fuse-fma` adds fuse-fma before it.
Results do not change, except with fuse-fma, which rounds once instead of twice.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.cli.files import STANDARD_STREAM, read_kernel, write_output
from cuda_tile.errors import UserError
from cuda_tile.files import DEFAULT_VERSION, diagnostics_text, save
from cuda_tile.pass_flags import register_passes

LEVELS = (0, 1, 2, 3)


def build_parser() -> argparse.ArgumentParser:
    """The command line; every long flag is also accepted with one dash."""
    parser = ArgumentParser(
        prog="cuda-tile-optimize",
        description="Optimizes a Tile IR kernel file, text or bytecode.",
        epilog="A pipeline is a list of passes in the syntax of cuda-tile-opt; without "
        "an enclosing op it runs on each cuda_tile.module.",
        allow_abbrev=False,
    )

    def add(*names: str, **choices: object) -> None:
        single = [name[1:] for name in names if name.startswith("--")]
        parser.add_argument(*names, *single, **choices)  # pyright: ignore[reportArgumentType]

    parser.add_argument("file", metavar="FILE", help="kernel file; - is stdin")
    add(
        "-o",
        "--output-file",
        dest="output",
        metavar="OUT",
        help="- is stdout, which is the default",
    )
    add("-q", "--quiet", action="store_true", help="do not print text to stdout")
    add(
        "--emit-bytecode",
        action="store_true",
        help=f"write bytecode of version {DEFAULT_VERSION} instead of text",
    )
    for when in ("before", "after"):
        add(
            f"--run-{when}-default-pipeline",
            f"--{when}",
            dest=when,
            metavar="PIPELINE",
            help=f"passes to run {when} the default ones",
        )
    add("--fuse-fma", action="store_true", help="run fuse-fma first")
    add(
        "-O",
        "--opt-level",
        dest="level",
        type=int,
        choices=LEVELS,
        default=LEVELS[-1],
        metavar="LEVEL",
        help="0 to 3, 3 by default",
    )
    add("-v", "--verbose", action="store_true", help="print the pipelines to stderr")
    add(
        "--enable-multithread",
        dest="multithread",
        action="store_true",
        help="let the default passes use several threads",
    )
    return parser


def on_modules(pipeline: str) -> str:
    """Turns a list of passes into a pipeline on the whole file."""
    text = pipeline.strip()
    if text.startswith("builtin.module("):
        return text
    if text.startswith("cuda_tile.module("):
        return f"builtin.module({text})"
    return f"builtin.module(cuda_tile.module({text}))"


def run_pipeline(module: ir.Module, pipeline: str) -> None:
    """Runs passes by name.

    Raises:
        UserError: The pipeline cannot be read, or a pass failed.
    """
    try:
        manager = PassManager.parse(on_modules(pipeline))
    except ValueError as error:
        # The message of the parser, without the excerpt of the pipeline below it.
        words = str(error).partition("error: ")[2].partition("\n")[0]
        raise UserError(f"expected passes, got '{pipeline}': {words}") from None
    manager.run(module.operation)


def run_default(module: ir.Module, level: int, fuse_fma: bool, threads: bool) -> None:
    """Runs the default pipeline."""
    options = _cuda_tile.TileIROptimizationsOpts(level, fuse_fma)
    context = module.context
    context.enable_multithreading(threads)
    try:
        _cuda_tile.applyTileIROptimizations(module, options)
    finally:
        # Passes in Python hold the interpreter lock, so they cannot run in parallel.
        context.enable_multithreading(False)


def optimize(module: ir.Module, arguments: argparse.Namespace) -> None:
    """Runs all passes that the command line requests, in order.

    Raises:
        UserError: A pipeline cannot be read, or a pass failed.
    """
    level, fuse_fma = cast("int", arguments.level), cast("bool", arguments.fuse_fma)
    name = f"default pipeline of level {level}{', fuse-fma first' if fuse_fma else ''}"
    threads = cast("bool", arguments.multithread)
    before = cast("str | None", arguments.before)
    after = cast("str | None", arguments.after)
    steps: list[tuple[str, Callable[[], None]]] = []
    if before:
        steps.append((before, lambda: run_pipeline(module, before)))
    steps.append((name, lambda: run_default(module, level, fuse_fma, threads)))
    if after:
        steps.append((after, lambda: run_pipeline(module, after)))
    with module.context:
        for text, step in steps:
            start = time.perf_counter()
            step()
            if arguments.verbose:
                milliseconds = (time.perf_counter() - start) * 1000
                print(f"{text}: {milliseconds:.1f} ms", file=sys.stderr)


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    arguments = build_parser().parse_args()
    output = cast("str | None", arguments.output)
    register_passes()
    module = read_kernel(cast("str", arguments.file))
    try:
        optimize(module, arguments)
        if arguments.emit_bytecode:
            write_output(output or STANDARD_STREAM, save(module))
            return 0
    except ir.MLIRError as error:
        raise UserError(diagnostics_text(error)) from None
    if output or not arguments.quiet:
        write_output(output or STANDARD_STREAM, str(module))
    return 0


if __name__ == "__main__":
    sys.exit(main())
