# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matches `ldmatrix` and `stmatrix` to a distributed and a shared-memory layout.

`ldmatrix` reads 8 x 8 matrices of 16-bit units whose rows are 16 contiguous bytes;
lane i provides the address of row i % 8 of matrix i / 8. Lane l then receives the
4 bytes at position l % 4 of row l / 4, or with `.trans` the units (2 (l % 4), l / 4)
and (2 (l % 4) + 1, l / 4) (PTX ISA, "Warp-level matrix instructions: ldmatrix").
`stmatrix` is the same map in the other direction.

So each row can have any address, and only the bits *inside* a row are prescribed. The
matching below tests nothing else, so a swizzle of 16-byte units does not affect it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from cuda_tile.layout import f2
from cuda_tile.layout.coords import Coord, n_bits
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import (
    OffsetColumns,
    SharedLayout,
    extra_wavefronts,
    offset_columns,
    sum_of_bits,
)
from cuda_tile.records import dataclass

_ROW_BITS = 128
_REGISTER_BITS = 32
_UNIT_BITS = 16


@dataclass(frozen=True)
class LdMatrixGroup:
    """One `ldmatrix` or `stmatrix` instruction.

    Attributes:
        offset: XOR to the element offset of all its row addresses.
        coord: The same as a coordinate.
        registers: For each 32-bit result the tile's registers in it, low bits first.
    """

    offset: int
    coord: Coord
    registers: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class LdMatrix:
    """How `ldmatrix` fills all registers of a tile.

    The row address of a thread in instruction g is, in elements from the buffer's
    start, the XOR of `groups[g].offset` and of `lane_offsets`, `warp_offsets` and
    `block_offsets` at the set bits of its indices.

    Attributes:
        transposed: Whether the instruction carries `.trans`.
        count: Matrices per instruction: 1, 2 or 4.
        lane_offsets: XOR of each lane bit; zero where the instruction ignores it.
        warp_offsets: XOR of each warp bit.
        block_offsets: XOR of each CTA bit.
        lane_coords: `lane_offsets` as coordinates.
        groups: The instructions.
    """

    transposed: bool
    count: Literal[1, 2, 4]
    lane_offsets: tuple[int, ...]
    warp_offsets: tuple[int, ...]
    block_offsets: tuple[int, ...]
    lane_coords: tuple[Coord, ...]
    groups: tuple[LdMatrixGroup, ...]


def ldmatrix_tile(transposed: bool, count: Literal[1, 2, 4]) -> LinearLayout:
    """Gives the layout that one `ldmatrix` loads: `count` stacked 8 x 8 matrices.

    Args:
        transposed: Whether `.trans` is used.
        count: The number of matrices.
    """
    shape = (8 * count, 8)
    stack = ((8, 0), (16, 0))[: count.bit_length() - 1]
    if transposed:
        lane = ((2, 0), (4, 0), (0, 1), (0, 2), (0, 4))
        return LinearLayout(shape, ((1, 0), *stack), lane)
    lane = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
    return LinearLayout(shape, ((0, 1), *stack), lane)


def _packed_bits(
    columns: OffsetColumns, element_bits: int, transposed: bool
) -> list[int] | None:
    """Register bits inside a 32-bit result; None if they do not match."""
    n_packed = (_REGISTER_BITS // element_bits).bit_length() - 1
    if transposed:
        unit = _UNIT_BITS // element_bits  # elements that stay together
        if not unit or columns.lane[2:] != (unit, 2 * unit, 4 * unit):
            return None
        steps = [1 << bit for bit in range(unit.bit_length() - 1)]
        if not set(steps) <= set(columns.register):
            return None
        inner = [columns.register.index(step) for step in steps]
        rows = [bit for bit in range(len(columns.register)) if bit not in inner]
        return [*inner, rows[0]] if rows else None
    steps = [1 << bit for bit in range(n_packed + 2)]
    if columns.lane[:2] != tuple(steps[n_packed:]):
        return None
    if not set(steps[:n_packed]) <= set(columns.register):
        return None
    return [columns.register.index(step) for step in steps[:n_packed]]


def _match(
    shared: SharedLayout, dist: LinearLayout, element_bits: int, transposed: bool
) -> LdMatrix | None:
    columns = offset_columns(dist, shared)
    packed = _packed_bits(columns, element_bits, transposed)
    if packed is None:
        return None
    outer = [bit for bit in range(len(dist.register)) if bit not in packed]
    stacked, rest = outer[:2], outer[2:]
    zero = (0,) * dist.rank
    if transposed:
        rows = [columns.register[packed[-1]], *columns.lane[:2]]
        row_coords = [dist.register[packed[-1]], *dist.lane[:2]]
    else:
        rows, row_coords = list(columns.lane[2:]), list(dist.lane[2:])
    lane_offsets = rows + [columns.register[bit] for bit in stacked]
    in_row = _ROW_BITS // element_bits - 1
    outside = (*lane_offsets, *(columns.register[bit] for bit in rest))
    outside = (*outside, *columns.warp, *columns.block, *columns.origin)
    if any(column & in_row for column in outside):
        return None
    unused = 2 - len(stacked)
    groups: list[LdMatrixGroup] = []
    offsets = dist.register_offsets()
    for index in range(1 << len(rest)):
        first = sum_of_bits(index, rest)
        groups.append(
            LdMatrixGroup(
                offset=f2.apply(columns.register, first),
                coord=offsets[first],
                registers=tuple(
                    tuple(
                        first | sum_of_bits(matrix, stacked) | sum_of_bits(low, packed)
                        for low in range(1 << len(packed))
                    )
                    for matrix in range(1 << len(stacked))
                ),
            )
        )
    return LdMatrix(
        transposed=transposed,
        count=(1, 2, 4)[len(stacked)],
        lane_offsets=(*lane_offsets, *[0] * unused),
        warp_offsets=columns.warp,
        block_offsets=columns.block,
        lane_coords=(
            *row_coords,
            *(dist.register[bit] for bit in stacked),
            *[zero] * unused,
        ),
        groups=tuple(groups),
    )


@lru_cache(maxsize=1024)
def match_ldmatrix(
    shared: SharedLayout, dist: LinearLayout, element_bits: int
) -> LdMatrix | None:
    """Finds the `ldmatrix` instructions that load a tile; None if impossible.

    Elements have 8, 16 or 32 bits. `.trans` moves units of 16 bits: two 8-bit elements
    of a row stay together, and a result has bytes of two rows. The tile may be smaller
    than the buffer, see `offset_columns`. Drop redundant registers first: otherwise
    they are loaded again.

    Args:
        shared: The layout of the buffer, from offsets to coordinates.
        dist: The layout of the tile in registers.
        element_bits: Bits of an element.
    """
    if element_bits not in (8, 16, 32):
        return None
    return _match(shared, dist, element_bits, False) or _match(
        shared, dist, element_bits, True
    )


def match_stmatrix(
    shared: SharedLayout, dist: LinearLayout, element_bits: int
) -> LdMatrix | None:
    """Finds the `stmatrix` instructions that store a tile; None if impossible.

    As `match_ldmatrix`, except that no element may be written twice: if several places
    hold an element, only one of them may write it, and a whole warp cannot do that.

    Args:
        shared: The layout of the buffer, from offsets to coordinates.
        dist: The layout of the tile in registers.
        element_bits: Bits of an element.
    """
    free = dist.free_bits()
    if free.register or free.lane or free.warp:
        return None
    return match_ldmatrix(shared, dist, element_bits)


@dataclass(frozen=True)
class ExchangedRows:
    """Rows of matrices in an order that has fewer bank conflicts.

    Attributes:
        match: The instructions; its `registers` are those of lanes that swap nothing.
        matrix: The bit of a matrix's number that some lanes swap; 0 is the lowest.
        lane: The bit of a lane's number that says whether its results of two matrices
            that differ in that bit have changed places.
    """

    match: LdMatrix
    matrix: int
    lane: int


@lru_cache(maxsize=256)
def exchanged_rows(match: LdMatrix, element_bits: int) -> ExchangedRows | None:
    """Lets two matrices of an instruction exchange rows; None if no exchange is better.

    A lane of a transposed matrix gets elements of two rows. Half of the lanes may as
    well get them in the result of another matrix. A swizzle of bytes that repeats every
    8 rows has bank conflicts if a matrix has rows 0, 1, 4, 5, 8, 9, 12 and 13. It has
    none if one matrix has rows 0, 1, 4, 5, 10, 11, 14 and 15, and its neighbour the
    other rows.

    Args:
        match: The instructions.
        element_bits: Bits of an element.
    """
    before = best = ldmatrix_conflicts(match, element_bits)
    found: ExchangedRows | None = None
    if not match.transposed:
        return None
    for matrix in range(n_bits(match.count)):
        for lane in (0, 1):
            rows = list(match.lane_offsets)
            rows[1 + lane] ^= rows[3 + matrix]
            exchanged = replace(match, lane_offsets=tuple(rows))
            if (conflicts := ldmatrix_conflicts(exchanged, element_bits)) < best:
                best, found = conflicts, ExchangedRows(exchanged, matrix, lane)
    return found if best < before else None


def ldmatrix_conflicts(match: LdMatrix, element_bits: int) -> int:
    """Counts the extra wavefronts of each instruction; a matrix has eight rows.

    Args:
        match: The instructions.
        element_bits: Bits of an element.
    """
    extra = 0
    for matrix in range(match.count):
        lanes = range(8 * matrix, 8 * matrix + 8)
        rows = [f2.apply(match.lane_offsets, lane) for lane in lanes]
        extra += extra_wavefronts([row * element_bits // 8 for row in rows], 16)
    return extra
