# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where arrays lie: which views wrote an array, and what a host could say by it."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_tile.judge.mosaic import addresses, find_mosaic
from cuda_tile.judge.placement import place_of, relations

WHOLE = np.arange(24, dtype=np.float32).reshape(4, 6)
VIEWS = {
    "every second": [WHOLE[:, ::2], WHOLE[:, 1::2]],
    "quadrants": [WHOLE[:2, :3], WHOLE[:2, 3:], WHOLE[2:, :3], WHOLE[2:, 3:]],
    "one over another": [WHOLE[1:3], WHOLE],
}
PLACES = [("launch", number, 0) for number in range(4)]


def where(array: np.ndarray) -> np.ndarray:
    found = addresses(place_of(array), array)
    assert found is not None
    return found


def mosaic(array, views):
    """The mosaic of an array, whose parts are views of the same memory."""
    pool = {key: np.array(view) for key, view in zip(PLACES, views, strict=False)}
    spots = [(k, where(v)) for k, v in zip(pool, views, strict=True)]
    return find_mosaic(np.array(array), where(array), spots, pool)


@pytest.mark.parametrize("name", VIEWS)
def test_views_make_an_array_and_do_so_for_other_data(name):
    found = mosaic(WHOLE, VIEWS[name])
    assert found is not None
    other = {k: -np.array(v) for k, v in zip(PLACES, VIEWS[name], strict=False)}
    made = found.apply(other, WHOLE.shape, WHOLE.dtype)
    assert made is not None
    assert np.array_equal(made, -WHOLE)
    assert found.apply({}, WHOLE.shape, WHOLE.dtype) is None


def test_an_element_that_no_view_had_makes_none():
    assert mosaic(WHOLE, [WHOLE[:, ::2]]) is None


def test_other_contents_make_none():
    """The address proves nothing."""
    pool = {PLACES[0]: WHOLE + 1}
    own = where(WHOLE)
    assert find_mosaic(WHOLE, own, [(PLACES[0], own)], pool) is None


@pytest.mark.parametrize(
    "place",
    [
        *(None, 3, {}, {"address": "x", "strides": [1]}),
        {"address": 1, "strides": [1.5]},
        {"address": 1 << 70, "strides": [4]},
        {"address": 1, "strides": [4, 4]},
    ],
)
def test_what_is_no_place_is_none(place):
    assert addresses(place, np.zeros(3)) is None


def test_a_host_can_say_nothing_by_where_arrays_lie():
    """The same views at another place are the same, those at other offsets are not."""

    def said(offset, base):
        room = np.zeros(64, np.uint8)
        place = {"address": base, "strides": [1]}
        part = {"address": base + offset, "strides": [1]}
        return relations([place, part], [room, room[:1]])

    assert said(3, 4096) == said(3, 8192)
    assert said(3, 4096) != said(4, 4096)
    assert said(3, 4096) != said(3, 4097)
    assert said(80, 4096) == said(192, 4096), "two blocks, with a gap between them"
