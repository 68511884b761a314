# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`time_of`: how long a launch of a compiled kernel takes, without a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from math import prod
from typing import Any, SupportsIndex

from cuda_tile.api import Compiled
from cuda_tile.chip_clocks import ChipClocks
from cuda_tile.emulator import Report, launch_recorded
from cuda_tile.errors import UserError
from cuda_tile.runtime.record import read_grid
from cuda_tile.runtime.spread import spread_args
from cuda_tile.targets import Target, find_target
from cuda_tile.timing.counting import counting, find_report
from cuda_tile.timing.model import Shape, Time, model


def time_of(
    compiled: Compiled,
    *,
    grid: SupportsIndex | Sequence[SupportsIndex],
    args: Sequence[Any],
    kernel: str | None = None,
    as_grid: SupportsIndex | Sequence[SupportsIndex] | None = None,
    longer: float = 1.0,
    dram_bytes: float | None = None,
) -> Time:
    """How long a launch takes by the model of clocks of docs/time.md.

    The launch runs on the emulator, which counts; a small one can stand for a large
    one. Arrays are left as they were.

    Args:
        compiled: What `cuda_tile.compile` gave.
        grid: Tile blocks along x, y, z of the launch that is run.
        args: Its arguments, as for `cuda_tile.launch`.
        kernel: The kernel's name; None for the only one.
        as_grid: Tile blocks of the launch in question; those that are run by default.
        longer: How many times as many iterations its hottest loop has.
        dram_bytes: Bytes that it moves from and to memory; for each tile block as many
            as were counted by default.

    Raises:
        UserError: An argument does not fit, or the chip's constants are not known.
    """
    report = find_report(compiled, kernel)
    target, record = find_target(report.gpu), compiled.launch[report.kernel]
    extents = read_grid(grid)
    own: list[Any] = [copy(arg) for arg in args]
    bound = spread_args(report.kernel, record.parameters, own, 0)
    counted = launch_recorded(
        compiled.ptx,
        report.kernel,
        record,
        grid=extents,
        args=bound,
        **counting(compiled, report.kernel),
    )
    return time_of_counts(
        counted,
        extents,
        target,
        as_grid=extents if as_grid is None else read_grid(as_grid),
        longer=longer,
        dram_bytes=dram_bytes,
    )


def time_of_counts(
    counted: Report,
    grid: Sequence[int],
    target: Target,
    *,
    as_grid: Sequence[int] | None = None,
    longer: float = 1.0,
    dram_bytes: float | None = None,
    chip: ChipClocks | None = None,
) -> Time:
    """How long a launch takes that the emulator has counted; of any PTX.

    Args:
        counted: Its report, with bounds and, for latencies, machine code.
        grid: Tile blocks along x, y, z.
        target: The chip of the bounds.
        as_grid: As for `time_of`, as are the others.
        longer: The same.
        dram_bytes: The same.
        chip: Constants; None for those of the target.

    Raises:
        UserError: There are no bounds, or the chip's constants are not known.
    """
    bounds = counted.bounds
    if bounds is None:
        raise UserError("expected a report with bounds, got one of a launch without")
    tiles = prod(grid if as_grid is None else as_grid)
    shape = Shape(tiles, prod(grid), bounds.n_ctas, longer, dram_bytes)
    return model(bounds, shape, target, chip)
