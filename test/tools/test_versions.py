# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--version` of the commands, and an output that cannot be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cuda_tile

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
VADD = KERNELS / "13.4" / "vadd_f32_1024.tileirbc"
FULL = Path("/dev/full")


def run(command: str, *arguments: str, stdout: int | None = subprocess.PIPE):
    """A command of the package as a process."""
    return subprocess.run(
        [sys.executable, "-m", f"cuda_tile.cli.{command}", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "command", ["compile", "lsp", "opt", "optimize", "run", "translate"]
)
def test_every_command_says_what_it_is_made_of(command: str) -> None:
    """This package, LLVM, ptxas."""
    shown = run(command, "--version")
    assert shown.returncode == 0
    assert f" {cuda_tile.__version__} (LLVM 22." in shown.stdout
    assert "ptxas 13." in shown.stdout


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, a device of Linux")
@pytest.mark.parametrize("emit", ["ptx", "cubin"])
def test_a_full_disk_is_no_bug_of_ours(emit: str) -> None:
    """One sentence, and the exit code of errors that a user can mend."""
    with FULL.open("w") as full:
        words = (str(VADD), "--gpu", "sm_80", "--emit", emit, "-o", "-")
        result = run("compile", *words, stdout=full.fileno())
    assert result.returncode == 1
    assert result.stderr.startswith("error: expected to write the output, got: No sp")
    assert "bug" not in result.stderr
