# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places in the source as compilers write them: `file:line:column`.

MLIR prints `loc("file":line:column)`, which no editor recognises, and what was inlined
as a nest of call sites. Messages have the innermost place, then its callers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.records import dataclass

UNKNOWN = "unknown location"
"""What stands for the place of an op that has none."""
CALLER = ", called from "
"""What stands between a place and that of its caller."""
_PLACE = r"(?s)(?P<file>.*):(?P<line>\d+):(?P<column>\d+)"


@dataclass(frozen=True)
class Place:
    """A place in a source file; lines count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


def place_text(location: ir.Location) -> str:
    """A location in one line: `a.py:3:5`, or `a.py:3:5, called from b.py:7:1`.

    A file without a line stands alone; so does the name of a location that has nothing
    else. Without any of them it is `UNKNOWN`.
    """
    parts = list(_parts(_cuda_tile.without_scopes(location)))
    return CALLER.join(parts) or UNKNOWN


def _parts(location: ir.Location) -> Iterator[str]:
    """The innermost place, then its callers."""
    if location.is_a_file():
        line = location.start_line
        place = Place(location.filename, line, location.start_col)
        yield str(place) if line else location.filename
    elif location.is_a_callsite():
        yield from _parts(location.callee)
        yield from _parts(location.caller)
    elif location.is_a_fused():
        found = [text for each in location.locations for text in _parts(each)]
        yield from found[:1]
    elif location.is_a_name():
        yield from list(_parts(location.child_loc)) or [location.name_str]


def places_of(text: str) -> list[Place]:
    """The places in what `place_text` gives: the innermost, then its callers."""
    found = [re.fullmatch(_PLACE, part) for part in text.split(CALLER)]
    return [
        Place(match["file"], int(match["line"]), int(match["column"]))
        for match in found
        if match is not None
    ]
