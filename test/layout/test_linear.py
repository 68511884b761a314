# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`LinearLayout` against the table of all its places."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import layouts, table

from cuda_tile.layout.coords import Coord, LayoutError, unpack
from cuda_tile.layout.linear import LinearLayout

ZERO = (0, 0)
README_EXAMPLE = LinearLayout(
    (4, 4), ((0, 1),), ((0, 2), (1, 0), (2, 0), ZERO, ZERO), ()
)


def test_readme_example_gives_its_table() -> None:
    for row, pair, register in itertools.product(range(4), range(2), range(2)):
        place = (register, 2 * row + pair)
        assert README_EXAMPLE.apply(*place) == (row, 2 * pair + register)
    assert README_EXAMPLE.apply(1, 5) == (2, 3)
    assert README_EXAMPLE.apply(1, 5 + 8) == (2, 3)


def test_readme_example_in_the_notation_of_the_ir() -> None:
    expected = [[[(1, 1)]], [[(2, 1)], [(1, 0)], [(2, 0)], [], []], [], []]
    assert README_EXAMPLE.groups() == expected


@given(layouts(n_block_bits=1))
def test_groups_round_trip(layout: LinearLayout) -> None:
    assert LinearLayout.from_groups(layout.shape, layout.groups()) == layout


@given(layouts())
def test_apply_is_linear(layout: LinearLayout) -> None:
    places = table(layout)
    first, last = next(iter(places)), list(places)[-1]
    assert places[first] == (0,) * layout.rank
    for place, coord in places.items():
        mirrored = tuple(a ^ b for a, b in zip(place, last, strict=True))
        both = tuple(a ^ b for a, b in zip(coord, places[last], strict=True))
        assert places[mirrored] == both  # type: ignore[index]


@given(layouts())
def test_register_offsets_are_those_of_thread_zero(layout: LinearLayout) -> None:
    offsets = layout.register_offsets()
    assert offsets == [layout.apply(r) for r in range(layout.n_registers)]


@given(layouts(n_block_bits=1))
def test_surjective_and_injective_by_counting(layout: LinearLayout) -> None:
    places = table(layout)
    held = set(places.values())
    assert layout.is_surjective == (len(held) == layout.n_elements)
    assert layout.is_injective == (len(held) == len(places))


def test_a_missing_basis_is_not_surjective() -> None:
    layout = LinearLayout((64,), (), tuple((1 << bit,) for bit in range(5)))
    assert not layout.is_surjective
    assert layout.is_injective


@given(layouts(n_block_bits=1))
def test_free_bits_leave_one_place_of_each_element(layout: LinearLayout) -> None:
    free = layout.free_bits()
    masks = (free.register, free.lane, free.warp, free.block)
    owners = [
        coord
        for place, coord in table(layout).items()
        if not any(index & mask for index, mask in zip(place, masks, strict=True))
    ]
    assert len(owners) == len(set(owners)) == len(set(table(layout).values()))


@given(layouts())
def test_owner_holds_the_coordinate_and_has_no_free_bit(layout: LinearLayout) -> None:
    free = layout.free_bits()
    masks = (free.register, free.lane, free.warp, free.block)
    for coord in set(table(layout).values()):
        place = layout.owner(coord)
        assert layout.apply(*place) == coord
        assert not any(index & mask for index, mask in zip(place, masks, strict=True))


def test_owner_of_an_uncovered_element_is_an_error() -> None:
    layout = LinearLayout((64,), (), tuple((1 << bit,) for bit in range(5)))
    with pytest.raises(LayoutError, match="expected a coordinate that the layout"):
        layout.owner((32,))


@given(layouts(), st.data())
def test_permute_transposes_what_each_place_holds(
    layout: LinearLayout, data: st.DataObject
) -> None:
    perm = data.draw(st.permutations(range(layout.rank)))
    after = table(layout.permute(perm))
    for place, coord in table(layout).items():
        assert after[place] == tuple(coord[dim] for dim in perm)


@given(layouts(), st.data())
def test_permute_by_the_inverse_permutation_restores(
    layout: LinearLayout, data: st.DataObject
) -> None:
    perm = data.draw(st.permutations(range(layout.rank)))
    inverse = [perm.index(dim) for dim in range(layout.rank)]
    assert layout.permute(perm).permute(inverse) == layout


@given(layouts(), st.data())
def test_reshape_is_numpys_row_major_reshape(
    layout: LinearLayout, data: st.DataObject
) -> None:
    size = layout.n_elements.bit_length() - 1
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=3)))
    bits = [b - a for a, b in itertools.pairwise([0, *cuts, size])]
    shape = tuple(1 << count for count in bits)
    reshaped = layout.reshape(shape)
    after = table(reshaped)
    for place, coord in table(layout).items():
        flat = int(np.ravel_multi_index(coord, layout.shape)) if coord else 0
        assert after[place] == tuple(int(i) for i in np.unravel_index(flat, shape))
    assert reshaped.reshape(layout.shape) == layout


@given(layouts(), st.data())
def test_reduce_and_its_broadcast(layout: LinearLayout, data: st.DataObject) -> None:
    if layout.rank == 0:
        return
    dim = data.draw(st.integers(0, layout.rank - 1))
    reduced = layout.reduce(dim)
    thin = (*layout.shape[:dim], 1, *layout.shape[dim + 1 :])
    expanded = layout.broadcast_source(thin)
    for place, coord in table(layout).items():
        assert reduced.apply(*place) == coord[:dim] + coord[dim + 1 :]
        assert expanded.apply(*place) == (*coord[:dim], 0, *coord[dim + 1 :])


@given(layouts(), st.data())
def test_broadcast_source_holds_what_the_broadcast_repeats(
    layout: LinearLayout, data: st.DataObject
) -> None:
    kept = data.draw(
        st.lists(st.booleans(), min_size=layout.rank, max_size=layout.rank)
    )
    source_shape = tuple(
        extent if keep else 1 for extent, keep in zip(layout.shape, kept, strict=True)
    )
    source = layout.broadcast_source(source_shape)
    values = np.arange(prod(source_shape)).reshape(source_shape)
    full = np.broadcast_to(values, layout.shape)
    before = table(source)
    for place, coord in table(layout).items():
        assert full[coord] == values[before[place]]


@given(layouts())
def test_drop_redundant_registers_keeps_what_each_thread_holds(
    layout: LinearLayout,
) -> None:
    slim = layout.drop_redundant_registers()
    for lane in (0, 13, 31):
        before = [layout.apply(r, lane) for r in range(layout.n_registers)]
        after = [slim.apply(r, lane) for r in range(slim.n_registers)]
        assert len(set(after)) == len(after)
        assert set(after) == set(before)


def test_extend_repeats_the_layout() -> None:
    wide = README_EXAMPLE.extend((8, 16), register=((0, 4), (0, 8)), warp=((4, 0),))
    for register, lane, warp in itertools.product(range(8), range(32), range(2)):
        row, column = README_EXAMPLE.apply(register & 1, lane)
        expected = (row + 4 * warp, column + 4 * (register >> 1))
        assert wide.apply(register, lane, warp) == expected


def test_replicated_holds_all_in_each_thread() -> None:
    layout = LinearLayout.replicated((2, 4), 4)
    assert (layout.n_registers, layout.n_warps) == (8, 4)
    for place, coord in table(layout).items():
        assert coord == unpack(place[0], (2, 4))


def test_bits_along_enumerate_the_dimension_once() -> None:
    layout = LinearLayout(
        (4, 16),
        ((0, 1), (1, 0), (0, 1)),
        ((0, 2), (0, 4), (2, 0), ZERO, (0, 2)),
        ((0, 8),),
    )
    rows, columns = layout.bits_along(0), layout.bits_along(1)
    assert (rows.register, rows.lane, rows.warp) == (0b010, 0b00100, 0)
    assert (columns.register, columns.lane, columns.warp) == (0b001, 0b00011, 1)


def test_bits_along_refuses_a_basis_along_two_dimensions() -> None:
    layout = LinearLayout((4, 4), ((1, 1),), (ZERO,) * 5)
    with pytest.raises(LayoutError, match=r"expected register basis 0 along dim 1"):
        layout.bits_along(1)


def test_scalar_tile() -> None:
    layout = LinearLayout.replicated((), 2)
    assert layout.apply(lane=31, warp=1) == ()
    assert layout.is_surjective
    assert layout.reshape((1, 1)).shape == (1, 1)


_LANES: tuple[Coord, ...] = (ZERO,) * 5


@pytest.mark.parametrize(
    ("shape", "register", "lane", "message"),
    [
        ((3, 4), (), _LANES, "powers of two, got 3 in dim 0"),
        ((4, 0), (), _LANES, "powers of two, got 0 in dim 1"),
        ((4, 4), (), _LANES[:4], "expected 5 lane bases, got 4"),
        ((4, 4), ((1,),), _LANES, "expected 2 coordinates in register basis 0"),
        ((4, 4), ((0, 4),), _LANES, "register basis 0 below extent 4 in dim 1, got 4"),
        ((4, 4), ((-1, 0),), _LANES, "below extent 4 in dim 0, got -1"),
    ],
)
def test_broken_invariants_say_what_is_wrong(
    shape: tuple[int, ...],
    register: tuple[Coord, ...],
    lane: tuple[Coord, ...],
    message: str,
) -> None:
    with pytest.raises(LayoutError, match=message):
        LinearLayout(shape, register, lane)


def test_wrong_arguments_say_what_was_expected() -> None:
    layout = README_EXAMPLE
    with pytest.raises(LayoutError, match="expected a permutation of 2 dims"):
        layout.permute((0, 0))
    with pytest.raises(LayoutError, match="expected a shape of 16 elements"):
        layout.reshape((4, 8))
    with pytest.raises(LayoutError, match="expected lane below 32, got 32"):
        layout.apply(lane=32)
    with pytest.raises(LayoutError, match="expected a shape that broadcasts"):
        layout.broadcast_source((2, 4))
    with pytest.raises(LayoutError, match="expected 4 groups"):
        LinearLayout.from_groups((4,), [[]])
    with pytest.raises(LayoutError, match="below rank 1, got 1@1"):
        LinearLayout.from_groups((4,), [[[(1, 1)]], [], [], []])
