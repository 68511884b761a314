# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan was estimated to take, beside what its code takes."""

from __future__ import annotations

from cuda_tile.pictures.measured import Run
from cuda_tile.report import KernelReport

UNKNOWN = "not counted"


def compared_rows(kernel: KernelReport, run: Run | None) -> list[tuple[str, str, str]]:
    """Name, estimated and final number of what a plan estimates.

    Clocks are those of an iteration; the final ones are of the loop that takes most of
    the run, by the emulator's counts.

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
    return rows
