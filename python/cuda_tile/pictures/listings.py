# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of a kernel at each level, with the source line of each of their lines.

A *place* is a source line, as `kernel.py:12`: the name of the file without its folders,
as line tables of a cubin have it. Code of an inlined function has several: its own line
first, then the call sites.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from cuda_tile._mlir import ir
from cuda_tile.emulator.ptx.source import source_places

Places = tuple[str, ...]
MOST_PLACES = 6
"""Call sites that are followed; deeper ones say little of a line."""


@dataclass(frozen=True)
class Listing:
    """A text with where its lines came from.

    Attributes:
        name: A short name, unique on a page.
        title: The heading.
        language: Which colours it gets: `mlir`, `ptx`, `sass`, `python`.
        lines: The text.
        places: The places of each line; empty for lines of no source line.
        numbers: What to write beside each line.
        note: What a reader must know of it, or why there is none.
    """

    name: str
    title: str
    language: str
    lines: Sequence[str]
    places: Sequence[Places]
    numbers: Sequence[str]
    note: str = ""


# A string of the text, or where an op's location stands behind it.
_STRING_OR_LOCATION = re.compile(r'("(?:[^"\\]|\\.)*")| loc\((#loc\d*|unknown)\)')
_ALIAS = re.compile(r"(#loc\d*) = (.*)")
_DEBUG_ALIAS = re.compile(r"#(loc|di_)\w* = ")
_POSITION_OR_ALIAS = re.compile(
    r'"(?P<file>(?:[^"\\]|\\.)*)":(?P<line>\d+):(?P<column>\d+)|(?P<alias>#loc\d*)(?!\w)'
)


def ir_listing(name: str, title: str, op: ir.Operation) -> Listing:
    """A module as MLIR prints it."""
    lines, places = located_lines(op)
    numbers = [str(number) for number in range(1, len(lines) + 1)]
    return Listing(name, title, "mlir", lines, places, numbers)


def located_lines(op: ir.Operation) -> tuple[list[str], list[Places]]:
    """The lines of an op's text, and the places of each.

    The text with locations names them by aliases; without them it is the plain text,
    which is what a line of the result is in any case.
    """
    plain = str(op).rstrip("\n").split("\n")
    text = _text(op).rstrip("\n").split("\n")
    aliases = {found[1]: found[2] for line in text if (found := _ALIAS.match(line))}
    resolve = _Resolver(aliases)
    body = [line for line in text if not _DEBUG_ALIAS.match(line)]
    if len(body) != len(plain):
        return plain, [()] * len(plain)
    places = [resolve.places(line) for line in body]
    return plain, _give_headings_places(plain, places)


def _text(op: ir.Operation) -> str:
    """The text of an op with the locations of all ops in it."""
    return str(op.get_asm(enable_debug_info=True))


class _Resolver:
    """Follows the aliases of locations."""

    def __init__(self, aliases: dict[str, str]) -> None:
        self._aliases = aliases
        self._known: dict[str, Places] = {}

    def places(self, line: str) -> Places:
        """The places of the location at the end of a line."""
        found = [m[2] for m in _STRING_OR_LOCATION.finditer(line) if m[2]]
        return self.follow(found[-1]) if found else ()

    def follow(self, alias: str) -> Places:
        """The places behind an alias; an alias may name others."""
        if alias not in self._known:
            self._known[alias] = ()  # a text may lead round in a circle
            self._known[alias] = self._read(self._aliases.get(alias, ""))
        return self._known[alias]

    def _read(self, text: str) -> Places:
        chain: list[str] = []
        for found in _POSITION_OR_ALIAS.finditer(text):
            if found["alias"]:
                chain += self.follow(found["alias"])
            elif found["line"] != "0":
                chain.append(place_of(found["file"], found["line"]))
            if chain and text.startswith("loc(fused"):
                break  # of a fused location the first position counts
        return tuple(dict.fromkeys(chain))[:MOST_PLACES]


def _give_headings_places(lines: list[str], places: list[Places]) -> list[Places]:
    """Gives what opens a region the place that stands behind its closing brace."""
    given, open_lines = list(places), list[int]()
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("}") and open_lines:
            opening = open_lines.pop()
            given[opening] = given[opening] or places[number]
            if text.endswith("{"):  # one more region of the same op
                open_lines.append(opening)
        elif text.endswith("{"):
            open_lines.append(number)
    return given


def place_of(file: str, line: str) -> str:
    """A source line as line tables name it: PTX has file names in ASCII."""
    name = PurePosixPath(file.replace("\\\\", "/").replace("\\", "/")).name
    return "".join(c if " " <= c <= "~" else "_" for c in name) + f":{line}"


_PTX_HIDDEN = re.compile(
    r"\s*(\.loc\s|\.file\s|\$L__(tmp|func_|info)\w*:|//\s*(begin|end) )"
)
_PTX_DEBUG = re.compile(r"\s*\.section\s+\.debug")


def ptx_listing(ptx: str) -> Listing:
    """PTX without its line tables, which are the places of the others.

    Lines keep their numbers in the whole text, which messages of the emulator name.
    """
    text = ptx.rstrip("\n").split("\n")
    places = source_places(text)
    kept: list[tuple[str, Places, str]] = []
    for number, (line, place) in enumerate(zip(text, places, strict=True), start=1):
        if _PTX_DEBUG.match(line):
            break
        if _PTX_HIDDEN.match(line) or (not line.strip() and kept and not kept[-1][0]):
            continue
        is_code = bool(place) and line.rstrip().endswith((";", "}", "{"))
        chain = tuple(place.split(" inlined at ")) if is_code else ()
        kept.append((line.rstrip().expandtabs(4), chain[:MOST_PLACES], str(number)))
    lines, chains, numbers = zip(*kept, strict=True)
    return Listing("ptx", "PTX", "ptx", lines, chains, numbers)


def source_listing(
    name: str, file: str, text: str | None, known: Sequence[int], note: str = ""
) -> Listing:
    """A source file, or only the lines that the kernel names where it is not there.

    Args:
        name: A short name for the page.
        file: Its name.
        text: What it says, or None if it could not be read.
        known: The lines that code came from.
        note: Why it could not be read.
    """
    short = PurePosixPath(file.replace("\\", "/")).name
    if text is None:
        chosen = sorted(set(known))
        lines = [f"line {number}" for number in chosen]
        note = f"'{file}' {note}; these are the lines that code is from"
    else:
        lines = text.rstrip("\n").expandtabs(4).split("\n")
        chosen = list(range(1, len(lines) + 1))
        note = ""
    places = [(place_of(file, str(number)),) for number in chosen]
    numbers = [str(number) for number in chosen]
    language = "mlir" if short.endswith(".mlir") else "python"
    return Listing(name, short, language, lines, places, numbers, note)


def named_files(op: ir.Operation) -> dict[str, dict[int, int]]:
    """The source files that the locations of a module name.

    Returns:
        By file and line, the last column that is named there.
    """
    text = _text(op)
    found: dict[str, dict[int, int]] = {}
    for file, line, column in _positions(text):
        if line:
            lines = found.setdefault(file, {})
            lines[line] = max(column, lines.get(line, 0))
    return found


def _positions(text: str) -> Iterator[tuple[str, int, int]]:
    for line in text.split("\n"):
        if _ALIAS.match(line):
            for found in _POSITION_OR_ALIAS.finditer(line):
                if found["line"]:
                    file = _unescaped(found["file"])
                    yield file, int(found["line"]), int(found["column"])


def _unescaped(text: str) -> str:
    r"""A string of MLIR's text: `\\`, `\"`, and two hexadecimal digits for a byte."""

    def replace(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return code if code in (b"\\", b'"') else bytes([int(code, 16)])

    raw = re.sub(rb'\\(\\|"|[0-9A-Fa-f]{2})', replace, text.encode())
    return raw.decode(errors="replace")
