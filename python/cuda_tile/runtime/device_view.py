# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in GPU memory, of whatever library, as launchers see them.

torch tensors are read by their own methods, for the exchange formats lack some of their
element types; other arrays by `__cuda_array_interface__` (Numba documentation, "CUDA
Array Interface (Version 3)") or by DLPack. No library is imported.
"""

from __future__ import annotations

import sys
from ctypes import c_uint8
from typing import Any, cast

import ml_dtypes
import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.dlpack import (
    CUDA,
    CUDA_MANAGED,
    contiguous_strides,
    read_capsule,
)

LEGACY_STREAM = 1
"""The default stream, where a protocol has no 0 for it (DLPack, the interface)."""
WAY_OUT = "copy it to the GPU, or pass a NumPy array, which is copied for the launch"


class DeviceView(np.ndarray[Any, np.dtype[Any]]):
    """Shape, strides and element type of an array in GPU memory.

    Only these are used; the elements cannot be reached from here.

    Attributes:
        address: Device address of the first element, 0 without elements.
        gpu: Ordinal of its GPU, None where its library does not tell.
        stream: Handle of the stream on which its contents will be ready, None if they
            are, or if the library has them ready on the launch's stream.
        owner: What keeps the memory alive.
    """

    address: int
    gpu: int | None
    stream: int | None
    owner: object

    def __array_finalize__(self, obj: object) -> None:
        self.address = getattr(obj, "address", 0)
        self.gpu = getattr(obj, "gpu", None)
        self.stream = getattr(obj, "stream", None)
        self.owner = getattr(obj, "owner", None)

    def __repr__(self) -> str:
        return f"DeviceView({self.dtype}{list(self.shape)} at {self.address:#x})"

    __str__ = __repr__


def make_view(
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    dtype: np.dtype[Any],
    where: str,
) -> DeviceView:
    """An array in GPU memory.

    Args:
        address: Of its first element.
        shape: Extents.
        strides: In bytes; None for a contiguous array.
        dtype: Element type.
        where: How messages name it.

    Raises:
        UserError: A stride is negative.
    """
    if strides is not None and any(stride < 0 for stride in strides):
        raise UserError(
            f"{where}: expected strides that are not negative, got {strides} bytes of "
            f"{dtype}{list(shape)}; pass a copy of the array"
        )
    if strides is None:
        strides = contiguous_strides(shape, dtype.itemsize)
    has_elements = 0 not in shape
    last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    size = last + dtype.itemsize if has_elements else 0
    buffer: Any = (c_uint8 * size).from_address(address) if size else b""
    view = np.ndarray.__new__(DeviceView, shape, dtype, buffer, 0, strides)
    view.address = address if has_elements else 0
    return view


def device_view(value: Any, where: str, stream: int = 0) -> DeviceView | None:
    """The array that an object of an array library is, or None if it is none.

    Args:
        value: A torch tensor, or what has `__cuda_array_interface__` or `__dlpack__`.
            A NumPy array is no such object.
        where: How messages name it.
        stream: Handle of the stream on which a kernel will use it, 0 for the default.

    Raises:
        UserError: It is not in the memory of a GPU, or kernels have no such array.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return None
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        view = _of_tensor(value, where)
    elif hasattr(value, "__cuda_array_interface__"):
        view = _of_interface(value.__cuda_array_interface__, where)
        if view.stream == (stream or LEGACY_STREAM):
            view.stream = None
    elif hasattr(value, "__dlpack__"):
        view = _of_dlpack(value, where, stream)
    else:
        return None
    view.owner = (value, view.owner)
    return view


def _of_tensor(tensor: Any, where: str) -> DeviceView:
    if tensor.device.type != "cuda":
        raise UserError(
            f"{where}: expected a tensor on a GPU, got one on {tensor.device}; use "
            "tensor.cuda(), or tensor.numpy(), which is copied for the launch"
        )
    name = str(tensor.dtype).removeprefix("torch.")
    dtype = _named(name)
    if dtype is None or str(tensor.layout) != "torch.strided":
        raise UserError(
            f"{where}: expected a dense tensor of integers, floats or bool, got "
            f"{tensor.dtype} of layout {tensor.layout}"
        )
    strides = tuple(step * dtype.itemsize for step in tensor.stride())
    address = int(tensor.data_ptr())
    view = make_view(address, tuple(tensor.shape), strides, dtype, where)
    view.gpu = tensor.device.index or 0
    return view


def _named(name: str) -> np.dtype[Any] | None:
    """The type of a name, of ml_dtypes or NumPy."""
    try:
        return np.dtype(getattr(ml_dtypes, name, name))
    except TypeError:
        return None


def _of_interface(interface: dict[str, Any], where: str) -> DeviceView:
    address, _ = interface["data"]
    strides = interface.get("strides")
    view = make_view(
        int(address or 0),
        tuple(interface["shape"]),
        None if strides is None else tuple(strides),
        np.dtype(interface["typestr"]),
        where,
    )
    view.stream = interface.get("stream")
    return view


def _of_dlpack(value: Any, where: str, stream: int) -> DeviceView:
    kind, number = value.__dlpack_device__()
    if kind not in (CUDA, CUDA_MANAGED):
        raise UserError(
            f"{where}: expected an array in the memory of a GPU, got a "
            f"{type(value).__name__} on DLPack device {int(kind)}:{number}; {WAY_OUT}"
        )
    capsule = value.__dlpack__(stream=stream or LEGACY_STREAM)
    found = read_capsule(capsule, where)
    view = make_view(found.address, found.shape, found.strides, found.dtype, where)
    view.gpu, view.owner = number, capsule
    return view


def stream_handle(stream: Any) -> int:
    """The driver's handle of a stream, 0 for the default stream.

    Args:
        stream: None, a handle, or a stream of torch, CuPy or with `__cuda_stream__`.

    Raises:
        UserError: It is nothing of these.
    """
    if stream is None:
        return 0
    protocol: Any = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        found = cast(tuple[int, int], protocol() if callable(protocol) else protocol)
        return found[1]
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    raise UserError(
        "expected stream to be None, a handle of the driver, or a stream of torch, "
        f"CuPy or with __cuda_stream__, got a {type(stream).__name__}"
    )
