# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose operands engines copy: tiles, levels and emulator agree.

Inputs are small whole numbers, so that every sum is exact in any order.
"""

from __future__ import annotations

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from lowered_levels import lowered_levels

import cuda_tile
from cuda_tile.ir.copy_plan import read_load
from cuda_tile.ir.traits import LOADS
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(6)

LEVELS = ("stage", "barriers")

BY_THREADS = ("cp_async", "cp_async")
"""The engines where `mma.sync` or multiply-adds compute the product on both chips."""
CASES = {
    "f16": Case(),
    "bf16": Case("bf16"),
    "i8": Case("i8", "i32"),
    "i8, narrow": Case("i8", "i32", (64, 32, 32), engines=BY_THREADS),
    "f8": Case("f8E4M3FN"),
    "f64": Case("f64", "f64", (32, 32, 16), (32, 64, 48), engines=BY_THREADS),
    "f32": Case("f32", "f32", (32, 32, 16), (32, 64, 48), engines=BY_THREADS),
    "f16 sums": Case(result="f16"),
    "tf32": Case("tf32", stored="f32", engines=BY_THREADS),
    "f8 as f16": Case("f16", stored="f8E5M2"),
    "f16 by f8": Case(stores_b="f8E4M3FN", tile=(64, 64, 64)),
    "f16 by f8, B transposed": Case(stores_b="f8E5M2", transposed=(False, True)),
    "f16 by i8": Case(stores_b="i8", sizes=(64, 128, 32), tile=(64, 128, 32)),
    "f16 by i8, ragged": Case(
        stores_b="i8", tile=(64, 64, 64), sizes=(96, 80, 208), divisor=16
    ),
    "f8, both transposed": Case(
        "f8E4M3FN", transposed=(True, True), sizes=(64, 128, 96)
    ),
    "i8, A transposed": Case("i8", "i32", transposed=(True, True), tile=(128, 64, 64)),
    "i8, no iteration": Case("i8", "i32", sizes=(64, 64, 0), transposed=(True, False)),
    "A transposed": Case(transposed=(True, False)),
    "B transposed": Case(transposed=(False, True)),
    "both transposed": Case(transposed=(True, True)),
    "i8, B transposed": Case("i8", "i32", transposed=(False, True)),
    "f8, B transposed": Case("f8E4M3FN", transposed=(False, True)),
    "f8, B transposed, ragged": Case(
        "f8E5M2", "f32", (64, 64, 128), (96, 80, 304), transposed=(False, True)
    ),
    "tf32, B transposed": Case("tf32", transposed=(False, True)),
    "ragged": Case(sizes=(72, 88, 104), divisor=8),
    "4 bytes": Case(sizes=(70, 66, 98), divisor=2, engines=("cp_async", "cp_async")),
    "2 bytes": Case(sizes=(67, 65, 33), divisor=1, engines=("threads", "threads")),
    "one iteration": Case(sizes=(64, 64, 32)),
    "no iteration": Case(sizes=(64, 64, 0), transposed=(True, False)),
    "batched": Case(batched=True),
    "gathered": Case(gathers=True, engines=("cp_async", "cp_async")),
    "twice": Case(tile=(64, 64, 64), sizes=(64, 64, 192), twice=True),
    "small": Case(tile=(16, 16, 16), sizes=(32, 16, 48), engines=BY_THREADS),
    "wide": Case(tile=(64, 128, 32), sizes=(64, 128, 96)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
def test_levels_and_emulator_agree(name: str, chip: str) -> None:
    case = CASES[name]
    module = cuda_tile.load(kernel(case).encode())
    planned = cuda_tile.lower(module, chip, until="plan")
    loads = [op for op in nested_ops(entries(planned.operation)[0]) if op.name in LOADS]
    wanted = case.engines[chip == "sm_90"]
    assert read_load(loads[0]).engine == wanted
    lowered = lowered_levels(module, chip, LEVELS)
    for level, run in (("tiles", module), *lowered):
        args, expected, grid = problem(case)
        cuda_tile.run(run, grid=grid, args=args)
        assert np.array_equal(args[2], expected), level
    args, expected, grid = problem(case)
    cuda_tile.run(
        module, grid=grid, args=args, on="emulator", gpu=chip, mode="adversarial"
    )
    assert np.array_equal(args[2], expected)


BYTES = {
    "i8": Case("i8", "i32", (64, 64, 64), (128, 64, 192)),
    "i8, ragged": Case("i8", "i32", (32, 128, 64), (80, 208, 144)),
    "i8, one pair of columns": Case("i8", "i32", (64, 16, 64), (64, 32, 128)),
    "i8, short depth": Case("i8", "i32", (64, 64, 16), (64, 64, 64)),
    "i8, A transposed too": Case(
        "i8", "i32", (64, 64, 32), (64, 64, 96), (True, False)
    ),
    "f8": Case("f8E4M3FN", "f32", (64, 64, 64), (96, 80, 208)),
    "f8, other bits": Case("f8E5M2", "f32", (128, 32, 32), (128, 64, 64)),
}
"""Products of bytes whose right operand lies along N."""


@pytest.mark.parametrize(
    ("tile", "swaps"),
    [((128, 32, 64), False), ((128, 128, 64), True), ((16, 128, 64), True)],
)
def test_warpgroups_multiply_bytes_where_transposing_them_pays(
    tile: tuple[int, int, int], *, swaps: bool
) -> None:
    """Not narrow results, whose transpose has too few rows.

    Clocks of shared memory an iteration of the first: 240 by warpgroups that convert,
    176 by warps; of the second 320 by warpgroups that bring B to registers, 512 by
    warps.
    """
    module = cuda_tile.load(kernel(Case("i8", "i32", tile)).encode())
    planned = str(cuda_tile.lower(module, "sm_90", until="plan"))
    assert ("swap = 1" in planned) == swaps
    assert ('atom = "m16n16k32"' in planned) != swaps


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("chip", ["sm_80", "sm_120"])
def test_ldmatrix_transposes_bytes_that_lie_along_n(name: str, chip: str) -> None:
    case = BYTES[name]
    if case.result == "f32" and chip == "sm_80":
        chip = "sm_89"  # the first that multiplies them
    module = cuda_tile.load(kernel(case).encode())
    planned = cuda_tile.lower(module, chip, until="plan")
    assert 'atom = "m16n16k32"' in str(planned)
    for level, lowered in lowered_levels(module, chip, LEVELS):
        args, expected, grid = problem(case)
        cuda_tile.run(lowered, grid=grid, args=args)
        assert np.array_equal(args[2], expected), level
    args, expected, grid = problem(case)
    report = cuda_tile.run(
        module, grid=grid, args=args, on="emulator", gpu=chip, mode="adversarial"
    )
    assert np.array_equal(args[2], expected)
    assert any(name.startswith("prmt") for name in report.instruction_mix())
    assert report.totals["bank_conflicts"] == 0 or case.tile != (64, 64, 64)
