# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the CUDA driver library that a launch needs, through ctypes.

Source: CUDA Driver API, "Initialization", "Context Management", "Module Management",
"Memory Management", "Event Management", "Execution Control", "Occupancy", "Tensor Map
Object Management".
The library is loaded on the first call, not linked, so that this module can be imported
on any machine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_float,
    c_int,
    c_size_t,
    c_ubyte,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from functools import cache

from cuda_tile.errors import UserError

CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
"""`CUfunction_attribute` of the driver API."""

CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
"""`CUdevice_attribute`."""

CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
"""`CUpointer_attribute`."""

CUDA_ERROR_OUT_OF_MEMORY = 2
"""`CUresult`."""

MOST_MODULES = 256
"""Cubins that stay loaded for further launches."""

MAX_STATIC_SHARED_BYTES = 48 * 1024
"""A kernel must opt in to more dynamic shared memory than this (same API)."""

STANDIN_MARK = "standinSetVersion"
"""A function that only the stand-in for the driver has (`python/standin`)."""

LIBRARIES = ("libcuda.so.1", "libcuda.so")
WAY_OUT = 'on="emulator" and on="interp" run anywhere'

_SIGNATURES: dict[str, tuple[type, ...]] = {
    "cuInit": (c_uint,),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuCtxSetCurrent": (c_void_p,),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (POINTER(c_void_p),),
    "cuCtxSynchronize": (),
    "cuStreamSynchronize": (c_void_p,),
    "cuPointerGetAttribute": (POINTER(c_int), c_int, c_uint64),
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
    "cuEventCreate": (POINTER(c_void_p), c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventSynchronize": (c_void_p,),
    "cuEventElapsedTime": (POINTER(c_float), c_void_p, c_void_p),
    "cuEventDestroy_v2": (c_void_p,),
    "cuMemsetD8Async": (c_uint64, c_ubyte, c_size_t, c_void_p),
    "cuLaunchKernelEx": (c_void_p, c_void_p, c_void_p, c_void_p),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
}


class Driver:
    """The loaded driver library and one device.

    Attributes:
        device: The device.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._context = c_void_p()
        self.device = c_int()
        self._modules: dict[bytes, c_void_p] = {}
        for name, signature in _SIGNATURES.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise UserError(
                    f"cannot run on a GPU: the CUDA driver has no function {name}, and "
                    "so is older than CUDA 12; install a newer one"
                ) from None
            function.argtypes = signature
            function.restype = c_int

    def call(self, name: str, *args: object) -> None:
        """Calls a driver function.

        Raises:
            UserError: It returned an error; the message gives the driver's text.
        """
        self.check(name, getattr(self._library, name)(*args))

    def check(self, name: str, status: int) -> None:
        """Raises for what a driver function returned.

        Raises:
            UserError: It is an error; the message gives the driver's text.
        """
        if status:
            text = c_char_p()
            self._library.cuGetErrorString(status, byref(text))
            reason = (text.value or b"unknown error").decode()
            raise UserError(f"{name} failed with error {status}: {reason}; {WAY_OUT}")

    @property
    def context(self) -> c_void_p:
        """The device's primary context, which other libraries use too."""
        if not self._context:
            self.call("cuDevicePrimaryCtxRetain", byref(self._context), self.device)
        return self._context

    def clean_up(self, name: str, *args: object) -> None:
        """Calls a driver function that frees something, and ignores errors."""
        getattr(self._library, name)(*args)

    def alloc(self, size_bytes: int) -> int:
        """Device memory of at least one byte; returns its address."""
        address = c_uint64()
        status = self._library.cuMemAlloc_v2(byref(address), max(size_bytes, 1))
        if status == CUDA_ERROR_OUT_OF_MEMORY:
            raise UserError(
                f"expected {size_bytes} bytes of free GPU memory for the copy of an "
                "array, got fewer: out of memory; free some, or launch with less"
            )
        self.check("cuMemAlloc_v2", status)
        return address.value

    @contextmanager
    def current(self) -> Generator[None]:
        """Makes the context that of this thread, and gives the former one back."""
        self.call("cuCtxPushCurrent_v2", self.context)
        try:
            yield
        finally:
            self.clean_up("cuCtxPopCurrent_v2", byref(c_void_p()))

    def function(self, cubin: bytes, entry: str, shared_bytes: int) -> c_void_p:
        """A kernel of a cubin, which stays loaded.

        Args:
            cubin: Machine code for this device.
            entry: Name of the kernel.
            shared_bytes: Dynamic shared memory that it will be launched with.
        """
        if cubin not in self._modules:
            self._make_room()
            module = c_void_p()
            self.call("cuModuleLoadData", byref(module), cubin)
            self._modules[cubin] = module
        return self.find_function(self._modules[cubin], entry, shared_bytes)

    def find_function(
        self, module: c_void_p, entry: str, shared_bytes: int
    ) -> c_void_p:
        """A kernel of a loaded module, ready to be launched with shared memory."""
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module, entry.encode())
        if shared_bytes > MAX_STATIC_SHARED_BYTES:
            attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("cuFuncSetAttribute", function, attribute, shared_bytes)
        return function

    def _make_room(self) -> None:
        """Unloads the cubin that was loaded first, once no kernel runs any more."""
        if len(self._modules) >= MOST_MODULES:
            self.call("cuCtxSynchronize")
            self.clean_up(
                "cuModuleUnload", self._modules.pop(next(iter(self._modules)))
            )

    @property
    def capability(self) -> int:
        """Compute capability of the device as a number, 90 for sm_90."""
        parts: list[int] = []
        for attribute in (
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        ):
            value = c_int()
            self.call("cuDeviceGetAttribute", byref(value), attribute, self.device)
            parts.append(value.value)
        return 10 * parts[0] + parts[1]

    def ordinal_of(self, address: int) -> int | None:
        """The GPU that an address belongs to, or None if it belongs to none."""
        value = c_int()
        attribute = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        status = self._library.cuPointerGetAttribute(byref(value), attribute, address)
        return None if status else value.value

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
def load_driver(ordinal: int = 0) -> Driver:
    """Loads the driver library and uses a device.

    Args:
        ordinal: The number of the device.

    Raises:
        UserError: There is no driver library or no such GPU.
    """
    library = None
    for name in LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            break
        except OSError:
            continue
    if library is None or hasattr(library, STANDIN_MARK):
        where = "in a process that runs cuTile kernels without a GPU"
        raise UserError(
            f"cannot run on a GPU: no CUDA driver library ({LIBRARIES[0]}) "
            f"{where if library else 'on this machine'}; {WAY_OUT}"
        )
    driver = Driver(library)
    driver.call("cuInit", 0)
    count = c_int()
    driver.call("cuDeviceGetCount", byref(count))
    if count.value == 0:
        raise UserError(f"cannot run on a GPU: the driver finds none; {WAY_OUT}")
    if ordinal >= count.value:
        raise UserError(
            f"expected the number of a GPU below {count.value}, as the driver finds "
            f"them, got {ordinal}"
        )
    driver.call("cuDeviceGet", byref(driver.device), ordinal)
    return driver
