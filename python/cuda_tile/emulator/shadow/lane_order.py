"""Races between lanes of one warp through shared memory.

PTX ISA, "bar.warp.sync": lanes of a warp are threads of their own, whose accesses are
ordered only where the lanes synchronise. Every instruction that lanes of a warp execute
together counts as such here (shuffles and votes too, which promise less but do more).

Only adversarial machines have this.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.shadow.protocol import Watched
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

Offsets = NDArray[np.int64]
_NOBODY = -1


class LaneOrder:
    """The lanes that last wrote and read each byte of shared memory, and when.

    Attributes:
        meetings: How often the lanes of each warp have synchronised, int32[n_warps].
    """

    def __init__(self, machine: Watched) -> None:
        self._machine = machine
        self.meetings = np.zeros(machine.n_lanes // WARP_LANES, np.int32)
        total = len(machine.shared)
        # By byte: the lane, `meetings` of its warp at the time, and the instruction.
        self._written = np.full((3, total), _NOBODY, np.int32)
        # The last reader, and the last one before it that was another lane, so that a
        # writer always finds a reader other than itself.
        self._read = np.full((3, total), _NOBODY, np.int32)
        self._read_before = np.full((3, total), _NOBODY, np.int32)

    def reset(self) -> None:
        """Starts new CTAs."""
        self._written[0] = self._read[0] = self._read_before[0] = _NOBODY

    def read(self, at: int, lanes: Lanes, offsets: Offsets, size: int) -> None:
        """Checks and records loads of each lane."""
        cells: Offsets = offsets[:, None] + np.arange(size)
        self._check(self._written, "reads", "wrote", at, lanes, cells, None)
        mine = np.broadcast_to(lanes.numbers[:, None], cells.shape)
        last = self._read[:, cells]
        others = last[0] != mine
        self._read_before[:, cells[others]] = last[:, others]
        self._note(self._read, at, lanes, cells)
        # Of lanes that read one byte in one step only one became the last reader.
        together = self._read[0, cells] != mine
        self._read_before[0, cells[together]] = mine[together]
        self._read_before[1:, cells[together]] = self._read[1:, cells[together]]

    def write(
        self, at: int, lanes: Lanes, offsets: Offsets, data: NDArray[np.uint8]
    ) -> None:
        """Checks and records stores of each lane, before they are done."""
        cells: Offsets = offsets[:, None] + np.arange(int(data.shape[1]))
        differs: NDArray[np.bool_] = self._machine.shared[cells] != data
        self._check(self._written, "overwrites", "wrote", at, lanes, cells, differs)
        self._check(self._read, "overwrites", "read", at, lanes, cells, differs)
        self._check(self._read_before, "overwrites", "read", at, lanes, cells, differs)
        self._note(self._written, at, lanes, cells)

    def _note(
        self, table: NDArray[np.int32], at: int, lanes: Lanes, cells: Offsets
    ) -> None:
        table[0, cells] = lanes.numbers[:, None]
        table[1, cells] = self.meetings[lanes.numbers >> 5][:, None]
        table[2, cells] = at

    def _check(
        self,
        table: NDArray[np.int32],
        verb: str,
        did: str,
        at: int,
        lanes: Lanes,
        cells: Offsets,
        differs: NDArray[np.bool_] | None,
    ) -> None:
        other, met, where = table[:, cells]
        mine = lanes.numbers[:, None]
        bad = (other != mine) & (other >> 5 == mine >> 5) & (where != at)
        bad &= met == self.meetings[mine >> 5]
        if differs is not None:
            bad &= differs
        if not bad.any():
            return
        which, byte = (int(place) for place in np.argwhere(bad)[0])
        machine = self._machine
        lane = int(lanes.numbers[which])
        offset = machine.shared_place(int(cells[which, byte]))
        place = machine.shadow.log.where(int(where[which, byte]))
        machine.shadow.report(
            "race",
            f"lane {lane & 31} of warp {machine.warp_in_cta[lane]} {verb} shared "
            f"memory at {offset} that lane {int(other[which, byte]) & 31} {did} "
            f"{place}, with no barrier or bar.warp.sync between",
            at,
        )
