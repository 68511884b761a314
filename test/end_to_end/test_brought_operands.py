# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes that lie along M or N, which threads bring to registers for warpgroups.

The left operand of an instruction may come from registers: A as it is, B as that of the
transpose. Interpreter at each level, emulator under some seeds, and NumPy agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem, stored_type
from lowered_levels import TILE_LEVELS, lowered_levels
from op_case import Array

import cuda_tile
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(6)
Draws = Callable[[int], int]
SEEDS = 8

F8 = Case("f8E4M3FN", tile=(64, 64, 128), sizes=(64, 64, 384))
LIFTED = replace(F8, transposed=(True, True))
CASES = {
    "B": F8,
    "A": LIFTED,
    "A and B": replace(F8, transposed=(True, False), tile=(64, 64, 64)),
    "B, ragged": replace(F8, operand="f8E5M2", sizes=(80, 112, 304)),
    "A, ragged": replace(LIFTED, operand="f8E5M2", sizes=(80, 112, 304)),
    "B, shallow": replace(F8, tile=(64, 64, 32), sizes=(64, 64, 96)),
    "B, two warpgroups": replace(F8, tile=(128, 128, 64), sizes=(128, 128, 192)),
    "B, two parts": replace(F8, tile=(64, 256, 128), sizes=(64, 256, 256)),
    "A, two parts": replace(LIFTED, tile=(256, 64, 128), sizes=(256, 64, 256)),
    "B, two parts of columns": replace(F8, tile=(256, 128, 64), sizes=(256, 128, 128)),
    "B, half a swizzle": replace(F8, tile=(32, 64, 64), sizes=(96, 128, 128)),
    "B, sums of f16": replace(F8, result="f16", tile=(64, 64, 64)),
    "B, one iteration": replace(F8, sizes=(64, 64, 128)),
    "no iteration": replace(F8, sizes=(64, 64, 0), transposed=(True, False)),
    "B, batched": replace(F8, batched=True),
    "B, 4 bytes": replace(F8, sizes=(68, 76, 260), divisor=4),
    "i8, B": Case("i8", "i32", (64, 64, 64), (80, 112, 208)),
    "i8, A": Case("i8", "i32", (64, 64, 64), (80, 112, 208), (True, True)),
    "i8, A and B": Case("i8", "i32", (64, 64, 64), (64, 64, 192), (True, False)),
    "f16 by f8": Case(stores_b="f8E4M3FN", tile=(64, 64, 64), sizes=(80, 112, 208)),
    "f16 by i8, A transposed": Case(
        stores_b="i8", tile=(64, 64, 64), sizes=(80, 112, 208), transposed=(True, False)
    ),
    "bf16 by i8": Case(
        "bf16", stores_b="i8", tile=(128, 128, 64), sizes=(128, 128, 192)
    ),
    "f8 as f16": Case(stored="f8E4M3FN", tile=(128, 64, 64), sizes=(128, 64, 192)),
}


def plan_of(module: Any) -> dict[str, Any]:
    """The plan of the product."""
    lowered = cuda_tile.lower(module, "sm_90", until="plan")
    found = nested_ops(entries(lowered.operation)[0])
    (op,) = [op for op in found if op.name in PRODUCTS]
    plan: Any = op.attributes["tileas.plan"]
    return {item.name: item.attr.value for item in plan}


@pytest.mark.parametrize("name", CASES)
def test_all_judges_agree(name: str, draws: Draws) -> None:
    case = CASES[name]
    module = cuda_tile.load(kernel(case).encode())
    plan = plan_of(module)
    assert plan["lhs"] == "register"
    is_lifted = case.transposed[0] and stored_type(case, "a") != "f16"
    assert plan.get("swap", 0) == (not is_lifted)
    check(case, module, draws(SEEDS))


def check(case: Case, module: Any, seeds: int, text: str = "", signs: str = "") -> None:
    """All levels, and the emulator under some seeds, give what NumPy does."""
    levels = TILE_LEVELS[TILE_LEVELS.index("plan") :]
    for level, lowered in lowered_levels(module, "sm_90", levels):
        args, expected = arguments(case, signs)
        cuda_tile.run(lowered, grid=problem(case)[2], args=args, seed=3)
        np.testing.assert_array_equal(args[2], expected, level)
    compiled = cuda_tile.compile(module, "sm_90", cubin=False)
    assert "wgmma.mma_async" in compiled.ptx
    assert text in compiled.ptx
    converts = "convert" in plan_of(module)
    for seed in range(seeds):
        args, expected = arguments(case, signs)
        report = cuda_tile.run(
            *(module,),
            grid=problem(case)[2],
            args=args,
            on="emulator",
            gpu="sm_90",
            compiled=compiled,
            mode="adversarial",
            seed=seed,
        )
        np.testing.assert_array_equal(args[2], expected, f"seed {seed}")
        assert converts or not report.totals["bank_conflicts"]


def arguments(case: Case, signs: str) -> tuple[list[Any], Array]:
    """Fresh arguments and what C is to be; `unsigned` operands are read as such."""
    args, expected, _ = problem(case)
    if signs:
        sides = [a.astype(np.int64) for a in args[:2]]
        kinds = signs.split()
        left, right = (
            side & 0xFF if kind == "unsigned" else side
            for side, kind in zip(sides, kinds, strict=True)
        )
        left, right = (
            x.T if transposed else x
            for x, transposed in zip((left, right), case.transposed, strict=True)
        )
        expected = (left @ right).astype(np.int32)
    return args, expected


@pytest.mark.parametrize("signs", ["unsigned signed", "signed unsigned"])
def test_signs_stay_with_their_operands(signs: str, draws: Draws) -> None:
    case = Case("i8", "i32", (64, 64, 64), (64, 64, 128))
    text = kernel(case).replace("signed signed", signs)
    kinds = [word[:1] + "8" for word in signs.split()]
    module = cuda_tile.load(text.encode())
    check(case, module, draws(SEEDS), f"s32.{kinds[1]}.{kinds[0]}", signs)


def test_sums_that_run_on_without_promotion(draws: Draws) -> None:
    """Nothing writes registers that instructions in flight read."""
    text = kernel(F8).replace("mmaf %a, %b, %acc", "mmaf %a, %b, %acc fast_acc")
    module = cuda_tile.load(text.encode())
    assert plan_of(module)["swap"] == 1
    check(F8, module, draws(SEEDS))


LARGE = {
    "128x128": ((128, 128, 128), (False, False), 4),
    "128x256": ((128, 256, 128), (False, False), 8),
    "256x128": ((256, 128, 128), (False, False), 4),
    "A, 256x128": ((256, 128, 128), (True, True), 8),
    "A, 128x256": ((128, 256, 128), (True, True), 4),
}
"""Tiles, what is transposed, and the `ldmatrix` that bring it."""


@pytest.mark.parametrize("name", LARGE)
def test_nothing_spills(name: str) -> None:
    """Two warpgroups hold all sums; of a left operand they read a part at a time."""
    tile, transposed, reads = LARGE[name]
    case = Case("f8E4M3FN", "f32", tile, transposed=transposed)
    compiled = cuda_tile.compile(cuda_tile.load(kernel(case).encode()), "sm_90")
    (resources,) = compiled.report.kernels
    assert resources.spill_bytes <= 8  # one register, in the last case
    assert len(re.findall(r"ldmatrix\S*\.trans", compiled.ptx)) == reads


def test_sums_that_others_read_are_not_transposed() -> None:
    """A maximum of each iteration's sums needs them as they are."""
    text = kernel(replace(F8, tile=(64, 64, 64))).replace(
        "continue %d", "%e = maxf %d, %zero : tile<64x64xf32>\n      continue %e"
    )
    module = cuda_tile.load(text.encode())
    plan = plan_of(module)
    assert "swap" not in plan
    assert plan["convert"] == "b"
    compiled = cuda_tile.compile(module, "sm_90")
    (kernel_report,) = compiled.report.kernels
    assert "its bytes lie along N" in str(kernel_report.remarks)
