# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The 32-bit descriptor of tcgen05.mma: shapes and types.

PTX ISA: "Matrix Shape", and "Instruction descriptor" with its three tables:

| bits | f16, tf32, f8f6f4, i8 | mxf8f6f4 | mxf4, mxf4nvf4 |
|---|---|---|---|
| 0-1 | sparsity selector | 0 | 0 |
| 2 | A is sparse | the same | the same |
| 3 | integers saturate | 0 | 0 |
| 4-5 | type of D | byte of the factors of B | the same, 0 or 2 |
| 6 | 0 | 0 | 0 |
| 7-9 | type of A | the same | the same, e2m1 is 1 |
| 10-12 | type of B | the same | type of B in 10-11, 12 is 0 |
| 13, 14 | A, B are negated | the same | the same |
| 15, 16 | A, B lie along M, N | the same | 0 |
| 17-22 | N / 8 | the same | the same |
| 23 | 0 | type of factors, 1 for ue8m0 | 1 for ue8m0, 0 for ue4m3 |
| 24-28 | M / 16 | M / 128 in 27-28, the rest is 0 | the same |
| 29 | 0 | byte of the factors of A, with 30 | the same, 0 or 2 |
| 30-31 | shift of .ws | 31 is 0 | 31 is K of 96 |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.ptx.types import Bool

# Element types by kind; the block-scaled ones share the tables of f8f6f4 and mxf4.
_SMALL = {0: "e4m3", 1: "e5m2", 3: "e2m3", 4: "e3m2", 5: "e2m1"}
_INPUTS = {
    "f16": {0: "f16", 1: "bf16"},
    "tf32": {2: "tf32"},
    "f8f6f4": _SMALL,
    "i8": {0: "u8", 1: "s8"},
    "mxf8f6f4": _SMALL,
    "mxf4": {1: "e2m1"},
    "mxf4nvf4": {1: "e2m1"},
}
_RESULTS = {
    "f16": {0: "f16", 1: "f32"},
    "tf32": {1: "f32"},
    "f8f6f4": {0: "f16", 1: "f32"},
    "i8": {2: "s32"},
}
KINDS = tuple(_INPUTS)
SCALED_KINDS = ("mxf8f6f4", "mxf4", "mxf4nvf4")
_FOURS = ("mxf4", "mxf4nvf4")
# Bits that must be zero, by kind; 2 is sparsity.
_PLAIN = 1 << 6 | 1 << 23 | 1 << 29
_SCALED = 0b1011 | 1 << 6 | 0b111 << 24
_RESERVED = {
    **dict.fromkeys(KINDS, _PLAIN),
    "mxf8f6f4": _SCALED | 1 << 31,
    **dict.fromkeys(_FOURS, _SCALED | 1 << 12),
}


@dataclass(frozen=True)
class InstructionDescriptor:
    """A decoded instruction descriptor.

    Attributes:
        m, n: Rows and columns of D, over both CTAs of a pair.
        left, right, result: Element types of A, B and D.
        signs: -1 where A and B are negated, 1 elsewhere.
        flips: Whether A and B run along M and N in memory.
        saturates: Whether integers saturate.
        scale: Type of the scale factors.
        scale_ids: Which bytes of a word hold the scale factors of A and B.
    """

    m: int
    n: int
    left: str
    right: str
    result: str
    signs: tuple[int, int]
    flips: tuple[bool, bool]
    saturates: bool
    scale: str
    scale_ids: tuple[int, int]

    @classmethod
    def decode(cls, bits: int, kind: str) -> InstructionDescriptor:
        """Reads the fields.

        Raises:
            Fault: A value that the kind does not have.
        """
        is_scaled = kind in SCALED_KINDS
        if bits >> 2 & 1:
            raise Fault("tcgen05", "expected a dense matrix A in the descriptor")
        if bits & _RESERVED[kind]:
            raise Fault(
                "tcgen05",
                f"expected 0 in the reserved bits of an instruction descriptor, got "
                f"{bits:#x}",
            )
        if is_scaled and bits >> 31:
            raise Fault("tcgen05", "expected K of 64, not 96, in the descriptor")
        left = _pick(_INPUTS[kind], bits >> 7 & 7, "type of A")
        right = _pick(_INPUTS[kind], bits >> 10 & 7, "type of B")
        result = "f32"
        if not is_scaled:
            result = _pick(_RESULTS[kind], bits >> 4 & 3, "type of D")
        if result == "f16" and "bf16" in (left, right):
            raise Fault("tcgen05", "expected f32 as the type of D of bf16")
        if kind == "f16" and left != right:
            raise Fault("tcgen05", f"expected one type, got {left} and {right}")
        return cls(
            (bits >> 24 & 31) << 4,
            (bits >> 17 & 63) << 3,
            left,
            right,
            result,
            (-1 if bits >> 13 & 1 else 1, -1 if bits >> 14 & 1 else 1),
            (bool(bits >> 15 & 1), bool(bits >> 16 & 1)),
            bool(bits >> 3 & 1),
            "ue8m0" if bits >> 23 & 1 else "ue4m3",
            (bits >> 29 & 3, bits >> 4 & 3) if is_scaled else (0, 0),
        )

    def check(self, kind: str, cta_group: int, *, is_ws: bool) -> None:
        """Raises a fault where the instruction has no such shape or operand."""
        self._check_shape(kind, cta_group, is_ws=is_ws)
        if kind == "i8" and self.signs != (1, 1):
            raise Fault("tcgen05", "expected no negated matrices of integers")
        if self.saturates and kind != "i8":
            raise Fault("tcgen05", "expected to saturate only integers")
        small = ("e2m3", "e3m2", "e2m1")
        for flip, name in zip(self.flips, (self.left, self.right), strict=True):
            if flip and name in small:
                raise Fault("tcgen05", f"expected no transposed matrix of {name}")
        if kind == "mxf8f6f4" and self.scale != "ue8m0":
            raise Fault("tcgen05", f"expected scales of ue8m0 for .kind::{kind}")
        if kind == "mxf4" and self.scale != "ue8m0":
            raise Fault("tcgen05", f"expected scales of ue8m0 for .kind::{kind}")

    def _check_shape(self, kind: str, cta_group: int, *, is_ws: bool) -> None:
        rows = (128,) if kind in SCALED_KINDS else (64, 128)
        if is_ws:
            rows = (32, 64, 128)
        elif cta_group == 2:
            rows = (128, 256)
        if self.m not in rows:
            wanted = ", ".join(map(str, rows))
            raise Fault("tcgen05", f"expected M of {wanted}, got {self.m}")
        if is_ws:
            fits = self.n in (64, 128, 256)
        else:
            step = 16 if self.m >= 128 else 8
            if kind == "i8" and cta_group == 2:
                step = 32
            elif kind == "i8" and self.n > 32:
                step = 16
            fits = self.n % step == 0 and step <= self.n <= 256
        if not fits:
            raise Fault(
                "tcgen05",
                f"expected a column count that M of {self.m} has, got N of {self.n}",
            )


def _pick(table: dict[int, str], code: int, what: str) -> str:
    if code not in table:
        known = ", ".join(f"{number} ({name})" for number, name in table.items())
        raise Fault("tcgen05", f"expected {known} as the {what}, got {code}")
    return table[code]


def zero_columns(bits: int, m: int, n: int) -> Bool:
    """The columns of B that count as zero, bool[n].

    PTX ISA: "Zero-Column Mask Descriptor"; runs of used and of zero columns take turns,
    as its examples have it.
    """
    mask = np.zeros(n, np.bool_)
    if not bits >> 39 & 1:
        return mask
    if bits >> 56 & 63:
        raise Fault("tcgen05", "expected a column shift of 0 in a zero-column mask")
    zeros, used = (bits >> 40 & 0xFF) + 1, (bits >> 48 & 0xFF) + 1
    count = {32: 4, 64: 2}.get(m, 1)
    for part in range(count):
        place = np.arange(n // count) + (bits >> 8 * part & 0xFF)
        if bits >> 32 + part & 1:
            is_zero = place % (zeros + used) < zeros
        else:
            is_zero = place % (zeros + used) >= used
        mask[part * n // count : (part + 1) * n // count] = is_zero
    return mask
