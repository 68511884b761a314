# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warnings of the interpreter.

Ordinary producers emit some constructs that the specification of the dialect leaves
undefined, and hardware runs them all the same. Such a construct is an error in `strict`
mode, a counted warning with its location in `hardware` mode, and is not checked in
`permissive` mode.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Alarms:
    """Warnings in the order of their first occurrence.

    Attributes:
        _texts: The first text of each kind of warning at each place, and how often it
            was given there.
    """

    _texts: dict[tuple[str, str], tuple[str, int]] = field(
        default_factory=dict[tuple[str, str], tuple[str, int]]
    )

    def note(self, location: str, kind: str, text: str) -> None:
        """Counts a warning; `kind` distinguishes warnings of one place."""
        first, count = self._texts.get((location, kind), (f"{location}: {text}", 0))
        self._texts[location, kind] = first, count + 1

    def lines(self) -> list[str]:
        """A line per kind and place, with the count where it is above one."""
        return [
            text if count == 1 else f"{text} ({count} times)"
            for text, count in self._texts.values()
        ]
