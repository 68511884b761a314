"""Threads that poll memory for what nobody will write.

Waits for barriers that never come are found exactly; a loop of loads looks like any
other. But if all that run poll and nothing else happens, nothing ever will.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# Until one gives up. The fast scheduler gives a warp that computes every 64th turn at
# least, the adversarial one a fair share: it runs many pieces of program meanwhile.
_MOST = 16384
_MOST_PER_WARP = 64
# A loop that polls has fewer pieces between branches; a warp that runs more computes.
_PIECES = 16


class Polls:
    """Counts strong reads since anything changed."""

    def __init__(self, machine: Threads) -> None:
        self._machine = machine
        self._count = 0
        self._progress: int = -1
        # Pieces of program that each warp ran since it polled last.
        n_warps = machine.n_lanes // WARP_LANES
        self._pieces = np.zeros(n_warps, np.int32)
        self._most = _MOST
        if machine.is_adversarial:
            self._most += _MOST_PER_WARP * n_warps

    def ran(self, lanes: Lanes) -> None:
        """Warps ran a piece of the program, up to a branch."""
        if self._count:
            self._pieces[lanes.rows] += 1
            if int(self._pieces[lanes.rows].max()) > _PIECES:
                self._count = 0

    def changed(self) -> None:
        """Somebody wrote to memory that others can read."""
        self._count = 0

    def read(self, lanes: Lanes) -> None:
        """Lanes read strongly, or update atomically what stays as it was.

        Raises:
            Fault: They have done so for too long.
        """
        machine = self._machine
        progress = machine.progress
        if progress != self._progress:
            self._progress, self._count = progress, 0
        self._count += 1
        self._pieces[lanes.rows] = 0
        if self._count <= self._most:
            return
        lane = int(lanes.numbers[0])
        text = (
            f"block {machine.block_of(int(machine.cta_of[lane]))}, warp "
            f"{machine.warp_in_cta[lane]} still polls memory, after {self._most} such "
            f"reads in which nobody did anything else"
        )
        waiting = machine.queue.remaining
        if waiting:
            text += (
                f"; {waiting} blocks have not started: expected a cooperative launch "
                f"(cooperative=True) where blocks wait for later ones"
            )
        raise Fault("deadlock", text)
