# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of other libraries, as far as launchers look at them."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np

ADDRESS = 0x7_0000_0000_0100
"""On GPU 0 of the stand-in for the driver, which finds the GPU in an address."""
GPU_BIT = 40


class Interface:
    """An array of CuPy or Numba: `__cuda_array_interface__`."""

    def __init__(self, shape: Any, dtype: str, address: int = ADDRESS, **more: Any):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": np.dtype(dtype).str,
            "data": (address, False),
            "version": 3,
            **more,
        }


class Tensor:
    """A torch tensor, as far as launchers look at it."""

    def __init__(self, dtype: str, shape: Any, place: str = "cuda", number: int = 0):
        self.dtype, self.shape = f"torch.{dtype}", shape
        self.layout = "torch.strided"
        self.device = SimpleNamespace(type=place, index=number)

    def data_ptr(self) -> int:
        return ADDRESS | self.device.index << GPU_BIT

    def stride(self) -> tuple[int, ...]:
        return tuple(int(np.prod(self.shape[n + 1 :])) for n in range(len(self.shape)))


class DlDevice(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int32), ("number", ctypes.c_int32))


class DlTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DlDevice),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


class Exchanged:
    """An array of any library, by DLPack alone."""

    def __init__(
        self, shape: Any, code: int = 2, bits: int = 32, kind: int = 2, lanes: int = 1
    ) -> None:
        self.streams: list[int] = []
        self.kind = kind
        rank = len(shape)
        self._tensor = DlTensor(
            *(ADDRESS, DlDevice(kind, 0), rank, code, bits, lanes),
            *((ctypes.c_int64 * rank)(*shape), None, 64, None, None),
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, *, stream: int) -> Any:
        self.streams.append(stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return make(ctypes.addressof(self._tensor), b"dltensor", None)


class Renamed:
    """A NumPy array that another library would have on a GPU."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 3

    def __dlpack__(self, *, stream: int) -> Any:
        assert stream == 1
        return self.array.__dlpack__()
