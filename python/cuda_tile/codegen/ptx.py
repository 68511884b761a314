# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Level P to LLVM IR and PTX text: in process if LLVM is known to accept all ops."""

from __future__ import annotations

import re
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.codegen import isolated
from cuda_tile.codegen.legality import check_device_code
from cuda_tile.codegen.libdevice import library_path
from cuda_tile.codegen.names import check_name
from cuda_tile.constants import MAX_OPTIMISED_OPS
from cuda_tile.errors import UserError
from cuda_tile.instructions import needs_of
from cuda_tile.ir.launch import CLUSTERS_ATTRIBUTE, emitted_kernels
from cuda_tile.options import Options
from cuda_tile.targets import Target


def to_llvm_ir(module: ir.Operation) -> str:
    """The LLVM IR of a module at level P, before LLVM's own passes.

    Raises:
        UserError: The module holds an op that LLVM does not accept.
    """
    unlisted = check_device_code(module, None)
    if unlisted:
        return _isolated(module, unlisted)
    return _cuda_tile.translate_to_llvmir(module)


def _is_worth_optimising(module: ir.Operation) -> bool:
    return all(
        sum(len(block.operations) for block in kernel.regions[0].blocks)
        < MAX_OPTIMISED_OPS
        for kernel in emitted_kernels(module)
    )


def _target(module: ir.Operation, options: Options) -> Target:
    """The chip, and the PTX version that the kernels ask for."""
    target = options.target
    if all(CLUSTERS_ATTRIBUTE not in op.attributes for op in emitted_kernels(module)):
        return target
    version = max(target.ptx_version, needs_of(".blocksareclusters").ptx_version)
    return replace(target, ptx_version=version)


def to_ptx(module: ir.Operation, options: Options) -> str:
    """The PTX text of a module at level P.

    Args:
        module: The module at level P.
        options: The options of the compilation.

    Raises:
        UserError: The module holds an op that LLVM or the chip does not accept, or
            needs a library that is not installed.
    """
    for kernel in emitted_kernels(module):
        check_name(kernel)
    target = _target(module, options)
    unlisted = check_device_code(module, target)
    level = options.opt_levels[0] if _is_worth_optimising(module) else 0
    library = library_path(module) if options.libdevice else ""
    how = target.features, level, library
    if unlisted:
        text = _isolated(module, unlisted, target.arch, *how)
    else:
        text = _cuda_tile.translate_to_ptx(module, target.arch, *how)
    return re.sub(r"\n{3,}", "\n\n", text)


def empty_ptx(target: Target) -> str:
    """The PTX of a module without kernels, with which producers try a compiler."""
    major, minor = divmod(target.ptx_version, 10)
    return f".version {major}.{minor}\n.target {target.arch}\n.address_size 64\n"


def _isolated(
    module: ir.Operation,
    unlisted: dict[str, str],
    arch: str = "",
    features: str = "",
    level: int = 0,
    library: str = "",
) -> str:
    """Translates a module on which LLVM may abort; an error names the unusual ops.

    Raises:
        UserError: The translation fails; the error names the unusual code.
    """
    try:
        return isolated.translate(module, arch, features, level, library)
    except UserError as error:
        names = ", ".join(f"'{name}'" for name in unlisted)
        message = f"cannot translate code with {names}, which emit never makes: "
        where = next(iter(unlisted.values()))
        raise UserError(message + error.message, where) from None
