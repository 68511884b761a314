# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clusters of a grid that have yet to run.

PTX ISA, "clusterlaunchcontrol.try_cancel": a running cluster may cancel one that has
not started, and do its work.
"""

from __future__ import annotations


class GridQueue:
    """CTAs in launch order; those of a cluster lie side by side.

    Args:
        n_ctas: CTAs of the grid.
        cluster_size: CTAs of one cluster.
    """

    def __init__(self, n_ctas: int, cluster_size: int) -> None:
        self._next = 0
        self._stop = n_ctas
        self._size = cluster_size

    @property
    def remaining(self) -> int:
        """CTAs that have not started."""
        return self._stop - self._next

    def take(self, most: int) -> tuple[int, int]:
        """Starts up to `most` CTAs; returns the first and how many, 0 at the end."""
        first = self._next
        self._next = min(first + most, self._stop)
        return first, self._next - first

    def cancel(self) -> int | None:
        """Takes the last cluster that has not started; returns its first CTA."""
        if self._next == self._stop:
            return None
        self._stop -= self._size
        return self._stop
