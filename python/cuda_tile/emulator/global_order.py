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
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.clocks import Knowledge, WarpClocks
from cuda_tile.emulator.lanes import WARP_LANES, Lanes

WEAK, CTA, CLUSTER, DEVICE = 0, 1, 2, 3
SCOPES = {"cta": CTA, "cluster": CLUSTER, "gpu": DEVICE, "gl": DEVICE, "sys": DEVICE}

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
# Clocks of all warps of the grid, int32[2, n_warps]: as far as they are known, and as
# far as a proxy fence made what they wrote visible to copies.
Snapshot = NDArray[np.int32]


class MemoryOrder(NamedTuple):
    """How strong an access or fence is.

    Attributes:
        scope: Whom it reaches: CTA, CLUSTER or DEVICE.
        releases, acquires: Whether it orders what comes before, or after.
    """

    scope: int
    releases: bool = False
    acquires: bool = False

    @classmethod
    def of(cls, semantics: str, scope: str) -> MemoryOrder | None:
        """From PTX qualifiers; None for weak accesses.

        Args:
            semantics: "weak", "volatile", "mmio", "relaxed", "release", "acquire",
                "acq_rel", "sc" or nothing.
            scope: "cta", "cluster", "gpu", "gl", "sys", or nothing for the device.
        """
        if semantics in ("", "weak"):
            return None
        return cls(
            SCOPES.get(scope, DEVICE),
            semantics in ("release", "acq_rel", "sc"),
            semantics in ("acquire", "acq_rel", "sc"),
        )


@dataclass(frozen=True, eq=False)
class _Release:
    """What somebody knew when releasing, and whom it reaches.

    Attributes:
        known: Clocks of the warps of the grid.
        scope, cta, cluster: Whom it reaches, with numbers of the machine and the grid.
        inside: Clocks of the agents of its cluster, as shared memory knows them.
        start: When its CTA started.
    """

    known: Snapshot
    scope: int
    cta: int
    cluster: int
    inside: Knowledge
    start: int

    def narrowed(self, scope: int) -> _Release:
        if scope >= self.scope:
            return self
        return replace(self, scope=scope)

    def reaches(self, scope: int, cta: int, cluster: int) -> bool:
        """Whether somebody who acquires with a scope learns of it."""
        both = min(scope, self.scope)
        return (
            both == DEVICE
            or (both == CLUSTER and cluster == self.cluster)
            or cta == self.cta
        )


@dataclass
class _Warp:
    """Of one running warp, each with its own clock at the time.

    Attributes:
        learned: What it had acquired, growing.
        heard: Releases that its strong reads saw.
        seen: The words of its strong reads, with the time of the last.
        settled: Those that an acquire followed: what is older comes before.
        fenced: Its last releasing fence.
        proxied: What it knew at its proxy fences.
    """

    learned: list[tuple[int, Snapshot]] = field(
        default_factory=list[tuple[int, Snapshot]]
    )
    heard: list[tuple[int, _Release]] = field(
        default_factory=list[tuple[int, _Release]]
    )
    seen: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    settled: dict[int, tuple[int, int]] = field(
        default_factory=dict[int, tuple[int, int]]
    )
    fenced: tuple[int, _Release] | None = None
    proxied: list[tuple[int, NDArray[np.int32]]] = field(
        default_factory=list[tuple[int, NDArray[np.int32]]]
    )


class GlobalOrder:
    """Happens-before between warps through strong accesses to global memory.

    Warps have two numbers: their place in the machine, and that in the grid.

    Attributes:
        time: Grows with each strong access.
    """

    def __init__(self, machine: Any, clocks: WarpClocks) -> None:
        self._machine = machine
        self._clocks = clocks
        geometry = machine.geometry
        grid = geometry.grid
        self._n_warps = grid[0] * grid[1] * grid[2] * geometry.warps_per_cta
        self._places: dict[int, list[_Release]] = {}
        self._warps: dict[int, _Warp] = {}
        self._most_places = min(_MOST_PLACES, _MOST_PLACES_BYTES // (8 * self._n_warps))
        self._is_lenient = False
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
        count = geometry.cluster_size * geometry.warps_per_cta
        first = warp // count * count
        place, _, _ = self._cta(warp)
        for agent in range(count):
            yield first + agent, self._clocks.knows(place, warp - first, agent)

    def _own(self, warp: int) -> int:
        return next(clock for mate, clock in self._mates(warp) if mate == warp)

    def _advance(self, warp: int) -> Knowledge:
        """What the warp does from now on has a later clock; returns what it knows."""
        geometry = self._machine.geometry
        agent = warp % (geometry.cluster_size * geometry.warps_per_cta)
        return self._clocks.release(self._cta(warp)[0], np.array([agent]))

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
        if self._is_lenient:
            return np.iinfo(np.int32).max
        best = 0
        for mate, clock in self._mates(warp):
            learned = _latest(self._of(mate).learned, clock)
            if learned is not None:
                best = max(best, int(learned[0, other]))
        return best

    def knows_by_proxy(self, warp: int, other: int) -> int:
        """The same for what copies that the warp starts may see."""
        if self._is_lenient:
            return np.iinfo(np.int32).max
        return int(self._knowledge(warp)[1, other])

    def fence_proxy(self, lanes: Lanes) -> None:
        """fence.proxy.async for global memory."""
        for warp in (int(warp) for warp in lanes.warps):
            known = self._knowledge(warp)[0]
            _remember(self._of(warp).proxied, self._own(warp), known)
            self._advance(warp)

    def _learn(self, warp: int, scope: int, releases: list[_Release]) -> None:
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

    def _learn_inside(self, warp: int, releases: list[_Release]) -> None:
        """What mates released orders shared memory too."""
        place, cluster, _ = self._cta(warp)
        geometry = self._machine.geometry
        agent = warp % (geometry.cluster_size * geometry.warps_per_cta)
        for release in releases:
            if release.cluster == cluster and release.start == self._start:
                self._clocks.acquire(place, np.array([agent]), release.inside)

    # Fences and accesses -----------------------------------------------------------

    def fence(self, lanes: Lanes, order: MemoryOrder) -> None:
        """A fence or membar."""
        for warp in (int(warp) for warp in lanes.warps):
            if order.acquires:
                self._settle(warp)
                heard = [
                    release
                    for mate, clock in self._mates(warp)
                    for when, release in self._of(mate).heard
                    if when <= clock
                ]
                self._learn(warp, order.scope, heard)
                self._of(warp).heard.clear()
            if order.releases:
                clock = self._own(warp)
                self._of(warp).fenced = clock, self._release(warp, order.scope)

    def _settle(self, warp: int) -> None:
        """An acquire: what strong reads saw, and what is older, comes before."""
        own, settled = self._own(warp), self._of(warp).settled
        for mate, clock in self._mates(warp):
            for word, (when, time) in self._of(mate).seen.items():
                if when <= clock:
                    settled[word] = own, time
        self._of(warp).seen.clear()

    def is_settled(self, warp: int, address: int, time: int) -> bool:
        """Whether a strong access comes before a warp's access to the same place.

        PTX ISA, "Causality order": through the warp's own strong reads of the place.
        """
        word = address // _WORD_BYTES
        return self._is_lenient or any(
            when <= clock and settled >= time
            for mate, clock in self._mates(warp)
            for when, settled in [self._of(mate).settled.get(word, (0, -1))]
        )

    def _release(self, warp: int, scope: int) -> _Release:
        _, cluster, cta = self._cta(warp)
        known = self._knowledge(warp)
        inside = self._advance(warp)
        return _Release(known, scope, cta, cluster, inside, self._start)

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
        if self._is_lenient:
            return
        for warp, words in self._words(lanes, addresses, size, shared=shared):
            if order.releases:
                releases = [self._release(warp, order.scope)]
            else:
                releases = [r.narrowed(order.scope) for r in self._fences(warp)]
            for word in words:
                before = self._places.get(word, []) if updates else []
                if releases or before:
                    self._keep(word, before, releases)
                else:
                    self._places.pop(word, None)

    def _fences(self, warp: int) -> Iterator[_Release]:
        """The fences that a warp's strong writes make into releases."""
        for mate, clock in self._mates(warp):
            fenced = self._of(mate).fenced
            if fenced is not None and fenced[0] <= clock:
                yield fenced[1]

    def _keep(
        self, word: int, before: list[_Release], releases: list[_Release]
    ) -> None:
        kept = before + [r for r in releases if r not in before]
        if len(kept) > _MOST_RELEASES:
            kept = _merged(kept)
        self._places[word] = kept
        if len(self._places) > self._most_places:
            self._give_up()

    def _give_up(self) -> None:
        """There is too much to remember: nobody is accused from here on."""
        self._is_lenient = True
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
        """Strong reads saw what memory holds."""
        if self._is_lenient:
            return
        self.time += 1
        for warp, words in self._words(lanes, addresses, size, shared=shared):
            clock = self._own(warp)
            seen_words = self._of(warp).seen
            seen_words.update((word, (clock, self.time)) for word in words)
            if len(seen_words) > _MOST_PLACES:
                self._give_up()
                return
            if order.acquires:
                self._settle(warp)
            seen = [r for word in words for r in self._places.get(word, [])]
            if not seen:
                continue
            if order.acquires:
                self._learn(warp, order.scope, seen)
                continue
            heard = self._of(warp).heard
            known = {id(release.known) for _, release in heard}
            heard += [
                (clock, release.narrowed(order.scope))
                for release in seen
                if id(release.known) not in known
            ]

    def _words(
        self, lanes: Lanes, addresses: Addresses, size: int, *, shared: bool
    ) -> Iterator[tuple[int, list[int]]]:
        """The words that each warp touches."""
        warps = lanes.numbers >> 5
        for warp in lanes.warps:
            mine = addresses[warps == warp] // np.uint64(_WORD_BYTES)
            mine = mine + np.uint64(_SHARED_WORDS if shared else 0)
            spans = range(-(-size // _WORD_BYTES))
            yield int(warp), sorted({int(a) + span for a in mine for span in spans})


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


def _merged(releases: list[_Release]) -> list[_Release]:
    """Joins the releases that reach the same parties and come from the same.

    What a cluster knows of its own shared memory holds while it is resident.
    """
    joined: dict[tuple[int, int], _Release] = {}
    for one in releases:
        key = (one.scope, one.cluster if one.scope == DEVICE else one.cta)
        other = joined.get(key)
        if other is not None:
            known = np.maximum(one.known, other.known)
            inside = one.inside
            if one.start == other.start:
                inside = np.maximum(one.inside, other.inside)
            one = replace(one, known=known, inside=inside)
        joined[key] = one
    return list(joined.values())
