# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special registers that count time.

PTX ISA, "Special Registers": `%clock`, `%clock64`, `%globaltimer`. There is no hardware
to time: a cycle, and a nanosecond, is one executed instruction of anybody, counted from
branch to branch. So a loop that waits for time to pass ends.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.ptx.types import Array

# The bits of the count that a register shows: where they begin, and how many.
_PARTS = {
    "%clock": (0, 32),
    "%clock_hi": (32, 32),
    "%clock64": (0, 64),
    "%globaltimer": (0, 64),
    "%globaltimer_lo": (0, 32),
    "%globaltimer_hi": (32, 32),
}


class Timers:
    """The count of executed instructions, and the registers that show it."""

    def __init__(self, n_lanes: int) -> None:
        self._n_lanes = n_lanes
        self._count = 0
        self._shown: dict[str, Array] = {}

    def register(self, name: str) -> tuple[Array, int] | None:
        """Returns the lanes of a register and its bits; None if it counts no time."""
        if name not in _PARTS:
            return None
        width = _PARTS[name][1]
        if name not in self._shown:
            self._shown[name] = np.zeros(self._n_lanes, f"uint{width}")
        return self._shown[name], width

    def advance(self, count: int) -> None:
        """Some instructions were executed."""
        self._count += count
        for name, values in self._shown.items():
            first, width = _PARTS[name]
            values[:] = self._count >> first & (1 << width) - 1
