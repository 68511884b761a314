# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Four rows of a tensor at once, as TMA's gather and scatter copy them.

PTX ISA: "Tensor Memory Access: Tiled Mode": `.tile::gather4` and `.tile::scatter4`. The
tensor has two dimensions and boxes of one row; the first coordinate is the column, the
other four are rows. In shared memory the rows follow one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.tensor.map_object import Tensor
from cuda_tile.runtime.memory import GlobalMemory

COUNT = 4


@dataclass(frozen=True)
class TensorRows:
    """What `Tensor` offers to a copy, for rows given one by one.

    A place has the rows from the last to the first, and then the column: coordinates
    in the order of the tensor's dimensions.
    """

    tensor: Tensor

    def __post_init__(self) -> None:
        if self.tensor.rank != 2 or self.tensor.box[0] != 1:
            raise Fault(
                "tma",
                f"expected a tensor map of two dimensions with boxes of one row, got "
                f"boxes of {self.tensor.box}",
            )

    @property
    def box_bytes(self) -> int:
        """Size of the rows in shared memory."""
        return COUNT * self.tensor.box_bytes

    @property
    def piece_bytes(self) -> int:
        """As the tensor has it."""
        return self.tensor.piece_bytes

    @property
    def swizzle_bytes(self) -> int:
        """As the tensor has it."""
        return self.tensor.swizzle_bytes

    def inside(self, start: Sequence[int]) -> NDArray[np.bool_]:
        """Which bytes of the rows lie in the tensor, bool[box_bytes]."""
        return np.concatenate([self.tensor.inside(place) for place in _places(start)])

    def rows(self, start: Sequence[int]) -> GlobalRows:
        """Where the rows lie in memory, but those outside the tensor."""
        parts = [self.tensor.rows(place) for place in _places(start)]
        addresses = np.concatenate([part.addresses for part in parts])
        return GlobalRows(addresses, parts[0].size_bytes)

    def load(self, memory: GlobalMemory, start: Sequence[int]) -> NDArray[np.uint8]:
        """Reads the rows; returns their bytes, flat."""
        return np.concatenate([self.tensor.load(memory, p) for p in _places(start)])

    def store(
        self,
        memory: GlobalMemory,
        start: Sequence[int],
        data: NDArray[np.uint8],
        operation: str = "",
    ) -> None:
        """Writes the rows, as `Tensor.store` does one."""
        for place, part in zip(_places(start), np.split(data, COUNT), strict=True):
            self.tensor.store(memory, place, part, operation)


def _places(start: Sequence[int]) -> list[tuple[int, int]]:
    """Row and column of each row, in the order of shared memory."""
    *rows, column = start
    return [(row, column) for row in reversed(rows)]
