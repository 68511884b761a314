# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scale factors of products in tensor memory: threads write them behind the sum.

They are in the columns that follow those of the sum, first those of A, then those of B.
Each warp reaches 32 lanes, and all lanes must have them: four warps write.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.tensor_columns import tensor_products
from cuda_tile.emit.blocks import when
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.mma_operands import join_bytes
from cuda_tile.emit.tensor_memory import (
    WARP_ADDRESSES,
    Piece,
    first_column,
    hand_over,
    store_piece,
    tensor_of,
    wait,
    wait_for_sums,
)
from cuda_tile.ir.async_products import scales_of
from cuda_tile.ir.tiles import element_name, element_of, pending_tile, shape_of
from cuda_tile.ir.walk import enclosing_entry, enclosing_ops
from cuda_tile.layout.tensor import TENSOR_WARPS, TensorAtom, columns_of
from cuda_tile.layout.tensor_scales import (
    FACTORS,
    scale_bits,
    scale_columns,
    scale_place,
)

_MOST_WORDS = 32
"""Words of one store: as many as a sum takes at a time."""


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
        Bits of the descriptor, and from the first column of the sum that of the
        factors of A, and of B; none of a product without factors.
    """
    scales = scales_of(op)
    if not scales:
        return 0, []
    columns: list[int] = []
    starts = _starts(op, atom)
    extents, byte = pending_tile(op.operands[2])[1].shape, 0
    for start, rows, row in zip(starts, extents, at, strict=True):
        column, byte = scale_place(rows, row, k * atom.factors)
        columns.append(start + column)
    element = element_name(element_of(scales[0]))
    return scale_bits(element, (byte, byte)), columns


def _starts(op: ir.Operation, atom: TensorAtom) -> tuple[int, int]:
    """The first columns of the factors of A and of B, from the first of the sum."""
    first = columns_of(pending_tile(op.operands[2])[1].shape, atom.shape[0])
    return first, first + scale_columns(*shape_of(scales_of(op)[0]))


def store_scales(e: Emitter, op: ir.Operation, atom: TensorAtom) -> None:
    """Writes the factors of a product, once no product reads earlier ones.

    Args:
        e: The emitter.
        op: The product.
        atom: Its instruction.
    """
    if _is_behind_others(e, op):
        wait_for_sums(e, ())
    base, first = first_column(e, op.results[0])
    b, starts = e.builder, _starts(op, atom)
    words = [_words(e, value, axis) for axis, value in enumerate(scales_of(op))]
    bits = (e.threads.role.warps - 1).bit_length()
    warp = e.threads.warp_form([1 << bit for bit in range(bits)])
    address = b.add(base, e.threads.warp_form(list(WARP_ADDRESSES)))
    with when(e, b.icmp("ult", warp, b.constant(b.i32, TENSOR_WARPS))):
        shape = b.attribute("#nvvm.tcgen05_ldst_shape<shape_32x32b>")
        for start, values in zip(starts, words, strict=True):
            for number in range(0, len(values), _MOST_WORDS):
                part = values[number : number + _MOST_WORDS]
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
