# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of `alloca`: uninitialised at first, freed at the end of its scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.interp.program import Op
from cuda_tile.interp.values import Mask
from cuda_tile.runtime.memory import GlobalMemory

POISON_BYTE = 0xAA
"""What fresh memory holds: a pattern that is neither zero nor a usual number."""


@dataclass(eq=False, slots=True)
class Scratch:
    """The memory of one alloca.

    Attributes:
        start, stop: Its bytes.
        storage: What owns them.
        written: Per byte, whether something was stored.
        is_shared: Whether other tile blocks may use it.
        op: The alloca, for messages.
        owner: Number of the tile block that made it.
    """

    start: int
    stop: int
    storage: NDArray[np.uint8]
    written: Mask
    is_shared: bool
    op: Op
    owner: int = 0

    def inside(self, addresses: NDArray[np.uint64]) -> Mask:
        """Which byte addresses lie in it."""
        low, high = np.uint64(self.start), np.uint64(self.stop)
        return np.asarray((addresses >= low) & (addresses < high))

    def bytes_of(self, addresses: NDArray[np.uint64], size: int) -> NDArray[Any]:
        """Positions in `written` of `size` bytes at each address: `[n, size]`."""
        first = (addresses - np.uint64(self.start)).astype(np.intp)
        spread = first[:, None] + np.arange(size)
        return np.minimum(spread, len(self.written) - 1)


def reserve(
    memory: GlobalMemory, op: Op, size_bytes: int, align: int, *, is_shared: bool
) -> Scratch:
    """Adds unwritten memory at an address that is a multiple of `align`."""
    storage = np.full(size_bytes + align, POISON_BYTE, np.uint8)
    skip = -int(storage.__array_interface__["data"][0]) % align
    array = storage[skip : skip + size_bytes]
    start = memory.add(f"alloca at {op.location}", array)
    written = np.zeros(max(size_bytes, 1), np.bool_)
    return Scratch(start, start + size_bytes, array, written, is_shared, op)


def release(memory: GlobalMemory, piece: Scratch) -> None:
    """Frees the memory: later accesses are outside every array."""
    memory.remove(piece.storage)
