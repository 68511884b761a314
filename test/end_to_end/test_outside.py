# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles outside of their tensors: loads give the padding, stores nothing.

The language leaves them undefined and the interpreter's hardware mode defines them so,
with zeros where there is no padding; compiled kernels must agree with it, and touch no
memory that is not theirs: the emulator knows where each array ends.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from outside_kernels import KERNELS, PRODUCTS, TILE, Outside

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

import stream_kernels as k
import stream_runs
from stream_kernels import Stream

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir
from cuda_tile.emulator import Report
from cuda_tile.ir.walk import entries

pytestmark = pytest.mark.sampled(3)

CHIPS = ("sm_80", "sm_90", "sm_120")
HARDWARE: dict[str, Any] = {"mode": "hardware", "unspecified": "zero"}
LEVELS = ("place", "barriers")
ALL = KERNELS | PRODUCTS


@cache
def module_of(name: str) -> Any:
    return cuda_tile.load(ALL[name].text.encode())


@cache
def compiled(name: str, chip: str) -> Any:
    return cuda_tile.compile(module_of(name), chip, cubin=False)


def arrays(args: list[Any]) -> list[Any]:
    return [arg for arg in args if isinstance(arg, np.ndarray)]


def check(
    kernel: Outside, case: tuple[int, ...], module: Any, wanted: Any, **how: Any
) -> Any:
    """Runs a case and compares all arrays, bit for bit."""
    args = kernel.args(case)
    report = cuda_tile.run(module, grid=kernel.grid, args=args, **how)
    for got, exact in zip(arrays(args), wanted, strict=True):
        assert got.tobytes() == exact.tobytes(), case
    return report


def expected(name: str, case: tuple[int, ...]) -> list[Any]:
    """What the interpreter's hardware mode makes of the arrays."""
    args = ALL[name].args(case)
    cuda_tile.run(module_of(name), grid=ALL[name].grid, args=args, **HARDWARE)
    return arrays(args)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", ALL)
def test_emulator_agrees_with_hardware_mode(name: str, chip: str) -> None:
    kernel = ALL[name]
    for seed, case in enumerate(kernel.cases):
        wanted = expected(name, case)
        how: dict[str, Any] = {"gpu": chip, "mode": "adversarial", "seed": seed}
        report = check(
            kernel,
            case,
            module_of(name),
            wanted,
            on="emulator",
            compiled=compiled(name, chip),
            **how,
        )
        assert isinstance(report, Report)


@pytest.mark.parametrize("last", LEVELS)
@pytest.mark.parametrize("name", ALL)
def test_interpreter_agrees_after_passes(name: str, last: str) -> None:
    lowered = cuda_tile.lower(module_of(name), "sm_90", until=last)
    for case in ALL[name].cases:
        check(ALL[name], case, lowered, expected(name, case), **HARDWARE)


NUMBERS = {"nan": np.nan, "neg_inf": -np.inf, "zero": 0.0, "": 0.0}


@pytest.mark.parametrize("padding", NUMBERS)
def test_what_a_copy_means(padding: str) -> None:
    """NumPy's word on one of them, since that on the others is the interpreter's."""
    name = f"copy f32 {padding}"
    for case in KERNELS[name].cases:
        size_a, size_b, source, target = case
        data, wanted = arrays(KERNELS[name].args(case))
        tile = np.full(TILE, NUMBERS[padding], np.float32)
        if 0 <= source < size_a // TILE:
            tile = data[source * TILE :][:TILE]
        if 0 <= target < size_b // TILE:
            wanted[target * TILE :][:TILE] = tile
        assert np.array_equal(expected(name, case)[1], wanted, equal_nan=True)


# Rows -------------------------------------------------------------------------------


def reused(*fields: str) -> dict[str, Callable[[ir.Operation], None]]:
    """A hook that lets loops keep what they load; see test_reuse.py."""
    plan = f"{{{', '.join(('reuse = 1 : i64', *fields))}}}"

    def write(module: ir.Operation) -> None:
        for entry in entries(module):
            entry.attributes["tileas.plan"] = ir.Attribute.parse(plan)

    return {"plan": write}


def rows(body: Any, launch: Any) -> Stream:
    """A kernel with a tile block for each row of `x`, and one of `y`."""
    kinds = ([b.Float32], [b.Float32], b.Int32, b.Int32)
    return Stream("rows", kinds, body, launch)


ONE_WARP = "num_warps = 1 : i64"
CHUNKS = rows(partial(k.softmax_chunks, 256), partial(k.softmax_launch, "f32", 2, 1280))
STREAMS: dict[str, tuple[Stream, dict[str, Any]]] = {
    "in registers": (
        rows(partial(k.softmax, "f32", 512), partial(k.softmax_launch, "f32", 2, 512)),
        {},
    ),
    "in parts": (
        rows(
            partial(k.softmax, "f32", 8192), partial(k.softmax_launch, "f32", 2, 8192)
        ),
        {"options": cuda_tile.Options(num_warps=1)},
    ),
    "ragged, in parts": (
        rows(
            partial(k.softmax, "f32", 8192), partial(k.softmax_launch, "f32", 2, 5008)
        ),
        {"options": cuda_tile.Options(num_warps=1)},
    ),
    "reused": (CHUNKS, {"before": reused(ONE_WARP)}),
    "of a cluster": (CHUNKS, {"before": reused(ONE_WARP, "cluster = 2 : i64")}),
}


@pytest.mark.parametrize("name", STREAMS)
def test_more_blocks_than_rows(name: str) -> None:
    """What is there comes out right, and nothing else is touched."""
    stream, how = STREAMS[name]
    module = stream.module()
    options = how.get("options", cuda_tile.Options())
    options = cuda_tile.Options(gpu="sm_90", num_warps=options.num_warps)
    compiled = cuda_tile.compile(
        module, options=options, before=how.get("before"), cubin=False
    )
    for seed in range(2):
        grid, args, wanted = stream.launch()
        more: dict[str, Any] = {"mode": "adversarial", "seed": seed, "gpu": "sm_90"}
        cuda_tile.run(
            module,
            grid=(grid[0] + 2, *grid[1:]),
            args=args,
            on="emulator",
            compiled=compiled,
            **more,
        )
        stream_runs.check(stream, args, wanted, f"seed {seed}")
