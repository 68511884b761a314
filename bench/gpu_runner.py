# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a bundle of compiled kernels on this machine's GPU and compares the results.

    python run.py [--only TEXT] [--repeat N] [--device N] [--json FILE]

`gpu_check.py` made the bundle, the folder that this file lies in, on a machine that
needs no GPU. Here only Python 3.10, NumPy and the CUDA driver are needed. Each kernel
gets its inputs in memory with a guard on both sides, and what it leaves must be what
the interpreter computed, to the units that its test allows.

Prints PASS, FAIL or SKIP and the time of one launch per kernel. The exit code is 0 if
all passed, 1 if one failed, 2 if nothing could run: no driver, no GPU, no code for it.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Record = dict[str, Any]
"""An object of the manifest."""

LIBRARY = "GPU_CHECK_LIBCUDA"
"""Environment variable with the path of the driver library, if it is another one."""
LIBRARIES = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
GUARD_BYTES = 256
GUARD = 0xA5
CAPABILITY_MAJOR, CAPABILITY_MINOR, MULTIPROCESSORS = 75, 76, 16
"""`CUdevice_attribute` of the driver API."""
CLUSTER_DIMENSION = 4
"""`CUlaunchAttributeID`."""
MAP_BYTES, MAP_ALIGNMENT_BYTES, LINE_BYTES = 128, 64, 16
MAX_DYNAMIC_SHARED, ANY_CLUSTER_SIZE = 8, 14
"""`CUfunction_attribute`: kernels with more than 48 KiB, or clusters of more than
`PORTABLE_CLUSTER` CTAs, must opt in."""
PORTABLE_CLUSTER = 8
STATIC_SHARED_BYTES = 48 * 1024


class LaunchAttribute(ctypes.Structure):
    """`CUlaunchAttribute` of the driver API."""

    _fields_ = (
        ("id", ctypes.c_uint),
        ("padding", ctypes.c_uint),
        ("value", ctypes.c_uint64 * 8),
    )


class LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig` of the driver API."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("attribute_count", ctypes.c_uint),
    )


class CannotRun(Exception):
    """Nothing can be run on this machine; the message says why."""


class DriverError(Exception):
    """A call of the driver failed."""


class Driver:
    """The driver library and a context on one device."""

    def __init__(self, number: int) -> None:
        self.library = self._load()
        self.call("cuInit", 0)
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if not 0 <= number < count.value:
            raise CannotRun(f"expected device {number}, the driver has {count.value}")
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), number)
        self.open()

    @staticmethod
    def _load() -> ctypes.CDLL:
        chosen = os.environ.get(LIBRARY)
        for name in (chosen,) if chosen else LIBRARIES:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
        raise CannotRun("no CUDA driver library on this machine")

    def call(self, name: str, *args: Any) -> None:
        """Calls a function of the driver; raises DriverError if it fails."""
        status = getattr(self.library, name)(*args)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            said = (text.value or b"unknown error").decode()
            raise DriverError(f"{name}: error {status}, {said}")

    def open(self) -> None:
        """Makes the device's context current."""
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def recover(self) -> None:
        """A new context after an error that spoils the old one."""
        self.library.cuDevicePrimaryCtxReset_v2(self.device)
        self.open()

    def attribute(self, number: int) -> int:
        """An attribute of the device."""
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, self.device)
        return value.value

    def resident_ctas(self, function: Any, threads: int, shared: int) -> int:
        """CTAs of a kernel that the device holds at once."""
        count = ctypes.c_int()
        self.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(count),
            function,
            threads,
            ctypes.c_size_t(shared),
        )
        return count.value * self.attribute(MULTIPROCESSORS)

    def describe(self) -> tuple[str, int, int]:
        """The device's name and its chip, `sm_90`."""
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), self.device)
        major, minor = map(self.attribute, (CAPABILITY_MAJOR, CAPABILITY_MINOR))
        return name.value.decode(), major, minor


def code_for(codes: Sequence[Record], major: int, minor: int) -> Record | None:
    """The code of a kernel that runs on a chip, or None.

    Code for a chip's own target runs on it alone, other code also on later chips of
    the same major number (CUDA C++ Programming Guide, "Binary Compatibility").
    """
    own = [c for c in codes if c["arch"].rstrip("af") == f"sm_{major}{minor}"]
    if own:
        return own[0]
    earlier = [
        c
        for c in codes
        if c["arch"][-1].isdigit()
        and int(c["arch"][3:-1]) == major
        and int(c["arch"][-1]) <= minor
    ]
    return max(earlier, key=lambda c: int(c["arch"][3:]), default=None)


class Memory:
    """Device memory of one kernel: its spans, each between two guards."""

    def __init__(
        self, driver: Driver, spans: Sequence[Array], starts: Sequence[int]
    ) -> None:
        self.driver = driver
        self.sizes = [len(span) for span in spans]
        self.bases: list[int] = []
        self.places: list[int] = []
        self.hosts: list[Array] = []
        self.lines: list[int] = []
        for span, start in zip(spans, starts, strict=True):
            skip = GUARD_BYTES + start % GUARD_BYTES
            host = np.full(skip + len(span) + GUARD_BYTES, GUARD, np.uint8)
            host[skip : skip + len(span)] = span
            base = ctypes.c_uint64()
            driver.call("cuMemAlloc_v2", ctypes.byref(base), ctypes.c_size_t(len(host)))
            self.bases.append(base.value)
            self.places.append(skip)
            self.hosts.append(host)

    def address(self, number: int, offset: int) -> int:
        """Device address of a byte of a span."""
        return self.bases[number] + self.places[number] + offset

    def copy_in(self) -> None:
        """Puts the inputs on the device."""
        for base, host in zip(self.bases, self.hosts, strict=True):
            device, source = ctypes.c_uint64(base), ctypes.c_void_p(host.ctypes.data)
            size = ctypes.c_size_t(host.nbytes)
            self.driver.call("cuMemcpyHtoD_v2", device, source, size)

    def copy_out(self) -> list[Array]:
        """The spans after a run; raises ValueError where a guard was overwritten."""
        found: list[Array] = []
        for number, base in enumerate(self.bases):
            got = np.empty_like(self.hosts[number])
            device, target = ctypes.c_uint64(base), ctypes.c_void_p(got.ctypes.data)
            size = ctypes.c_size_t(got.nbytes)
            self.driver.call("cuMemcpyDtoH_v2", target, device, size)
            start, stop = self.places[number], self.places[number] + self.sizes[number]
            if (got[:start] != GUARD).any() or (got[stop:] != GUARD).any():
                raise ValueError(f"memory around span {number} was overwritten")
            found.append(got[start:stop])
        return found

    def line(self) -> int:
        """Address of a new line of zeros."""
        base, zeros = ctypes.c_uint64(), ctypes.create_string_buffer(LINE_BYTES)
        size = ctypes.c_size_t(LINE_BYTES)
        self.driver.call("cuMemAlloc_v2", ctypes.byref(base), size)
        self.lines.append(base.value)
        self.driver.call("cuMemcpyHtoD_v2", base, zeros, size)
        return base.value

    def free(self) -> None:
        """Gives the memory back, whatever became of the kernel."""
        for base in (*self.bases, *self.lines):
            self.driver.library.cuMemFree_v2(ctypes.c_uint64(base))


def parameters(item: Record, code: Record, memory: Memory) -> tuple[Any, list[Any]]:
    """The `kernelParams` array and what it points to."""
    values: list[bytes] = []
    for part in (*item["parameters"], *code["appended"]):
        values += _words(part, item, memory)
    storage = [(ctypes.c_uint8 * len(raw)).from_buffer_copy(raw) for raw in values]
    pointers = (ctypes.c_void_p * max(len(storage), 1))(
        *(ctypes.addressof(part) for part in storage)
    )
    return pointers, storage


def _words(part: Record, item: Record, memory: Memory) -> list[bytes]:
    """The bytes of a parameter; three of them for the extents of the grid."""
    if "span" in part:
        address = memory.address(part["span"], part["offset"])
        return [address.to_bytes(8, "little")]
    if "bytes" in part:
        return [bytes.fromhex(part["bytes"])]
    if part["kind"] == "grid_extents":
        return [extent.to_bytes(4, "little") for extent in item["grid"]]
    return [tensor_map(part, memory)]


def tensor_map(part: Record, memory: Memory) -> bytes:
    """The bytes of a tensor map, as the driver makes them."""
    place, rank = part["array"], len(part["extents"])
    address = memory.address(place["span"], place["offset"]) if place else memory.line()
    storage = ctypes.create_string_buffer(MAP_BYTES + MAP_ALIGNMENT_BYTES)
    skip = -ctypes.addressof(storage) % MAP_ALIGNMENT_BYTES
    memory.driver.call(
        "cuTensorMapEncodeTiled",
        ctypes.byref(storage, skip),
        part["data_type"],
        rank,
        ctypes.c_void_p(address),
        (ctypes.c_uint64 * rank)(*part["extents"]),
        (ctypes.c_uint64 * rank)(*part["strides_bytes"]),
        (ctypes.c_uint32 * rank)(*part["box"]),
        (ctypes.c_uint32 * rank)(*(1,) * rank),
        0,
        part["swizzle"],
        part["l2_promotion"],
        0,
    )
    return storage.raw[skip : skip + MAP_BYTES]


def launch_config(
    driver: Driver, item: Record, code: Record, function: Any
) -> LaunchConfig:
    """The CTAs to launch; for a persistent kernel what the device holds at once."""
    cluster, block = code["cluster"], code["block"]
    shared = code["dynamic_shared_bytes"]
    grid = [n * m for n, m in zip(item["grid"], cluster, strict=True)]
    if code["grid"] == "persistent":
        size = math.prod(cluster)
        resident = driver.resident_ctas(function, math.prod(block), shared)
        grid = [min(math.prod(item["grid"]), max(resident // size, 1)) * size, 1, 1]
    triple = ctypes.c_uint * 3
    config = LaunchConfig(triple(*grid), triple(*block), shared)
    if cluster != [1, 1, 1]:
        attribute = LaunchAttribute(CLUSTER_DIMENSION)
        attribute.value[0] = cluster[0] | cluster[1] << 32
        attribute.value[1] = cluster[2]
        config.attributes = ctypes.pointer(attribute)
        config.attribute_count = 1
    return config


class Loaded:
    """A kernel with its arguments on the device; a context that gives them back.

    Args:
        driver: The driver.
        folder: The bundle.
        item: The kernel's record.
        code: Its code for this chip.
        inputs: The bytes of its spans.
    """

    def __init__(
        self,
        driver: Driver,
        folder: Path,
        item: Record,
        code: Record,
        inputs: Sequence[Array],
    ) -> None:
        self._driver, self._item, self._code = driver, item, code
        self._image = (folder / code["file"]).read_bytes()
        self._inputs = inputs
        self._module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        self.memory: Memory | None = None

    def __enter__(self) -> Loaded:
        call, function = self._driver.call, self._function
        call("cuModuleLoadData", ctypes.byref(self._module), self._image)
        try:
            entry = self._item["entry"].encode()
            call("cuModuleGetFunction", ctypes.byref(function), self._module, entry)
            shared = self._code["dynamic_shared_bytes"]
            if shared > STATIC_SHARED_BYTES:
                call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
            if math.prod(self._code["cluster"]) > PORTABLE_CLUSTER:
                call("cuFuncSetAttribute", function, ANY_CLUSTER_SIZE, 1)
            self.memory = Memory(self._driver, self._inputs, self._item["starts"])
            self.memory.copy_in()
            made = parameters(self._item, self._code, self.memory)
            self._values, self._storage = made
            config = launch_config(self._driver, self._item, self._code, function)
            self._config = config
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        if self.memory is not None:
            self.memory.free()
        self._driver.library.cuModuleUnload(self._module)

    def launch(self) -> None:
        """Starts it once."""
        config = ctypes.byref(self._config)
        values = self._values
        self._driver.call("cuLaunchKernelEx", config, self._function, values, None)

    def results(self) -> list[Array]:
        """Waits; gives the bytes of its spans."""
        self._driver.call("cuCtxSynchronize")
        assert self.memory is not None, "it is entered"
        return self.memory.copy_out()


def run_kernel(
    driver: Driver, folder: Path, item: Record, code: Record, repeat: int
) -> tuple[str | None, float | None]:
    """Runs one kernel; gives its complaint, or None, and microseconds of a launch."""
    data = np.load(folder / item["data"])
    count = len(item["starts"])
    inputs = [data[f"in{i}"] for i in range(count)]
    with Loaded(driver, folder, item, code, inputs) as kernel:
        kernel.launch()
        wanted = [data[f"out{i}"] for i in range(count)]
        said = complaint(item, kernel.results(), wanted)
        spent = timed(driver, kernel.launch, repeat) if repeat and not said else None
        return said, spent


def timed(driver: Driver, launch: Callable[[], None], repeat: int) -> float:
    """Microseconds of one launch: the least of `repeat`, by events of the device."""
    events = [ctypes.c_void_p(), ctypes.c_void_p()]
    for event in events:
        driver.call("cuEventCreate", ctypes.byref(event), 0)
    least = float("inf")
    for _ in range(repeat):
        driver.call("cuEventRecord", events[0], None)
        launch()
        driver.call("cuEventRecord", events[1], None)
        driver.call("cuEventSynchronize", events[1])
        spent = ctypes.c_float()
        driver.call("cuEventElapsedTime", ctypes.byref(spent), *events)
        least = min(least, spent.value * 1e3)
    for event in events:
        driver.library.cuEventDestroy_v2(event)
    return least


def complaint(
    item: Record, got: Sequence[Array], wanted: Sequence[Array]
) -> str | None:
    """What is wrong with the results, or None."""
    for array in item["arrays"]:
        number: int = array["span"]
        found = _view(array, got[number]).reshape(-1)
        expected = _view(array, wanted[number]).reshape(-1)
        if array["any_order"]:
            found, expected = np.sort(found), np.sort(expected)
        wrong = np.flatnonzero(~same(found, expected, array))
        if len(wrong):
            first = int(wrong[0])
            return (
                f"argument {array['argument']}: {len(wrong)} of {found.size} elements "
                f"differ, first [{first}]: expected {expected[first]}, got "
                f"{found[first]} ({array['dtype']})"
            )
    return None


NATIVE = re.compile("bool|u?int(8|16|32|64)|float(16|32|64)")
"""The types that NumPy has itself; of others, words are compared."""


def _view(array: Record, span: Array) -> Array:
    kind: str = array["dtype"]
    if not NATIVE.fullmatch(kind):
        kind = "uint16" if kind == "bfloat16" else "uint8"
    dtype = np.dtype(kind)
    return np.ndarray(
        array["shape"],
        dtype,
        span.tobytes(),
        offset=array["offset"],
        strides=array["strides"],
    )


def same(found: Array, expected: Array, array: Record) -> Array:
    """Where elements are equal, to the tolerance of their array."""
    with np.errstate(all="ignore"):
        if array["dtype"] == "bfloat16":
            equal = found == expected
            found, expected = (
                (side.astype(np.uint32) << 16).view(np.float32)
                for side in (found, expected)
            )
            digits, smallest = 7, 2.0**-126
        elif found.dtype.kind != "f":
            return found == expected
        else:
            words = [side.view(f"u{side.itemsize}") for side in (found, expected)]
            equal = words[0] == words[1]
            info = np.finfo(found.dtype)
            digits, smallest = info.nmant, float(info.tiny)
        a, b = (side.astype(np.float64) for side in (found, expected))
        equal = equal | (np.isnan(a) & np.isnan(b))
        size = np.maximum(np.abs(np.where(np.isfinite(b), b, 1.0)), smallest)
        unit = np.exp2(np.floor(np.log2(size)) - digits)
        error = np.abs(a - b)
        near = (error <= array["ulp"] * unit) & (array["ulp"] > 0)
        close = (error <= array["relative"] * np.maximum(np.abs(b), 1.0)) & (
            array["relative"] > 0
        )
        return equal | near | close


def judged(
    driver: Driver, folder: Path, item: Record, chip: tuple[int, int], repeat: int
) -> Record:
    """Runs a kernel if it has code for a chip; gives the verdict."""
    code = code_for(item["code"], *chip)
    result: Record = {"kernel": item["name"], "verdict": "SKIP", "text": "", "us": None}
    if code is not None:
        return result | _judged(driver, folder, item, code, repeat)
    name = "sm_{}{}".format(*chip)
    has = ", ".join(c["arch"] for c in item["code"]) or "none"
    refused = item["refused"].get(name)
    return result | {"text": refused or f"no code for {name}: has {has}"}


def run_all(folder: Path, options: argparse.Namespace) -> list[Record]:
    """Runs what the options choose; gives a result per kernel."""
    manifest = json.loads((folder / "manifest.json").read_text())
    driver = Driver(options.device)
    name, major, minor = driver.describe()
    print(f"{name}, sm_{major}{minor}")
    results: list[Record] = []
    for item in manifest["kernels"]:
        if options.only and options.only not in item["name"]:
            continue
        result = judged(driver, folder, item, (major, minor), options.repeat)
        results.append(result)
        spent = "" if result["us"] is None else f"{result['us']:.1f} us"
        print(f"{result['verdict']} {item['name']} {result['text']}{spent}", flush=True)
    return results


def _judged(
    driver: Driver, folder: Path, item: Record, code: Record, repeat: int
) -> Record:
    try:
        said, spent = run_kernel(driver, folder, item, code, repeat)
    except (DriverError, ValueError) as error:
        said, spent = str(error), None
        driver.recover()
    return {"verdict": "FAIL" if said else "PASS", "text": said or "", "us": spent}


def main(argv: Sequence[str] | None = None) -> int:
    """Reads the command line and runs the bundle."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="TEXT", help="kernels with this in the name")
    parser.add_argument("--repeat", type=int, default=5, help="timed launches; 0: none")
    parser.add_argument("--device", type=int, default=0, help="number of the GPU")
    parser.add_argument("--json", metavar="FILE", help="where to write the results")
    options = parser.parse_args(argv)
    try:
        results = run_all(Path(__file__).resolve().parent, options)
    except (CannotRun, DriverError) as error:
        print(f"cannot run: {error}")
        return 2
    counts = {
        word: sum(r["verdict"] == word for r in results)
        for word in ("PASS", "FAIL", "SKIP")
    }
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1))
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    if counts["FAIL"]:
        return 1
    return 0 if counts["PASS"] else 2


if __name__ == "__main__":
    sys.exit(main())
