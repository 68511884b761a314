"""Bit patterns of padding values."""

from __future__ import annotations

import struct

from cuda_tile._mlir import ir
from cuda_tile.errors import Unsupported
from cuda_tile.ir.tiles import element_bits

_FLOATS = {
    "zero": 0.0,
    "neg_zero": -0.0,
    "pos_inf": float("inf"),
    "neg_inf": float("-inf"),
    "nan": float("nan"),
}
_FORMATS = {"f16": "<e", "f32": "<f", "tf32": "<f", "f64": "<d"}


def padding_bits(padding: str | None, element: ir.Type) -> int:
    """The bits of a view's padding element; zero where it has none.

    Raises:
        Unsupported: A special value of a type that has no such constant here.
    """
    if padding is None or padding == "zero":
        return 0
    return float_bits(_FLOATS[padding], element)


def float_bits(value: float, element: ir.Type) -> int:
    """The bits of a float constant in an element type.

    Raises:
        Unsupported: The element type is not an IEEE format or bf16.
    """
    name = str(element)
    if name == "bf16":
        if struct.unpack("<I", struct.pack("<f", value))[0] & 0xFFFF and value == value:
            raise Unsupported(f"expected a constant that bf16 holds, got {value}")
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    if name not in _FORMATS:
        raise Unsupported(f"padding: expected f16, bf16, f32 or f64, got {name}")
    data = struct.pack(_FORMATS[name], value)
    return int.from_bytes(data, "little") & ((1 << element_bits(element)) - 1)
