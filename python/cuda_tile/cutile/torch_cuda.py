# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the stand-in for the device answers in `torch.cuda`."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from cuda_tile.cutile.clock import Event
from cuda_tile.cutile.standin import MULTIPROCESSORS
from cuda_tile.targets import find_target

MEMORY_BYTES = 16 << 30
"""What the device says of its memory, which is the host's."""


class Stream:
    """A stream, which has no state here.

    Attributes:
        cuda_stream: Its number.
        device: The device.
    """

    def __init__(self, device: Any = None, *_: Any, **__: Any) -> None:
        self.cuda_stream = 0
        self.device = device

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        """Returns at once, for work is done when it is asked for."""

    def query(self) -> bool:
        """Work is done when it is asked for."""
        return True

    def wait_stream(self, _: Any) -> None:
        """Returns at once."""

    def wait_event(self, _: Any) -> None:
        """Returns at once."""

    def record_event(self, event: Event | None = None) -> Event:
        """Takes the time."""
        event = event or Event()
        event.record()
        return event


class _NoGraph:
    """A graph of CUDA, which the stand-in does not have."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            "torch.cuda.CUDAGraph has no stand-in; call the function without a graph, "
            "or run the program with --on=gpu"
        )


def replace_cuda(torch: Any, gpu: str) -> None:
    """Replaces the functions of `torch.cuda`.

    Args:
        torch: The module.
        gpu: The chip that programs see.
    """
    cuda: Any = torch.cuda
    target = find_target(gpu)
    major, minor = divmod(target.capability, 10)
    stream = Stream(torch.device("cuda", 0))
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

    @contextmanager
    def using(_: Any = None) -> Any:
        yield

    answers: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "is_bf16_supported": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_name": properties.name,
        "get_device_capability": (major, minor),
        "get_device_properties": properties,
        "get_arch_list": [f"sm_{target.capability}"],
        "current_stream": stream,
        "default_stream": stream,
        "mem_get_info": (MEMORY_BYTES, MEMORY_BYTES),
        **dict.fromkeys(
            ("init", "synchronize", "set_device", "set_stream", "empty_cache"), None
        ),
        **dict.fromkeys(("reset_peak_memory_stats", "ipc_collect"), None),
        **dict.fromkeys(("memory_allocated", "max_memory_allocated"), 0),
        **dict.fromkeys(("memory_reserved", "max_memory_reserved"), 0),
    }
    for name, answer in answers.items():
        setattr(cuda, name, _always(answer))
    cuda.manual_seed = cuda.manual_seed_all = torch.manual_seed
    cuda.Stream = cuda.ExternalStream = Stream
    cuda.Event = Event
    cuda.stream = cuda.device = using
    cuda.CUDAGraph = cuda.graph = _NoGraph
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, _always(None))
    cuda.nvtx.range = using
    torch.version.cuda = "13.0"


def _always(answer: Any) -> Any:
    def function(*_: Any, **__: Any) -> Any:
        return answer

    return function
