# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Detects livelock: threads that poll memory which no other thread will write.

A wait for a barrier that cannot complete is found exactly (a deadlock). A loop of loads
looks like any other. Once all running warps have only polled for long, their states are
compared: a warp that comes back to a read in a state that it had there before, while no
memory changed, does so for ever. When all of them do, no value will ever change. A loop
that counts its polls has a new state each time; it may go on until it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# Polls in a row before they may count as a livelock. Meanwhile a warp that computes
# gets at least every 64th turn of the fast scheduler, a fair share of the adversarial
# one's.
_MOST = 16384
_MOST_PER_WARP = 64
# The share of these polls, the last ones, in which states are compared.
_COMPARED = 8
# Most segments (up to a branch) in a round of a polling loop; other warps compute.
_PIECES = 16

# Who some lanes of a warp are, and a hash of their state.
State = tuple[tuple[int, int], int]


class Polls:
    """Counts strong reads since anything changed that threads may wait for.

    Attributes:
        state_of: Gives the states of lanes, by warp; see `machine.poll_state`.
    """

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
        self.state_of: Callable[[Lanes], Iterable[State]] = lambda lanes: ()
        # The states that lanes had at a read since anything changed; for those that
        # read lately, whether it was one of these.
        self._states: set[tuple[int, State]] = set()
        self._repeats: dict[tuple[int, int], bool] = {}

    def ran(self, lanes: Lanes) -> None:
        """Warps ran a segment of the program, up to a branch."""
        if self._count:
            self._pieces[lanes.rows] += 1
            if int(self._pieces[lanes.rows].max()) > _PIECES:
                self.changed()

    def changed(self) -> None:
        """Memory that others can read was written."""
        self._count = 0
        if self._states:
            self._states.clear()
            self._repeats.clear()

    def read(self, at: int, lanes: Lanes) -> None:
        """Lanes read strongly, or made an atomic update that changed nothing.

        Args:
            at: Number of the instruction.
            lanes: Who reads.

        Raises:
            Fault: All running warps have only polled for too long, and always will.
        """
        machine = self._machine
        progress = machine.progress
        if progress != self._progress:
            self._progress = progress
            self.changed()
        self._count += 1
        self._pieces[lanes.rows] = 0
        if self._count <= self._most - self._most // _COMPARED:
            return
        for who, state in self.state_of(lanes):
            place = at, (who, state)
            self._repeats[who] = place in self._states
            self._states.add(place)
        if self._count <= self._most:
            return
        if all(self._repeats.values()):
            self._fail(lanes)
        self._count = 0
        self._repeats.clear()

    def _fail(self, lanes: Lanes) -> None:
        machine = self._machine
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
