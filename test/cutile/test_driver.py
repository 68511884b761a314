# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stand-ins for the CUDA driver library and tileiras, by themselves."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuda_tile.cutile.standin import FOLDER, MAX_GRID, Connection, load_standin
from cuda_tile.errors import UserError
from cuda_tile.runtime import driver
from cuda_tile.runtime.expressions import Expression
from cuda_tile.runtime.tensor_map import TensorMapParameter, map_fields

Address = ctypes.c_uint64


def function(name: str) -> Any:
    """A function as programs ask the driver for it."""
    found = ctypes.c_void_p()
    status = load_standin().cuGetProcAddress_v2(
        name.encode(), ctypes.byref(found), 13000, Address(0), None
    )
    assert status == 0, name
    return ctypes.CFUNCTYPE(ctypes.c_int)(found.value or 0)  # pyright: ignore[reportCallIssue, reportArgumentType]


def call(name: str, *args: Any) -> None:
    assert function(name)(*args) == 0, name


def test_a_function_that_there_is_none() -> None:
    found = ctypes.c_void_p(1)
    status = load_standin().cuGetProcAddress_v2(
        b"cuMemcpyPeer", ctypes.byref(found), 13000, Address(0), None
    )
    assert (status, found.value) == (500, None)


def test_memory() -> None:
    memory, base, size = Address(), Address(), ctypes.c_size_t()
    call("cuMemAlloc", ctypes.byref(memory), ctypes.c_size_t(100))
    assert memory.value % 256 == 0
    source = np.arange(100, dtype=np.uint8)
    call("cuMemcpyHtoDAsync", memory, ctypes.c_void_p(source.ctypes.data), 100, None)
    assert ctypes.string_at(memory.value, 100) == source.tobytes()
    inside = Address(memory.value + 99)
    call("cuMemGetAddressRange", ctypes.byref(base), ctypes.byref(size), inside)
    assert (base.value, size.value) == (memory.value, 100)
    call("cuMemFree", memory)
    assert function("cuMemFree")(memory) == 1
    assert function("cuMemAlloc")(ctypes.byref(memory), ctypes.c_size_t(0)) == 1


def test_events_take_the_time() -> None:
    events = [ctypes.c_void_p() for _ in range(2)]
    for event in events:
        call("cuEventCreate", ctypes.byref(event), 0)
        call("cuEventRecord", event, None)
    passed = ctypes.c_float()
    call("cuEventElapsedTime", ctypes.byref(passed), *events)
    assert 0 <= passed.value < 1000
    for event in events:
        call("cuEventDestroy", event)


class Launches:
    """Notes what the driver calls."""

    def __init__(self, status: bool = True) -> None:
        self.notes: list[Any] = []
        self.status = status
        self.connection = Connection("sm_90", self.prepare, self.run, self.drop)

    def prepare(self, image: bytes, entry: str, grid: Any, parameters: Any) -> int:
        value = ctypes.c_int.from_address(parameters[0]).value
        self.notes.append((image, entry, grid, value))
        return len(self.notes)

    def run(self, number: int) -> bool:
        self.notes.append(f"run {number}")
        return self.status

    def drop(self, number: int) -> None:
        self.notes.append(f"drop {number}")


def kernel() -> ctypes.c_void_p:
    image = b"CUDATILE" + b"%016d" % 4 + b"code"
    library, found = ctypes.c_void_p(), ctypes.c_void_p()
    nothing = 6 * [None]
    call("cuLibraryLoadData", ctypes.byref(library), image, *nothing)
    call("cuLibraryGetKernel", ctypes.byref(found), library, b"entry")
    return found


def parameters(value: int) -> Any:
    number = ctypes.c_int(value)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(number))
    pointers.number = number  # type: ignore[attr-defined]
    return pointers


@pytest.mark.parametrize("status", [True, False])
def test_a_launch_comes_back(status: bool) -> None:
    notes = Launches(status)
    zero = 3 * [1] + [0, None]
    words = (kernel(), 5, 6, 7, *zero, parameters(42), None)
    assert function("cuLaunchKernel")(*words) == (0 if status else 719)
    image = (b"code", "entry", (5, 6, 7), 42)
    assert notes.notes == [image, "run 1", "drop 1"]


def test_an_image_of_another_compiler() -> None:
    library = ctypes.c_void_p()
    words = (ctypes.byref(library), b"\x7fELF", *(6 * [None]))
    assert function("cuLibraryLoadData")(*words) == 200


def test_a_graph_runs_its_nodes_in_order() -> None:
    class Node(ctypes.Structure):
        _fields_ = (
            ("function", ctypes.c_void_p),
            ("extents", ctypes.c_uint * 6),
            ("shared", ctypes.c_uint),
            ("parameters", ctypes.c_void_p),
            ("rest", ctypes.c_void_p * 3),
        )

    notes = Launches()
    graph, instance, node = (ctypes.c_void_p() for _ in range(3))
    call("cuGraphCreate", ctypes.byref(graph), 0)
    for value in (1, 2):
        values = parameters(value)
        extents = (ctypes.c_uint * 6)(value, 1, 1, 1, 1, 1)
        work = Node(kernel(), extents, 0, ctypes.addressof(values))
        none = (None, ctypes.c_size_t(0))
        call(
            "cuGraphAddKernelNode", ctypes.byref(node), graph, *none, ctypes.byref(work)
        )
    call("cuGraphInstantiateWithFlags", ctypes.byref(instance), graph, Address(0))
    call("cuGraphDestroy", graph)
    call("cuGraphLaunch", instance, None)
    call("cuGraphLaunch", instance, None)
    assert notes.notes[2:] == ["run 1", "run 2", "run 1", "run 2"]
    call("cuGraphExecDestroy", instance)
    assert notes.notes[6:] == ["drop 1", "drop 2"]


def test_the_device_is_the_chip() -> None:
    Connection("sm_120", lambda *_: None, lambda _: True, lambda _: None)
    value = ctypes.c_int()
    for attribute, expected in ((75, 12), (76, 0), (5, MAX_GRID[0]), (10, 32)):
        call("cuDeviceGetAttribute", ctypes.byref(value), attribute, 0)
        assert value.value == expected


def tileiras(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [FOLDER / "tileiras", *words], capture_output=True, text=True, check=False
    )


def test_tileiras(tmp_path: Path) -> None:
    source, target = tmp_path / "x.bytecode", tmp_path / "x.cubin"
    source.write_bytes(b"\x7fTileIR")
    words = ("--gpu-name", "sm_90", "-O3", "--lineinfo")
    assert tileiras(source, "-o", target, *words).returncode == 0
    assert target.read_bytes() == b"CUDATILE0000000000000007\x7fTileIR"
    refused = tileiras(source, "-o", target, "-l", "some.bc")
    assert refused.returncode == 2
    assert "run the program with --on=gpu" in refused.stderr
    assert tileiras(source).returncode == 1
    assert tileiras("--version").stdout
    assert "13.4" in tileiras("--list-versions").stdout


def test_our_own_launcher_does_not_take_it_for_a_gpu() -> None:
    load_standin()
    driver.load_driver.cache_clear()
    with pytest.raises(UserError, match="runs cuTile kernels without a GPU"):
        driver.load_driver()


def test_the_stride_of_one_row_counts_for_nothing() -> None:
    part = TensorMapParameter(
        element="f16",
        base=0,
        shape=(Expression.parse("arg 2"), Expression.parse("arg 1")),
        strides=(Expression.parse("arg 3"),),
        box=(64, 128),
        swizzle_bytes=128,
    )
    args = [np.zeros(1), np.int32(1), np.int32(70), np.int32(70)]
    assert map_fields(part, args, 16, lambda: 0).strides_bytes == (16,)
    args[1] = np.int32(2)
    with pytest.raises(UserError, match="strides of whole 16 bytes"):
        map_fields(part, args, 16, lambda: 0)
