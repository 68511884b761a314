# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pytest plugin runs the cuTile tests of a suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from cutile_command import python

SUITE = """
import cuda.tile as ct
import cupy as cp
import pytest

@ct.kernel
def double(a, b):
    i = ct.bid(0)
    ct.store(b, index=(i,), tile=2 * ct.load(a, index=(i,), shape=(16,)))

@pytest.mark.parametrize("factor", [2, 3])
def test_double(factor):
    a, b = cp.ones(64), cp.zeros(64)
    ct.launch(cp.cuda.get_current_stream(), (4,), double, (a, b))
    assert (b == factor * a).all()
"""
PLUGIN = (
    "-m",
    "pytest",
    "-p",
    "cuda_tile.cutile.pytest_plugin",
    "-p",
    "no:cacheprovider",
)


@pytest.mark.parametrize("executor", ["interp", "emulator"])
def test_a_suite(executor: str, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text("import cupy\nimport cuda.tile\n")
    words = (f"--cutile-on={executor}", "--cutile-gpu=sm_80", "test_it.py")
    done = python(*PLUGIN, *words, folder=tmp_path, code=1)
    assert "1 failed, 1 passed" in done.stdout
    assert f"kernels run on {executor}" in done.stdout


def test_a_wrong_option(tmp_path: Path) -> None:
    done = python(*PLUGIN, "--cutile-gpu=sm_1", folder=tmp_path, code=4)
    assert "sm_1" in done.stderr
