# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`match_ldmatrix` against a simulation of the instruction, byte by byte."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import layouts, shared_layouts

from cuda_tile.layout.atoms import M16N8K8, M16N8K16, M16N8K32, M16N16K32, MmaAtom, Role
from cuda_tile.layout.fragments import coalesced, tile_mma
from cuda_tile.layout.ldmatrix import (
    LdMatrix,
    ldmatrix_conflicts,
    ldmatrix_tile,
    match_ldmatrix,
    match_stmatrix,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_copied, row_major, swizzled
from cuda_tile.layout.wgmma import wgmma_atom


def ldmatrix(
    rows: list[int], count: int, element_bits: int, transposed: bool
) -> list[list[list[int]]]:
    """Runs one ldmatrix: element offsets that each lane receives per register.

    `rows[lane]` is the element offset that the lane names. Straight from the PTX
    ISA: a matrix is 8 rows of 16 bytes; lane l gets the 32 bits at row l / 4, byte
    4 (l % 4); with .trans the 16-bit units at column l / 4 of rows 2 (l % 4) and
    2 (l % 4) + 1.
    """
    packed = 32 // element_bits
    result: list[list[list[int]]] = []
    for lane in range(32):
        group, place = divmod(lane, 4)
        registers: list[list[int]] = []
        for matrix in range(count):
            start = rows[8 * matrix : 8 * matrix + 8]
            if transposed:
                unit = 16 // element_bits
                values = [
                    start[2 * place + row] + unit * group + i
                    for row in range(2)
                    for i in range(unit)
                ]
            else:
                values = [start[group] + packed * place + i for i in range(packed)]
            registers.append(values)
        result.append(registers)
    return result


def check(
    match: LdMatrix,
    shared: SharedLayout,
    dist: LinearLayout,
    element_bits: int,
    origin: tuple[int, ...] | None = None,
) -> None:
    """Asserts that the instructions deliver exactly the registers of the tile."""
    start = shared.offset_of(origin) if origin else 0
    corner = origin or (0,) * dist.rank
    filled: list[int] = []
    for group, warp in itertools.product(match.groups, range(dist.n_warps)):
        rows: list[int] = []
        for lane in range(32):
            row = start ^ group.offset
            for bit, offset in enumerate(match.lane_offsets):
                row ^= offset if lane >> bit & 1 else 0
            for bit, offset in enumerate(match.warp_offsets):
                row ^= offset if warp >> bit & 1 else 0
            assert row * element_bits % 128 == 0
            rows.append(row)
        received = ldmatrix(rows, match.count, element_bits, match.transposed)
        for lane, result in itertools.product(range(32), range(match.count)):
            registers = group.registers[result]
            for register, offset in zip(registers, received[lane][result], strict=True):
                inside = dist.apply(register, lane, warp)
                assert shared.apply(offset) == tuple(
                    c + i for c, i in zip(corner, inside, strict=True)
                )
        if warp == 0:
            filled += itertools.chain.from_iterable(group.registers)
    assert sorted(filled) == list(range(dist.n_registers))


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_tile_of_one_instruction(transposed: bool, count: int) -> None:
    dist = ldmatrix_tile(transposed, count)  # type: ignore[arg-type]
    shared = row_major(dist.shape)
    match = match_ldmatrix(shared, dist, 16)
    assert match is not None
    assert (match.transposed, match.count, len(match.groups)) == (transposed, count, 1)
    assert match.lane_offsets[: 3 + (count > 1) + (count > 2)] == tuple(
        8 << bit for bit in range(3 + (count > 1) + (count > 2))
    )
    check(match, shared, dist, 16)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("swizzle_bytes", [0, 32, 64, 128])
@pytest.mark.parametrize("fastest", [0, 1])
@pytest.mark.parametrize("role", ["a", "b"])
@pytest.mark.parametrize("warps", [(1, 1), (2, 2), (4, 1)])
def test_operands_of_16_bits_in_any_swizzle(
    role: Role, fastest: int, swizzle_bytes: int, warps: tuple[int, int]
) -> None:
    """K-major operands load plainly, the others with .trans; always four at once."""
    dist = tile_mma((64, 64), warps, role, M16N8K16)
    shared = swizzled((64, 64), 16, (fastest, 1 - fastest), swizzle_bytes)
    match = match_ldmatrix(shared, dist, 16)
    assert match is not None
    k_dim = 1 if role == "a" else 0
    assert match.transposed == (fastest != k_dim)
    assert match.count == 4
    assert len(match.groups) * 8 == dist.n_registers
    check(match, shared, dist, 16)
    if swizzle_bytes == 128:
        assert ldmatrix_conflicts(match, 16) == 0


@pytest.mark.parametrize("swizzle_bytes", [0, 32, 64, 128])
@pytest.mark.parametrize("warps", [(1, 1), (2, 4), (4, 2)])
def test_bytes_along_n_are_transposed_for_pairs_of_columns(
    swizzle_bytes: int, warps: tuple[int, int]
) -> None:
    dist = tile_mma((64, 128), warps, "b", M16N16K32)
    shared = swizzled((64, 128), 8, (1, 0), swizzle_bytes)
    match = match_ldmatrix(shared, dist, 8)
    assert match is not None
    assert match.transposed
    assert match.count == 4
    assert len(match.groups) * 16 == dist.n_registers
    check(match, shared, dist, 8)


def test_copied_bytes_along_n_are_transposed_without_conflicts() -> None:
    dist = tile_mma((64, 128), (2, 4), "b", M16N16K32)
    writer = coalesced((64, 128), (1, 0), 16, 8)
    shared = choose_copied((64, 128), 8, writer, (dist,), 16, 1)
    match = match_ldmatrix(shared, dist, 8)
    assert match is not None
    assert match.transposed
    assert ldmatrix_conflicts(match, 8) == 0
    check(match, shared, dist, 8)


def test_row_major_rows_of_128_bytes_conflict_without_a_swizzle() -> None:
    match = match_ldmatrix(
        row_major((64, 64)), tile_mma((64, 64), (1, 1), "a", M16N8K16), 16
    )
    assert match is not None
    assert ldmatrix_conflicts(match, 16) == 4 * 7


@pytest.mark.parametrize(
    ("mma", "element_bits"),
    [pytest.param(M16N8K32, 8, id="8 bits"), pytest.param(M16N8K8, 32, id="tf32")],
)
@pytest.mark.parametrize("role", ["a", "b"])
def test_other_widths_load_k_major_only(
    role: Role, mma: MmaAtom, element_bits: int
) -> None:
    dist = tile_mma((64, 64), (2, 1), role, mma)
    k_dim = 1 if role == "a" else 0
    order = (k_dim, 1 - k_dim)
    shared = swizzled((64, 64), element_bits, order, 64)
    match = match_ldmatrix(shared, dist, element_bits)
    assert match is not None
    assert not match.transposed
    check(match, shared, dist, element_bits)
    other = swizzled((64, 64), element_bits, order[::-1], 64)
    assert match_ldmatrix(other, dist, element_bits) is None


def test_slice_of_a_ring_of_slots() -> None:
    shared = swizzled((64, 128), 16, (1, 0), 128)
    dist = tile_mma((32, 16), (2, 2), "a", M16N8K16)
    match = match_ldmatrix(shared, dist, 16)
    assert match is not None
    for origin in itertools.product((0, 32), range(0, 128, 16)):
        check(match, shared, dist, 16, origin)


def test_narrow_tile_takes_fewer_matrices() -> None:
    shared = row_major((16, 8))
    match = match_ldmatrix(shared, tile_mma((16, 8), (1, 1), "b", M16N8K16), 16)
    assert match is not None
    assert match.count == 2
    assert match.lane_offsets[4] == 0
    check(match, shared, tile_mma((16, 8), (1, 1), "b", M16N8K16), 16)


@pytest.mark.parametrize("fastest", [0, 1])
def test_sums_of_16_bits_are_stored_with_stmatrix(fastest: int) -> None:
    """It is the same map in the other direction; a whole warp writes."""
    shared = swizzled((64, 256), 16, (fastest, 1 - fastest), 128)
    atom = wgmma_atom("m64n256k16")
    assert atom is not None
    for dist in (tile_mma((64, 256), (4, 1), "c", M16N8K16), atom.c):
        match = match_stmatrix(shared, dist, 16)
        assert match is not None
        assert match.count == 4
        assert match.transposed == (fastest == 0)
        assert ldmatrix_conflicts(match, 16) == 0
        check(match, shared, dist, 16)


def test_copies_of_elements_are_not_stored_with_stmatrix() -> None:
    """Rows 8 to 15 of an atom repeat the others, or two warps hold the same tile."""
    shared = row_major((8, 64))
    for shape, warps in (((8, 64), (1, 1)), ((16, 64), (2, 1))):
        dist = tile_mma(shape, warps, "c", M16N8K16)
        if shape[0] == 16:
            shared = row_major(shape)
        assert match_ldmatrix(shared, dist, 16) is not None
        assert (match_stmatrix(shared, dist, 16) is None) == (not dist.is_injective)


@pytest.mark.parametrize("element_bits", [1, 64])
def test_other_element_widths_do_not_match(element_bits: int) -> None:
    dist = tile_mma((64, 64), (1, 1), "a", M16N8K16)
    assert match_ldmatrix(row_major((64, 64)), dist, element_bits) is None


def test_coalesced_tile_does_not_match() -> None:
    dist = coalesced((64, 64), (1, 0), 8, 4)
    assert match_ldmatrix(row_major((64, 64)), dist, 16) is None


def test_misaligned_rows_do_not_match() -> None:
    """Exchanging two offset bits around the 16-byte row breaks the row."""
    plain = row_major((64, 64)).offset
    shared = SharedLayout((64, 64), (*plain[:2], plain[3], plain[2], *plain[4:]))
    assert match_ldmatrix(shared, tile_mma((64, 64), (1, 1), "a", M16N8K16), 16) is None


@given(
    layouts(shape=(16, 16), n_warp_bits=1),
    shared_layouts(shape=(16, 16)),
    st.sampled_from([8, 16, 32]),
)
def test_whatever_matches_is_right(
    dist: LinearLayout, shared: SharedLayout, element_bits: int
) -> None:
    match = match_ldmatrix(shared, dist, element_bits)
    if match is not None:
        check(match, shared, dist, element_bits)


@given(st.permutations(range(8)), st.sampled_from([8, 16, 32]), st.booleans())
def test_shuffled_tiles_match_exactly_when_simulated(
    positions: list[int], element_bits: int, transposed: bool
) -> None:
    """Layouts near the instruction's own: bits of a good one are permuted."""
    base = ldmatrix_tile(transposed, 4)
    bases = [*base.register, *base.lane]
    mixed = [bases[i] for i in positions]
    dist = LinearLayout(base.shape, tuple(mixed[:3]), tuple(mixed[3:]))
    shared = row_major(base.shape)
    match = match_ldmatrix(shared, dist, element_bits)
    if match is not None:
        check(match, shared, dist, element_bits)
    in_lane = dist.lane == base.lane
    if element_bits == 16 and in_lane and (transposed or (0, 1) in dist.register):
        assert match is not None
