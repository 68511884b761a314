# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensor map of a copy: what the launcher must make, and which boxes it moves.

A map counts dimensions from the contiguous one of the tensor outwards; the tile's own
dimensions are in the view's order. All users of maps take the order from this module.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import may_leave
from cuda_tile.analysis.expressions import expression_of, parameter_of
from cuda_tile.analysis.tiling import (
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import element_bits, element_name, element_of
from cuda_tile.ir.walk import (
    block_ops,
    body,
    defining_op,
    enclosing_entry,
    location_text,
)
from cuda_tile.layout.boxes import Boxes, boxes
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.runtime.expressions import Expression
from cuda_tile.runtime.tensor_map import Access, TensorMapParameter


def map_order(view: ir.Value) -> tuple[int, ...] | None:
    """The dimensions of a view's tiles in the order of its tensor map.

    The dimension along which the tensor is known to be contiguous comes first, then
    the others from last to first, as in buffers of panels. None if no dimension is
    contiguous.
    """
    strides = tensor_view_parts(tensor_view_op(view)).strides
    dim_map = tiling_of(view).dim_map
    units = [d for d, target in enumerate(dim_map) if strides[target] == 1]
    if not units:
        return None
    last = max(units, key=lambda d: dim_map[d])
    others = (d for d in reversed(range(len(dim_map))) if d != last)
    return (last, *others)


def map_boxes(view: ir.Value, shared: SharedLayout) -> Boxes | None:
    """The boxes that move a tile of a view from or to a buffer; None if no map can.

    Of a buffer that several CTAs hold together those of one CTA.

    Args:
        view: The view.
        shared: The layout of the buffer.
    """
    order = map_order(view)
    if order is None:
        return None
    return boxes(shared.own, order, element_bits(tiling_of(view).element))


def tensor_map_of(
    op: ir.Operation, shared: SharedLayout, access: Access
) -> TensorMapParameter:
    """The map that a copy of a tile of a view needs.

    Args:
        op: A load, store or copy through a view.
        shared: Layout of the buffer.
        access: Whether the copy loads or stores.

    Raises:
        InternalError: There is no map; `analysis/engines.py` refuses such views.
    """
    view = view_operand(op)
    parts, tiling = tensor_view_parts(tensor_view_op(view)), tiling_of(view)
    order, found = map_order(view), map_boxes(view, shared)
    base = parameter_of(parts.base)
    if order is None or found is None or base is None:
        raise InternalError(
            f"expected a view and a buffer that a tensor map describes, got "
            f"{view.type} and {shared}",
            location_text(op),
        )
    targets = [tiling.dim_map[d] for d in order]
    return TensorMapParameter(
        element=element_name(tiling.element),
        base=base,
        shape=tuple(_expression(op, parts.shape[d]) for d in targets),
        strides=tuple(_expression(op, parts.strides[d]) for d in targets[1:]),
        box=found.extents,
        swizzle_bytes=found.swizzle_bytes,
        access=access,
        required=_is_always_made(enclosing_entry(op), view),
    )


def _is_always_made(entry: ir.Operation, view: ir.Value) -> bool:
    """Whether every tile block computes all operands of a view.

    An assumption or a division in a branch need not be valid if the branch is not
    taken; neither need one after a `return`.
    """
    reached: set[ir.Operation] = set()
    for op in block_ops(body(entry)):
        if may_leave(op):
            break
        reached.add(op)
    work = [view]
    while work:
        op = defining_op(work.pop())
        if op is not None and op not in reached and not op.name.endswith("_view"):
            return False
        work += [] if op is None else list(op.operands)
    return True


def _expression(op: ir.Operation, number: int | ir.Value) -> Expression:
    if isinstance(number, int):
        return Expression.constant(number)
    found = expression_of(number)
    if found is None:
        raise InternalError(
            "expected extents and strides that a launcher can compute",
            location_text(op),
        )
    return found.apply("unsigned", element_bits(element_of(number)))
