# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX of CUDA C++ that the user fetched, by nvcc, for the programs of this folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cuda_tile.codegen.ptxas import find_ptxas
from cuda_tile.errors import UserError

_TORCH = "#define TORCH_CHECK(...)\n"
"""Of torch, host code of some sources wants this; no kernel does."""


def ptx_of(text: str, arch: str, folders: Sequence[Path] = ()) -> str:
    """The PTX that nvcc makes of a source.

    Args:
        text: CUDA C++.
        arch: The target, `sm_90a`.
        folders: Where it finds what it includes.

    Raises:
        UserError: nvcc refuses it.
    """
    nvcc = find_ptxas().with_name("nvcc")
    host = os.environ.get("CXX") or shutil.which("clang++-22") or "c++"
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch, "k.cu"), Path(scratch, "k.ptx")
        source.write_text(text)
        stub = Path(scratch, "torch", "library.h")
        stub.parent.mkdir()
        stub.write_text(_TORCH)
        command = [str(nvcc), "-ptx", "-std=c++17", "-O3", "-DNDEBUG", f"-arch={arch}"]
        command += ["-ccbin", host, "--expt-relaxed-constexpr", "--use_fast_math"]
        command += [f"-I{folder}" for folder in (*folders, scratch)]
        command += ["-o", str(made), str(source)]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode:
            raise UserError(f"nvcc refuses the source: {said.stderr[-2000:]}")
        return made.read_text()
