"""Matrices in shared memory as wgmma descriptors describe them.

PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions": "Shared Memory Matrix
Layout", "Matrix-Descriptor". Pieces of 16 bytes lie in groups of 8 ("core matrices");
with a swizzle, 8 rows of 32, 64 or 128 bytes make an atom whose pieces are permuted by
address bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.tensor_map import swizzled

Offsets = NDArray[np.int64]
_SPANS = {0: 0, 1: 128, 2: 64, 3: 32}


@dataclass(frozen=True)
class Descriptor:
    """A decoded 64-bit matrix descriptor; all in bytes.

    Attributes:
        start: Address in shared memory.
        leading: Leading-dimension byte offset.
        stride: Stride-dimension byte offset.
        span: Width of the swizzle, 0 for none.
    """

    start: int
    leading: int
    stride: int
    span: int

    @classmethod
    def decode(cls, bits: int) -> Descriptor:
        """Reads the fields.

        Raises:
            Fault: A matrix base offset, which is not supported.
        """
        if bits >> 49 & 7:
            raise Fault("wgmma", "expected a matrix base offset of 0 in a descriptor")
        return cls(
            (bits & 0x3FFF) << 4,
            (bits >> 16 & 0x3FFF) << 4,
            (bits >> 32 & 0x3FFF) << 4,
            _SPANS[bits >> 62 & 3],
        )

    def rows(self, count: int) -> Offsets:
        """Pieces of a matrix whose rows run along K, int64[count, 2]: 32 bytes each."""
        row = np.arange(count)[:, None]
        piece = np.arange(2)
        if self.span:
            inside = row % 8 * self.span + piece * 16
        else:
            inside = row % 8 * 16 + piece * self.leading
        linear = self.start + row // 8 * self.stride + inside
        return swizzled(linear.astype(np.int64), self.span)

    def columns(self, count: int, depth: int) -> Offsets:
        """Pieces of a transposed 16-bit matrix: 8 of `count` elements for each k.

        Returns:
            int64[depth, count // 8].
        """
        k = np.arange(depth)[:, None]
        piece = np.arange(count // 8)
        if self.span:
            pieces = self.span // 16
            along = piece // pieces * self.leading + piece % pieces * 16
            linear = along + k // 8 * self.stride + k % 8 * self.span
        else:
            linear = piece * self.stride + k // 8 * self.leading + k % 8 * 16
        return swizzled((self.start + linear).astype(np.int64), self.span)
