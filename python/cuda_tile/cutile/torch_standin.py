# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes 'cuda' in torch mean memory of the host that is marked as the device's.

All that torch's functions are asked goes through a mode (`torch.overrides`): devices
called 'cuda' become 'cpu', and results are marked where the device was asked for or an
argument is marked. Copies between the two are real, so that a program that forgets one
goes wrong as it does on a GPU. `torch_cuda.py` replaces what `torch.cuda` says.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, cast

import numpy as np

from cuda_tile.cutile import torch_exchange, torch_graph
from cuda_tile.cutile.arrays import device_array, is_on_device
from cuda_tile.cutile.marks import MARKS, is_marked
from cuda_tile.cutile.torch_callbacks import replace_callbacks
from cuda_tile.cutile.torch_cuda import replace_cuda
from cuda_tile.cutile.torch_graph import tensors

_HOST_ONLY = (
    "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the "
    "tensor to host memory first."
)


def _is_cuda(torch: Any, device: object) -> bool:
    """Whether a device argument names the GPU."""
    if isinstance(device, str):
        return device.split(":")[0] == "cuda"
    if isinstance(device, torch.device):
        return cast(Any, device).type == "cuda"
    return False


class _DefaultDevice:
    """The device of `torch.set_default_device` and of `with torch.device(...)`.

    Attributes:
        constructors: The functions that it holds for.
    """

    def __init__(self, torch: Any) -> None:
        self._device_module: Any = import_module("torch.utils._device")
        self.constructors = self._device_module._device_constructors()
        context = self._device_module.DeviceContext
        own = context.__torch_function__

        def unless_cuda(
            mode: Any, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            # At the bottom, below the mode of this module, which has seen to it.
            if (
                _is_cuda(torch, mode.device)
                and not torch._C._len_torch_function_stack()
            ):
                return function(*args, **(kwargs or {}))
            return own(mode, function, types, args, kwargs)

        context.__torch_function__ = unless_cuda

    @property
    def default(self) -> Any:
        """The device now, or None."""
        return self._device_module.CURRENT_DEVICE


class Rules:
    """What a call of a torch function does while the stand-in is active.

    Args:
        torch: The module.
    """

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._context = _DefaultDevice(torch)
        tensor = torch.Tensor
        self._special: dict[Any, Callable[[Any, tuple[Any, ...], Any], Any]] = {
            torch.device: self._new_device,
            tensor.device.__get__: self._device,
            tensor.is_cuda.__get__: lambda _, args, __: is_marked(args[0]),
            tensor.is_cpu.__get__: lambda _, args, __: not is_marked(args[0]),
            tensor.get_device: lambda _, args, __: is_marked(args[0]) - 1,
            tensor.cpu: self._cpu,
            tensor.cuda: self._cuda,
            tensor.to: self._to,
            tensor.numpy: self._host_only,
            tensor.__array__: self._host_only,
            tensor.pin_memory: lambda _, args, __: args[0],
            tensor.is_pinned: lambda _, __, ___: False,
            tensor.record_stream: lambda _, __, ___: None,
            tensor.register_hook: self._hook,
            tensor.type: self._type,
            # Reads a device, for Module.to; Tensor.to follows.
            torch._C._nn._parse_to: lambda f, args, words: f(*args, **words),
            **torch_exchange.rules(torch),
        }
        self._tensor = tensor
        self._readers = (torch.as_tensor, torch.tensor, torch.asarray)

    def call(self, function: Any, args: tuple[Any, ...], words: dict[str, Any]) -> Any:
        """The result of a torch function, which a capture keeps for its graph."""
        capture = torch_graph.CAPTURES.current
        if capture is None:
            return self._call(function, args, words)
        return capture.run(lambda: self._call(function, args, words), (args, words))

    def _call(self, function: Any, args: tuple[Any, ...], words: dict[str, Any]) -> Any:
        special = self._special.get(function)
        if special is not None:
            return special(function, args, words)
        asked, args, words = self._on_host(function, args, words)
        if function in self._readers and args and self._is_foreign(args[0]):
            asked = True if asked is None else asked
            array = device_array(args[0], "argument 0").array
            args = (array.view(np.ndarray), *args[1:])
        given = list(tensors((args, words)))
        result = function(*args, **words)
        if asked or (asked is None and any(map(is_marked, given))):
            for tensor in tensors(result):
                # A tensor of the host that was written stays one.
                if asked or not any(tensor is known for known in given):
                    MARKS.add(tensor)
        return result

    def _is_foreign(self, value: object) -> bool:
        """Whether this is an array of the device of another library."""
        return not isinstance(value, self._tensor) and is_on_device(value)

    def _mark(self, result: Any) -> None:
        for tensor in tensors(result):
            MARKS.add(tensor)

    def _on_host(
        self, function: Any, args: tuple[Any, ...], words: dict[str, Any]
    ) -> tuple[bool | None, tuple[Any, ...], dict[str, Any]]:
        """Arguments with 'cpu' for 'cuda', and whether a device was asked for.

        Positional devices are replaced where they are `torch.device`s; a string might
        be anything.
        """
        asked: bool | None = None
        device = words.get("device")
        if device is None and function in self._context.constructors:
            device = self._context.default
        if device is not None:
            asked = self._names_cuda(device)
            words = words | {"device": "cpu"} if asked else words
        if words.get("pin_memory"):
            words = words | {"pin_memory": False}
        found: list[Any] = []
        for arg in args:
            if isinstance(arg, self._torch.device):
                asked = _is_cuda(self._torch, arg)
                found.append(self._torch.device("cpu") if asked else arg)
            else:
                found.append(arg)
        return asked, tuple(found), words

    def _names_cuda(self, device: object) -> bool:
        return type(device) is int or _is_cuda(self._torch, device)

    def _new_device(self, function: Any, args: tuple[Any, ...], words: Any) -> Any:
        if len(args) == 1 and type(args[0]) is int:  # one of the accelerator
            return function("cuda", args[0])
        return function(*args, **words)

    def _device(self, function: Any, args: tuple[Any, ...], _: Any) -> Any:
        if is_marked(args[0]):
            return self._torch.device("cuda", 0)
        return function(*args)

    def _host_only(self, function: Any, args: tuple[Any, ...], words: Any) -> Any:
        if is_marked(args[0]):
            raise TypeError(_HOST_ONLY)
        return function(*args, **words)

    def _cpu(self, _: Any, args: tuple[Any, ...], __: Any) -> Any:
        (tensor, *_) = args
        return tensor.clone() if is_marked(tensor) else tensor

    def _cuda(self, _: Any, args: tuple[Any, ...], __: Any) -> Any:
        return self._moved(args[0])

    def _hook(self, function: Any, args: tuple[Any, ...], words: Any) -> Any:
        """`Tensor.register_hook`: the gradient is where the tensor is."""
        (tensor, hook, *_) = (*args, *words.values())

        def marked(gradient: Any) -> Any:
            if is_marked(tensor):
                self._mark(gradient)
            return hook(gradient)

        return function(tensor, marked)

    def _type(self, function: Any, args: tuple[Any, ...], words: Any) -> Any:
        """`Tensor.type`, whose types of the device have names of their own."""
        tensor, *rest = args
        wanted = rest[0] if rest else words.get("dtype")
        if wanted is None:
            name = function(tensor)
            return name.replace("torch.", "torch.cuda.") if is_marked(tensor) else name
        if isinstance(wanted, self._torch.dtype):
            result = function(tensor, wanted)
            if is_marked(tensor):
                self._mark(result)
            return result
        name = wanted if isinstance(wanted, str) else f"torch.{wanted.__name__}"
        result = function(tensor, name.replace("torch.cuda.", "torch."))
        return (
            self._moved(result) if ".cuda." in name else self._cpu(None, (result,), {})
        )

    def _moved(self, tensor: Any) -> Any:
        """The tensor on the device."""
        if is_marked(tensor):
            return tensor
        copy = tensor.clone()
        self._mark(copy)
        return copy

    def _to(self, function: Any, args: tuple[Any, ...], words: dict[str, Any]) -> Any:
        """`Tensor.to` with a device, a type, or another tensor."""
        tensor, rest = args[0], args[1:]
        other = rest[0] if rest else words.get("other")
        device = rest[0] if rest else words.get("device")
        wanted: bool | None = None
        if isinstance(other, self._torch.Tensor):
            wanted = is_marked(other)
        elif isinstance(device, (str, self._torch.device)) or type(device) is int:
            wanted = self._names_cuda(device)
            if wanted:
                rest = ("cpu", *rest[1:]) if rest else rest
                words = words | {"device": "cpu"} if "device" in words else words
        was_marked = is_marked(tensor)
        result = function(tensor, *rest, **words)
        wanted = was_marked if wanted is None else wanted
        if wanted == was_marked:
            if wanted:
                self._mark(result)
            return result
        if _same_memory(result, tensor):
            result = result.clone()
        if wanted:
            self._mark(result)
        return result


def _same_memory(a: Any, b: Any) -> bool:
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def patch(torch: ModuleType, gpu: str) -> None:
    """Makes the stand-in active, in this thread and those started from now on.

    Args:
        torch: The module.
        gpu: The chip that programs see.
    """
    library: Any = torch
    overrides: Any = import_module("torch.overrides")
    import_module("torch.multiprocessing.reductions")  # for marks

    class HostForDevice(overrides.TorchFunctionMode):
        def __torch_function__(
            self,
            function: Any,
            types: Any,
            args: tuple[Any, ...] = (),
            kwargs: dict[str, Any] | None = None,
        ) -> Any:
            return rules.call(function, args, kwargs or {})

    rules = Rules(library)
    HostForDevice().__enter__()
    replace_cuda(library, gpu)
    replace_callbacks(library, HostForDevice)
    torch_exchange.replace_exchange(library)
    _replace_generator(library)
    # Its result is the same without, and the compiler knows no stand-ins.
    library.compile = _uncompiled


def _uncompiled(model: Any = None, **_: Any) -> Any:
    """In place of `torch.compile`: the function as it is."""
    return _uncompiled if model is None else model


def _replace_generator(torch: Any) -> None:
    """Makes random numbers of the device those of the host."""
    generator: Any = torch.Generator

    class Generator(generator):
        def __new__(cls, device: Any = "cpu") -> Any:
            made = generator.__new__(cls, "cpu")
            made.asked = torch.device(device)
            return made

        @property
        def device(self) -> Any:
            return self.asked

    torch.Generator = Generator
