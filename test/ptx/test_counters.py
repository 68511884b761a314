"""Counts of sectors, wavefronts and executed warps, against known patterns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ptx_gemm import Gemm
from ptx_harness import module

from cuda_tile.emulator import Report, launch
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
    assert json.loads(report.to_json())["totals"] == report.totals
    lines = report.listing().splitlines()
    assert len(lines) == len(report.module.lines) + 1
    assert any("ldmatrix" in line and line.split()[0].isdigit() for line in lines)


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
