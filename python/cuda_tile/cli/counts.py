# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cuda-tile-run --stats` prints of an executor's counters."""

from __future__ import annotations

from typing import Any

EMULATOR_COUNTS = {
    "warps": "instructions, per warp",
    "requests": "memory requests, per warp",
    "sectors": "32-byte sectors of global memory",
    "min_sectors": "  least that could do",
    "wavefronts": "wavefronts of shared memory",
    "bank_conflicts": "  of them bank conflicts",
    "flops": "operations of matrix instructions",
}
"""The totals of the emulator that `--stats` shows, with their labels."""


def stats_text(counted: Any) -> str:
    """The counters of the executor, one per line; see its report class."""
    if counted is None:
        return "  nothing is counted on a GPU"
    if hasattr(counted, "block_count"):
        rows = {"tile blocks": counted.block_count, "operations": counted.steps}
    else:
        totals: dict[str, int] = counted.totals
        rows = {text: totals[name] for name, text in EMULATOR_COUNTS.items()}
    return "\n".join(f"  {text:36}{number:>12}" for text, number in rows.items())
