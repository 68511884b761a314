# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of mma's operands: from registers to numbers.

PTX ISA: "Matrix Data-types"; "mma": with `.kind::f8f6f4` and `.kind::mxf8f6f4` elements
of 6 bits lie in the low bits of a byte, those of 4 bits in its middle. Such containers
are named "e2m1:8"; without them elements lie side by side.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.tensor import formats

SMALL = ("e3m2", "e2m3", "e2m1")
# Bits that an element takes in a register.
BITS = {
    **{name: n for name, n in formats.BITS.items() if n != 6},
    **{f"{name}:8": 8 for name in SMALL},
    "s4": 4,
    "u4": 4,
    "b1": 1,
    "f64": 64,
}


def _values(dtype: DTypeLike, bits: int) -> NDArray[np.float32]:
    codes = np.arange(1 << bits, dtype=np.uint8)
    return codes.view(dtype).astype(np.float32)


_NIBBLE = np.arange(16, dtype=np.float32)
# What each code means, where NumPy has no type of the width.
_TABLES = {
    "s4": np.where(_NIBBLE < 8, _NIBBLE, _NIBBLE - 16),
    "u4": _NIBBLE,
    "b1": np.arange(2, dtype=np.float32),
    "e2m1": _values(ml_dtypes.float4_e2m1fn, 4),
    "e2m1:8": np.tile(np.repeat(_values(ml_dtypes.float4_e2m1fn, 4), 4), 4),
    "e2m3:8": np.tile(_values(ml_dtypes.float6_e2m3fn, 6), 4),
    "e3m2:8": np.tile(_values(ml_dtypes.float6_e3m2fn, 6), 4),
}


def decode(rows: Array, name: str) -> Array:
    """Splits registers into elements and widens them, [..., n, e].

    Args:
        rows: Registers, uint32[..., n] (uint64 for f64).
        name: Type of the elements, and their container.
    """
    if name == "f64":
        return rows.view(np.float64)[..., None]
    if name not in _TABLES:
        octets = np.ascontiguousarray(rows).view(np.uint8)
        return formats.unpack(octets, name, "dense").reshape(*rows.shape, -1)
    bits = BITS[name]
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    codes = rows[..., None] >> shifts & np.uint32((1 << bits) - 1)
    return _TABLES[name][codes]
