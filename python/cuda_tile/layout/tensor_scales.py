# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where scale factors of products in tensor memory lie, and how they get there.

PTX ISA, "Block Scaling": a column holds the factors of 32 rows of A or columns of B,
one row in each lane, repeated in the 32 lanes of each warp. A word has four factors of
a row along K. An instruction takes one, two or four of them, starting at the byte that
its descriptor names.

`tcgen05.cp` of 32x128b.warpx4 copies 32 rows of 16 bytes from shared memory to four
columns, the same for each warp ("Data Movement Shape"). So the words of four columns
stand side by side in shared memory, followed by those of the next lane.
"""

from __future__ import annotations

from cuda_tile.layout.coords import n_bits, unit_steps
from cuda_tile.layout.descriptors import OperandDescriptor
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.tensor import TensorAtom

FACTORS = 4
"""Scale factors of 8 bits in a word of tensor memory."""
ROWS = 32
"""Rows whose factors are in one column: the lanes that a warp reaches."""
COPIED_COLUMNS = 4
"""Columns that one `tcgen05.cp` of 32x128b fills."""
COPIED_BYTES = ROWS * COPIED_COLUMNS * FACTORS
"""Bytes of shared memory that it reads."""
COPIED = OperandDescriptor(0, 16, 128, is_transposed=False, rows=(), depths=())
"""How it finds them: 8 rows of 16 bytes, one behind the other, 128 bytes apart."""
_TYPE_BIT = 23
_BYTE_BITS = (29, 4)
_POWERS = "f8E8M0FNU"


def scale_layout(shape: tuple[int, ...], axis: int, num_warps: int) -> LinearLayout:
    """The layout of a tile of factors; a thread has those of the rows of its lane.

    Registers count along a word, then words of further rows, then words along K.

    Args:
        shape: M x S, or S x N.
        axis: The dimension of rows of A or columns of B.
        num_warps: Number of warps; all hold the same factors.
    """
    rows, factors = shape[axis], shape[1 - axis]
    lane = unit_steps(axis, 1, min(ROWS, rows), 2)
    spare = [(0, 0)] * (ROWS.bit_length() - 1 - len(lane))
    register = (
        *unit_steps(1 - axis, 1, min(FACTORS, factors), 2),
        *unit_steps(axis, ROWS, rows, 2),
        *unit_steps(1 - axis, FACTORS, factors, 2),
    )
    warp = [(0, 0)] * (num_warps.bit_length() - 1)
    return LinearLayout((shape[0], shape[1]), register, (*lane, *spare), tuple(warp))


def scale_buffer(shape: tuple[int, ...], axis: int) -> SharedLayout | None:
    """The buffer from which `tcgen05.cp` copies the factors of an operand.

    Args:
        shape: M x S, or S x N.
        axis: The dimension of rows of A or columns of B.

    Returns:
        The layout; None if the factors do not fill words, lanes and four columns.
    """
    rows, factors = shape[axis], shape[1 - axis]
    if (
        rows < ROWS
        or factors < FACTORS
        or scale_columns(rows, factors) < COPIED_COLUMNS
    ):
        return None
    column = [
        *unit_steps(axis, ROWS, rows, 2),
        *unit_steps(1 - axis, FACTORS, factors, 2),
    ]
    inner = n_bits(COPIED_COLUMNS)
    offset = (
        *unit_steps(1 - axis, 1, FACTORS, 2),
        *column[:inner],
        *unit_steps(axis, 1, ROWS, 2),
        *column[inner:],
    )
    return SharedLayout((shape[0], shape[1]), offset)


def scale_columns(rows: int, factors: int) -> int:
    """Columns of tensor memory that the factors of one operand take.

    Args:
        rows: Rows of A, or columns of B.
        factors: Factors of each row or column.
    """
    return -(-rows // ROWS) * -(-factors // FACTORS)


def scale_place(rows: int, row: int, factor: int) -> tuple[int, int]:
    """The column of a factor, counted from its operand's first, and its byte there.

    Args:
        rows: Rows of A, or columns of B.
        row: The row.
        factor: The number of the factor along K.
    """
    word, byte = divmod(factor, FACTORS)
    return word * -(-rows // ROWS) + row // ROWS, byte


def scale_bits(scale: str, bytes_: tuple[int, int]) -> int:
    """The bits of an instruction descriptor that describe scale factors.

    PTX ISA, "Instruction descriptor", kinds with scale factors.

    Args:
        scale: Element type of the factors.
        bytes_: First byte of the factors of A and of B in their words.
    """
    bits = int(scale == _POWERS) << _TYPE_BIT
    for place, byte in zip(_BYTE_BITS, bytes_, strict=True):
        bits |= byte << place
    return bits


def columns_of_scales(atom: TensorAtom, extents: tuple[int, int, int]) -> int:
    """Columns of tensor memory that all factors of a product take.

    Args:
        atom: The instruction of the product.
        extents: M, N and K of the product.
    """
    m, n, k = extents
    factors = k // atom.shape[2] * atom.factors
    return scale_columns(m, factors) + scale_columns(n, factors)
