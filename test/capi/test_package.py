# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""External C projects find the package and link it, under either name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("types.c")
REGISTER = Path(__file__).with_name("register.c")
TILE = Path(__file__).parents[2] / "examples" / "libtile" / "compile.c"
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(CudaTile REQUIRED)
add_executable(consumer {program})
target_link_libraries(consumer PRIVATE CudaTile::C)
add_executable(register {register})
target_link_libraries(register PRIVATE CudaTileCAPIRegistration CudaTileCAPIDialect)
add_executable(tile {tile})
target_link_libraries(tile PRIVATE CudaTile::tile)
"""


def output(*command: str | Path) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def test_find_package(tmp_path: Path):
    folder = output(sys.executable, "-m", "cuda_tile", "--cmake_dir").strip()
    headers = output(sys.executable, "-m", "cuda_tile", "--include_dir").strip()
    assert (Path(headers) / "cuda_tile-c" / "CudaTile.h").is_file()
    (tmp_path / "CMakeLists.txt").write_text(
        PROJECT.format(program=PROGRAM, register=REGISTER, tile=TILE)
    )
    build = tmp_path / "build"
    output("cmake", "-GNinja", "-S", tmp_path, "-B", build, f"-DCudaTile_DIR={folder}")
    output("ninja", "-C", build)
    assert output(build / "register") == "loaded\n"
    said = output(build / "consumer")
    assert "!cuda_tile.tile<4x8xptr<f32>>" in said
    loaded = [
        line.split()[0] for line in output("ldd", build / "consumer").splitlines()
    ]
    needed = output("ldd", build / "tile")
    assert "libtile.so.1 =>" in needed
    assert "libMLIR" not in needed
    for name in ("libMLIR.so", "libLLVM.so", "libCudaTileC.so"):
        assert len([library for library in loaded if library.startswith(name)]) == 1
