# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies of a tile through its tensor map: where each begins on both sides."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.tensor_maps import map_boxes, map_order
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.cta_pairs import first_of_cta
from cuda_tile.emit.emitter import Emitter
from cuda_tile.errors import InternalError
from cuda_tile.ir.maps import number_of_map
from cuda_tile.ir.walk import location_text
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.records import dataclass

_HALF = 1 << 31


@dataclass(frozen=True)
class BulkCopies:
    """The copies of one op.

    Attributes:
        tensor_map: Address of the map.
        places: For each copy the distance in bytes of its place from the buffer's
            pointer, and its coordinates (i32) in the tensor, contiguous dimension
            first.
    """

    tensor_map: ir.Value
    places: tuple[tuple[int, tuple[ir.Value, ...]], ...]


def bulk_copies(e: Emitter, op: ir.Operation, buffer: Buffer) -> BulkCopies:
    """The copies between a buffer and the tile of a view.

    Args:
        e: The emitter.
        op: A `copy_in` or `copy_out` with a tensor map.
        buffer: Its buffer.

    Raises:
        InternalError: It has no map, or none can describe the buffer.
    """
    view, number = view_operand(op), number_of_map(op)
    order, found = map_order(view), map_boxes(view, buffer.layout)
    if number is None or not number < len(e.maps) or order is None or found is None:
        raise InternalError(
            f"emit: expected '{op.name}' with a tensor map of boxes that fill "
            f"{buffer.layout}, got number {number} of {len(e.maps)}",
            location_text(op),
        )
    if buffer.base_bytes % found.alignment_bytes:
        raise InternalError(
            f"emit: expected a buffer at a multiple of {found.alignment_bytes} bytes, "
            f"got {buffer.base_bytes}",
            location_text(op),
        )
    b, indices = e.builder, index_operands(op)
    starts = [_start_of_cta(e, view, d, indices[d], buffer.layout) for d in order]
    made: dict[tuple[int, int], ir.Value] = {}
    places: list[tuple[int, tuple[ir.Value, ...]]] = []
    for box in found.boxes:
        for at in enumerate(box.origin):
            if at not in made:
                start, first = starts[at[0]], b.constant(b.i32, at[1])
                made[at] = b.add(start, first) if at[1] else start
        coordinates = tuple(made[at] for at in enumerate(box.origin))
        places.append((buffer.base_bytes + box.start_bytes, coordinates))
    return BulkCopies(e.maps[number], tuple(places))


def _start_of_cta(
    e: Emitter, view: ir.Value, dim: int, index: ir.Value, layout: SharedLayout
) -> ir.Value:
    """First element along one dimension of what this CTA copies of the tile."""
    start, own = _start(e, view, dim, index), first_of_cta(e, layout, dim)
    return start if own is None else e.builder.add(start, own)


def _start(e: Emitter, view: ir.Value, dim: int, index: ir.Value) -> ir.Value:
    """First element of the tile along one dimension, a signed i32.

    Coordinates of copies are signed (PTX ISA, "cp.async.bulk.tensor"). A tile that
    begins beyond 2^31 lies outside every tensor; so does one that ends before 0, as
    which it is named.
    """
    b, known, tiling = e.builder, e.facts.of(index), tiling_of(view)
    step, extent, value = tiling.steps[dim], tiling.tile_shape[dim], e.scalar(index)
    value = b.unsigned(value, b.i32)
    limit = (_HALF - extent) // step + 1
    is_near: ir.Value | None = None
    if known.low is None or known.low < 0 or known.high is None or known.high >= limit:
        is_near = b.icmp("ult", value, limit)
    if value.type != b.i32:
        value = b.op("llvm.trunc", b.i32, value)
    start = b.mul(value, step) if step > 1 else value
    if is_near is None:
        return start
    return b.select(is_near, start, b.constant(b.i32, -extent))
