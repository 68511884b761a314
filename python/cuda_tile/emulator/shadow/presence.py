# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lifetime of a CTA's shared memory as the other CTAs of its cluster access it.

PTX ISA, "Cluster of Cooperative Thread Arrays"; CUDA C++ Programming Guide,
"Distributed Shared Memory": a CTA must have started before another accesses its shared
memory, and must not end before those accesses are complete. Both are decided by
happens-before, not by the order in which the emulator runs the CTAs. Cluster barriers
count here even where they are relaxed: start and end are no memory accesses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.ordering.clocks import MOST_AGENTS, WarpClocks
from cuda_tile.emulator.shadow.protocol import Watched
from cuda_tile.emulator.threads.lanes import Lanes


class Presence:
    """What happens before each CTA of a machine starts to be accessed, and ends."""

    def __init__(self, machine: Watched, clocks: WarpClocks | None) -> None:
        self._machine = machine
        self._clocks = clocks
        geometry = machine.geometry
        size = geometry.cluster_size
        n_clusters = geometry.n_ctas // size
        # Clocks of a cluster's agents: at their arrivals in the current phase of its
        # barrier, in all completed phases, and in those that each CTA waited for.
        self._arrived = np.zeros((n_clusters, MOST_AGENTS), np.int32)
        self._over = np.zeros((n_clusters, MOST_AGENTS), np.int32)
        self._met = np.zeros((geometry.n_ctas, MOST_AGENTS), np.int32)
        # When each agent last arrived at an mbarrier of a CTA of its cluster.
        self._visits = np.zeros((geometry.n_ctas, MOST_AGENTS), np.int32)

    def reset(self) -> None:
        """Starts new CTAs."""
        for table in (self._arrived, self._over, self._met, self._visits):
            table[:] = 0

    # Cluster barriers --------------------------------------------------------------

    def arrive(self, cta: int, warps: NDArray[np.intp]) -> None:
        """Warps of a CTA arrive at the cluster's barrier."""
        if self._clocks is None:
            return
        cluster = cta // self._machine.geometry.cluster_size
        ctas = np.full(len(warps), cta, np.intp)
        self._arrived[cluster, warps] = self._clocks.own(ctas, warps.astype(np.uint8))

    def settle(self, cluster: int) -> None:
        """A phase of a cluster's barrier is complete."""
        np.maximum(self._over[cluster], self._arrived[cluster], out=self._over[cluster])

    def meet(self, cta: int) -> None:
        """A CTA has waited for the last phase."""
        over = self._over[cta // self._machine.geometry.cluster_size]
        np.maximum(self._met[cta], over, out=self._met[cta])

    # Remote accesses ---------------------------------------------------------------

    def check_access(self, lanes: Lanes, targets: NDArray[np.int64]) -> None:
        """Reports accesses to CTAs that may not have started, or have ended.

        Args:
            lanes: The accessing lanes.
            targets: The CTA that each lane accesses, numbered in the machine.
        """
        machine = self._machine
        mine = machine.cta_of[lanes.index]
        geometry = machine.geometry
        for place in np.unique(targets[targets != mine]):
            target = int(place)
            rank = target % geometry.cluster_size
            lane = lanes.numbers[np.flatnonzero(targets == place)[0]]
            who = self._name(int(lane))
            if not machine.live_threads[target]:
                raise Fault(
                    "cluster",
                    f"{who} accesses the shared memory of CTA rank {rank}, which has "
                    "ended; let them meet at a cluster barrier before",
                )
            if self._clocks is None:
                continue
            if not self.knows_started(int(machine.cta_of[lane]), target):
                raise Fault(
                    "cluster",
                    f"{who} reaches into the shared memory of CTA rank {rank} with no "
                    "cluster barrier since the start",
                )

    def knows_started(self, cta: int, target: int) -> bool:
        """Whether some event of another CTA of the cluster happens before a CTA's next.

        Args:
            cta: The CTA that knows, numbered in the machine.
            target: The CTA that must have started, of the same cluster.
        """
        geometry = self._machine.geometry
        first = target % geometry.cluster_size * geometry.warps_per_cta
        theirs = slice(first, first + geometry.warps_per_cta)
        return bool(self._knowledge(cta)[theirs].any())

    def knows(self, cta: int, agent: int, clock: int) -> bool:
        """Whether a CTA knows what an agent of its cluster did at a clock.

        Cluster barriers count even where they are relaxed, as for starts and ends.

        Args:
            cta: The CTA, numbered in the machine.
            agent: The agent.
            clock: The agent's own clock at the time.
        """
        return int(self._knowledge(cta)[agent]) >= clock

    def own_clock(self, lane: int) -> tuple[int, int]:
        """The agent of a lane's warp, and that warp's own clock."""
        assert self._clocks is not None, "only with clocks"
        machine = self._machine
        cta, agent = int(machine.cta_of[lane]), int(machine.agents[lane])
        return agent, self._clocks.knows(cta, agent, agent)

    def _name(self, lane: int) -> str:
        machine = self._machine
        rank = int(machine.cta_of[lane]) % machine.geometry.cluster_size
        return f"warp {machine.warp_in_cta[lane]} of CTA rank {rank}"

    def visit(self, lanes: Lanes, cta: int) -> None:
        """Lanes arrive at an mbarrier of a CTA."""
        machine = self._machine
        mine = machine.cta_of[lanes.index]
        far = lanes.numbers[mine != cta]
        if len(far) and self._clocks is not None:
            warps = np.unique(machine.agents[far])
            ctas = np.full(len(warps), cta, np.intp)
            self._visits[cta, warps] = self._clocks.own(ctas, warps)

    def _knowledge(self, cta: int) -> NDArray[np.int32]:
        """The join of the clocks of a CTA's warps, by agent."""
        assert self._clocks is not None, "only with clocks"
        known = self._clocks.of_cta(cta)
        return np.maximum(known, self._met[cta])

    # Ends --------------------------------------------------------------------------

    def end(self, cta: int, at: int) -> None:
        """The last thread of a CTA ends, with instruction `at`."""
        if self._clocks is None:
            return
        machine = self._machine
        known = self._knowledge(cta)
        machine.shadow.end_cta(cta, known, at)
        late = np.flatnonzero(self._visits[cta] > known)
        if len(late):
            who = machine.shadow.name(int(late[0]))
            machine.shadow.report(
                "cluster",
                f"the CTA ends before the arrival of {who} at its mbarrier is sure to "
                f"be over",
                at,
            )
