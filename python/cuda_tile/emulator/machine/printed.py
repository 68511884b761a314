# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CTAs print, kept apart by line.

The driver keeps the text of one call together (CUDA C++ Programming Guide, "Formatted
Output"); calls of different CTAs have no order. Here a CTA's line stays in one piece,
so that a tile whose text takes several calls can be read.
"""

from __future__ import annotations

from collections.abc import Hashable


class Printed:
    """Text of all CTAs: each one's calls in their order, line by line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._begun: dict[Hashable, str] = {}

    def add(self, cta: Hashable, text: str) -> None:
        """Adds the text of one call; what ends no line waits for the rest of it."""
        ended, newline, begun = (self._begun.pop(cta, "") + text).rpartition("\n")
        if newline:
            self._lines.append(ended + newline)
        if begun:
            self._begun[cta] = begun

    @property
    def text(self) -> str:
        """All that was printed so far, lines that have no end last."""
        return "".join((*self._lines, *self._begun.values()))
