# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads kernels and writes results, atomically, for the commands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.files import launch_path, load, replace_file

STANDARD_STREAM = "-"
"""The file name that stands for stdin or stdout."""


def read_kernel(name: str) -> ir.Module:
    """Loads a kernel file, text or bytecode; `-` is stdin.

    Raises:
        UserError: As `cuda_tile.load`.
    """
    if name == STANDARD_STREAM:
        return load(sys.stdin.buffer.read())
    return load(name)


def write_output(name: str, data: str | bytes) -> None:
    """Writes a result to a file, or to stdout for `-`.

    The file is written atomically: the data goes to a temporary file in the same
    folder, which is then renamed.

    Raises:
        UserError: The file cannot be written, or bytes would go to a terminal.
    """
    if name == STANDARD_STREAM:
        _write_stdout(data)
        return
    raw = data.encode() if isinstance(data, str) else data
    # Replaces the target of a link, not the link.
    path = Path(os.path.realpath(name))
    try:
        if path.exists() and not path.is_file():  # /dev/null, a named pipe
            path.write_bytes(raw)
        else:
            replace_file(path, raw)
    except OSError as error:
        raise UserError(f"cannot write '{name}': {error.strerror}") from None


def write_beside(cubin: str, records: str) -> None:
    """Writes the launch records of a cubin beside it, where it is a file.

    Raises:
        UserError: As `write_output`.
    """
    path = Path(os.path.realpath(cubin))
    if cubin != STANDARD_STREAM and path.is_file():
        write_output(str(launch_path(path)), records)


def _write_stdout(data: str | bytes) -> None:
    if isinstance(data, str):
        data = (data if data.endswith("\n") else data + "\n").encode()
    elif sys.stdout.isatty():
        raise UserError(
            f"expected a file for {len(data)} bytes that are no text, got a terminal; "
            "use -o FILE"
        )
    # Text is UTF-8, as in files, whatever the locale.
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
