# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine tcgen05: the layout in which its sums come to registers."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.engines.tcgen05 import TCGEN05, as_tensor_atom
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import shape_of
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.tensor import tensor_sums
from cuda_tile.place.rules import FRAGMENTS


@FRAGMENTS.register(TCGEN05.name)
def fragments(op: ir.Operation, plan: ProductPlan) -> dict[int, LinearLayout]:
    """Only the sum is ever in registers."""
    atom = as_tensor_atom(plan.atom)
    return {2: tensor_sums(shape_of(op.results[0]), prod(plan.warps), atom)}
