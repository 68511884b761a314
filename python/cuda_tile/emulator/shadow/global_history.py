# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Last writer and latest readers of each byte of global memory, for a whole launch.

An access is one instruction of one warp at one clock; a byte keeps the numbers of its
latest accesses, 4 bytes each, and the lanes that made them; further readers are in
`Crowds`. Memory is watched in pages, made at the first access.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.shadow.crowds import Crowds, Keep, Numbers, Places

_PAGE_BYTES = 4096
# Most bytes that are watched; the history of each takes 25 bytes.
_MOST_BYTES = 8 << 20
# Readers kept per byte; of further ones, all but these are in a crowd.
_READERS = 4

NONE = -1
# In the place of a lane: several lanes of the warp in one access.
SEVERAL = 32
Cells = NDArray[np.int64]
_Table = TypeVar("_Table", Numbers, Places)


@dataclass(slots=True)
class GlobalAccess:
    """One access of a warp, or of a bulk copy that it started.

    Attributes:
        owner: The warp, numbered in the grid.
        clock: The warp's own clock at the access.
        at: Number of the instruction.
        scope: Scope of a strong access; WEAK else.
        time: For a strong write, the `GlobalOrder.time` from which on reads observe it.
        is_copy: Whether a bulk copy makes it.
        is_in_flight: Whether that copy is incomplete, so that nothing is ordered after
            it.
    """

    owner: int
    clock: int
    at: int
    scope: int
    time: int = 0
    is_copy: bool = False
    is_in_flight: bool = False


@dataclass
class _AccessTable:
    """All accesses so far; those of one instruction at one clock are one entry."""

    entries: list[GlobalAccess] = field(default_factory=list[GlobalAccess])
    _latest: dict[tuple[int, int], int] = field(
        default_factory=dict[tuple[int, int], int]
    )

    def number(self, access: GlobalAccess) -> int:
        if access.is_copy:
            return self._add(access)
        key = (access.owner, access.at)
        latest = self._latest.get(key)
        if latest is None or self.entries[latest] != access:
            latest = self._latest[key] = self._add(access)
        return latest

    def _add(self, access: GlobalAccess) -> int:
        self.entries.append(access)
        return len(self.entries) - 1


class GlobalHistory:
    """The last write and the latest reads of each watched byte.

    Attributes:
        most_bytes: How many bytes are watched at most.
        is_partial: Whether more than that were accessed.
    """

    def __init__(self) -> None:
        self._accesses = _AccessTable()
        self._slots: dict[int, int] = {}
        self._writes: Numbers = np.zeros((1, 0), np.int32)
        self._reads: Numbers = np.zeros((_READERS, 0), np.int32)
        # The lane of each of them within its warp.
        self._writer: Places = np.zeros((1, 0), np.uint8)
        self._reader: Places = np.zeros((_READERS, 0), np.uint8)
        # The crowd of each byte; empty until a byte has one.
        self._crowd: Numbers = np.zeros((1, 0), np.int32)
        self._crowds = Crowds()
        self._turn = 0
        self.most_bytes = _MOST_BYTES
        self.is_partial = False

    def access(self, number: int) -> GlobalAccess:
        """The access with a number."""
        return self._accesses.entries[number]

    # Bytes -------------------------------------------------------------------------

    def cells(self, addresses: Cells) -> tuple[Cells, NDArray[np.bool_]]:
        """Finds the history of bytes.

        Args:
            addresses: Of single bytes, int64[n].

        Returns:
            Index of each watched byte in the history, and which bytes are watched,
            bool[n].
        """
        if len(addresses):
            # Mostly all lie in one page.
            page = int(addresses[0]) // _PAGE_BYTES
            places = addresses - page * _PAGE_BYTES
            if places.min() >= 0 and places.max() < _PAGE_BYTES:
                slot = self._slot(page)
                is_watched = np.full(len(addresses), slot >= 0)
                return (places + slot * _PAGE_BYTES)[is_watched], is_watched
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
                self._writer = _grown(self._writer, n_cells)
                self._reader = _grown(self._reader, n_cells)
                if self._crowd.size:
                    self._crowd = _grown(self._crowd, n_cells)
        return found

    def writes(self, cells: Cells) -> Numbers:
        """The last write of each byte, int32[1, n]; NONE where there is none."""
        return self._writes.take(cells, axis=1)

    def reads(self, cells: Cells) -> Numbers:
        """The latest reads of each byte, int32[ways, n]; NONE where there is none."""
        return self._reads.take(cells, axis=1)

    def writers(self, cells: Cells) -> Places:
        """The lanes of `writes`."""
        return self._writer.take(cells, axis=1)

    def readers(self, cells: Cells) -> Places:
        """The lanes of `reads`."""
        return self._reader.take(cells, axis=1)

    def crowds(self, cells: Cells) -> Numbers:
        """The crowd of further reads of each byte, int32[n]; NONE where there is none.

        Empty if no byte has one.
        """
        return self._crowd[0][cells] if self._crowd.size else self._crowd[0]

    def members(self, crowd: int) -> tuple[Numbers, Places]:
        """The reads of a crowd, and their lanes."""
        return self._crowds.members(crowd)

    # Records -----------------------------------------------------------------------

    def wrote(self, cells: Cells, access: GlobalAccess, lanes: Places | int) -> None:
        """Records a write of these bytes by lanes of a warp."""
        self._writes[0, cells] = self._accesses.number(access)
        self._writer[0, cells] = lanes

    def read(
        self,
        cells: Cells,
        access: GlobalAccess,
        lanes: Places | int,
        met: Callable[[], NDArray[np.int32]],
        keep: Keep,
    ) -> None:
        """Records a read of these bytes by lanes of a warp.

        It replaces an earlier read by the same warp if whatever is ordered after it is
        ordered after both: by the same lane, or one whose accesses the lane knows. One
        of the same clock and strength becomes one by several lanes. Where other warps
        hold all entries, one of them goes to the crowd.

        Args:
            cells: The bytes, int64[n].
            access: The read.
            lanes: Their lanes.
            met: By byte, the clock up to which the lane knows its mates' accesses.
            keep: What a crowd must keep, in view of this read.
        """
        number = self._accesses.number(access)
        known = self.reads(cells)
        mine = (known == NONE) | (known == number)
        merged = known == number
        others = known[~mine]
        for other in np.unique(others) if others.size else ():
            entry = self.access(int(other))
            if entry.owner == access.owner and access.scope <= entry.scope:
                same = known == other
                together = (entry.clock, entry.scope) == (access.clock, access.scope)
                if together and not entry.is_in_flight:
                    merged |= same
                else:
                    same &= (self.readers(cells) == lanes) | (entry.clock <= met())
                mine |= same
        self._turn += 1
        is_free = mine.any(axis=0)
        ways = np.where(is_free, mine.argmax(axis=0), self._turn % _READERS)
        if not is_free.all():
            self._crowd_out(ways[~is_free], cells[~is_free], number, keep)
        before = self._reader[ways, cells]
        again = merged[ways, np.arange(len(cells))] & (before != lanes)
        self._reads[ways, cells] = number
        self._reader[ways, cells] = np.where(again, np.uint8(SEVERAL), lanes)
        together = (self._reader[ways, cells] != lanes) & ~again
        if np.count_nonzero(together):
            self._reader[ways[together], cells[together]] = SEVERAL

    def _crowd_out(self, ways: Cells, cells: Cells, reader: int, keep: Keep) -> None:
        """Moves a read of each byte to its crowd."""
        if not self._crowd.size:
            self._crowd = _grown(self._crowd, self._reads.shape[1])
        numbers, lanes = self._reads[ways, cells], self._reader[ways, cells]
        # Crowd and lane in one number, so that what is alike is found at once.
        alike = self._crowd[0, cells].astype(np.int64) * 256 + lanes
        for number in np.unique(numbers):
            mine = numbers == number
            for one in np.unique(alike[mine]):
                crowd, lane = divmod(int(one), 256)
                grown = self._crowds.grown(crowd, int(number), lane, reader, keep)
                self._crowd[0, cells[mine & (alike == one)]] = grown


def _grown(table: _Table, n_cells: int) -> _Table:
    grown = np.empty((len(table), n_cells), table.dtype)
    grown[:] = np.array(NONE).astype(table.dtype)
    grown[:, : table.shape[1]] = table
    return cast(_Table, grown)
