# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choices of `plan` and `allocate` as plain functions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda_tile import UserError
from cuda_tile.layout.atoms import M16N8K16
from cuda_tile.layout.fragments import tile_mma
from cuda_tile.passes.allocate import ALIGNMENT_BYTES, Request, choose, pack
from cuda_tile.plan.products import divide_warps
from cuda_tile.targets import chip_names, find_target, target_names

EXTENTS: Any = st.sampled_from((16, 32, 64, 128, 256))
EXACT = settings(derandomize=True, database=None, deadline=None, max_examples=200)


@EXACT
@given(EXTENTS, EXTENTS, st.sampled_from((1, 2, 4, 8, 16)))
def test_warps_are_divided_without_rest(rows: int, columns: int, warps: int) -> None:
    warps_m, warps_n = divide_warps(rows, columns, warps)
    assert warps_m * warps_n == warps
    if rows * columns >= warps * 16 * 8:
        assert rows // warps_m >= 16
        assert columns // warps_n >= 8
        layout = tile_mma((rows, columns), (warps_m, warps_n), "c", M16N8K16)
        assert layout.is_surjective
        assert layout.is_injective


@pytest.mark.parametrize(
    ("tile", "warps", "expected"),
    [
        ((64, 64), 4, (2, 2)),
        ((128, 128), 8, (4, 2)),
        ((128, 64), 4, (4, 1)),
        ((64, 128), 4, (1, 4)),
    ],
    ids=str,
)
def test_parts_of_warps_are_near_square(
    tile: tuple[int, int], warps: int, expected: tuple[int, int]
) -> None:
    assert divide_warps(*tile, warps) in (expected, (2, 2))


@st.composite
def requests(draw: Any) -> list[Request]:
    count = draw(st.integers(0, 12))
    pairs = [(a, b) for a in range(count) for b in range(a)]
    chosen = [pair for pair in pairs if draw(st.booleans())]
    return [
        Request(
            draw(st.integers(1, 40)) * ALIGNMENT_BYTES,
            frozenset(a + b - i for a, b in chosen if i in (a, b)),
        )
        for i in range(count)
    ]


def is_apart(a: int, b: int, places: list[int], found: list[Request]) -> bool:
    """Whether two requests share no byte."""
    ends = [start + r.size_bytes for start, r in zip(places, found, strict=True)]
    return ends[a] <= places[b] or ends[b] <= places[a]


@EXACT
@given(requests(), st.sampled_from((0, 20000, 1 << 30)))
def test_what_lives_together_lies_apart(found: list[Request], space: int) -> None:
    places, total = choose(found, space)
    sizes = [request.size_bytes for request in found]
    for i, request in enumerate(found):
        assert places[i] % ALIGNMENT_BYTES == 0
        assert 0 <= places[i] <= total - sizes[i]
        assert all(is_apart(i, other, places, found) for other in request.conflicts)
    assert max(sizes, default=0) <= total <= sum(sizes)
    assert total <= max(space, pack(found)[1])


def test_small_buffers_lie_apart_where_there_is_space() -> None:
    found = [Request(128, frozenset()), Request(4096, frozenset())]
    assert choose(found, 8192) == ([4096, 0], 4224)
    assert choose(found, 4200) == ([0, 0], 4096)


def test_nothing_takes_nothing() -> None:
    assert pack([]) == ([], 0)


def test_each_chip_is_known_by_its_name() -> None:
    for name in target_names():
        target = find_target(name)
        assert target.name == name
        assert target.capability >= 75
        assert (
            target.shared_bytes_per_cta + target.shared_bytes_reserved
            <= target.shared_bytes_per_sm
        )


def test_a_plain_name_means_the_chips_own_target() -> None:
    """Where a chip has one: a cubin runs on one chip anyway."""
    own = {name: find_target(name).arch for name in target_names()}
    assert own["sm_89"] == "sm_89"
    assert own["sm_90"] == own["sm_90a"] == "sm_90a"
    assert own["sm_100f"] == "sm_100f"
    for name in chip_names():
        target = find_target(name)
        later = target.capability >= 90
        assert (target.arch, target.chip) == (f"{name}a" if later else name, name)
        assert target.is_specific == later
        assert target.is_family == (target.capability >= 100)
    family = find_target("sm_120f")
    assert (family.is_family, family.is_specific) == (True, False)
    assert (family.capability, family.chip) == (120, "sm_120")


def test_an_unknown_chip_lists_the_known_ones_and_the_nearest() -> None:
    said = r"got 'sm_91'; did you mean 'sm_90'\? known: sm_75, sm_80, sm_86, "
    with pytest.raises(UserError, match=said):
        find_target("sm_91")
    with pytest.raises(UserError, match="got 'hopper'; known: sm_75, "):
        find_target("hopper")
