# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in tensor memory: interpreter, emulator and NumPy agree on all levels."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem

import cuda_tile

LEVELS = ("place", "stage", "ring", "roles", "skew", "issue", "count", "barriers")
CHIP = "sm_100"
F16 = Case("f16", "f32", (128, 64, 64), (256, 128, 192))


def planned(case: Case, warps: tuple[int, int] = (4, 1), more: str = "") -> str:
    """The kernel of a case, whose product is planned in tensor memory."""
    m, n, _ = case.tile
    depth = {"f16": 16, "bf16": 16, "tf32": 8}.get(case.operand, 32)
    atom = f"tcgen05.m{min(m, 128)}n{min(n, 256)}k{depth}"
    product = f'{{tileas.plan = {{atom = "{atom}"{more}}}}}'
    entry = (
        f"attributes {{tileas.plan = {{num_warps = {warps[0] * warps[1]} : i64, "
        f"warps_m = {warps[0]} : i64, warps_n = {warps[1]} : i64}}}} {{"
    )
    text = re.sub(r"(= mma[fi] [^:]*?) :", rf"\1 {product} :", kernel(case))
    return re.sub(r"(%xk: tile<i32>\)) \{", rf"\1 {entry}", text)


def check(
    case: Case, text: str, *, mode: str = "adversarial", chip: str = CHIP
) -> None:
    """Runs a kernel on the emulator; its result is exact."""
    args, expected, grid = problem(case)
    module = cuda_tile.load(text.encode())
    cuda_tile.run(module, grid=grid, args=args, on="emulator", gpu=chip, mode=mode)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("level", [None, *LEVELS])
def test_each_level_computes_the_product(level: str | None) -> None:
    module = cuda_tile.load(planned(F16).encode())
    lowered = module if level is None else cuda_tile.lower(module, CHIP, until=level)
    if level not in (None, "place"):
        assert "tileas.tcgen05" in str(lowered)
    args, expected, grid = problem(F16)
    cuda_tile.run(lowered, grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_the_emulator_computes_it(mode: str) -> None:
    check(F16, planned(F16), mode=mode)


CASES = {
    "m64": replace(F16, tile=(64, 64, 64)),
    "m256": replace(F16, tile=(256, 32, 32)),
    "n16": replace(F16, tile=(128, 16, 32)),
    "n256": replace(F16, tile=(128, 256, 32), sizes=(128, 256, 96)),
    "n512": replace(F16, tile=(64, 512, 16), sizes=(64, 512, 48)),
    "m64_n16": replace(F16, tile=(64, 16, 32)),
    "one_iteration": replace(F16, sizes=(128, 64, 64)),
    "odd_extents": replace(F16, sizes=(200, 72, 88), divisor=8),
    "a_along_m": replace(F16, transposed=(True, False)),
    "b_along_k": replace(F16, transposed=(False, True)),
    "both_transposed": replace(F16, transposed=(True, True)),
    "m64_both_transposed": replace(F16, tile=(64, 64, 64), transposed=(True, True)),
    "bf16": replace(F16, operand="bf16"),
    "f16_sums": replace(F16, result="f16"),
    "m64_f16_sums": replace(F16, result="f16", tile=(64, 32, 32)),
    "tf32": Case("tf32", "f32", (128, 64, 32), (128, 64, 96), (False, True)),
    "e4m3": Case("f8E4M3FN", "f32", (128, 64, 64), (128, 128, 192)),
    "e5m2_along_k": Case(
        "f8E5M2", "f32", (128, 64, 64), (128, 128, 192), (False, True)
    ),
    "e4m3_a_along_m": Case(
        "f8E4M3FN", "f32", (128, 64, 64), (128, 64, 128), (True, True)
    ),
    "i8": Case("i8", "i32", (128, 64, 64), (128, 64, 192)),
    "i8_m64": Case("i8", "i32", (64, 32, 64), (128, 64, 192), (False, True)),
    "gathered": replace(F16, gathers=True),
    "batched": replace(F16, batched=True),
}
"""Products by what is special about them."""


@pytest.mark.parametrize("name", CASES)
def test_each_form_is_right_on_the_emulator(name: str) -> None:
    case = CASES[name]
    check(case, planned(case))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("level", ["stage", "issue", "barriers"])
def test_each_form_is_right_on_the_interpreter(name: str, level: str) -> None:
    case = CASES[name]
    module = cuda_tile.load(planned(case).encode())
    args, expected, grid = problem(case)
    cuda_tile.run(cuda_tile.lower(module, CHIP, until=level), grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize(
    ("tile", "warps"),
    [
        ((128, 64, 64), (4, 2)),
        ((128, 128, 32), (4, 4)),
        ((256, 32, 32), (8, 1)),
        ((256, 64, 32), (8, 2)),
        ((64, 64, 32), (4, 2)),
    ],
)
def test_more_warps_share_the_sum(
    tile: tuple[int, int, int], warps: tuple[int, int]
) -> None:
    case = replace(F16, tile=tile)
    check(case, planned(case, warps))
