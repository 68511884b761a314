# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that no registers hold are computed in parts: right at every level."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

import stream_kernels as k
from stream_kernels import Stream
from stream_runs import run_everywhere

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir
from cuda_tile.ir.walk import body, enclosing_ops, entries, nested_ops
from cuda_tile.passmanager import PassManager
from cuda_tile.rewrites.rows.joint_sums import HOIST_ATTRIBUTE

pytestmark = pytest.mark.sampled(4)

LEVELS = ("row_tiling", "place", "stage", "barriers")
"""Passes that change such kernels, of those before `emit`."""
ROW = 8192
"""As much as 32 threads cannot hold."""
ONE_WARP = cuda_tile.Options(num_warps=1)


def kernel(name: str, columns: int) -> Stream:
    """A kernel of the table, of longer rows."""
    whole = {stream.name: stream for stream in k.STREAMS}[name]
    bodies: dict[str, tuple[Any, Any]] = {
        "softmax f32 4096": (
            partial(k.softmax, "f32", ROW),
            partial(k.softmax_launch, "f32", 2, columns),
        ),
        "layernorm f16 4096": (
            partial(k.layernorm, ROW),
            partial(k.layernorm_launch, 2, columns),
        ),
        "rmsnorm bf16 4096": (
            partial(k.rmsnorm, ROW),
            partial(k.rmsnorm_launch, 2, columns),
        ),
        "argmax f32 4096": (
            partial(k.argmax, ROW),
            partial(k.argmax_launch, 2, columns),
        ),
        "cross-entropy f32 4096": (
            partial(k.cross_entropy, ROW),
            partial(k.cross_entropy_launch, 2, columns),
        ),
    }
    body, launch = bodies[name]
    return replace(whole, body=body, launch=launch)


def loops(stream: Stream, gpu: str = "sm_80") -> int:
    """Loops of a kernel once it is planned."""
    return usual_loops(stream.module(), replace(ONE_WARP, gpu=gpu))


def usual_loops(module: ir.Module, options: cuda_tile.Options) -> int:
    """Loops that every row runs: those for sums that are not finite are in branches."""
    lowered = cuda_tile.lower(module, until="row_tiling", options=options)
    ops = [op for entry in entries(lowered.operation) for op in nested_ops(entry)]
    indices = [body(op).arguments[0] for op in ops if op.name == "cuda_tile.for"]
    return sum(
        all(around.name != "cuda_tile.if" for around in enclosing_ops(index))
        for index in indices
    )


def run(stream: Stream, gpu: str = "sm_80") -> None:
    """On the interpreter after passes, then on the emulator."""
    run_everywhere(stream, LEVELS, replace(ONE_WARP, gpu=gpu))


NAMES = {
    "softmax f32 4096": 2,
    "layernorm f16 4096": 2,
    "rmsnorm bf16 4096": 2,
    "argmax f32 4096": 1,
    "cross-entropy f32 4096": 1,
}
"""With the steps of each; one for a maximum and the sum below it, or both sums."""


@pytest.mark.parametrize("columns", [ROW, 5024, 16])
@pytest.mark.parametrize("name", NAMES)
def test_rows_in_parts(name: str, columns: int) -> None:
    """Rows as long as the tile, shorter ones, and one shorter than a part."""
    stream = kernel(name, columns)
    assert loops(stream) == 2 * NAMES[name]
    run(stream)


def odd_rows() -> Any:
    """Rows with infinities and NaN in some places, in all, and of the lowest number."""
    grid, args, _ = k.softmax_launch("f32", 8, 5024)
    x = args[0]
    x[1:3] = -np.inf
    x[2, 7] = 3
    x[3, 100] = np.inf
    x[4, 200] = np.nan
    x[5] *= 1e30
    x[6, ::2] = -np.inf
    x[7] = np.finfo(np.float32).min
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        weights = np.exp(wide - np.fmax.reduce(wide, 1, keepdims=True))
    return grid, args, {1: weights / weights.sum(1, keepdims=True)}


@pytest.mark.parametrize("place", ["interp", "row_tiling", "emulator"])
def test_sums_below_a_maximum_of_odd_numbers(place: str) -> None:
    stream = kernel("softmax f32 4096", 5024)
    options = replace(ONE_WARP, gpu="sm_80")
    grid, args, wanted = odd_rows()
    if place == "emulator":
        compiled = cuda_tile.compile(stream.module(), options=options, cubin=False)
        run_on: dict[str, Any] = {
            "on": "emulator",
            "gpu": "sm_80",
            "compiled": compiled,
            "mode": "adversarial",
        }
        cuda_tile.run(stream.module(), grid=grid, args=args, **run_on)
    elif place == "row_tiling":
        lowered = cuda_tile.lower(stream.module(), until="row_tiling", options=options)
        cuda_tile.run(cuda_tile.load(str(lowered).encode()), grid=grid, args=args)
    else:
        cuda_tile.run(stream.module(), grid=grid, args=args)
    np.testing.assert_allclose(args[1], wanted[1], rtol=3e-6, atol=1e-30)


def test_clusters_share_parts() -> None:
    """With the hint for two CTAs, which do not hold the row either."""
    stream = kernel("softmax f32 4096", 5024)
    body = partial(k.softmax, "f32", 8 * ROW)
    run(replace(stream, body=body), "sm_90")


def summed_in_order(x: Any, y: Any, token: Any = None, start: int = 0) -> None:
    view = b.make_partition_view(b.make_tensor_view(x, [2 * ROW], [1]), [ROW])
    tile, after = b.load_view_tko(view, [start], token=token)
    total = b.reduce(tile, 0, 0.0, lambda p, q: p + q)
    out = tile - b.broadcast(b.reshape(total, [1]), [ROW])
    target = b.make_partition_view(b.make_tensor_view(y, [ROW], [1]), [ROW])
    b.store_view_tko(out, target, [0], token=after if token is not None else None)


@pytest.mark.parametrize(
    ("change", "is_divided"),
    [
        ({}, True),
        ({"start": 1}, True),  # the parts are those of the second iteration
        ({"token": b.make_token}, False),  # the store waits for the load
    ],
)
def test_what_is_left_alone(change: dict[str, Any], is_divided: bool) -> None:
    def body(x: Any, y: Any) -> None:
        made: dict[str, Any] = {
            name: value() if callable(value) else value
            for name, value in change.items()
        }
        summed_in_order(x, y, **made)

    x = np.random.default_rng(4).integers(-9, 9, 2 * ROW).astype(np.float32)
    part = x[ROW:] if "start" in change else x[:ROW]

    def launch() -> Any:
        return (1,), [x, np.zeros(ROW, np.float32)], {1: part - part.sum()}

    stream = Stream("parts", ([b.Float32],) * 2, body, launch, tolerance=0)
    assert (loops(stream) > 0) == is_divided
    if is_divided:
        run(stream)


@pytest.mark.parametrize(
    ("name", "gpu"),
    [
        ("softmax f32 128k", "sm_80"),
        ("softmax f32 128k", "sm_120"),
        ("layernorm f16 1M", "sm_80"),
    ],
)
def test_long_rows_do_not_spill(name: str, gpu: str) -> None:
    stream = {stream.name: stream for stream in k.STREAMS}[name]
    compiled = cuda_tile.compile(stream.module(), gpu)
    (report,) = compiled.report.kernels
    assert report.spill_bytes == 0
    assert any("computed in parts of 4096" in text for text in report.remarks)


def test_a_million_in_one_tile_is_shared_by_sixteen() -> None:
    stream = {stream.name: stream for stream in k.STREAMS}["softmax f32 1M"]
    compiled = cuda_tile.compile(stream.module(), "sm_90")
    assert compiled.launch["stream"].cluster == (16, 1, 1)
    assert compiled.report.kernels[0].spill_bytes == 0


def test_marks_that_no_pass_sets_are_refused() -> None:
    """A sum with the mark of the other pass, or of none, is no sum of that kind."""
    stream, options = kernel("softmax f32 4096", ROW), replace(ONE_WARP, gpu="sm_80")
    for name in ("welford", "softmax"):
        module = cuda_tile.lower(stream.module(), until="welford", options=options)
        for op in nested_ops(entries(module.operation)[0]):
            if HOIST_ATTRIBUTE in op.attributes:
                mark = ir.StringAttr.get(name, module.context)
                op.attributes[HOIST_ATTRIBUTE] = mark
        with pytest.raises(cuda_tile.UserError, match=f'marks, got .*"{name}"'):
            PassManager.parse(
                "builtin.module(cuda-tile-row-tiling)", context=module.context
            ).run(module.operation)
