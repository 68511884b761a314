# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 8 and 4 bits that the loop dequantises: levels, emulator, NumPy agree.

Every sum is exact, so that results are compared bit for bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dequantised import PACKED, Dequantised
from end_levels import TILE_LEVELS

import cuda_tile

SMALL = Dequantised("i8", tile=(64, 64, 64))
CASES = {
    "i8": SMALL,
    "i8, bf16": replace(SMALL, operand="bf16"),
    "i8, scale alone": replace(SMALL, has_zero=False),
    "i8, neither": replace(SMALL, has_zero=False, has_scale=False),
    "f8": replace(SMALL, stored="f8E4M3FN"),
    "f8, bf16": replace(SMALL, stored="f8E4M3FN", operand="bf16"),
    "i4": replace(SMALL, stored=PACKED),
    "i4, bf16": replace(SMALL, stored=PACKED, operand="bf16"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
def test_levels_and_emulator_agree(name: str, chip: str) -> None:
    case = CASES[name]
    module = cuda_tile.load(case.text().encode())
    for level in TILE_LEVELS[TILE_LEVELS.index("place") :]:
        lowered = cuda_tile.lower(module, chip, until=level)
        grid, args, expected = case.problem((1, 1), 2)
        cuda_tile.run(lowered, grid=grid, args=args)
        np.testing.assert_array_equal(args[4], expected, level)
    grid, args, expected = case.problem((2, 1), 3, seed=1)
    compiled = cuda_tile.compile(module, chip, cubin=False)
    cuda_tile.run(
        *(module,),
        grid=grid,
        args=args,
        on="emulator",
        gpu=chip,
        compiled=compiled,
        mode="adversarial",
    )
    np.testing.assert_array_equal(args[4], expected)


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
@pytest.mark.parametrize("operand", ["f16", "bf16"])
def test_bytes_are_converted_by_their_places(operand: str, chip: str) -> None:
    """None by `cvt` from integers, which is slow."""
    case = replace(SMALL, operand=operand)
    ptx = cuda_tile.compile(cuda_tile.load(case.text().encode()), chip, cubin=False).ptx
    assert "prmt" in ptx
    assert f"cvt.rn.{operand}.s" not in ptx
    assert "cvt.rn.f32.s" not in ptx
