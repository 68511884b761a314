# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A store by the copy engine: its tile goes to a buffer, which the engine copies out.

The buffer consists of panels of a hardware swizzle in the tensor's own order: of the
possible swizzles, the one that threads write with the fewest instructions and bank
conflicts.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.tensor_maps import map_boxes, map_order, tensor_map_of
from cuda_tile.analysis.tiling import index_operands, view_operand
from cuda_tile.errors import UserError
from cuda_tile.ir.copy_plan import TMA, read_store
from cuda_tile.ir.maps import add_map
from cuda_tile.ir.tiles import element_bits, element_of, layout_of
from cuda_tile.ir.traits import ALLOCATES, COPIES, FOR_LOOPS, VIEW_STORES
from cuda_tile.ir.walk import enclosing_entry, listed_ops, location_text, nested_ops
from cuda_tile.layout.ldmatrix import ldmatrix_conflicts, match_stmatrix
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import SWIZZLE_BYTES, access_cost, swizzled
from cuda_tile.stage.build import alloc

_MATRIX_BITS = 16


def stage_stores(entry: ir.Operation) -> None:
    """Replaces the stores of an entry whose plan names the copy engine."""
    for op in listed_ops(entry):
        if op.name in VIEW_STORES and read_store(op).engine == TMA:
            _stage(op)


def _stage(op: ir.Operation) -> None:
    """Makes a buffer, the stores of the threads, and a copy that is awaited.

    The copy is awaited at once. But in a loop in which no other op needs the buffer's
    bytes, it is awaited before the next iteration stores, and after the loop.

    Raises:
        UserError: A plan by hand asks for what the engine cannot store.
    """
    tile, view = op.operands[0], view_operand(op)
    shared = _buffer_layout(view, layout_of(tile), element_bits(element_of(tile)))
    if shared is None:
        raise UserError(
            "expected a store of rows of 16 bytes or more to a view of a contiguous "
            f"tensor where the plan names engine {TMA}, got {view.type}",
            location_text(op),
        )
    entry = enclosing_entry(op)
    loop = _loop_of_stores(op)
    with ir.InsertionPoint(loop or op), op.location:
        buffer = alloc(element_of(tile), shared)
    with ir.InsertionPoint(op), op.location:
        if loop is not None:
            tileas.AwaitCopiesOp(read=True)
        tileas.StoreSharedOp(tile, buffer)
        made = tileas.CopyOutOp(
            op.results[0].type,
            buffer,
            view,
            index_operands(op),
            TMA,
            map=add_map(entry, tensor_map_of(op, shared, "store")),
        )
    with ir.InsertionPoint.after(loop or made.operation), op.location:
        tileas.AwaitCopiesOp(read=True)
    op.results[0].replace_all_uses_with(made.result_token)
    op.erase()


def _loop_of_stores(op: ir.Operation) -> ir.Operation | None:
    """The loop around an op that has no other stores; None if there is none."""
    assert op.parent is not None, "stores stand in an entry"
    loop = op.parent.operation
    if loop.name not in FOR_LOOPS:
        return None
    inner = [each for each in nested_ops(loop) if each != loop]
    is_busy = any(
        len(each.regions) or each.name in COPIES or each.name in ALLOCATES
        for each in inner
    )
    return (
        None if is_busy or sum(each.name in VIEW_STORES for each in inner) > 1 else loop
    )


def _buffer_layout(
    view: ir.Value, layout: LinearLayout, bits: int
) -> SharedLayout | None:
    """The best layout that a tensor map describes; None if there is none."""
    order, shape = map_order(view), layout.shape
    if order is None:
        return None
    row_bytes = shape[order[0]] * bits // 8
    found = [
        swizzled(shape, bits, order, span)
        for span in reversed(SWIZZLE_BYTES)
        if span <= row_bytes
    ]
    usable = [shared for shared in found if map_boxes(view, shared) is not None]
    return min(usable, key=lambda shared: _cost(layout, shared, bits), default=None)


def _cost(layout: LinearLayout, shared: SharedLayout, bits: int) -> int:
    """Instructions and wavefronts of a warp that stores the tile."""
    plain = access_cost(layout, shared, bits)
    match = match_stmatrix(shared, layout, bits) if bits == _MATRIX_BITS else None
    if match is None:
        return plain
    conflicts = ldmatrix_conflicts(match, bits)
    return min(plain, len(match.groups) * (1 + match.count + conflicts))
