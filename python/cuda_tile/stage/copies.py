# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one thread obtains goes to the copies in other warps through shared memory.

An atomic update, and a load of what other tile blocks may be writing, is made by one of
the threads that hold copies of an element: the others could see another value. Within
a warp `emit` hands it on by shuffles. A scalar has a copy in every thread.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import (
    element_of,
    is_distributed,
    layout_of,
    shape_of,
    tile_type,
)
from cuda_tile.layout.copies import copied_lanes
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.stage.conversion import (
    conversion_source,
    through_shared,
)


def obtains_once(op: ir.Operation) -> bool:
    """Whether each element of the first result is obtained by one thread."""
    if op.name == "cuda_tile.multimem_load_reduce_view_tko":
        return True  # the order of the replicas is not the same twice
    return len(op.results) > 1 and memory_order(op).is_strong


def share_result(op: ir.Operation, n_warps: int, room_bytes: int) -> None:
    """Hands on the first result of an op where it has copies in other warps.

    Args:
        op: An op; others than those of `obtains_once` are left alone.
        n_warps: Warps of the CTA.
        room_bytes: What the buffer may take.
    """
    if not obtains_once(op):
        return
    result = op.results[0]
    uses = [(use.owner.operation, use.operand_number) for use in result.uses]
    if all(_goes_through_shared(user) for user, _ in uses):
        return  # from the one thread that has it
    if is_distributed(result):
        if copied_lanes(layout_of(result)) is not None:
            return
    elif n_warps == 1:
        return
    with ir.InsertionPoint.after(op), op.location:
        if is_distributed(result):
            origin = [0] * len(shape_of(result))
            shared = through_shared(result, result, origin, room_bytes)
        else:
            shared = _scalar_through_shared(result, n_warps, room_bytes)
    for user, number in uses:
        user.operands[number] = shared


def _goes_through_shared(user: ir.Operation) -> bool:
    return bool(user.results) and conversion_source(user.results[0]) is not None


def _scalar_through_shared(value: ir.Value, n_warps: int, room_bytes: int) -> ir.Value:
    """A scalar as thread 0 has it, as a tile of one element on its way."""
    layout = LinearLayout.replicated((1,), n_warps)
    one = cuda_tile.ReshapeOp(tile_type(element_of(value), layout), value).result
    loaded = through_shared(one, one, [0], room_bytes)
    return cuda_tile.ReshapeOp(value.type, loaded).result
