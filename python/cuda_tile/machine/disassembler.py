# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs nvdisasm, the package nvidia-cuda-nvdisasm on PyPI, the extra `report` of ours.

It is for machine code that ptxas made from PTX here; other compilers' output is not
disassembled.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from cuda_tile.errors import UserError
from cuda_tile.packaged import packaged

_TIME_LIMIT_S = 60


def find_nvdisasm() -> Path | None:
    """The installed package's program, or one on `PATH`."""
    found = packaged("bin/nvdisasm") or shutil.which("nvdisasm")
    return Path(found) if found else None


def disassemble(cubin: bytes, *options: str) -> str:
    """The output of nvdisasm for a cubin's code.

    Args:
        cubin: The ELF image.
        options: Further options, `--print-line-info`.

    Raises:
        UserError: nvdisasm is absent, does not run or fails; says why.
    """
    program = find_nvdisasm()
    if program is None:
        raise UserError(
            "needs nvdisasm: pip install nvidia-cuda-nvdisasm (the extra `report`), or "
            "put it on the PATH"
        )
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        command = [program, "--print-code", *options, file.name]
        try:
            said = subprocess.run(
                command, capture_output=True, text=True, timeout=_TIME_LIMIT_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"nvdisasm did not run: {error}") from None
    if said.returncode:
        raise UserError(f"nvdisasm failed: {said.stderr.strip()}")
    return said.stdout
