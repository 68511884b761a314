# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of parts, of tiles made of parts, and of tiles brought in order."""

from __future__ import annotations

import pytest

from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.part import (
    choose_parts,
    every_part,
    part_layout,
    part_number,
    stays_in_thread,
)
from cuda_tile.stage.blocks import block_extent, held_by_all, in_order

LAYOUTS = [
    coalesced((64, 32), (1, 0), 4, 4),
    coalesced((64, 32), (0, 1), 2, 8),
    coalesced((8, 4, 16), (2, 1, 0), 1, 2),
    coalesced((4, 4), (1, 0), 4, 4),
    LinearLayout.replicated((4, 8), 2),
]


def places(layout: LinearLayout) -> list[tuple[int, int, tuple[int, ...]]]:
    """Lane, warp and coordinate of every register of every thread."""
    return [
        (lane, warp, layout.apply(register, lane, warp))
        for register in range(layout.n_registers)
        for lane in range(32)
        for warp in range(layout.n_warps)
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim", [0, 1])
def test_a_part_is_held_where_any_part_was(layout: LinearLayout, dim: int) -> None:
    shape = (*layout.shape[:dim], layout.shape[dim] // 2, *layout.shape[dim + 1 :])
    part = part_layout(layout, shape)
    inside = {
        (lane, warp, tuple(c % n for c, n in zip(place, shape, strict=True)))
        for lane, warp, place in places(layout)
    }
    assert set(places(part)) == inside
    numbers: dict[tuple[int, int], set[int]] = {}
    for lane, warp, place in places(layout):
        number = part_number(place, shape, layout.shape)
        numbers.setdefault((lane, warp), set()).add(number)
    stays = all(held == {0, 1} for held in numbers.values())
    assert stays_in_thread(layout, shape) == stays


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_part_follows_the_first(layout: LinearLayout) -> None:
    shape = tuple(2 * n for n in layout.shape)
    whole = every_part(layout, shape)
    assert stays_in_thread(whole, layout.shape)
    for number in range(1 << layout.rank):
        for register in range(layout.n_registers):
            got = whole.apply(register + number * layout.n_registers, 5, 1)
            first = layout.apply(register, 5, 1)
            assert part_number(got, layout.shape, shape) == number
            assert first == tuple(c % n for c, n in zip(got, layout.shape, strict=True))


@pytest.mark.parametrize("count", [2, 16, 256])
def test_pieces_of_a_tile_without_long_dimensions(count: int) -> None:
    layout = coalesced((2,) * 10, tuple(range(10)), 1, 4)
    part = choose_parts((layout, layout), count)
    assert part is not None
    size = 1
    for extent in part:
        size *= extent
    assert size * count == layout.n_elements


@pytest.mark.parametrize("layout", LAYOUTS[:3])
@pytest.mark.parametrize("dim", [0, 1])
def test_in_order_each_warp_holds_a_run(layout: LinearLayout, dim: int) -> None:
    ordered = in_order(layout, dim)
    assert ordered.is_surjective == layout.is_surjective
    warps = sum(bool(basis[dim]) for basis in ordered.warp)
    assert block_extent(ordered, dim) == layout.shape[dim] >> warps
    everywhere = held_by_all(layout, dim)
    assert not any(basis[dim] for basis in (*everywhere.lane, *everywhere.warp))
    assert everywhere.is_surjective
