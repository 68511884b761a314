# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bit patterns of padding values."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.errors import Unsupported

_BITS = {
    "f16": (0x8000, 0x7C00, 0xFC00, 0x7E00),
    "bf16": (0x8000, 0x7F80, 0xFF80, 0x7FC0),
    "tf32": (0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000),
    "f32": (0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000),
    "f64": (1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48),
    "f8E5M2": (0x80, 0x7C, 0xFC, 0x7E),
    "f8E4M3FN": (0x80, 0x7F, 0x7F, 0x7F),
    "f8E8M0FNU": (0x00, 0xFF, 0xFF, 0xFF),
    "!cuda_tile.fnv8E5M3FNU": (0x00, 0xFF, 0xFF, 0xFF),
}
"""Per element type the bits of the paddings in `_KEYWORDS`. IEEE 754 and, for 8 bits,
the OCP formats (OFP8 and MX specifications): E4M3FN has no infinity, E8M0FNU and
E5M3FNU neither sign nor infinity, where the interpreter's decisions say what stands
for them, a NaN and the code zero."""
_KEYWORDS = ("neg_zero", "pos_inf", "neg_inf", "nan")


def padding_bits(padding: str | None, element: ir.Type) -> int:
    """The bits of a view's padding element; zero where it has none.

    Args:
        padding: The keyword of the view, or None.
        element: The element type of the tensor.

    Raises:
        Unsupported: A special value of a type that has no such constant here.
    """
    if padding is None or padding == "zero":
        return 0
    name = str(element)
    if name not in _BITS:
        raise Unsupported(
            f"padding '{padding}': expected one of {', '.join(_BITS)}, got {name}; "
            "other element types run on the interpreter only"
        )
    return _BITS[name][_KEYWORDS.index(padding)]
