# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo's table, and the references that it shares with the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import demo
import numpy as np
import pytest
from real_kernels import RECIPES, VERSIONS, kernel_path, make_problem


def test_table_of_one_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    words = ["demo", "--kernel", "vadd_i32_8", "--gpu", "sm_90", "-o", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    assert demo.main() == 0
    rows = [line.split() for line in capfd.readouterr().out.splitlines()]
    (row,) = [row for row in rows if row[:1] == ["vadd_i32_8"]]
    assert row[1] == "sm_90"
    assert row[-3:] == ["0", "0", "exact"]
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["vadd_i32_8.sm_90.cubin", "vadd_i32_8.sm_90.ptx"]


@pytest.mark.parametrize("kernel", RECIPES)
def test_a_wrong_result_is_found(kernel: str):
    problem = make_problem(kernel)
    output = problem.output
    with np.errstate(all="ignore"):
        output[...] = problem.exact.astype(output.dtype)
    assert problem.compare().is_within
    output.reshape(-1)[-1] += 1
    assert not problem.compare().is_within


@pytest.mark.parametrize("kernel", RECIPES)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_kernel_has_its_file(kernel: str, version: str):
    assert kernel_path(kernel, version).is_file()
