# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments against the formulae of the PTX ISA, tilings against their meaning.

The formulae are those under "Matrix Fragments for mma.m16n8k16", "mma.m16n8k8",
"mma.m16n8k32", "mma.m8n8k16" and "mma.m8n8k4": row and column of element i of a
fragment, with group = lane / 4 and place = lane % 4.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import table

from cuda_tile.layout.atoms import (
    FMA_ATOMS,
    M8N8K4,
    M8N8K16,
    M16N8K8,
    M16N8K8_F16,
    M16N8K16,
    M16N8K32,
    MMA_ATOMS,
    MmaAtom,
    Role,
    find_types,
)
from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.fragments import atom_registers, coalesced, padded_lanes, tile_mma
from cuda_tile.layout.linear import LinearLayout

Formula = Callable[[int, int, int], tuple[int, int]]


def c_m16n8(i: int, group: int, place: int) -> tuple[int, int]:
    return (group if i < 2 else group + 8, place * 2 + (i & 1))


def a_m16n8k16(i: int, group: int, place: int) -> tuple[int, int]:
    row = group if i < 2 or 4 <= i < 6 else group + 8
    return (row, place * 2 + (i & 1) + (0 if i < 4 else 8))


def b_m16n8k16(i: int, group: int, place: int) -> tuple[int, int]:
    return (place * 2 + (i & 1) + (0 if i < 2 else 8), group)


def a_m16n8k8_tf32(i: int, group: int, place: int) -> tuple[int, int]:
    return (group if i in (0, 2) else group + 8, place if i < 2 else place + 4)


def b_m16n8k8_tf32(i: int, group: int, place: int) -> tuple[int, int]:
    return (place if i == 0 else place + 4, group)


def a_m16n8k32(i: int, group: int, place: int) -> tuple[int, int]:
    row = group if i < 4 or 8 <= i < 12 else group + 8
    return (row, place * 4 + (i & 3) + (0 if i < 8 else 16))


def b_m16n8k32(i: int, group: int, place: int) -> tuple[int, int]:
    return (place * 4 + (i & 3) + (0 if i < 4 else 16), group)


def a_m8n8k16(i: int, group: int, place: int) -> tuple[int, int]:
    return (group, place * 4 + i)


def b_m8n8k16(i: int, group: int, place: int) -> tuple[int, int]:
    return (place * 4 + i, group)


def c_m8n8(i: int, group: int, place: int) -> tuple[int, int]:
    return (group, place * 2 + i)


@pytest.mark.parametrize(
    ("fragment", "formula", "shape"),
    [
        pytest.param(M16N8K16.a, a_m16n8k16, (16, 16), id="m16n8k16-a"),
        pytest.param(M16N8K16.b, b_m16n8k16, (16, 8), id="m16n8k16-b"),
        pytest.param(M16N8K16.c, c_m16n8, (16, 8), id="m16n8k16-c"),
        pytest.param(M16N8K8.a, a_m16n8k8_tf32, (16, 8), id="m16n8k8-a"),
        pytest.param(M16N8K8.b, b_m16n8k8_tf32, (8, 8), id="m16n8k8-b"),
        pytest.param(M16N8K8.c, c_m16n8, (16, 8), id="m16n8k8-c"),
        pytest.param(M16N8K32.a, a_m16n8k32, (16, 32), id="m16n8k32-a"),
        pytest.param(M16N8K32.b, b_m16n8k32, (32, 8), id="m16n8k32-b"),
        pytest.param(M16N8K32.c, c_m16n8, (16, 8), id="m16n8k32-c"),
        pytest.param(M16N8K8_F16.a, a_m16n8k16, (16, 8), id="m16n8k8.f16-a"),
        pytest.param(M16N8K8_F16.b, b_m16n8k16, (8, 8), id="m16n8k8.f16-b"),
        pytest.param(M16N8K8_F16.c, c_m16n8, (16, 8), id="m16n8k8.f16-c"),
        pytest.param(M8N8K16.a, a_m8n8k16, (8, 16), id="m8n8k16-a"),
        pytest.param(M8N8K16.b, b_m8n8k16, (16, 8), id="m8n8k16-b"),
        pytest.param(M8N8K16.c, c_m8n8, (8, 8), id="m8n8k16-c"),
        pytest.param(M8N8K4.a, lambda i, g, p: (g, p), (8, 4), id="m8n8k4-a"),
        pytest.param(M8N8K4.b, lambda i, g, p: (p, g), (4, 8), id="m8n8k4-b"),
        pytest.param(M8N8K4.c, c_m8n8, (8, 8), id="m8n8k4-c"),
    ],
)
def test_fragment_is_that_of_the_ptx_isa(
    fragment: LinearLayout, formula: Formula, shape: tuple[int, int]
) -> None:
    assert fragment.shape == shape
    assert fragment.is_surjective
    assert fragment.is_injective
    for lane, i in itertools.product(range(32), range(fragment.n_registers)):
        assert fragment.apply(i, lane) == formula(i, lane // 4, lane % 4)


def test_atoms_are_known_by_name() -> None:
    for name, atom in MMA_ATOMS.items():
        assert atom.name == name
        if atom.is_instruction:
            assert name.startswith("m{}n{}k{}".format(*atom.shape))
        m, n, k = atom.shape
        shapes = (atom.a.shape, atom.b.shape, atom.c.shape)
        assert shapes == ((m, k), (k, n), (m, n))
        assert all(layout.is_surjective for layout in (atom.a, atom.b, atom.c))
    assert find_types(M16N8K16.types, "bf16", "f32") is not None
    assert find_types(M16N8K16.types, "bf16", "f16") is None
    assert find_types(M16N8K16.types, "f64", "f64") is None


def test_lanes_of_a_multiply_add_have_the_operands_of_their_sums() -> None:
    for atom in FMA_ATOMS:
        assert not atom.is_instruction
        for lane in range(32):
            rows = {atom.a.apply(i, lane)[0] for i in range(atom.a.n_registers)}
            columns = [atom.b.apply(i, lane)[1] for i in range(4)]
            sums = [atom.c.apply(i, lane) for i in range(atom.c.n_registers)]
            assert sums == [(*rows, column) for column in columns]
            for i in range(atom.b.n_registers):
                assert atom.b.apply(i, lane) == (i // 4, columns[i % 4])


def test_tile_mma_example_of_its_text() -> None:
    layout = tile_mma((32, 16), (2, 1), "c", M16N8K16)
    assert layout.register == ((0, 1), (8, 0), (0, 8))
    assert layout.warp == ((16, 0),)
    assert atom_registers(layout, M16N8K16.c) == {
        (0, 0): (0, 1, 2, 3),
        (0, 8): (4, 5, 6, 7),
    }


def _powers(least: int, most: int) -> st.SearchStrategy[int]:
    return st.sampled_from([1 << bit for bit in range(least, most + 1)])


@given(
    st.sampled_from(list(MMA_ATOMS.values())),
    st.tuples(_powers(4, 7), _powers(3, 7), _powers(5, 6)),
    st.tuples(_powers(0, 2), _powers(0, 2)),
)
def test_every_warp_has_the_operands_of_its_results(
    mma: MmaAtom, extents: tuple[int, int, int], warps: tuple[int, int]
) -> None:
    """Multiplying what each warp holds, atom by atom, gives the whole product."""
    m, n, k = extents
    roles: dict[Role, tuple[int, int]] = {"a": (m, k), "b": (k, n), "c": (m, n)}
    layouts = {role: tile_mma(shape, warps, role, mma) for role, shape in roles.items()}
    atoms = {role: atom_registers(layouts[role], mma.fragment(role)) for role in roles}
    covered: set[tuple[int, int]] = set()
    for role, layout in layouts.items():
        assert layout.is_surjective, role
        assert layout.n_warps == warps[0] * warps[1]
    for warp in range(warps[0] * warps[1]):
        corner = {role: layouts[role].apply(warp=warp) for role in roles}
        row, column = corner["c"]
        assert corner["a"] == (row, 0)
        assert corner["b"] == (0, column)
        for mi, ni in atoms["c"]:
            covered.add((row + mi, column + ni))
            for ki in range(0, k, mma.shape[2]):
                assert (mi, ki) in atoms["a"]
                assert (ki, ni) in atoms["b"]
    step_m, step_n = mma.shape[:2]
    expected = set(itertools.product(range(0, m, step_m), range(0, n, step_n)))
    assert covered == expected


@given(
    st.sampled_from(list(MMA_ATOMS.values())),
    st.sampled_from(["a", "b", "c"]),
    st.tuples(_powers(0, 2), _powers(0, 1)),
)
def test_atom_registers_hold_the_fragment_at_the_origin(
    mma: MmaAtom, role: Role, warps: tuple[int, int]
) -> None:
    layout = tile_mma((128, 256), warps, role, mma)
    fragment = mma.fragment(role)
    last_warp = layout.n_warps - 1
    corner = layout.apply(warp=last_warp)
    for origin, registers in atom_registers(layout, fragment).items():
        for lane, (i, register) in itertools.product(range(32), enumerate(registers)):
            inside = fragment.apply(i, lane)
            expected = tuple(map(sum, zip(corner, origin, inside, strict=True)))
            assert register is not None
            assert layout.apply(register, lane, last_warp) == expected


def test_batched_product_repeats_the_matrix_in_registers() -> None:
    flat = tile_mma((32, 32), (2, 1), "c", M16N8K16)
    batched = tile_mma((4, 32, 32), (2, 1), "c", M16N8K16)
    assert batched.reduce(0).drop_redundant_registers() == flat
    assert batched.register[-2:] == ((1, 0, 0), (2, 0, 0))
    origins = atom_registers(batched, M16N8K16.c)
    assert set(origins) == {(b, 0, n) for b in range(4) for n in (0, 8, 16, 24)}


def test_surplus_warps_hold_copies() -> None:
    layout = tile_mma((16, 16), (4, 2), "c", M16N8K16)
    assert layout.warp == ((0, 0), (0, 0), (0, 8))


def test_warps_divide_a_batch() -> None:
    layout = tile_mma((4, 16, 16), (1, 2, 4), "c", M16N8K16)
    assert layout.warp == ((0, 0, 8), (1, 0, 0), (2, 0, 0))
    assert layout.n_registers == 4
    few = tile_mma((2, 16, 16), (1, 1, 4), "a", M16N8K16)
    assert few.warp == ((1, 0, 0), (0, 0, 0))


@given(
    st.sampled_from(list(MMA_ATOMS.values())),
    st.tuples(_powers(0, 4), _powers(0, 4), _powers(0, 4)),
)
def test_a_tile_below_an_atom_repeats_rows_and_pads_the_sum(
    mma: MmaAtom, extents: tuple[int, int, int]
) -> None:
    """Each lane has what the atom asks of it, or is known to have a zero there."""
    m, n, k = extents
    roles: dict[Role, tuple[int, int]] = {"a": (m, k), "b": (k, n), "c": (m, n)}
    summed: dict[Role, int | None] = {"a": 1, "b": 0, "c": None}
    for role, shape in roles.items():
        fragment, depth = mma.fragment(role), summed[role]
        layout = tile_mma(shape, (1, 1), role, mma)
        assert layout.is_surjective
        origins = atom_registers(layout, fragment, depth)
        outside = 0
        if depth is not None:
            outside = padded_lanes(fragment, depth, shape[depth])
        for origin, lane in itertools.product(origins, range(32)):
            for i, register in enumerate(origins[origin]):
                place = fragment.apply(i, lane)
                if depth is not None and place[depth] >= k:
                    assert register is None or lane & outside
                    continue
                assert register is not None
                assert not lane & outside
                wrapped = tuple(x % size for x, size in zip(place, shape, strict=True))
                wanted = tuple(map(sum, zip(origin, wrapped, strict=True)))
                assert layout.apply(register, lane) == wanted


def test_a_tile_of_rank_one_is_an_error() -> None:
    with pytest.raises(LayoutError, match="expected a matrix"):
        tile_mma((128,), (1, 1), "c", M16N8K16)


def test_division_of_another_layout_is_an_error() -> None:
    with pytest.raises(LayoutError, match="expected a layout made of atoms"):
        atom_registers(coalesced((16, 8), (1, 0), 4, 1), M16N8K16.c)


def test_coalesced_example_of_its_text() -> None:
    layout = coalesced((64, 64), (1, 0), 8, 4)
    assert layout == LinearLayout(
        (64, 64),
        ((0, 1), (0, 2), (0, 4), (16, 0), (32, 0)),
        ((0, 8), (0, 16), (0, 32), (1, 0), (2, 0)),
        ((4, 0), (8, 0)),
    )


@given(
    st.lists(_powers(0, 6), min_size=1, max_size=3),
    st.data(),
    _powers(0, 3),
    _powers(0, 2),
)
def test_coalesced_walks_memory_in_order(
    extents: list[int], data: st.DataObject, vector: int, n_warps: int
) -> None:
    """In memory order: vector, lane, warp, register; and no needless register."""
    shape = tuple(extents)
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    layout = coalesced(shape, order, vector, n_warps)
    assert layout.is_surjective
    strides = [0] * len(shape)
    stride = 1
    for dim in order:
        strides[dim] = stride
        stride *= shape[dim]
    vector = min(vector, layout.n_elements)
    n_threads = 32 * n_warps
    for (register, lane, warp, _), coord in table(layout).items():
        address = sum(c * s for c, s in zip(coord, strides, strict=True))
        thread = lane + 32 * warp
        low, high = register % vector, register // vector
        linear = low + vector * (thread + n_threads * high)
        assert address == linear % layout.n_elements
    assert layout.n_registers == max(vector, layout.n_elements // n_threads)


def test_coalesced_wants_an_order_of_all_dims() -> None:
    with pytest.raises(LayoutError, match="expected an order of 2 dims"):
        coalesced((4, 4), (1, 1), 1, 1)
