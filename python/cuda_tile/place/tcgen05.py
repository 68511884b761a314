# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine tcgen05: layouts of its sums and scale factors in registers."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import source_load
from cuda_tile.engines.tcgen05 import TCGEN05, as_tensor_atom
from cuda_tile.ir.copy_plan import read_load
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import shape_of
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.tensor import tensor_sums
from cuda_tile.layout.tensor_scales import scale_layout
from cuda_tile.place.rules import FRAGMENTS


@FRAGMENTS.register(TCGEN05.name)
def fragments(op: ir.Operation, plan: ProductPlan) -> dict[int, LinearLayout]:
    """Layouts of the sum, and of scale factors that threads store to tensor memory."""
    atom, num_warps = as_tensor_atom(plan.atom), prod(plan.warps)
    scales = {
        number: scale_layout(shape_of(value), number - 3, num_warps)
        for number, value in enumerate(list(op.operands)[3:], 3)
        if not _is_copied(value)
    }
    return {2: tensor_sums(shape_of(op.results[0]), num_warps, atom), **scales}


def _is_copied(scale: ir.Value) -> bool:
    load = source_load(scale)
    return load is not None and read_load(load).is_copy
