# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the bound report needs beside the counters; recorded only on request.

Which sectors of global memory each CTA touched, how often warps went through loops, and
how many bytes of asynchronous copies were in flight.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.threads.protocol import Threads

Keys = NDArray[np.uint64]

_SECTOR_SHIFT = np.uint64(5)
# A key is the number of a CTA in the grid above the number of a sector: addresses have
# less than 49 bits, 32 of their bytes are a sector.
_CTA_SHIFT = np.uint64(44)
_SECTOR_MASK = np.uint64((1 << 44) - 1)
_MOST_PARTS = 64


def sectors_of(keys: Keys) -> Keys:
    """The different sectors of some keys, whichever CTA touched them."""
    return np.unique(keys & _SECTOR_MASK)


@dataclass
class _Stage:
    """The mbarrier of one stage of a ring, by what was seen of it.

    Attributes:
        bytes_of: Bytes of the copies that complete on it, by phase.
        issuers, waiters: Warps of the CTA that start these copies and wait for them.
    """

    bytes_of: dict[int, int] = field(default_factory=dict[int, int])
    issuers: set[int] = field(default_factory=set[int])
    waiters: set[int] = field(default_factory=set[int])

    @property
    def most_bytes(self) -> int:
        """Bytes of one phase that others than its waiters bring; 0 if these do."""
        if self.issuers & self.waiters:
            return 0
        return max(self.bytes_of.values(), default=0)


class Traffic:
    """The record of one launch. Instructions are numbered as in `Counters`.

    Bytes in flight are counted where a wait begins: as it is the program of the waiting
    warp that says how far ahead it starts copies, this does not depend on the order in
    which the emulator runs warps. Where other warps start them they may run ahead until
    all stages of the ring are on their way; `in_flight` knows both.

    Attributes:
        visits: How often each lane of a cluster began a block that is watched, summed
            over the clusters of the grid; int64[CTAs, lanes of a CTA] by its first
            instruction. Lanes, as a warp that diverged runs a block more than once.
    """

    def __init__(self, threads: Threads, watched: Iterable[int]) -> None:
        self._threads = threads
        self._warps_per_cta = threads.geometry.warps_per_cta
        self._lanes_per_cta = threads.geometry.lanes_per_cta
        shape = (threads.geometry.cluster_size, self._lanes_per_cta)
        self.visits = {at: np.zeros(shape, np.int64) for at in watched}
        # Most bytes that a CTA had in flight as a wait began, by number of the wait.
        self._peaks: dict[int, int] = {}
        self._in_flight = np.zeros(threads.geometry.n_ctas, np.int64)
        # Bytes that each lane's cp.async brings for its next arrival at an mbarrier.
        self._fresh = np.zeros(threads.n_lanes, np.int64)
        self._stages: dict[int, _Stage] = {}
        # The mbarriers that each instruction waits for, and those that its copies fill.
        self._awaited: dict[int, set[int]] = {}
        self._filled: dict[int, set[int]] = {}
        self._parts: dict[int, list[Keys]] = {}

    def start(self) -> None:
        """Other CTAs start; nothing is in flight."""
        self._in_flight[:] = 0
        self._fresh[:] = 0

    def ran(self, at: int, lanes: Lanes) -> None:
        """Lanes run the instruction `at` and what follows it."""
        visits = self.visits.get(at)
        if visits is not None:
            inside = lanes.numbers % visits.size
            flat = np.bincount(inside, minlength=visits.size)
            visits += flat.reshape(visits.shape)

    # Global memory -----------------------------------------------------------------

    def touched(self, at: int, lanes: Lanes, addresses: NDArray[np.uint64]) -> None:
        """Lanes access at most 32 bytes each, which do not straddle sectors."""
        self._add(at, self._threads.grid_cta[lanes.index], addresses >> _SECTOR_SHIFT)

    def copied(self, at: int, lane: int, rows: GlobalRows) -> None:
        """A bulk copy that a lane starts reads or writes rows of memory."""
        if not len(rows.addresses):
            return
        first = rows.addresses >> _SECTOR_SHIFT
        last = (rows.addresses + np.uint64(rows.size_bytes - 1)) >> _SECTOR_SHIFT
        most = int((last - first).max()) + 1
        sectors = first[:, None] + np.arange(most, dtype=np.uint64)
        self._add(at, self._threads.grid_cta[lane], sectors[sectors <= last[:, None]])

    def _add(self, at: int, cta: NDArray[np.int64] | np.int64, sectors: Keys) -> None:
        parts = self._parts.setdefault(at, [])
        owner = np.asarray(cta).astype(np.uint64) << _CTA_SHIFT
        parts.append(np.unique(owner | sectors))
        if len(parts) >= _MOST_PARTS:
            parts[:] = [np.unique(np.concatenate(parts))]

    def keys(self, numbers: Iterable[int]) -> Keys:
        """The different pairs of CTA and sector that some instructions touched."""
        parts = [part for at in numbers for part in self._parts.get(at, ())]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.uint64)

    # Copies in flight --------------------------------------------------------------

    def begun(self, lanes: Lanes, size_bytes: int) -> None:
        """Lanes start a cp.async of `size_bytes` each."""
        np.add.at(self._in_flight, self._threads.cta_of[lanes.index], size_bytes)
        self._fresh[lanes.index] += size_bytes

    def begun_bulk(
        self,
        at: int,
        lane: int,
        cell: int,
        phase: int,
        ctas: NDArray[np.intp],
        size_bytes: int,
    ) -> None:
        """A lane starts a bulk copy that completes on the mbarrier at `cell`.

        Args:
            at: Number of the instruction.
            lane: The lane.
            cell: Offset of the mbarrier in the machine's shared memory.
            phase: The mbarrier's current phase.
            ctas: Where each piece goes.
            size_bytes: Size of a piece.
        """
        np.add.at(self._in_flight, ctas, size_bytes)
        self._filled.setdefault(at, set()).add(cell)
        self._fill(cell, phase, lane, size_bytes * len(ctas))

    def arrives(self, lanes: Lanes, cell: int, phase: int) -> None:
        """The cp.async that lanes started so far complete on the mbarrier at `cell`."""
        size_bytes = int(self._fresh[lanes.index].sum())
        self._fresh[lanes.index] = 0
        for warp in lanes.warps:
            self._fill(cell, phase, int(warp) * WARP_LANES, 0)
        self._fill(cell, phase, int(lanes.numbers[0]), size_bytes)

    def _fill(self, cell: int, phase: int, lane: int, size_bytes: int) -> None:
        stage = self._stages.setdefault(cell, _Stage())
        stage.issuers.add(int(self._threads.warp_in_cta[lane]))
        stage.bytes_of[phase] = stage.bytes_of.get(phase, 0) + size_bytes

    def landed(self, ctas: NDArray[np.intp], size_bytes: int) -> None:
        """Pieces of `size_bytes` each have landed in the shared memory of CTAs."""
        np.subtract.at(self._in_flight, ctas, size_bytes)

    def waits(self, at: int, lanes: Lanes) -> None:
        """A wait of some lanes begins."""
        most = int(self._in_flight[self._threads.cta_of[lanes.index]].max())
        self._peaks[at] = max(self._peaks.get(at, 0), most)

    def waits_for(self, at: int, lanes: Lanes, cells: NDArray[np.int64]) -> None:
        """A wait of lanes for the mbarriers at `cells`, int64[count], begins."""
        self.waits(at, lanes)
        warps = {int(warp) % self._warps_per_cta for warp in lanes.warps}
        for cell in np.unique(cells):
            self._awaited.setdefault(at, set()).add(int(cell))
            self._stages.setdefault(int(cell), _Stage()).waiters.update(warps)

    def awaited(self, numbers: Iterable[int]) -> set[int]:
        """The mbarriers that some instructions wait for."""
        return {cell for at in numbers for cell in self._awaited.get(at, ())}

    def filled(self, numbers: Iterable[int]) -> set[int]:
        """The mbarriers on which bulk copies of some instructions complete."""
        return {cell for at in numbers for cell in self._filled.get(at, ())}

    def in_flight(self, numbers: Iterable[int], stride_bytes: int) -> int:
        """Most bytes of asynchronous copies in flight to a CTA.

        Of rings that all of a cluster share it has its part: a pair's copies complete
        at one CTA's mbarriers.

        Args:
            numbers: Instructions, whose waits and copies count.
            stride_bytes: Shared memory of a CTA of the machine.
        """
        numbers = list(numbers)
        seen = max((self._peaks.get(at, 0) for at in numbers), default=0)
        cells = self.awaited(numbers) | self.filled(numbers)
        ring: dict[int, int] = {}
        size = self._threads.geometry.cluster_size
        for cell in cells:
            cluster = cell // stride_bytes // size
            ring[cluster] = ring.get(cluster, 0) + self._stages[cell].most_bytes
        return max(seen, *(bytes_ // size for bytes_ in ring.values()), 0)
