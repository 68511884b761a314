# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix descriptors: how `wgmma` and `tcgen05` find an operand in shared memory.

A descriptor names one of eight canonical arrangements by a start address, two strides
and a swizzle (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout",
"Strides", "Canonical Layouts", "Matrix Descriptor Format"). Units move as 16 bytes.
With a span of S bytes, before the swizzle and relative to the start:

    K-major, S = 0     row % 8 * 16 + row / 8 * SBO + unit of K * LBO
    K-major, S > 0     row % 8 * S + row / 8 * SBO + unit of K * 16
    MN-major, S = 0    k % 8 * 16 + k / 8 * LBO + unit of row * SBO
    MN-major, S > 0    k % 8 * S + k / 8 * SBO + unit in the span * 16 + span * LBO

where a row is one of M or of N, LBO is the leading and SBO the stride byte offset. The
swizzle XORs bits of the address above 128 bytes into those of the unit, so a buffer
must begin where its pattern does. Descriptors of `tcgen05` name the same arrangements
by other bits (PTX ISA, "Shared memory descriptor"); `tcgen05` also reads 8-bit elements
along M or N.

`describe` divides any `SharedLayout` by these: all extents are powers of two, so it
compares what each bit of a coordinate adds to the offset.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from cuda_tile.layout.coords import LayoutError, n_bits
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import SWIZZLE_BYTES, swizzled
from cuda_tile.records import dataclass

UNIT_BYTES = 16
"""What a swizzle moves as one."""
K_BYTES = 32
"""Bytes along K of one instruction."""
_ROWS_OF_PATTERN = 8
_MODES = {0: 0, 128: 1, 64: 2, 32: 3}
"""Bits 62 and 63 of a descriptor by the span of the swizzle."""
_TENSOR_MODES = {0: 0, 128: 2, 64: 4, 32: 6}
"""Bits 61 to 63 of a descriptor of `tcgen05`."""
_TENSOR_CONSTANT = 1 << 46
"""What bits 46 to 48 of such a descriptor must hold."""
ADDRESS_BITS = 14
"""Bits of each of the fields, in units of 16 bytes."""
_WITHOUT_MEANING = 1
"""What fields hold that the arrangement does not use, in units of 16 bytes."""

WORDS_ACROSS, BYTES_ACROSS = (16,), (8, 16)
"""Widths of elements that `wgmma`, and `tcgen05`, reads along M or N. Those of 32 bits
it reads so from a swizzle of units of 32 bytes alone, which copies here do not make."""

OperandRole = Literal["a", "b"]


@dataclass(frozen=True)
class OperandDescriptor:
    """How the instructions of a product find an operand in its buffer.

    Attributes:
        swizzle_bytes: Span of the swizzle: 0, 32, 64 or 128.
        leading_bytes: Leading byte offset, 0 where it has no meaning.
        stride_bytes: Stride byte offset, 0 where it has no meaning.
        is_transposed: Whether the buffer is contiguous along M or N ("MN-major").
        rows: Byte offset that each bit of M or N beyond those of one instruction adds,
            low bit first.
        depths: The same for the bits of K beyond those of one instruction.
    """

    swizzle_bytes: int
    leading_bytes: int
    stride_bytes: int
    is_transposed: bool
    rows: tuple[int, ...]
    depths: tuple[int, ...]

    @property
    def alignment_bytes(self) -> int:
        """The alignment that the address of the buffer must have."""
        return max(UNIT_BYTES, _ROWS_OF_PATTERN * self.swizzle_bytes)

    def start_bytes(self, row: int, depth: int) -> int:
        """Byte offset in the buffer at which the operand of an instruction begins.

        Args:
            row: Number of the instruction along M or N.
            depth: Number of the instruction along K.
        """
        return _sum_at(self.rows, row) + _sum_at(self.depths, depth)

    @property
    def constant(self) -> int:
        """The 64-bit descriptor for `wgmma` of a buffer at address 0."""
        return _MODES[self.swizzle_bytes] << 62 | self._distances

    @property
    def tensor_constant(self) -> int:
        """The 64-bit descriptor for `tcgen05` of a buffer at address 0."""
        mode = _TENSOR_MODES[self.swizzle_bytes] << 61
        return mode | _TENSOR_CONSTANT | self._distances

    @property
    def _distances(self) -> int:
        """The descriptor's fields for the leading and the stride byte offset."""
        bits = 0
        for place, size in ((16, self.leading_bytes), (32, self.stride_bytes)):
            bits |= (size // UNIT_BYTES or _WITHOUT_MEANING) << place
        return bits


def _sum_at(values: tuple[int, ...], index: int) -> int:
    return sum(value for bit, value in enumerate(values) if index >> bit & 1)


def unswizzled(address: int, span_bytes: int) -> int:
    """The address that a swizzle moves to `address`; a swizzle is its own inverse.

    PTX ISA, "Swizzling Modes": bits [4..6] ^= [7..9] for 128 bytes, [4..5] ^= [7..8]
    for 64, [4] ^= [7] for 32.

    Args:
        address: The address in bytes.
        span_bytes: The span of the swizzle: 32, 64 or 128 bytes.
    """
    return address ^ (address >> 3 & (span_bytes - UNIT_BYTES if span_bytes else 0))


@lru_cache(maxsize=256)
def describe(
    shared: SharedLayout,
    element_bits: int,
    role: OperandRole,
    count: int,
    across: tuple[int, ...] = WORDS_ACROSS,
) -> OperandDescriptor | str:
    """Describes the buffer of an operand to the instructions that read it.

    Args:
        shared: Layout of the buffer: M x K of A, K x N of B.
        element_bits: Width of an element, 8 or more.
        role: Which operand.
        count: M or N of an instruction.
        across: Element widths that the instruction can also read along M or N.

    Returns:
        The description, or the reason why there is none.
    """
    if len(shared.shape) != 2:
        return f"expected a matrix, got a buffer of rank {len(shared.shape)}"
    matrix = shared if role == "a" else shared.permute((1, 0))
    element_bytes = element_bits // 8
    depth = K_BYTES // element_bytes
    if matrix.shape[0] < count or matrix.shape[1] < depth:
        return (
            f"expected at least {count} x {depth} elements for one instruction, "
            f"got {matrix.shape[0]} x {matrix.shape[1]}"
        )
    reasons: list[str] = []
    for span in reversed(SWIZZLE_BYTES):
        rows, depths = (
            tuple(unswizzled(column * element_bytes, span) for column in columns)
            for columns in matrix.invert()
        )
        if any(step & (step - 1) for step in (*rows, *depths)):
            continue  # an address is a sum, and no two bits may add to one of it
        sides = (rows, n_bits(count)), (depths, n_bits(depth))
        for is_transposed in (False, True):
            if is_transposed and element_bits not in across:
                continue
            found = (_across if is_transposed else _along)(span, element_bytes, *sides)
            if isinstance(found, OperandDescriptor):
                return found
            reasons.append(found)
    return reasons[0] if reasons else "expected a swizzle of 16-byte units or none"


_Side = tuple[tuple[int, ...], int]
"""Byte offsets of the bits of a dimension, and how many are an instruction's."""


def _along(span: int, size: int, rows: _Side, depths: _Side) -> OperandDescriptor | str:
    """Divides by the K-major arrangement of a swizzle."""
    row_steps, n_rows = rows
    depth_steps, n_depth = depths
    unit = n_bits(UNIT_BYTES // size)
    if depth_steps[:unit] != tuple(size << bit for bit in range(unit)):
        return "expected units of 16 bytes that are contiguous along K"
    pitch, second = span or UNIT_BYTES, depth_steps[unit]
    if span and second != UNIT_BYTES:
        return f"expected {K_BYTES} contiguous bytes along K in a swizzle"
    if row_steps[:3] != (pitch, 2 * pitch, 4 * pitch):
        return f"expected 8 rows that lie {pitch} bytes apart"
    groups = _strided(row_steps[3:n_rows])
    if groups is None:
        return "expected groups of 8 rows at equal distances"
    return _checked(
        OperandDescriptor(
            span,
            0 if span else second,
            groups,
            is_transposed=False,
            rows=row_steps[n_rows:],
            depths=depth_steps[n_depth:],
        )
    )


def _across(
    span: int, size: int, rows: _Side, depths: _Side
) -> OperandDescriptor | str:
    """Divides by the MN-major arrangement of a swizzle."""
    row_steps, n_rows = rows
    depth_steps, n_depth = depths
    inner = n_bits((span or UNIT_BYTES) // size)
    if n_rows < inner or row_steps[:inner] != tuple(
        size << bit for bit in range(inner)
    ):
        return f"expected {span or UNIT_BYTES} contiguous bytes along M or N"
    pitch = span or UNIT_BYTES
    if depth_steps[:3] != (pitch, 2 * pitch, 4 * pitch):
        return f"expected 8 elements along K that lie {pitch} bytes apart"
    spans = _strided(row_steps[inner:n_rows])
    if spans is None:
        return "expected spans along M or N at equal distances"
    second = _strided(depth_steps[3:n_depth])
    if second is None:
        return "expected groups of 8 elements along K at equal distances"
    leading, stride = (spans, second) if span else (second, spans)
    return _checked(
        OperandDescriptor(
            span,
            leading,
            stride,
            is_transposed=True,
            rows=row_steps[n_rows:],
            depths=depth_steps[n_depth:],
        )
    )


def _strided(steps: tuple[int, ...]) -> int | None:
    """The distance d if the steps are d, 2 d, 4 d, ...; 0 for no steps, else None."""
    if not steps:
        return 0
    is_even = steps == tuple(steps[0] << bit for bit in range(len(steps)))
    return steps[0] if is_even else None


def _checked(found: OperandDescriptor) -> OperandDescriptor | str:
    most = UNIT_BYTES << ADDRESS_BITS
    sizes = (found.leading_bytes, found.stride_bytes)
    if max(sizes) >= most:
        return f"expected distances below {most} bytes, got {max(sizes)}"
    if any(0 < size < UNIT_BYTES for size in (*sizes, *found.rows, *found.depths)):
        return f"expected distances that are multiples of {UNIT_BYTES} bytes"
    return found


@lru_cache(maxsize=256)
def panel_buffer(
    shape: tuple[int, ...], element_bits: int, contiguous: int, part: int | None = None
) -> SharedLayout:
    """The preferred layout of an operand's buffer: panels of the widest swizzle.

    It is what `copy_in` by tensor maps writes (`boxes.py`) and what `describe`
    describes; stores of 16-byte units and `ldmatrix` have no bank conflicts in it.

    Args:
        shape: Extents of the buffer: M x K of A, K x N of B; of any rank if the buffer
            is described after a reshape.
        element_bits: Width of an element, 8 or more.
        contiguous: The dimension whose elements are neighbours in memory.
        part: How many elements an instruction takes along that dimension if it is M or
            N; no swizzle may be wider. All by default.

    Raises:
        LayoutError: A row along the dimension is shorter than 16 bytes.
    """
    row_bytes = min(shape[contiguous], part or shape[contiguous]) * element_bits // 8
    if row_bytes < UNIT_BYTES:
        msg = f"expected rows of at least {UNIT_BYTES} bytes along dim {contiguous}"
        raise LayoutError(f"{msg}, got {row_bytes} of {shape}")
    span = max(width for width in SWIZZLE_BYTES if width <= row_bytes)
    others = (dim for dim in reversed(range(len(shape))) if dim != contiguous)
    return swizzled(shape, element_bits, (contiguous, *others), span)
