# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack, the exchange format of array libraries: structures, numbers, reading.

NumPy's own exchange lacks the element types of ml_dtypes and memory other than the
host's. Source: DLPack 1.1, "C API" (`dlpack.h`) and "Python Specification for DLPack".
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64
from ctypes import c_void_p as pointer
from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np

from cuda_tile.errors import UserError

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
"""`DLDeviceType`."""

CAPSULE_NAME = b"dltensor"
_KINDS = {0: "i", 1: "u", 2: "f"}
_BITS = (8, 16, 32, 64)
_SPECIAL: dict[tuple[int, int], np.dtype[Any]] = {
    (4, 16): np.dtype(ml_dtypes.bfloat16),
    (6, 8): np.dtype(np.bool_),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
    (14, 8): np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""Types by `DLDataTypeCode` and bits, besides integers and floats of NumPy."""
_CODES = {dtype: code for code, dtype in _SPECIAL.items()}


class Device(ctypes.Structure):
    """`DLDevice`."""

    _fields_ = (("kind", c_int32), ("number", c_int32))


class Tensor(ctypes.Structure):
    """`DLTensor`; a capsule `dltensor` points to one."""

    _fields_ = (
        ("data", pointer),
        ("device", Device),
        ("rank", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


@dataclass(frozen=True)
class Described:
    """What a capsule says of an array.

    Attributes:
        address: Of its first element.
        shape: Extents.
        strides: In bytes; None for a contiguous array.
        dtype: Element type.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: np.dtype[Any]


def type_code(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """`DLDataTypeCode` and bits of an element type, or None if it has none here."""
    if dtype in _CODES:
        return _CODES[dtype]
    for code, kind in _KINDS.items():
        if dtype.kind == kind and dtype.isnative and 8 * dtype.itemsize in _BITS:
            return code, 8 * dtype.itemsize
    return None


def read_capsule(capsule: object, where: str) -> Described:
    """Reads a capsule, which stays the owner: its destructor frees the array.

    Args:
        capsule: What `__dlpack__` gave.
        where: How messages name the array.

    Raises:
        UserError: There is no such element type.
    """
    read = ctypes.PYFUNCTYPE(pointer, ctypes.py_object, c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    found = cast(Any, Tensor.from_address(read(capsule, CAPSULE_NAME)))
    dtype = _dtype(found, where)
    axes = range(found.rank)
    strides = None
    if found.strides:
        strides = tuple(found.strides[axis] * dtype.itemsize for axis in axes)
    address = (found.data or 0) + found.byte_offset
    return Described(address, tuple(found.shape[axis] for axis in axes), strides, dtype)


def _dtype(tensor: Any, where: str) -> np.dtype[Any]:
    found = _SPECIAL.get((tensor.code, tensor.bits))
    if found is None and tensor.code in _KINDS and tensor.bits in _BITS:
        name = f"{_KINDS[tensor.code]}{tensor.bits // 8}"
        # There is no float of 8 bits without more words.
        found = None if name == "f1" else np.dtype(name)
    if found is None or tensor.lanes != 1:
        raise UserError(
            f"{where}: expected integers, floats or bool, got elements of DLPack code "
            f"{tensor.code} with {tensor.bits} bits and {tensor.lanes} lanes"
        )
    return found


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides in bytes of a contiguous array of elements of `itemsize` bytes."""
    sizes = [*shape[1:], 1]
    return tuple(
        int(np.prod(sizes[axis:], dtype=np.int64)) * itemsize
        for axis in range(len(shape))
    )
