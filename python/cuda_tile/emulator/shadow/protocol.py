# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What shadow memory may ask of the machine whose accesses it checks."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.shadow.async_shadow import AsyncShadow
from cuda_tile.emulator.threads.protocol import Threads
from cuda_tile.runtime.memory import GlobalMemory


class Watched(Threads, Protocol):
    """A machine whose memory has a shadow.

    Attributes:
        memory: Global memory.
        shared: Shared memory of all CTAs one after another, uint8[bytes].
        shadow: Who accessed each byte of it last.
    """

    memory: GlobalMemory
    shared: NDArray[np.uint8]
    shadow: AsyncShadow

    def shared_place(self, cell: int) -> str:
        """Says in words where a byte of the machine's shared memory is."""
        ...
