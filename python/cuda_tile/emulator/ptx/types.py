# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fundamental types of PTX and the NumPy types that hold them.

PTX ISA: "Fundamental Types", "Packed Data Types", "Alternate Floating-Point Data
Formats". A register is stored as an unsigned integer of its width; instructions look
at it through the type they name. Formats NumPy lacks stay raw bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Bool = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Type:
    """One PTX type.

    Attributes:
        name: As PTX spells it, without the dot.
        kind: "b" bits, "u" unsigned, "s" signed, "f" float, "raw" (a float format
            NumPy lacks, or a packed pair), "pred".
        bits: Width in bits; 1 for predicates.
        dtype: The NumPy type of one lane's value; b128 is two uint64.
    """

    name: str
    kind: str
    bits: int
    dtype: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """Width in memory, bytes."""
        return max(self.bits // 8, 1)

    @property
    def is_integer(self) -> bool:
        """Whether the type is a signed or unsigned integer."""
        return self.kind in "us"

    @property
    def is_float(self) -> bool:
        """Whether the type is IEEE half, single or double."""
        return self.kind == "f"

    def __str__(self) -> str:
        return f".{self.name}"


def _types() -> dict[str, Type]:
    table: dict[str, Type] = {}
    for bits in (8, 16, 32, 64):
        unsigned, signed = np.dtype(f"uint{bits}"), np.dtype(f"int{bits}")
        table[f"b{bits}"] = Type(f"b{bits}", "b", bits, unsigned)
        table[f"u{bits}"] = Type(f"u{bits}", "u", bits, unsigned)
        table[f"s{bits}"] = Type(f"s{bits}", "s", bits, signed)
        if bits > 8:
            table[f"f{bits}"] = Type(f"f{bits}", "f", bits, np.dtype(f"float{bits}"))
    for name, bits in {
        "bf16": 16,
        "f16x2": 32,
        "bf16x2": 32,
        "u16x2": 32,
        "s16x2": 32,
        "tf32": 32,
        "e4m3x2": 16,
        "e5m2x2": 16,
        "e2m3x2": 16,
        "e3m2x2": 16,
        "e2m1x2": 8,
        "ue8m0x2": 16,
        "e4m3x4": 32,
        "e5m2x4": 32,
    }.items():
        table[name] = Type(name, "raw", bits, np.dtype(f"uint{bits}"))
    table["b128"] = Type("b128", "b", 128, np.dtype(np.uint64))
    table["pred"] = Type("pred", "pred", 1, np.dtype(np.bool_))
    return table


TYPES = MappingProxyType(_types())
B32 = TYPES["b32"]
B64 = TYPES["b64"]
U32 = TYPES["u32"]
U64 = TYPES["u64"]
PRED = TYPES["pred"]
