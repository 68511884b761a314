# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stand-in for CuPy: NumPy arrays that say that they are the device's.

CuPy's functions are NumPy's under the same names, so that the module passes on whatever
it does not have itself, and gives the arrays among the results CuPy's class.
"""

from __future__ import annotations

import functools
import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np

from cuda_tile.cutile.arrays import device_array, is_on_device
from cuda_tile.cutile.clock import Event
from cuda_tile.cutile.order import ORDER, StreamClock
from cuda_tile.cutile.standin import DRIVER_VERSION, MULTIPROCESSORS
from cuda_tile.targets import find_target

VERSION = "13.6.0"
"""The version of CuPy whose names there are."""


_READERS = ("array", "asarray", "ascontiguousarray", "from_dlpack")


class ndarray(np.ndarray[Any, np.dtype[Any]]):
    """An array of the device, in host memory."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Source: Numba documentation, "CUDA Array Interface (Version 3)"."""
        return dict(self.__array_interface__, stream=None)

    @property
    def device(self) -> Any:
        """Device 0."""
        return Device(0)

    @property
    def data(self) -> Any:
        """The memory, of which programs ask the address."""
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self, *_: Any, out: Any = None, **__: Any) -> Any:
        """A copy in host memory."""
        copy = np.array(self, subok=False)
        if out is None:
            return copy
        out[...] = copy
        return out

    def set(self, array: Any, *_: Any) -> None:
        """Copies an array of the host into this one."""
        self[...] = array

    def __getitem__(self, key: Any) -> Any:
        # CuPy has no scalars of its own: an element is an array of rank 0.
        return _on_device(super().__getitem__(key))


class Device:
    """The device.

    Attributes:
        id: Its number.
    """

    def __init__(self, number: int = 0) -> None:
        self.id = number

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def synchronize(self) -> None:
        """Returns at once, for work is done when it is asked for."""
        ORDER.wait_for_all()

    def use(self) -> None:
        """There is one device."""


class Stream:
    """A stream: work is done when it is asked for, but account is kept of its order.

    Attributes:
        ptr: Its number.
        clock: What is over on it.
    """

    def __init__(self, *_: Any, non_blocking: bool = False, **__: Any) -> None:
        self.ptr = 0
        self.clock = StreamClock(is_blocking=not non_blocking)

    def __enter__(self) -> Stream:
        ORDER.chosen.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        ORDER.chosen.pop()

    def synchronize(self) -> None:
        """Returns at once."""
        ORDER.host.join(self.clock)

    def use(self) -> Stream:
        """Makes it the current one."""
        ORDER.chosen[:] = [self]
        return self

    def record(self, event: Event | None = None) -> Event:
        """Takes the time."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Returns at once."""
        event.wait(self)


class _DefaultStream(Stream):
    """The one that programs get without a choice."""

    def __init__(self) -> None:
        self.ptr = 0
        self.clock = ORDER.default


def _on_device(value: Any) -> Any:
    """A result of NumPy with CuPy's class for each array."""
    if isinstance(value, ndarray):
        return value
    if isinstance(value, np.ndarray):
        return cast(Any, value).view(ndarray)
    if isinstance(value, np.generic):
        return np.asarray(cast(Any, value)).view(ndarray)
    if type(value) in (tuple, list):
        return type(value)(map(_on_device, value))
    return value


class _Passing(ModuleType):
    """A module whose missing names are those of a module or object of NumPy."""

    def __init__(self, name: str, source: Any, own: dict[str, Any]) -> None:
        super().__init__(name)
        self._source = source
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            found = getattr(self._source, name)
        except AttributeError:
            raise AttributeError(
                f"the stand-in for CuPy has no '{self.__name__}.{name}', for NumPy has "
                "none; compute it with NumPy, or run the program with --on=gpu"
            ) from None
        if isinstance(found, type) or not callable(found):
            return found
        return _passing(found)


def _passing(function: Any) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        return _on_device(function(*args, **words))

    return call


def _reading(function: Any) -> Any:
    """A function of NumPy that reads an array; it may be one of torch's device."""

    @functools.wraps(function)
    def call(value: Any, *args: Any, **words: Any) -> Any:
        if not isinstance(value, np.ndarray) and is_on_device(value):
            value = device_array(value, "argument 0").array
            if function is np.from_dlpack:
                return _on_device(value)
        return _on_device(function(value, *args, **words))

    return call


def asnumpy(array: Any, *_: Any, **__: Any) -> Any:
    """A copy in host memory."""
    return np.array(array, subok=False)


def _random_generator(seed: Any = None) -> Any:
    return _Passing("cupy.random.Generator", np.random.default_rng(seed), {})


def _always(answer: Any) -> Any:
    def function(*_: Any) -> Any:
        return answer

    return function


def _array_module(*_: Any) -> ModuleType:
    return sys.modules["cupy"]


def make_module(gpu: str) -> ModuleType:
    """The module `cupy`, with those below it in `sys.modules`.

    Args:
        gpu: The chip that programs see.
    """
    capability = str(find_target(gpu).capability)
    properties = {
        "name": f"cuda_tile stand-in for {gpu}".encode(),
        "multiProcessorCount": MULTIPROCESSORS,
        "major": int(capability[:-1]),
        "minor": int(capability[-1]),
    }
    runtime = SimpleNamespace(
        getDeviceCount=lambda: 1,
        getDevice=lambda: 0,
        getDeviceProperties=_always(properties),
        runtimeGetVersion=lambda: DRIVER_VERSION,
        driverGetVersion=lambda: DRIVER_VERSION,
        deviceSynchronize=ORDER.wait_for_all,
        memGetInfo=lambda: (1 << 34, 1 << 34),
    )
    stream = _DefaultStream()
    Stream.null = stream  # type: ignore[attr-defined]

    def current() -> Stream:
        return ORDER.chosen[-1] if ORDER.chosen else stream

    Device.compute_capability = capability  # type: ignore[attr-defined]
    cuda = _Passing(
        "cupy.cuda",
        SimpleNamespace(),
        {
            "Device": Device,
            "Stream": Stream,
            "ExternalStream": Stream,
            "Event": Event,
            "get_current_stream": current,
            "get_elapsed_time": Event.elapsed_time,
            "is_available": lambda: True,
            "runtime": runtime,
            "stream": SimpleNamespace(get_current_stream=current),
            "using_allocator": _always(nullcontext()),
        },
    )
    random = _Passing("cupy.random", np.random, {"default_rng": _random_generator})
    cupy = _Passing(
        "cupy",
        np,
        {
            "__version__": VERSION,
            "__path__": [],
            "ndarray": ndarray,
            "asnumpy": asnumpy,
            **{name: _reading(getattr(np, name)) for name in _READERS},
            "cuda": cuda,
            "random": random,
            "linalg": _Passing("cupy.linalg", np.linalg, {}),
            "testing": np.testing,
            "get_array_module": _array_module,
            "is_available": lambda: True,
        },
    )
    for module in (cuda, random, cupy.linalg):
        sys.modules[module.__name__] = module
    sys.modules["cupy.testing"] = np.testing
    return cupy
