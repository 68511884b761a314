# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of the host that are shown to cuTile as the device's, by DLPack."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int64, c_uint8
from ctypes import c_void_p as pointer
from typing import Any

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.dlpack import (
    CAPSULE_NAME,
    CPU,
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    Device,
    Tensor,
    contiguous_strides,
    read_capsule,
    type_code,
)
from cuda_tile.runtime.elements import Array

_HOST_MEMORY = (CPU, CUDA_HOST, CUDA_MANAGED)
"""Whose memory the CPU reads."""


class _Managed(ctypes.Structure):
    """`DLManagedTensor`."""

    _fields_ = (("tensor", Tensor), ("context", pointer), ("deleter", pointer))


@ctypes.CFUNCTYPE(None, pointer)
def _keep(_: int) -> None:
    """A deleter that leaves the tensor to Python's reference counts."""


_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, pointer, c_char_p, pointer)(
    ("PyCapsule_New", ctypes.pythonapi)
)


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
        tensor = Tensor(
            array.ctypes.data,
            Device(CUDA, 0),
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
        return _new_capsule(ctypes.addressof(self._managed), CAPSULE_NAME, None)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The device that this array claims to be on."""
        return CUDA, 0


def view(
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: np.dtype[Any],
    owner: object = None,
) -> Array:
    """Memory as an array.

    Args:
        address: Of the first element.
        shape: Extents.
        strides: In bytes.
        dtype: Element type.
        owner: What has the memory; it lives as long as the array, and its views.
    """
    if 0 in shape:
        return np.ndarray(shape, dtype, b"", strides=strides)
    steps = [(n - 1) * stride for n, stride in zip(shape, strides, strict=True)]
    low, high = sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps)
    buffer: Any = (c_uint8 * (high - low + dtype.itemsize)).from_address(address + low)
    buffer.owner = owner
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
    found = read_capsule(capsule, where)
    strides = found.strides
    if strides is None:
        strides = contiguous_strides(found.shape, found.dtype.itemsize)
    array = view(found.address, found.shape, strides, found.dtype)
    return DeviceArray(array, (value, capsule))
