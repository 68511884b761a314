"""Family shape: constants and coordinates; the other ops only rename registers."""

from __future__ import annotations

from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_bits, constant_of, constant_splat
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.threads import coordinate_span
from cuda_tile.errors import Unsupported
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    is_distributed,
    layout_of,
    pointee_of,
)
from cuda_tile.ir.walk import location_text
from cuda_tile.layout.linear import Coord, LinearLayout


@RULES.register("constant")
def constant(e: Emitter, op: ir.Operation) -> None:
    """One LLVM constant for all elements."""
    result = op.results[0]
    ty = e.element_type(element_of(result))
    # A byte that carries a float of 8 bits is known by its bits only.
    is_integer = isinstance(ty, ir.IntegerType)
    value = constant_bits(op) if is_integer else constant_splat(op)
    if value is None:
        raise Unsupported(
            "constant: expected one value for all elements; a list of values runs on "
            "the interpreter only"
        )
    scalar = e.builder.constant(ty, value)
    if not is_distributed(result):
        e.set(result, scalar)
        return
    layout = layout_of(result)
    e.set(result, Fragment(layout, (scalar,) * layout.n_registers))


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
    e.set(op.results[0], Fragment(layout, tuple(values)))


@RULES.register("extract")
def extract(e: Emitter, op: ir.Operation) -> None:
    """Picks registers: `stage` leaves only parts that each thread holds already."""
    source, layout = e.fragment(op.operands[0]), layout_of(op.results[0])
    parts = [n for n in map(constant_of, list(op.operands)[1:]) if n is not None]
    if len(parts) < layout.rank or source.layout.bases[1:] != layout.bases[1:]:
        raise Unsupported(
            "extract: expected constant indices and a part that every thread holds; "
            "others run on the interpreter only",
            location_text(op),
        )
    origin = [n * extent for n, extent in zip(parts, layout.shape, strict=True)]
    registers = {place: r for r, place in enumerate(source.layout.register_offsets())}
    scalars = e.packer.scalars(source)
    picked = [
        registers[tuple(map(sum, zip(origin, place, strict=True)))]
        for place in layout.register_offsets()
    ]
    e.set(op.results[0], Fragment(layout, tuple(scalars[r] for r in picked)))


def coordinates(e: Emitter, layout: LinearLayout, dim: int) -> list[ir.Value]:
    """The coordinate along `dim` of each register (i32)."""
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
    """Pointer plus signed elements."""
    b = e.builder
    size = element_bits(pointee_of(op.operands[0])) // 8

    def move(pointer: ir.Value, index: ir.Value) -> ir.Value:
        scaled = b.mul(b.resize(index, b.i64), b.constant(b.i64, size))
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
