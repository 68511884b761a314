# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a cubin on a real GPU.

The device gets a copy of the bytes that each array covers; pointers, also those in a
`PointerTable`, are translated; afterwards the bytes are copied back into the arrays.
Arrays whose bytes overlap share one copy, so that aliasing stays as on the host.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_uint8, c_void_p
from dataclasses import dataclass
from math import prod

import numpy as np

from cuda_tile.runtime.args import Bound, PointerTable
from cuda_tile.runtime.device_view import DeviceView
from cuda_tile.runtime.driver import (
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    Driver,
    load_driver,
)
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.encode import encode_map, launch_config
from cuda_tile.runtime.record import Appended, Dim3, GridExtents, LaunchRecord
from cuda_tile.runtime.tensor_map import UNIT_BYTES, map_fields

PORTABLE_CLUSTER = 8
"""CTAs of a cluster that a kernel may have without being told of (CUDA C++ Programming
Guide, "Thread Block Clusters")."""


@dataclass(frozen=True, slots=True)
class Span:
    """Host bytes `[start, stop)` that are copied to the device together."""

    start: int
    stop: int
    arrays: tuple[Array, ...]

    @property
    def size_bytes(self) -> int:
        """Length of the span."""
        return self.stop - self.start


def spans(arrays: Sequence[Array]) -> list[Span]:
    """The host bytes of arrays; those that overlap are merged into one span."""
    bounds = [
        (*np.lib.array_utils.byte_bounds(array), array)
        for array in arrays
        if array.size
    ]
    merged: list[Span] = []
    for start, stop, array in sorted(bounds, key=lambda bound: bound[:2]):
        if merged and start < merged[-1].stop:
            last = merged.pop()
            merged.append(Span(last.start, max(stop, last.stop), (*last.arrays, array)))
        else:
            merged.append(Span(int(start), int(stop), (array,)))
    return merged


def every_array(args: Sequence[Bound]) -> list[Array]:
    """The host's arrays among the arguments, and those in pointer tables."""
    found: list[Array] = []
    for arg in args:
        if isinstance(arg, np.ndarray) and not isinstance(arg, DeviceView):
            found.append(arg)
        if isinstance(arg, PointerTable):
            found.extend(every_array(arg.targets))
    return found


class Translation:
    """Device addresses of host bytes.

    Args:
        placed: Spans with the device address of their first byte.
    """

    def __init__(self, placed: Sequence[tuple[Span, int]]) -> None:
        self._placed = placed

    def address(self, array: Array) -> int:
        """Device address of an array's first element; 0 for an empty array."""
        if isinstance(array, DeviceView):
            return array.address
        host = array.ctypes.data
        for span, device in self._placed:
            if span.start <= host < span.stop:
                return device + host - span.start
        return 0

    def table(self, table: PointerTable) -> Array:
        """A copy of a pointer table with device addresses."""
        words = np.array(table, dtype=np.int64, subok=False)
        step = table.words_per_array
        for position, target in enumerate(table.targets):
            words[position * step] = np.uint64(self.address(target)).astype(np.int64)
        return words

    def parameters(self, args: Sequence[Bound]) -> list[bytes]:
        """The bytes of each kernel parameter, little-endian."""
        packed: list[bytes] = []
        for arg in args:
            if arg is None:
                packed.append(bytes(8))
            elif isinstance(arg, np.ndarray):
                packed.append(self.address(arg).to_bytes(8, "little"))
            else:
                packed.append(arg.tobytes())
        return packed


def launch_cubin(
    cubin: bytes,
    entry: str,
    record: LaunchRecord,
    *,
    grid: Dim3,
    args: Sequence[Bound],
) -> None:
    """Runs a kernel on the first GPU and waits for its completion.

    Args:
        cubin: Machine code for that GPU.
        entry: Name of the kernel in it.
        record: How to launch it.
        grid: Tile blocks along x, y, z.
        args: Arguments as `bind_args` gives them; arrays are changed in place.

    Raises:
        UserError: There is no driver or GPU, the driver reports an error, or the
            arguments do not fit a tensor map.
    """
    driver = load_driver()
    driver.call("cuCtxSetCurrent", driver.context)  # contexts are per host thread
    module = c_void_p()
    driver.call("cuModuleLoadData", byref(module), cubin)
    try:
        shared = record.dynamic_shared_bytes
        function = driver.find_function(module, entry, shared)
        launch_function(driver, function, record, grid=grid, args=args, waits=True)
    finally:
        driver.clean_up("cuModuleUnload", module)


def launch_function(
    driver: Driver,
    function: c_void_p,
    record: LaunchRecord,
    *,
    grid: Dim3,
    args: Sequence[Bound],
    stream: int = 0,
    waits: bool = False,
) -> None:
    """Launches a loaded kernel; waits for its completion where something is copied.

    Args:
        driver: The driver, with its context current.
        function: The kernel.
        record: How to launch it.
        grid: Tile blocks along x, y, z.
        args: Arguments as `bind_args` gives them. Arrays of the host are copied to the
            device and back; each `DeviceView` is used where it is.
        stream: Handle of the stream, 0 for the default one.
        waits: Whether to wait in any case.

    Raises:
        UserError: The driver reports an error, or the arguments do not fit a tensor
            map.
    """
    memory = DeviceMemory(driver)
    try:
        translation = memory.copy_in(args)
        parameters = translation.parameters(args)
        for part in record.appended:
            parameters += _appended(part, args, grid, translation, memory)
        resident, shared = 0, record.dynamic_shared_bytes
        if record.grid == "persistent":
            resident = driver.resident_ctas(function, prod(record.block), shared)
        config = launch_config(
            record.launch_grid(grid, resident),
            record.launch_block,
            record.launch_cluster,
            shared,
            stream,
        )
        if stream and memory.is_used:
            driver.call("cuStreamSynchronize", None)  # that of the copies
        if prod(record.cluster) > PORTABLE_CLUSTER:
            attribute = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            driver.call("cuFuncSetAttribute", function, attribute, 1)
        values = _pointers_to(parameters)
        driver.call("cuLaunchKernelEx", byref(config), function, values, None)
        if waits or memory.is_used:
            driver.call("cuStreamSynchronize", stream or None)
            memory.copy_out()
    finally:
        memory.free()


def _appended(
    part: Appended,
    args: Sequence[Bound],
    grid: Dim3,
    translation: Translation,
    memory: DeviceMemory,
) -> list[bytes]:
    """The bytes of the parameters that the launch record asks for."""
    if isinstance(part, GridExtents):
        return [extent.to_bytes(4, "little") for extent in grid]
    base = args[part.base]
    address = translation.address(base) if isinstance(base, np.ndarray) else 0
    fields = map_fields(part, args, address, memory.line)
    return [encode_map(memory.driver, fields)]


class DeviceMemory:
    """What one launch allocates on the device.

    Args:
        driver: The driver, with its context current.
    """

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._placed: list[tuple[Span, int]] = []
        self._lines: list[int] = []

    @property
    def is_used(self) -> bool:
        """Whether the launch needs memory of its own."""
        return bool(self._placed or self._lines)

    def copy_in(self, args: Sequence[Bound]) -> Translation:
        """Copies the arrays among the arguments; gives their addresses there."""
        for piece in spans(every_array(args)):
            self._placed.append((piece, self.driver.alloc(piece.size_bytes)))
        translation = Translation(self._placed)
        _copy_in(self.driver, self._placed, translation)
        return translation

    def line(self) -> int:
        """Address of a new line of zeros, see `map_fields`."""
        self._lines.append(self.driver.alloc(UNIT_BYTES))
        zeros = (c_uint8 * UNIT_BYTES)()
        start = ctypes.addressof(zeros)
        self.driver.call("cuMemcpyHtoD_v2", self._lines[-1], start, UNIT_BYTES)
        return self._lines[-1]

    def copy_out(self) -> None:
        """Copies the arrays back that a kernel may write."""
        _copy_out(self.driver, self._placed)

    def free(self) -> None:
        """Gives the memory back, whatever became of the kernel."""
        for address in [*(device for _, device in self._placed), *self._lines]:
            self.driver.clean_up("cuMemFree_v2", address)


def _pointers_to(parameters: Sequence[bytes]) -> ctypes.Array[c_void_p]:
    """The `kernelParams` array: one pointer per parameter, which it keeps alive."""
    storage = [(c_uint8 * len(raw)).from_buffer_copy(raw) for raw in parameters]
    pointers = (c_void_p * len(storage))(*(ctypes.addressof(item) for item in storage))
    pointers.storage = storage  # type: ignore[attr-defined] # ctypes keeps no reference
    return pointers


def _copy_in(
    driver: Driver, placed: Sequence[tuple[Span, int]], translation: Translation
) -> None:
    for span, device in placed:
        driver.call("cuMemcpyHtoD_v2", device, span.start, span.size_bytes)
        for array in span.arrays:
            if isinstance(array, PointerTable):
                words = translation.table(array)
                driver.call(
                    "cuMemcpyHtoD_v2",
                    translation.address(array),
                    words.ctypes.data,
                    words.nbytes,
                )


def _copy_out(driver: Driver, placed: Sequence[tuple[Span, int]]) -> None:
    """Copies arrays back that a kernel may write, not tables or read-only arrays."""
    for span, device in placed:
        staging = np.empty(span.size_bytes, dtype=np.uint8)
        driver.call("cuMemcpyDtoH_v2", staging.ctypes.data, device, span.size_bytes)
        for array in span.arrays:
            if array.flags.writeable and not isinstance(array, PointerTable):
                copy_back(array, staging, span.start)


def copy_back(array: Array, staging: Array, start: int) -> None:
    """Fills a strided array from the bytes of its span.

    Args:
        array: The array to fill; bytes between its elements are not changed.
        staging: uint8 bytes of the span.
        start: Host address of the span's first byte.
    """
    first = array.ctypes.data - start
    source = np.ndarray(
        array.shape, array.dtype, staging.data, offset=first, strides=array.strides
    )
    array[...] = source
