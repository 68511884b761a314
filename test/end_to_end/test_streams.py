# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels limited by memory: right at every level, and with the barriers they need."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

from stream_kernels import STREAMS, Stream

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.emulator import Report
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.pipeline import NAMES as PASSES

TILE_LEVELS = PASSES[: PASSES.index("emit")]
CHIPS = ("sm_80", "sm_90", "sm_120")
BY_NAME = {stream.name: stream for stream in STREAMS}
SMALL = [
    stream.name
    for stream in STREAMS
    if "4096" in stream.name or "1024" in stream.name or "64x" in stream.name
]


def check(stream: Stream, args: list[Any], wanted: dict[int, Any], where: str) -> None:
    for place, exact in wanted.items():
        got, exact = args[place].astype(np.float64), exact.astype(np.float64)
        most = stream.tolerance * np.abs(exact).max()
        assert (np.abs(got - exact) <= most).all(), where


def emulate(stream: Stream, gpu: str, seed: int = 0) -> Report:
    """Runs a kernel in adversarial mode; its result must be NumPy's."""
    grid, args, wanted = stream.launch()
    report = cuda_tile.run(
        stream.module(),
        grid=grid,
        args=args,
        on="emulator",
        gpu=gpu,
        mode="adversarial",
        seed=seed,
    )
    check(stream, args, wanted, gpu)
    assert isinstance(report, Report)
    return report


@pytest.mark.parametrize("name", SMALL)
def test_interpreter_after_each_pass(name: str) -> None:
    stream = BY_NAME[name]
    for last in TILE_LEVELS:
        lowered = cuda_tile.lower(stream.module(), "sm_90", until=last)
        grid, args, wanted = stream.launch()
        cuda_tile.run(lowered, grid=grid, args=args)
        check(stream, args, wanted, f"after {last}")


@pytest.mark.parametrize("gpu", CHIPS)
@pytest.mark.parametrize("name", SMALL)
def test_emulator(name: str, gpu: str) -> None:
    emulate(BY_NAME[name], gpu)


def lowered_ops(name: str) -> list[ir.Operation]:
    lowered = cuda_tile.lower(BY_NAME[name].module(), "sm_90", until="barriers")
    return [op for entry in entries(lowered.operation) for op in nested_ops(entry)]


def count(ops: list[ir.Operation], name: str) -> int:
    return sum(op.name == name for op in ops)


@pytest.mark.parametrize(
    ("name", "barriers"),
    [("argmax f32 4096", 1), ("layernorm f16 4096", 2), ("rmsnorm bf16 4096", 1)],
)
def test_exchanges_share_barriers(name: str, barriers: int) -> None:
    assert count(lowered_ops(name), "tileas.barrier") == barriers


def test_the_loads_of_a_row_start_together() -> None:
    names = [op.name for op in lowered_ops("layernorm f16 4096")]
    first = names.index("cuda_tile.load_view_tko")
    last = len(names) - 1 - names[::-1].index("cuda_tile.load_view_tko")
    between = set(names[first:last])
    assert names.count("cuda_tile.load_view_tko") == 3
    assert "cuda_tile.ftof" not in between
    assert "cuda_tile.reduce" not in between
