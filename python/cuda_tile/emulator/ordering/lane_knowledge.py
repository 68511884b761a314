# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The knowledge of single lanes of a warp that other lanes lack.

PTX ISA, "Memory Consistency Model": threads synchronise, not warps. The vector clocks
(`clocks`, `global_order`) have one row for each warp, which is what all its live lanes
know. What lanes acquire by themselves stands here until they meet the others: at a
`bar.warp.sync`, or at a barrier of the CTA or the cluster. Nothing else is a meeting of
lanes: shuffles, votes and matrix instructions wait for the lanes that they name, but
the ISA promises no order of memory for them.

While some lanes run, their warp's row is raised to what they know (`enter`); what they
learn meanwhile is theirs alone (`leave`).

Among the lanes of one warp a lane's *horizon* takes the place of a component: the clock
of its own warp up to which it knows its mates' accesses.

A lane that arrives at an mbarrier alone, releases to other clusters alone, or fences
the proxies alone, does so for what it knows: its own accesses, and its mates' up to its
horizon.

What a lane did since it last released anything, or met others, is ordered before
nothing once it has ended: its warp's later releases are those of its mates.

Only adversarial machines have this. More lenient than the ISA: other releases by a part
of a warp cover what its mates did; whoever acquires anything counts as having acquired
what lanes released alone; after a `bar.warp.sync` of a part of a warp these lanes
count as having met all; and what a lane acquires from its own CTA by strong accesses
(not mbarriers) its mates know as well, because cooperative groups rely on it: a tile of
two warps meets by an atomic of one lane, whose result a shuffle passes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import Knowledge, WarpClocks
from cuda_tile.emulator.ordering.releases import Snapshot
from cuda_tile.emulator.ptx.types import Index
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# Most parts kept per warp; beyond that, all its lanes learn the oldest.
_MOST_PARTS = 48
# Places of lanes within a warp, with those that stand for none and for several.
_PLACES = 256
_NEVER = np.iinfo(np.int32).max


@dataclass(eq=False)
class _Part:
    """Knowledge of some lanes of a warp.

    Attributes:
        lanes: Which, as a mask.
        known: Within the cluster.
        when: The warp's own clock when they last learned something.
        grid: Of other CTAs; None for nothing.
    """

    lanes: int
    known: Knowledge
    when: int
    grid: Snapshot | None = None


@dataclass(eq=False)
class Visit:
    """Some lanes of a warp run with what they know.

    Attributes:
        before: The warp's row before.
        start: The same, raised to what the lanes know.
        outer: Who ran before.
    """

    warp: int
    lanes: int
    before: Knowledge
    start: Knowledge
    outer: Visit | None


class LaneKnowledge:
    """What lanes of the warps of one machine acquired by themselves.

    Attributes:
        running: The lanes that run.
        changes: Grows when some lanes come to know what others do not.
        horizon: Of each lane, int32[n_lanes].
        touched: The clock at which each lane last accessed shared memory.
        touched_global: The same of global memory.
        released, fenced: Up to which clock each lane arrived somewhere alone, or fenced
            its accesses alone.
        has_silent: Whether lanes ended, while their mates went on, with accesses that
            they released to nobody.
        silent: From which clock on each lane's accesses are such ones.
        adopts: Told of knowledge of other CTAs that all lanes of a warp now have.
    """

    def __init__(self, machine: Threads, clocks: WarpClocks) -> None:
        self._machine = machine
        self._clocks = clocks
        self._parts: dict[int, list[_Part]] = {}
        self._now: Visit | None = None
        self.running: Lanes | None = None
        self.changes = 0
        self.horizon = np.zeros(machine.n_lanes, np.int32)
        self.touched = np.zeros(machine.n_lanes, np.int32)
        self.touched_global = np.zeros(machine.n_lanes, np.int32)
        self.released = np.zeros(machine.n_lanes, np.int32)
        self.fenced = np.zeros(machine.n_lanes, np.int32)
        # Up to which clock each lane has released what it did, or met others.
        self._told = np.zeros(machine.n_lanes, np.int32)
        self.has_silent = False
        self.silent = np.full(machine.n_lanes, _NEVER, np.int32)
        # By warp of the grid and lane, also of CTAs that have ended.
        self._silent_of: dict[int, NDArray[np.int32]] = {}
        self.adopts: Callable[[int, Snapshot], None] = _ignore

    def reset(self) -> None:
        """Starts new CTAs."""
        self._parts.clear()
        self._now = self.running = None
        tables = (self.horizon, self.touched, self.touched_global)
        for table in (*tables, self.released, self.fenced, self._told):
            table[:] = 0
        self.silent[:] = _NEVER

    # Where a warp's clocks are -----------------------------------------------------

    def _place(self, warp: int) -> tuple[int, int]:
        """The cluster of a warp of the machine, and its agent."""
        lane = warp * WARP_LANES
        size = self._machine.geometry.cluster_size
        return int(self._machine.cta_of[lane]) // size, int(self._machine.agents[lane])

    def own(self, warp: int) -> int:
        """A warp's own clock."""
        cluster, agent = self._place(warp)
        return int(self._clocks.row(cluster, agent)[0, agent])

    # A lane alone -------------------------------------------------------------------

    def is_alone(self, lanes: Lanes) -> bool:
        """Whether a single lane runs whose mates' last accesses it does not know."""
        if lanes.count != 1:
            return False
        lane = int(lanes.numbers[0])
        first = lane // WARP_LANES * WARP_LANES
        mates = self.touched[first : first + WARP_LANES].copy()
        mates[lane - first] = 0
        return bool((mates > self.horizon[lane]).any())

    def touches_global(self, lanes: Lanes) -> None:
        """Lanes access global memory."""
        for warp in lanes.warps:
            mine = lanes.numbers[lanes.numbers >> 5 == warp]
            self.touched_global[mine] = self.own(int(warp))

    def is_alone_in_global(self, lanes: Lanes) -> bool:
        """Whether a single lane runs whose mates did what it does not know.

        As `is_alone`, but with what they did to global memory.
        """
        if lanes.count != 1:
            return False
        lane = int(lanes.numbers[0])
        first = lane // WARP_LANES * WARP_LANES
        mates = self.touched_global[first : first + WARP_LANES].copy()
        mates[lane - first] = 0
        return bool((mates > self.horizon[lane]).any())

    def releases(self, lanes: Lanes, known: Knowledge) -> None:
        """Lanes arrive at an mbarrier, which has just released what their warp knows.

        `known` becomes what they know, if it is less.
        """
        if self.is_alone(lanes):
            lane, agent = int(lanes.numbers[0]), self._place(int(lanes.warps[0]))[1]
            self.released[lane] = known[0, agent]
            known[0, agent] = self.horizon[lane]

    def fences(self, lanes: Lanes, before: int) -> None:
        """Lanes have fenced the proxies.

        Args:
            lanes: Who.
            before: The component for their warp that fences covered before.
        """
        if self.is_alone(lanes):
            lane, warp = int(lanes.numbers[0]), int(lanes.warps[0])
            cluster, agent = self._place(warp)
            row = self._clocks.row(cluster, agent)
            self.fenced[lane] = row[1, agent]
            row[1, agent] = max(before, int(self.horizon[lane]))

    def fenced_until(self, warp: int) -> int:
        """The component for itself that a warp's proxy fences cover."""
        cluster, agent = self._place(warp)
        return int(self._clocks.row(cluster, agent)[1, agent])

    def released_alone(self, warp: int) -> int:
        """The largest clock that a lane of a warp has released alone."""
        return int(self.released[warp * WARP_LANES : (warp + 1) * WARP_LANES].max())

    # Lanes that end ------------------------------------------------------------------

    def tells(self, lanes: Lanes) -> None:
        """Lanes are about to release what they did, or to meet others."""
        if len(lanes.warps) == 1:
            self._told[lanes.index] = self.own(int(lanes.warps[0]))
            return
        for warp in lanes.warps:
            mine = lanes.numbers[lanes.numbers >> 5 == warp]
            self._told[mine] = self.own(int(warp))

    def end(self, lanes: Lanes) -> None:
        """Lanes end, which are live still."""
        self.pool(lanes)
        live = self._machine.live_members[lanes.rows]
        mates = live & ~lanes.members()
        if not mates.any():
            return
        last = np.maximum(self.touched, self.touched_global)
        late = lanes.numbers[last[lanes.index] > self._told[lanes.index]]
        for lane in late[np.isin(late >> 5, lanes.warps[mates != 0])].tolist():
            self._silence(lane)

    def _silence(self, lane: int) -> None:
        machine = self._machine
        warp = int(machine.warp_in_cta[lane])
        owner = int(machine.grid_cta[lane]) * machine.geometry.warps_per_cta + warp
        places = self._silent_of.setdefault(owner, np.full(_PLACES, _NEVER, np.int32))
        self.has_silent = True
        self.silent[lane] = places[lane % WARP_LANES] = self._told[lane] + 1

    def silent_since(self, owner: int) -> NDArray[np.int32] | None:
        """By place of a lane in a warp of the grid, what `silent` is or was for it."""
        return self._silent_of.get(owner)

    # Visits ------------------------------------------------------------------------

    def enter(self, lanes: Lanes) -> Visit | None:
        """Lanes begin to run: of whole warps, or a part of one warp.

        Returns:
            What `leave` needs; None for whole warps, whose row holds as it is.
        """
        self.running = lanes
        if len(lanes.warps) == 1 and lanes.active is not None:
            warp, mask = int(lanes.warps[0]), int(lanes.members()[0])
            if mask != int(self._machine.live_members[warp]):
                return self._raise(warp, mask)
        if self._parts:
            for warp in lanes.warps:
                self._settle(int(warp))
        return None

    def _raise(self, warp: int, mask: int) -> Visit:
        cluster, agent = self._place(warp)
        row = self._clocks.row(cluster, agent)
        before = row.copy()
        common = self._common(warp, mask)
        if common is not None:
            np.maximum(row, common.known, out=row)
        row[0, agent] = before[0, agent]
        visit = Visit(warp, mask, before, row.copy(), self._now)
        self._now = visit
        return visit

    def leave(self, visit: Visit | None, lanes: Lanes) -> None:
        """The lanes stop: what they learned becomes theirs."""
        if self._clocks.has_heard:
            self._hear(lanes)
        if visit is None:
            return
        cluster, agent = self._place(visit.warp)
        row = self._clocks.row(cluster, agent)
        own = int(row[0, agent])
        row[0, agent] = visit.start[0, agent]
        if (row > visit.start).any():
            self._part(visit.warp, visit.lanes, own, row)
        row[:] = visit.before
        row[0, agent] = own
        self._now = visit.outer

    def hear(self) -> None:
        """The running lanes may have acquired what their own warps released."""
        if self.running is not None:
            self._hear(self.running)

    def _hear(self, lanes: Lanes) -> None:
        """Lanes acquired what their own warp released."""
        for warp in lanes.warps:
            heard = self._clocks.take_heard(*self._place(int(warp)))
            mine = lanes.numbers[lanes.numbers >> 5 == warp]
            self.horizon[mine] = np.maximum(self.horizon[mine], heard)

    def classes(self, lanes: Lanes) -> list[Lanes]:
        """Splits lanes of one warp into those that know the same."""
        parts = self._parts.get(int(lanes.warps[0])) if len(lanes.warps) == 1 else None
        if not parts:
            return [lanes]
        cells = _cells(int(lanes.members()[0]), parts)
        if len(cells) == 1:
            return [lanes]
        places, n_lanes = lanes.numbers & 31, self._machine.n_lanes
        return [
            Lanes(lanes.numbers[cell >> places & 1 != 0], n_lanes) for cell in cells
        ]

    # Parts -------------------------------------------------------------------------

    def _part(self, warp: int, mask: int, when: int, known: Knowledge) -> _Part:
        """Adds to what some lanes know."""
        parts = self._parts.setdefault(warp, [])
        self.changes += 1
        for part in parts:
            if part.lanes == mask:
                np.maximum(part.known, known, out=part.known)
                part.when = when
                return part
        if len(parts) >= _MOST_PARTS:
            parts[0].lanes = 0xFFFFFFFF
        part = _Part(mask, known.copy(), when)
        parts.append(part)
        return part

    def learns_alone(self, warp: int, known: Snapshot) -> bool:
        """Whether knowledge of other CTAs is that of the running lanes alone."""
        if self._now is None or self._now.warp != warp:
            return False
        part = self._part(warp, self._now.lanes, self.own(warp), self._clocks.blank())
        part.grid = known if part.grid is None else np.maximum(part.grid, known)
        return True

    def learns_for_all(self, known: Knowledge) -> None:
        """The running lanes acquired what their mates learn with them."""
        visit = self._now
        while visit is not None:
            for row in (visit.before, visit.start):
                np.maximum(row, known, out=row)
            visit = visit.outer

    def grids(self, warp: int, clock: int, *, is_own: bool) -> Iterator[Snapshot]:
        """What lanes of a warp know of other CTAs.

        Args:
            warp: Its number in the machine.
            clock: Only what it knew then.
            is_own: Whether the running lanes ask for what they know themselves.
        """
        if is_own:
            mine = self._now.lanes if self._now is not None else 0xFFFFFFFF
            common = self._common(warp, mine)
            if common is not None and common.grid is not None:
                yield common.grid
            return
        for part in self._parts.get(warp, ()):
            if part.grid is not None and part.when <= clock:
                yield part.grid

    def _common(self, warp: int, mask: int) -> _Part | None:
        """The common knowledge of some lanes besides their warp's row, or None."""
        parts = self._parts.get(warp, ())
        cells = _cells(mask, parts)
        alike: list[_Part] = []
        for cell in cells:
            mine = [part for part in parts if not cell & ~part.lanes]
            if not mine:
                return None
            alike.append(_joined(mine))
        if not alike:
            return None
        known = np.minimum.reduce([part.known for part in alike])
        grids = [part.grid for part in alike if part.grid is not None]
        grid = np.minimum.reduce(grids) if len(grids) == len(alike) else None
        return _Part(mask, known, max(part.when for part in alike), grid)

    def _settle(self, warp: int) -> None:
        """Moves the common knowledge of all live lanes of a warp to its row."""
        if warp in self._parts:
            live = int(self._machine.live_members[warp])
            common = self._common(warp, live)
            if common is not None:
                self._adopt(warp, common)

    def _adopt(self, warp: int, common: _Part) -> None:
        """All lanes of a warp learn something; forgets what is nothing beyond it."""
        cluster, agent = self._place(warp)
        row = self._clocks.row(cluster, agent)
        own = int(row[0, agent])
        np.maximum(row, common.known, out=row)
        row[0, agent] = own
        if common.grid is not None:
            self.adopts(warp, common.grid)
        row[0, agent] = np.iinfo(np.int32).max
        for part in self._parts[warp]:
            if part.grid is not None and common.grid is not None:
                part.grid = part.grid if (part.grid > common.grid).any() else None
        rest = [
            part
            for part in self._parts[warp]
            if part.grid is not None or (part.known > row).any()
        ]
        row[0, agent] = own
        if rest:
            self._parts[warp] = rest
        else:
            del self._parts[warp]

    # Meetings ----------------------------------------------------------------------

    def meet(self, lanes: Lanes) -> None:
        """bar.warp.sync: lanes of each warp know what each of them did and knew."""
        for warp, mask in zip(lanes.warps.tolist(), lanes.members(), strict=True):
            for part in self._parts.get(warp, ()):
                if part.lanes & int(mask):
                    part.lanes |= int(mask)
            if self._now is None:
                self._settle(warp)
            own = self.own(warp)
            mine = lanes.numbers[lanes.numbers >> 5 == warp]
            self.horizon[mine] = self._told[mine] = own
            cluster, agent = self._place(warp)
            self._clocks.row(cluster, agent)[0, agent] = own + 1

    def arrive(self, lanes: Lanes) -> None:
        """Lanes arrive at a barrier of the CTA or of the cluster."""
        self.tells(lanes)
        self.pool(lanes)

    def pool(self, lanes: Lanes) -> None:
        """Lanes arrive at a barrier, or end: what they know becomes their warp's."""
        if self._parts and self._now is None:
            for warp, mask in zip(lanes.warps.tolist(), lanes.members(), strict=True):
                parts = self._parts.get(warp, ())
                mine = [part for part in parts if part.lanes & int(mask)]
                if mine:
                    self._adopt(warp, _joined(mine))

    def met_all(self, numbers: Index) -> None:
        """Lanes pass a barrier at which all live lanes of their warps arrived.

        The barrier has just advanced the warps' own clocks.
        """
        for warp in np.unique(numbers >> 5):
            mine = numbers[numbers >> 5 == warp]
            self.horizon[mine] = self.own(int(warp)) - 1


def _cells(mask: int, parts: Iterable[_Part]) -> list[int]:
    """Splits a set of lanes into those that belong to the same parts."""
    cells = [mask]
    for part in parts:
        halves = [h for c in cells for h in (c & part.lanes, c & ~part.lanes)]
        cells = [half for half in halves if half]
    return cells


def _joined(parts: list[_Part]) -> _Part:
    """The knowledge of lanes that belong to all of some parts."""
    if len(parts) == 1:
        return parts[0]
    known = np.maximum.reduce([part.known for part in parts])
    grids = [part.grid for part in parts if part.grid is not None]
    grid = np.maximum.reduce(grids) if grids else None
    lanes, when = parts[0].lanes, max(part.when for part in parts)
    return _Part(lanes, known, when, grid)


def _ignore(warp: int, known: Snapshot) -> None:
    """Stands in until somebody wants to be told."""
