# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Global memory: typed gathers, bounds, strided arrays, pointer tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cuda_tile.runtime.memory import GlobalMemory, MemoryFault


def _addresses(start: int, *offsets: int) -> NDArray[np.uint64]:
    return np.array([start + offset for offset in offsets], np.uint64)


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 3])
@pytest.mark.parametrize("shift", [0, 1])
def test_load_and_store_move_exactly_the_bytes(size: int, shift: int) -> None:
    array = np.arange(200, dtype=np.uint8)[shift:]
    memory = GlobalMemory()
    start = memory.add("a", array)
    where = _addresses(start, 0, 5 * size, 2 * size)
    data = memory.load(where, size)
    expected = [array[k : k + size].tolist() for k in (0, 5 * size, 2 * size)]
    assert data.tolist() == expected
    memory.store(where, data + np.uint8(1))
    assert memory.load(where, size).tolist() == (data + np.uint8(1)).tolist()
    assert array[0] == shift + 1


def test_an_access_past_the_end_names_the_array() -> None:
    memory = GlobalMemory()
    array = np.zeros((4, 4), np.float32)
    start = memory.add("weights", array)
    with pytest.raises(MemoryFault, match=r"weights: float32\[4,4\]") as caught:
        memory.load(_addresses(start, 0, 64), 4)
    assert "4 bytes past its end" in caught.value.nearest
    assert caught.value.address == start + 64
    assert (caught.value.access, caught.value.index) == ("load", 1)


def test_an_access_before_the_start_is_a_fault() -> None:
    memory = GlobalMemory()
    backing = np.zeros(64, np.uint8)
    start = memory.add("a", backing[32:])
    with pytest.raises(MemoryFault, match="8 bytes before its start"):
        memory.store(_addresses(start, -8), np.zeros((1, 4), np.uint8))


def test_no_array_at_all() -> None:
    with pytest.raises(MemoryFault, match="no array was passed"):
        GlobalMemory().load(np.array([16], np.uint64), 4)


def test_bytes_between_the_elements_of_a_view_are_outside() -> None:
    backing = np.arange(64, dtype=np.int32).reshape(8, 8)
    memory = GlobalMemory()
    start = memory.add("left", backing[:, :4])
    assert memory.load(_addresses(start, 32), 4).view(np.int32)[0, 0] == 8
    with pytest.raises(MemoryFault, match="between two of its elements"):
        memory.load(_addresses(start, 16), 4)


def test_overlapping_and_adjacent_arrays_are_one_piece() -> None:
    backing = np.arange(32, dtype=np.int32)
    memory = GlobalMemory()
    start = memory.add("low", backing[:16])
    memory.add("high", backing[16:])
    memory.add("middle", backing[8:24])
    assert memory.load(_addresses(start, 60), 8).view(np.int32)[0].tolist() == [15, 16]


def test_a_reversed_view_starts_at_its_first_element() -> None:
    backing = np.arange(8, dtype=np.int64)
    memory = GlobalMemory()
    start = memory.add("reversed", backing[::-1])
    assert memory.load(_addresses(start, 0, -8), 8).view(np.int64)[:, 0].tolist() == [
        7,
        6,
    ]


def test_a_read_only_array_refuses_stores() -> None:
    array = np.zeros(4, np.int32)
    array.flags.writeable = False
    memory = GlobalMemory()
    start = memory.add("constant", array)
    memory.load(_addresses(start, 0), 4)
    with pytest.raises(MemoryFault, match="read-only"):
        memory.store(_addresses(start, 4), np.zeros((1, 4), np.uint8))


def test_two_arrays_in_one_call() -> None:
    memory = GlobalMemory()
    first, second = np.array([1, 2], np.int32), np.array([3, 4], np.int32)
    where = np.array(
        [memory.add("first", first), memory.add("second", second) + 4], np.uint64
    )
    memory.store(where, np.array([[7], [9]], np.int32).view(np.uint8))
    assert memory.load(where, 4).view(np.int32)[:, 0].tolist() == [7, 9]
    assert (first[0], second[1]) == (7, 9)


class _Table(np.ndarray[Any, np.dtype[np.uint64]]):
    targets: tuple[NDArray[Any], ...]


def test_the_targets_of_a_pointer_table_are_registered() -> None:
    target = np.array([5], np.int32)
    pointer = target.__array_interface__["data"][0]
    table = np.array([pointer], np.uint64).view(_Table)
    table.targets = (target,)
    memory = GlobalMemory()
    start = memory.add("table", table)
    found = memory.load(_addresses(start, 0), 8).view(np.uint64)[:, 0]
    assert memory.load(found, 4).view(np.int32)[0, 0] == 5
    assert [region.name for region in memory.regions] == ["table", "table[0]"]


def test_allocated_memory_is_zero_and_aligned() -> None:
    memory = GlobalMemory()
    start = memory.allocate("scratch", 24, align=512)
    assert start % 512 == 0
    assert not memory.load(_addresses(start, 0, 16), 8).any()
