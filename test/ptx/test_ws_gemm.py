"""A warp-specialised TMA and wgmma GEMM: right in any order, each part needed."""

from __future__ import annotations

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from make_ws_gemm import (
    BARRIERS,
    CONSUMERS,
    SHARED_BYTES,
    TILE_K,
    TILE_M,
    TILE_N,
)
from ptx_harness import assemble

from cuda_tile.emulator import FindingError, Report, TensorMap, launch
from cuda_tile.emulator.launch import Mode

TEXT = (Path(__file__).parent / "programs" / "ws_gemm.ptx").read_text()
DEPTH = 6 * TILE_K


def aligned(shape: tuple[int, int]) -> np.ndarray:
    """A bf16 array at a multiple of 128 bytes."""
    raw = np.zeros(2 * shape[0] * shape[1] + 128, np.uint8)
    skip = -raw.ctypes.data % 128
    return raw[skip:][: 2 * shape[0] * shape[1]].view(ml_dtypes.bfloat16).reshape(shape)


def run(text: str, mode: Mode, seed: int = 0, grid: tuple[int, int] = (1, 1)) -> Report:
    rng = np.random.default_rng(seed)
    m, n = TILE_M * grid[0], TILE_N * grid[1]
    a, b, c = aligned((m, DEPTH)), aligned((n, DEPTH)), aligned((m, n))
    a[...] = rng.integers(-2, 3, a.shape)
    b[...] = rng.integers(-2, 3, b.shape)
    report = launch(
        text,
        grid=grid,
        block=384,
        shared_bytes=SHARED_BYTES,
        args=[
            TensorMap(a, (TILE_M, TILE_K), 128),
            TensorMap(b, (TILE_N, TILE_K), 128),
            TensorMap(c, (64, TILE_N)),
            DEPTH,
        ],
        mode=mode,
        seed=seed,
    )
    wanted = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_array_equal(c, wanted.astype(ml_dtypes.bfloat16))
    return report


def test_ptxas_takes_it() -> None:
    assert assemble(TEXT, "sm_90a") == ""


def test_fast() -> None:
    report = run(TEXT, "fast", grid=(2, 2))
    assert report.totals["flops"] == 2 * (2 * TILE_M) * (2 * TILE_N) * DEPTH


@pytest.mark.parametrize("seed", range(6))
def test_adversarial(seed: int) -> None:
    run(TEXT, "adversarial", seed)


PARTS = (
    "bar.sync",
    "barrier.sync",
    "fence.",
    "mbarrier.init",
    "mbarrier.arrive",
    "wgmma.fence",
    "wgmma.commit",
    "wgmma.wait",
    "cp.async.bulk.commit",
    "cp.async.bulk.wait",
    "cp.async.bulk.tensor.2d.shared",
)
LINES = TEXT.splitlines()
MUTANTS = [n for n, line in enumerate(LINES) if line.strip().startswith(PARTS)]


@pytest.mark.parametrize("number", MUTANTS, ids=[LINES[n].strip() for n in MUTANTS])
def test_each_part_is_needed(number: int) -> None:
    text = "\n".join([*LINES[:number], "", *LINES[number + 1 :]])
    with pytest.raises(FindingError):
        run_often(text)


def run_often(text: str) -> None:
    for seed in range(4):
        run(text, "adversarial", seed)


BYTES = (TILE_M + TILE_N) * TILE_K * 2
# A line's pattern, and what of it becomes what.
SHIFTS = [(r"mbarrier\.init.*", r", %r\d+;", f", {count};") for count in (1, 2, 3)] + [
    (r"mbarrier\.try_wait.*", r", %r\d+;", ", 0;"),
    (r"mbarrier\.try_wait.*", r", %r\d+;", ", 1;"),
    (r"mbarrier\.arrive\.expect_tx.*", r", %r\d+;", f", {BYTES - 16};"),
    (r"mbarrier\.arrive\.expect_tx.*", r", %r\d+;", f", {BYTES + 16};"),
    (r"wgmma\.wait_group.* 0;", " 0;", " 1;"),
    (r"wgmma\.wait_group.* 1;", " 1;", " 2;"),
    (r"bar\.sync.*128;", "128", "160"),
    (r"bar\.sync.*128;", "128", "96"),
    (r"setmaxnreg\.inc.*", "232", "240"),
]


def shifted() -> list[tuple[int, str]]:
    """Each line that a shift changes, with its new text."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(LINES):
        for pattern, old, new in SHIFTS:
            if re.fullmatch(pattern, line.strip()):
                found.append((number, re.sub(old, new, line)))
    return found


@pytest.mark.parametrize(("number", "line"), shifted())
def test_each_number_must_be_right(number: int, line: str) -> None:
    right = re.search(r"mbarrier\.init.*\[smem\+(\d+)\], (\d)", line)
    if right is not None:
        is_full = (int(right[1]) - BARRIERS) % 16 == 0
        if int(right[2]) == (1 if is_full else CONSUMERS):
            run_often("\n".join([*LINES[:number], line, *LINES[number + 1 :]]))
            return
    with pytest.raises(FindingError):
        run_often("\n".join([*LINES[:number], line, *LINES[number + 1 :]]))
