"""Puts into shared memory what must change threads: operands, conversions, sums.

Contract: in, level W from `place`; out, level W in which every remaining
`convert_layout` stays within a warp and every `reduce` too. Three rewrites:

- a product reads its operands from swizzled buffers, one K-slice at a time;
- a conversion between warps becomes alloc, store, load;
- a reduction across warps becomes one within warps, a conversion of the small
  rest to every thread, and one within threads.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.plan import PRODUCTS
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.options import Options
from cuda_tile.stage.conversion import stage_conversion
from cuda_tile.stage.product import stage_product
from cuda_tile.stage.reduction import split_reduction


def run(module: ir.Operation, options: Options) -> None:
    """Stages every entry of `module`."""
    del options
    for entry in entries(module):
        for op in list(nested_ops(entry)):
            if op.name in PRODUCTS:
                stage_product(op)
        for op in list(nested_ops(entry)):
            if op.name == "cuda_tile.reduce":
                split_reduction(op)
        for op in list(nested_ops(entry)):
            if op.name == "tileas.convert_layout":
                stage_conversion(op)
