# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda-tile-judge`: one verdict for a program with cuTile kernels.

    cuda-tile-judge candidate.py --against reference.py

The verdict is `right`, `slow`, `unknown`, `wrong`, `faulty` or `cheating`, with reasons
and places; see docs/judging.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from cuda_tile.cli.failure import ArgumentParser, reports_errors
from cuda_tile.cli.plain_dialects import use_plain_dialects
from cuda_tile.codegen.versions import versions
from cuda_tile.errors import UserError
from cuda_tile.judge.court import Rules
from cuda_tile.judge.hook import load
from cuda_tile.judge.runner import Limits, judge_file
from cuda_tile.judge.verdict import SCHEMA, Verdict
from cuda_tile.runtime.options import add_options, read_flags
from cuda_tile.targets import find_target

NOT_RIGHT = 3
"""Exit status where a candidate is not right; 1 and 2 are errors of the command."""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = ArgumentParser(
        prog="cuda-tile-judge",
        description="Says of programs with cuTile kernels whether they are right, "
        "slow, unknown, wrong, faulty or cheating, in JSON.",
        epilog="The exit status is 0 if all are right, 3 if not.",
        allow_abbrev=False,
    )
    parser.add_argument("candidates", nargs="+", metavar="FILE", help="not trusted")
    parser.add_argument(
        "--against", required=True, metavar="REFERENCE", help="what is right; trusted"
    )
    _add_rules(parser)
    add_options(parser, names=("mode", "seed"))
    parser.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="candidates at once, 1"
    )
    return parser


def _add_rules(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--time-limit", type=float, default=300, metavar="S", help="of a verdict, 300")
    add("--call-limit", type=float, default=20, metavar="S", help="of a call, 20")
    add("--memory-limit", type=float, default=4, metavar="GIB", help="per process, 4")
    add(
        "--slower", type=float, default=4, metavar="X",
        help="operations over those of the reference's program that are slow, 4",
    )  # fmt: skip
    add("--no-emulator", action="store_true", help="interpret only")
    add("--gpu", default="sm_90", metavar="SM", help="the chip that is emulated, sm_90")


def read_limits(words: argparse.Namespace) -> Limits:
    """The limits that the command line asks for.

    Raises:
        UserError: A limit is none.
    """
    for name in ("time_limit", "call_limit", "memory_limit", "slower", "jobs"):
        if getattr(words, name) <= 0:
            raise UserError(f"expected --{name.replace('_', '-')} above 0")
    find_target(words.gpu)
    mode = read_flags(words).mode or Rules.mode
    rules = Rules(
        words.call_limit, mode, words.slower, not words.no_emulator, words.gpu
    )
    return Limits(words.time_limit, int(words.memory_limit * (1 << 30)), rules)


def judge_all(words: argparse.Namespace) -> Iterator[tuple[str, Verdict]]:
    """Each candidate with its verdict, in the order of the command line."""
    limits, seed = read_limits(words), read_flags(words).seed
    names = cast("list[str]", words.candidates)
    reference = Path(words.against)
    load(*filter(Path.is_file, map(Path, [*names, words.against])))  # before threads

    def judge(name: str) -> Verdict:
        return judge_file(Path(name), reference, limits, seed)

    with ThreadPoolExecutor(words.jobs) as pool:
        yield from zip(names, pool.map(judge, names), strict=True)


@reports_errors
def main() -> int:
    """Runs the tool on the process's arguments and returns its exit code."""
    use_plain_dialects()
    words = build_parser().parse_args()
    head = {"schema": SCHEMA, "versions": versions(), "chip": words.gpu}
    is_right = True
    for name, verdict in judge_all(words):
        facts: dict[str, Any] = {**head, "candidate": name, **verdict.to_json()}
        print(json.dumps(facts, indent=1, default=str), flush=True)
        is_right &= verdict.word == "right"
    return 0 if is_right else NOT_RIGHT


if __name__ == "__main__":
    sys.exit(main())
