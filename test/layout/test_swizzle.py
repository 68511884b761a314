# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Swizzles against the address rule of the hardware, choices by counting conflicts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import layouts

from cuda_tile.layout import f2
from cuda_tile.layout.atoms import M8N8K4, M16N8K8, M16N8K16, M16N8K32, MmaAtom
from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.fragments import coalesced, tile_mma
from cuda_tile.layout.ldmatrix import ldmatrix_conflicts, match_ldmatrix
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout, bank_conflicts, vector_width
from cuda_tile.layout.swizzle import (
    access_cost,
    choose_copied,
    choose_swizzle,
    common_complement,
    row_major,
    swizzled,
)


@pytest.mark.parametrize(
    ("element_bits", "swizzle_bytes", "offset"),
    [
        pytest.param(
            16,
            128,
            "0,1 0,2 0,4 0,8 0,16 0,32 1,8 2,16 4,32 8,0 16,0 32,0 0,64",
            id="128B of 16 bits",
        ),
        pytest.param(
            16,
            64,
            "0,1 0,2 0,4 0,8 0,16 1,0 2,8 4,16 8,0 16,0 32,0 0,32 0,64",
            id="64B of 16 bits",
        ),
        pytest.param(
            16,
            32,
            "0,1 0,2 0,4 0,8 1,0 2,0 4,8 8,0 16,0 32,0 0,16 0,32 0,64",
            id="32B of 16 bits",
        ),
        pytest.param(
            8,
            128,
            "0,1 0,2 0,4 0,8 0,16 0,32 0,64 1,16 2,32 4,64 8,0 16,0 32,0",
            id="128B of 8 bits",
        ),
    ],
)
def test_bases_of_the_hardware_swizzles(
    element_bits: int, swizzle_bytes: int, offset: str
) -> None:
    shared = swizzled((64, 128), element_bits, (1, 0), swizzle_bytes)
    expected = tuple(
        tuple(int(number) for number in basis.split(",")) for basis in offset.split()
    )
    assert shared.offset == expected


@pytest.mark.parametrize("swizzle_bytes", [32, 64, 128])
@pytest.mark.parametrize("element_bits", [8, 16, 32, 64])
@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
def test_swizzle_xors_address_bits(
    swizzle_bytes: int, element_bits: int, order: tuple[int, int]
) -> None:
    """Bits [4..] ^= [7..] of the address in a panel that is stored row by row."""
    shape = (32, 32)
    if shape[order[0]] * element_bits < swizzle_bytes * 8:
        with pytest.raises(LayoutError, match="expected rows of at least"):
            swizzled(shape, element_bits, order, swizzle_bytes)
        return
    shared = swizzled(shape, element_bits, order, swizzle_bytes)
    element_bytes = element_bits // 8
    panel = swizzle_bytes // element_bytes
    mask = swizzle_bytes // 16 - 1
    for coord in itertools.product(range(shape[0]), range(shape[1])):
        column, row = coord[order[0]], coord[order[1]]
        index, inside = divmod(column, panel)
        address = ((index * shape[order[1]] + row) * panel + inside) * element_bytes
        address ^= (address >> 7 & mask) << 4
        assert shared.offset_of(coord) * element_bytes == address


def test_no_swizzle_is_plain_order() -> None:
    assert swizzled((4, 8), 16, (1, 0), 0) == row_major((4, 8))
    assert swizzled((4, 8), 16, (0, 1), 0) == row_major((8, 4)).permute((1, 0))


def test_batched_rows_swizzle_like_one_column_of_rows() -> None:
    batched = swizzled((4, 16, 64), 16, (2, 1, 0), 128)
    assert batched.reshape((64, 64)) == swizzled((64, 64), 16, (1, 0), 128)


def test_few_rows_swizzle_as_far_as_they_go() -> None:
    assert swizzled((2, 64), 16, (1, 0), 128).offset[-1] == (1, 8)


@pytest.mark.parametrize(
    ("order", "swizzle_bytes"), [((1, 0), 16), ((1, 0), 256), ((0, 0), 32)]
)
def test_other_swizzles_are_errors(order: tuple[int, int], swizzle_bytes: int) -> None:
    with pytest.raises(LayoutError, match="expected a swizzle of"):
        swizzled((64, 64), 16, order, swizzle_bytes)


vectors = st.lists(st.integers(0, 31), max_size=4)


@given(vectors, vectors)
def test_common_complement_meets_neither_span_and_is_largest(
    left: list[int], right: list[int]
) -> None:
    found = common_complement(left, right, 5)
    assert len(found) == 5 - max(f2.rank(left), f2.rank(right))
    for side in (left, right):
        assert f2.rank([*side, *found]) == f2.rank(side) + len(found)


def conflict_free(dist: LinearLayout, shared: SharedLayout, element_bits: int) -> bool:
    vector = vector_width(dist, shared, element_bits)
    return bank_conflicts(dist, shared, element_bits, vector) == 0


MMA_CASES = [
    pytest.param(shape, role, order, id=f"{role}-{shape[0]}x{shape[1]}-order{order[0]}")
    for shape in ((64, 64), (128, 32), (32, 128), (64, 16), (16, 64), (128, 128))
    for role in ("a", "b")
    for order in ((1, 0), (0, 1))
]


@pytest.mark.parametrize(("shape", "role", "order"), MMA_CASES)
def test_mma_operands_get_a_hardware_swizzle_and_ldmatrix(
    shape: tuple[int, int], role: str, order: tuple[int, int]
) -> None:
    """128-bit stores, four matrices per ldmatrix, no conflict on either side."""
    src = coalesced(shape, order, 8, 4)
    dst = tile_mma(shape, (2, 2), role, M16N8K16)  # type: ignore[arg-type]
    shared = choose_swizzle(shape, 16, src, dst)
    row_bytes = shape[order[0]] * 2
    assert shared == swizzled(shape, 16, order, min(128, row_bytes))
    assert vector_width(src, shared, 16) == 8
    assert conflict_free(src, shared, 16)
    match = match_ldmatrix(shared, dst, 16)
    assert match is not None
    assert match.count == 4
    assert ldmatrix_conflicts(match, 16) == 0


def test_buffer_written_by_a_copy_engine_has_only_a_load_side() -> None:
    dst = tile_mma((64, 64), (2, 2), "a", M16N8K16)
    shared = choose_swizzle((64, 64), 16, None, dst)
    match = match_ldmatrix(shared, dst, 16)
    assert match is not None
    assert ldmatrix_conflicts(match, 16) == 0


def test_slice_of_a_larger_buffer() -> None:
    src = coalesced((64, 64), (1, 0), 8, 4)
    dst = tile_mma((64, 16), (2, 2), "a", M16N8K16)
    assert choose_swizzle((64, 64), 16, src, dst) == swizzled((64, 64), 16, (1, 0), 128)


def test_ldmatrix_can_be_demanded_or_forbidden() -> None:
    src = coalesced((64, 64), (1, 0), 8, 4)
    operand = tile_mma((64, 64), (2, 2), "b", M16N8K16)
    demanded = choose_swizzle((64, 64), 16, src, operand, ldmatrix=True)
    assert match_ldmatrix(demanded, operand, 16) is not None
    plain = choose_swizzle((64, 64), 16, src, operand, ldmatrix=False)
    assert access_cost(operand, plain, 16) <= access_cost(operand, demanded, 16)
    with pytest.raises(LayoutError, match="expected a tile that ldmatrix can load"):
        choose_swizzle((64, 64), 64, src, operand, ldmatrix=True)


CONVERSIONS = [
    pytest.param(
        bits, shape, source, target, id=f"{name}-{bits}b-{shape[0]}x{shape[1]}"
    )
    for bits in (8, 16, 32, 64)
    for shape in ((32, 32), (64, 64), (128, 64), (16, 256))
    for name, source, target in (
        ("transpose", ((1, 0), 128 // bits), ((0, 1), 128 // bits)),
        ("transpose-scalar", ((1, 0), 1), ((0, 1), 1)),
        ("rows-to-rows", ((1, 0), 128 // bits), ((1, 0), 1)),
    )
]


@pytest.mark.parametrize(("bits", "shape", "source", "target"), CONVERSIONS)
def test_conversions_have_no_conflicts(
    bits: int,
    shape: tuple[int, int],
    source: tuple[tuple[int, int], int],
    target: tuple[tuple[int, int], int],
) -> None:
    src = coalesced(shape, *source, 4)
    dst = coalesced(shape, *target, 4)
    shared = choose_swizzle(shape, bits, src, dst)
    assert conflict_free(src, shared, bits)
    assert conflict_free(dst, shared, bits)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_transposition_stores_or_loads_whole_vectors(bits: int) -> None:
    vector = 128 // bits
    src = coalesced((128, 128), (1, 0), vector, 4)
    dst = coalesced((128, 128), (0, 1), vector, 4)
    shared = choose_swizzle((128, 128), bits, src, dst)
    assert vector in (vector_width(side, shared, bits) for side in (src, dst))
    assert conflict_free(src, shared, bits)
    assert conflict_free(dst, shared, bits)


@pytest.mark.parametrize("bits", [16, 32])
@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
def test_result_of_mma_to_coalesced_store(bits: int, order: tuple[int, int]) -> None:
    src = tile_mma((64, 64), (2, 2), "c", M16N8K16)
    dst = coalesced((64, 64), order, 128 // bits, 4)
    shared = choose_swizzle((64, 64), bits, src, dst)
    assert conflict_free(src, shared, bits)
    assert conflict_free(dst, shared, bits)
    assert vector_width(dst, shared, bits) >= 2


@given(st.sampled_from([8, 16, 32]), st.data())
def test_choice_is_never_worse_than_the_plain_layout(
    bits: int, data: st.DataObject
) -> None:
    shape = (16, 32)
    src = data.draw(layouts(shape=shape, n_warp_bits=1))
    dst = data.draw(layouts(shape=shape, n_warp_bits=1))
    shared = choose_swizzle(shape, bits, src, dst, ldmatrix=False)
    cost = sum(access_cost(side, shared, bits) for side in (src, dst))
    plain = sum(access_cost(side, row_major(shape), bits) for side in (src, dst))
    assert cost <= plain


@given(st.permutations(range(10)), st.permutations(range(10)))
def test_word_sized_bit_permutations_are_always_free_of_conflicts(
    left: Sequence[int], right: Sequence[int]
) -> None:
    """Any two ways to hand out the bits of a 32 x 32 tile of words."""

    def layout(bits: Sequence[int]) -> LinearLayout:
        bases = [(1 << b >> 5, (1 << b) & 31) for b in bits]
        return LinearLayout((32, 32), tuple(bases[5:]), tuple(bases[:5]))

    src, dst = layout(left), layout(right)
    shared = choose_swizzle((32, 32), 32, src, dst, ldmatrix=False)
    assert conflict_free(src, shared, 32)
    assert conflict_free(dst, shared, 32)


@pytest.mark.parametrize(
    ("element_bits", "atom", "shape"),
    [
        pytest.param(32, M16N8K8, (32, 128), id="tf32"),
        pytest.param(64, M8N8K4, (16, 64), id="f64"),
        pytest.param(8, M16N8K32, (64, 128), id="i8"),
        pytest.param(16, M16N8K16, (64, 128), id="f16"),
    ],
)
def test_what_copies_write_is_read_without_conflicts(
    element_bits: int, atom: MmaAtom, shape: tuple[int, int]
) -> None:
    """B along N in units of 16 bytes; scalars of an operand stand in several rows.

    Hardware swizzles move rows by one unit, so that two rows of two units meet.
    """
    unit = 128 // element_bits
    writer = coalesced(shape, (1, 0), unit, 4)
    reader = tile_mma(shape, (2, 2), "b", atom)
    shared = choose_copied(shape, element_bits, writer, (reader,), unit, 1)
    assert shared.offset[: unit.bit_length() - 1] == tuple(
        (0, 1 << bit) for bit in range(unit.bit_length() - 1)
    )
    assert bank_conflicts(writer, shared, element_bits, unit) == 0
    vector = vector_width(reader, shared, element_bits)
    match = match_ldmatrix(shared, reader, element_bits)
    if match is None:
        assert bank_conflicts(reader, shared, element_bits, vector) == 0
    else:
        assert ldmatrix_conflicts(match, element_bits) == 0
