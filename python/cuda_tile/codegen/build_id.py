# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An identity of this compiler that changes whenever its results may change."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from cuda_tile.codegen.ptxas import ptxas_version

PACKAGE = Path(__file__).resolve().parents[1]
CODE_SUFFIXES = (".py", ".so", ".json")


@cache
def build_id() -> str:
    """64 hexadecimal digits: SHA-256 of the package's code and of ptxas's own version.

    Sources, tables and built libraries of the package count with their names, so that
    any change of the code, also in a checkout, gives another identity.

    Raises:
        UserError: There is no ptxas.
    """
    import hashlib

    digest = hashlib.sha256()
    for path in code_files():
        data = path.read_bytes()
        digest.update(f"{path.relative_to(PACKAGE)} {len(data)}\n".encode())
        digest.update(data)
    digest.update(ptxas_version().encode())
    return digest.hexdigest()


def code_files() -> list[Path]:
    """The files of the package; in a checkout what was built is behind a link."""
    return sorted(
        Path(folder, name)
        for folder, _, names in os.walk(PACKAGE, followlinks=True)
        for name in names
        if name.endswith(CODE_SUFFIXES)
    )
