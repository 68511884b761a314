# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of any library as NumPy arrays in place, and as cuTile's arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

import ml_dtypes
import numpy as np

from cuda_tile.cutile.dlpack import DeviceArray, from_producer, view
from cuda_tile.cutile.marks import is_marked
from cuda_tile.errors import UserError
from cuda_tile.runtime.dlpack import contiguous_strides, type_code
from cuda_tile.runtime.elements import Array

_COPY = "pass a copy of the array"


def is_array(value: object) -> bool:
    """Whether a kernel argument is an array of some library."""
    return isinstance(value, (np.ndarray, DeviceArray)) or any(
        hasattr(value, name) for name in ("__dlpack__", "__cuda_array_interface__")
    )


def device_array(value: Any, where: str) -> DeviceArray:
    """An array of some library in host memory, as cuTile takes it.

    Args:
        value: NumPy array, torch CPU tensor, or what has `__dlpack__` or, with host
            addresses, `__cuda_array_interface__`. It is not copied.
        where: How messages name it, as "argument 1".

    Raises:
        UserError: Its memory, element type or strides are not those of a kernel.
    """
    if isinstance(value, DeviceArray):
        return value
    if isinstance(value, np.ndarray):
        array = cast(Array, value)
        return _checked(array, array, where)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _checked(tensor_view(value, where), value, where)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return _checked(_interface_view(interface), value, where)
    if hasattr(value, "__dlpack__"):
        found = from_producer(value, where)
        return _checked(found.array, found, where)
    raise UserError(
        f"{where}: expected an array, a number, or a list or tuple of these, got a "
        f"{type(value).__name__}"
    )


def _checked(array: Array, owner: object, where: str) -> DeviceArray:
    if type_code(array.dtype) is None:
        raise UserError(
            f"{where}: expected elements that cuTile has (integers, floats of 8 to 64 "
            f"bits, bool), got {array.dtype}; convert the array with astype"
        )
    for axis, stride in enumerate(array.strides):
        if array.size and (stride < 0 or stride % array.itemsize):
            raise UserError(
                f"{where}: expected strides that are whole elements and not negative, "
                f"got {stride} bytes along axis {axis} of {array.dtype}"
                f"{list(array.shape)}; {_COPY}"
            )
    if array.ctypes.data % array.itemsize:
        raise UserError(
            f"{where}: expected an address that is a multiple of the {array.itemsize} "
            f"bytes of an element, got {array.ctypes.data:#x}; {_COPY}"
        )
    return DeviceArray(array, owner)


def tensor_view(tensor: Any, where: str) -> Array:
    """The elements of a torch tensor in host memory, in place; it keeps the tensor.

    Raises:
        UserError: It is on another device, not dense, or of an unknown element type.
    """
    torch = sys.modules["torch"]
    # Where the stand-in makes torch say 'cuda', the memory below is still the host's.
    with torch._C.DisableTorchFunction():
        kind, layout = tensor.device.type, tensor.layout
        if kind != "cpu" or layout != torch.strided:
            raise UserError(
                f"{where}: expected a dense tensor in host memory, got one on "
                f"{tensor.device} of layout {layout}; use tensor.cpu() or on='gpu'"
            )
        dtype = tensor_dtype(tensor.dtype)
        if dtype is None:
            raise UserError(
                f"{where}: expected elements that cuTile has, got {tensor.dtype}"
            )
        shape, steps = tuple(tensor.shape), tuple(tensor.stride())
        address = int(tensor.data_ptr())
    strides = tuple(step * dtype.itemsize for step in steps)
    return view(address, shape, strides, dtype, tensor)


def tensor_dtype(dtype: Any) -> np.dtype[Any] | None:
    """The NumPy type of a torch type, or None."""
    name = str(dtype).removeprefix("torch.")
    special = getattr(ml_dtypes, name, None)
    if special is not None:
        return np.dtype(special)
    try:
        return np.dtype(name)
    except TypeError:
        return None


def _interface_view(interface: dict[str, Any]) -> Array:
    """Source: Numba documentation, "CUDA Array Interface (Version 3)"."""
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        strides = contiguous_strides(shape, dtype.itemsize)
    return view(int(interface["data"][0]), shape, tuple(strides), dtype)


def is_on_device(value: object) -> bool:
    """Whether an array is one that a GPU could read, or here passes for one."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return is_marked(value)
    if isinstance(value, DeviceArray):
        return True
    return hasattr(value, "__cuda_array_interface__")


def converted(
    args: Sequence[Any],
    accepts: Callable[[object], bool] = is_array,
    name: Callable[[int], str] = "argument {}".format,
) -> Any:
    """Kernel arguments with each array as a `DeviceArray`; other values as they are.

    Args:
        args: A tuple or list of arguments.
        accepts: Which arrays to convert.
        name: How messages name each.

    Returns:
        A tuple or list, as `args` is.

    Raises:
        UserError: As `device_array`.
    """
    found: list[Any] = []
    for place, arg in enumerate(args):
        where = name(place)
        if is_array(arg):
            found.append(device_array(arg, where) if accepts(arg) else arg)
        elif type(arg) in (list, tuple):
            found.append(converted(arg, accepts, f"{where}[{{}}]".format))
        else:
            found.append(arg)
    return found if isinstance(args, list) else tuple(found)
