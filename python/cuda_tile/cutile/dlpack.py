# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays through DLPack, the exchange format of array libraries.

NumPy's own exchange lacks the element types of ml_dtypes and cannot say that memory is
a device's. Source of structures and numbers: DLPack 1.1, "C API" (`dlpack.h`) and
"Python Specification for DLPack".
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64
from ctypes import c_void_p as pointer
from typing import Any

import ml_dtypes
import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.elements import Array

CPU = 1
CUDA = 2
"""`DLDeviceType`."""
_HOST_MEMORY = (CPU, 3, 13)
"""Device types whose memory the CPU reads: its own, `kDLCUDAHost`, `kDLCUDAManaged`."""

_NAME = b"dltensor"
_KINDS: dict[int, str] = {0: "i", 1: "u", 2: "f"}
_SPECIAL: dict[tuple[int, int], np.dtype[Any]] = {
    (4, 16): np.dtype(ml_dtypes.bfloat16),
    (6, 8): np.dtype(np.bool_),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
    (14, 8): np.dtype(ml_dtypes.float8_e8m0fnu),
}
"""Types by `DLDataTypeCode` and bits, besides integers and floats of NumPy."""
_CODES = {dtype: code for code, dtype in _SPECIAL.items()}


class _Device(ctypes.Structure):
    _fields_ = (("kind", c_int32), ("number", c_int32))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", pointer),
        ("device", _Device),
        ("rank", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", pointer), ("deleter", pointer))


@ctypes.CFUNCTYPE(None, pointer)
def _keep(_: int) -> None:
    """A deleter that leaves the tensor to Python's reference counts."""


def _capsule_function(name: str, result: Any, *arguments: Any) -> Any:
    prototype = ctypes.PYFUNCTYPE(result, *arguments)
    return prototype((name, ctypes.pythonapi))


_new_capsule = _capsule_function(
    "PyCapsule_New", ctypes.py_object, pointer, c_char_p, pointer
)
_capsule_pointer = _capsule_function(
    "PyCapsule_GetPointer", pointer, ctypes.py_object, c_char_p
)


def type_code(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """`DLDataTypeCode` and bits of an element type, or None if it has none here."""
    if dtype in _CODES:
        return _CODES[dtype]
    for code, kind in _KINDS.items():
        if dtype.kind == kind and dtype.isnative and dtype.itemsize <= 8:
            return code, 8 * dtype.itemsize
    return None


class DeviceArray:
    """An array in host memory that is shown to cuTile as one of the device.

    Args:
        array: The elements; they are not copied.
        owner: Kept alive with this object.

    Attributes:
        array: The elements.
    """

    def __init__(self, array: Array, owner: object = None) -> None:
        code = type_code(array.dtype)
        assert code is not None, "the caller has checked the element type"
        self.array = array
        self._owner = owner
        rank = array.ndim
        steps = [stride // array.itemsize for stride in array.strides]
        self._shape = (c_int64 * rank)(*array.shape)
        self._strides = (c_int64 * rank)(*steps)
        tensor = _Tensor(
            array.ctypes.data,
            _Device(CUDA, 0),
            rank,
            *code,
            1,
            self._shape,
            self._strides,
            0,
        )
        self._managed = _Managed(tensor, None, ctypes.cast(_keep, pointer))

    def __dlpack__(self, **_: object) -> object:
        """A capsule; whoever reads it must not outlive this object."""
        return _new_capsule(ctypes.addressof(self._managed), _NAME, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The device that this array claims to be on."""
        return CUDA, 0


def view(
    address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """Memory as an array.

    Args:
        address: Of the first element.
        shape: Extents.
        strides: In bytes.
        dtype: Element type.
    """
    if 0 in shape:
        return np.ndarray(shape, dtype, b"", strides=strides)
    steps = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    low, high = sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps)
    buffer: Any = (c_uint8 * (high - low + dtype.itemsize)).from_address(address + low)
    return np.ndarray(shape, dtype, buffer, offset=-low, strides=strides)


def from_producer(value: Any, where: str) -> DeviceArray:
    """The array of another library in host memory, by its `__dlpack__`.

    Args:
        value: Any object with the two methods of the exchange.
        where: How messages name it.

    Raises:
        UserError: The memory is not the host's, or there is no such element type.
    """
    kind, number = value.__dlpack_device__()
    if kind not in _HOST_MEMORY:
        raise UserError(
            f"{where}: expected an array in host memory, got a "
            f"{type(value).__name__} on device {kind}:{number}; copy it to the CPU, or "
            "launch with on='gpu'"
        )
    capsule = value.__dlpack__()
    managed = _Managed.from_address(_capsule_pointer(capsule, _NAME))
    tensor = managed.tensor
    dtype = _dtype(tensor, where)
    shape = tuple(tensor.shape[axis] for axis in range(tensor.rank))
    if tensor.strides:
        steps = tuple(tensor.strides[axis] for axis in range(tensor.rank))
    else:
        steps = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(tensor.rank))
    strides = tuple(step * dtype.itemsize for step in steps)
    address = (tensor.data or 0) + tensor.byte_offset
    return DeviceArray(view(address, shape, strides, dtype), (value, capsule))


def _dtype(tensor: Any, where: str) -> np.dtype[Any]:
    found = _SPECIAL.get((tensor.code, tensor.bits))
    if found is None and tensor.code in _KINDS and tensor.bits in (8, 16, 32, 64):
        found = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
    if found is None or tensor.lanes != 1:
        raise UserError(
            f"{where}: expected integers, floats or bool, got elements of DLPack code "
            f"{tensor.code} with {tensor.bits} bits and {tensor.lanes} lanes"
        )
    return found
