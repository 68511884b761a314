# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configuration of lit: which files are tests, and where their tools are.

A test takes a few seconds on a busy machine; the limit per test catches endless loops.
"""

import os
from pathlib import Path
from typing import Any

import lit.formats

ROOT = Path(__file__).resolve().parent.parent

# Put here by lit, which runs this file.
config: Any = globals()["config"]


def llvm_tools() -> Path:
    """The folder of FileCheck and split-file: beside the MLIR that CMake found."""
    for line in (ROOT / "build" / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("MLIR_DIR:"):
            return Path(line.partition("=")[2]).parents[2] / "bin"
    message = "expected MLIR_DIR in build/CMakeCache.txt, got none; run tools/setup"
    raise RuntimeError(message)


config.name = "cuda-tile"
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["kernels", "Inputs", "programs", "faults", "judge"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = str(ROOT / "test")
config.test_exec_root = str(ROOT / "build" / "lit")
config.maxIndividualTestTime = 90

config.environment["PATH"] = os.pathsep.join(
    [
        str(ROOT / ".venv" / "bin"),
        str(ROOT / "build" / "test" / "capi"),
        str(llvm_tools()),
        os.environ["PATH"],
    ]
)
config.substitutions += [
    ("%include", str(ROOT / "dialect" / "include")),
    ("%kernels", str(ROOT / "test" / "kernels")),
    ("%mlir_include", str(llvm_tools().parent / "include")),
    ("%python", str(ROOT / ".venv" / "bin" / "python")),
    ("%tblgen", str(ROOT / "build" / "dialect" / "tblgen" / "cuda-tile-tblgen")),
]
