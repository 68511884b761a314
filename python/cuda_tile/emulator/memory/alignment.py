# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts as of arrays that begin where cudaMalloc places them.

CUDA C++ Programming Guide, "Device Memory Accesses": memory of cudaMalloc is aligned to
at least 256 bytes. NumPy aligns its own to 16, so that an array's sectors would depend
on where the host happened to put it. Only counts see these addresses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cuda_tile.runtime.memory import Region

SECTOR_BYTES = 32

Addresses = NDArray[np.uint64]


class Alignment:
    """How far each array lies behind a sector's start only by the host's choice.

    Args:
        regions: The arrays of a launch.
    """

    def __init__(self, regions: Sequence[Region]) -> None:
        ordered = sorted(regions, key=lambda region: region.start)
        self._starts = np.array([region.start for region in ordered], np.uint64)
        self._skews = np.array([_skew(region) for region in ordered], np.uint64)

    @property
    def is_needed(self) -> bool:
        """Whether any array has to be counted elsewhere."""
        return bool(self._skews.any())

    def moved(self, addresses: Addresses) -> Addresses:
        """Where the bytes at some addresses of arrays are counted."""
        place = np.searchsorted(self._starts, addresses, side="right") - 1
        return addresses - self._skews[np.maximum(place, 0)]


def _skew(region: Region) -> int:
    """Bytes of one array; 0 where somebody has placed it.

    A view keeps its distance from the array that owns the memory. Memory that NumPy did
    not allocate stays where it is, as does what begins at a sector.
    """
    owner = region.array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if owner.base is not None or region.start % SECTOR_BYTES == 0:
        return 0
    return int(owner.__array_interface__["data"][0]) % SECTOR_BYTES
