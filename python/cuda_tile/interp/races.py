# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Races: conflicting accesses of different tile blocks.

Two accesses to one byte, at least one a write, must both be strong (not weak, with a
scope that includes the other block), or one must happen before the other:
happens-before between blocks comes from a release and an acquire of the same location,
and travels in tokens (`Token.foreign`).

A map with the last block that accessed each word finds suspects quickly; the access
logs then decide.
"""

from __future__ import annotations

import bisect
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp.log import Access, Addresses
from cuda_tile.interp.program import Op
from cuda_tile.interp.protocol import Running
from cuda_tile.interp.values import Token
from cuda_tile.runtime.memory import GlobalMemory

Rival: TypeAlias = tuple[Running, Access]
"""Another tile block and its conflicting access."""

WORD_BYTES = 4
"""Bytes that share an entry of the map."""

SEVERAL = -1
"""Entry of a word that more than one block accessed."""


class _Area:
    """The map over one run of bytes: by kind of access, the block that made it."""

    def __init__(self, start: int, stop: int) -> None:
        self.start = start
        self.words = -(-(stop - start) // WORD_BYTES)
        self._owners: dict[str, NDArray[np.int32]] = {}

    def owners(self, kind: str) -> NDArray[np.int32] | None:
        """Block number + 1 per word, 0 for none; None where there is no access."""
        return self._owners.get(kind)

    def mark(self, kind: str, places: NDArray[np.intp], owner: int) -> None:
        """Records that block `owner` - 1 accessed words."""
        if kind not in self._owners:
            self._owners[kind] = np.zeros(self.words, np.int32)
        owners = self._owners[kind]
        now = owners[places]
        owners[places] = np.where((now == 0) | (now == owner), owner, SEVERAL)


class Races:
    """Accesses of all blocks of a launch, and the releases among them."""

    def __init__(self, memory: GlobalMemory) -> None:
        self._areas = _areas(memory)
        self._starts = [area.start for area in self._areas]
        self._blocks: dict[int, Running] = {}
        self._released: dict[int, Token] = {}

    def check(
        self,
        run: Running,
        access: Access,
        places: Addresses,
        size_bytes: int,
        after: Token,
    ) -> Rival | None:
        """Records an access and finds one of another block that races with it.

        Args:
            run: The tile block.
            access: The access.
            places: Its byte addresses, one per element.
            size_bytes: Bytes per element.
            after: The accesses that happen before it.

        Returns:
            The other block and its access, or None.
        """
        self._blocks[run.number] = run
        suspects: set[int] = set()
        weight = "strong" if not access.is_weak and access.is_wide else "weak"
        effect = "write" if access.is_write else "read"
        rivals = ["weak write"]
        if access.is_write:
            rivals.append("weak read")
        if weight == "weak":
            rivals.append("strong write")
            if access.is_write:
                rivals.append("strong read")
        for area, words in self._words(places, size_bytes):
            for kind in rivals:
                owners = area.owners(kind)
                if owners is not None:
                    suspects.update(np.unique(owners[words]).tolist())
            area.mark(f"{weight} {effect}", words, run.number + 1)
        suspects -= {0, run.number + 1}
        return self._judge(run, access, suspects, after) if suspects else None

    def _words(
        self, places: Addresses, size_bytes: int
    ) -> list[tuple[_Area, NDArray[np.intp]]]:
        """The words that elements lie in, by area; none outside every area."""
        if not self._areas:
            return []
        low, high = int(places.min()), int(places.max())
        first = bisect.bisect_right(self._starts, low) - 1
        last = bisect.bisect_right(self._starts, high) - 1
        found: list[tuple[_Area, NDArray[np.intp]]] = []
        for area in self._areas[max(first, 0) : last + 1]:
            offsets = (places - np.uint64(area.start)).view(np.int64)
            inside = (offsets >= 0) & (offsets < area.words * WORD_BYTES)
            if not inside.all():
                offsets = offsets[inside]
            if not len(offsets):
                continue
            words = (offsets // WORD_BYTES).astype(np.intp)
            if size_bytes > WORD_BYTES:
                words = np.concatenate((words, np.minimum(words + 1, area.words - 1)))
            found.append((area, words))
        return found

    def _judge(
        self, run: Running, access: Access, suspects: set[int], after: Token
    ) -> Rival | None:
        """Looks for a race in the logs of the suspects."""
        numbers = [owner - 1 for owner in suspects if owner != SEVERAL]
        if SEVERAL in suspects:
            numbers = [number for number in self._blocks if number != run.number]
        for number in numbers:
            other = self._blocks[number]
            log, known = other.accesses, after.foreign.get(number, 0)
            conflict = log.find(access, log.foreign_rivals(access), known)
            if conflict is not None:
                return other, conflict
        return None

    def describe(self, access: Access, other: Running, past: Access) -> str:
        """Describes a race that `check` found, and the way out."""
        way = (
            "make both atomic or relaxed at device scope, or order them: a release "
            "there that takes the token of the one, an acquire here whose token the "
            "other takes"
        )
        if not (access.is_wide and past.is_wide):
            way = "scope tl_blk reaches one tile block only; use device"
        for each in (access, past):
            row = other.launch.memory.past_row(each.starts, each.stops)
            if row is not None:
                way = f"{each.op.accessor()} goes past {row}: is an index too large?"
        return (
            f"touches {other.launch.memory.place(access.common(past))}, which tile "
            f"block {other.block_id} touched by {past.op.accessor()}, and nothing "
            f"orders the two; {way}"
        )

    def acquire(self, run: Running, op: Op, places: Addresses, token: Token) -> Token:
        """The result token of an access, joined with the releases that it acquires."""
        if not _orders(op, "acquire") or not self._released:
            return token
        for place in np.unique(places).tolist():
            made_known = self._released.get(place)
            if made_known is not None:
                token = token.join(_seen_by(run.number, made_known))
        return token

    def publish(self, run: Running, op: Op, places: Addresses, token: Token) -> None:
        """Records the release of an access that stored.

        An atomic update continues an earlier release of the same location, a plain
        store ends it.
        """
        is_release = _orders(op, "release")
        is_atomic = op.name.startswith("atomic")
        if not is_release and (is_atomic or not self._released):
            return
        foreign = {**token.foreign, run.number: token.events}
        known = Token(0, foreign, token.waited)
        for place in np.unique(places).tolist():
            earlier = self._released.pop(place, None)
            if is_release:
                kept = earlier if earlier is not None and is_atomic else Token()
                self._released[place] = known.join(kept)


def _orders(op: Op, direction: str) -> bool:
    return op.attributes.get("memory_ordering_semantics") in (direction, "acq_rel")


def _seen_by(number: int, known: Token) -> Token:
    """A released token as block `number` sees it: its own events stand apart."""
    own = known.foreign.get(number, 0)
    others = {block: bits for block, bits in known.foreign.items() if block != number}
    return Token(own, others, known.waited)


def _areas(memory: GlobalMemory) -> list[_Area]:
    """One map per run of registered bytes that touch."""
    bounds: list[list[int]] = []
    for region in sorted(memory.regions, key=lambda region: region.start):
        start = region.start // WORD_BYTES * WORD_BYTES
        if bounds and start <= bounds[-1][1]:
            bounds[-1][1] = max(bounds[-1][1], region.stop)
        else:
            bounds.append([start, region.stop])
    return [_Area(start, stop) for start, stop in bounds]
