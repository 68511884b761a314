# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices in shared memory as wgmma and tcgen05 descriptors describe them.

PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions": "Shared Memory Matrix
Layout", "Matrix-Descriptor"; "TensorCore 5th Generation Family Instructions": "Shared
memory descriptor", "Canonical Layouts". Pieces of 16 bytes lie in groups of 8 ("core
matrices"); with a swizzle, 8 rows of 32, 64 or 128 bytes make an atom whose pieces are
permuted by address bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.tensor.map import swizzled

Offsets = NDArray[np.int64]
_SPANS = {0: 0, 1: 128, 2: 64, 3: 32}
# Swizzles of tcgen05 descriptors: span, and the bytes that move as one.
_TENSOR_SPANS = {0: (0, 16), 1: (128, 32), 2: (128, 16), 4: (64, 16), 6: (32, 16)}


@dataclass(frozen=True)
class Descriptor:
    """A decoded 64-bit matrix descriptor; all in bytes.

    Attributes:
        start: Address in shared memory.
        leading: Leading-dimension byte offset.
        stride: Stride-dimension byte offset.
        span: Width of the swizzle, 0 for none.
        unit: What the swizzle moves as one: 16, or 32 in the mode of that name.
        base: Matrix base offset: the row of 128 bytes, of eight, that the pattern of
            the swizzle starts with.
    """

    start: int
    leading: int
    stride: int
    span: int
    unit: int = 16
    base: int = 0

    @classmethod
    def decode(cls, bits: int) -> Descriptor:
        """Reads the fields."""
        return cls(
            (bits & 0x3FFF) << 4,
            (bits >> 16 & 0x3FFF) << 4,
            (bits >> 32 & 0x3FFF) << 4,
            _SPANS[bits >> 62 & 3],
            base=bits >> 49 & 7,
        )

    @classmethod
    def decode_tensor(cls, bits: int) -> Descriptor:
        """Reads the fields of a tcgen05 descriptor.

        Raises:
            Fault: The constant bits are wrong, or a mode that is not supported.
        """
        if bits >> 46 & 7 != 1:
            raise Fault("tcgen05", "expected 0b001 in bits 46 to 48 of a descriptor")
        if bits >> 53 & 0xFF:
            raise Fault("tcgen05", "expected 0 in bits 53 to 60 of a descriptor")
        if bits >> 52 & 1:
            raise Fault(
                "tcgen05", "expected relative offsets in a descriptor (bit 52 is 0)"
            )
        if bits >> 61 not in _TENSOR_SPANS:
            raise Fault("tcgen05", f"expected a swizzling mode, got {bits >> 61}")
        span, unit = _TENSOR_SPANS[bits >> 61]
        return cls(
            (bits & 0x3FFF) << 4,
            (bits >> 16 & 0x3FFF) << 4,
            (bits >> 32 & 0x3FFF) << 4,
            span,
            unit,
            bits >> 49 & 7,
        )

    def rows(self, count: int, pieces: int = 2) -> Offsets:
        """Pieces of a matrix whose rows run along K, 16 bytes each.

        Args:
            count: Rows.
            pieces: Pieces of one row.

        Returns:
            int64[count, pieces].
        """
        if self.unit != 16:
            raise Fault(
                "tcgen05", "expected a transposed matrix for swizzles of 32 bytes"
            )
        row = np.arange(count)[:, None]
        piece = np.arange(pieces)
        if self.span:
            inside = row % 8 * self.span + piece * 16
        else:
            inside = row % 8 * 16 + piece * self.leading
        linear = self.start + row // 8 * self.stride + inside
        return swizzled(linear.astype(np.int64), self.span, self.base)

    def columns(self, count: int, depth: int, per_piece: int = 8) -> Offsets:
        """Pieces of a transposed matrix: some of `count` elements for each k.

        Args:
            count: Elements along M or N.
            depth: Elements along K.
            per_piece: Elements of 16 bytes.

        Returns:
            int64[depth, count // per_piece].
        """
        k = np.arange(depth)[:, None]
        piece = np.arange(count // per_piece)
        # The atom of swizzles of 32 bytes has 4 k, all others 8.
        atom = 8 if self.unit == 16 else 4
        if self.span:
            pieces = self.span // 16
            along = piece // pieces * self.leading + piece % pieces * 16
            linear = along + k // atom * self.stride + k % atom * self.span
        else:
            linear = piece * self.stride + k // 8 * self.leading + k % 8 * 16
        linear = (self.start + linear).astype(np.int64)
        if self.unit == 32:
            return linear ^ (((linear >> 7) - self.base & 3) << 5)
        return swizzled(linear, self.span, self.base)
