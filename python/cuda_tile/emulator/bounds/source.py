# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where PTX came from: the lines that `.loc` names."""

from __future__ import annotations

import re
from collections.abc import Sequence

# PTX ISA, "Debugging Directives: .file" and ".loc".
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')
_PLACE = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s")


def source_places(lines: Sequence[str]) -> list[str]:
    """Returns for each line of a PTX text what it came from, as `file:line`.

    A place holds until the next one or the end of the function; empty where there is
    none, and for line 0, which compilers give to what has no place.
    """
    files = {found[1]: found[2] for line in lines if (found := _FILE.match(line))}
    places: list[str] = []
    place = ""
    for line in lines:
        if found := _PLACE.match(line):
            name = files.get(found[1], found[1]).rpartition("/")[2]
            place = f"{name}:{found[2]}" if found[2] != "0" else ""
        elif line.startswith("}"):
            place = ""
        places.append(place)
    return places
