# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detects livelock: threads that poll memory which no other thread will write.

A wait for a barrier that cannot complete is found exactly (a deadlock). A loop of loads
looks like any other; but once all running warps only poll, no value will ever change.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# Polls in a row before it counts as a livelock. Meanwhile a warp that computes gets at
# least every 64th turn of the fast scheduler, a fair share of the adversarial one's.
_MOST = 16384
_MOST_PER_WARP = 64
# Most segments (up to a branch) in a round of a polling loop; other warps compute.
_PIECES = 16


class Polls:
    """Counts strong reads since anything changed that threads may wait for."""

    def __init__(self, machine: Threads) -> None:
        self._machine = machine
        self._count = 0
        self._progress: int = -1
        # Segments that each warp ran since its last poll.
        n_warps = machine.n_lanes // WARP_LANES
        self._pieces = np.zeros(n_warps, np.int32)
        self._most = _MOST
        if machine.is_adversarial:
            self._most += _MOST_PER_WARP * n_warps

    def ran(self, lanes: Lanes) -> None:
        """Warps ran a segment of the program, up to a branch."""
        if self._count:
            self._pieces[lanes.rows] += 1
            if int(self._pieces[lanes.rows].max()) > _PIECES:
                self._count = 0

    def changed(self) -> None:
        """Memory that others can read was written."""
        self._count = 0

    def read(self, lanes: Lanes) -> None:
        """Lanes read strongly, or made an atomic update that changed nothing.

        Raises:
            Fault: All running warps have only polled for too long.
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
