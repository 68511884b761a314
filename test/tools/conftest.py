# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of the command tests, and a stand-in for the CUDA driver."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tool_command import command

__all__ = ["command", "stub"]
STUB = Path(__file__).parent / "Inputs" / "stub_cuda.c"


@pytest.fixture(scope="session")
def stub(tmp_path_factory: Any) -> Path:
    """The library, which logs the calls; its source says how."""
    library = tmp_path_factory.mktemp("stub") / "libcuda.so"
    compiler = os.environ.get("CC") or shutil.which("clang-22") or "cc"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", library, STUB], check=True
    )
    return library
