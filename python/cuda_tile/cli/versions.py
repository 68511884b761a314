# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `--version` prints: this package, LLVM, and the ptxas in use."""

from __future__ import annotations

import re

from cuda_tile.errors import UserError
from cuda_tile.version import __version__


def version_line(command: str) -> str:
    """The line for one command; a missing ptxas is said in it."""
    from cuda_tile._mlir._mlir_libs import _cuda_tile
    from cuda_tile.codegen.ptxas import ptxas_version

    try:
        release = re.search(r"\bV(\d+\.\d+\.\d+)", ptxas_version())
        ptxas = f"ptxas {release[1]}" if release else "ptxas of unknown version"
    except UserError:
        ptxas = "no ptxas"
    return f"{command} {__version__} (LLVM {_cuda_tile.llvm_version()}, {ptxas})"
