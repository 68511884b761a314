# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Happens-before between CTAs: release and acquire patterns on memory.

PTX ISA, "Memory Consistency Model": "Scope", "Morally strong operations", "Release and
Acquire Patterns", "Causality order". A release is a fence followed by a strong write,
or a `.release` write; an acquire a strong read followed by a fence, or an `.acquire`
read; they synchronise if the read observes the write, or an atomic update that follows
it.

More lenient than the ISA in one point, as hardware is: a fence also counts for strong
accesses of other warps of its cluster that a barrier orders after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import PRECEDING_GRID, Knowledge, WarpClocks
from cuda_tile.emulator.ordering.lane_knowledge import LaneKnowledge
from cuda_tile.emulator.ordering.memory_order import DEVICE, MemoryOrder
from cuda_tile.emulator.ordering.releases import Release, Snapshot, merged
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# Most words with a release pattern, and bytes for the clocks released there; beyond
# that, all accesses of different CTAs count as ordered.
_MOST_PLACES = 1 << 14
_MOST_PLACES_BYTES = 64 << 20
# Releases kept per word, and snapshots per warp; beyond that, the oldest are merged,
# which may hide a race but never reports a false one.
_MOST_RELEASES = 16
_MOST_TIMES = 32
_WORD_BYTES = 4
# Words of shared memory are numbered from here on.
_SHARED_WORDS = 1 << 60

Addresses = NDArray[np.uint64]


@dataclass
class _Warp:
    """What one resident warp acquired and released; entries carry its own clock then.

    Attributes:
        learned: The clocks it had acquired, growing.
        observed: By word, the releases that its strong reads observed.
        seen: The words of its strong reads, with `GlobalOrder.time` of the last.
        seen_all: From which clock on all words count as observed up to a time; set when
            `seen` overflows.
        fenced: By scope, its last release fence.
        released: By word and scope, its last release write.
        proxied: Its clocks at its proxy fences.
    """

    learned: list[tuple[int, Snapshot]] = field(
        default_factory=list[tuple[int, Snapshot]]
    )
    observed: dict[int, list[tuple[int, Release]]] = field(
        default_factory=dict[int, list[tuple[int, Release]]]
    )
    seen: list[tuple[int, dict[int, int]]] = field(
        default_factory=list[tuple[int, dict[int, int]]]
    )
    seen_all: tuple[int, int] = (0, -1)
    fenced: dict[int, tuple[int, Release]] = field(
        default_factory=dict[int, tuple[int, Release]]
    )
    released: dict[int, dict[int, Release]] = field(
        default_factory=dict[int, dict[int, Release]]
    )
    proxied: list[tuple[int, NDArray[np.int32]]] = field(
        default_factory=list[tuple[int, NDArray[np.int32]]]
    )


class GlobalOrder:
    """Happens-before between warps through strong accesses to memory.

    A warp has two numbers: one in the machine, one in the grid.

    Attributes:
        time: Counts calls of `observes`.
        is_lenient: Whether a limit was exceeded, so that everything counts as ordered.
    """

    def __init__(
        self, machine: Threads, clocks: WarpClocks, lanes: LaneKnowledge | None = None
    ) -> None:
        self._machine = machine
        self._clocks = clocks
        # What single lanes know; an adversarial machine has it.
        self._lanes = lanes
        if lanes is not None:
            lanes.adopts = self._adopt
        geometry = machine.geometry
        grid = geometry.grid
        self._n_warps = grid[0] * grid[1] * grid[2] * geometry.warps_per_cta
        self._places: dict[int, list[Release]] = {}
        self._warps: dict[int, _Warp] = {}
        # A warp has a second component: what its lone lane released, below.
        # The last one stands for the preceding grid.
        self._n_components = self._n_warps * (1 if lanes is None else 2) + 1
        self._lone: dict[int, int] = {}
        most = _MOST_PLACES_BYTES // (8 * self._n_components)
        self._most_places = min(_MOST_PLACES, most)
        self.is_lenient = False
        self._start = 0
        self.time = 0

    def start(self) -> None:
        """New CTAs become resident; releases of the earlier ones stay."""
        self._warps.clear()
        self._start += 1
        # The new CTAs have shared memory of their own.
        for word in [w for w in self._places if w >= _SHARED_WORDS]:
            del self._places[word]

    # Numbers -----------------------------------------------------------------------

    def _of(self, warp: int) -> _Warp:
        return self._warps.setdefault(warp, _Warp())

    def _cta(self, warp: int) -> tuple[int, int, int]:
        """The CTA of a warp in the machine, its cluster there, and in the grid."""
        place = int(self._machine.cta_of[warp * WARP_LANES])
        size = self._machine.geometry.cluster_size
        return place, place // size, int(self._machine.grid_cta[warp * WARP_LANES])

    def in_grid(self, warp: int) -> int:
        """The number in the grid of a warp of the machine."""
        per_cta = self._machine.geometry.warps_per_cta
        return self._cta(warp)[2] * per_cta + warp % per_cta

    def _peers(self, warp: int) -> Iterator[tuple[int, int]]:
        """The warps of a warp's cluster, each with this warp's component for it."""
        geometry = self._machine.geometry
        place, agent = self._cta(warp)[0], self._agent(warp)
        for other in range(geometry.cluster_size * geometry.warps_per_cta):
            yield warp - agent + other, self._clocks.knows(place, agent, other)

    def _agent(self, warp: int) -> int:
        """The number of a warp within its cluster."""
        return int(self._machine.agents[warp * WARP_LANES])

    def _own(self, warp: int) -> int:
        agent = self._agent(warp)
        return self._clocks.knows(self._cta(warp)[0], agent, agent)

    def _advance(self, warp: int) -> Knowledge:
        """Advances a warp's own component; returns its clock before."""
        agents = np.array([self._agent(warp)])
        return self._clocks.release(self._cta(warp)[0], agents)

    def own(self, warp: int) -> int:
        """A warp's own clock."""
        return self._own(warp)

    # Knowledge ---------------------------------------------------------------------

    def knowledge(self, warp: int) -> NDArray[np.int32]:
        """A warp's components for the warps of the grid."""
        return self._knowledge(warp)[0]

    def _knowledge(self, warp: int) -> Snapshot:
        known = np.zeros((2, self._n_components), np.int32)
        place, agent = self._cta(warp)[0], self._agent(warp)
        known[0, -1] = self._clocks.knows(place, agent, PRECEDING_GRID)
        for peer, clock in self._peers(warp):
            place = self.in_grid(peer)
            known[0, place] = max(int(known[0, place]), clock)
            learned = _latest(self._of(peer).learned, clock)
            if learned is not None:
                np.maximum(known, learned, out=known)
            for grid in self._of_lanes(peer, clock, warp):
                np.maximum(known, grid, out=known)
            proxied = _latest(self._of(peer).proxied, clock)
            if proxied is not None:
                np.maximum(known[1], proxied, out=known[1])
        return known

    def knows(self, warp: int, other: int) -> int:
        """The component of a machine's warp for a warp of the grid."""
        return self._most_known(warp, other, 0)

    def knows_preceding(self, warp: int) -> bool:
        """Whether the end of the preceding grid happens before a warp's next access."""
        place, agent = self._cta(warp)[0], self._agent(warp)
        is_near = self._clocks.knows(place, agent, PRECEDING_GRID) > 0
        return is_near or self._most_known(warp, -1, 0) > 0

    def knows_by_proxy(self, warp: int, other: int) -> int:
        """The same for bulk copies of the warp: only what proxy fences cover."""
        most = self._most_known(warp, other, 1)
        for peer, clock in self._peers(warp):
            proxied = _latest(self._of(peer).proxied, clock)
            if proxied is not None:
                most = max(most, int(proxied[other]))
        return most

    def _most_known(self, warp: int, other: int, table: int) -> int:
        if self.is_lenient:
            return np.iinfo(np.int32).max
        best = 0
        for peer, clock in self._peers(warp):
            learned = _latest(self._of(peer).learned, clock)
            if learned is not None:
                best = max(best, int(learned[table, other]))
            for grid in self._of_lanes(peer, clock, warp):
                best = max(best, int(grid[table, other]))
        return best

    def _of_lanes(self, peer: int, clock: int, warp: int) -> Iterator[Snapshot]:
        """The knowledge of single lanes of a peer at a clock, as a warp knows it."""
        if self._lanes is not None:
            yield from self._lanes.grids(peer, clock, is_own=peer == warp)

    def _adopt(self, warp: int, known: Snapshot) -> None:
        """Passes the knowledge of single lanes to all lanes of a warp."""
        learned = self._of(warp).learned
        if learned:
            known = np.maximum(known, learned[-1][1])
        _remember(learned, self._own(warp), known)

    def fence_proxy(self, lanes: Lanes) -> None:
        """fence.proxy.async for global memory."""
        for warp in (int(warp) for warp in lanes.warps):
            known = self._knowledge(warp)[0]
            _remember(self._of(warp).proxied, self._own(warp), known)
            self._advance(warp)

    def _learn(self, warp: int, scope: int, releases: list[Release]) -> None:
        _, cluster, cta = self._cta(warp)
        learned = self._of(warp).learned
        releases = [r for r in releases if r.reaches(scope, cta, cluster)]
        found = [release.known for release in releases]
        self._learn_inside(warp, releases)
        if not found:
            return
        if self._lanes is not None:
            alone = np.maximum.reduce(found)
            if self._lanes.learns_alone(warp, alone):
                return
        if learned:
            found.append(learned[-1][1])
        known = found[0] if len(found) == 1 else np.maximum.reduce(found)
        _remember(learned, self._own(warp), known)

    def _learn_inside(self, warp: int, releases: list[Release]) -> None:
        """Releases within the cluster order accesses to shared memory too."""
        place, cluster, cta = self._cta(warp)
        agents = np.array([self._agent(warp)])
        for release in releases:
            if release.cluster == cluster and release.start == self._start:
                self._clocks.acquire(place, agents, release.inside)
                if self._lanes is not None and release.cta == cta:
                    self._lanes.learns_for_all(release.inside)
                    self._lanes.hear()

    # mbarriers ---------------------------------------------------------------------

    def fenced(self, warp: int) -> Iterator[Knowledge]:
        """The clocks that earlier release fences let a relaxed arrival release."""
        for release in self._fences(warp):
            yield release.inside

    def observe_arrivals(self, warp: int, cell: int, inside: Knowledge) -> None:
        """A relaxed wait succeeded: a later acquire fence acquires what was released.

        Args:
            warp: Its number in the machine.
            cell: Offset of the mbarrier in shared memory.
            inside: The vector clock that the arrivals released.
        """
        _, cluster, cta = self._cta(warp)
        nothing = np.zeros((2, self._n_components), np.int32)
        observed = Release(nothing, DEVICE, cta, cluster, inside, self._start)
        self._observe_releases(warp, _SHARED_WORDS + cell // _WORD_BYTES, [observed])

    # Fences and accesses -----------------------------------------------------------

    def fence(self, lanes: Lanes, order: MemoryOrder) -> None:
        """A fence or membar."""
        for warp in (int(warp) for warp in lanes.warps):
            if order.acquires:
                observed = [
                    release
                    for peer, clock in self._peers(warp)
                    for entries in self._of(peer).observed.values()
                    for when, release in entries
                    if when <= clock
                ]
                self._learn(warp, order.scope, observed)
                if order.scope == DEVICE:
                    self._of(warp).observed.clear()
            if order.releases:
                clock = self._own(warp)
                release = self._release(warp, order.scope, lanes)
                fenced = self._of(warp).fenced
                if order.scope in fenced:  # what was fenced stays so
                    np.maximum(
                        release.known,
                        fenced[order.scope][1].known,
                        out=release.known,
                    )
                fenced[order.scope] = clock, release

    def has_observed(
        self, warp: int, addresses: NDArray[np.int64], time: int
    ) -> NDArray[np.bool_]:
        """Whether a strong write comes before a warp's access to the same bytes.

        PTX ISA, "Causality order": a write precedes what follows a strong read of the
        same location that observed it: a read by this warp, or by one of its cluster
        that happens before.

        Args:
            warp: Its number in the machine.
            addresses: Of bytes, int64[n].
            time: The value of `self.time` from which on strong reads observe the write.
        """
        words, inverse = np.unique(addresses // _WORD_BYTES, return_inverse=True)
        latest = np.full(len(words), -1, np.int64)
        for peer, clock in self._peers(warp):
            state = self._of(peer)
            when, seen_all = state.seen_all
            if when <= clock:
                latest = np.maximum(latest, seen_all)
            for when, seen in state.seen:
                if when <= clock:
                    times = [seen.get(word, -1) for word in words.tolist()]
                    latest = np.maximum(latest, times)
        return (latest >= time)[inverse]

    def observes(self, warp: int, addresses: NDArray[np.int64]) -> None:
        """A warp's strong reads observe the last writes of these bytes."""
        if self.is_lenient:
            return
        self.time += 1
        words = np.unique(addresses // _WORD_BYTES).tolist()
        state, clock = self._of(warp), self._own(warp)
        if not state.seen or state.seen[-1][0] != clock:
            state.seen.append((clock, {}))
        state.seen[-1][1].update(dict.fromkeys(words, self.time))
        if len(state.seen) > _MOST_TIMES:
            (when, oldest), (_, next_oldest) = state.seen[:2]
            state.seen[:2] = [(when, oldest | next_oldest)]
        if sum(len(seen) for _, seen in state.seen) > _MOST_PLACES:
            state.seen_all = state.seen_all[0] or state.seen[0][0], self.time
            state.seen.clear()

    def _release(self, warp: int, scope: int, lanes: Lanes) -> Release:
        """The clocks that lanes of a warp release; a lone lane releases only its own.

        Its own accesses since its last meeting go to the warp's second component, which
        stands for one lane; another one counts as the whole warp.
        """
        _, cluster, cta = self._cta(warp)
        known = self._knowledge(warp)
        if self._lanes is not None and self._lanes.is_alone_in_global(lanes):
            lane, me = int(lanes.numbers[0]), self.in_grid(warp)
            if self._lone.setdefault(me, lane % WARP_LANES) == lane % WARP_LANES:
                known[0, self._n_warps + me] = known[0, me]
                known[0, me] = self._lanes.horizon[lane]
        if self._lanes is not None:
            self._lanes.tells(lanes)
        inside = self._advance(warp)
        return Release(known, scope, cta, cluster, inside, self._start)

    def wrote(
        self,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        order: MemoryOrder,
        *,
        updates: bool,
        shared: bool = False,
    ) -> None:
        """Records strong writes or atomic updates: the releases that they carry."""
        if self.is_lenient:
            return
        for warp, words in self._words(lanes, addresses, size, shared=shared):
            if not updates:
                for word in self._places.keys() & words:
                    del self._places[word]
            if order.releases:
                release = self._release(warp, order.scope, lanes)
                self._keep(words, [release])
                for word in words:
                    self._heads(warp, word, release)
                continue
            self._keep(words, [r.narrowed(order.scope) for r in self._fences(warp)])
            released = self._of(warp).released
            for word in released.keys() & words:
                earlier = [r.narrowed(order.scope) for r in released[word].values()]
                self._keep([word], earlier)

    def _heads(self, warp: int, word: int, release: Release) -> None:
        """A release to a word: later updates of the warp carry it on."""
        heads = self._of(warp).released.setdefault(word, {})
        before = heads.get(release.scope)
        if before is not None:
            known = np.maximum(release.known, before.known)
            release = replace(release, known=known)
        heads[release.scope] = release

    def lone(self, owner: int, warp: int, clock: int) -> int:
        """The lane of an owner whose accesses until a clock a warp knows; -1 for none.

        Args:
            owner: Number of a warp in the grid.
            warp: Number of a warp in the machine.
            clock: Of the owner.
        """
        if owner not in self._lone:
            return -1
        is_known = self.knows(warp, self._n_warps + owner) >= clock
        return self._lone[owner] if is_known else -1

    def _fences(self, warp: int) -> Iterator[Release]:
        """The release fences that make a warp's strong writes release patterns."""
        for peer, clock in self._peers(warp):
            for when, release in self._of(peer).fenced.values():
                if when <= clock:
                    yield release

    def _keep(self, words: list[int], releases: list[Release]) -> None:
        """Adds releases to those that a read of these words observes."""
        for word in words if releases else ():
            before = self._places.get(word, [])
            kept = before + [r for r in releases if r not in before]
            if len(kept) > _MOST_RELEASES:
                kept = merged(kept)
            self._places[word] = kept
        if len(self._places) > self._most_places:
            self._give_up()

    def _give_up(self) -> None:
        """A limit is exceeded: every access counts as ordered from here on."""
        self.is_lenient = True
        self._places.clear()
        self._warps.clear()

    def read(
        self,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        order: MemoryOrder,
        *,
        shared: bool = False,
    ) -> None:
        """Strong reads observe the releases of their words, and acquire if they may."""
        if self.is_lenient:
            return
        for warp, words in self._words(lanes, addresses, size, shared=shared):
            observed = self._of(warp).observed
            for word in (self._places.keys() | observed.keys()) & set(words):
                self._sees(warp, word, self._places.get(word, []), order)

    def released(self, address: int, size: int) -> dict[int, list[Release]]:
        """The releases that a read of some bytes observes now, by word."""
        words = range(address // _WORD_BYTES, (address + size - 1) // _WORD_BYTES + 1)
        return {w: list(self._places[w]) for w in words if w in self._places}

    def read_older(
        self, warp: int, releases: dict[int, list[Release]], order: MemoryOrder
    ) -> None:
        """A strong read of a warp returned an older write, with its releases."""
        for word, held in releases.items():
            self._sees(warp, word, held, order)

    def _sees(
        self, warp: int, word: int, held: list[Release], order: MemoryOrder
    ) -> None:
        seen = [release.narrowed(order.scope) for release in held]
        if order.acquires:
            observed = self._of(warp).observed
            seen += [release for _, release in observed.get(word, [])]
            self._learn(warp, order.scope, seen)
        else:
            self._observe_releases(warp, word, seen)

    def _observe_releases(self, warp: int, word: int, seen: list[Release]) -> None:
        """A strong read without acquire: a later fence may acquire the releases."""
        clock, entries = self._own(warp), self._of(warp).observed.setdefault(word, [])
        known = {id(release.inside) for _, release in entries}
        entries += [(clock, r) for r in seen if id(r.inside) not in known]
        if len(entries) > _MOST_RELEASES:
            oldest, _ = entries[0]
            entries[:] = [(oldest, r) for r in merged([r for _, r in entries])]

    def _words(
        self, lanes: Lanes, addresses: Addresses, size: int, *, shared: bool
    ) -> Iterator[tuple[int, list[int]]]:
        """The words that each warp touches."""
        warps = lanes.numbers // WARP_LANES
        first = addresses.view(np.int64) // _WORD_BYTES + _SHARED_WORDS * shared
        words = first[:, None] + np.arange(-(-size // _WORD_BYTES))
        for warp in lanes.warps:
            yield int(warp), np.unique(words[warps == warp]).tolist()


def _remember(
    entries: list[tuple[int, NDArray[np.int32]]], clock: int, known: NDArray[np.int32]
) -> None:
    """Adds a warp's clock from a time on; merges the two oldest beyond the limit."""
    if entries and np.array_equal(entries[-1][1], known):
        return
    entries.append((clock, known))
    if len(entries) > _MOST_TIMES:
        entries[:2] = [(entries[0][0], entries[1][1])]


def _latest(
    entries: list[tuple[int, NDArray[np.int32]]], clock: int
) -> NDArray[np.int32] | None:
    """The last entry up to a time."""
    for when, known in reversed(entries):
        if when <= clock:
            return known
    return None
