"""Launching on a GPU: what can be checked without one."""

from __future__ import annotations

import ctypes

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


def test_without_a_driver_the_message_says_what_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(name: str) -> ctypes.CDLL:
        raise OSError(name)

    driver.load_driver.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", refuse)
    with pytest.raises(UserError, match=r"no CUDA driver library .*emulator"):
        launch_cubin(
            b"", "k", grid=(1, 1, 1), block=(32, 1, 1), shared_bytes=0, args=[]
        )
    driver.load_driver.cache_clear()
