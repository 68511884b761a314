# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the threads of a launch map to the lanes of a machine."""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile.emulator.threads.lanes import WARP_LANES

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Geometry:
    """How threads map to lanes.

    Attributes:
        grid, block, cluster: Extents in x, y, z.
        n_ctas: CTAs that run together in the machine.
    """

    grid: Dim3
    block: Dim3
    cluster: Dim3
    n_ctas: int

    @property
    def cluster_size(self) -> int:
        """CTAs of one cluster."""
        return self.cluster[0] * self.cluster[1] * self.cluster[2]

    @property
    def threads_per_cta(self) -> int:
        """Threads of one CTA."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps_per_cta(self) -> int:
        """Warps of one CTA; the last may be partly empty."""
        return -(-self.threads_per_cta // WARP_LANES)

    @property
    def lanes_per_cta(self) -> int:
        """Lanes of one CTA: whole warps."""
        return self.warps_per_cta * WARP_LANES

    @property
    def n_lanes(self) -> int:
        """Lanes of the machine."""
        return self.n_ctas * self.lanes_per_cta
