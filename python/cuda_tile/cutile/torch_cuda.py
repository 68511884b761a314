# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the stand-in for the device answers in `torch.cuda`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from cuda_tile.cutile.clock import Event
from cuda_tile.cutile.order import ORDER, StreamClock
from cuda_tile.cutile.standin import MULTIPROCESSORS
from cuda_tile.cutile.torch_graph import CAPTURES, CUDAGraph, graph
from cuda_tile.targets import find_target

_KINDS = ("memory_allocated", "memory_reserved", "memory_cached")
MEMORY_BYTES = 16 << 30
"""What the device says of its memory, which is the host's."""


_TYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "ShortTensor": "int16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool",
}
_COUNTS = (
    *(f"{most}{what}" for most in ("", "max_") for what in _KINDS),
    "utilization",
    "device_memory_used",
)
"""Functions that answer 0."""
_RESETS = (
    "reset_peak_memory_stats",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "set_per_process_memory_fraction",
    "set_sync_debug_mode",
    "ipc_collect",
)
"""Functions that do nothing."""


class Stream:
    """A stream: work is done when it is asked for, but account is kept of its order.

    Attributes:
        cuda_stream: Its number.
        clock: What is over on it; no stream of PyTorch waits for the default one.
        device: The device.
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        self.cuda_stream = 0
        self.clock = StreamClock()
        self.device = sys.modules["torch"].device("cuda", 0)

    def __enter__(self) -> Stream:
        ORDER.chosen.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        ORDER.chosen.pop()

    def synchronize(self) -> None:
        """Returns at once, for work is done when it is asked for."""
        ORDER.host.join(self.clock)

    def query(self) -> bool:
        """Work is done when it is asked for."""
        return True

    def is_capturing(self) -> bool:
        """Whether a graph is captured."""
        return CAPTURES.current is not None

    def wait_stream(self, other: Any) -> None:
        """Returns at once."""
        self.clock.join(ORDER.clock_of(other))

    def wait_event(self, event: Any) -> None:
        """Returns at once."""
        event.wait(self)

    def record_event(self, event: Event | None = None) -> Event:
        """Takes the time."""
        event = event or Event()
        event.record(self)
        return event


class Using:
    """A context for a device or stream; a stream is the current one inside.

    Args:
        what: The stream or device.
    """

    def __init__(self, what: Any = None, *_: Any) -> None:
        self.what = what

    def __enter__(self) -> Any:
        if isinstance(self.what, Stream):
            ORDER.chosen.append(self.what)
        return self.what

    def __exit__(self, *_: object) -> None:
        if isinstance(self.what, Stream):
            ORDER.chosen.pop()


class _DeviceContext(Using):
    """`torch.cuda.device`."""


def replace_cuda(torch: Any, gpu: str) -> None:
    """Replaces the functions of `torch.cuda`.

    Args:
        torch: The module.
        gpu: The chip that programs see.
    """
    cuda: Any = torch.cuda
    target = find_target(gpu)
    major, minor = divmod(target.capability, 10)
    properties = SimpleNamespace(
        name=f"cuda_tile stand-in for {gpu}",
        major=major,
        minor=minor,
        multi_processor_count=MULTIPROCESSORS,
        total_memory=MEMORY_BYTES,
        shared_memory_per_block=48 * 1024,
        shared_memory_per_block_optin=target.shared_bytes_per_cta,
        shared_memory_per_multiprocessor=target.shared_bytes_per_sm,
        regs_per_multiprocessor=target.registers_per_sm,
        max_threads_per_multi_processor=target.threads_per_sm,
        warp_size=32,
        L2_cache_size=50 << 20,
        is_integrated=0,
    )

    answers: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "is_bf16_supported": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_name": properties.name,
        "get_device_capability": (major, minor),
        "get_device_properties": properties,
        "is_tf32_supported": True,
        "can_device_access_peer": False,
        "memory_summary": "",
        "get_gencode_flags": "",
        "get_sync_debug_mode": 0,
        "get_arch_list": [f"sm_{target.capability}"],
        "mem_get_info": (MEMORY_BYTES, MEMORY_BYTES),
        **dict.fromkeys(("init", "_lazy_init", "set_device", "empty_cache", "_sleep")),
        **dict.fromkeys(_COUNTS, 0),
        **dict.fromkeys(_RESETS),
    }
    for name, answer in answers.items():
        setattr(cuda, name, _always(answer))
        if hasattr(cuda.memory, name):
            setattr(cuda.memory, name, getattr(cuda, name))
    cuda.synchronize = _wait_for_all
    cuda.memory_stats = cuda.memory_stats_as_nested_dict = _no_statistics
    _replace_random(torch)
    _replace_streams(cuda)
    _replace_accelerator(torch)
    cuda.is_current_stream_capturing = lambda: CAPTURES.current is not None
    cuda.Stream = cuda.ExternalStream = Stream
    cuda.Event = Event
    cuda.stream = cuda.StreamContext = Using
    cuda.device = cuda.device_of = _DeviceContext
    cuda.CUDAGraph, cuda.graph = CUDAGraph, graph
    cuda.graphs.CUDAGraph, cuda.graphs.graph = CUDAGraph, graph
    cuda.graph_pool_handle = _always((0, 0))
    for name, dtype in _TYPES.items():
        setattr(cuda, name, _tensor_type(torch, name, getattr(torch, dtype)))
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, _always(None))
    cuda.nvtx.range = Using
    torch.version.cuda = "13.0"
    torch.backends.cuda.is_built = _always(True)


def _replace_random(torch: Any) -> None:
    """Makes random numbers of the device those of the host's generator."""
    cuda, random = torch.cuda, torch.default_generator
    cuda.default_generators = (random,)
    # Not `torch.manual_seed` and the like, which call these. Functions of their own,
    # for the compiler of torch wants each once.
    functions: dict[str, Any] = {
        "manual_seed": _calling(random.manual_seed, 1),
        "manual_seed_all": _calling(random.manual_seed, 1),
        "seed": _calling(random.seed, 0),
        "seed_all": _calling(random.seed, 0),
        "initial_seed": _calling(random.initial_seed, 0),
        "get_rng_state": _calling(random.get_state, 0),
        "set_rng_state": _calling(random.set_state, 1),
    }
    for name, function in functions.items():
        setattr(cuda, name, function)
        setattr(cuda.random, name, function)

    def get_states() -> list[Any]:
        return [random.get_state()]

    def set_states(states: Sequence[Any]) -> None:
        random.set_state(states[0])

    cuda.get_rng_state_all, cuda.set_rng_state_all = get_states, set_states


def _calling(function: Any, count: int) -> Any:
    """A function that calls another with the first `count` of its arguments."""

    def call(*words: Any, **_: Any) -> Any:
        return function(*words[:count])

    return call


def _wait_for_all(*_: Any, **__: Any) -> None:
    ORDER.wait_for_all()


def _no_statistics(*_: Any, **__: Any) -> Counter[str]:
    return Counter()


def _replace_streams(cuda: Any) -> None:
    stream = Stream()
    stream.clock = ORDER.default

    def current(*_: Any, **__: Any) -> Any:
        return ORDER.chosen[-1] if ORDER.chosen else stream

    def choose(chosen: Any) -> None:
        ORDER.chosen[:] = [chosen]

    cuda.default_stream = _always(stream)
    cuda.current_stream, cuda.set_stream = current, choose


def _replace_accelerator(torch: Any) -> None:
    """Makes `torch.accelerator`, in versions that have it, the stand-in."""
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    device = torch.device("cuda", 0)
    accelerator.is_available = _always(True)
    accelerator.device_count = _always(1)
    accelerator.current_accelerator = _always(torch.device("cuda"))
    accelerator.synchronize = _wait_for_all
    for name in ("current_device_index", "current_device_idx"):
        setattr(accelerator, name, _always(device.index))
    for name in ("set_device_index", "set_device_idx", "empty_cache"):
        setattr(accelerator, name, _always(None))
    accelerator.current_stream = torch.cuda.current_stream


def _tensor_type(torch: Any, name: str, dtype: Any) -> type:
    """A type like `torch.cuda.FloatTensor`: its calls make tensors."""

    def make(_: type, values: Any = (), *more: Any) -> Any:
        if isinstance(values, int):
            return torch.empty((values, *more), dtype=dtype, device="cuda")
        return torch.tensor(values, dtype=dtype, device="cuda")

    return type(f"cuda.{name}", (), {"__new__": make})


def _always(answer: Any) -> Any:
    def function(*_: Any, **__: Any) -> Any:
        return answer

    return function
