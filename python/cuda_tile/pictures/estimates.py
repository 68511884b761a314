# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan was estimated to take, beside what its code takes."""

from __future__ import annotations

from math import prod

from cuda_tile.constants import LOOP_TRIPS
from cuda_tile.pictures.measured import Run
from cuda_tile.report import KernelReport
from cuda_tile.targets import Target, find_target
from cuda_tile.timing.crowded import bounds_clocks
from cuda_tile.timing.model import hottest_inner

UNKNOWN = "not counted"


def compared_rows(kernel: KernelReport, run: Run | None) -> list[tuple[str, str, str]]:
    """Name, estimated and final number of what a plan estimates.

    Clocks are those of an iteration; the final ones are of the loop that takes most of
    the run, by the emulator's counts. Those of all units together, of CTAs that share a
    multiprocessor, are by the model of docs/time.md where machine code was counted.

    Args:
        kernel: The kernel.
        run: Its run; None where there was none.
    """
    known = kernel.estimate
    if not known:
        return []
    loop = None if run is None or run.bounds is None else run.bounds.hottest()
    counted = {part.name: part.clocks for part in loop.resources} if loop else {}
    rows = [
        ("registers per thread", str(known["registers"]), str(kernel.registers)),
        (
            "bytes of shared memory",
            str(known["shared_bytes"]),
            str(kernel.shared_bytes),
        ),
    ]
    for name, clocks in known["clocks"].items():
        if clocks:
            final = f"{counted[name]:.0f}" if name in counted else UNKNOWN
            rows.append((f"clocks of an iteration: {name}", str(clocks), final))
    if known["iteration"]:
        final = _modelled(run, find_target(kernel.gpu))
        rows.append(("clocks of an iteration: all", str(known["iteration"]), final))
    return rows


def _modelled(run: Run | None, target: Target) -> str:
    """Clocks of a CTA by the model, over the iterations that the estimate assumes."""
    bounds = run.bounds if run else None
    if run is None or run.inputs is None or bounds is None or not bounds.executions:
        return UNKNOWN
    tiles = prod(run.inputs.grid)
    done = hottest_inner(bounds).iterations * bounds.n_ctas / tiles
    took = bounds_clocks(bounds, tiles, target, LOOP_TRIPS / done)
    return f"{took.total / tiles / LOOP_TRIPS:.0f}"
