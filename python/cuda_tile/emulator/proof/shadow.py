# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which accesses to shared memory nothing orders before what comes next.

For each byte of shared memory since the last barrier of the CTA: the thread that wrote
it, the one that read it, or that several did, and whether a copy to it is in flight.
Two accesses of threads of one warp are ordered by a `bar.warp.sync` between them, which
counts the warp's epoch. PTX ISA: "Memory Consistency Model", "cp.async".
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.ptx.types import Array

WARP = 32
MOST_BYTES = 1 << 18
NOBODY, SEVERAL = -1, -2


class Doubt(Exception):
    """Why a kernel is not proved."""


@dataclass(eq=False)
class Shadow:
    """The state of shared memory.

    Attributes:
        epochs: Of each warp.
        writer: Of each byte, the thread that wrote it; NOBODY if no one has.
        written: Its warp's epoch then.
        reader: The thread that read it, NOBODY or SEVERAL.
        warp: The warp of all these, NOBODY or SEVERAL.
        read: The latest of their epochs.
        flying: Whether a copy to it is in flight.
        groups: The copies of each group in flight, the open one last: bytes, threads.
    """

    epochs: Array
    writer: Array
    written: Array
    reader: Array
    warp: Array
    read: Array
    flying: Array
    groups: list[list[tuple[Array, Array]]] = field(
        default_factory=lambda: [list[tuple[Array, Array]]()]
    )

    @classmethod
    def of(cls, n_threads: int, n_bytes: int) -> Shadow:
        """Nothing has happened yet.

        Args:
            n_threads: Threads of the CTA.
            n_bytes: Bytes of shared memory.
        """
        one, two, three, four, five = (
            np.full(n_bytes, NOBODY, np.int32) for _ in range(5)
        )
        epochs = np.zeros(-(-n_threads // WARP), np.int32)
        return cls(epochs, one, two, three, four, five, np.zeros(n_bytes, bool))

    def copy(self) -> Shadow:
        """Another one in the same state."""
        return Shadow(
            self.epochs.copy(),
            self.writer.copy(),
            self.written.copy(),
            self.reader.copy(),
            self.warp.copy(),
            self.read.copy(),
            self.flying.copy(),
            [list(group) for group in self.groups],
        )

    def key(self) -> bytes:
        """What tells its state from others; epochs count from the warp's own."""
        own = self.epochs[np.maximum(self.writer, 0) // WARP] == self.written
        of = self.epochs[np.maximum(self.warp, 0)] == self.read
        said = [self.writer, own & (self.writer >= 0), self.reader, self.warp]
        said += [of & (self.warp >= 0), self.flying]
        parts = [np.ascontiguousarray(array).tobytes() for array in said]
        for group in self.groups:
            parts.append(b"|")
            parts += [array.tobytes() for copy in group for array in copy]
        return b"".join(parts)

    def _checked(self, places: Array, threads: Array, *, is_write: bool) -> None:
        """Refuses accesses that something before is not ordered with."""
        if self.flying[places].any():
            raise Doubt("touches bytes to which a copy is in flight")
        writer, warps = self.writer[places], threads // WARP
        ordered = self.written[places] < self.epochs[warps]
        ordered &= writer // WARP == warps
        if ((writer != NOBODY) & (writer != threads) & ~ordered).any():
            raise Doubt("touches what another thread writes, with no barrier between")
        if not is_write:
            return
        reader, own = self.reader[places], self.warp[places]
        ordered = (own == warps) & (self.read[places] < self.epochs[warps])
        if ((reader != NOBODY) & (reader != threads) & ~ordered).any():
            raise Doubt("writes what another thread reads, with no barrier between")

    def reads(self, places: Array, threads: Array) -> None:
        """Threads read bytes.

        Args:
            places: The bytes, one for each thread that follows.
            threads: The threads.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        self._checked(places, threads, is_write=False)
        warps = threads // WARP
        for said, who in ((self.reader, threads), (self.warp, warps)):
            before = said[places]
            others = (before != NOBODY) & (before != who)
            said[places] = who
            others |= said[places] != who
            said[places[others]] = SEVERAL
        np.maximum.at(self.read, places, self.epochs[warps])

    def writes(self, places: Array, threads: Array) -> None:
        """Threads write bytes.

        Args:
            places: The bytes, one for each thread that follows.
            threads: The threads.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        self._checked(places, threads, is_write=True)
        self.writer[places] = threads
        if (self.writer[places] != threads).any():
            raise Doubt("writes what another thread writes in the same instruction")
        self.written[places] = self.epochs[threads // WARP]
        self.reader[places] = self.warp[places] = self.read[places] = NOBODY

    def copies(self, places: Array, threads: Array) -> None:
        """Threads start copies to bytes.

        Args:
            places: The bytes, one for each thread that follows.
            threads: The threads.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        self._checked(places, threads, is_write=True)
        if np.unique(places).size != places.size:
            raise Doubt("copies to what another thread copies to")
        self.flying[places] = True
        self.groups[-1].append((places, threads))

    def commits(self) -> None:
        """Copies since the last commit become a group."""
        self.groups.append([])

    def waits(self, left: int, *, is_all: bool = False) -> None:
        """All groups but the youngest have landed.

        Args:
            left: How many may still be in flight.
            is_all: Whether what was not committed has landed, too.
        """
        if is_all:
            self.commits()
        count = max(0, len(self.groups) - 1 - left)
        landed, self.groups = self.groups[:count], self.groups[count:]
        for places, threads in (copy for group in landed for copy in group):
            self.flying[places] = False
            self.writer[places] = threads
            self.written[places] = self.epochs[threads // WARP]

    def barrier(self) -> None:
        """All threads of the CTA meet."""
        for array in (self.writer, self.written, self.reader, self.warp, self.read):
            array.fill(NOBODY)
        self.epochs.fill(0)

    def warp_barrier(self, warps: Array) -> None:
        """All threads of some warps meet, warp by warp."""
        self.epochs[warps] += 1
