# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in CUDA Tile C++ on all judges: level W, emulator in random orders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interp_kernels import wide
from tilecpp_references import CASES

import cuda_tile
from cuda_tile.pipeline import last_step

FOLDER = Path(__file__).resolve().parents[1] / "kernels" / "tilecpp"
JUDGES = ("interp", "emulator")


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize(("file", "entry"), CASES)
def test_all_judges_equal_numpy(file: str, entry: str, gpu: str) -> None:
    module = cuda_tile.load(FOLDER / f"{file}.tilebc")
    lowered = cuda_tile.lower(module, gpu, until=last_step("W"))
    compiled = cuda_tile.compile(module, gpu, cubin=False)
    for judge in JUDGES:
        case = CASES[file, entry]()
        choices: dict[str, Any] = {"on": judge}
        if judge == "emulator":
            choices |= {"compiled": compiled, "gpu": gpu, "mode": "adversarial"}
        source = lowered if judge == "interp" else module
        cuda_tile.run(source, entry, grid=case.grid, args=case.args, **choices)
        for place, expected in case.expected.items():
            got = wide(case.args[place])
            most = case.rtol
            np.testing.assert_allclose(got, wide(expected), rtol=most, atol=most)


def test_operands_loaded_by_single_elements_lie_as_in_memory() -> None:
    """A product of warpgroups whose rows are not aligned: no bank conflict."""
    module = cuda_tile.load(FOLDER / "matmul_f16.tilebc")
    case = CASES["matmul_f16", "matmul_f16"]()
    report = cuda_tile.run(
        module, grid=case.grid, args=case.args, on="emulator", gpu="sm_90"
    )
    assert any(name.startswith("wgmma.mma") for name in report.instruction_mix())
    assert report.totals["bank_conflicts"] == 0
