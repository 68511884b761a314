# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smaller PTX: statements that go, and numbers that get smaller.

A text is valid where the emulator's parser reads it: names that are used are declared,
and labels stand somewhere. What ptxas makes of it is for the user's command to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cuda_tile.emulator import PtxError
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.reducer.search import Kind

_START = re.compile(rb"^\s*\.version\b", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KEPT = re.compile(
    r"\s*(\.version|\.target|\.address_size|[{}()]|\.visible|\.entry|\.func)"
)
_REGISTER = re.compile(r"([%_$a-zA-Z][\w$]*)(<\d+>)?\s*[,;]")
_NUMBER = re.compile(r"(?<![\w.$%<])(\d+)(?![\w.:>])")


def is_ptx(data: bytes) -> bool:
    """Whether a file is PTX: it has a version before all else but comments."""
    head = _COMMENT.sub("", data[:100_000].decode(errors="replace"))
    return _START.match(head.lstrip().encode()) is not None


def normal(text: str) -> str:
    """A text with a statement in each line and no comments.

    A line of PTX may hold several statements, and a statement several lines.
    """
    lines: list[str] = []
    for line in _COMMENT.sub("", text).splitlines():
        lines += [part.strip() for part in _split(line) if part.strip()]
    return "\n".join(_joined(lines)) + "\n"


def _split(line: str) -> list[str]:
    """A line behind each semicolon and each brace of its own."""
    return re.split(r"(?<=;)|(?<=\{)$|(?<=:)(?=\s)", line)


def _joined(lines: list[str]) -> list[str]:
    """Statements of several lines in one, those of the heads of functions apart."""
    found: list[str] = []
    is_open = False
    for line in lines:
        if is_open:
            found[-1] += f" {line}"
        else:
            found.append(line)
        is_open = _is_instruction(found[-1]) and not found[-1].endswith(";")
    return found


def _is_instruction(line: str) -> bool:
    """Whether a statement ends with a semicolon wherever that is."""
    return re.match(r"@|[a-z]", line) is not None and not line.endswith(":")


def size(text: str) -> str:
    """How many statements a text has."""
    return f"{len(text.splitlines())} statements"


def _places(text: str) -> list[int]:
    """The lines that may go."""
    lines = text.splitlines()
    return [i for i, line in enumerate(lines) if not _KEPT.match(line)]


def _without(text: str, places: range) -> str | None:
    """A text without some of its statements."""
    lines, numbers = text.splitlines(), _places(text)
    gone = {numbers[i] for i in places}
    kept = "\n".join(line for i, line in enumerate(lines) if i not in gone) + "\n"
    if any(_declares_used(lines[i], kept) for i in gone):
        return None
    return _valid(kept)


def _declares_used(line: str, kept: str) -> bool:
    """Whether a text needs a statement for its registers.

    The parser takes an unknown `%r1` for a special register, which a chip may have.
    """
    if not line.startswith(".reg"):
        return False
    found = _REGISTER.finditer(line)
    names = (re.escape(m[1]) + (r"\d+" if m[2] else "") for m in found)
    return any(re.search(rf"(?<![\w%$]){name}(?!\w)", kept) for name in names)


def _valid(text: str) -> str | None:
    """A text that the parser reads."""
    try:
        parse(text)
    except PtxError:
        return None
    return text


def _numbers(text: str) -> list[re.Match[str]]:
    """The numbers that can be smaller, but not those of the head."""
    return [
        m for m in _NUMBER.finditer(text) if int(m[1]) > 1 and not _is_head(text, m)
    ]


def _is_head(text: str, number: re.Match[str]) -> bool:
    start = text.rfind("\n", 0, number.start()) + 1
    return text.startswith((".version", ".target", ".address_size"), start)


def _replaced(smaller: Callable[[int], int]) -> Callable[[str, range], str | None]:
    """A change of one number."""

    def change(text: str, places: range) -> str | None:
        number = _numbers(text)[places.start]
        new = str(smaller(int(number[1])))
        return _valid(text[: number.start()] + new + text[number.end() :])

    return change


KINDS = (
    Kind("remove statements", lambda text: len(_places(text)), _without),
    Kind(
        "numbers to 1",
        lambda text: len(_numbers(text)),
        _replaced(lambda number: 1),
        in_runs=False,
    ),
    Kind(
        "halve numbers",
        lambda text: len(_numbers(text)),
        _replaced(lambda number: number // 2),
        in_runs=False,
    ),
)
"""Changes of PTX, those that take away most first."""
