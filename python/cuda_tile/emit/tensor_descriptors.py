# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors of buffers that instructions of tensor memory read."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.layout.coords import n_bits
from cuda_tile.layout.descriptors import ADDRESS_BITS, UNIT_BYTES


def matrix_descriptor(e: Emitter, buffer: Buffer, constant: int) -> ir.Value:
    """The descriptor of the whole of a buffer (i64).

    That of slot 0 stays the same in a loop, so that an addition gives the others.

    Args:
        e: The emitter.
        buffer: The buffer.
        constant: The descriptor of such a buffer at address 0.
    """
    b, slot = e.builder, buffer.slot
    start = b.op("llvm.ptrtoint", b.i32, buffer.pointer)
    address = e.shared_address() if slot is not None else start
    address = b.add(address, b.constant(b.i32, buffer.base_bytes))
    units = b.op("llvm.lshr", b.i32, address, b.constant(b.i32, n_bits(UNIT_BYTES)))
    if e.is_pair:  # whose addresses say which CTA's they are, above the field
        units = b.binary("and", units, (1 << ADDRESS_BITS) - 1)
    first = b.add(b.unsigned(units, b.i64), b.constant(b.i64, constant))
    if slot is None:
        return first
    step = b.constant(b.i32, buffer.slot_bytes // UNIT_BYTES)
    return b.add(first, b.unsigned(b.pinned(b.mul(slot, step)), b.i64))


def further(b: Builder, descriptor: ir.Value, distance: int) -> ir.Value:
    """The descriptor (i64) of what lies so many bytes behind what another one is of.

    LLVM 22 takes the descriptor of B for an address and would write a small number
    that is added to it as one of an address, which only ptxas understands.

    Args:
        b: The builder.
        descriptor: The other one.
        distance: Bytes, a multiple of 16.
    """
    if not distance:
        return descriptor
    text = f"add.s64 $0, $1, {distance // UNIT_BYTES};"
    (found,) = b.inline_ptx(text, "=l,l", [b.i64], [descriptor], side_effects=False)
    return found
