# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `ct.tune` is told of a launch on the emulator: the clocks of our tuner."""

from __future__ import annotations

from typing import Any

from cuda_tile import api
from cuda_tile.emulator.report import Report
from cuda_tile.targets import find_target
from cuda_tile.tuning.clocks import launch_clocks
from cuda_tile.tuning.job import counted, made_of


def benchmark_choices(compiled: api.Compiled, gpu: str) -> dict[str, Any]:
    """What the emulator is asked for beside a launch whose clocks are wanted.

    Args:
        compiled: The kernel, with its cubin.
        gpu: The chip.
    """
    (kernel,) = compiled.report.kernels
    return {"bounds": find_target(gpu), "registers": kernel.registers}


def benchmark_clocks(
    report: Report, compiled: api.Compiled, grid: tuple[int, int, int], gpu: str
) -> float:
    """The clocks of a launch.

    Args:
        report: Of the launch, with bounds.
        compiled: The kernel.
        grid: Tile blocks.
        gpu: The chip.
    """
    final = counted(made_of(compiled), report, compiled, grid)
    return launch_clocks(final, find_target(gpu)).total
