# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the parts of a ring lie."""

from __future__ import annotations

from cuda_tile.ir.rings import ring_places, slots_that_fit


def test_places_of_a_ring() -> None:
    places = ring_places(3, (4096, 16), has_mbarriers=True)
    assert places.buffers == (0, 4096)
    assert places.slot_bytes == 5120
    assert places.data_bytes == 3 * 5120
    assert places.full == 0, "from the first mbarrier"
    assert places.empty == 24
    assert places.size_bytes == 3 * 5120 + 48


def test_groups_have_no_mbarriers() -> None:
    places = ring_places(3, (16384, 16384), has_mbarriers=False)
    assert places.size_bytes == 98304
    assert slots_that_fit(places, 99 * 1024) == 3
    assert slots_that_fit(places, 163 * 1024) == 5
