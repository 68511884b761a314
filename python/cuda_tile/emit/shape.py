# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family shape: coordinates, and ops that only rename registers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.forms import PointerSums
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.threads import coordinate_span
from cuda_tile.ir.tiles import (
    element_of,
    is_distributed,
    layout_of,
    memory_bits,
    pointee_of,
)
from cuda_tile.layout.linear import Coord, LinearLayout


@RULES.register("iota")
def iota(e: Emitter, op: ir.Operation) -> None:
    """The element's own coordinate."""
    b = e.builder
    layout = layout_of(op.results[0])
    ty = e.element_type(element_of(op.results[0]))
    values = coordinates(e, layout, 0)
    name = "llvm.zext" if ir.IntegerType(ty).width > 32 else "llvm.trunc"
    if ir.IntegerType(ty).width != 32:
        values = [b.op(name, ty, value) for value in values]
    _note_offsets(e, layout, values, op.results[0])
    e.set(op.results[0], Fragment(layout, tuple(values)))


def _note_offsets(
    e: Emitter, layout: LinearLayout, values: Sequence[ir.Value], iota: ir.Value
) -> None:
    """Notes by how much coordinates of a thread differ, unless they wrap around."""
    if e.facts.of(iota).high is None:
        return
    span, first = coordinate_span(layout, 0), values[0]
    for value, offset in zip(values, layout.register_offsets(), strict=True):
        if not span & offset[0] and value != first:
            e.offsets.note(value, first, offset[0])


def coordinates(e: Emitter, layout: LinearLayout, dim: int) -> list[ir.Value]:
    """The coordinate along `dim` of each register (i32).

    Args:
        e: The emitter.
        layout: The layout of the tile.
        dim: The dimension, from 0.
    """
    b = e.builder
    thread = e.threads.coordinate(layout, dim)
    span = coordinate_span(layout, dim)
    out: list[ir.Value] = []
    for offset in layout.register_offsets():
        part = b.constant(b.i32, offset[dim])
        name = "llvm.xor" if span & offset[dim] else "llvm.add"
        out.append(b.op(name, b.i32, thread, part) if offset[dim] else thread)
    return out


@RULES.register("select")
def select(e: Emitter, op: ir.Operation) -> None:
    """Element by element; the condition has the tile's shape."""
    e.elementwise(op, e.builder.select)


@RULES.register("offset")
def offset(e: Emitter, op: ir.Operation) -> None:
    """Pointer plus signed elements; what a thread's indices share is added once."""
    b, (_, index) = e.builder, op.operands
    size_bytes = memory_bits(pointee_of(op.operands[0])) // 8
    if size_bytes and is_distributed(index):
        indices = e.packer.scalars(e.fragment(index))
        e.elementwise(op, PointerSums(b, e.forms, size_bytes, indices).at)
        return

    def move(pointer: ir.Value, index: ir.Value) -> ir.Value:
        wide = b.resize(index, b.i64)
        # Without a size there are two elements to a byte.
        scaled = b.mul(wide, size_bytes) if size_bytes else b.binary("ashr", wide, 1)
        return b.byte_offset(pointer, scaled)

    e.elementwise(op, move)


@RULES.register("reshape")
def reshape(e: Emitter, op: ir.Operation) -> None:
    """Registers keep their order; rank 0 becomes a copy in every thread."""
    source, result = op.operands[0], op.results[0]
    if not is_distributed(result):
        if not is_distributed(source):
            e.set(result, e.get(source))
        else:
            e.set(result, e.packer.scalars(e.fragment(source))[0])
    elif not is_distributed(source):
        layout = layout_of(result)
        e.set(result, Fragment(layout, (e.scalar(source),) * layout.n_registers))
    else:
        fragment = e.fragment(source)
        e.set(result, Fragment(layout_of(result), fragment.values, fragment.pack))


@RULES.register("permute")
def permute(e: Emitter, op: ir.Operation) -> None:
    """Registers keep their order; only dimensions are renamed."""
    fragment = e.fragment(op.operands[0])
    layout = layout_of(op.results[0])
    e.set(op.results[0], Fragment(layout, fragment.values, fragment.pack))


@RULES.register("broadcast")
def broadcast(e: Emitter, op: ir.Operation) -> None:
    """Each result register is the source register it is a copy of."""
    source, result = op.operands[0], op.results[0]
    if not is_distributed(result):
        e.set(result, e.get(source))
        return
    fragment, layout = e.fragment(source), layout_of(result)
    scalars = e.packer.scalars(fragment)
    if prod(fragment.layout.shape) == 1:
        e.set(result, Fragment(layout, (scalars[0],) * layout.n_registers))
        return
    where: dict[Coord, int] = {}
    for register, place in enumerate(fragment.layout.register_offsets()):
        where.setdefault(place, register)
    keep = tuple(extent - 1 for extent in fragment.layout.shape)
    values = [
        scalars[where[tuple(c & k for c, k in zip(place, keep, strict=True))]]
        for place in layout.register_offsets()
    ]
    e.set(result, Fragment(layout, tuple(values)))
