# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a thread of a program may stand: an op or an instruction, and its source lines.

The interpreter's ops and the emulator's instructions are both told as spots, so that
breakpoints and steps are written once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath

from cuda_tile.locations import Place


@dataclass(frozen=True, slots=True)
class Spot:
    """One op or instruction.

    Attributes:
        order: Its number in program order.
        text: What it is, in a word: `mmaf`.
        places: Where it comes from: the innermost place, then its callers.
        loops: The numbers of the loops around it, outermost first.
        lines: The same lines as `places`, outermost first.
    """

    order: int
    text: str
    places: tuple[Place, ...]
    loops: tuple[int, ...] = ()
    lines: tuple[tuple[str, int], ...] = field(init=False)

    def __post_init__(self) -> None:
        lines = tuple((place.file, place.line) for place in reversed(self.places))
        object.__setattr__(self, "lines", lines)

    @property
    def place(self) -> Place | None:
        """The innermost place, if any is known."""
        return self.places[0] if self.places else None

    def has_line(self, line: tuple[str, int]) -> bool:
        """Whether a source line is among its own and its callers'."""
        return line in self.lines

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


def is_back(spot: Spot, previous: Spot) -> bool:
    """Whether a thread that comes from `previous` jumped back: a new iteration."""
    return spot.order <= previous.order


def is_same_file(one: str, other: str) -> bool:
    """Whether two names may mean the same file: one is the end of the other."""
    first, second = PurePath(one).parts, PurePath(other).parts
    count = min(len(first), len(second))
    return count > 0 and first[-count:] == second[-count:]
