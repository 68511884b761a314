# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching on a GPU: checks that need no GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cuda_tile.errors import UserError
from cuda_tile.runtime import driver
from cuda_tile.runtime.args import PointerTable, list_args
from cuda_tile.runtime.launch import (
    Translation,
    copy_back,
    every_array,
    launch_cubin,
    spans,
)
from cuda_tile.runtime.record import LaunchRecord


def test_overlapping_arrays_share_a_span() -> None:
    base = np.zeros(100, np.float32)
    other = np.zeros(10, np.int8)
    found = spans([base[50:], other, base[:60:2], np.zeros(0)])
    sizes = sorted((span.size_bytes, len(span.arrays)) for span in found)
    assert sizes == [(10, 1), (400, 2)]


def test_pointer_tables_lead_to_their_arrays() -> None:
    a, b = np.zeros(3, np.float32), np.zeros(5, np.float32)
    table, length = list_args([a, b])
    assert isinstance(table, PointerTable)
    assert length == 2
    arrays = every_array([table, np.int32(2), None])
    assert [id(array) for array in arrays] == [id(table), id(a), id(b)]


def test_parameters_are_little_endian_device_values() -> None:
    a = np.zeros((4, 4), np.float32)
    (span,) = spans([a])
    translation = Translation([(span, 0x1000)])
    args = [a[1:, 2:], np.int32(-2), np.float32(1.5), np.bool_(1), None]
    packed = translation.parameters(args)
    assert packed[0] == (0x1000 + 16 + 8).to_bytes(8, "little")
    assert packed[1:] == [b"\xfe\xff\xff\xff", b"\0\0\xc0?", b"\1", bytes(8)]


def test_pointers_in_a_table_are_translated() -> None:
    a, b = np.zeros(3, np.float32), np.zeros(5, np.float32)
    table, _ = list_args([a, b[1:]])
    assert isinstance(table, PointerTable)
    placed = [(spans([a])[0], 0x100), (spans([b])[0], 0xF000000000000000)]
    words = Translation(placed).table(table)
    assert words.view(np.uint64).tolist() == [0x100, 3, 1, 0xF000000000000004, 4, 1]
    assert table[0] == a.ctypes.data


def test_copy_back_leaves_the_gaps_alone() -> None:
    base = np.zeros(6, np.int16)
    array = base[1::2]
    (span,) = spans([array])
    staging = np.frombuffer(np.full(5, 7, np.int16).tobytes(), np.uint8)
    copy_back(array, staging, span.start)
    assert base.tolist() == [0, 7, 0, 7, 0, 7]


class FakeLibrary:
    """A driver library whose device memory is more host memory.

    Its only kernel, `scale(float* x, int n, table)`, doubles x[0..n) and increments
    the first element of each array in a table of one-dimensional arrays.
    """

    def __init__(self) -> None:
        self.allocated: dict[int, Any] = {}
        self.freed: list[int] = []
        self.launches: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)

        def call(*args: Any) -> int:
            return getattr(self, f"do_{name}", lambda *_: 0)(*args)

        setattr(self, name, call)
        return call

    def do_cuDeviceGetCount(self, count: Any) -> int:
        count._obj.value = 1
        return 0

    def do_cuMemAlloc_v2(self, address: Any, size: int) -> int:
        buffer = ctypes.create_string_buffer(size)
        address._obj.value = ctypes.addressof(buffer)
        self.allocated[address._obj.value] = buffer
        return 0

    def do_cuMemFree_v2(self, address: int) -> int:
        self.freed.append(address)
        return 0

    def do_cuMemcpyHtoD_v2(self, device: int, host: int, size: int) -> int:
        ctypes.memmove(device, host, size)
        return 0

    def do_cuMemcpyDtoH_v2(self, host: int, device: int, size: int) -> int:
        ctypes.memmove(host, device, size)
        return 0

    def do_cuGetErrorString(self, status: int, text: Any) -> int:
        text._obj.value = b"an illegal memory access was encountered"
        return 0

    def do_cuLaunchKernelEx(self, config: Any, _: Any, values: Any, extra: Any) -> int:
        assert extra is None
        asked = config._obj
        assert asked.stream is None
        assert asked.attribute_count == 0
        self.launches.append((*asked.grid, *asked.block, asked.shared_bytes))
        x = ctypes.c_uint64.from_address(values[0]).value
        count = ctypes.c_int32.from_address(values[1]).value
        table = ctypes.c_uint64.from_address(values[2]).value
        for index in range(count):
            ctypes.c_float.from_address(x + 4 * index).value *= 2
        for row in range(2):
            first = ctypes.c_uint64.from_address(table + 24 * row).value
            ctypes.c_float.from_address(first).value += 1
        return 0


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLibrary]:
    fake = FakeLibrary()
    driver.load_driver.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: fake)
    yield fake
    driver.load_driver.cache_clear()


def launch(x: np.ndarray, arrays: list[np.ndarray]) -> None:
    table, _ = list_args(arrays)
    assert isinstance(table, PointerTable)
    launch_cubin(
        b"cubin",
        "scale",
        LaunchRecord((128, 1, 1), 1024),
        grid=(2, 1, 1),
        args=[x, np.int32(len(x)), table],
    )


def test_a_launch_copies_in_and_out(library: FakeLibrary) -> None:
    x = np.arange(4, dtype=np.float32)
    a, b = np.zeros(3, np.float32), np.zeros(6, np.float32)[::2]
    launch(x, [a, b])
    assert x.tolist() == [0, 2, 4, 6]
    assert a.tolist() == [1, 0, 0]
    assert b.tolist() == [1, 0, 0]
    assert library.launches == [(2, 1, 1, 128, 1, 1, 1024)]
    assert sorted(library.freed) == sorted(library.allocated)


def test_a_failed_launch_tells_why_and_frees(library: FakeLibrary) -> None:
    library.do_cuStreamSynchronize = lambda _: 700  # type: ignore[attr-defined]
    x = np.ones(4, np.float32)
    with pytest.raises(UserError, match="error 700: an illegal memory access"):
        launch(x, [x[:1], x[1:2]])
    assert x.tolist() == [1, 1, 1, 1]
    assert sorted(library.freed) == sorted(library.allocated)


def test_without_a_gpu_the_message_says_so(library: FakeLibrary) -> None:
    def no_device(count: Any) -> int:
        count._obj.value = 0
        return 0

    library.do_cuDeviceGetCount = no_device  # type: ignore[method-assign]
    with pytest.raises(UserError, match=r"the driver finds none; .*emulator"):
        launch(np.ones(1, np.float32), [np.ones(1, np.float32)])


def test_without_a_driver_the_message_says_what_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(name: str) -> ctypes.CDLL:
        raise OSError(name)

    driver.load_driver.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", refuse)
    with pytest.raises(UserError, match=r"no CUDA driver library .*emulator"):
        launch_cubin(b"", "k", LaunchRecord((32, 1, 1)), grid=(1, 1, 1), args=[])
    driver.load_driver.cache_clear()
