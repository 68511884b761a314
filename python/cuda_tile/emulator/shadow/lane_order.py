# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Races between lanes of one warp through shared memory.

PTX ISA, "bar.warp.sync": lanes of a warp are threads of their own, whose accesses are
ordered only where the lanes synchronise; `LaneKnowledge` says where they do.

Only adversarial machines have this. Columns of tables are read by `take`, which needs a
quarter of the time of an index of two axes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.lane_knowledge import LaneKnowledge
from cuda_tile.emulator.ptx.types import Index
from cuda_tile.emulator.shadow.protocol import Watched
from cuda_tile.emulator.threads.lanes import WARP_LANES

Offsets = NDArray[np.int64]
Flags = NDArray[np.bool_]
Clocks = NDArray[np.int32]
Agents = NDArray[np.uint8]
_NOBODY = -1


class LaneOrder:
    """The lanes that last wrote and read each byte of shared memory, and when."""

    def __init__(self, machine: Watched, knowledge: LaneKnowledge) -> None:
        self._machine = machine
        self._knowledge = knowledge
        total = len(machine.shared)
        # By byte: the lane, the clock of its warp at the time, and the instruction.
        self._written = np.full((3, total), _NOBODY, np.int32)
        # The last reader, and the last one before it that was another lane, so that a
        # writer always finds a reader other than itself.
        self._read = np.full((3, total), _NOBODY, np.int32)
        self._read_before = np.full((3, total), _NOBODY, np.int32)

    def reset(self) -> None:
        """Starts new CTAs."""
        self._written[0] = self._read[0] = self._read_before[0] = _NOBODY

    def read(self, at: int, who: Index, offsets: Offsets, size: int) -> None:
        """Checks and records loads.

        Args:
            at: Number of the instruction.
            who: The lane of each load, ascending by warp.
            offsets: Where each begins, int64[n].
            size: Bytes of each.
        """
        cells: Offsets = offsets[:, None] + np.arange(size)
        self._check(self._written, "reads", "wrote", at, who, cells, None)
        self._note_read(at, who, cells)

    def _note_read(self, at: int, who: Index, cells: Offsets) -> None:
        mine = who[:, None]
        others = cells[self._read[0][cells] != mine]
        self._read_before[:, others] = self._read.take(others, axis=1)
        self._note(self._read, at, who, cells)
        # Of lanes that read one byte in one step only one became the last reader.
        is_hidden = self._read[0][cells] != mine
        if not np.count_nonzero(is_hidden):
            return
        hidden = cells[is_hidden]
        self._read_before[0, hidden] = np.broadcast_to(mine, cells.shape)[is_hidden]
        self._read_before[1:, hidden] = self._read[1:].take(hidden, axis=1)

    def write(
        self, at: int, who: Index, offsets: Offsets, data: NDArray[np.uint8]
    ) -> None:
        """Checks and records stores, before they are done."""
        cells: Offsets = offsets[:, None] + np.arange(int(data.shape[1]))
        differs: NDArray[np.bool_] = self._machine.shared[cells] != data
        self._check_write(at, who, cells, differs)
        self._note(self._written, at, who, cells)

    def _check_write(
        self, at: int, who: Index, cells: Offsets, differs: NDArray[np.bool_] | None
    ) -> None:
        self._check(self._written, "overwrites", "wrote", at, who, cells, differs)
        self._check(self._read, "overwrites", "read", at, who, cells, differs)
        self._check(self._read_before, "overwrites", "read", at, who, cells, differs)

    # Asynchronous copies -----------------------------------------------------------

    def begin_copy(
        self, at: int, who: Index, offsets: Offsets, size: int, *, writes: bool
    ) -> None:
        """Checks what copies of lanes will write, or read, as they start."""
        cells: Offsets = offsets[:, None] + np.arange(size)
        if writes:
            self._check_write(at, who, cells, None)
        else:
            self._check(self._written, "reads", "wrote", at, who, cells, None)

    def end_copy(
        self, at: int, who: Index, offsets: Offsets, size: int, *, writes: bool
    ) -> None:
        """Lanes have waited for their copies: records what these did as theirs."""
        cells: Offsets = offsets[:, None] + np.arange(size)
        if writes:
            self._note(self._written, at, who, cells)
        else:
            self._note_read(at, who, cells)

    def landed(self, offsets: Offsets, size: int) -> None:
        """A copy completed on an mbarrier: no lane wrote these bytes."""
        self._written[0, offsets[:, None] + np.arange(size)] = _NOBODY

    # What lanes released alone -----------------------------------------------------

    def released_write(self, cells: Offsets) -> Flags:
        """Whether the lane that last wrote each byte released that write alone."""
        who, when = self._written[:2].take(cells, axis=1)
        return (who != _NOBODY) & (self._knowledge.released[who] >= when)

    def fenced_write(self, cells: Offsets) -> Flags:
        """Whether the lane that last wrote each byte fenced that write alone."""
        who, when = self._written[:2].take(cells, axis=1)
        return (who != _NOBODY) & (self._knowledge.fenced[who] >= when)

    def fenced_reads(self, cells: Offsets) -> Flags:
        """Whether the lanes that last read each byte fenced these reads alone."""
        fine = np.ones(cells.shape, np.bool_)
        for table in (self._read, self._read_before):
            who, when = table[:2].take(cells, axis=1)
            fine &= (who == _NOBODY) | (self._knowledge.fenced[who] >= when)
        return fine

    def released_reads(
        self, cells: Offsets, is_known: Callable[[Clocks, Agents], Flags]
    ) -> Flags:
        """Whether each byte's last readers are known, or released it alone.

        Args:
            cells: The bytes.
            is_known: From clocks and agents, whether these accesses happen before.
        """
        fine = np.ones(cells.shape, np.bool_)
        excused = np.zeros(cells.shape, np.bool_)
        for table in (self._read, self._read_before):
            who, when = table[:2].take(cells, axis=1)
            known = (who == _NOBODY) | is_known(when, self._machine.agents[who])
            alone = ~known & (self._knowledge.released[who] >= when)
            fine &= known | alone
            excused |= alone
        return fine & excused

    # What lanes that ended released to nobody ----------------------------------------

    def silent_write(self, cells: Offsets) -> Flags:
        """Whether such a lane last wrote each byte, and told nobody."""
        return self._is_silent(self._written, cells)

    def silent_read(self, cells: Offsets) -> Flags:
        """Whether such a lane is one of each byte's last readers."""
        read = self._is_silent(self._read, cells)
        return read | self._is_silent(self._read_before, cells)

    def _is_silent(self, table: NDArray[np.int32], cells: Offsets) -> Flags:
        if not self._knowledge.has_silent:
            return np.zeros(cells.shape, np.bool_)
        who, when = table[:2].take(cells, axis=1)
        return (who != _NOBODY) & (when >= self._knowledge.silent[who])

    # Records and checks ------------------------------------------------------------

    def _note(
        self, table: NDArray[np.int32], at: int, who: Index, cells: Offsets
    ) -> None:
        table[0, cells] = who[:, None]
        clock = self._clock(who)
        table[1, cells] = clock
        self._knowledge.touched[who] = np.ravel(clock)
        table[2, cells] = at

    def _clock(self, who: Index) -> NDArray[np.int32] | int:
        """The own clocks of lanes' warps, [n, 1] or a single one."""
        first, last = int(who[0]) >> 5, int(who[-1]) >> 5
        if first == last:
            return self._knowledge.own(first)
        own = [self._knowledge.own(warp) for warp in range(first, last + 1)]
        return np.array(own, np.int32)[(who >> 5) - first][:, None]

    def _check(
        self,
        table: NDArray[np.int32],
        verb: str,
        did: str,
        at: int,
        who: Index,
        cells: Offsets,
        differs: NDArray[np.bool_] | None,
    ) -> None:
        other, mine = table[0][cells], who[:, None]
        # Another lane of the same warp: they differ in the lowest bits only.
        bad = other ^ mine
        bad = (bad > 0) & (bad < WARP_LANES)
        if not np.count_nonzero(bad):
            return
        met, where = table[1:].take(cells, axis=1)
        unknown = met > self._knowledge.horizon[mine]
        if self._knowledge.has_silent:
            unknown |= met >= self._knowledge.silent[other]
        bad &= unknown & (where != at)
        if differs is not None:
            bad &= differs
        if not np.count_nonzero(bad):
            return
        which, byte = (int(place) for place in np.argwhere(bad)[0])
        machine = self._machine
        lane = int(who[which])
        offset = machine.shared_place(int(cells[which, byte]))
        place = machine.shadow.log.where(int(where[which, byte]))
        machine.shadow.report(
            "race",
            f"lane {lane & 31} of warp {machine.warp_in_cta[lane]} {verb} shared "
            f"memory at {offset} that lane {int(other[which, byte]) & 31} {did} "
            f"{place}, with no barrier or bar.warp.sync between",
            at,
        )
