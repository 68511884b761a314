"""Bulk copies of boxes of a tensor map: one thread makes them, the hardware the rest.

PTX ISA, "cp.async.bulk.tensor": coordinates are signed, the contiguous dimension comes
first, and elements outside the tensor are read as zeros and not written.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.tiling import view_operand
from cuda_tile.emit.blocks import one_thread
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.copy_places import CopyPlaces
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.vectors import Run
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.tiles import element_bits
from cuda_tile.ir.walk import segments
from cuda_tile.layout.boxes import Boxes, boxes
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout

FIRST_BULK = 90
"""First chip with bulk copies (PTX ISA, "cp.async.bulk.tensor")."""
_LAST = (1 << 31) - 1
"""The last coordinate."""


def copy_boxes_in(e: Emitter, op: ir.Operation) -> None:
    """Copies a tile of a view to a slot; the bytes arrive at the slot's mbarrier.

    A thread may name shared memory of its own CTA in either window, so that the form
    of older PTX versions, with a destination in the cluster, does.
    """
    buffer = e.buffer(segments(op)[3][0])
    if buffer.full is None:
        raise InternalError(f"emit: expected '{op.name}' by tma into a slot of a ring")
    with one_thread(e):
        for start, coordinates in _copies(e, op, buffer):
            count = len(coordinates)
            slots = ", ".join(f"${i + 2}" for i in range(count))
            text = (
                f"cp.async.bulk.tensor.{count}d.shared::cluster.global.tile"
                f".mbarrier::complete_tx::bytes [$0+{start}], [$1, {{{slots}}}], "
                f"[${count + 2}];"
            )
            letters = ",".join(["r", "l", *"r" * count, "r"])
            operands = [buffer.pointer, _map(e, op), *coordinates, buffer.full]
            e.builder.inline_ptx(text, letters, [], operands, side_effects=True)


def _map(e: Emitter, op: ir.Operation) -> ir.Value:
    """Address of the tensor map of a copy."""
    number = integer(op, "map") if "map" in op.attributes else -1
    if not 0 <= number < len(e.maps):
        raise InternalError(
            f"emit: expected one of {len(e.maps)} tensor maps on '{op.name}', got "
            f"{number}"
        )
    return e.maps[number]


def _copies(
    e: Emitter, op: ir.Operation, buffer: Buffer
) -> Iterator[tuple[int, list[ir.Value]]]:
    """The distance of each box from the slot in bytes, and its coordinates."""
    if e.target.capability < FIRST_BULK:
        raise Unsupported(
            f"{op.name}: expected a chip with bulk copies, from sm_{FIRST_BULK} on, "
            f"got {e.target.name}; engine = cp_async in the plan needs none"
        )
    order, found = _boxes(e, op, buffer)
    starts = _starts(e, op)
    b = e.builder
    made: dict[tuple[int, int], ir.Value] = {}
    for box in found.boxes:
        coordinates: list[ir.Value] = []
        for dim, distance in zip(order, box.origin, strict=True):
            if (dim, distance) not in made:
                value = starts[dim]
                if distance:
                    value = b.add(value, b.constant(b.i32, distance))
                made[dim, distance] = value
            coordinates.append(made[dim, distance])
        yield buffer.base_bytes + box.start_bytes, coordinates


def _boxes(
    e: Emitter, op: ir.Operation, buffer: Buffer
) -> tuple[tuple[int, ...], Boxes]:
    """The tile's dimensions in the tensor's order, and the boxes of the buffer."""
    order = describe_access(op, e.facts).order
    found = boxes(buffer.layout, order, element_bits(buffer.element))
    if found is None:
        raise InternalError(
            f"emit: expected a buffer that boxes of a tensor map fill, got "
            f"{op.operands[-1].type} for '{op.name}'"
        )
    return order, found


def _starts(e: Emitter, op: ir.Operation) -> dict[int, ir.Value]:
    """First coordinate of the tile along each dimension (i32)."""
    b, element = e.builder, describe_access(op, e.facts)
    rank = len(element.shape)
    nothing = LinearLayout(element.shape, (), ((0,) * rank,) * N_LANE_BITS)
    run = Run(b.i8, element.element_bytes * 8, 1)
    starts: dict[int, ir.Value] = {}
    for dim, start in CopyPlaces(e, op, nothing, run).starts.items():
        if start.type == b.i64:
            last = b.constant(b.i64, _LAST + 1 - element.shape[dim])
            start = b.op("llvm.intr.umin", b.i64, start, last)
            start = b.op("llvm.trunc", b.i32, start)
        starts[dim] = start
    if len(starts) != rank:
        raise InternalError(f"emit: a tensor map has no {view_operand(op).type}")
    return starts
