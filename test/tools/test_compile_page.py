# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda-tile-compile --report=html: where the page goes, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tool_command import KERNELS, SCALE, Command

from cuda_tile.cli import compile as tool

ATTENTION = KERNELS / "13.4" / "fmha_causal_f16_d128_128x64.tileirbc"
VADD = KERNELS / "13.4" / "vadd_f32_1024.tileirbc"
PAGE = ("--gpu", "sm_90", "--report=html")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_is_the_only_output(command: Command, folder: Path) -> None:
    result = command(tool, SCALE, *PAGE, "-o", "r.html")
    assert result.code == 0
    assert result.out.startswith("r.html: scale for sm_90")
    assert [path.name for path in folder.iterdir()] == ["r.html"]
    text = (folder / "r.html").read_text()
    assert text.startswith("<!doctype html>")
    assert "mulf %value, %fb" in text  # the source, which is the text of the kernel
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


MEASURED = """
from cuda_tile.cli.compile import main
main()
status = open("/proc/self/status").read()
print("peak", next(l.split()[1] for l in status.splitlines() if l.startswith("VmHWM")))
"""


def test_a_page_of_attention_takes_less_than_400_megabytes() -> None:
    result = subprocess.run(
        [sys.executable, "-c", MEASURED, ATTENTION, *PAGE, "-o", "r.html"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "No counts" not in Path("r.html").read_text()
    assert int(result.stdout.split("peak ")[1]) < 400_000


def test_the_run_is_the_users(command: Command, folder: Path) -> None:
    run = "3 arange:f32[4096] ones:f32[4096] zeros:f32[4096]"
    words = (VADD, *PAGE, "-o", "r.html", "--report-run", run)
    assert command(tool, *words).code == 0
    text = (folder / "r.html").read_text()
    assert "Inputs, given: grid 3 × 1 × 1" in text  # noqa: RUF001
    assert "arange:f32[4096] ones:f32[4096] zeros:f32[4096]" in text


def test_a_kernel_that_fails_has_a_page_that_says_so(
    command: Command, folder: Path
) -> None:
    run = "1 ones:f32[2] ones:f32[2] 2.0"  # of 16 elements
    words = (SCALE, *PAGE, "-o", "r.html", "--report-run", run)
    assert command(tool, *words).code == 0
    assert "No counts: out of bounds" in (folder / "r.html").read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((SCALE, *PAGE), "expected -o FILE.html with --report=html, got no -o"),
        (
            (SCALE, VADD, *PAGE, "-o", "r.html"),
            "expected one file for one chip with --report=html, got several",
        ),
        (
            (SCALE, "--gpu", "sm_80,sm_90", "--report=html", "-o", "r.html"),
            "expected one file for one chip with --report=html, got several",
        ),
        (
            (SCALE, *PAGE, "-o", "none/r.html"),
            "cannot write 'none/r.html': No such file or directory",
        ),
        (
            (SCALE, *PAGE, "-o", "r.html", "--emit=ptx"),
            "expected --report=html without --emit, got --emit=ptx",
        ),
        (
            (SCALE, "--gpu", "sm_90", "-o", "k.ptx", "--report-run", "1 3"),
            "expected --report-run with --report=html, got no --report",
        ),
        (
            (SCALE, *PAGE, "-o", "r.html", "--report-run", "one"),
            "expected --report-run with a grid and arguments",
        ),
        (
            (SCALE, *PAGE, "-o", "r.html", "--report-run", "1"),
            "scale: expected 3 parameters",
        ),
    ],
)
def test_what_is_refused(
    command: Command, words: tuple[str, ...], expected: str
) -> None:
    assert expected in command(tool, *words).sentence
