# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 8 and 4 bits that the loop dequantises: levels, emulator, NumPy agree.

Every sum is exact, so that results are compared bit for bit.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from dequantised_kernels import PACKED, Dequantised
from lowered_levels import TILE_LEVELS, lowered_levels

import cuda_tile

pytestmark = pytest.mark.sampled(6)

SMALL = Dequantised("i8", tile=(64, 64, 64))
CASES = {
    "i8": SMALL,
    "i8, bf16": replace(SMALL, operand="bf16"),
    "i8, scale alone": replace(SMALL, has_zero=False),
    "i8, neither": replace(SMALL, has_zero=False, has_scale=False),
    "f8": replace(SMALL, stored="f8E4M3FN"),
    "f8, bf16": replace(SMALL, stored="f8E4M3FN", operand="bf16"),
    "i4": replace(SMALL, stored=PACKED),
    "i4, groups of 2 iterations": replace(SMALL, stored=PACKED, group=2),
    "i8, per column": replace(SMALL, group=0),
    "i4, bf16": replace(SMALL, stored=PACKED, operand="bf16"),
}
CHIPS = ["sm_80", "sm_90", "sm_120"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("chip", CHIPS)
def test_no_iteration_waits_for_a_load(name: str, chip: str) -> None:
    """Weights, scales and zero points are copied iterations ahead of their use."""
    module = cuda_tile.load(CASES[name].text().encode())
    text = str(cuda_tile.lower(module, chip, until="skew"))
    assert "load_view_tko" not in text[text.index(" = for ") :]
    assert "ahead = 0" not in re.sub(r"tileas.store_shared.*", "", text)
    assert min(map(int, re.findall(r"ring<(\d)", text))) >= 2


def test_mbarriers_make_room_for_the_result() -> None:
    """The result takes the bytes of all rings, whose mbarriers lie apart from it."""
    case = replace(SMALL, tile=(128, 256, 64))
    module = cuda_tile.load(case.text().encode())
    assert "tileas.mbarriers" in str(cuda_tile.lower(module, "sm_90", until="allocate"))
    grid, args, expected = case.problem((1, 1), 2)
    compiled = cuda_tile.compile(module, "sm_90", cubin=False)
    cuda_tile.run(
        *(module,),
        grid=grid,
        args=args,
        on="emulator",
        gpu="sm_90",
        compiled=compiled,
    )
    np.testing.assert_array_equal(args[4], expected)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("chip", CHIPS)
def test_levels_and_emulator_agree(name: str, chip: str) -> None:
    case = CASES[name]
    module = cuda_tile.load(case.text().encode())
    levels = TILE_LEVELS[TILE_LEVELS.index("place") :]
    for level, lowered in lowered_levels(module, chip, levels):
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
