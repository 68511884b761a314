# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Canonicalisation and common subexpression elimination at level T.

Contract: in and out, verified level T. No value changes: a product and a sum are not
contracted, since programs that want this have the op `fma`.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.options import Options


def run(module: ir.Operation, options: Options) -> None:
    """Runs `fold-constants`, which canonicalises too, and MLIR's `cse`.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.
    """
    del options
    PassManager.parse("any(fold-constants,cse)").run(module)
