# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-reduce`: the smallest kernel that still shows a fault.

    cuda-tile-reduce kernel.mlir --check 'cuda-tile-compile {} --gpu sm_90' --exit 70

A command says whether a file shows the fault: by its exit status, by what it prints, or
by both. Any command will do: a compiler that fails, two whose outputs differ, a run
that reports a race. Results are the same with any number of jobs.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import cast

from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.cli.files import STANDARD_STREAM, write_output
from cuda_tile.errors import UserError
from cuda_tile.files import read_bytes
from cuda_tile.reducer import Check, Progress, Source, read_source, reduce_text

FORMS = ("text", "bytecode", "raw")


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="cuda-tile-reduce",
        description="Makes a kernel as small as it can be while it shows a fault: Tile "
        "IR, text or bytecode, or PTX.",
        epilog="A command is run by the shell, `{}` in it is the file. Without --exit "
        "and --says it must end with exit status 0 where the fault is there.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="program with a fault; - is stdin")
    parser.add_argument(
        "--check", required=True, metavar="COMMAND", help="tells whether it is there"
    )
    _add_conditions(parser)
    parser.add_argument(
        "-o",
        "--output",
        default=STANDARD_STREAM,
        metavar="OUT",
        help="stdout by default",
    )
    parser.add_argument(
        "--as",
        dest="form",
        choices=FORMS,
        help="what commands and OUT get: a form of Tile IR, or bytes that nobody reads",
    )
    parser.add_argument(
        "-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
        help="commands at once, by default one for each processor",
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="end then, with what was found"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print no progress")
    return parser


def _add_conditions(parser: argparse.ArgumentParser) -> None:
    """The options that say how a command ends where the fault is there."""
    parser.add_argument(
        "--exit",
        metavar="STATUS",
        help="an exit status, or any, nonzero, signal, timeout",
    )
    parser.add_argument(
        "--says", metavar="REGEX", help="what its output, with errors, must have in it"
    )
    parser.add_argument(
        "--limit", type=float, default=60, metavar="S", help="seconds of a run, 60"
    )


def read_check(words: argparse.Namespace, source: Source) -> Check:
    """The check that the command line asks for.

    Raises:
        UserError: No run could fulfil it.
    """
    says = cast("str | None", words.says)
    wanted = cast("str | None", words.exit) or ("any" if says else "0")
    limit, suffix = cast("float", words.limit), source.suffix
    return Check(cast("str", words.check), wanted, says, limit, suffix)


class _Watch:
    """Says on stderr how small the program is, on one line of a terminal."""

    def __init__(self, source: Source, *, is_quiet: bool) -> None:
        self._source, self._is_quiet = source, is_quiet
        self._said, self._is_terminal = "", sys.stderr.isatty()
        self.text = source.text

    def __call__(self, progress: Progress) -> None:
        is_smaller, self.text = progress.text != self.text, progress.text
        if self._is_quiet or not (is_smaller or self._is_terminal):
            return
        size = self._source.size(progress.text)
        line = f"{size}, {progress.runs} runs: {progress.kind}"
        if line != self._said:
            self._said = line
            end = "" if self._is_terminal else "\n"
            start = "\r\x1b[K" if self._is_terminal else ""
            print(f"{start}{line}", end=end, file=sys.stderr, flush=True)

    def done(self) -> None:
        """Ends the line, and says what was reached."""
        if self._is_quiet:
            return
        before, now = map(self._source.size, (self._source.text, self.text))
        start = "\n" if self._is_terminal else ""
        print(f"{start}{before} before, {now} now", file=sys.stderr)


def reduce_source(source: Source, check: Check, words: argparse.Namespace) -> str:
    """The smallest text found; that of Ctrl-C is the one known by then.

    Raises:
        UserError: The program itself does not show the fault.
    """
    outcome = check.run(source.encode(source.text))
    if not check.accepts(outcome):
        raise UserError(
            f"expected the file to show the fault, got {outcome} of: {check.command}"
            f"{_shown(outcome.said)}"
        )
    watch = _Watch(source, is_quiet=words.quiet)
    seconds, start = cast("float | None", words.seconds), time.monotonic()
    try:
        reduce_text(
            source.text,
            source.kinds,
            lambda text: check.shows_fault(source.encode(text)),
            jobs=max(1, words.jobs),
            is_over=lambda: seconds is not None and time.monotonic() - start > seconds,
            watch=watch,
        )
    except KeyboardInterrupt:
        print("\nstopped; the smallest program so far follows", file=sys.stderr)
    watch.done()
    return watch.text


def _shown(said: str) -> str:
    """The last lines that a command printed, for an error."""
    lines = said.strip().splitlines()[-3:]
    return "".join(f"\n  {line}" for line in lines)


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    words = build_parser().parse_args()
    name = cast("str", words.file)
    data = sys.stdin.buffer.read() if name == STANDARD_STREAM else read_bytes(name)
    source = read_source(data, cast("str | None", words.form))
    text = reduce_source(source, read_check(words, source), words)
    raw = source.encode(text)
    is_text = source.suffix not in (".tileirbc", ".raw")
    write_output(cast("str", words.output), raw.decode() if is_text else raw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
