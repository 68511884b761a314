# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarrier objects: phases, pending and tx-counts, and the clocks that they release.

PTX ISA: "Parallel Synchronization and Communication Instructions: mbarrier". A phase
completes when the pending count and the tx-count are zero. What precedes the arrivals,
and the copies that completed on the barrier, happen before what follows a wait that
succeeded.

Operations on an mbarrier object need no proxy fence between them, whether threads or
the asynchronous proxy perform them; they only have to follow its initialisation. Any
synchronisation makes that visible, also a relaxed one after a
`fence.mbarrier_init.release.cluster`.

A copy completes as late as the ISA allows: when a thread waits for its phase. In an
adversarial machine it may complete at any time before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ordering.clocks import PRECEDING_GRID, Knowledge, WarpClocks
from cuda_tile.emulator.ptx.types import Bool
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

# PTX ISA, "Size and alignment of mbarrier object", "Contents of the mbarrier object".
SIZE_BYTES = 8
MOST_ARRIVALS = (1 << 20) - 1
MOST_BYTES = (1 << 20) - 1

Offsets = NDArray[np.int64]


@dataclass(eq=False)
class Transfer:
    """An asynchronous operation in flight that completes on an mbarrier.

    Attributes:
        at: Number of the instruction.
        size_bytes: Its complete-tx count.
        land: Performs its writes, in the name of an agent at a clock.
        arrivals: Pending count that it decrements.
        knowledge: A clock that the phase releases besides; None for none.
        is_over: Whether all its effects but the arrival are complete.
        earlier: Arrivals that track a part of what this one tracks, each with its
            mbarrier: they come first.
        landed: Agent and clock in whose name it has written; None before that.
    """

    at: int
    size_bytes: int
    land: Callable[[int, int], None]
    arrivals: int = 0
    knowledge: Knowledge | None = None
    is_over: Callable[[], bool] = lambda: False
    earlier: Sequence[tuple[Mbarrier, Transfer]] = ()
    landed: tuple[int, int] | None = None


@dataclass(eq=False)
class Mbarrier:
    """One mbarrier object.

    Attributes:
        cell: Its offset in the machine's shared memory.
        expected: Arrival count of each phase.
        pending: Pending count of the current phase.
        tx: tx-count of the current phase, bytes.
        phase: Number of completed phases.
        agent: The agent of the copies that complete on it.
        maker: Agent and clock of the warp that initialised it.
        made_at: The instruction that did.
        gathering, released: Join of the clocks of this phase's arrivals, and of all
            completed phases'.
        in_flight: Operations that will complete on it.
    """

    cell: int
    expected: int
    pending: int
    agent: int
    maker: tuple[int, int]
    made_at: int
    gathering: NDArray[np.int32]
    released: NDArray[np.int32]
    tx: int = 0
    phase: int = 0
    in_flight: list[Transfer] = field(default_factory=list[Transfer])

    def describe(self, place: str) -> str:
        """Says in words what the barrier waits for, given where it is."""
        text = f"mbarrier at {place}, phase {self.phase}"
        text += f": {self.pending} of {self.expected} arrivals"
        return text + (f" and {self.tx} bytes pending" if self.tx else " pending")


class Mbarriers:
    """All mbarrier objects of one machine."""

    def __init__(self, machine: Memories) -> None:
        self._machine = machine
        self._barriers: dict[int, Mbarrier] = {}
        self._agents: dict[int, int] = {}
        self._trackers: list[tuple[Mbarrier, Transfer, set[int]]] = []

    def all(self) -> list[Mbarrier]:
        """Those that there are, by their place in shared memory."""
        return [self._barriers[cell] for cell in sorted(self._barriers)]

    def reset(self) -> None:
        """Starts new CTAs."""
        self._barriers.clear()
        self._agents.clear()
        self._trackers.clear()
        self._machine.shadow.barrier_words[:] = False

    @property
    def _clocks(self) -> WarpClocks:
        return cast(WarpClocks, self._machine.shadow.clocks)

    def _cta(self, cell: int) -> int:
        return cell // self._machine.stride_bytes

    def _warps(self, lanes: Lanes) -> NDArray[np.intp]:
        parts = [w for _, w in self._machine.agents_by_cta(lanes.numbers)]
        return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))

    def _agent(self, cell: int) -> int:
        first = self._clocks.n_readers
        if cell not in self._agents:
            self._agents[cell] = min(first + len(self._agents), PRECEDING_GRID - 1)
        return self._agents[cell]

    # Life --------------------------------------------------------------------------

    def create(self, at: int, lanes: Lanes, offsets: Offsets, counts: Offsets) -> None:
        """mbarrier.init."""
        machine = self._machine
        for place, cell in enumerate(int(offset) for offset in offsets):
            count = int(counts[place])
            if not 1 <= count <= MOST_ARRIVALS:
                raise Fault(
                    "mbarrier", f"expected 1 to {MOST_ARRIVALS} arrivals, got {count}"
                )
            if cell in self._barriers:
                raise Fault(
                    "mbarrier",
                    f"expected memory without an mbarrier, got a valid one at "
                    f"{machine.shared_place(cell)}, initialised "
                    f"{self._where(self._barriers[cell])}; mbarrier.inval ends it",
                )
            warp = int(machine.agents[lanes.numbers[place]])
            zero = np.zeros((1, SIZE_BYTES), np.uint8)
            where, agents = offsets[place : place + 1], np.array([warp], np.uint8)
            machine.shadow.write(at, where, zero, agents, machine.shared)
            machine.shadow.barrier_words[cell // SIZE_BYTES] = True
            clock = self._clocks.knows(self._cta(cell), warp, warp)
            blank = self._clocks.blank()
            self._barriers[cell] = Mbarrier(
                cell,
                count,
                count,
                self._agent(cell),
                (warp, clock),
                at,
                blank,
                blank.copy(),
            )

    def destroy(self, lanes: Lanes, offsets: Offsets) -> None:
        """mbarrier.inval."""
        for cell in (int(offset) for offset in np.unique(offsets)):
            some = Lanes(lanes.numbers[offsets == cell], self._machine.n_lanes)
            barrier = self.find(some, cell)
            in_flight = [one for one in barrier.in_flight if not one.is_over()]
            if in_flight:
                begun = self._machine.shadow.log.where(in_flight[0].at)
                raise Fault(
                    "mbarrier",
                    f"what was begun {begun} still completes on the "
                    f"{self.describe(barrier)}; wait for its phase before",
                )
            self._machine.shadow.barrier_words[cell // SIZE_BYTES] = False
            del self._barriers[cell]

    def find(self, lanes: Lanes, cell: int) -> Mbarrier:
        """Returns the mbarrier at an offset; reports a race with its initialisation."""
        barrier = self._barriers.get(cell)
        place = self._machine.shared_place(cell)
        if barrier is None:
            raise Fault("mbarrier", f"expected an initialised mbarrier at {place}")
        warp, clock = barrier.maker
        for mine in self._warps(lanes):
            if mine != warp and not self._clocks.knows_mbarrier(
                self._cta(cell), int(mine), warp, clock
            ):
                raise Fault(
                    "race",
                    f"warp {mine} uses the mbarrier at {place} that warp "
                    f"{warp} initialised {self._where(barrier)}, with no barrier "
                    f"between",
                )
        return barrier

    def phase_at(self, cell: int) -> int:
        """The number of completed phases of the mbarrier at an offset; 0 without."""
        barrier = self._barriers.get(cell)
        return barrier.phase if barrier is not None else 0

    def fence_init(self, lanes: Lanes) -> None:
        """fence.mbarrier_init: relaxed synchronisation passes initialisations on."""
        for cta, warps in self._machine.agents_by_cta(lanes.numbers):
            self._clocks.fence_mbarriers(cta, warps)

    def fence_proxy(self, lanes: Lanes) -> None:
        """fence.proxy.async: what precedes it is visible to the asynchronous proxy."""
        machine = self._machine
        if machine.shadow.clocks is not None:
            knowledge, warp = machine.lane_knowledge, int(lanes.warps[0])
            before = 0 if knowledge is None else knowledge.fenced_until(warp)
            for cta, warps in machine.agents_by_cta(lanes.numbers):
                self._clocks.fence_proxy(cta, warps)
            if knowledge is not None:
                knowledge.fences(lanes, before)

    # Arrivals ----------------------------------------------------------------------

    def arrive(
        self,
        lanes: Lanes,
        offsets: Offsets,
        counts: Offsets,
        *,
        tx: Offsets | None = None,
        drops: bool = False,
        releases: bool = True,
    ) -> NDArray[np.uint64]:
        """mbarrier.arrive of each lane; returns the states before."""
        states = np.empty(lanes.count, np.uint64)
        for cell in np.unique(offsets):
            which = np.flatnonzero(offsets == cell)
            some = Lanes(lanes.numbers[which], self._machine.n_lanes)
            barrier = self.find(some, int(cell))
            self._machine.presence.visit(some, self._cta(int(cell)))
            straddles = int(counts[which].sum()) > barrier.pending
            tables = slice(None) if releases else self._clocks.relaxed
            self._release(some, barrier, tables, straddles=straddles)
            if not releases:
                self._release_fenced(some, barrier)
            if straddles or int(counts[which].min()) < 1:
                parts = [which[place : place + 1] for place in range(len(which))]
            else:  # the phase completes with the last arrival, or not at all
                parts = [which]
            for part in parts:
                before = np.cumsum(counts[part]) - counts[part]
                states[part] = (barrier.phase << 20) | (barrier.pending - before)
                if tx is not None:
                    self.expect(barrier, int(tx[part].sum()))
                self._arrive(barrier, int(counts[part].sum()), drops)
        self._machine.progress += 1
        return states

    def _release(
        self, lanes: Lanes, barrier: Mbarrier, part: slice, *, straddles: bool
    ) -> None:
        """Joins the clocks of arriving lanes into a barrier's current phase.

        If the arrivals straddle the end of the phase, some lanes of the warp may arrive
        after it: only what precedes the warp's last synchronisation is certain to be
        released.
        """
        machine = self._machine
        if machine.lane_knowledge is not None:
            machine.lane_knowledge.tells(lanes)
        for cta, warps in machine.agents_by_cta(lanes.numbers):
            known = self._clocks.release(cta, warps)
            if machine.lane_knowledge is not None:
                machine.lane_knowledge.releases(lanes, known)
            if straddles and machine.is_adversarial:
                known[0, warps] -= 1
            gathering = barrier.gathering[part]
            np.maximum(gathering, known[part], out=gathering)

    def _release_fenced(self, lanes: Lanes, barrier: Mbarrier) -> None:
        """Relaxed arrivals release what an earlier release fence covers.

        PTX ISA, "Release and Acquire Patterns": a fence, then a strong write.
        """
        if self._machine.order is not None:
            for warp in lanes.warps:
                for known in self._machine.order.fenced(int(warp)):
                    np.maximum(barrier.gathering, known, out=barrier.gathering)

    def _arrive(self, barrier: Mbarrier, count: int, drops: bool) -> None:
        if count < 1 or count > barrier.pending:
            raise Fault(
                "mbarrier",
                f"{count} arrivals at the {self.describe(barrier)}; the tx-count must "
                "reach zero before the next phase can begin"
                if barrier.pending == 0
                else f"{count} arrivals at the {self.describe(barrier)}",
            )
        if drops:
            barrier.expected -= count
        barrier.pending -= count
        self._settle(barrier)

    def _where(self, barrier: Mbarrier) -> str:
        return self._machine.shadow.log.where(barrier.made_at)

    def describe(self, barrier: Mbarrier) -> str:
        """Says in words what a barrier waits for."""
        text = barrier.describe(self._machine.shared_place(barrier.cell))
        return f"{text} (initialised {self._where(barrier)})"

    def expect(self, barrier: Mbarrier, size_bytes: int) -> None:
        """Adds to the tx-count of the current phase; negative sizes are complete-tx."""
        barrier.tx += size_bytes
        if abs(barrier.tx) > MOST_BYTES:
            raise Fault(
                "mbarrier", f"tx-count overflow at the {self.describe(barrier)}"
            )

    def change_tx(self, lanes: Lanes, offsets: Offsets, sizes: Offsets) -> None:
        """mbarrier.expect_tx (positive sizes) and complete_tx (negative ones)."""
        for place, cell in enumerate(offsets):
            one = Lanes(lanes.numbers[place : place + 1], self._machine.n_lanes)
            barrier = self.find(one, int(cell))
            self.expect(barrier, int(sizes[place]))
            self._settle(barrier)

    def _settle(self, barrier: Mbarrier) -> None:
        """Completes the phase if both counts are zero."""
        if barrier.pending:
            return
        if barrier.tx < 0:
            raise Fault(
                "mbarrier",
                f"{-barrier.tx} bytes more than expected arrived at the "
                f"{self.describe(barrier)}",
            )
        if barrier.tx:
            return
        barrier.phase += 1
        barrier.pending = barrier.expected
        np.maximum(barrier.released, barrier.gathering, out=barrier.released)
        barrier.gathering[:] = 0
        self._machine.progress += 1

    # Copies ------------------------------------------------------------------------

    def start(
        self,
        lanes: Lanes,
        cell: int,
        transfer: Transfer,
        *,
        releases_issue: bool = False,
    ) -> None:
        """Starts an operation that completes on the mbarrier at `cell`.

        Args:
            lanes: The lane that starts it.
            cell: Offset of the mbarrier.
            transfer: The operation.
            releases_issue: Whether the phase also releases what precedes its issue, as
                atomic updates do.
        """
        barrier = self.find(lanes, cell)
        if releases_issue:
            if self._machine.lane_knowledge is not None:
                self._machine.lane_knowledge.tells(lanes)
            lane = lanes.numbers[0]
            warp = self._machine.agents[lane : lane + 1].astype(np.intp)
            known = self._clocks.release(int(self._machine.cta_of[lane]), warp)
            transfer.knowledge = known
        barrier.in_flight.append(transfer)
        self._machine.progress += 1
        if self._machine.is_adversarial and self._machine.rng.random() < 0.25:
            self._land(barrier, transfer)

    def start_arrival(
        self,
        lanes: Lanes,
        cell: int,
        at: int,
        complete: Callable[[int, int], None],
        *,
        counts: bool,
    ) -> None:
        """cp.async.mbarrier.arrive: lanes arrive once their copies are complete.

        Args:
            lanes: The arriving lanes.
            cell: Offset of the mbarrier.
            at: Number of the instruction.
            complete: Completes the copies, given the barrier's agent and its clock.
            counts: Whether the arrivals first increment the pending count (no
                `.noinc`).
        """
        barrier = self.find(lanes, cell)
        traffic = self._machine.counters.traffic
        if traffic is not None:
            traffic.arrives(lanes, cell, barrier.phase)
        if counts:
            barrier.pending += lanes.count
        earlier = self._tracked_by(lanes)
        transfer = Transfer(at, 0, complete, lanes.count, earlier=earlier)
        barrier.in_flight.append(transfer)
        self._trackers.append((barrier, transfer, set(map(int, lanes.numbers))))
        self._machine.progress += 1

    def _tracked_by(self, lanes: Lanes) -> list[tuple[Mbarrier, Transfer]]:
        """The arrivals in flight that track copies of some lanes, in order."""
        some = set(map(int, lanes.numbers))
        self._trackers = [one for one in self._trackers if one[1].landed is None]
        return [(at, one) for at, one, who in self._trackers if who & some]

    def start_commit(self, lanes: Lanes, cell: int, transfer: Transfer) -> None:
        """tcgen05.commit: arrives once the operations that it covers are complete."""
        barrier = self.find(lanes, cell)
        self._machine.presence.visit(lanes, self._cta(cell))
        barrier.in_flight.append(transfer)
        self._machine.progress += 1
        if self._machine.is_adversarial and self._machine.rng.random() < 0.25:
            self._land(barrier, transfer)

    def _land(self, barrier: Mbarrier, transfer: Transfer) -> None:
        for other, one in transfer.earlier:
            if one.landed is None:
                self._land(other, one)
        barrier.in_flight.remove(transfer)
        transfer.landed = barrier.agent, barrier.phase + 1
        transfer.land(*transfer.landed)
        known = barrier.gathering[0]
        for one in (*(one for _, one in transfer.earlier), transfer):
            if one.landed is not None:
                agent, clock = one.landed
                known[agent] = max(int(known[agent]), clock)
        if transfer.knowledge is not None:
            gathering = barrier.gathering
            np.maximum(gathering, transfer.knowledge, out=gathering)
        barrier.tx -= transfer.size_bytes
        if transfer.arrivals:
            self._arrive(barrier, transfer.arrivals, drops=False)
        else:
            self._settle(barrier)

    def complete_copies(self, barrier: Mbarrier, *, everything: bool) -> None:
        """Completes operations in flight on a barrier: all, or some at random."""
        machine = self._machine
        for transfer in list(barrier.in_flight):
            lazy = machine.is_adversarial and not everything
            if transfer.landed is not None:  # before a later one, of another mbarrier
                continue
            if not lazy or machine.rng.random() < 0.5:
                self._land(barrier, transfer)

    def finish(self) -> Iterator[tuple[str, int]]:
        """The CTAs end; yields a message for what is in flight, and its instruction."""
        for barrier in self._barriers.values():
            for transfer in barrier.in_flight:
                if transfer.is_over():
                    continue
                text = self.describe(barrier)
                yield f"the CTA ends before this completed on the {text}", transfer.at

    # Waiting -----------------------------------------------------------------------

    def poll(
        self,
        lanes: Lanes,
        offsets: Offsets,
        is_done: Callable[[int, NDArray[np.intp]], Bool],
        *,
        forced: bool,
        acquires: bool,
    ) -> Bool:
        """Returns per lane whether its phase is complete.

        Args:
            lanes: The waiting lanes.
            offsets: Offset of each lane's mbarrier.
            is_done: From the number of completed phases and positions of lanes to
                whether their phase is among them.
            forced: Whether all operations in flight must complete first.
            acquires: Whether the wait is an acquire.
        """
        done = np.zeros(lanes.count, np.bool_)
        machine = self._machine
        for cell in np.unique(offsets):
            which = np.flatnonzero(offsets == cell)
            some = Lanes(lanes.numbers[which], machine.n_lanes)
            barrier = self.find(some, int(cell))
            if not is_done(barrier.phase, which).all():
                self.complete_copies(barrier, everything=forced)
            done[which] = is_done(barrier.phase, which)
            ready = some.numbers[done[which]]
            for cta, warps in machine.agents_by_cta(ready):
                self._clocks.acquire(cta, warps, barrier.released, relaxed=not acquires)
            if machine.order is not None and not acquires:
                for warp in np.unique(ready // WARP_LANES):
                    known = barrier.released.copy()
                    machine.order.observe_arrivals(int(warp), int(cell), known)
        return done

    def waiting_words(self, offsets: Offsets) -> Iterator[str]:
        """Describes the barriers at some offsets, for lanes that wait for them."""
        for cell in np.unique(offsets):
            barrier = self._barriers.get(int(cell))
            if barrier is not None:
                yield self.describe(barrier)
