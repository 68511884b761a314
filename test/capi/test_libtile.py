# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libtile in C and Rust: its contract, and the examples of docs/libtile.md."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cuda_tile

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "libtile"
PACKAGE = Path(cuda_tile.__file__).parent / "_mlir"
LIBRARIES = PACKAGE / "lib"
KERNEL = ROOT / "test" / "kernels" / "13.4" / "vadd_f32_1024.tileirbc"
ENVIRONMENT = os.environ | {
    "CUDA_TILE_PYTHON": sys.executable,
    "PYTHONPATH": os.pathsep.join(sys.path),
    "LD_LIBRARY_PATH": str(LIBRARIES),
}


def c_program(source: Path, folder: Path) -> Path:
    program = folder / "program"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread"]
    paths = [f"-I{PACKAGE / 'include'}", f"-L{LIBRARIES}", "-ltile"]
    compiler = os.environ.get("CC", "clang-22")
    subprocess.run([compiler, *flags, source, *paths, "-o", program], check=True)
    return program


def rust_program(source: Path, folder: Path) -> Path:
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("needs rustc: apt-get install rustc")
    program = folder / "program"
    words = ["--edition=2021", "-Dwarnings", f"-L{LIBRARIES}", "-o", str(program)]
    subprocess.run([rustc, *words, str(source)], check=True)
    return program


def run(program: Path, *words: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT | more,
    )


def test_the_contract_holds(tmp_path: Path) -> None:
    program = c_program(Path(__file__).parent / "Inputs" / "libtile.c", tmp_path)
    done = run(program)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    missing = run(program, 71, "cannot start", CUDA_TILE_PYTHON="/no/python")
    assert (missing.returncode, missing.stderr) == (0, "")
    bare = run(program, 71, "with the package", CUDA_TILE_PYTHON="python3-")
    assert bare.returncode == 1  # neither: no such program


@pytest.mark.parametrize(
    ("does", "status", "said"),
    [
        ("", 71, "with the package"),
        ("printf '\\001\\0\\0\\0\\0\\0\\0\\0' >&0", 70, "process ended"),
    ],
    ids=["before it is ready", "later"],
)
def test_a_child_that_ends(does: str, status: int, said: str, tmp_path: Path) -> None:
    program = c_program(Path(__file__).parent / "Inputs" / "libtile.c", tmp_path)
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{does}\nexit 1\n")
    python.chmod(0o755)
    done = run(program, status, said, CUDA_TILE_PYTHON=str(python))
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        run(program, status, "exit code 1", CUDA_TILE_PYTHON=str(python)).returncode
        == 0
    )


@pytest.mark.parametrize("build", [c_program, rust_program])
def test_the_examples_make_the_cubin_that_python_makes(
    build: Callable[[Path, Path], Path], tmp_path: Path
) -> None:
    (source,) = EXAMPLES.glob("*.c" if build is c_program else "*.rs")
    program, cubin = build(source, tmp_path), tmp_path / "k.cubin"
    done = run(program, KERNEL, "sm_90", cubin)
    assert (done.returncode, done.stderr) == (0, "")
    options = cuda_tile.Options("sm_90", abi="cuda")
    made = cuda_tile.compile(cuda_tile.load(KERNEL), options=options)
    assert cubin.read_bytes() == made.cubin
    assert json.loads(done.stdout) == json.loads(made.report.launch_json())
    wrong = tmp_path / "w.mlir"
    wrong.write_text("cuda_tile.module @m {\n  entry @k() { nothing } }\n")
    done = run(program, wrong, "sm_90", cubin)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{wrong}:2:16: error: ")


def test_the_header_has_all_that_the_library_exports() -> None:
    words = ["nm", "-D", "--defined-only", LIBRARIES / "libtile.so.1"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    exported = set(re.findall(r" T (\w+)", said))
    header = (PACKAGE / "include" / "cuda_tile.h").read_text()
    assert exported == set(re.findall(r"(?m)^CUDA_TILE_API [^(]*?(\w+)\(", header))
    assert len(exported) == 12
    words = ["readelf", "-d", LIBRARIES / "libtile.so"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "Library soname: [libtile.so.1]" in said
    assert set(re.findall(r"NEEDED.*\[(\w+)", said)) <= {"libc", "libpthread"}
