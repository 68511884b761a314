# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What may be asked of a machine about the threads that it runs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ptx.types import Bool, Index
from cuda_tile.emulator.threads.geometry import Dim3, Geometry
from cuda_tile.emulator.threads.grid_queue import GridQueue


class Threads(Protocol):
    """The threads of the CTAs that run together, and how far they have come.

    An *agent* is a warp by its number within its cluster, as vector clocks have it.

    Attributes:
        geometry: Extents of the launch, and how many CTAs run together.
        n_lanes: Lanes of the machine.
        cta_of: The CTA of each lane, numbered in the machine, intp[n_lanes].
        grid_cta: The CTA of each lane, numbered in the grid, int64[n_lanes].
        rank: Of each lane's CTA in its cluster, uint32[n_lanes].
        warp_in_cta: Number of each lane's warp in its CTA, uint8[n_lanes].
        agents: Agent of each lane's warp, uint8[n_lanes].
        live: Which lanes have threads that did not exit, bool[n_lanes].
        live_members: The same as a mask per warp, uint32[n_warps].
        live_threads: Their number per CTA, int64[n_ctas].
        queue: The CTAs that have not started.
        progress: Grows with everything that another thread may wait for.
        is_adversarial: Whether the order of warps and of asynchronous operations is
            random, within what the ISA allows.
        rng: Where that order comes from.
    """

    geometry: Geometry
    n_lanes: int
    cta_of: NDArray[np.intp]
    grid_cta: NDArray[np.int64]
    rank: NDArray[np.uint32]
    warp_in_cta: NDArray[np.uint8]
    agents: NDArray[np.uint8]
    live: Bool
    live_members: NDArray[np.uint32]
    live_threads: NDArray[np.int64]
    queue: GridQueue
    progress: int
    is_adversarial: bool
    rng: np.random.Generator

    def block_of(self, cta: int) -> Dim3:
        """The coordinates in the grid of a CTA of the machine."""
        ...

    def agents_by_cta(self, numbers: Index) -> list[tuple[int, Index]]:
        """Returns the CTAs of ascending lanes, each with the agents of its warps."""
        ...
