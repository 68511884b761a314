# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clocks by which kernels are compared: of a multiprocessor with many launches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from cuda_tile.chip_clocks import nearest_clocks
from cuda_tile.emulator.bounds.compute import Bounds
from cuda_tile.emulator.report import Report
from cuda_tile.targets import Target
from cuda_tile.timing.model import Shape, model

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


def launch_clocks(
    report: Report, grid: tuple[int, int, int], target: Target, longer: float = 1.0
) -> Clocks:
    """The clocks of a launch on a multiprocessor that does many of them.

    A launch on the emulator is a small one, which stands for a grid that fills the
    chip. So memory, of which it finds cold what is then in L2, does not count.

    Args:
        report: Of the launch, with bounds and machine code.
        grid: Its tile blocks.
        target: The chip; one without constants is given those of `nearest_clocks`.
        longer: How many times as many iterations its hottest loop has.
    """
    assert report.bounds is not None, "they were asked for"
    return bounds_clocks(report.bounds, prod(grid), target, longer)


def bounds_clocks(
    bounds: Bounds, tiles: int, target: Target, longer: float = 1.0
) -> Clocks:
    """The same by the counts alone, of a launch of so many tile blocks."""
    chip = nearest_clocks(target)
    whole = tiles * chip.multiprocessors * LAUNCHES
    shape = Shape(whole, tiles, bounds.n_ctas, longer, dram_bytes=0.0)
    time = model(bounds, shape, target, chip)
    parts = Counter[str]()
    for part in time.parts:
        parts.update({name: n * tiles for name, n in part.clocks.items()})
    return Clocks(time.likely / LAUNCHES, time.limiter, dict(parts))
