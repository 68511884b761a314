# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which thread copies which units from global to shared memory.

A unit is what one `cp.async` moves: 4, 8 or 16 bytes that lie together in both memories
(PTX ISA, "cp.async"). No thread holds the tile in registers, so the layout is free:
neighbouring lanes take neighbouring units of global memory. If the buffer has a swizzle
of the hardware, the 16-byte units of eight such lanes lie in eight different groups of
four banks, so that their writes do not conflict. If a buffer separates words of bytes,
as for scale factors, lines are taken in the order of the buffer.
"""

from __future__ import annotations

from functools import lru_cache

from cuda_tile.layout import f2
from cuda_tile.layout.coords import n_bits, unit_steps
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.layout.shared import SharedLayout, offset_columns
from cuda_tile.records import dataclass

UNIT_BYTES = (4, 8, 16)
"""Sizes of what one `cp.async` moves (PTX ISA, "cp.async": cp-size)."""

LINE_BYTES = 128
"""What a warp asks global memory for at a time (CUDA C++ Best Practices Guide,
"Coalesced Access to Global Memory")."""


@dataclass(frozen=True)
class CopyUnits:
    """How the threads of a CTA copy a tile to a buffer. Offsets count elements.

    Attributes:
        layout: Which elements each thread copies.
        vector: Elements of a unit.
        columns: XOR of each bit of the thread index to the offset in the buffer.
        offsets: XOR of each unit of a thread to that offset.
        registers: For each unit, the first register of the layout.
    """

    layout: LinearLayout
    vector: int
    columns: tuple[int, ...]
    offsets: tuple[int, ...]
    registers: tuple[int, ...]


def unit_elements(shared: SharedLayout, dim: int, most: int, element_bits: int) -> int:
    """Elements along a dimension that lie together and aligned in a buffer.

    Args:
        shared: The buffer's layout.
        dim: The dimension along which they lie together in global memory.
        most: How many lie together in global memory, a power of two.
        element_bits: Width of an element, 8 or more.
    """
    columns = shared.invert()
    limit = min(most, UNIT_BYTES[-1] * 8 // element_bits, shared.shape[dim])
    count = 1
    while count < limit and columns[dim][n_bits(count)] == count:
        count *= 2
    others = [
        column
        for number, bits in enumerate(columns)
        for column in (bits[n_bits(count) :] if number == dim else bits)
    ]
    # Bits of other coordinates that reach into a unit would permute its elements.
    while count > 1 and any(column & (count - 1) for column in others):
        count //= 2
    return count


@lru_cache(maxsize=1024)
def copy_units(
    shared: SharedLayout,
    order: tuple[int, ...],
    most: int,
    element_bits: int,
    n_warps: int,
) -> CopyUnits | None:
    """How to copy a tile; None if units would be smaller than `cp.async` can move.

    Args:
        shared: Layout of the buffer, which has the tile's shape.
        order: Dimensions, fastest in global memory first.
        most: Elements that lie together there and are aligned together.
        element_bits: Width of an element, 8 or more.
        n_warps: Warps that copy.
    """
    vector = unit_elements(shared, order[0], most, element_bits)
    layout = _in_lines(shared, order, vector, element_bits, n_warps)
    return units_of(layout, shared, order[0], vector, element_bits)


def _in_lines(
    shared: SharedLayout,
    order: tuple[int, ...],
    vector: int,
    element_bits: int,
    n_warps: int,
) -> LinearLayout:
    """Neighbouring lanes copy a line of global memory, the next lanes the next row.

    Registers take the rest of a row beyond the line; its offset is a constant.
    """
    shape = shared.shape
    rank, line = len(shape), max(vector, LINE_BYTES * 8 // element_bits)
    zero = (0,) * rank

    fastest, *others = order
    lines = [step for dim in others for step in unit_steps(dim, 1, shape[dim], rank)]
    whole = unit_elements(shared, fastest, shape[fastest], element_bits)
    if (whole, element_bits) == (UNIT_BYTES[0], 8):
        lines.sort(key=shared.offset_of)
    line = min(line, shape[fastest])
    inner = unit_steps(fastest, 1, vector, rank)
    outer = unit_steps(fastest, vector, line, rank)
    outer += lines
    outer += unit_steps(fastest, line, shape[fastest], rank)
    n_warp_bits = n_bits(n_warps)
    threads = outer[: N_LANE_BITS + n_warp_bits]
    threads += [zero] * (N_LANE_BITS + n_warp_bits - len(threads))
    return LinearLayout(
        shape,
        (*inner, *outer[N_LANE_BITS + n_warp_bits :]),
        tuple(threads[:N_LANE_BITS]),
        tuple(threads[N_LANE_BITS:]),
    )


@lru_cache(maxsize=1024)
def units_of(
    layout: LinearLayout,
    shared: SharedLayout,
    dim: int,
    most: int,
    element_bits: int,
) -> CopyUnits | None:
    """As `copy_units`, for a layout that says which thread copies which elements.

    Args:
        layout: A layout of the tile.
        shared: Layout of the buffer.
        dim: The dimension along which elements lie together in global memory.
        most: How many lie together in each thread.
        element_bits: Width of an element, 8 or more.
    """
    vector = unit_elements(shared, dim, most, element_bits)
    if vector * element_bits // 8 not in UNIT_BYTES:
        return None
    columns = offset_columns(layout, shared)
    skipped = layout.free_bits().register
    for step in unit_steps(dim, 1, vector, layout.rank):
        skipped |= 1 << layout.register.index(step)
    firsts = [r for r in range(layout.n_registers) if not r & skipped]
    return CopyUnits(
        layout,
        vector,
        (*columns.lane, *columns.warp),
        tuple(f2.apply(columns.register, first) for first in firsts),
        tuple(firsts),
    )
