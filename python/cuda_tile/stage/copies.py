# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results that one thread obtains go to copies in other warps through shared memory.

If several threads hold copies of an element, one of them does an atomic update, or a
load of data that other tile blocks may be writing: the others could see another value.
Within a warp `emit` passes the result on by shuffles. A scalar has a copy in every
thread.
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
        return True  # the order of the replicas may differ each time
    return len(op.results) > 1 and memory_order(op).is_strong


def share_result(op: ir.Operation, n_warps: int, room_bytes: int) -> None:
    """Passes on the first result of an op if it has copies in other warps.

    Args:
        op: An op; it stays unchanged unless `obtains_once` holds.
        n_warps: Warps of the CTA.
        room_bytes: Bytes that the buffer may take.
    """
    if not obtains_once(op):
        return
    result = op.results[0]
    uses = [(use.owner.operation, use.operand_number) for use in result.uses]
    if all(_goes_through_shared(user) for user, _ in uses):
        return  # the one thread that has it passes it on
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
    """Passes a scalar of thread 0 to all threads, as a tile of one element."""
    layout = LinearLayout.replicated((1,), n_warps)
    one = cuda_tile.ReshapeOp(tile_type(element_of(value), layout), value).result
    loaded = through_shared(one, one, [0], room_bytes)
    return cuda_tile.ReshapeOp(value.type, loaded).result
