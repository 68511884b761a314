# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of matrix operands: from bytes as memory holds them to numbers.

PTX ISA: "Packing formats of elements in Tensor and Shared memory". In shared memory 16
elements of 4 or 6 bits lie packed at the start of 16 bytes, in tensor memory each in a
byte of its own (4 bits in the middle, 6 at the bottom); the kinds mxf4 and mxf4nvf4
pack 4-bit elements without gaps in both.
"""

from __future__ import annotations

from typing import Literal

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

Bytes = NDArray[np.uint8]
Packing = Literal["padded", "bytes", "dense"]

# Bits of an element where memory packs it.
BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "e4m3": 8,
    "e5m2": 8,
    "e2m3": 6,
    "e3m2": 6,
    "e2m1": 4,
    "s8": 8,
    "u8": 8,
}
_DTYPES: dict[str, DTypeLike] = {
    "f16": np.float16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
    "s8": np.int8,
    "u8": np.uint8,
}
_SCALES: dict[str, DTypeLike] = {
    "ue8m0": ml_dtypes.float8_e8m0fnu,
    "ue4m3": ml_dtypes.float8_e4m3fn,
}
# By scale factors along K: the bytes of a word where they may begin. PTX ISA: "Block
# Scaling for mma.sync", "Block Scaling" of tcgen05.mma.
SCALE_BYTES = {1: (0, 1, 2, 3), 2: (0, 2), 4: (0,)}


def decode_scales(data: Bytes, name: str) -> NDArray[np.float32]:
    """Returns scale factors of the type ue8m0 or ue4m3, whose top bit is ignored."""
    if name == "ue4m3":
        data = data & np.uint8(0x7F)
    return np.ascontiguousarray(data).view(_SCALES[name]).astype(np.float32)


def unpack(data: Bytes, name: str, packing: Packing) -> NDArray[np.float32]:
    """Widens elements.

    Args:
        data: uint8[..., bytes], whole groups of 16 bytes.
        name: Type of the elements.
        packing: How elements of fewer than 8 bits lie: "padded" in 16 bytes each 16,
            "bytes" one in a byte, "dense" without gaps.

    Returns:
        f32[..., elements].
    """
    if name == "tf32":
        words = np.ascontiguousarray(data).view(np.uint32) & np.uint32(0xFFFFE000)
        return words.view(np.float32)
    if BITS[name] < 8:
        data = codes(data, BITS[name], packing)
    if name == "bf16":
        halves = np.ascontiguousarray(data).view(np.uint16)
        return (halves.astype(np.uint32) << np.uint32(16)).view(np.float32)
    values = np.ascontiguousarray(data).view(_DTYPES[name])
    with np.errstate(invalid="ignore"):
        return values.astype(np.float32)


def codes(data: Bytes, bits: int, packing: Packing) -> Bytes:
    """Splits elements of 4 or 6 bits, one to a byte at its lower end."""
    if packing == "bytes":
        shift = np.uint8(2 if bits == 4 else 0)
        return (data >> shift) & np.uint8((1 << bits) - 1)
    if packing == "padded":
        groups = data.reshape(*data.shape[:-1], -1, 16)[..., : 2 * bits]
        flat = np.unpackbits(groups, axis=-1, bitorder="little")
        count = 16
    else:
        groups = data[..., None, :]
        flat = np.unpackbits(groups, axis=-1, bitorder="little")
        count = data.shape[-1] * 8 // bits
    parts = flat.reshape(*flat.shape[:-1], count, bits)
    packed = np.packbits(parts, axis=-1, bitorder="little")[..., 0]
    return packed.reshape(*data.shape[:-1], -1)


def decompressed(data: Bytes, bits: int) -> Bytes:
    """What tcgen05.cp makes of packed elements: one in each byte, as "bytes" has it.

    PTX ISA: "Optional Decompression".
    """
    return codes(data, bits, "padded") << np.uint8(2 if bits == 4 else 0)
