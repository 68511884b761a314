"""Who touched each byte of global memory last: compact, for the whole launch.

A *party* is one instruction of one warp at one time; a byte keeps the numbers of its
latest parties, 4 bytes each. Memory is watched in pages, made when they are touched.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_PAGE_BYTES = 4096
# How much of it; each byte costs 20.
_MOST_BYTES = 8 << 20
# Parties that read a byte since nobody knows when; a further one replaces one of them.
_READERS = 4

NOBODY = -1
Cells = NDArray[np.int64]
Parties = NDArray[np.int32]


@dataclass(slots=True)
class Party:
    """An access of one warp, or of a copy in its name.

    Attributes:
        owner: The warp, with its number in the grid.
        clock: The warp's own clock.
        at: Number of the instruction.
        scope: Whom it reaches if it is strong; WEAK else.
        time: From which `GlobalOrder.time` on strong reads see a strong write.
        is_copy: Whether a copy makes it.
        is_flying: Whether it is a copy on its way: nobody knows it.
    """

    owner: int
    clock: int
    at: int
    scope: int
    time: int = 0
    is_copy: bool = False
    is_flying: bool = False


@dataclass
class _Parties:
    """All parties so far; accesses of one instruction at one clock are one party."""

    entries: list[Party] = field(default_factory=list[Party])
    _latest: dict[tuple[int, int], int] = field(
        default_factory=dict[tuple[int, int], int]
    )

    def number(self, party: Party) -> int:
        if party.is_copy:
            return self._add(party)
        key = (party.owner, party.at)
        latest = self._latest.get(key)
        if latest is None or self.entries[latest] != party:
            latest = self._latest[key] = self._add(party)
        return latest

    def _add(self, party: Party) -> int:
        self.entries.append(party)
        return len(self.entries) - 1


class GlobalHistory:
    """The last write and the latest reads of each watched byte.

    Attributes:
        most_bytes: How much memory is watched.
        is_partial: Whether more than that was touched.
    """

    def __init__(self) -> None:
        self._parties = _Parties()
        self._slots: dict[int, int] = {}
        self._writes: Parties = np.zeros((1, 0), np.int32)
        self._reads: Parties = np.zeros((_READERS, 0), np.int32)
        self._turn = 0
        self.most_bytes = _MOST_BYTES
        self.is_partial = False

    def party(self, number: int) -> Party:
        """The party with a number."""
        return self._parties.entries[number]

    # Bytes -------------------------------------------------------------------------

    def cells(self, addresses: Cells) -> tuple[Cells, NDArray[np.bool_]]:
        """Finds where bytes are kept.

        Args:
            addresses: Of single bytes, int64[n].

        Returns:
            The cells of the watched bytes, and which those are, bool[n].
        """
        pages, inverse = np.unique(addresses // _PAGE_BYTES, return_inverse=True)
        slots = np.array([self._slot(int(page)) for page in pages], np.int64)[inverse]
        watched = slots >= 0
        return (slots * _PAGE_BYTES + addresses % _PAGE_BYTES)[watched], watched

    def _slot(self, page: int) -> int:
        found = self._slots.get(page)
        if found is None:
            if (len(self._slots) + 1) * _PAGE_BYTES > self.most_bytes:
                self.is_partial = True
                return -1
            found = self._slots[page] = len(self._slots)
            needed = (found + 1) * _PAGE_BYTES
            if needed > self._writes.shape[1]:
                n_cells = min(2 * needed, self.most_bytes)
                self._writes = _grown(self._writes, n_cells)
                self._reads = _grown(self._reads, n_cells)
        return found

    def writes(self, cells: Cells) -> Parties:
        """The party that wrote each byte last, int32[1, n]; NOBODY for none."""
        return self._writes[:, cells]

    def reads(self, cells: Cells) -> Parties:
        """Parties that read each byte, int32[ways, n]; NOBODY for none."""
        return self._reads[:, cells]

    # Records -----------------------------------------------------------------------

    def wrote(self, cells: Cells, party: Party) -> None:
        """A party wrote these bytes."""
        self._writes[0, cells] = self._parties.number(party)

    def read(self, cells: Cells, party: Party) -> None:
        """A party read these bytes.

        It takes the place of a read by the same warp that it outdoes: what comes after
        it comes after both. Where other warps hold all places, of another each time.
        """
        number = self._parties.number(party)
        known = self._reads[:, cells]
        mine = (known == NOBODY) | (known == number)
        for other in np.unique(known[~mine]):
            entry = self.party(int(other))
            if entry.owner == party.owner and party.scope <= entry.scope:
                mine |= known == other
        self._turn += 1
        ways = np.where(mine.any(axis=0), mine.argmax(axis=0), self._turn % _READERS)
        self._reads[ways, cells] = number


def _grown(parties: Parties, n_cells: int) -> Parties:
    grown = np.full((len(parties), n_cells), NOBODY, np.int32)
    grown[:, : parties.shape[1]] = parties
    return grown
