# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing case small with the project's reducer: its kernel, and its launch.

The kernel shrinks as `cuda-tile-reduce` makes it; an argument goes with its parameter,
and blocks and warps get fewer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from differential_case import HEAD, Case
from differential_check import Failure

from cuda_tile.files import load
from cuda_tile.reducer import Kind, Source, reduce_text, tiles

Check = Callable[[Case], Failure | None]
_WARPS = (1, 2, 4)


def case_source(case: Case) -> Source:
    """A case as a text that the reducer makes smaller, with its lines of arguments."""
    whole = replace(case, body=str(load(case.body.encode())))
    kinds = (*(_of_body(kind) for kind in tiles.KINDS), *_LAUNCH)
    return Source(str(whole), kinds, str.encode, ".mlir", lambda t: tiles.size(t))


def reduce_case(
    case: Case, failure: Failure, check: Check, *, tries: int = 300
) -> tuple[Case, Failure]:
    """The smallest case found that fails as `case` does, and its failure.

    Args:
        case: A case that fails.
        failure: How it fails.
        check: Checks a case.
        tries: How many cases to check at most.
    """
    source, found, runs = case_source(case), [(case, failure)], 0

    def fails(text: str) -> bool:
        nonlocal runs
        runs += 1
        smaller = Case.parse(text, case.name)
        again = check(smaller)
        if again is None or not again.is_like(failure):
            return False
        found.append((replace(smaller, body=_split(text)[1]), again))
        return True

    reduce_text(source.text, source.kinds, fails, is_over=lambda: runs >= tries)
    return found[-1]


def _split(text: str) -> tuple[list[str], str]:
    """The lines of a case before its module, and that."""
    lines = text.splitlines(keepends=True)
    count = sum(line.startswith(HEAD) for line in lines)
    return lines[:count], "".join(lines[count:])


def _of_body(kind: Kind) -> Kind:
    """A kind of change of a kernel, as one of a case."""

    def change(text: str, places: range) -> str | None:
        head, body = _split(text)
        made = kind.change(body, places)
        if made is None:
            return None
        if kind.name == tiles.PARAMETERS:
            del head[1 + tiles.unused_parameters(body)[places.start]]
        return "".join([*head, made])

    return replace(kind, count=lambda text: kind.count(_split(text)[1]), change=change)


def _launch_kind(name: str, count: int, new: Callable[[int, int], int]) -> Kind:
    """A kind of change of a number in a case's first line.

    Args:
        name: The number's name.
        count: How many smaller numbers there are to try.
        new: The one of a place, and the old number.
    """

    def change(text: str, places: range) -> str | None:
        old = re.search(rf"(?<= {name}=)\d+", text)
        assert old is not None, "a case says what its launch is"
        smaller = new(places.start, int(old[0]))
        if int(old[0]) and smaller >= int(old[0]):
            return None
        return text[: old.start()] + str(smaller) + text[old.end() :]

    return Kind(f"fewer {name}", lambda text: count, change, in_runs=False)


_LAUNCH = (
    _launch_kind("grid", 1, lambda place, old: 1),
    _launch_kind("warps", len(_WARPS), lambda place, old: _WARPS[place]),
)
