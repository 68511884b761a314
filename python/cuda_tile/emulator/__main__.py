r"""`python -m cuda_tile.emulator`: runs one kernel of a PTX file and reports.

    python -m cuda_tile.emulator vadd.ptx --grid 8 --block 128 \\
        randn:f32[1024] randn:f32[1024] out:sum.npy:f32[1024] 1024

Arguments are the kernel's parameters in order, written as `cuda-tile-run` takes them
(see `cuda_tile.runtime.arg_text`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cuda_tile.emulator import Report, launch
from cuda_tile.errors import UserError
from cuda_tile.runtime.arg_text import ParsedArg, parse_arg


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m cuda_tile.emulator",
        description="Runs a PTX kernel on the CPU, checks it, and counts what it does.",
    )
    parser.add_argument("file", metavar="KERNEL.ptx", help="PTX text; - is stdin")
    parser.add_argument("args", metavar="ARG", nargs="*", help="kernel parameters")
    parser.add_argument("--grid", required=True, type=_extents, metavar="X[,Y[,Z]]")
    parser.add_argument("--block", required=True, type=_extents, metavar="X[,Y[,Z]]")
    parser.add_argument(
        "--cluster", default=(1, 1, 1), type=_extents, metavar="X[,Y[,Z]]"
    )
    parser.add_argument("--entry", metavar="NAME", help="which entry of the module")
    parser.add_argument(
        "--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory"
    )
    parser.add_argument(
        "--mode",
        choices=("fast", "adversarial"),
        default="fast",
        help="adversarial: a seeded random order of warps, and registers are checked",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the adversarial order")
    parser.add_argument("--limit", type=int, metavar="STEPS", help="stop endless loops")
    parser.add_argument(
        "--collect", action="store_true", help="go on after a finding where possible"
    )
    parser.add_argument("--json", metavar="FILE", help="write all counts; - is stdout")
    parser.add_argument(
        "--listing", action="store_true", help="print the PTX with counts by line"
    )
    return parser


def _extents(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected X, X,Y or X,Y,Z, got '{text}'"
        ) from None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status (1 for findings and errors)."""
    options = build_parser().parse_intermixed_args(argv)
    try:
        return _run(options)
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    is_stdin = options.file == "-"
    text = sys.stdin.read() if is_stdin else Path(options.file).read_text()
    args: list[ParsedArg] = [parse_arg(text) for text in options.args]
    report = launch(
        text,
        options.entry,
        grid=options.grid,
        block=options.block,
        cluster=options.cluster,
        args=[arg.value for arg in args],
        shared_bytes=options.shared,
        mode=options.mode,
        seed=options.seed,
        limit=options.limit,
        on_finding="collect" if options.collect else "raise",
    )
    for arg in args:
        if arg.save_path is not None:
            np.save(arg.save_path, np.asarray(arg.value))
    _print(report, options)
    return 1 if report.findings else 0


def _print(report: Report, options: argparse.Namespace) -> None:
    sys.stdout.write(report.stdout)
    for finding in report.findings:
        print(f"finding: {finding}", file=sys.stderr)
    if options.json == "-":
        print(report.to_json())
        return
    if options.json:
        Path(options.json).write_text(report.to_json() + "\n")
    print(report.listing() if options.listing else report.table())


if __name__ == "__main__":
    sys.exit(main())
