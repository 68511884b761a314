# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuTile Python, where it is installed, with cuda-tile-as in place of tileiras."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ASSEMBLER = Path(sys.executable).parent / "cuda-tile-as"
LOGGING = '#!/bin/sh\necho "$@" >> "{log}"\nexec "{program}" "$@"\n'
PROGRAM = """
import sys
import cuda.tile as ct
from cuda.tile.compilation import (
    ArrayConstraint, CallingConvention, KernelSignature, export_kernel
)

@ct.kernel
def double(x, y):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (128,)) * 2)

array = ArrayConstraint(ct.float32, 1, index_dtype=ct.int32, stride_lower_bound_incl=0,
                        alias_groups=(), may_alias_internally=False)
convention = CallingConvention.cutile_python_v1()
signature = KernelSignature([array, array], convention, symbol="k")
gpu, name = sys.argv[1:]
with open(name, "wb") as file:
    export_kernel(double, [signature], file, gpu_code=gpu, output_format="cubin")
"""


def has_cutile() -> bool:
    try:
        return find_spec("cuda.tile") is not None
    except ModuleNotFoundError:
        return False


def export(folder: Path, gpu: str) -> subprocess.CompletedProcess[str]:
    """Runs cuTile in a folder with a `tileiras` that notes its calls in `log`."""
    program = folder / "tileiras"
    program.write_text(LOGGING.format(log=folder / "log", program=ASSEMBLER))
    program.chmod(0o755)
    (folder / "program.py").write_text(PROGRAM)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, "program.py", gpu, "k.cubin"],
        cwd=folder,
        env=os.environ | {"PATH": path, "CUDA_TILE_CACHE_DIR": "off"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not has_cutile(), reason="needs cuTile Python (PyPI cuda-tile)")
def test_cutile_makes_cubins(tmp_path: Path) -> None:
    result = export(tmp_path, "sm_90")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "k.cubin").read_bytes().startswith(b"\x7fELF")
    calls = (tmp_path / "log").read_text().splitlines()
    assert "--gpu-name sm_120" in calls[0]  # the empty module that tries a version
    assert "--gpu-name sm_90 -O3 --lineinfo" in calls[-1]


@pytest.mark.skipif(not has_cutile(), reason="needs cuTile Python (PyPI cuda-tile)")
def test_cutile_shows_our_errors(tmp_path: Path) -> None:
    result = export(tmp_path, "sm_80")
    assert result.returncode == 1
    assert "abi 'tile' needs sm_90 or later, got sm_80" in result.stderr
    assert "Return code 2" in result.stderr
