# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clocks by which candidates are ranked: those of the model of docs/time.md.

Before a candidate is compiled there is only the estimate of its plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from cuda_tile.chip_clocks import nearest_clocks
from cuda_tile.emulator.report import Report
from cuda_tile.targets import Target
from cuda_tile.timing.launched import time_of_counts
from cuda_tile.tuning.candidate import Candidate

LAUNCHES = 1024
"""Launches that a multiprocessor is taken to do at once: so many that waves are full,
however many CTAs share it."""


@dataclass(frozen=True)
class Clocks:
    """What a candidate takes of one multiprocessor.

    Attributes:
        total: Clocks of the whole launch; of an iteration in an estimate.
        limiter: What it waits for.
        parts: The same by unit or latency, if nothing overlapped with other CTAs.
    """

    total: float
    limiter: str
    parts: Mapping[str, float]

    @property
    def order(self) -> tuple[float, ...]:
        """The sort key: the total first, ties by the longest part, then the next."""
        return self.total, *sorted(self.parts.values(), reverse=True)


def clocks_of(candidate: Candidate) -> Clocks:
    """The clocks of a candidate: by its counts, and without them by its estimate."""
    if (final := candidate.final) is not None:
        return Clocks(final.total, final.limiter, final.clocks)
    cost = candidate.predicted
    parts = {**cost["clocks"], "with latency": cost["iteration"]}
    limiter = max(parts, key=lambda name: parts[name])
    return Clocks(parts[limiter], limiter, parts)


def launch_clocks(report: Report, grid: tuple[int, int, int], target: Target) -> Clocks:
    """The clocks of a launch on a multiprocessor that does many of them.

    A launch on the emulator is a small one, which stands for a grid that fills the
    chip. So memory, of which it finds cold what is then in L2, does not count.

    Args:
        report: Of the launch, with bounds and machine code.
        grid: Its tile blocks.
        target: The chip; one without constants is given those of `nearest_clocks`.
    """
    chip = nearest_clocks(target)
    as_grid = (grid[0] * chip.multiprocessors * LAUNCHES, *grid[1:])
    time = time_of_counts(
        report, grid, target, as_grid=as_grid, dram_bytes=0.0, chip=chip
    )
    parts = Counter[str]()
    for part in time.parts:
        parts.update({name: n * prod(grid) for name, n in part.clocks.items()})
    return Clocks(time.likely / LAUNCHES, time.limiter, dict(parts))
