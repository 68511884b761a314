# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in CUDA Tile C++, compiled by nvcc, against NumPy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interp_kernels import wide
from tilecpp_references import CASES

import cuda_tile

FOLDER = Path(__file__).resolve().parents[1] / "kernels" / "tilecpp"


def test_every_entry_is_run():
    entries = {
        (path.stem, line.split("@")[1].split("(")[0])
        for path in FOLDER.glob("*.tilebc")
        for line in str(cuda_tile.load(path)).splitlines()
        if line.lstrip().startswith("entry @")
    }
    assert entries == {*CASES}


@pytest.mark.parametrize("mode", ["strict", "hardware"])
@pytest.mark.parametrize(("file", "entry"), CASES)
def test_equals_numpy(file, entry, mode):
    case = CASES[file, entry]()
    before = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in case.args]
    module = cuda_tile.load(FOLDER / f"{file}.tilebc")
    report = cuda_tile.run(module, entry, grid=case.grid, args=case.args, mode=mode)
    assert report.warnings == []
    for position, arg in enumerate(case.args):
        expected: Any = case.expected.get(position, before[position])
        if position in case.expected and case.rtol:
            np.testing.assert_allclose(
                wide(arg), wide(expected), rtol=case.rtol, atol=case.rtol
            )
        else:
            np.testing.assert_array_equal(arg, expected)
    assert report.stdout.count("block ") == (6 if entry == "lookup" else 0)
