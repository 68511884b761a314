"""Level P to LLVM IR and PTX text, in process."""

from __future__ import annotations

import re

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.options import Options


def to_llvm_ir(module: ir.Operation) -> str:
    """The LLVM IR of a module at level P, before LLVM's own passes."""
    return _cuda_tile.translate_to_llvmir(module)


def to_ptx(module: ir.Operation, options: Options) -> str:
    """The PTX text of a module at level P."""
    text = _cuda_tile.translate_to_ptx(
        module, options.target.name, opt_level=options.llvm_opt_level
    )
    return re.sub(r"\n{3,}", "\n\n", text)
