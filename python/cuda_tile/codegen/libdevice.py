# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds libdevice, NVIDIA's library of mathematical functions as LLVM bitcode.

It is part of the package `nvidia-nvvm` that this one depends on. Emission declares the
functions that a kernel calls, all named `__nv_...`; only a module with such
declarations is linked with the library, and only with those functions.
"""

from __future__ import annotations

import os
from pathlib import Path

from cuda_tile._mlir import ir
from cuda_tile.errors import UserError
from cuda_tile.ir.walk import block_ops
from cuda_tile.packaged import packaged

PREFIX = "__nv_"
"""Start of the names of the library's functions (NVIDIA, "libdevice User's Guide")."""
FILE_NAME = "libdevice.10.bc"
_MAGIC = b"BC\xc0\xde"
"""How bitcode begins (LLVM, "LLVM Bitcode File Format")."""


def find_libdevice() -> Path:
    """The library to link: `LIBDEVICE`, then the pinned package's.

    Raises:
        UserError: There is none; says how to get it.
    """
    chosen = os.environ.get("LIBDEVICE")
    if chosen:
        if not _is_bitcode(Path(chosen)):
            raise UserError(
                f"expected LIBDEVICE to name a bitcode file, got '{chosen}'"
            )
        return Path(chosen)
    found = packaged(f"nvvm/libdevice/{FILE_NAME}")
    if found is None:
        raise UserError(
            f"expected {FILE_NAME}, which has the functions of the kernel, found none; "
            "install it with 'pip install nvidia-nvvm' or set LIBDEVICE to its path"
        )
    return found


def _is_bitcode(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def library_path(module: ir.Operation) -> str:
    """The library's path if a module at level P declares a function of it, else ''."""
    return str(find_libdevice()) if any(map(_calls, _device_modules(module))) else ""


def _device_modules(module: ir.Operation) -> list[ir.Operation]:
    if module.name == "gpu.module":
        return [module]
    inner = [op for region in module.regions for op in block_ops(region.blocks[0])]
    return [op for op in inner if op.name == "gpu.module"]


def _calls(gpu_module: ir.Operation) -> bool:
    return any(
        op.name == "llvm.func"
        and ir.StringAttr(op.attributes["sym_name"]).value.startswith(PREFIX)
        for op in block_ops(gpu_module.regions[0].blocks[0])
    )
