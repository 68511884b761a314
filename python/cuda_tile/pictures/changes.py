# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a pass changed: the lines of the text before and after it.

MLIR numbers values anew in every text, so that one new op would change all lines behind
it. Lines are therefore compared without the names of values and aliases; among lines
that agree so, one counts as changed only if its operands are other values than before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3
"""Lines that are shown before and behind a change."""
MOST_COMPARED = 20_000
"""Lines up to which texts are matched; longer ones are matched by their ends only."""
_NAME = re.compile(r"(%[\w.$-]+|#layout\d*|\^bb\d+)(?:[:#]\d+)?")
_RESULTS = re.compile(r"\s*(?:%[\w.$:#-]+(?:, )?)+ = ")
_ARGUMENT = re.compile(r"%[\w.$-]+(?= = | in )")


@dataclass(frozen=True)
class Line:
    """A line of a difference.

    Attributes:
        kind: `=`, `-` for one that is gone, `+` for a new one, or `@` between parts.
        old, new: Its numbers in the two texts, counted from 1; 0 where it has none.
        text: The line.
    """

    kind: str
    old: int
    new: int
    text: str


@dataclass(frozen=True)
class Change:
    """What a pass did to the text.

    Attributes:
        lines: The changed lines, with some around them.
        added, removed: How many there are of each.
    """

    lines: tuple[Line, ...]
    added: int
    removed: int


def compare(old: Sequence[str], new: Sequence[str]) -> Change:
    """The difference of two texts of one module."""
    lines = list(_differences(old, new))
    added = sum(line.kind == "+" for line in lines)
    removed = sum(line.kind == "-" for line in lines)
    return Change(tuple(_parts(lines)), added, removed)


def _differences(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    names: dict[str, str] = {}
    for tag, i, i_end, j, j_end in _blocks(old, new):
        if tag == "equal":
            for k in range(i_end - i):
                before, after = old[i + k], new[j + k]
                if _same_values(before, after, names):
                    yield Line("=", i + k + 1, j + k + 1, after)
                else:
                    yield Line("-", i + k + 1, 0, before)
                    yield Line("+", 0, j + k + 1, after)
        else:
            yield from (Line("-", n + 1, 0, old[n]) for n in range(i, i_end))
            yield from (Line("+", 0, n + 1, new[n]) for n in range(j, j_end))


def _blocks(
    old: Sequence[str], new: Sequence[str]
) -> list[tuple[str, int, int, int, int]]:
    """Ranges of lines that agree or do not, as `difflib` gives them."""
    before = [_NAME.sub("%", line) for line in old]
    after = [_NAME.sub("%", line) for line in new]
    if max(len(before), len(after)) <= MOST_COMPARED:
        return list(SequenceMatcher(None, before, after, autojunk=False).get_opcodes())
    return _by_ends(before, after)


def _by_ends(
    before: list[str], after: list[str]
) -> list[tuple[str, int, int, int, int]]:
    """As `_blocks`: what is equal at both ends, and one difference between."""
    least = min(len(before), len(after))
    head = 0
    while head < least and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < least - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    i_end, j_end = len(before) - tail, len(after) - tail
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, i_end, head, j_end),
        ("equal", i_end, len(before), j_end, len(after)),
    ]


def _same_values(before: str, after: str, names: dict[str, str]) -> bool:
    """Whether the operands of two lines are the same, by the names seen so far.

    A name may stand for another value from where it is defined again, as in the next
    region of an op.
    """
    results = _RESULTS.match(before)
    end = 0 if results is None else results.end()
    arguments = {found.start() for found in _ARGUMENT.finditer(before)}
    same = True
    pairs = zip(_NAME.finditer(before), _NAME.finditer(after), strict=True)
    for old, new in pairs:
        is_defined = old.start() < end or old.start() in arguments
        same = same and (is_defined or names.get(old[1], new[1]) == new[1])
        names[old[1]] = new[1]
    return same


def _parts(lines: list[Line]) -> Iterator[Line]:
    """Keeps changed lines and their neighbours; `@` stands for what is left out."""
    near: set[int] = set()
    for number, line in enumerate(lines):
        if line.kind != "=":
            near.update(range(number - CONTEXT, number + CONTEXT + 1))
    last = -1
    for number, line in enumerate(lines):
        if number in near:
            if number > last + 1:
                yield Line("@", 0, 0, f"{number - last - 1} equal lines")
            yield line
            last = number
    if near and last < len(lines) - 1:
        yield Line("@", 0, 0, f"{len(lines) - 1 - last} equal lines")
