# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs by `python -m cuda_tile.cutile`, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


def python(
    *words: str | Path, code: int = 0, folder: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs Python, checks its exit code and gives what it wrote.

    Args:
        words: Its arguments.
        code: The exit code that is expected.
        folder: Where it runs; this test's folder by default.
        variables: More of the environment.
    """
    # cuTile's own cache would keep kernels from run to run.
    environment = os.environ | {"CUDA_TILE_CACHE_DIR": "off"} | variables
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env=environment | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def cutile(
    *words: str | Path, code: int = 0, folder: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The same for `python -m cuda_tile.cutile`."""
    return python(
        "-m", "cuda_tile.cutile", *words, code=code, folder=folder, **variables
    )


def run_text(text: str, folder: Path, *words: str, code: int = 0) -> str:
    """Runs a program given as text; what it wrote on both streams."""
    program = folder / "program.py"
    program.write_text(text)
    done = cutile(*words, program, code=code, folder=folder)
    return done.stdout + done.stderr
