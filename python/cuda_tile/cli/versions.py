# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `--version` prints: this package, LLVM, and the ptxas in use."""

from __future__ import annotations

import re

from cuda_tile.errors import UserError
from cuda_tile.version import __version__


def version_line(command: str) -> str:
    """The line for one command; a missing ptxas is said in it."""
    found = versions()
    ptxas = f"ptxas {found['ptxas']}".replace("ptxas none", "no ptxas")
    return f"{command} {found['compiler']} (LLVM {found['llvm']}, {ptxas})"


def versions() -> dict[str, str]:
    """Of this package, LLVM, ptxas, and the newest bytecode that is read."""
    from cuda_tile._mlir._mlir_libs import _cuda_tile

    return {
        "compiler": __version__,
        "llvm": _cuda_tile.llvm_version(),
        "ptxas": _ptxas_release(),
        "bytecode": _cuda_tile.bytecode_versions()[-1],
    }


def _ptxas_release() -> str:
    from cuda_tile.codegen.ptxas import ptxas_version

    try:
        release = re.search(r"\bV(\d+\.\d+\.\d+)", ptxas_version())
    except UserError:
        return "none"
    return release[1] if release else "of unknown version"
