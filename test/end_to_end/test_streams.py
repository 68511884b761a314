# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels limited by memory: right at every level, and with the barriers they need."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lowered_levels import lowered_levels

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

from stream_kernels import STREAMS, Stream, softmax_launch
from stream_runs import check, emulate

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir
from cuda_tile.emulator import FindingError, launch_recorded
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(5)

CHIPS = ("sm_80", "sm_90", "sm_120")
BY_NAME = {stream.name: stream for stream in STREAMS}
SMALL = [
    stream.name
    for stream in STREAMS
    if "4096" in stream.name or "1024" in stream.name or "64x" in stream.name
]


@pytest.mark.parametrize("name", SMALL)
def test_interpreter_after_each_pass(name: str) -> None:
    stream = BY_NAME[name]
    for last, lowered in lowered_levels(stream.module(), "sm_90"):
        grid, args, wanted = stream.launch()
        cuda_tile.run(lowered, grid=grid, args=args)
        check(stream, args, wanted, f"after {last}")


@pytest.mark.parametrize("gpu", CHIPS)
@pytest.mark.parametrize("name", SMALL)
def test_emulator(name: str, gpu: str) -> None:
    emulate(BY_NAME[name], gpu)


def lowered_ops(name: str) -> list[str]:
    """The names of a kernel's ops, as barriers leaves it."""
    lowered = cuda_tile.lower(BY_NAME[name].module(), "sm_90", until="barriers")
    found = entries(lowered.operation)
    return [op.name for entry in found for op in nested_ops(entry)]


@pytest.mark.parametrize(
    ("name", "barriers"),
    [("argmax f32 4096", 1), ("layernorm f16 4096", 2), ("rmsnorm bf16 4096", 1)],
)
def test_exchanges_share_barriers(name: str, barriers: int) -> None:
    assert lowered_ops(name).count("tileas.barrier") == barriers


def test_the_loads_of_a_row_start_together() -> None:
    names = lowered_ops("layernorm f16 4096")
    first = names.index("cuda_tile.load_view_tko")
    last = len(names) - 1 - names[::-1].index("cuda_tile.load_view_tko")
    between = set(names[first:last])
    assert names.count("cuda_tile.load_view_tko") == 3
    assert "cuda_tile.ftof" not in between
    assert "cuda_tile.reduce" not in between


# Clusters -----------------------------------------------------------------------------


def by_hand(warps: int, cluster: int) -> Any:
    """A hook that writes a plan."""
    text = f"{{cluster = {cluster} : i64, num_warps = {warps} : i64}}"

    def write(module: ir.Operation) -> None:
        for entry in entries(module):
            entry.attributes["tileas.plan"] = ir.Attribute.parse(text)

    return {"plan": write}


DIVIDED = [
    "softmax f32 1024",
    "layernorm f16 4096",
    "rmsnorm bf16 4096",
    "cross-entropy f32 4096",
    "argmax f32 4096",
    "add f16 4096",
]


@pytest.mark.parametrize(
    ("warps", "cluster"), [(1, 2), (2, 4), (1, 8), (4, 2), (1, 16)]
)
@pytest.mark.parametrize("name", DIVIDED)
def test_clusters_by_hand(name: str, warps: int, cluster: int) -> None:
    stream, before = BY_NAME[name], by_hand(warps, cluster)
    for last in ("place", "stage", "barriers"):
        lowered = cuda_tile.lower(stream.module(), "sm_90", until=last, before=before)
        grid, args, wanted = stream.launch()
        cuda_tile.run(cuda_tile.load(str(lowered).encode()), grid=grid, args=args)
        check(stream, args, wanted, f"after {last}")
    compiled = cuda_tile.compile(stream.module(), "sm_90", before=before, cubin=False)
    assert compiled.launch["stream"].cluster == (cluster, 1, 1)
    for seed in range(2):
        run_compiled(stream, compiled, seed)


def run_compiled(stream: Stream, compiled: cuda_tile.Compiled, seed: int = 0) -> None:
    grid, args, wanted = stream.launch()
    cuda_tile.run(
        stream.module(),
        grid=grid,
        args=args,
        on="emulator",
        gpu="sm_90",
        mode="adversarial",
        seed=seed,
        compiled=compiled,
    )
    check(stream, args, wanted, f"seed {seed}")


def test_a_row_that_is_too_large_for_a_cta_is_divided() -> None:
    stream = BY_NAME["softmax f32 128k"]
    compiled = cuda_tile.compile(stream.module(), "sm_90")
    assert compiled.launch["stream"].cluster == (8, 1, 1)
    assert compiled.report.kernels[0].spill_bytes == 0
    assert ".reqnctapercluster 8, 1, 1" in compiled.ptx
    for gpu in ("sm_80", "sm_120"):
        alone = cuda_tile.compile(stream.module(), gpu, cubin=False)
        assert alone.launch["stream"].cluster == (1, 1, 1)


def test_the_hint_is_obeyed() -> None:
    module = BY_NAME["softmax f32 1M loop"].module()
    for gpu, wanted in (("sm_90", 16), ("sm_80", 1)):
        compiled = cuda_tile.compile(module, gpu, cubin=False)
        assert compiled.launch["stream"].cluster == (wanted, 1, 1)


@pytest.mark.parametrize("columns", [1008, 528, 16])
def test_clusters_at_the_edge(columns: int) -> None:
    whole = BY_NAME["softmax f32 1024"]
    part = replace(whole, launch=partial(softmax_launch, "f32", 3, columns))
    compiled = cuda_tile.compile(
        part.module(), "sm_90", before=by_hand(2, 4), cubin=False
    )
    run_compiled(part, compiled)


@pytest.mark.parametrize(
    ("plan", "gpu", "said"),
    [
        ((2, 3), "sm_90", "expected cluster to be a power of two up to 16"),
        ((2, 32), "sm_90", "expected cluster to be a power of two up to 16"),
        ((2, 2), "sm_80", "up to 1 on sm_80"),
    ],
)
def test_impossible_clusters(plan: tuple[int, int], gpu: str, said: str) -> None:
    module = BY_NAME["softmax f32 1024"].module()
    with pytest.raises(cuda_tile.UserError, match=said):
        cuda_tile.compile(module, gpu, before=by_hand(*plan))


@pytest.mark.parametrize("name", ["cumsum f32 4096", "histogram i32 16"])
def test_what_ctas_cannot_divide(name: str) -> None:
    with pytest.raises(cuda_tile.UserError, match="leave cluster out"):
        cuda_tile.compile(BY_NAME[name].module(), "sm_90", before=by_hand(2, 2))


BARRIER = re.compile(
    r"^\s*barrier\.cluster\.arrive[^\n]*\n(?:[^\n]*\n)*?"
    r"\s*barrier\.cluster\.wait[^\n]*\n",
    re.MULTILINE,
)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_barrier_of_a_cluster_is_needed(number: int) -> None:
    """Without one of them the emulator finds a fault under some seed."""
    stream = BY_NAME["softmax f32 1024"]
    compiled = cuda_tile.compile(
        stream.module(), "sm_90", before=by_hand(2, 2), cubin=False
    )
    found = list(BARRIER.finditer(compiled.ptx))
    assert len(found) == 3
    cut = found[number]
    text = compiled.ptx[: cut.start()] + compiled.ptx[cut.end() :]
    record = compiled.launch["stream"].to_json()
    assert any(is_found(stream, text, record, seed) for seed in range(8))


def is_found(stream: Stream, text: str, record: Any, seed: int) -> bool:
    """Whether the emulator reports a fault, or the result is wrong."""
    grid, args, wanted = stream.launch()
    try:
        launch_recorded(
            text,
            "stream",
            record,
            grid=(grid[0], 1, 1),
            args=args,
            mode="adversarial",
            seed=seed,
        )
        check(stream, args, wanted, "")
    except (FindingError, AssertionError):
        return True
    return False


def both_ways(rows: int, columns: int, x: Any, down: Any, across: Any, y: Any) -> None:
    """Sums of columns, maxima of rows, and what rows and columns say of an element."""
    shape = [rows, columns]
    places = b.reshape(b.iota(rows * columns), shape)
    tile = b.load_ptr_tko(x + places)[0]
    sums = b.reduce(tile, 0, 0, lambda p, q: p + q)
    most = b.reduce(tile, 1, -(2**31), lambda p, q: b.maxi(p, q))
    b.store_ptr_tko(down + b.iota(columns), sums)
    b.store_ptr_tko(across + b.iota(rows), most)
    totals = b.broadcast(b.reshape(sums, [1, columns]), shape)
    limits = b.broadcast(b.reshape(most, [rows, 1]), shape)

    def iteration(i: Any, found: Any) -> Any:
        total = b.reduce(b.reduce(found, 0, 0, lambda p, q: p + q), 0, 0, b.add)
        one = b.broadcast(b.reshape(total + i, [1, 1]), shape)
        return b.bitxor(found + totals, one) - limits

    out = b.for_loop(0, 3, 1, [tile], iteration)
    b.store_ptr_tko(y + places, out, places > 5)


@pytest.mark.parametrize("shape", [(4, 256), (64, 64), (256, 4), (16, 8)])
@pytest.mark.parametrize(("warps", "cluster"), [(4, 2), (1, 8)])
def test_rows_and_columns_across_ctas(
    shape: tuple[int, int], warps: int, cluster: int
) -> None:
    rows, columns = shape
    stream = Stream(
        "both ways",
        ([b.Int32],) * 4,
        partial(both_ways, rows, columns),
        partial(launch_both_ways, rows, columns),
        tolerance=0,
    )
    before = by_hand(warps, cluster)
    for last in ("place", "barriers"):
        lowered = cuda_tile.lower(stream.module(), "sm_90", until=last, before=before)
        grid, args, wanted = stream.launch()
        cuda_tile.run(lowered, grid=grid, args=args)
        check(stream, args, wanted, f"after {last}")
    compiled = cuda_tile.compile(stream.module(), "sm_90", before=before, cubin=False)
    for seed in range(2):
        run_compiled(stream, compiled, seed)


def launch_both_ways(rows: int, columns: int) -> Any:
    x = np.random.default_rng(2).integers(-99, 99, (rows, columns)).astype(np.int32)
    found = x
    for i in range(3):
        total = found.sum(dtype=np.int32) + np.int32(i)
        found = ((found + x.sum(0, dtype=np.int32)) ^ total) - x.max(1, keepdims=True)
    out = np.zeros_like(x)
    first = np.where(np.arange(x.size).reshape(x.shape) > 5, found, out)
    args = [x, np.zeros(columns, np.int32), np.zeros(rows, np.int32), out.copy()]
    return (1,), args, {1: x.sum(0), 2: x.max(1), 3: first}
