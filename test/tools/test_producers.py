# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuTile Python, where it is installed, with cuda-tile-as in place of tileiras."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

WHY = "needs cuTile Python (PyPI cuda-tile)"
ct: Any = pytest.importorskip("cuda.tile", reason=WHY)
compilation: Any = pytest.importorskip("cuda.tile.compilation", reason=WHY)

PROGRAM = Path(sys.executable).parent / "cuda-tile-as"
LOGGING = '#!/bin/sh\necho "$@" >> "{log}"\nexec "{program}" "$@"\n'


@ct.kernel
def double(x, y):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (128,)) * 2)


def array() -> Any:
    return compilation.ArrayConstraint(
        *(ct.float32, 1),
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
    )


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts a `tileiras` on PATH that notes its calls."""
    program, found = tmp_path / "tileiras", tmp_path / "log"
    program.write_text(LOGGING.format(log=found, program=PROGRAM))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return found


def export(gpu: str) -> bytes:
    convention = compilation.CallingConvention.cutile_python_v1()
    signature = compilation.KernelSignature([array(), array()], convention, symbol="k")
    file = io.BytesIO()
    compilation.export_kernel(
        double, [signature], file, gpu_code=gpu, output_format="cubin"
    )
    return file.getvalue()


def test_cutile_makes_cubins_and_shows_our_errors(log: Path) -> None:
    """One test, for cuTile looks its compiler up once per process."""
    assert export("sm_90").startswith(b"\x7fELF")
    calls = log.read_text().splitlines()
    assert "--gpu-name sm_120" in calls[0]  # the empty module that tries a version
    assert "--gpu-name sm_90 -O3 --lineinfo" in calls[-1]
    with pytest.raises(Exception, match=r"needs sm_90 or later, got sm_80"):
        export("sm_80")
