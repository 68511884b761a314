# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of rows that a table names, for every chip: no plan asks for the impossible.

Whether an engine can bring a tile of pointers depends on what is known of them; what
plan promises, staging can honour.
"""

from __future__ import annotations

import numpy as np
import pytest
from expert_rows import ExpertRows

import cuda_tile

CHIPS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")


@pytest.mark.parametrize("gpu", CHIPS)
@pytest.mark.parametrize("is_aligned", [True, False])
def test_it_compiles_for_every_chip(gpu: str, is_aligned: bool) -> None:
    text = ExpertRows((64, 128, 64), is_aligned).text()
    module = cuda_tile.load(text.encode())
    compiled = cuda_tile.compile(module, gpu, cubin=gpu in ("sm_80", "sm_90"))
    if compiled.report.kernels:
        assert compiled.report.kernels[0].spill_bytes == 0


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("is_aligned", [True, False])
def test_it_is_right(gpu: str, is_aligned: bool) -> None:
    kernel = ExpertRows((64, 64, 32), is_aligned)
    module = cuda_tile.load(kernel.text().encode())
    grid, args, expected = kernel.launch(*((80, 64) if is_aligned else (67, 50)))
    cuda_tile.run(module, None, grid=grid, args=args, on="emulator", gpu=gpu)
    written = args[2].astype("f4").reshape(expected.shape)
    assert np.array_equal(written, expected.astype(args[2].dtype).astype("f4"))
