# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Versions of this package and of the programs that decide its results."""

from __future__ import annotations

import re

from cuda_tile.errors import UserError
from cuda_tile.version import __version__


def versions() -> dict[str, str]:
    """The versions of this package, LLVM, ptxas, and the newest supported bytecode."""
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
