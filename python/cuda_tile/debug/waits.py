# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who waits for whom: waiting warps of the emulator, and the circle of a deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wait:
    """A warp that waits.

    Attributes:
        thread: Its number.
        name: `block (0, 0, 0), warp 1`.
        group: The CTA or cluster within which others can end the wait.
        line: The line of the PTX text.
        what: For what, in words: `for the mbarrier at ...`.
    """

    thread: int
    name: str
    group: int
    line: int
    what: str

    @property
    def cause(self) -> tuple[int, int, str]:
        """Equal for warps that wait together, who cannot help each other."""
        return self.group, self.line, self.what

    def describe(self) -> str:
        """One line."""
        return f"{self.name} waits at line {self.line} {self.what}"


def circle(waits: Sequence[Wait]) -> list[str]:
    """Why none of some waiting warps can go on: who waits for whom, in a circle.

    A wait is ended by a warp of the same group that is elsewhere. Where all others have
    ended or wait for the same, there is no circle: nobody is left.

    Args:
        waits: All warps that have not ended, each of which waits.

    Returns:
        A line per warp of the circle; empty without waits.
    """
    if not waits:
        return []
    first = waits[0]
    path = [first]
    while True:
        others = [w for w in waits if w.group == first.group]
        follower = next((w for w in others if w.cause != path[-1].cause), None)
        if follower is None:
            return [path[-1].describe(), "no warp is left that could end this wait"]
        same = [w for w in path if w.cause == follower.cause]
        if same:
            start = path.index(same[0])
            return _lines(path[start:])
        path.append(follower)


def _lines(path: Sequence[Wait]) -> list[str]:
    found: list[str] = []
    for wait, other in zip(path, [*path[1:], path[0]], strict=True):
        found.append(wait.describe())
        found.append(f"  which {other.name} could end, but it waits itself:")
    return [*found[:-1], f"  which {path[0].name} could end: the circle is closed"]
