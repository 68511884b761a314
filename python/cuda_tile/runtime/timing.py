# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long work on a stream takes on a GPU, by the driver's events.

Source: CUDA Driver API, "Event Management".
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from ctypes import byref, c_float, c_int, c_void_p

from cuda_tile.runtime.driver import Driver

CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38
"""`CUdevice_attribute` of the driver API; bytes."""

_FLUSH_FACTOR = 2
"""Bytes written to flush the L2 cache, as a multiple of its size: lines are replaced in
an order that is not documented, so once is not enough."""


def elapsed_us(
    driver: Driver, stream: int, work: Callable[[], None], *, flush: bool = False
) -> float:
    """Runs work on a stream and gives its time in microseconds.

    Args:
        driver: The driver, with its context current.
        stream: Handle of the stream.
        work: Puts the work on the stream.
        flush: Whether to displace what the L2 cache holds before.

    Raises:
        UserError: The driver reports an error.
    """
    with ExitStack() as stack:
        events: list[c_void_p] = []
        for _ in range(2):
            event = c_void_p()
            driver.call("cuEventCreate", byref(event), 0)
            stack.callback(driver.clean_up, "cuEventDestroy_v2", event)
            events.append(event)
        if flush:
            size = _l2_bytes(driver) * _FLUSH_FACTOR
            scratch = driver.alloc(size)
            stack.callback(driver.clean_up, "cuMemFree_v2", scratch)
            driver.call("cuMemsetD8Async", scratch, 0, size, stream or None)
        driver.call("cuEventRecord", events[0], stream or None)
        work()
        driver.call("cuEventRecord", events[1], stream or None)
        driver.call("cuEventSynchronize", events[1])
        milliseconds = c_float()
        driver.call("cuEventElapsedTime", byref(milliseconds), *events)
    return 1000 * milliseconds.value


def _l2_bytes(driver: Driver) -> int:
    size = c_int()
    attribute = CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
    driver.call("cuDeviceGetAttribute", byref(size), attribute, driver.device)
    return max(size.value, 0)
