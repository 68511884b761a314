# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marked tensors of torch in text, in files, and in the hands of other libraries."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cuda_tile.cutile.arrays import is_on_device, tensor_view
from cuda_tile.cutile.marks import MARKS, is_marked

_FIRST = 5
"""Before the numbers that torch gives to its own ways of keeping storages (10 on)."""

_AFTER_NUMBERS = re.compile(r"(?s)(.*\]|tensor\([^,)]*)")
"""A tensor as text up to the place where torch names the device."""


def rules(torch: Any) -> dict[Any, Callable[[Any, tuple[Any, ...], Any], Any]]:
    """What functions of tensors do for marked ones, by function.

    Args:
        torch: The module.
    """
    tensor = torch.Tensor
    return {
        tensor.__repr__: _text,
        tensor.__cuda_array_interface__.__get__: _interface,
        tensor.__dlpack_device__: lambda f, args, _: (
            (2, 0) if is_marked(args[0]) else f(*args)  # kDLCUDA
        ),
        tensor.__dlpack__: _capsule,
    }


def _text(function: Any, args: tuple[Any, ...], words: Any) -> str:
    text = function(*args, **words)
    if not is_marked(args[0]):
        return text
    return _AFTER_NUMBERS.sub(r"\1, device='cuda:0'", text, count=1)


def _interface(function: Any, args: tuple[Any, ...], _: Any) -> dict[str, Any]:
    """Source: Numba documentation, "CUDA Array Interface (Version 3)"."""
    if not is_marked(args[0]):
        return function(*args)
    array = tensor_view(args[0], "a tensor")
    return dict(array.__array_interface__, version=3, stream=None)


def _capsule(function: Any, args: tuple[Any, ...], words: Any) -> Any:
    if is_marked(args[0]):  # there is no stream to wait for
        words = {name: word for name, word in words.items() if name == "copy"}
        args = args[:1]
    return function(*args, **words)


def replace_exchange(torch: Any) -> None:
    """Makes tensors that come from elsewhere those of the device, where they were.

    Args:
        torch: The module.
    """
    read = torch.utils.dlpack.from_dlpack

    def from_dlpack(ext_tensor: Any, **words: Any) -> Any:
        tensor = read(ext_tensor, **words)
        if is_on_device(ext_tensor) or MARKS.has_address(tensor):
            MARKS.add(tensor)
        return tensor

    torch.from_dlpack = torch.utils.dlpack.from_dlpack = from_dlpack

    def name(storage: Any) -> str | None:
        return "cuda:0" if MARKS.has(storage) else None

    def restore(storage: Any, location: str) -> Any:
        if not location.startswith("cuda"):
            return None
        MARKS.add(storage)
        return storage

    torch.serialization.register_package(_FIRST, name, restore)
