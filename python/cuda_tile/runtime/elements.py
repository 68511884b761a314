"""Element types by name: which NumPy type carries each, and its bytes in memory.

Used for kernel arguments and by the interpreter. Knows nothing of MLIR: types come
as the dialect prints them, such as `bf16` or `ptr<f16>`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cuda_tile.errors import Unsupported

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Element:
    """One element type.

    Attributes:
        name: As the dialect prints it: `f16`, `i1`, `ptr<f32>`.
        kind: `int`, `float` or `pointer`.
        bits: Width of the value; 1 for i1, 64 for pointers.
        storage_bytes: Bytes of one element in memory (i1 takes one, tf32 four).
        dtype: NumPy type of tile values. Integers are held in their signed reading,
            i1 as bool, pointers as uint64 byte addresses, tf32 as float32.
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


_DTYPES: dict[str, tuple[str, int, int, type[Any]]] = {
    "i1": ("int", 1, 1, np.bool_),
    "i4": ("int", 4, 1, np.int8),
    "i8": ("int", 8, 1, np.int8),
    "i16": ("int", 16, 2, np.int16),
    "i32": ("int", 32, 4, np.int32),
    "i64": ("int", 64, 8, np.int64),
    "f16": ("float", 16, 2, np.float16),
    "bf16": ("float", 16, 2, ml_dtypes.bfloat16),
    "f32": ("float", 32, 4, np.float32),
    "tf32": ("float", 32, 4, np.float32),
    "f64": ("float", 64, 8, np.float64),
    "f8E4M3FN": ("float", 8, 1, ml_dtypes.float8_e4m3fn),
    "f8E5M2": ("float", 8, 1, ml_dtypes.float8_e5m2),
}


@cache
def element(name: str) -> Element:
    """The element type called `name`, e.g. `bf16` or `ptr<i32>`.

    Raises:
        Unsupported: No NumPy type stands for it here.
    """
    text = name.removeprefix("!cuda_tile.")
    if text.startswith("ptr<") and text.endswith(">"):
        pointee = element(text[4:-1])
        return Element(
            f"ptr<{pointee.name}>", "pointer", 64, 8, np.dtype(np.uint64), pointee
        )
    known = _DTYPES.get(text)
    if known is None:
        raise Unsupported(
            f"expected an element type among {', '.join(_DTYPES)} or a pointer to one, "
            f"got '{text}'"
        )
    kind, bits, storage_bytes, dtype = known
    return Element(text, kind, bits, storage_bytes, np.dtype(dtype))


def from_memory(raw: NDArray[np.uint8], kind: Element) -> Array:
    """Elements from their bytes in memory.

    Args:
        raw: `[n, storage_bytes]`, little-endian.
        kind: Element type of the result.

    Returns:
        `[n]` values; any non-zero byte of an i1 is true.
    """
    if kind.bits == 1:
        return raw[:, 0] != 0
    return np.ascontiguousarray(raw).view(kind.dtype)[:, 0]


def to_memory(values: Array, kind: Element) -> NDArray[np.uint8]:
    """Bytes of elements as memory holds them; the inverse of `from_memory`.

    Args:
        values: `[n]` of `kind.dtype`.
        kind: Element type of the values.

    Returns:
        `[n, storage_bytes]`, little-endian; i1 becomes 0 or 1.
    """
    flat = np.ascontiguousarray(values.reshape(-1), dtype=kind.dtype)
    return flat.view(np.uint8).reshape(-1, kind.storage_bytes)


def poison(shape: tuple[int, ...], kind: Element) -> Array:
    """A recognisable pattern for data that the text leaves unspecified.

    NaN for floats, alternating bits for integers and pointers: zero would hide
    errors.
    """
    if kind.kind == "float":
        return np.full(shape, np.nan).astype(kind.dtype)
    if kind.bits == 1:
        return np.ones(shape, dtype=np.bool_)
    raw = np.full((*shape, kind.storage_bytes), 0xAA, dtype=np.uint8)
    return raw.view(kind.dtype).reshape(shape)
