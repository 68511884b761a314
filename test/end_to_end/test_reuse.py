# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one loop loads and keeps for later ones: right at every level, read once."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

from stream_kernels import STREAMS, Stream, softmax_chunks, softmax_launch
from stream_runs import check, run_everywhere

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir
from cuda_tile.emulator import Report
from cuda_tile.ir.reuse import read_reuse
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(4)

LEVELS = ("stage", "barriers")
"""Passes that change such kernels from `stage` on, before `emit`."""
SIZE = 256
SMALL = "min_ctas = 16 : i64"
"""Leaves a CTA 13 KB on sm_90."""


def by_hand(*fields: str) -> Any:
    """A hook that writes a plan with `reuse`."""
    text = f"{{{', '.join(('reuse = 1 : i64', *fields))}}}"

    def write(module: ir.Operation) -> None:
        for entry in entries(module):
            entry.attributes["tileas.plan"] = ir.Attribute.parse(text)

    return {"plan": write}


def run(stream: Stream, before: Any, gpu: str, seeds: int = 2) -> Report:
    """On the interpreter from `stage` on, then on the emulator."""
    options = cuda_tile.Options(gpu=gpu)
    return run_everywhere(stream, LEVELS, options, before, seeds)


def sectors_read(report: Report) -> int:
    lines = report.by_instruction()
    return sum(
        int(line["sectors"])
        for line in lines
        if str(line["mnemonic"]).startswith("ld.global")
    )


def softmax(columns: int, rows: int = 2) -> Stream:
    return Stream(
        "softmax",
        ([b.Float32], [b.Float32], b.Int32, b.Int32),
        partial(softmax_chunks, SIZE),
        partial(softmax_launch, "f32", rows, columns),
    )


@pytest.mark.parametrize("columns", [16, 256, 272, 1024, 1280, 4096, 4112])
def test_softmax_of_parts(columns: int) -> None:
    """Fewer iterations than stay in registers, as many, and more."""
    stream = softmax(columns)
    report = run(stream, by_hand("num_warps = 1 : i64"), "sm_90")
    assert sectors_read(report) == 2 * columns * 4 // 32


@pytest.mark.parametrize("columns", [13 * SIZE, 21 * SIZE, 40 * SIZE + 16])
def test_more_iterations_than_slots(columns: int) -> None:
    """What has no slot and is in no register is read again, and nothing else."""
    stream = softmax(columns)
    report = run(stream, by_hand("num_warps = 1 : i64", SMALL), "sm_90")
    iterations = -(-columns // SIZE)
    again = max(0, iterations - 13 - 8) * SIZE
    assert sectors_read(report) == 2 * (columns + again) * 4 // 32


@pytest.mark.parametrize(("warps", "cluster"), [(2, 1), (1, 2), (1, 8)])
@pytest.mark.parametrize("gpu", ["sm_90", "sm_80"])
def test_other_layouts(warps: int, cluster: int, gpu: str) -> None:
    if cluster > 1 and gpu == "sm_80":
        cluster = 1
    stream = softmax(2064)
    fields = (f"num_warps = {warps} : i64", f"cluster = {cluster} : i64")
    report = run(stream, by_hand(*fields), gpu)
    assert sectors_read(report) == 2 * 2064 * 4 // 32


def two_inputs(
    kind: Any, x: Any, r: Any, y: Any, out: Any, rows: Any, columns: Any
) -> None:
    """Three loops over x and two over r; the last stores where x is."""
    rows = b.assume_bounded(rows, 0, None)
    columns = b.assume_div_by(b.assume_bounded(columns, 0, None), 16)
    shape = [1, SIZE]

    def view(pointer: Any) -> Any:
        whole = b.make_tensor_view(
            b.assume_div_by(pointer, 16), [rows, columns], [columns, 1]
        )
        return b.make_partition_view(whole, shape, padding_value="zero")

    x, r, y = view(x), view(r), view(y)
    row, count = b.get_tile_block_id()[0], b.get_index_space_shape(x)[1]
    zeros = b.constant(0, kind, shape)

    def first(i: Any, total: Any, other: Any) -> Any:
        tile, more = b.load_view_tko(x, [row, i])[0], b.load_view_tko(r, [row, i])[0]
        return total + tile * more, other + more

    total, other = b.for_loop(0, count, 1, [zeros, zeros], first)

    def second(i: Any, found: Any) -> Any:
        return b.bitxor(found, b.load_view_tko(x, [row, i])[0] + total)

    found = b.for_loop(0, count, 1, [other], second)
    line = b.reduce(found, 1, 0, lambda p, q: b.bitxor(p, q))
    b.store_ptr_tko(out + b.reshape(row, [1]), line)
    spread = b.broadcast(b.reshape(line, [1, 1]), shape)

    def third(i: Any) -> None:
        tile, more = b.load_view_tko(x, [row, i])[0], b.load_view_tko(r, [row, i])[0]
        b.store_view_tko(b.bitxor(tile, spread) - more * tile, y, [row, i])

    b.for_loop(0, count, 1, [], third)


def launch_two(kind: Any, columns: int) -> Any:
    random = np.random.default_rng(3)
    x, r = (random.integers(-99, 99, (3, columns)).astype(kind) for _ in range(2))
    iterations = -(-columns // SIZE)
    parts = [
        np.pad(a, ((0, 0), (0, iterations * SIZE - columns))).reshape(
            3, iterations, SIZE
        )
        for a in (x, r)
    ]
    total = (parts[0] * parts[1]).sum(1, dtype=kind)
    found = parts[1].sum(1, dtype=kind)
    for iteration in range(iterations):
        found = found ^ (parts[0][:, iteration] + total)
    line = np.bitwise_xor.reduce(found, 1)
    y = (x ^ line[:, None]) - r * x
    args = [x, r, np.zeros_like(x), np.zeros(3, kind), np.int32(3), np.int32(columns)]
    return (3,), args, {2: y, 3: line}


@pytest.mark.parametrize(
    ("kind", "element"),
    [(np.int32, b.Int32), (np.int16, b.Int16), (np.int8, b.Int8), (np.int64, b.Int64)],
)
@pytest.mark.parametrize("columns", [304, 2064, 20 * SIZE])
def test_two_inputs_in_three_loops(kind: Any, element: Any, columns: int) -> None:
    stream = Stream(
        "two inputs",
        (*([element],) * 4, b.Int32, b.Int32),
        partial(two_inputs, element),
        partial(launch_two, kind, columns),
        tolerance=0,
    )
    run(stream, by_hand("num_warps = 2 : i64", SMALL), "sm_90", seeds=1)


def test_a_row_of_a_million_is_read_once() -> None:
    stream = {stream.name: stream for stream in STREAMS}["softmax f32 1M loop"]
    compiled = cuda_tile.compile(stream.module(), "sm_90")
    assert compiled.launch["stream"].cluster == (16, 1, 1)
    assert compiled.report.kernels[0].spill_bytes == 0
    grid, args, wanted = stream.launch()
    report = cuda_tile.run(
        stream.module(),
        grid=grid,
        args=args,
        on="emulator",
        gpu="sm_90",
        compiled=compiled,
    )
    check(stream, args, wanted, "sm_90")
    assert isinstance(report, Report)
    assert sectors_read(report) == args[0].nbytes // 32


def test_nothing_to_hold_is_refused() -> None:
    stream = {stream.name: stream for stream in STREAMS}["softmax f32 1024"]
    before = by_hand("num_warps = 1 : i64")
    with pytest.raises(cuda_tile.UserError, match=r"for reuse = 1 in .*; leave reuse"):
        cuda_tile.compile(stream.module(), "sm_90", before=before)


def test_large_clusters_need_a_launcher_that_is_told() -> None:
    module = {stream.name: stream for stream in STREAMS}["softmax f32 1M loop"].module()
    options = cuda_tile.Options(gpu="sm_90", abi="tile")
    compiled = cuda_tile.compile(module, options=options, cubin=False)
    assert compiled.launch["stream"].cluster == (8, 1, 1)
    before = by_hand("num_warps = 4 : i64", "cluster = 16 : i64")
    with pytest.raises(cuda_tile.UserError, match=r"at most 8 CTAs with abi 'tile'"):
        cuda_tile.compile(module, options=options, before=before)


def reused_loads(body: Any) -> int:
    """How many loads of a kernel of x and y are kept or taken again."""
    stream = Stream(
        "reused", ([b.Float32], [b.Float32], b.Int32), body, lambda: ((), [], {})
    )
    before = by_hand("num_warps = 1 : i64")
    try:
        lowered = cuda_tile.lower(
            stream.module(), "sm_90", until="stage", before=before
        )
    except cuda_tile.UserError:
        return 0
    ops = [op for entry in entries(lowered.operation) for op in nested_ops(entry)]
    return sum(read_reuse(op) is not None for op in ops)


def row(x: Any) -> Any:
    whole = b.make_tensor_view(x, [4096], [1])
    return b.make_partition_view(whole, [SIZE])


def summed(view: Any, start: Any, stop: Any, step: int, token: Any = None) -> Any:
    def iteration(i: Any, total: Any) -> Any:
        return total + b.load_view_tko(view, [i], token=token)[0]

    zeros = b.constant(0.0, b.Float32, [SIZE])
    return b.for_loop(start, stop, step, [zeros], iteration)


@pytest.mark.parametrize(
    ("second", "is_reused"),
    [
        (lambda view, n, token: summed(view, 0, n, 1), True),
        (lambda view, n, token: summed(view, 1, n, 1), False),
        (lambda view, n, token: summed(view, 0, n, 2), False),
        (lambda view, n, token: summed(view, 0, n + 1, 1), False),
        (lambda view, n, token: summed(view, 0, n, 1, token), False),
    ],
)
def test_what_is_loaded_again(second: Any, is_reused: bool) -> None:
    """Other iterations are no repetition, nor is what a store may have changed."""

    def kernel(x: Any, y: Any, n: Any) -> None:
        view = row(x)
        total = summed(view, 0, n, 1)
        token = b.store_view_tko(total, row(y), [0])
        b.store_view_tko(second(view, n, token), row(y), [1])

    assert (reused_loads(kernel) > 0) == is_reused
