# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strong accesses to shared memory: by byte and warp, the clock of the last.

PTX ISA, "Memory Consistency Model": strong accesses (atomic, volatile, relaxed) do not
race with each other, only with weak accesses that are not ordered with them. An update
precedes what follows a strong read that observed it ("Causality order"), without a
fence.

Few bytes are ever accessed so; each of them has a row, and row 0 stands for all others.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.memory_order import CTA

Cells = NDArray[np.int64]
Warps = NDArray[np.uint8]
# A warp's components for the warps of its cluster, int32[..., n_warps].
Known = NDArray[np.int32]
Clocks = NDArray[np.int32]
Rows = NDArray[np.int32]
Flags = NDArray[np.bool_]

_FIRST_ROWS = 64


class _Table:
    """A clock and a version for each warp and row; zero where there is no access."""

    def __init__(self, n_warps: int) -> None:
        self.clocks = np.zeros((n_warps, _FIRST_ROWS), np.int32)
        self.versions = np.zeros((n_warps, _FIRST_ROWS), np.int32)

    def grow(self, n_rows: int) -> None:
        more = ((0, 0), (0, n_rows - self.clocks.shape[1]))
        self.clocks = np.pad(self.clocks, more)
        self.versions = np.pad(self.versions, more)

    def reset(self) -> None:
        self.clocks[:] = 0
        self.versions[:] = 0


class StrongAccesses:
    """By byte and warp: clocks of the last update, strong read and observed update.

    Updates and reads with `.cta` scope are kept once more by themselves: they are not
    morally strong with accesses of other CTAs of the cluster.
    """

    def __init__(self, n_warps: int, n_cells: int) -> None:
        self._row = np.zeros(n_cells, np.int32)
        self._n_rows = 1
        # Counts updates; a read at a version observed all updates up to it.
        self._version = 0
        self._updated, self._read = _Table(n_warps), _Table(n_warps)
        self._narrowly_updated, self._narrowly_read = _Table(n_warps), _Table(n_warps)
        # The last observation, and the last one with an earlier clock.
        self._seen, self._seen_before = _Table(n_warps), _Table(n_warps)
        self._tables = (
            self._updated,
            self._read,
            self._narrowly_updated,
            self._narrowly_read,
            self._seen,
            self._seen_before,
        )

    @property
    def is_used(self) -> bool:
        """Whether any strong access was recorded."""
        return self._n_rows > 1

    def reset(self) -> None:
        """Forgets everything."""
        self._row[:] = 0
        self._n_rows = 1
        for table in self._tables:
            table.reset()

    def _rows(self, cells: Cells) -> Rows:
        """The rows of bytes, made at the first access."""
        new = np.unique(cells[self._row[cells] == 0])
        if len(new):
            stop = self._n_rows + len(new)
            self._row[new] = np.arange(self._n_rows, stop)
            self._n_rows = stop
            if stop > self._seen.clocks.shape[1]:
                for table in self._tables:
                    table.grow(2 * stop)
        return self._row[cells]

    def note_read(self, cells: Cells, warps: Warps, own: Clocks, scope: int) -> None:
        """Strong reads of bytes by warps at their own clocks."""
        rows = self._rows(cells)
        self._read.clocks[warps, rows] = own
        if scope == CTA:
            self._narrowly_read.clocks[warps, rows] = own
        self._see(rows, warps, own)

    def note_update(
        self, cells: Cells, warps: Warps, own: Clocks, scope: int, *, reads: bool
    ) -> None:
        """Strong writes by warps; `reads` for atomics, which observe earlier ones."""
        rows = self._rows(cells)
        self._version += 1
        tables = (self._updated, self._narrowly_updated)
        for table in tables if scope == CTA else tables[:1]:
            table.clocks[warps, rows] = own
            table.versions[warps, rows] = self._version
        if reads:
            # Of several warps in one step, the last observed the others' updates.
            last = np.zeros(self._n_rows, np.uint8)
            last[rows] = warps
            saw = last[rows] == warps
            self._see(rows[saw], warps[saw], own[saw])

    def _see(self, rows: Rows, warps: Warps, own: Clocks) -> None:
        """Warps observe the latest updates of these rows."""
        later = self._seen.clocks[warps, rows] < own
        place = warps[later], rows[later]
        self._seen_before.clocks[place] = self._seen.clocks[place]
        self._seen_before.versions[place] = self._seen.versions[place]
        self._seen.clocks[warps, rows] = own
        self._seen.versions[warps, rows] = self._version

    def is_after_updates(self, cells: Cells, warps: Warps, known: Known) -> Flags:
        """Whether all updates of a byte by others happen before each warp."""
        unknown = self._unseen(self._updated, cells, known)
        return ~_others(unknown, warps)

    def is_after_all_updates(self, cells: Cells, known: Known) -> Flags:
        """Whether all updates of a byte, the warp's own included, are in a clock."""
        return ~_some(self._unseen(self._updated, cells, known))

    def _unseen(self, updates: _Table, cells: Cells, known: Known) -> Flags:
        """Warps, [..., n_warps], whose last update is not before nor observed."""
        rows = self._row[cells]
        latest = np.zeros((*cells.shape, 1), np.int32)
        for sights in (self._seen, self._seen_before):
            clocks = _by_row(sights.clocks, rows)
            counts = (clocks > 0) & (clocks <= known)
            versions = np.where(counts, _by_row(sights.versions, rows), 0)
            latest = np.maximum(latest, versions.max(axis=-1, keepdims=True))
        late: Flags = _by_row(updates.clocks, rows) > known
        return np.logical_and(late, _by_row(updates.versions, rows) > latest)

    def is_after_reads(self, cells: Cells, warps: Warps, known: Known) -> Flags:
        """Whether all strong reads of a byte by others happen before each warp."""
        return ~_others(_by_row(self._read.clocks, self._row[cells]) > known, warps)

    def is_in_scope(
        self,
        cells: Cells,
        warps: Warps,
        known: Known,
        scope: int,
        *,
        warps_per_cta: int,
        writes: bool,
    ) -> Flags:
        """Whether earlier accesses by other CTAs are morally strong or happen before.

        Args:
            cells: The bytes.
            warps: The accessing warp of each.
            known: The warps' clocks.
            scope: Of the access.
            warps_per_cta: Warps of one CTA.
            writes: Whether it writes, so that earlier reads count too.
        """
        updates, reads = self._narrowly_updated, self._narrowly_read
        if scope == CTA:
            updates, reads = self._updated, self._read
        mate = np.arange(known.shape[-1], dtype=np.uint8) // np.uint8(warps_per_cta)
        mine: Warps = warps[..., None] // np.uint8(warps_per_cta)
        late = self._unseen(updates, cells, known)
        if writes:
            late |= _by_row(reads.clocks, self._row[cells]) > known
        return ~_some(np.logical_and(late, np.not_equal(mate, mine)))

    def unknown(self, cells: Cells, warp: int, known: int) -> Flags:
        """Which bytes a warp accessed later than clock `known`."""
        rows = self._row[cells]
        read = self._read.clocks[warp, rows] > known
        return read | (self._updated.clocks[warp, rows] > known)


def _by_row(table: NDArray[np.int32], rows: Rows) -> NDArray[np.int32]:
    """From [warp, row] to [..., warp]."""
    return np.moveaxis(table[:, rows], 0, -1)


def _others(flags: Flags, warps: Warps) -> Flags:
    """Whether there is a flag of another warp, [..., n_warps] to [...]."""
    flags[np.arange(flags.shape[-1]) == warps[..., None]] = False
    return _some(flags)


def _some(flags: Flags) -> Flags:
    return cast(Flags, flags.any(axis=-1))
