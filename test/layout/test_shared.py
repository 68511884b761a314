# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`SharedLayout` and accesses to it against enumeration of all offsets."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import layouts, shapes, shared_layouts

from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.fragments import coalesced
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import (
    SharedLayout,
    bank_conflicts,
    extra_wavefronts,
    offset_columns,
    shared_access,
    vector_width,
)
from cuda_tile.layout.swizzle import row_major, swizzled


def test_example_of_the_class_text() -> None:
    shared = SharedLayout((4, 4), ((0, 1), (0, 2), (1, 2), (2, 0)))
    assert shared.apply(5) == (1, 3)
    assert shared.groups() == [[[(1, 1)], [(2, 1)], [(1, 0), (2, 1)], [(2, 0)]]]


@given(shared_layouts())
def test_offset_of_inverts_apply(shared: SharedLayout) -> None:
    coords = [shared.apply(offset) for offset in range(1 << len(shared.offset))]
    assert len(set(coords)) == len(coords)
    assert [shared.offset_of(coord) for coord in coords] == list(range(len(coords)))
    assert SharedLayout.from_groups(shared.shape, shared.groups()) == shared


@given(shared_layouts())
def test_offsets_are_xors_of_columns(shared: SharedLayout) -> None:
    columns = shared.invert()
    for coord in itertools.product(*(range(extent) for extent in shared.shape)):
        offset = 0
        for dim, coordinate in enumerate(coord):
            for bit in range(coordinate.bit_length()):
                if coordinate >> bit & 1:
                    assert shared.column(dim, bit) == columns[dim][bit]
                    offset ^= columns[dim][bit]
        assert offset == shared.offset_of(coord)


@given(shared_layouts(), st.sampled_from((2, 8)))
def test_parts_lie_side_by_side_in_their_elements(
    shared: SharedLayout, count: int
) -> None:
    flat = shared.reshape((1 << len(shared.offset),))
    fine = flat.finer(count)
    for offset in range(1 << len(fine.offset)):
        (whole,) = flat.apply(offset // count)
        assert fine.apply(offset) == (whole * count + offset % count,)
    assert flat.finer(2).coarser(0) == flat


@given(shared_layouts())
def test_pairs_are_neighbours_along_one_dimension(shared: SharedLayout) -> None:
    for dim in range(len(shared.shape)):
        step = [int(d == dim) for d in range(len(shared.shape))]
        pairs = range(0, 1 << len(shared.offset), 2)
        is_paired = bool(shared.offset) and all(
            [y - x for x, y in zip(shared.apply(n), shared.apply(n + 1), strict=True)]
            == step
            for n in pairs
        )
        found = shared.coarser(dim)
        assert (found is not None) == is_paired
        if found is None:
            continue
        for n in pairs:
            place = [x // 2 if d == dim else x for d, x in enumerate(shared.apply(n))]
            assert found.apply(n // 2) == tuple(place)


@given(shared_layouts(), st.data())
def test_permute_and_reshape_keep_every_byte(
    shared: SharedLayout, data: st.DataObject
) -> None:
    perm = data.draw(st.permutations(range(len(shared.shape))))
    transposed = shared.permute(perm)
    flat = shared.reshape((1 << len(shared.offset),))
    for offset in range(1 << len(shared.offset)):
        coord = shared.apply(offset)
        assert transposed.apply(offset) == tuple(coord[dim] for dim in perm)
        number = 0
        for coordinate, extent in zip(coord, shared.shape, strict=True):
            number = number * extent + coordinate
        assert flat.apply(offset) == (number,)
    assert flat.reshape(shared.shape) == shared


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (((0, 1),), "expected 2 independent offset bases"),
        (((0, 1), (0, 1)), "expected 2 independent offset bases"),
        (((0, 1), (2, 0)), "below extent 2 in dim 0, got 2"),
    ],
)
def test_broken_invariants_say_what_is_wrong(
    offset: tuple[tuple[int, int], ...], message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        SharedLayout((2, 2), offset)


def test_wrong_arguments_say_what_was_expected() -> None:
    shared = row_major((4, 4))
    with pytest.raises(LayoutError, match="expected an offset below 16"):
        shared.apply(16)
    with pytest.raises(LayoutError, match="coordinate basis 0 below extent 4"):
        shared.offset_of((4, 0))
    with pytest.raises(LayoutError, match="expected 1 or 2 groups"):
        SharedLayout.from_groups((2,), [[], [], []])
    odd = SharedLayout((4, 4), ((0, 1), (0, 2), (2, 0)), ((1, 0),))
    with pytest.raises(LayoutError, match="expected CTAs to hold whole parts"):
        _ = odd.own
    with pytest.raises(LayoutError, match="expected a tile inside a buffer"):
        offset_columns(coalesced((8, 8), (1, 0), 1, 1), shared)


def test_two_ctas_hold_a_tile_together() -> None:
    half = SharedLayout((4, 4), ((1, 0), (0, 1), (2, 1), (0, 2)))
    whole = half.beside_peer(1)
    assert (whole.shape, whole.own) == ((4, 8), half)
    assert SharedLayout.from_groups((4, 8), whole.groups()) == whole
    assert whole.permute((1, 0)).own == half.permute((1, 0))
    for offset in range(1 << len(half.offset)):
        row, column = half.apply(offset)
        for cta in range(2):
            place = offset | cta << len(half.offset)
            assert whole.apply(place) == (row, column + 4 * cta)
            assert whole.offset_of((row, column + 4 * cta)) == place
    flat = whole.permute((1, 0)).reshape((2, 4, 4))
    assert flat.own == half.permute((1, 0)).reshape((1, 4, 4))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[LinearLayout, SharedLayout]:
    shape = draw(shapes())
    return draw(layouts(shape=shape)), draw(shared_layouts(shape=shape))


@given(pairs(), st.sampled_from([8, 16, 32, 64]))
def test_access_finds_each_element_at_its_offset(
    pair: tuple[LinearLayout, SharedLayout], element_bits: int
) -> None:
    dist, shared = pair
    access = shared_access(dist, shared, element_bits)
    assert access.vector == vector_width(dist, shared, element_bits)
    assert access.vector * element_bits <= 128
    seen = sorted(itertools.chain.from_iterable(access.registers))
    assert seen == list(range(dist.n_registers))
    for lane, warp in itertools.product((0, 1, 7, 30), range(dist.n_warps)):
        base = 0
        for index, columns in (
            (lane, access.columns.lane),
            (warp, access.columns.warp),
        ):
            for bit, column in enumerate(columns):
                base ^= column if index >> bit & 1 else 0
        assert base & ~access.columns.thread_mask == 0
        for constant, registers in zip(access.offsets, access.registers, strict=True):
            assert (base ^ constant) % access.vector == 0
            mask = access.columns.thread_mask
            added = (base ^ (constant & mask)) + (constant & ~mask)
            assert added == base ^ constant
            for place, register in enumerate(registers):
                coord = dist.apply(register, lane, warp)
                assert shared.offset_of(coord) == (base ^ constant) + place


@given(shared_layouts(shape=(16, 16)), st.data())
def test_slices_add_the_offset_of_their_origin(
    shared: SharedLayout, data: st.DataObject
) -> None:
    dist = data.draw(layouts(shape=(4, 8), n_warp_bits=0))
    access = shared_access(dist, shared, 16)
    for origin in itertools.product((0, 4, 8, 12), (0, 8)):
        base = shared.offset_of(origin)
        for constant, registers in zip(access.offsets, access.registers, strict=True):
            assert (base ^ constant) % access.vector == 0
            for place, register in enumerate(registers):
                inside = dist.apply(register)
                coord = (origin[0] + inside[0], origin[1] + inside[1])
                assert shared.offset_of(coord) == base ^ constant ^ place


def test_registers_may_permute_a_vector() -> None:
    """Rows (0, *) and (1, *) of a 2 x 4 tile, the second with its pairs exchanged."""
    shared = SharedLayout((2, 4), ((0, 1), (0, 2), (1, 1)))
    dist = LinearLayout((2, 4), ((0, 1), (0, 2), (1, 0)), ((0, 0),) * 5)
    access = shared_access(dist, shared, 32)
    assert access.offsets == (0, 4)
    assert access.registers == ((0, 1, 2, 3), (5, 4, 7, 6))
    by_lane = LinearLayout((2, 4), ((0, 1), (0, 2)), ((1, 0), *[(0, 0)] * 4))
    assert vector_width(by_lane, shared, 32) == 1


def test_slices_may_not_permute_a_vector() -> None:
    shared = SharedLayout((2, 4), ((0, 1), (0, 2), (1, 1)))
    row = LinearLayout((1, 4), ((0, 1), (0, 2)), ((0, 0),) * 5)
    assert vector_width(row, shared, 32) == 1
    assert vector_width(row, row_major((2, 4)), 32) == 4


def test_vector_width_is_limited_by_128_bits_and_by_the_layout() -> None:
    dist = coalesced((8, 256), (1, 0), 16, 1)
    shared = row_major((8, 256))
    assert [vector_width(dist, shared, bits) for bits in (8, 16, 32, 64)] == [
        16,
        8,
        4,
        2,
    ]
    transposed = row_major((256, 8)).permute((1, 0))
    assert vector_width(dist, transposed, 16) == 1
    swizzle = swizzled((8, 256), 32, (1, 0), 128)
    assert vector_width(dist, swizzle, 32) == 4


@pytest.mark.parametrize(
    ("stride_bytes", "access_bytes", "extra"),
    [
        (0, 4, 0),  # all lanes read one word
        (1, 1, 0),  # four lanes share a word
        (2, 2, 0),
        (4, 4, 0),
        (8, 4, 1),
        (16, 4, 3),
        (128, 4, 31),
        (128, 2, 31),
        (8, 8, 0),
        (16, 8, 2),  # one more in each half warp
        (128, 8, 30),
        (16, 16, 0),
        (32, 16, 4),  # one more in each quarter warp
        (128, 16, 28),
        (144, 16, 0),  # padded rows
    ],
)
def test_wavefronts_of_strided_lanes(
    stride_bytes: int, access_bytes: int, extra: int
) -> None:
    offsets = [lane * stride_bytes for lane in range(32)]
    assert extra_wavefronts(offsets, access_bytes) == extra


def test_bank_conflicts_of_a_transposed_read() -> None:
    by_rows = coalesced((32, 32), (1, 0), 1, 1)
    by_columns = coalesced((32, 32), (0, 1), 1, 1)
    assert bank_conflicts(by_rows, row_major((32, 32)), 32, 1) == 0
    assert bank_conflicts(by_columns, row_major((32, 32)), 32, 1) == 31


@given(pairs(), st.sampled_from([8, 16, 32]))
def test_bank_conflicts_are_those_of_every_warp_and_register(
    pair: tuple[LinearLayout, SharedLayout], element_bits: int
) -> None:
    dist, shared = pair
    access = shared_access(dist, shared, element_bits)
    expected = bank_conflicts(dist, shared, element_bits, access.vector)
    element_bytes = element_bits // 8
    for registers, warp in itertools.product(access.registers, range(dist.n_warps)):
        offsets = [
            shared.offset_of(dist.apply(registers[0], lane, warp)) * element_bytes
            for lane in range(32)
        ]
        assert extra_wavefronts(offsets, access.vector * element_bytes) == expected
