# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scale factors of products in tensor memory: first those of A, then those of B.

Where a slot has them, the thread that starts the product copies them before, to columns
of that slot: the copies of a thread come before products that it starts later, but may
overtake earlier ones (PTX ISA, "tcgen05 memory consistency model", pipelined
instructions), which are done when their slot is filled again. Else threads write them
to the columns that follow those of the sum. Each warp reaches 32 lanes, and all lanes
must have them: four warps write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.tensor_columns import tensor_products
from cuda_tile.constants import TENSOR_ACCESS_REGISTERS
from cuda_tile.emit.blocks import when
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.mma_operands import join_bytes
from cuda_tile.emit.tensor_descriptors import further, matrix_descriptor
from cuda_tile.emit.tensor_memory import (
    WARP_ADDRESSES,
    Piece,
    first_column,
    hand_over,
    pointer_of,
    store_piece,
    tensor_of,
    wait,
    wait_for_sums,
)
from cuda_tile.ir.async_products import copied_scales_of, scales_of
from cuda_tile.ir.tiles import element_name, element_of, pending_tile, shape_of
from cuda_tile.ir.walk import enclosing_entry, enclosing_ops
from cuda_tile.layout.tensor import TENSOR_WARPS, TensorAtom, columns_of
from cuda_tile.layout.tensor_scales import (
    COPIED,
    COPIED_BYTES,
    COPIED_COLUMNS,
    FACTORS,
    scale_bits,
    scale_columns,
    scale_place,
)


def scales_at(
    op: ir.Operation, atom: TensorAtom, at: tuple[int, int], k: int
) -> tuple[int, list[int]]:
    """What one instruction's descriptor says of its factors, and their columns.

    Args:
        op: The product.
        atom: The instruction.
        at: Its first row of A and first column of B.
        k: Its number along K.

    Returns:
        Bits of the descriptor, and the column of the factors of A, and of B, from the
        first of all; none of a product without factors.
    """
    scales = scales_of(op)
    if not scales:
        return 0, []
    columns: list[int] = []
    starts = _starts(op)
    extents, byte = pending_tile(op.operands[2])[1].shape, 0
    for start, rows, row in zip(starts, extents, at, strict=False):
        column, byte = scale_place(rows, row, k * atom.factors)
        columns.append(start + column)
    element = element_name(_parts(scales[0])[0])
    return scale_bits(element, (byte, byte)), columns


def _starts(op: ir.Operation) -> tuple[int, int, int]:
    """Where the factors of A and of B begin, and their end, from the first column."""
    (_, (m, s)), (_, (_, n)) = map(_parts, scales_of(op))
    first = scale_columns(m, s)
    return 0, first, first + scale_columns(n, s)


def _parts(scale: ir.Value) -> tuple[ir.Type, tuple[int, ...]]:
    """Element type and extents of factors, in a tile or a buffer."""
    if isinstance(scale.type, BufferType):
        kind = BufferType(scale.type)
        return kind.element_type, tuple(kind.shape)
    return element_of(scale), shape_of(scale)


def scale_start(e: Emitter, op: ir.Operation, atom: TensorAtom) -> tuple[ir.Value, int]:
    """Address of the kernel's columns or of a slot's, and where its factors begin.

    Args:
        e: The emitter.
        op: The product.
        atom: Its instruction.
    """
    copied = copied_scales_of(op)
    if not copied:
        base, first = first_column(e, op.results[0])
        return base, first + columns_of(
            pending_tile(op.operands[2])[1].shape, atom.shape[0]
        )
    b, tensor, slot = e.builder, tensor_of(e), e.buffer(copied[0]).slot
    first = tensor.places.scales[op.results[0]]
    if slot is None:
        return tensor.base, first
    step = b.constant(b.i32, _starts(op)[-1])
    return b.add(tensor.base, b.mul(slot, step)), first


def copy_scales(
    e: Emitter, op: ir.Operation, target: tuple[ir.Value, int]
) -> Iterator[Callable[[], None]]:
    """What starts each copy of factors of a product that buffers hold.

    Args:
        e: The emitter, in the warp that starts the product.
        op: The product.
        target: What `scale_start` gives.
    """
    b, (base, first) = e.builder, target
    for start, value in zip(_starts(op), copied_scales_of(op), strict=False):
        buffer = e.buffer(value)
        source = matrix_descriptor(e, buffer, COPIED.tensor_constant)
        for number in range(prod(buffer.layout.shape) // COPIED_BYTES):
            column = first + start + number * COPIED_COLUMNS
            place = source, number * COPIED_BYTES
            yield partial(_copy, b, b.add(base, b.constant(b.i32, column)), place)


def _copy(b: Builder, target: ir.Value, place: tuple[ir.Value, int]) -> None:
    """Starts one copy, from so far behind the start of a buffer."""
    operands = [pointer_of(b, target), further(b, *place)]
    b.create("nvvm.tcgen05.cp", [], operands, _copy_attributes(b))


def _copy_attributes(b: Builder) -> dict[str, ir.Attribute]:
    return {
        "shape": b.attribute("#nvvm.tcgen05_cp_shape<shape_32x128b>"),
        "multicast": b.attribute("#nvvm.tcgen05_cp_multicast<warpx4>"),
    }


def store_scales(e: Emitter, op: ir.Operation, atom: TensorAtom) -> None:
    """Writes the factors of a product, once no product reads earlier ones.

    Args:
        e: The emitter.
        op: The product.
        atom: Its instruction.
    """
    if _is_behind_others(e, op):
        wait_for_sums(e, ())
    base, first = scale_start(e, op, atom)
    b, starts = e.builder, _starts(op)
    words = [_words(e, value, axis) for axis, value in enumerate(scales_of(op))]
    bits = (e.threads.role.warps - 1).bit_length()
    warp = e.threads.warp_form([1 << bit for bit in range(bits)])
    address = b.add(base, e.threads.warp_form(list(WARP_ADDRESSES)))
    with when(e, b.icmp("ult", warp, b.constant(b.i32, TENSOR_WARPS))):
        shape = b.attribute("#nvvm.tcgen05_ldst_shape<shape_32x32b>")
        for start, values in zip(starts, words, strict=False):
            for number in range(0, len(values), TENSOR_ACCESS_REGISTERS):
                part = values[number : number + TENSOR_ACCESS_REGISTERS]
                at = b.constant(b.i32, first + start + number)
                store_piece(e, Piece(b.add(address, at), shape, ()), part)
        wait(b, "store")
    hand_over(e)


def _is_behind_others(e: Emitter, op: ir.Operation) -> bool:
    """Whether products may still run that read the columns of the factors."""
    is_repeated = any(map(_cuda_tile.is_loop, enclosing_ops(op.results[0])))
    is_only = len(tensor_products(enclosing_entry(op))) == 1
    return is_repeated or not is_only or bool(tensor_of(e).places.shared)


def _words(e: Emitter, value: ir.Value, axis: int) -> list[ir.Value]:
    """The words (i32) of a thread's factors, up to four along K in each."""
    scalars = e.packer.scalars(e.fragment(value))
    size = min(FACTORS, shape_of(value)[1 - axis])
    starts = range(0, len(scalars), size)
    return [join_bytes(e, scalars[start : start + size]) for start in starts]
