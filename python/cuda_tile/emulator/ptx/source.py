# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where PTX came from: the lines that `.loc` names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

# PTX ISA, "Debugging Directives: .file" and ".loc".
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')
_PLACE = re.compile(
    r"\s*\.loc\s+(?P<at>\d+\s+\d+\s+\d+)"
    r"(?:\s*,\s*function_name\s+[^,]+,\s*inlined_at\s+(?P<caller>\d+\s+\d+\s+\d+))?"
)


def source_places(lines: Sequence[str]) -> list[str]:
    """Returns for each line of a PTX text what it came from, as `file:line`.

    Code of a function that was inlined has its call sites behind it, as in
    `helper.py:5 inlined at kernel.py:12`. A place holds until the next one or the end
    of the function; empty where there is none, and for line 0, which compilers give to
    what has no place.
    """
    files = {found[1]: found[2] for line in lines if (found := _FILE.match(line))}
    places: list[str] = []
    callers: dict[str, str] = {}
    """The call site of each position of inlined code, as last seen in the function."""
    place = ""
    for line in lines:
        if found := _PLACE.match(line):
            position = _words(found["at"])
            if found["caller"]:
                callers[position] = _words(found["caller"])
            else:
                callers.pop(position, None)
            place = _text(position, callers, files)
        elif line.startswith("}"):
            place = ""
            callers.clear()
        places.append(place)
    return places


def _words(position: str) -> str:
    return " ".join(position.split())


def _text(position: str, callers: dict[str, str], files: dict[str, str]) -> str:
    """A position and its call sites, the innermost first."""
    file, line, _ = position.split()
    if line == "0":
        return ""
    chain: list[str] = []
    met: set[str] = set()
    at: str | None = position
    while at is not None and at not in met:  # a text may lead round in a circle
        met.add(at)
        file, line, _ = at.split()
        chain.append(f"{PurePosixPath(files.get(file, file)).name}:{line}")
        at = callers.get(at)
    return " inlined at ".join(chain)
