# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the CUDA driver library that a launch needs, through ctypes.

Source: CUDA Driver API, "Initialization", "Context Management", "Module Management",
"Memory Management", "Execution Control", "Occupancy", "Tensor Map Object Management".
The library is loaded on the first call, not linked, so that this module can be imported
on any machine.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_int,
    c_size_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from functools import cache

from cuda_tile.errors import UserError

CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
"""`CUfunction_attribute` of the driver API."""

CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
"""`CUdevice_attribute`."""

MAX_STATIC_SHARED_BYTES = 48 * 1024
"""A kernel must opt in to more dynamic shared memory than this (same API)."""

LIBRARIES = ("libcuda.so.1", "libcuda.so")
WAY_OUT = 'on="emulator" and on="interp" run anywhere'

_SIGNATURES: dict[str, tuple[type, ...]] = {
    "cuInit": (c_uint,),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuCtxSetCurrent": (c_void_p,),
    "cuCtxSynchronize": (),
    "cuModuleLoadData": (POINTER(c_void_p), c_char_p),
    "cuModuleUnload": (c_void_p,),
    "cuModuleGetFunction": (POINTER(c_void_p), c_void_p, c_char_p),
    "cuFuncSetAttribute": (c_void_p, c_int, c_int),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemcpyHtoD_v2": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyDtoH_v2": (c_void_p, c_uint64, c_size_t),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (
        *(POINTER(c_int), c_void_p, c_int, c_size_t),
    ),
    "cuTensorMapEncodeTiled": (
        *(c_void_p, c_int, c_uint32, c_void_p, POINTER(c_uint64), POINTER(c_uint64)),
        *(POINTER(c_uint32), POINTER(c_uint32), c_int, c_int, c_int, c_int),
    ),
    "cuLaunchKernelEx": (c_void_p, c_void_p, c_void_p, c_void_p),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
}


class Driver:
    """The loaded driver library and a context on one device.

    Attributes:
        context: The device's primary context.
        device: The device.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self.context = c_void_p()
        self.device = c_int()
        for name, signature in _SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes = signature
            function.restype = c_int

    def call(self, name: str, *args: object) -> None:
        """Calls a driver function.

        Raises:
            UserError: It returned an error; the message gives the driver's text.
        """
        status = getattr(self._library, name)(*args)
        if status:
            text = c_char_p()
            self._library.cuGetErrorString(status, byref(text))
            reason = (text.value or b"unknown error").decode()
            raise UserError(f"{name} failed with error {status}: {reason}; {WAY_OUT}")

    def clean_up(self, name: str, *args: object) -> None:
        """Calls a driver function that frees something, and ignores errors."""
        getattr(self._library, name)(*args)

    def alloc(self, size_bytes: int) -> int:
        """Device memory of at least one byte; returns its address."""
        address = c_uint64()
        self.call("cuMemAlloc_v2", byref(address), max(size_bytes, 1))
        return address.value

    def resident_ctas(self, function: c_void_p, threads: int, shared: int) -> int:
        """CTAs of a kernel that the device holds at once.

        Args:
            function: The kernel.
            threads: Threads of a CTA.
            shared: Dynamic shared memory of a CTA in bytes.
        """
        multiprocessors, ctas = c_int(), c_int()
        attribute = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
        self.call(
            "cuDeviceGetAttribute", byref(multiprocessors), attribute, self.device
        )
        self.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            byref(ctas),
            function,
            threads,
            shared,
        )
        return multiprocessors.value * ctas.value


@cache
def load_driver() -> Driver:
    """Loads the driver library and uses the first device.

    Raises:
        UserError: There is no driver library or no GPU.
    """
    library = None
    for name in LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            break
        except OSError:
            continue
    if library is None:
        raise UserError(
            f"cannot run on a GPU: no CUDA driver library ({LIBRARIES[0]}) on this "
            f"machine; {WAY_OUT}"
        )
    driver = Driver(library)
    driver.call("cuInit", 0)
    count = c_int()
    driver.call("cuDeviceGetCount", byref(count))
    if count.value == 0:
        raise UserError(f"cannot run on a GPU: the driver finds none; {WAY_OUT}")
    driver.call("cuDeviceGet", byref(driver.device), 0)
    driver.call("cuDevicePrimaryCtxRetain", byref(driver.context), driver.device)
    return driver
