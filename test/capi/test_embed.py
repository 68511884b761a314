# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A C program that embeds Python makes PTX: the program that docs/bindings.md shows."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import cuda_tile

SOURCE = Path(__file__).parent / "Inputs" / "embed.c"
KERNEL = SOURCE.parents[2] / "kernels" / "13.4" / "vadd_f32_1024.tileirbc"


@pytest.fixture(name="program", scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    known = sysconfig.get_config_var
    if not known("Py_ENABLE_SHARED"):
        pytest.skip("needs a Python with a shared library: --enable-shared")
    program = tmp_path_factory.mktemp("embed") / "embed"
    library = str(known("LDLIBRARY")).removeprefix("lib").removesuffix(".so")
    flags = [f"-I{known('INCLUDEPY')}", f"-L{known('LIBDIR')}", f"-l{library}"]
    flags.append(f"-Wl,-rpath,{known('LIBDIR')}")
    compiler = os.environ.get("CC", "clang-22")
    subprocess.run(
        [compiler, "-Wall", "-Werror", SOURCE, "-o", program, *flags], check=True
    )
    return program


def run(program: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_it_writes_the_ptx_that_python_gives(program: Path, tmp_path: Path) -> None:
    done = run(program, KERNEL, "sm_90", tmp_path / "k.ptx")
    assert (done.returncode, done.stderr) == (0, "")
    expected = cuda_tile.compile(cuda_tile.load(KERNEL), "sm_90", cubin=False).ptx
    assert (tmp_path / "k.ptx").read_text() == expected


def test_errors_reach_the_caller(program: Path, tmp_path: Path) -> None:
    for words, said in {
        (tmp_path / "none", "sm_90", tmp_path / "k.ptx"): "cannot read",
        (KERNEL, "sm_1", tmp_path / "k.ptx"): "a known gpu",
        (KERNEL, "sm_90", tmp_path / "no/k.ptx"): "cannot write",
    }.items():
        done = run(program, *words)
        assert done.returncode == 1
        assert said in done.stderr
