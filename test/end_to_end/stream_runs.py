# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of bench/stream_kernels.py on the judges; all must be NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lowered_levels import lowered_levels
from stream_kernels import Stream

import cuda_tile
from cuda_tile.emulator import Report


def check(stream: Stream, args: list[Any], wanted: dict[int, Any], where: str) -> None:
    """What a kernel wrote must be what it should be, at the kernel's tolerance."""
    for place, exact in wanted.items():
        got, exact = args[place].astype(np.float64), exact.astype(np.float64)
        most = stream.tolerance * np.abs(exact).max()
        assert (np.abs(got - exact) <= most).all(), where


def emulate(stream: Stream, gpu: str, seed: int = 0, compiled: Any = None) -> Report:
    """Runs a kernel in adversarial mode; compiles it unless that was done."""
    grid, args, wanted = stream.launch()
    report = cuda_tile.run(
        stream.module(),
        grid=grid,
        args=args,
        on="emulator",
        gpu=gpu,
        mode="adversarial",
        seed=seed,
        compiled=compiled,
    )
    check(stream, args, wanted, f"{gpu}, seed {seed}")
    assert isinstance(report, Report)
    return report


def run_everywhere(
    stream: Stream,
    levels: Sequence[str],
    options: cuda_tile.Options,
    before: Any = None,
    seeds: int = 2,
) -> Report:
    """On the interpreter after each of some passes, then on the emulator."""
    assert options.gpu is not None
    module = stream.module()
    for last, lowered in lowered_levels(
        module, levels=levels, options=options, before=before
    ):
        grid, args, wanted = stream.launch()
        cuda_tile.run(cuda_tile.load(str(lowered).encode()), grid=grid, args=args)
        check(stream, args, wanted, f"after {last}")
    compiled = cuda_tile.compile(module, options=options, before=before, cubin=False)
    reports = [emulate(stream, options.gpu, seed, compiled) for seed in range(seeds)]
    return reports[-1]
