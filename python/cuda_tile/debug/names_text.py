# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a text of Tile IR calls its values: MLIR forgets the names when it parses.

The place of an op is that of its name; the results' names stand before it, those of
block arguments behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cuda_tile.locations import Place

_SSA = r"%[A-Za-z0-9_$.-]*[A-Za-z0-9_$]"
_RESULTS = re.compile(rf"((?:{_SSA}(?::\d+)?\s*,\s*)*{_SSA}(?::\d+)?)\s*=\s*$")
_ITERATED = re.compile(r"iter_values\s*\(([^)]*)\)")
_INDUCTION = re.compile(rf"\s*(?:unsigned\s+)?({_SSA})\s+in\b")
_PARAMETER = re.compile(rf"({_SSA})\s*:")
_ENTRY = re.compile(r"\bentry\s+@([\w$.-]+)\s*\(([^)]*)\)")


@dataclass(frozen=True)
class TextNames:
    """The names in one text.

    Attributes:
        lines: Its lines.
    """

    lines: Sequence[str]

    def results(self, place: Place) -> list[str]:
        """The names of an op's results: `%a:2` gives two."""
        match = _RESULTS.search(self._line(place)[: place.column - 1])
        if match is None:
            return []
        found: list[str] = []
        for word in match[1].split(","):
            name, _, count = word.strip().partition(":")
            found += [f"{name}#{n}" for n in range(int(count))] if count else [name]
        return found

    def arguments(self, place: Place) -> list[str]:
        """The names of a loop's block arguments."""
        rest = self._line(place)[place.column - 1 :]
        induction = re.match(rf"[\w.]+{_INDUCTION.pattern}", rest)
        found = [induction[1]] if induction else []
        iterated = _ITERATED.search(" ".join([rest, *self._after(place)]))
        if iterated is not None:
            pairs = iterated[1].split(",")
            found += [pair.partition("=")[0].strip() for pair in pairs]
        return found

    def parameters(self, kernel: str) -> list[str]:
        """The names of a kernel's parameters."""
        for entry in _ENTRY.finditer("\n".join(self.lines)):
            if entry[1] == kernel:
                return _PARAMETER.findall(entry[2])
        return []

    def _line(self, place: Place) -> str:
        inside = 0 < place.line <= len(self.lines)
        return self.lines[place.line - 1] if inside else ""

    def _after(self, place: Place) -> Sequence[str]:
        """The rest of an op's head, which ends with the brace of its region."""
        head: list[str] = []
        if "{" not in self._line(place):
            for line in self.lines[place.line : place.line + 4]:
                head.append(line)
                if "{" in line:
                    break
        return head
