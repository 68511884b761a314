# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The global memory that a bulk copy touches: rows of equal size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SECTOR_BYTES, _LINE_BYTES = 32, 128


@dataclass(frozen=True, eq=False)
class GlobalRows:
    """Pieces of global memory, of `size_bytes` at each of `addresses`, uint64[n]."""

    addresses: NDArray[np.uint64]
    size_bytes: int

    @property
    def lines(self) -> int:
        """Lines of 128 bytes that the rows fill, each at least one."""
        return len(self.addresses) * -(-self.size_bytes // _LINE_BYTES)

    @property
    def sectors(self) -> tuple[int, int]:
        """The 32-byte sectors that the rows touch, and the least for so many bytes."""
        if not len(self.addresses):
            return 0, 0
        first = self.addresses // np.uint64(_SECTOR_BYTES)
        last = (self.addresses + np.uint64(self.size_bytes - 1)) // np.uint64(
            _SECTOR_BYTES
        )
        touched = np.unique(np.concatenate([first, last]))
        inside = np.maximum((last - first).astype(np.int64) - 1, 0).sum()
        total = len(self.addresses) * self.size_bytes
        return len(touched) + int(inside), -(-total // _SECTOR_BYTES)
