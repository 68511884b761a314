# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`stmatrix`: a warp stores up to four 8 x 8 matrices of 16-bit elements at once."""

from __future__ import annotations

from cuda_tile.emit.access import pick_words
from cuda_tile.emit.addresses import Addresses, Origin
from cuda_tile.emit.buffer import Buffer
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.ir.tiles import element_bits
from cuda_tile.layout.ldmatrix import LdMatrix, match_stmatrix
from cuda_tile.layout.shared import vector_width

_MATRIX_BITS = 16
_WIDEST_BITS = 128


def find_stmatrix(e: Emitter, fragment: Fragment, buffer: Buffer) -> LdMatrix | None:
    """How `stmatrix` stores a tile; None where it cannot, or vectors are as wide.

    Args:
        e: The emitter.
        fragment: The tile.
        buffer: The buffer.
    """
    bits = element_bits(buffer.element)
    if not e.target.has("nvvm.stmatrix") or bits != _MATRIX_BITS:
        return None
    layout = fragment.layout
    if vector_width(layout, buffer.layout, bits) * bits == _WIDEST_BITS:
        return None
    return match_stmatrix(buffer.layout, layout, bits)


def store_matrices(
    e: Emitter, fragment: Fragment, buffer: Buffer, plan: LdMatrix
) -> None:
    """Stores all registers of a tile.

    Args:
        e: The emitter.
        fragment: The tile.
        buffer: The buffer.
        plan: The instructions.
    """
    b = e.builder
    columns = (*plan.lane_offsets, *plan.warp_offsets)
    start = (buffer.pointer, buffer.base_bytes)
    size_bytes = element_bits(buffer.element) // 8
    addresses = Addresses(e, start, size_bytes, columns, Origin())
    layout = "col" if plan.transposed else "row"
    attributes = {
        "layout": b.attribute(f"#nvvm.mma_layout<{layout}>"),
        "shape": b.attribute("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
        "eltType": b.attribute("#nvvm.ld_st_matrix_elt_type<b16>"),
    }
    for group in plan.groups:
        words = [
            b.bitcast(word, b.i32)
            for registers in group.registers
            for word in pick_words(e, fragment, registers, len(registers))
        ]
        b.create("nvvm.stmatrix", [], [addresses.at(group.offset), *words], attributes)
