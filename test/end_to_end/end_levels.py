# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel means the same at every level: interpreter after each pass, emulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lowered_levels import TILE_LEVELS, lowered_levels

import cuda_tile
from cuda_tile.options import Options
from cuda_tile.pipeline import Hooks

Array = np.ndarray[Any, Any]


def check(
    text: str,
    gpu: str,
    args: Sequence[Array | np.generic],
    expected: Array,
    *,
    warps: int | None = None,
    levels: Sequence[str] = TILE_LEVELS,
    after: Hooks | None = None,
) -> None:
    """Runs a kernel at levels and on the emulator; its result is the last array."""
    module = cuda_tile.load(text.encode())
    options = Options(num_warps=warps)
    for last, lowered in lowered_levels(
        module, gpu, levels, options=options, after=after
    ):
        assert lowered.operation.verify()
        found = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        cuda_tile.run(lowered, grid=(1,), args=found)
        assert np.array_equal(found[-1], expected), f"after {last}"
    compiled = cuda_tile.compile(module, gpu, options=options, after=after, cubin=False)
    found = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    cuda_tile.run(
        module,
        grid=(1,),
        args=found,
        on="emulator",
        gpu=gpu,
        mode="adversarial",
        compiled=compiled,
    )
    assert np.array_equal(found[-1], expected)
