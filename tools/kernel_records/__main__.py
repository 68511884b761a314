# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs a folder of kernels before and after a change, and compares.

    tools/ecosystem --before HEAD~1
    tools/ecosystem KERNELS --before HEAD~1
    tools/ecosystem KERNELS -o now.json
    tools/ecosystem --before now.json --after later.json

A state is a record (JSON), a built checkout (a folder), or a revision; by default what
is here. Without kernels the committed records of our own are compared, and nothing is
compiled. Kernels get arrays with small numbers and scalars of one value, since nobody
says what they expect: a run that ends with a finding is the same before and after.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import cast

from sampling import is_sampled

from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.errors import UserError
from kernel_records.compare import Limits, changes, table
from kernel_records.own import rows_at
from kernel_records.record import Wish, files_of
from kernel_records.states import ROOT, Rows, rows_of_state, without_times, write_rows

WORSE = 3
"""Exit status where a kernel is worse; 1 and 2 are errors of the command."""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="tools/ecosystem",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="The exit status is 0 if nothing is worse, 3 if something is.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("kernels", nargs="*", type=Path, metavar="FOLDER", help="or files")
    add("--before", metavar="STATE", help="compare with this one")
    add("--after", default=str(ROOT), metavar="STATE", help="by default what is here")
    add("-o", "--output", type=Path, metavar="JSON", help="writes the record of AFTER")
    add("--no-seconds", action="store_true", help="leave times out of that record")
    add("--gpu", action="append", help="may be repeated; sm_90")
    add("--sample", type=int, default=1, metavar="N", help="one file of N")
    add("--no-run", action="store_true", help="compile only")
    add("--no-cubin", action="store_true", help="without ptxas: no registers, spills")
    add("--jobs", type=int, default=1, metavar="N", help="processes, 1")
    add("--limit", type=float, default=120, metavar="S", help="of one kernel, 120")
    _add_limits(parser)
    return parser


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """The options that say what is worse."""
    add, usual = parser.add_argument, Limits()
    for name, about in (
        ("registers", "more of a thread"),
        ("spill-bytes", "more of a thread"),
        ("shared", "times as many bytes of shared memory"),
        ("instructions", "times as many, in the PTX or executed"),
        ("seconds", "times as many, of all compilations"),
    ):
        value: float = getattr(usual, name.replace("-", "_"))
        add(
            f"--worse-{name}",
            type=float,
            default=value,
            metavar="X",
            help=f"{about} are worse, {value}",
        )


def read_wish(words: argparse.Namespace) -> Wish:
    """What is recorded."""
    files = files_of([path.resolve() for path in words.kernels])
    chosen = [(n, str(p)) for n, p in files if is_sampled(n, words.sample)]
    gpus = tuple(cast("list[str] | None", words.gpu) or ["sm_90"])
    return Wish(
        tuple(chosen),
        gpus,
        runs=not words.no_run,
        cubin=not words.no_cubin,
        seconds=words.limit,
        jobs=words.jobs,
    )


@reports_errors
def main() -> int:
    """Records and compares; 3 if something is worse."""
    words = build_parser().parse_args()
    states = [state for state in (words.before, words.after) if state is not None]
    wish = read_wish(words)
    if words.kernels and not wish.files:
        raise UserError("expected kernels to record: .tileirbc, .tilebc or .mlir files")

    def watch(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def rows(state: str) -> Rows:
        return rows_of_state(state, wish, watch) if words.kernels else rows_at(state)

    *before, after = map(rows, states)
    if words.output is not None:
        kept = without_times(after) if words.no_seconds else after
        write_rows(words.output, kept)
    if not before:
        return 0
    names = ("registers", "spill_bytes", "shared", "instructions", "seconds")
    limits = Limits(**{name: getattr(words, f"worse_{name}") for name in names})
    found = list(changes(before[0], after, limits))
    print(table(found), end="")
    worse = sum(change.is_worse for change in found)
    print(f"{len(after)} kernels, {len(found)} changes, {worse} for the worse")
    return WORSE if worse else 0


if __name__ == "__main__":
    sys.exit(main())
