# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types by name: their NumPy types and their encoding in memory.

Used for kernel arguments and by the interpreter. Does not depend on MLIR: types are
text, as the dialect prints them, such as `bf16` or `ptr<f16>`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cuda_tile.runtime.element_forms import element_form

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Element:
    """One element type.

    Attributes:
        name: As the dialect prints it: `f16`, `i1`, `ptr<f32>`; but `f8E5M3FNU`, and
            pointers without their attribute.
        kind: `int`, `float` or `pointer`.
        bits: Width of the value; 1 for i1, 64 for pointers.
        storage_bytes: Bytes of one element in memory (i1 takes one, tf32 four); the
            4-bit types, of which two share a byte, count as one.
        dtype: NumPy type of tile values. Integers are signed, i1 is bool, pointers are
            uint64 byte addresses, tf32 and f8E5M3FNU (which NumPy and ml_dtypes lack)
            are float32 with the same value.
        pointee: Element type behind a pointer, else None.
    """

    name: str
    kind: str
    bits: int
    storage_bytes: int
    dtype: np.dtype[Any]
    pointee: Element | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """NumPy type of an array in memory; bytes if NumPy has no such type."""
        is_raw = self.is_packed or self.name == "f8E5M3FNU"
        return np.dtype(np.uint8) if is_raw else self.dtype

    @property
    def is_packed(self) -> bool:
        """Whether two elements share a byte, the even one in the low half."""
        return self.bits == 4


_DTYPES: dict[str, type[Any]] = {
    "i1": np.bool_,
    "i4": np.int8,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "tf32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f8E5M3FNU": np.float32,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}


def _e5m3_values() -> NDArray[np.float32]:
    """The value of each f8E5M3FNU code: no sign, bias 15, 0xFF is NaN."""
    codes = np.arange(256)
    exponent, fraction = codes >> 3, codes & 7
    normal = np.ldexp(1.0 + fraction / 8.0, exponent - 15)
    values = np.where(exponent == 0, np.ldexp(fraction / 8.0, -14), normal)
    values[0xFF] = np.nan
    return values.astype(np.float32)


_E5M3_VALUES = _e5m3_values()


@cache
def element(name: str) -> Element:
    """The element type called `name`, e.g. `bf16` or `ptr<i32>`.

    Raises:
        Unsupported: It has no NumPy type here.
    """
    name, kind, bits, storage_bytes, pointee = element_form(name)
    dtype = np.uint64 if pointee else _DTYPES[name]
    behind = element(pointee) if pointee else None
    return Element(name, kind, bits, storage_bytes, np.dtype(dtype), behind)


def from_memory(raw: NDArray[np.uint8], kind: Element) -> Array:
    """Decodes elements from their bytes in memory.

    Args:
        raw: `[n, storage_bytes]`, little-endian; a 4-bit element in the low half.
        kind: Element type of the result.

    Returns:
        `[n]` values; any non-zero byte of an i1 is true.
    """
    if kind.bits == 1:
        return raw[:, 0] != 0
    if kind.name == "f8E5M3FNU":
        return _E5M3_VALUES[raw[:, 0]]
    if kind.name == "i4":
        low = (raw[:, 0] & 15).astype(np.int8)
        return low - ((low & 8) << 1)
    if kind.is_packed:
        return np.ascontiguousarray(raw[:, 0] & 15).view(kind.dtype)
    return np.ascontiguousarray(raw).view(kind.dtype)[:, 0]


def to_memory(values: Array, kind: Element) -> NDArray[np.uint8]:
    """Encodes elements as bytes in memory; the inverse of `from_memory`.

    Args:
        values: `[n]` of `kind.dtype`.
        kind: Element type of the values.

    Returns:
        `[n, storage_bytes]`, little-endian; i1 becomes 0 or 1, a 4-bit element is
        in the low half of its byte.
    """
    flat = np.ascontiguousarray(values.reshape(-1), dtype=kind.dtype)
    if kind.name == "f8E5M3FNU":
        codes = np.searchsorted(_E5M3_VALUES[:0xFF], flat)
        return np.where(np.isnan(flat), 0xFF, codes).astype(np.uint8).reshape(-1, 1)
    raw = flat.view(np.uint8).reshape(-1, kind.storage_bytes)
    return raw & np.uint8(15) if kind.is_packed else raw


def pack_nibbles(halves: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bytes of 4-bit values: `[2n]` to `[n]`, the even one in the low half."""
    return halves[0::2] | (halves[1::2] << np.uint8(4))


def unpack_nibbles(raw: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The inverse of `pack_nibbles`: `[n]` to `[2n]`."""
    return np.stack((raw & np.uint8(15), raw >> np.uint8(4)), axis=-1).reshape(-1)


def poison(shape: tuple[int, ...], kind: Element) -> Array:
    """A recognisable pattern for values that the specification leaves undefined.

    NaN for floats (the largest value if the format has no NaN), alternating bits for
    integers and pointers; zero would hide errors.
    """
    if kind.name == "f4E2M1FN":
        return np.full(shape, 6.0).astype(kind.dtype)
    if kind.kind == "float":
        return np.full(shape, np.nan).astype(kind.dtype)
    if kind.bits == 1:
        return np.ones(shape, dtype=np.bool_)
    raw = np.full((*shape, kind.storage_bytes), 0xAA, dtype=np.uint8)
    return from_memory(raw.reshape(-1, kind.storage_bytes), kind).reshape(shape)
