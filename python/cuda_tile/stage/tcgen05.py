# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product in tensor memory: both operands in buffers that descriptors describe.

As for warpgroups, one op starts all instructions, and an `await` right after it gives
the tile. `skew` and `issue` move them apart, so that a sum that a loop carries stays in
tensor memory.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.descriptor_reads import Read, describes, readable_buffer
from cuda_tile.analysis.operand_sources import (
    conversions_of,
    renamed_buffer,
    source_load,
)
from cuda_tile.engines.tcgen05 import TCGEN05, as_tensor_atom
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, ProductPlan
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_bits,
    element_of,
    layout_of,
    shape_of,
)
from cuda_tile.layout.descriptors import UNIT_BYTES, panel_buffer
from cuda_tile.stage.build import renamed_view
from cuda_tile.stage.conversion import conversion_source
from cuda_tile.stage.staging import SIGNS, STAGING, Staging
from cuda_tile.stage.wgmma import near_dim, refuse


@STAGING.register(TCGEN05.name)
def stage_tcgen05(op: ir.Operation, plan: ProductPlan, staging: Staging) -> ir.Value:
    """Starts a product at the current point and awaits it; gives its tile.

    Raises:
        UserError: A plan by hand asks for an instruction that cannot read an operand.
    """
    lhs, rhs = (_in_shared(op, index, plan, staging) for index in (0, 1))
    acc, *scales = list(op.operands)[2:]
    scales = [staging.fills.buffer(value) or value for value in scales]
    pending = PendingType.get(acc.type)
    start = tileas.SettledOp(pending, acc).result
    made = tileas.Tcgen05Op(pending, lhs, rhs, start, scales, plan.atom.name)
    for name in (*SIGNS, PLAN_ATTRIBUTE):
        if name in op.attributes:
            made.operation.attributes[name] = op.attributes[name]
    return tileas.AwaitOp([acc.type], [made.result]).operation.results[0]


def _in_shared(
    op: ir.Operation, index: int, plan: ProductPlan, staging: Staging
) -> ir.Value:
    """The buffer that holds an operand, as instructions read it."""
    operand = op.operands[index]
    filled = staging.fills.buffer(operand)
    if filled is not None:
        if conversions_of(operand):
            raise refuse(op, index, plan.atom, "it is converted after it was loaded")
        bits = element_bits(element_of(operand))
        if not describes(buffer_layout_of(filled), bits, index, plan):
            raise refuse(
                op, index, plan.atom, "no descriptor describes where it is copied"
            )
        return filled
    if as_tensor_atom(plan.atom).packed > 1:
        return _stored_bytes(op, index, plan, staging)
    source = conversion_source(operand) or operand
    layout = readable_buffer(op, index, plan, near_dim(layout_of(source)))
    if layout is None:
        raise refuse(op, index, plan.atom, "its rows are too short")
    return staging.buffers.buffer(op, source, layout)


def _stored_bytes(
    op: ir.Operation, index: int, plan: ProductPlan, staging: Staging
) -> ir.Value:
    """The bytes of an operand of 4 bits that threads load, in a buffer."""
    operand = op.operands[index]
    load = source_load(operand)
    if load is None:
        raise refuse(
            op, index, plan.atom, "its elements are no bytes that it loads, along K"
        )
    tile, read = load.results[0], Read(operand, index, plan)
    shape = shape_of(tile)
    layouts = (
        panel_buffer(shape, 8, dim)
        for dim in reversed(range(len(shape)))
        if shape[dim] >= UNIT_BYTES
    )
    layout = next(filter(read.suits, layouts), None)
    if layout is None:
        raise refuse(op, index, plan.atom, "its rows are too short")
    buffer = staging.buffers.buffer(op, tile, layout)
    return renamed_view(buffer, renamed_buffer(layout, operand))
