# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of shared memory that asynchronous operations in flight still access."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int64]

# Asynchronous operations other than cp.async touch memory in pieces of this size
# (PTX ISA: "cp.async.bulk", "Shared Memory Matrix Layout").
CHUNK_BYTES = 16


class InFlight:
    """Bytes that operations in flight will write (targets) or read (sources).

    Attributes:
        is_busy: Whether anything is in flight; else `conflict` need not be asked.
    """

    def __init__(self, total_bytes: int) -> None:
        self._targets = np.zeros(total_bytes, np.uint16)
        self._sources = np.zeros(total_bytes, np.uint16)
        self._by = np.zeros(total_bytes, np.int32)
        self.is_busy = False

    def reset(self) -> None:
        """Nothing is in flight."""
        self._targets[:] = 0
        self._sources[:] = 0
        self.is_busy = False

    def begin(self, cells: Cells, at: int, *, writes: bool) -> None:
        """Instruction `at` starts an asynchronous write or read of bytes."""
        table = self._targets if writes else self._sources
        table[cells] += 1
        self._by[cells] = at
        self.is_busy = True

    def end(self, cells: Cells, *, writes: bool) -> None:
        """The operation is complete."""
        table = self._targets if writes else self._sources
        table[cells] -= 1
        self.is_busy = bool(self._targets.any() or self._sources.any())

    def conflict(self, cells: Cells, *, is_write: bool) -> tuple[int, int, bool] | None:
        """Finds a byte on which an access conflicts with an operation in flight.

        Args:
            cells: Bytes, [n, size].
            is_write: Whether the access writes; two reads do not conflict.

        Returns:
            Row of the byte, number of the instruction in flight, and whether that one
            writes;
            None without a conflict.
        """
        busy = self._targets[cells] != 0
        if is_write:
            busy |= self._sources[cells] != 0
        if not busy.any():
            return None
        row, column = (int(x) for x in np.argwhere(busy)[0])
        cell = cells[row, column]
        return row, int(self._by[cell]), bool(self._targets[cell])
