# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family copy: copies between global and shared memory that run by themselves."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import Access, describe_access
from cuda_tile.analysis.padding import padding_bits
from cuda_tile.analysis.tiling import tiling_of, view_operand
from cuda_tile.emit.addresses import Addresses, Origin
from cuda_tile.emit.blocks import when
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.bulk import copy_boxes_in
from cuda_tile.emit.copy_places import CopyPlaces
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.vectors import Run
from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.ir.attributes import text
from cuda_tile.ir.tiles import element_bits, layout_of
from cuda_tile.ir.walk import segments
from cuda_tile.layout.copy_units import UNIT_BYTES, CopyUnits, copy_units, units_of

Source = Callable[[int], tuple[ir.Value, ir.Value | None]]
"""The address of the element in a register, and whether it is read; None is always."""


@RULES.register("tileas.copy_in")
def copy_in(e: Emitter, op: ir.Operation) -> None:
    """Bulk copies of boxes by one thread, or `cp.async` of each thread.

    Elements outside the tensor become zeros.
    """
    if text(op, "engine") == "tma":
        copy_boxes_in(e, op)
        e.set(op.results[0], None)
        return
    buffer = e.buffer(segments(op)[3][0])
    access, bits = describe_access(op, e.facts), element_bits(buffer.element)
    n_warps = e.threads.role.warps
    units = copy_units(buffer.layout, access.order, access.vector, bits, n_warps)
    units = _check(op, access, units)
    if padding_bits(tiling_of(view_operand(op)).padding, buffer.element):
        raise InternalError("emit: a copy to shared memory pads with zeros only")
    run = Run(e.element_type(buffer.element), bits, units.vector)
    places = CopyPlaces(e, op, units.layout, run)
    offsets = units.layout.register_offsets()

    def source(register: int) -> tuple[ir.Value, ir.Value | None]:
        place = offsets[register]
        return places.address(register, place), places.inside(register, place)

    _copy(e, units, buffer, run, source)
    e.set(op.results[0], None)


@RULES.register("tileas.gather_in")
def gather_in(e: Emitter, op: ir.Operation) -> None:
    """`cp.async` through the pointers that a thread has; masked units become zeros."""
    pointers, mask, _, (target,) = segments(op)
    buffer, layout = e.buffer(target), layout_of(pointers[0])
    access, bits = describe_access(op, e.facts), element_bits(buffer.element)
    most = access.vector_in(layout)
    units = units_of(layout, buffer.layout, access.fastest, most, bits)
    units = _check(op, access, units)
    run = Run(e.element_type(buffer.element), bits, units.vector)
    addresses = e.packer.scalars(e.fragment(pointers[0]))
    flags = e.packer.scalars(e.fragment(mask[0])) if mask else None

    def source(register: int) -> tuple[ir.Value, ir.Value | None]:
        return addresses[register], None if flags is None else flags[register]

    _copy(e, units, buffer, run, source)
    e.set(op.results[0], None)


def _check(op: ir.Operation, access: Access, units: CopyUnits | None) -> CopyUnits:
    """Refuses copies of less than `cp.async` moves; `plan` chooses other engines.

    Raises:
        Unsupported: Fewer bytes lie together than `cp.async` moves.
    """
    if units is not None:
        return units
    known, buffer = access.vector * access.element_bytes, op.operands[-1].type
    raise Unsupported(
        f"{op.name}: expected {UNIT_BYTES[0]} bytes or more that lie together in "
        f"global memory and in the buffer, got {known} bytes along dimension "
        f"{access.fastest} and {buffer}; a plan without an engine for the load makes "
        "the threads load and store it"
    )


def _copy(
    e: Emitter, units: CopyUnits, buffer: Buffer, run: Run, source: Source
) -> None:
    """Copies all units of a thread; of threads with the same ones, one does."""
    owner = e.threads.is_owner(units.layout)
    if owner is None:
        _copy_units(e, units, buffer, run, source)
        return
    with when(e, owner):
        _copy_units(e, units, buffer, run, source)


def _copy_units(
    e: Emitter, units: CopyUnits, buffer: Buffer, run: Run, source: Source
) -> None:
    b = e.builder
    start, size = (buffer.pointer, buffer.base_bytes), run.bits // 8
    addresses = Addresses(e, start, size, units.columns, Origin(), moves=buffer.moves)
    # Units of 16 bytes pass by the first-level cache (PTX ISA, "cp.async": .cg).
    modifier = "cg" if run.bytes == UNIT_BYTES[-1] else "ca"
    attributes = {
        "size": ir.IntegerAttr.get(b.i32, run.bytes),
        "modifier": b.attribute(f"#nvvm<load_cache_modifier {modifier}>"),
    }
    for offset, register in zip(units.offsets, units.registers, strict=True):
        pointer, is_read = source(register)
        operands = [addresses.at(offset), pointer]
        if is_read is not None:
            operands.append(_size(b, run, is_read))
        b.create("nvvm.cp.async.shared.global", [], operands, attributes)


def _size(b: Builder, run: Run, is_read: ir.Value) -> ir.Value:
    """Bytes to read of a unit: all, or none. The rest of a unit becomes zeros.

    As an instruction of its own: LLVM would divide the conditions among several, and
    ptxas recognises one as the predicate that the copy has in hardware.
    """
    text = f"selp.b32 $0, {run.bytes}, 0, $1;"
    return b.ptx_value(text, b.i32, is_read)
