# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Older writes that a strong load of global memory may still return.

PTX ISA, "Memory Consistency Model", axioms "Coherence" and "Causality": a read returns
a write that no other write of the same bytes overwrites before it in causality order,
nor before what the reader has observed. Strong accesses without fences promise no more:
a lock that is taken by a relaxed atomic protects nothing, though nothing races. An
adversarial machine returns such an older value now and then, so that the program
computes with it.

Kept short of what the ISA allows, so that no legal program ever sees an impossible
value: a write that anybody but its author has read counts as observed by all, and so
does one that a fence.sc of its author orders before a fence.sc of the reader. Atomic
updates always see the latest write.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.global_order import GlobalOrder
from cuda_tile.emulator.ordering.releases import Release
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

# How often a load returns an older write where it may; tests may change it.
SHARE = 0.25
# Most places with a history, and writes of each that are kept.
_MOST_PLACES = 1 << 14
_MOST_WRITES = 8
# Sizes of accesses that have a history.
_SIZES = (4, 8)

Bytes = NDArray[np.uint8]
Addresses = NDArray[np.uint64]
Releases = dict[int, list[Release]]


@dataclass(eq=False)
class OldWrite:
    """A write in the coherence order of one place.

    Attributes:
        data: What it wrote.
        owner: The warp that did, numbered in the grid; -1 for what was there before.
        clock: Its own clock then.
        releases: What a read that returns it observes, by word.
        is_observed: Whether another warp has read it, or a later write.
    """

    data: bytes
    owner: int
    clock: int
    releases: Releases = field(default_factory=dict[int, list[Release]])
    is_observed: bool = False


class OlderWrites:
    """The last strong writes of each place in global memory."""

    def __init__(
        self,
        machine: Threads,
        order: GlobalOrder,
        is_known: Callable[[int, int, int], bool],
    ) -> None:
        """Starts with no writes.

        Args:
            machine: The machine.
            order: Happens-before between its CTAs.
            is_known: Whether what an owner did until a clock happens before the next
                access of a warp of the machine.
        """
        self._machine = machine
        self._order = order
        self._is_known = is_known
        self._writes: dict[tuple[int, int], list[OldWrite]] = {}
        # By warp of the grid, what its fences and those before them order, by owner.
        self._fenced: dict[int, NDArray[np.int32]] = {}
        self._last_fence: NDArray[np.int32] | None = None

    # Writes ------------------------------------------------------------------------

    def wrote(
        self,
        lanes: Lanes,
        addresses: Addresses,
        before: Bytes,
        after: Bytes,
        *,
        is_update: bool = False,
    ) -> None:
        """Strong writes of lanes are done.

        Args:
            lanes: Who wrote.
            addresses: uint64[count].
            before: What was there, uint8[count, size].
            after: What is there now.
            is_update: Whether atomics wrote; those that change nothing only read.
        """
        size = int(after.shape[1])
        if size not in _SIZES:
            return
        for number, address in enumerate(addresses.tolist()):
            old, new = before[number].tobytes(), after[number].tobytes()
            if old == new and is_update:
                continue
            warp = int(lanes.numbers[number]) // WARP_LANES
            writes = self._writes.get((address, size))
            if writes is None or writes[-1].data != old:
                if len(self._writes) >= _MOST_PLACES:
                    return
                writes = self._writes[address, size] = [OldWrite(old, -1, 0)]
            owner, clock = self._order.in_grid(warp), self._order.own(warp)
            releases = self._order.released(address, size)
            writes.append(OldWrite(new, owner, clock, releases))
            del writes[:-_MOST_WRITES]

    def updates(self, lanes: Lanes, addresses: Addresses, size: int) -> None:
        """Atomic updates of lanes read the latest writes."""
        if self._writes:
            for number, address in enumerate(addresses.tolist()):
                writes = self._writes.get((address, size))
                if writes is not None:
                    warp = int(lanes.numbers[number]) // WARP_LANES
                    self._observe(writes[-1], warp)

    def _observe(self, write: OldWrite, warp: int) -> None:
        if write.owner != self._order.in_grid(warp):
            write.is_observed = True

    # Fences ------------------------------------------------------------------------

    def fence(self, lanes: Lanes) -> None:
        """fence.sc: these are in one order, in which they run here."""
        for warp in (int(warp) for warp in lanes.warps):
            known = self._order.knowledge(warp)
            if self._last_fence is not None:
                known = np.maximum(known, self._last_fence)
            self._fenced[self._order.in_grid(warp)] = self._last_fence = known

    # Reads -------------------------------------------------------------------------

    def choose(
        self, lanes: Lanes, addresses: Addresses, data: Bytes
    ) -> dict[int, OldWrite]:
        """Picks which strong loads return an older write.

        Args:
            lanes: Who reads.
            addresses: uint64[count].
            data: What is there, uint8[count, size].

        Returns:
            The older writes, by position of the lane that gets one.
        """
        chosen: dict[int, OldWrite] = {}
        size = int(data.shape[1])
        if not self._writes or size not in _SIZES:
            return chosen
        for number, address in enumerate(addresses.tolist()):
            writes = self._writes.get((address, size))
            if writes is None:
                continue
            if writes[-1].data != data[number].tobytes():
                del self._writes[address, size]  # a weak write came since
                continue
            warp = int(lanes.numbers[number]) // WARP_LANES
            found = self._pick(writes, warp)
            self._observe(found, warp)
            if found is not writes[-1]:
                chosen[number] = found
        return chosen

    def _pick(self, writes: list[OldWrite], warp: int) -> OldWrite:
        """One of the writes that a warp may still read, mostly the last."""
        rng = self._machine.rng
        oldest = len(writes) - 1
        while oldest > 0 and not self._is_over(writes[oldest], warp):
            oldest -= 1
        if oldest == len(writes) - 1 or rng.random() >= SHARE:
            return writes[-1]
        return writes[int(rng.integers(oldest, len(writes)))]

    def _is_over(self, write: OldWrite, warp: int) -> bool:
        """Whether a warp may read nothing older than a write."""
        me = self._order.in_grid(warp)
        if write.is_observed or write.owner == me:
            return True
        fenced = self._fenced.get(me)
        if fenced is not None and int(fenced[write.owner]) >= write.clock:
            return True
        return self._is_known(warp, write.owner, write.clock)
