"""Configuration of lit: which files are tests, and where their tools are.

A test that reads or writes no file runs in well under a second; the limit per test
catches endless loops.
"""

# pyright: basic
# `config` and `lit_config` are put here by lit.

import os
from pathlib import Path

import lit.formats

ROOT = Path(__file__).resolve().parent.parent

config.name = "cuda-tile"  # noqa: F821
config.suffixes = [".mlir", ".test"]  # noqa: F821
config.excludes = ["kernels", "Inputs"]  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.test_source_root = str(ROOT / "test")  # noqa: F821
config.test_exec_root = str(ROOT / "build" / "lit")  # noqa: F821
lit_config.maxIndividualTestTime = 20  # noqa: F821


def llvm_tools() -> Path:
    """The folder of FileCheck and split-file: beside the MLIR that CMake found."""
    for line in (ROOT / "build" / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("MLIR_DIR:"):
            return Path(line.partition("=")[2]).parents[2] / "bin"
    message = "expected MLIR_DIR in build/CMakeCache.txt, got none; run tools/setup"
    raise RuntimeError(message)


config.environment["PATH"] = os.pathsep.join(  # noqa: F821
    [str(ROOT / ".venv" / "bin"), str(llvm_tools()), os.environ["PATH"]]
)
config.substitutions += [  # noqa: F821
    ("%kernels", str(ROOT / "test" / "kernels")),
    ("%python", str(ROOT / ".venv" / "bin" / "python")),
]
