"""Level P to LLVM IR and PTX text: in process, as long as LLVM is known to bear it."""

from __future__ import annotations

import re

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.codegen import isolated
from cuda_tile.codegen.legality import check_device_code
from cuda_tile.codegen.libdevice import library_path
from cuda_tile.errors import UserError
from cuda_tile.options import Options


def to_llvm_ir(module: ir.Operation) -> str:
    """The LLVM IR of a module at level P, before LLVM's own passes.

    Raises:
        UserError: The module holds what LLVM cannot take.
    """
    unlisted = check_device_code(module, None)
    if unlisted:
        return _isolated(module, unlisted)
    return _cuda_tile.translate_to_llvmir(module)


def to_ptx(module: ir.Operation, options: Options) -> str:
    """The PTX text of a module at level P.

    Raises:
        UserError: The module holds what LLVM or the chip cannot take, or needs a
            library that is not installed.
    """
    target = options.target
    unlisted = check_device_code(module, target)
    how = target.features, options.llvm_opt_level, library_path(module)
    if unlisted:
        text = _isolated(module, unlisted, target.arch, *how)
    else:
        text = _cuda_tile.translate_to_ptx(module, target.arch, *how)
    return re.sub(r"\n{3,}", "\n\n", text)


def _isolated(
    module: ir.Operation,
    unlisted: dict[str, str],
    arch: str = "",
    features: str = "",
    level: int = 0,
    library: str = "",
) -> str:
    """Translates what may end the process; an error names what is unusual."""
    try:
        return isolated.translate(module, arch, features, level, library)
    except UserError as error:
        names = ", ".join(f"'{name}'" for name in unlisted)
        message = f"cannot translate code with {names}, which emit never makes: "
        where = next(iter(unlisted.values()))
        raise UserError(message + error.message, where) from None
