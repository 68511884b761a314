# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's attention beside ours: PTX of the same kernel, and runs of it.

The kernel in Triton is in test/ptx/triton/make_attention.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cuda_tile.emulator import Report
from cuda_tile.targets import find_target

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ptx"))

from attention_kernels import Attention
from triton_kernels import Described, Problem
from triton_specs import Assembled, triton_kernel


def spec_of(attention: Attention, gpu: str, warps: int = 0, stages: int = 0) -> str:
    """How make_attention.py is told.

    Warps and stages, where they are 0, are of those that Triton's tutorial tunes over:
    8 warps from depth 128 or on chips with warpgroups, else 4; 3 stages, or as many
    as fit.
    """
    wide = attention.depth >= 128 or gpu == "sm_90"
    warps = warps or (8 if wide else 4)
    row_bytes, most = 2 * attention.depth, find_target(gpu).shared_bytes_per_cta
    slots = (most // row_bytes - attention.rows) // (2 * attention.keys)
    stages = stages or max(1, min(3, slots))
    tile = f"{attention.rows}x{attention.keys}"
    kind = f"{attention.loop}:{attention.element}:{attention.depth}:{tile}"
    chip = gpu.removeprefix("sm_")
    return f"{kind}:{attention.group}:{chip}:{warps}:{stages}"


def triton_attention(
    attention: Attention, gpu: str, warps: int = 0, stages: int = 0
) -> Assembled | None:
    """Triton's kernel, assembled; None where Triton makes none."""
    spec = spec_of(attention, gpu, warps, stages)
    return triton_kernel("make_attention.py", spec)


def run(
    made: Assembled, attention: Attention, gpu: str, heads: int, queries: int, keys: int
) -> tuple[Report, float]:
    """Runs tile blocks on the emulator; its report with bounds, and the worst error."""
    grid, values = attention.launch(heads, queries, keys)
    q, k, v, out, scale = values
    flat = [x.reshape(-1, attention.depth) for x in (k, v)]
    if made.kernel.meta["descriptors"]:
        flat = [Described(x) for x in flat]
    args = [q, *flat, out, np.int32(queries), np.int32(keys), scale]
    report = made.kernel.start(
        Problem(args, grid, []),
        "fast",
        bounds=find_target(gpu),
        registers=made.registers,
    )
    wanted = attention.reference(values)
    return report, float(np.abs(np.asarray(out, np.float64) - wanted).max())
