# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `--version` prints: this package, LLVM, and the ptxas in use."""

from __future__ import annotations

from cuda_tile.codegen.versions import versions


def version_line(command: str) -> str:
    """The line for one command; a missing ptxas is said in it."""
    found = versions()
    ptxas = f"ptxas {found['ptxas']}".replace("ptxas none", "no ptxas")
    return f"{command} {found['compiler']} (LLVM {found['llvm']}, {ptxas})"
