"""What warps of different CTAs know of each other: release and acquire patterns.

PTX ISA, "Memory Consistency Model": "Scope", "Morally strong operations", "Release and
Acquire Patterns", "Causality order". A release is a fence followed by a strong write,
or a `.release` write; an acquire a strong read followed by a fence, or an `.acquire`
read; they synchronise if the read sees the write, or an atomic update that follows it.

More lenient than the text in one point, as hardware is: a fence also counts for strong
accesses of other warps of its cluster that a barrier orders after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import Knowledge, WarpClocks
from cuda_tile.emulator.ordering.memory_order import DEVICE, MemoryOrder
from cuda_tile.emulator.ordering.releases import Release, Snapshot, merged
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# Words that hold a release, and memory for what they say; beyond that, order between
# CTAs is taken for granted.
_MOST_PLACES = 1 << 14
_MOST_PLACES_BYTES = 64 << 20
# Releases of one word, and times of one warp; beyond that, some are merged so that
# nobody is accused wrongly.
_MOST_RELEASES = 16
_MOST_TIMES = 32
_WORD_BYTES = 4
# Words of shared memory have numbers of their own, from here on.
_SHARED_WORDS = 1 << 60

Addresses = NDArray[np.uint64]


@dataclass
class _Warp:
    """Of one running warp, each with its own clock at the time.

    Attributes:
        learned: What it had acquired, growing.
        heard: Releases that its strong reads saw, by the word.
        seen: The words of its strong reads, with the time of the last.
        seen_all: A time up to which all words count as seen; there were too many.
        fenced: Its last releasing fence of each scope.
        released: Its last releasing write of each scope to each word.
        proxied: What it knew at its proxy fences.
    """

    learned: list[tuple[int, Snapshot]] = field(
        default_factory=list[tuple[int, Snapshot]]
    )
    heard: dict[int, list[tuple[int, Release]]] = field(
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
    """Happens-before between warps through strong accesses to global memory.

    Warps have two numbers: their place in the machine, and that in the grid.

    Attributes:
        time: Grows with each `observes`.
        is_lenient: Whether there was too much to remember: all order is granted.
    """

    def __init__(self, machine: Threads, clocks: WarpClocks) -> None:
        self._machine = machine
        self._clocks = clocks
        geometry = machine.geometry
        grid = geometry.grid
        self._n_warps = grid[0] * grid[1] * grid[2] * geometry.warps_per_cta
        self._places: dict[int, list[Release]] = {}
        self._warps: dict[int, _Warp] = {}
        self._most_places = min(_MOST_PLACES, _MOST_PLACES_BYTES // (8 * self._n_warps))
        self.is_lenient = False
        self._start = 0
        self.time = 0

    def start(self) -> None:
        """New CTAs start in the machine; what the old ones released stays."""
        self._warps.clear()
        self._start += 1
        # Shared memory is another one now.
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

    def _mates(self, warp: int) -> Iterator[tuple[int, int]]:
        """The warps of a warp's cluster, and up to which clock it knows each."""
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
        """What the warp does from now on has a later clock; returns what it knows."""
        agents = np.array([self._agent(warp)])
        return self._clocks.release(self._cta(warp)[0], agents)

    # Knowledge ---------------------------------------------------------------------

    def _knowledge(self, warp: int) -> Snapshot:
        known = np.zeros((2, self._n_warps), np.int32)
        for mate, clock in self._mates(warp):
            place = self.in_grid(mate)
            known[0, place] = max(int(known[0, place]), clock)
            learned = _latest(self._of(mate).learned, clock)
            if learned is not None:
                np.maximum(known, learned, out=known)
            proxied = _latest(self._of(mate).proxied, clock)
            if proxied is not None:
                np.maximum(known[1], proxied, out=known[1])
        return known

    def knows(self, warp: int, other: int) -> int:
        """Up to which clock a warp of the machine knows a warp of the grid."""
        return self._most_known(warp, other, 0)

    def knows_by_proxy(self, warp: int, other: int) -> int:
        """The same for what copies that the warp starts may see."""
        most = self._most_known(warp, other, 1)
        for mate, clock in self._mates(warp):
            proxied = _latest(self._of(mate).proxied, clock)
            if proxied is not None:
                most = max(most, int(proxied[other]))
        return most

    def _most_known(self, warp: int, other: int, table: int) -> int:
        if self.is_lenient:
            return np.iinfo(np.int32).max
        best = 0
        for mate, clock in self._mates(warp):
            learned = _latest(self._of(mate).learned, clock)
            if learned is not None:
                best = max(best, int(learned[table, other]))
        return best

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
        if learned:
            found.append(learned[-1][1])
        known = found[0] if len(found) == 1 else np.maximum.reduce(found)
        _remember(learned, self._own(warp), known)

    def _learn_inside(self, warp: int, releases: list[Release]) -> None:
        """What mates released orders shared memory too."""
        place, cluster, _ = self._cta(warp)
        agents = np.array([self._agent(warp)])
        for release in releases:
            if release.cluster == cluster and release.start == self._start:
                self._clocks.acquire(place, agents, release.inside)

    # mbarriers ---------------------------------------------------------------------

    def fenced(self, warp: int) -> Iterator[Knowledge]:
        """What a relaxed arrival of a warp makes known within the cluster."""
        for release in self._fences(warp):
            yield release.inside

    def hear_arrivals(self, warp: int, cell: int, inside: Knowledge) -> None:
        """A relaxed wait ended; the next fence learns what the arrivals made known.

        Args:
            warp: Its number in the machine.
            cell: Where the mbarrier is in shared memory.
            inside: What arrivals made known, as the clocks have it.
        """
        _, cluster, cta = self._cta(warp)
        nothing = np.zeros((2, self._n_warps), np.int32)
        heard = Release(nothing, DEVICE, cta, cluster, inside, self._start)
        self._hear(warp, _SHARED_WORDS + cell // _WORD_BYTES, [heard])

    # Fences and accesses -----------------------------------------------------------

    def fence(self, lanes: Lanes, order: MemoryOrder) -> None:
        """A fence or membar."""
        for warp in (int(warp) for warp in lanes.warps):
            if order.acquires:
                heard = [
                    release
                    for mate, clock in self._mates(warp)
                    for entries in self._of(mate).heard.values()
                    for when, release in entries
                    if when <= clock
                ]
                self._learn(warp, order.scope, heard)
                if order.scope == DEVICE:
                    self._of(warp).heard.clear()
            if order.releases:
                clock = self._own(warp)
                release = self._release(warp, order.scope)
                self._of(warp).fenced[order.scope] = clock, release

    def has_observed(
        self, warp: int, addresses: NDArray[np.int64], time: int
    ) -> NDArray[np.bool_]:
        """Whether a strong write comes before a warp's access to the same bytes.

        PTX ISA, "Causality order": it precedes what follows a strong read of the same
        place that observed it. Its own warp's reads count, and those of its cluster
        that come before.

        Args:
            warp: Its number in the machine.
            addresses: Of bytes, int64[n].
            time: Strong reads from then on saw the write.
        """
        words, inverse = np.unique(addresses // _WORD_BYTES, return_inverse=True)
        latest = np.full(len(words), -1, np.int64)
        for mate, clock in self._mates(warp):
            state = self._of(mate)
            when, seen_all = state.seen_all
            if when <= clock:
                latest = np.maximum(latest, seen_all)
            for when, seen in state.seen:
                if when <= clock:
                    times = [seen.get(word, -1) for word in words.tolist()]
                    latest = np.maximum(latest, times)
        return (latest >= time)[inverse]

    def observes(self, warp: int, addresses: NDArray[np.int64]) -> None:
        """A warp's strong reads saw what these bytes hold now."""
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

    def _release(self, warp: int, scope: int) -> Release:
        _, cluster, cta = self._cta(warp)
        known = self._knowledge(warp)
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
        """Strong writes, or atomic updates, are about to be seen."""
        if self.is_lenient:
            return
        for warp, words in self._words(lanes, addresses, size, shared=shared):
            if not updates:
                for word in self._places.keys() & words:
                    del self._places[word]
            if order.releases:
                release = self._release(warp, order.scope)
                self._keep(words, [release])
                for word in words:
                    self._of(warp).released.setdefault(word, {})[order.scope] = release
                continue
            self._keep(words, [r.narrowed(order.scope) for r in self._fences(warp)])
            released = self._of(warp).released
            for word in released.keys() & words:
                earlier = [r.narrowed(order.scope) for r in released[word].values()]
                self._keep([word], earlier)

    def _fences(self, warp: int) -> Iterator[Release]:
        """The fences that a warp's strong writes make into releases."""
        for mate, clock in self._mates(warp):
            for when, release in self._of(mate).fenced.values():
                if when <= clock:
                    yield release

    def _keep(self, words: list[int], releases: list[Release]) -> None:
        """These words hold these releases too."""
        for word in words if releases else ():
            before = self._places.get(word, [])
            kept = before + [r for r in releases if r not in before]
            if len(kept) > _MOST_RELEASES:
                kept = merged(kept)
            self._places[word] = kept
        if len(self._places) > self._most_places:
            self._give_up()

    def _give_up(self) -> None:
        """There is too much to remember: nobody is accused from here on."""
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
        """Strong reads are about to see what memory holds, and what was released."""
        if self.is_lenient:
            return
        for warp, words in self._words(lanes, addresses, size, shared=shared):
            heard = self._of(warp).heard
            for word in (self._places.keys() | heard.keys()) & set(words):
                held = self._places.get(word, [])
                seen = [release.narrowed(order.scope) for release in held]
                if order.acquires:
                    seen += [release for _, release in heard.get(word, [])]
                    self._learn(warp, order.scope, seen)
                else:
                    self._hear(warp, word, seen)

    def _hear(self, warp: int, word: int, seen: list[Release]) -> None:
        """A strong read that does not acquire saw releases of a word."""
        clock, entries = self._own(warp), self._of(warp).heard.setdefault(word, [])
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
    """Adds what is known from a time on; the oldest times are merged."""
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
