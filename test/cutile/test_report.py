# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Report pages from a cuTile program in one flag, and from a recorded launch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cutile_command import cutile

PROGRAM = """
import cuda.tile as ct, cupy as cp

@ct.kernel
def double(a, b):
    i = ct.bid(0)
    ct.store(b, (i,), ct.load(a, (i,), (64,)) * 2)

@ct.kernel
def triple(a, b):
    i = ct.bid(0)
    ct.store(b, (i,), ct.load(a, (i,), (64,)) * 3)

a, b = cp.ones(192, cp.float32), cp.zeros(192, cp.float32)
for kernel in (double, triple, double):
    ct.launch(0, (3,), kernel, (a, b))
print("sum", float(b.sum()))
"""


@pytest.fixture(name="program")
def written(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_a_program_has_a_page_for_each_kernel(program: Path) -> None:
    done = cutile("--report", "page.html", "--gpu=sm_80", "program.py", folder=program)
    assert done.stdout == "sum 384.0\n"
    assert done.stderr.splitlines() == [
        "page.html: report of a kernel for sm_80",
        "page-triple.html: report of a kernel for sm_80",
    ]
    names = ["page-triple.html", "page.html", "program.py"]
    assert sorted(path.name for path in program.iterdir()) == names
    for name, factor in {"page.html": 2, "page-triple.html": 3}.items():
        text = (program / name).read_text()
        assert "Inputs, given: grid 3 × 1 × 1" in text  # noqa: RUF001
        assert "No counts" not in text
        assert f"ct.load(a, (i,), (64,)) * {factor}" in text  # the program's lines


def test_a_recorded_launch_is_what_a_page_runs(program: Path) -> None:
    cutile("--record=launches", "program.py", folder=program)
    launch = program / "launches" / "0002-triple"
    command = [Path(sys.executable).parent / "cuda-tile-compile"]
    page = program / "r.html"
    words = ["--gpu=sm_90", "--report=html", "-o", page, "--report-run"]
    for given in (launch, program / "launches"):
        page.unlink(missing_ok=True)
        subprocess.run(
            [*command, launch / "kernel.tileirbc", *words, given], check=True
        )
        text = page.read_text()
        assert "those of the launch 0002-triple" in text
        assert "No counts" not in text
    other = program / "launches" / "0001-double" / "kernel.tileirbc"
    done = subprocess.run(
        [*command, other, *words, launch], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "expected a recorded launch of @" in done.stderr


def test_a_program_that_launches_nothing_has_no_page(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("pass")
    done = cutile("--report=p.html", "program.py", folder=tmp_path, code=1)
    said = "error: expected a launch to report on, got none from the program"
    assert done.stderr.splitlines() == [said]
