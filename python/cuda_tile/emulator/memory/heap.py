# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The heap of the device: what kernels take with malloc and give back with free.

CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations": the
memory lives until it is freed, is aligned to 16 bytes, and malloc gives a null pointer
where there is not enough. Freed memory is no longer accessible, and no address is given
out twice in a launch, so that a use after free is found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.runtime.memory import GlobalMemory

HEAP_BYTES = 8 << 20
"""Size of the heap unless the host changes it (same chapter)."""
ALIGNMENT_BYTES = 16
_FRESH_BYTE = 0xAA
"""What fresh memory holds: neither zero nor a usual number."""


class Heap:
    """The memory that kernels of one launch allocate.

    Args:
        memory: Where it is registered while it lives.
    """

    def __init__(self, memory: GlobalMemory) -> None:
        self._memory = memory
        self._used_bytes = 0
        self._pieces: dict[int, NDArray[np.uint8]] = {}
        self._freed: dict[int, NDArray[np.uint8]] = {}

    def allocate(self, size_bytes: int) -> int:
        """Returns the address of fresh memory, 0 if the heap has not enough."""
        if self._used_bytes + size_bytes > HEAP_BYTES:
            return 0
        storage = np.full(size_bytes + ALIGNMENT_BYTES, _FRESH_BYTE, np.uint8)
        skip = -int(storage.__array_interface__["data"][0]) % ALIGNMENT_BYTES
        piece = storage[skip : skip + max(size_bytes, 1)]
        address = self._memory.add(f"malloc {len(self._pieces)}", piece)
        self._pieces[address] = piece
        self._used_bytes += size_bytes
        return address

    def free(self, address: int, who: str) -> None:
        """Gives memory back; a null pointer is nothing.

        Raises:
            Fault: The address is not of live memory of the heap.
        """
        if not address:
            return
        piece = self._pieces.pop(address, None)
        if piece is None:
            twice = address in self._freed
            what = "memory that was freed before" if twice else "no memory of malloc"
            raise Fault("heap", f"free of {address:#x}, {what}, in {who}")
        self._memory.remove(piece)
        self._used_bytes -= len(piece)
        self._freed[address] = piece
