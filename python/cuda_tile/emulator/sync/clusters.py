# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The barrier of each cluster.

PTX ISA: "Parallel Synchronization and Communication Instructions: barrier.cluster". A
phase ends when every live thread of the cluster arrived; a thread waits before it
arrives again.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ordering.clocks import BASIC_TABLES, MOST_AGENTS
from cuda_tile.emulator.ptx.types import Bool
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes


class ClusterBarriers:
    """The cluster barriers of one machine."""

    def __init__(self, machine: Memories) -> None:
        self._machine = machine
        size = machine.geometry.cluster_size
        self._cluster_of = machine.cta_of // size
        count = machine.geometry.n_ctas // size
        # By lane the last phase it arrived at, and the last it waited for, 0 for none;
        # by cluster the number of completed phases.
        self._arrived = np.zeros(machine.n_lanes, np.int64)
        self._waited = np.zeros(machine.n_lanes, np.int64)
        self._phases = np.zeros(count, np.int64)
        clocks = machine.shadow.clocks
        n_tables = BASIC_TABLES if clocks is None else clocks.n_tables
        self._gathering = np.zeros((count, n_tables, MOST_AGENTS), np.int32)
        self._released = np.zeros((count, n_tables, MOST_AGENTS), np.int32)

    def reset(self) -> None:
        """Starts new CTAs."""
        for table in (self._arrived, self._waited, self._phases):
            table[:] = 0
        self._gathering[:] = 0
        self._released[:] = 0

    def arrive(self, lanes: Lanes, *, releases: bool) -> None:
        """barrier.cluster.arrive."""
        machine = self._machine
        cluster = self._cluster_of[lanes.index]
        phase = self._phases[cluster] + 1
        twice = self._arrived[lanes.index] >= phase
        if twice.any():
            raise Fault(
                "barrier",
                f"{self._name(lanes, twice)} arrives twice at the cluster's barrier; "
                "barrier.cluster.wait must stand between",
            )
        self._arrived[lanes.index] = phase
        clocks = machine.shadow.clocks
        if machine.lane_knowledge is not None:
            machine.lane_knowledge.arrive(lanes)
        if clocks is not None:
            part = slice(None) if releases else clocks.relaxed
            for cta, warps in machine.agents_by_cta(lanes.numbers):
                machine.presence.arrive(cta, warps)
                known = clocks.release(cta, warps)
                number = cta // machine.geometry.cluster_size
                table = self._gathering[number, part]
                np.maximum(table, known[part], out=table)
            if not releases:
                self._release_fenced(lanes)
        machine.progress += 1
        self._settle()

    def _release_fenced(self, lanes: Lanes) -> None:
        """Relaxed arrivals release what an earlier release fence covers.

        PTX ISA, "barrier.cluster": a fence prior to a relaxed arrival orders memory.
        """
        order = self._machine.order
        if order is None:
            return
        for warp in lanes.warps:
            cluster = int(self._cluster_of[int(warp) * WARP_LANES])
            table = self._gathering[cluster]
            for known in order.fenced(int(warp)):
                np.maximum(table, known, out=table)

    def _settle(self) -> None:
        """Completes the phases at which every live thread has arrived."""
        live = self._machine.live
        for cluster in range(len(self._phases)):
            mine = live & (self._cluster_of == cluster)
            if mine.any() and (self._arrived[mine] > self._phases[cluster]).all():
                self._phases[cluster] += 1
                self._machine.presence.settle(cluster)
                table = self._released[cluster]
                np.maximum(table, self._gathering[cluster], out=table)
                self._gathering[cluster] = 0
                self._machine.progress += 1

    def poll(self, lanes: Lanes, *, acquires: bool) -> Bool:
        """barrier.cluster.wait; returns the lanes whose phase is complete."""
        machine = self._machine
        self._settle()
        early = self._arrived[lanes.index] <= self._waited[lanes.index]
        if early.any():
            raise Fault(
                "barrier",
                f"{self._name(lanes, early)} waits for the cluster's barrier before it "
                "arrives; barrier.cluster.arrive must stand before",
            )
        done = self._arrived[lanes.index] <= self._phases[self._cluster_of[lanes.index]]
        clocks = machine.shadow.clocks
        ready = lanes.numbers[done]
        self._waited[ready] = self._arrived[ready]
        for cta, warps in machine.agents_by_cta(ready):
            machine.presence.meet(cta)
            if clocks is not None:
                known = self._released[cta // machine.geometry.cluster_size]
                clocks.acquire(cta, warps, known, relaxed=not acquires)
        return done

    def _name(self, lanes: Lanes, which: Bool) -> str:
        """Names the first of some lanes."""
        lane = int(lanes.numbers[int(np.argmax(which))])
        machine = self._machine
        warp, block = machine.warp_in_cta[lane], machine.grid_cta[lane]
        return f"lane {lane & 31} of warp {warp} of block {block}"

    def words(self, lanes: Lanes) -> str:
        """Describes the barrier that lanes wait for."""
        cluster = int(self._cluster_of[lanes.numbers[0]])
        mine = self._machine.live & (self._cluster_of == cluster)
        here = int((self._arrived[mine] > self._phases[cluster]).sum())
        return f"cluster barrier, where {here} of {int(mine.sum())} threads arrived"
