# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cp.async copies in flight, and their async-groups.

PTX ISA: "Asynchronous Data Movement". A copy reads its source when it is issued and
writes shared memory only at the wait that completes it, which is as late as the ISA
allows: code that reads before that wait finds the old bytes, and is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ptx.types import Bool, Index
from cuda_tile.emulator.threads.lanes import Lanes


@dataclass(frozen=True)
class _Copy:
    """One cp.async of some lanes; `group` is its async-group in each lane."""

    at: int
    lanes: Index
    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]
    group: NDArray[np.int64]
    number: int


class Copies:
    """The cp.async copies of one machine that are in flight, by thread and group."""

    def __init__(self, machine: Memories) -> None:
        self._machine = machine
        self._committed = np.zeros(machine.n_lanes, np.int64)
        self._in_flight: list[_Copy] = []
        self._issued = 0

    def reset(self) -> None:
        """Starts new CTAs."""
        self._committed[:] = 0
        self._in_flight.clear()
        traffic = self._machine.counters.traffic
        if traffic is not None:
            traffic.start()

    def issue(
        self,
        at: int,
        lanes: Lanes,
        offsets: NDArray[np.int64],
        data: NDArray[np.uint8],
    ) -> None:
        """Starts a copy of `data` (uint8[count, size]) to shared memory."""
        machine = self._machine
        warps = machine.agents[lanes.index]
        size = data.shape[1]
        if machine.lane_order is not None:
            who = lanes.numbers
            machine.lane_order.begin_copy(at, who, offsets, size, writes=True)
        machine.shadow.begin_copy(at, offsets, size, warps, machine.shared)
        group = self._committed[lanes.index].copy()
        self._issued += 1
        copy = _Copy(at, lanes.numbers, offsets, data, group, self._issued)
        self._in_flight.append(copy)
        if machine.counters.traffic is not None:
            machine.counters.traffic.begun(lanes, size)

    def prior(self, lanes: Lanes) -> Callable[[int, int], None]:
        """Returns what completes the copies that these lanes have issued so far.

        It takes the agent and clock in whose name the copies then write.
        """
        mine = np.zeros(self._machine.n_lanes, np.bool_)
        mine[lanes.index] = True
        last = self._issued

        def complete(agent: int, clock: int) -> None:
            in_flight: list[_Copy] = []
            for copy in self._in_flight:
                ready = mine[copy.lanes] & (copy.number <= last)
                if np.count_nonzero(ready):
                    self._complete(copy, ready, agent, clock)
                if np.count_nonzero(ready) < len(ready):
                    in_flight.append(_part(copy, ~ready))
            self._in_flight = in_flight

        return complete

    def commit(self, lanes: Lanes) -> None:
        """Closes the current async-group of each lane."""
        self._committed[lanes.index] += 1

    def wait(
        self, at: int, lanes: Lanes, pending: int, *, everything: bool = False
    ) -> None:
        """Completes all groups of these lanes but the last `pending` ones.

        Args:
            at: Number of the instruction.
            lanes: Who waits.
            pending: How many groups need not be complete.
            everything: Whether also what is in no group yet must be complete.
        """
        traffic = self._machine.counters.traffic
        if traffic is not None:
            traffic.waits(at, lanes)
        limit = np.full(self._machine.n_lanes, -1, np.int64)
        limit[lanes.index] = self._committed[lanes.index] - pending
        if everything:
            limit[lanes.index] += 1
        in_flight: list[_Copy] = []
        for copy in self._in_flight:
            ready = copy.group < limit[copy.lanes]
            if np.count_nonzero(ready):
                self._complete(copy, ready)
            if np.count_nonzero(ready) < len(ready):
                in_flight.append(_part(copy, ~ready))
        self._in_flight = in_flight

    def _complete(
        self, copy: _Copy, ready: Bool, agent: int = -1, clock: int | None = None
    ) -> None:
        machine = self._machine
        done = copy if ready.all() else _part(copy, ready)
        traffic = machine.counters.traffic
        if traffic is not None:
            traffic.landed(machine.cta_of[done.lanes], done.data.shape[1])
        agents = machine.agents[done.lanes]
        if machine.lane_order is not None:
            # A thread's wait covers its own copies, of which its mates know nothing.
            size = int(done.data.shape[1])
            if agent < 0:
                who = done.lanes
                machine.lane_order.end_copy(
                    done.at, who, done.offsets, size, writes=True
                )
            else:
                machine.lane_order.landed(done.offsets, size)
        if agent >= 0:
            agents = np.full(len(done.lanes), agent, np.uint8)
        machine.shadow.end_copy(
            done.at, done.offsets, done.data, agents, machine.shared, clock
        )


def _part(copy: _Copy, which: Bool) -> _Copy:
    if which.all():
        return copy
    return _Copy(
        copy.at,
        copy.lanes[which],
        copy.offsets[which],
        copy.data[which],
        copy.group[which],
        copy.number,
    )
