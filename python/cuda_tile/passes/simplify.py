"""Level T, tidied: dead and repeated operations gone.

Contract: in and out, verified level T. Nothing here may change a value: sums
and products are not contracted, since a tile program has `fma` for that.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.passmanager import PassManager
from cuda_tile.options import Options


def run(module: ir.Operation, options: Options) -> None:
    """Canonicalises and removes common subexpressions."""
    del options
    PassManager.parse("any(canonicalize,cse)").run(module)
