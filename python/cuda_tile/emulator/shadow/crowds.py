# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of reads of bytes that many warps read: as many as there are.

A set is a number, so that a byte keeps 4 bytes however many read it, and bytes that the
same warps read share one. A further read makes a new set that refers to the old one.

No race is lost: a set forgets a read only when another read of it, or of the same bytes
later, is not ordered before any write that the forgotten one races with. That is so
where the later one happens after it and is no stronger (if a write comes after the
later read, it comes after both; if it does not, it races with the later read too):

- a later read by the same lane;
- a read by another warp that has acquired what the first one's warp released since.

It forgets when it has doubled, so that a read costs the same however many there are,
and what is kept is at most twice what cannot be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Places = NDArray[np.uint8]
# From accesses and their lanes, oldest first, to those of them that must be kept.
Keep = Callable[[Numbers, Places], NDArray[np.bool_]]

# From how many reads on a set tries to forget some.
_FIRST = 32


@dataclass(frozen=True, slots=True)
class _Crowd:
    """An earlier set and one more read, or several."""

    before: _Crowd | None
    numbers: Numbers
    lanes: Places
    count: int
    most: int


class Crowds:
    """All sets of reads of a launch; a set is the number of its entry."""

    def __init__(self) -> None:
        self._crowds: list[_Crowd] = []
        self._grown: dict[tuple[int, int, int, int], int] = {}
        self._members: dict[int, tuple[Numbers, Places]] = {}

    def grown(self, crowd: int, number: int, lane: int, reader: int, keep: Keep) -> int:
        """A set with one more read.

        Args:
            crowd: The set; negative for an empty one.
            number: The access.
            lane: The place of its lane in the warp.
            reader: The access that reads the bytes now, which is not in the set.
            keep: Decides what to forget because of that one.
        """
        before = self._crowds[crowd] if crowd >= 0 else None
        is_full = before is not None and before.count >= before.most
        key = crowd, number, lane, reader if is_full else -1
        found = self._grown.get(key)
        if found is None:
            found = self._grown[key] = len(self._crowds)
            self._crowds.append(self._with(before, number, lane, keep))
        return found

    def _with(
        self, before: _Crowd | None, number: int, lane: int, keep: Keep
    ) -> _Crowd:
        count, most = (before.count, before.most) if before else (0, _FIRST)
        numbers, lanes = np.array([number], np.int32), np.array([lane], np.uint8)
        if count < most:
            return _Crowd(before, numbers, lanes, count + 1, most)
        numbers, lanes = _all(_Crowd(before, numbers, lanes, count + 1, most))
        kept = keep(numbers, lanes)
        numbers, lanes = numbers[kept], lanes[kept]
        return _Crowd(None, numbers, lanes, len(numbers), max(2 * len(numbers), _FIRST))

    def members(self, crowd: int) -> tuple[Numbers, Places]:
        """The reads of a set, oldest first, and their lanes."""
        found = self._members.get(crowd)
        if found is None:
            if len(self._members) >= _FIRST:
                self._members.clear()
            found = self._members[crowd] = _all(self._crowds[crowd])
        return found


def _all(crowd: _Crowd) -> tuple[Numbers, Places]:
    numbers, lanes = list[Numbers](), list[Places]()
    part: _Crowd | None = crowd
    while part is not None:
        numbers.append(part.numbers)
        lanes.append(part.lanes)
        part = part.before
    return np.concatenate(numbers[::-1]), np.concatenate(lanes[::-1])
