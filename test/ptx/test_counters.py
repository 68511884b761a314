# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of sectors, wavefronts and executed warps, against known patterns."""

from __future__ import annotations

import numpy as np
import pytest
from json_schemas import fitting
from ptx_arrays import aligned
from ptx_gemm import Gemm
from ptx_harness import module
from ptx_programs import PROGRAMS

from cuda_tile.emulator import Report, launch
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.runtime.memory import GlobalMemory

SHARED = """
.visible .entry k(.param .u64 offsets)
{
    .reg .b32 %i, %s, %o, %v<4>; .reg .b64 %q;
    .shared .align 16 .b8 cells[16384];
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [offsets];
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.u32 %o, [%q];
    mov.u32 %s, cells;
    add.u32 %s, %s, %o;
    mov.u32 %v0, 0; mov.u32 %v1, 0; mov.u32 %v2, 0; mov.u32 %v3, 0;
    STORE
    ret;
}
"""
STORES = {
    4: "st.shared.b32 [%s], %v0;",
    8: "st.shared.v2.b32 [%s], {%v0, %v1};",
    16: "st.shared.v4.b32 [%s], {%v0, %v1, %v2, %v3};",
}


def wavefronts(offsets: np.ndarray, size: int) -> tuple[int, int]:
    text = module(SHARED.replace("STORE", STORES[size]))
    args = [offsets.astype(np.uint32)]
    report = launch(text, grid=1, block=32, args=args)
    return report.totals["wavefronts"], report.totals["bank_conflicts"]


LANE = np.arange(32)


@pytest.mark.parametrize(
    ("offsets", "size", "expected"),
    [
        (LANE * 4, 4, (1, 0)),
        (LANE * 8, 4, (2, 1)),
        (LANE * 128, 4, (32, 31)),
        (LANE * 132, 4, (1, 0)),
        (LANE * 0, 4, (1, 0)),
        (LANE % 16 * 4, 4, (1, 0)),
        (LANE * 8, 8, (2, 0)),
        (LANE * 256, 8, (32, 30)),
        (LANE * 16, 16, (4, 0)),
        (LANE * 128, 16, (32, 28)),
        (LANE * 128 + (LANE % 8) * 16, 16, (4, 0)),
        (LANE // 2 * 16, 16, (4, 0)),
    ],
    ids=str,
)
def test_wavefronts(offsets: np.ndarray, size: int, expected: tuple[int, int]) -> None:
    assert wavefronts(offsets, size) == expected


GLOBAL = """
.visible .entry k(.param .u64 base, .param .u64 offsets)
{
    .reg .b32 %i, %o, %v<4>; .reg .b64 %q; .reg .pred %p;
    mov.u32 %i, %tid.x;
    ld.param.u64 %q, [offsets];
    mad.wide.u32 %q, %i, 4, %q;
    ld.global.u32 %o, [%q];
    ld.param.u64 %q, [base];
    mad.wide.u32 %q, %o, 1, %q;
    setp.lt.u32 %p, %i, 48;
    LOAD
    ret;
}
"""


def sectors(load: str, offsets: np.ndarray) -> dict[str, int]:
    text = module(GLOBAL.replace("LOAD", load))
    memory = GlobalMemory()
    base = memory.allocate("base", 1 << 16)
    args = [base, offsets.astype(np.uint32)]
    report = launch(text, grid=1, block=64, args=args, memory=memory)
    line = next(n for n, s in enumerate(text.splitlines(), 1) if load in s)
    return report.by_line()[line]


THREAD = np.arange(64)


@pytest.mark.parametrize(
    ("load", "offsets", "found", "least"),
    [
        ("ld.global.b32 %v0, [%q];", THREAD * 4, 8, 8),
        ("ld.global.b32 %v0, [%q];", THREAD * 4 + 4, 10, 8),
        ("ld.global.b32 %v0, [%q];", THREAD * 8, 16, 8),
        ("ld.global.b32 %v0, [%q];", THREAD * 32, 64, 8),
        ("ld.global.b32 %v0, [%q];", THREAD * 0, 2, 2),
        ("ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%q];", THREAD * 16, 32, 32),
        ("@%p ld.global.b32 %v0, [%q];", THREAD * 4, 6, 6),
    ],
    ids=str,
)
def test_sectors(load: str, offsets: np.ndarray, found: int, least: int) -> None:
    counts = sectors(load, offsets)
    assert (counts["sectors"], counts["min_sectors"]) == (found, least)
    assert counts["requests"] == 2


def _gemm(**options) -> Report:
    gemm = Gemm(**options)
    rng = np.random.default_rng(0)
    a = rng.standard_normal((64, 192)).astype(np.float16)
    b = rng.standard_normal((192, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    return launch(gemm.text(), grid=1, block=128, args=[a, b, c, 64, 192])


def test_the_swizzled_product_has_no_bank_conflict_in_its_loop() -> None:
    loop = _gemm().hottest_loop()
    assert loop is not None
    assert loop.totals["bank_conflicts"] == 0
    assert loop.totals["flops"] == 2 * 64 * 64 * 192


def test_without_swizzle_it_has() -> None:
    loop = _gemm(swizzles=False).hottest_loop()
    assert loop is not None
    assert loop.totals["bank_conflicts"] > 0


def test_instruction_mix_and_executed_warps() -> None:
    report = _gemm()
    mix = report.instruction_mix()
    assert mix["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"] == 3 * 4 * 4 * 2 * 4
    assert mix["bar.sync"] == 3 * 2 * 4
    assert sum(mix.values()) == report.totals["warps"]


def test_reports_as_table_json_and_listing() -> None:
    report = _gemm()
    assert report.table().splitlines()[0].startswith("gemm")
    found = fitting(report.to_json(), "run")
    assert found["totals"] == report.totals
    assert (
        sum(one["warps"] for one in found["instructions"]) == found["totals"]["warps"]
    )
    assert sum(found["instruction_mix"].values()) == found["totals"]["warps"]
    lines = report.annotated().splitlines()
    assert len(lines) == len(report.module.lines) + 1
    assert any("ldmatrix" in line and line.split()[0].isdigit() for line in lines)


LOOP = """
.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .b32 %r<9>; .reg .b64 %q<4>; .reg .pred %p;
    .shared .align 16 .b8 cells[512];
    mov.u32 %r0, %tid.x;
    ld.param.u64 %q0, [x];
    ld.param.u64 %q1, [y];
    mad.wide.u32 %q2, %r0, 8, %q0;
    mov.u32 %r1, cells;
    mad.lo.u32 %r2, %r0, 4, %r1;
    mov.u32 %r3, 0;
L:  ld.global.v2.u32 {%r4, %r5}, [%q2];
    st.shared.u32 [%r2], %r4;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, 5;
    @%p bra L;
    ld.shared.u32 %r6, [%r2];
    red.shared.add.u32 [%r2], %r6;
    mad.wide.u32 %q3, %r0, 4, %q1;
    st.global.u32 [%q3], %r6;
    red.global.add.u32 [%q3], %r6;
    ret;
}
"""


def _loop() -> Report:
    args = [aligned((64, 2), np.uint32), aligned((64,), np.uint32)]
    return launch(module(LOOP), grid=1, block=64, args=args)


def test_bytes_by_path() -> None:
    """Two warps of 32 lanes; the loop goes round five times."""
    totals = _loop().totals
    paths = {name: totals[f"bytes_{name}"] for name in Counters.PATHS}
    used = {name: count for name, count in paths.items() if count}
    assert used == {
        "global_load": 5 * 64 * 8,
        "shared_store": 5 * 64 * 4,
        "shared_load": 64 * 4,
        "shared_atomic": 64 * 4,
        "global_store": 64 * 4,
        "global_atomic": 64 * 4,
    }
    assert sum(used.values()) == totals["bytes"]


def test_a_loop_and_its_instructions() -> None:
    (loop,) = _loop().loops()
    assert loop.last_line - loop.first_line == 4
    assert loop.rounds == 5 * 2
    names = ("ld.global.v2.u32", "st.shared.u32", "add.u32", "setp.lt.u32", "bra")
    assert loop.instruction_mix == dict.fromkeys(names, 10)
    assert loop.totals["warps"] == 50
    # 32 lanes of 8 bytes are 8 sectors of 32 bytes.
    assert loop.totals["sectors"] == loop.totals["min_sectors"] == 10 * 8


def test_by_instruction_and_line() -> None:
    report = _loop()
    (store,) = [i for i in report.by_instruction() if i["mnemonic"] == "st.shared.u32"]
    assert (store["function"], store["warps"], store["wavefronts"]) == ("k", 10, 10)
    line = report.by_line()[int(store["line"])]
    assert line["bytes_shared_store"] == store["bytes"] == 5 * 64 * 4


def test_bytes_of_copies_and_matrices() -> None:
    """128 x 64 x 384 in bf16: six blocks of 64 along K, two warpgroups."""
    totals = PROGRAMS["ws_gemm"].run("fast").totals
    assert totals["bytes_copy_in"] == (128 + 64) * 384 * 2
    assert totals["bytes_copy_out"] == 128 * 64 * 2
    # Each of 2 * 6 * 4 products reads 64 rows of A and of B, 16 bf16 each.
    assert totals["bytes_matrix"] == 2 * 6 * 4 * (64 + 64) * 16 * 2
    assert totals["flops"] == 2 * 128 * 64 * 384
    # stmatrix writes all of C, and TMA moves whole rows of 128 bytes.
    assert totals["bytes_shared_store"] == totals["bytes_copy_out"]
    moved = totals["bytes_copy_in"] + totals["bytes_copy_out"]
    assert totals["sectors"] == totals["min_sectors"] == moved // 32


def test_bytes_of_another_cta() -> None:
    """The first warp of each of two clusters reads a word per lane."""
    totals = PROGRAMS["cluster_reduction"].run("fast").totals
    assert totals["bytes_cluster"] == 2 * 32 * 4


def test_cp_async_counts_once() -> None:
    """Five rounds of 32 lanes that copy 16 bytes each."""
    totals = PROGRAMS["copy_pipeline"].run("fast").totals
    assert totals["bytes_copy_in"] == 5 * 32 * 16
    assert totals["bytes_shared_store"] == 0


def test_counts_do_not_depend_on_the_order_of_warps() -> None:
    gemm = Gemm()
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 64, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    totals = [
        launch(
            gemm.text(),
            grid=1,
            block=128,
            args=[a, b, c, 64, 64],
            mode=mode,
        ).totals
        for mode in ("fast", "adversarial")
    ]
    assert totals[0] == totals[1]
