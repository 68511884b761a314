# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory accesses of a tile block, in program order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp.program import Op
from cuda_tile.interp.values import Token

Addresses = NDArray[np.uint64]


@dataclass(eq=False, slots=True)
class Access:
    """One memory op of a tile block, as the byte ranges it touched.

    Attributes:
        starts, stops: Sorted, disjoint ranges `[start, stop)` of bytes.
        is_write: Whether it stores.
        is_weak: Whether its memory ordering is weak.
        is_wide: Whether its scope reaches other tile blocks (weak ones: True).
        op: The op, for messages.
        elements: Address of each element of its tile, where these are distinct and
            somebody may ask; else None.
    """

    starts: NDArray[np.uint64]
    stops: NDArray[np.uint64]
    is_write: bool
    is_weak: bool
    is_wide: bool
    op: Op
    elements: Addresses | None = None

    def overlap(self, other: Access) -> int | None:
        """The first byte that both touch, or None."""
        if self.stops[-1] <= other.starts[0] or other.stops[-1] <= self.starts[0]:
            return None
        before = np.searchsorted(other.starts, self.stops, side="left") - 1
        candidates = np.maximum(before, 0)
        hits = (before >= 0) & (other.stops[candidates] > self.starts)
        if not hits.any():
            return None
        first = int(np.argmax(hits))
        return max(int(self.starts[first]), int(other.starts[candidates[first]]))

    def common(self, other: Access) -> int:
        """The first byte that both touch, where they do."""
        byte = self.overlap(other)
        assert byte is not None, "the two conflict"
        return byte


class AccessLog:
    """All accesses of one tile block in program order; event i is `self.past[i]`."""

    def __init__(self) -> None:
        self.past: list[Access] = []
        self._weak_reads: list[int] = []
        self._weak_writes: list[int] = []
        self._strong_reads: list[int] = []
        self._strong_writes: list[int] = []

    def add(
        self,
        access: Access,
        after: Token,
        is_harmless: Callable[[Access], bool] | None = None,
    ) -> tuple[int, Access | None]:
        """Records an access that starts after `after`.

        Args:
            access: The access.
            after: What happens before it.
            is_harmless: Tells earlier accesses that do not count as conflicts.

        Returns:
            Its event, and an earlier access that conflicts.
        """
        conflict = self.find(access, self.rivals(access), after.events, is_harmless)
        event = len(self.past)
        self.past.append(access)
        if access.is_weak:
            kind = self._weak_writes if access.is_write else self._weak_reads
        else:
            kind = self._strong_writes if access.is_write else self._strong_reads
        kind.append(event)
        return event, conflict

    def rivals(self, access: Access) -> Sequence[int]:
        """Events of the same block that conflict if they touched the same byte."""
        return self._rivals(access, is_weak=access.is_weak)

    def foreign_rivals(self, access: Access) -> Sequence[int]:
        """The same for an access of another block: its scope counts, and theirs."""
        past = self.past
        if not access.is_wide:
            return self._rivals(access, is_weak=True)
        narrow = [
            event
            for event in self._strong_reads + self._strong_writes
            if not past[event].is_wide
        ]
        return [*self.rivals(access), *narrow]

    def _rivals(self, access: Access, *, is_weak: bool) -> Sequence[int]:
        found = self._weak_writes
        if access.is_write:
            found = found + self._weak_reads
        if is_weak:
            found = found + self._strong_writes
            if access.is_write:
                found = found + self._strong_reads
        return found

    def last_of(self, op: Op) -> Access | None:
        """The last access that an op made."""
        return next((past for past in reversed(self.past) if past.op is op), None)

    def find(
        self,
        access: Access,
        rivals: Iterable[int],
        known: int,
        is_harmless: Callable[[Access], bool] | None = None,
    ) -> Access | None:
        """The first of some accesses that conflicts with one and is not in `known`."""
        for rival in rivals:
            past = self.past[rival]
            if known >> rival & 1 or not (access.is_write or past.is_write):
                continue
            if access.overlap(past) is None:
                continue
            if is_harmless is None or not is_harmless(past):
                return past
        return None
