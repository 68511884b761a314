# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments and descriptors of wgmma against the formulae of the PTX ISA."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import shared_layouts, table

from cuda_tile.emulator.tensor.descriptor import Descriptor
from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.descriptors import (
    OperandDescriptor,
    OperandRole,
    describe,
    panel_buffer,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import row_major, swizzled
from cuda_tile.layout.wgmma import WGMMA_COLUMNS, find_wgmma, tile_wgmma, wgmma_atom

BITS = {8: 32, 16: 16, 32: 8}
"""Width of an operand's element by K."""


def place_of_c(register: int, thread: int) -> tuple[int, int]:
    """Row and column of element i of D ("Register Fragments", Figure of D)."""
    warp, lane = divmod(thread % 128, 32)
    row = 16 * warp + lane // 4 + 8 * (register // 2 % 2)
    return row, 8 * (register // 4) + lane % 4 * 2 + register % 2


def place_of_a(register: int, thread: int, bits: int) -> tuple[int, int]:
    """The same of A: words of 32 bits, two along M, then along K."""
    per_word = 32 // bits
    word, inside = divmod(register, per_word)
    warp, lane = divmod(thread % 128, 32)
    row = 16 * warp + lane // 4 + 8 * (word % 2)
    return row, per_word * (lane % 4 + 4 * (word // 2)) + inside


@pytest.mark.parametrize("columns", WGMMA_COLUMNS)
@pytest.mark.parametrize("depth", BITS)
def test_fragments_are_those_of_the_isa(columns: int, depth: int) -> None:
    atom = wgmma_atom(f"m64n{columns}k{depth}")
    assert atom is not None
    assert atom.shape == (64, columns, depth)
    for (register, lane, warp, _), place in table(atom.c).items():
        assert place == place_of_c(register, 32 * warp + lane)
    for (register, lane, warp, _), place in table(atom.a).items():
        assert place == place_of_a(register, 32 * warp + lane, BITS[depth])


@pytest.mark.parametrize(
    ("m", "n", "k", "groups"),
    [
        (64, 256, 16, (1, 1)),
        (128, 256, 64, (2, 1)),
        (256, 128, 64, (2, 1)),
        (64, 128, 32, (1, 2)),
        (128, 256, 32, (2, 2)),
        (256, 256, 16, (1, 2)),
    ],
)
def test_a_tile_is_cut_into_rectangles_of_warpgroups(
    m: int, n: int, k: int, groups: tuple[int, int]
) -> None:
    columns = min(n // groups[1], 128)
    atom = wgmma_atom(f"m64n{columns}k16")
    assert atom is not None
    c, a = tile_wgmma((m, n), groups, "c", atom), tile_wgmma((m, k), groups, "a", atom)
    assert c.is_surjective
    assert c.is_injective
    assert a.is_surjective
    part = (m // groups[0], n // groups[1])
    for (register, lane, warp, _), place in table(c).items():
        group, in_group = divmod(warp, 4)
        corner = (group % groups[0] * part[0], group // groups[0] * part[1])
        number, own = divmod(register, columns // 2)
        down, across = divmod(number, part[1] // columns)
        inside = place_of_c(own, 32 * in_group + lane)
        assert place == (
            corner[0] + 64 * down + inside[0],
            corner[1] + columns * across + inside[1],
        )
    for (register, lane, warp, _), place in table(a).items():
        group, in_group = divmod(warp, 4)
        number, own = divmod(register, 8)
        down, across = divmod(number, k // 16)
        inside = place_of_a(own, 32 * in_group + lane, 16)
        corner = group % groups[0] * part[0]
        assert place == (corner + 64 * down + inside[0], 16 * across + inside[1])


def test_the_result_of_a_product_is_the_first_operand_of_the_next() -> None:
    """As attention has it: the sums, as 16 bits, are A of the second product."""
    first, second = wgmma_atom("m64n128k16"), wgmma_atom("m64n64k16")
    assert first is not None
    assert second is not None
    sums = tile_wgmma((128, 128), (2, 1), "c", first)
    assert tile_wgmma((128, 128), (2, 1), "a", second) == sums


def test_what_no_instruction_does_is_refused() -> None:
    assert wgmma_atom("m64n512k16") is None
    assert wgmma_atom("m64n64k4") is None
    assert wgmma_atom("m16n8k16") is None
    assert find_wgmma("f32", "f32", 64) is None
    assert find_wgmma("bf16", "f16", 64) is None
    atom = find_wgmma("f16", "f16", 512)
    assert atom is not None
    assert atom.name == "m64n256k16"
    for shape, groups in (
        ((32, 256), (1, 1)),
        ((64, 256), (2, 1)),
        ((64, 256), (1, 2)),
    ):
        with pytest.raises(LayoutError, match="expected a multiple of"):
            tile_wgmma(shape, groups, "c", atom)


@pytest.mark.parametrize(
    ("operand", "accumulator", "depth"),
    [
        ("f16", "f32", 16),
        ("f16", "f16", 16),
        ("bf16", "f32", 16),
        ("tf32", "f32", 8),
        ("i8", "i32", 32),
        ("f8E4M3FN", "f32", 32),
        ("f8E5M2", "f16", 32),
    ],
)
def test_types_decide_the_depth(operand: str, accumulator: str, depth: int) -> None:
    atom = find_wgmma(operand, accumulator, 64)
    assert atom is not None
    assert atom.shape == (64, 64, depth)
    assert atom.majors == (depth == 16)


# Descriptors --------------------------------------------------------------------------


def bytes_read(
    found: OperandDescriptor, row: int, depth: int, count: int, bits: int
) -> np.ndarray:
    """Offset of the first byte of each element of one instruction, [count, K]."""
    descriptor = Descriptor.decode(
        found.constant + (found.start_bytes(row, depth) >> 4)
    )
    per_unit = 128 // bits
    deep = 256 // bits
    if found.is_transposed:
        units = descriptor.columns(count, deep)  # [K, count / 8]
        places = units[:, :, None] + np.arange(per_unit) * (bits // 8)
        return places.reshape(deep, count).T
    units = descriptor.rows(count)  # [count, 2]
    places = units[:, :, None] + np.arange(per_unit) * (bits // 8)
    return places.reshape(count, deep)


def check(shared: SharedLayout, bits: int, role: OperandRole, count: int) -> bool:
    """Whether there is a descriptor; all instructions must read their elements then."""
    found = describe(shared, bits, role, count)
    if isinstance(found, str):
        return False
    rows, depth = shared.shape if role == "a" else shared.shape[::-1]
    deep = 256 // bits
    for down, along in itertools.product(range(rows // count), range(depth // deep)):
        read = bytes_read(found, down, along, count, bits)
        for row, k in itertools.product(range(count), range(deep)):
            place = (down * count + row, along * deep + k)
            coord = place if role == "a" else place[::-1]
            assert read[row, k] == shared.offset_of(coord) * bits // 8, (place, found)
    return True


@pytest.mark.parametrize("span", [0, 32, 64, 128])
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("role", ["a", "b"])
def test_every_swizzle_is_described_along_k(
    span: int, bits: int, role: OperandRole
) -> None:
    deep = 256 // bits
    for pieces in (1, 2, 4, 8):
        shape, order = (64, deep * pieces), (1, 0)
        if role == "b":
            shape, order = shape[::-1], (0, 1)
        if 32 * pieces < span or (not span and pieces > 1):
            continue
        shared = (
            swizzled(shape, bits, order, span)
            if span
            else core_matrices(shape, bits, order[0])
        )
        assert check(shared, bits, role, 64)
        assert check(shared, bits, role, 16)


def core_matrices(shape: tuple[int, ...], bits: int, inner: int) -> SharedLayout:
    """Groups of 8 rows of 16 bytes, side by side."""
    unit = 128 // bits
    outer = 1 - inner

    def at(dim: int, step: int) -> tuple[int, int]:
        return (step, 0) if dim == 0 else (0, step)

    def steps(dim: int, first: int, limit: int) -> list[tuple[int, int]]:
        return [
            at(dim, first << bit) for bit in range((limit // first).bit_length() - 1)
        ]

    return SharedLayout(
        shape,
        (
            *steps(inner, 1, unit),
            *steps(outer, 1, 8),
            *steps(outer, 8, shape[outer]),
            *steps(inner, unit, shape[inner]),
        ),
    )


@pytest.mark.parametrize("span", [0, 32, 64, 128])
@pytest.mark.parametrize("role", ["a", "b"])
@pytest.mark.parametrize("width", [64, 128, 256])
def test_every_swizzle_is_described_across_k(
    span: int, role: OperandRole, width: int
) -> None:
    shape, order = (width, 64), (0, 1)
    if role == "b":
        shape, order = shape[::-1], (1, 0)
    shared = (
        swizzled(shape, 16, order, span) if span else core_matrices(shape, 16, order[0])
    )
    found = describe(shared, 16, role, 64)
    assert isinstance(found, OperandDescriptor)
    assert found.is_transposed
    assert found.swizzle_bytes == span
    for count in (64, width):
        assert check(shared, 16, role, count)


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("role", ["a", "b"])
def test_the_preferred_buffer_is_described(bits: int, role: OperandRole) -> None:
    deep = 256 // bits
    for rows, pieces, along_k in itertools.product((8, 64, 256), (1, 2, 8), (0, 1)):
        shape = (rows, deep * pieces) if role == "a" else (deep * pieces, rows)
        k = 1 if role == "a" else 0
        contiguous = k if along_k else 1 - k
        if shape[contiguous] * bits < 128:
            continue
        shared = panel_buffer(shape, bits, contiguous)
        wanted = bool(along_k) or bits == 16
        assert check(shared, bits, role, min(rows, 64)) == wanted
        if wanted and along_k:
            found = describe(shared, bits, role, 8)
            assert isinstance(found, OperandDescriptor)
            assert found.swizzle_bytes == min(128, 32 * pieces)


def test_reasons_name_what_is_wrong() -> None:
    def reason(shared: SharedLayout, bits: int = 16) -> str:
        found = describe(shared, bits, "a", 64)
        assert isinstance(found, str)
        return found

    assert reason(row_major((1, 64, 64))) == "expected a matrix, got a buffer of rank 3"
    assert "at least 64 x 16 elements" in reason(row_major((32, 64)))
    assert "8 rows that lie 16 bytes apart" in reason(row_major((64, 128)))
    assert "contiguous along K" in reason(swizzled((64, 64), 32, (0, 1), 128), 32)


@given(st.data(), st.sampled_from([8, 16, 32]), st.sampled_from(["a", "b"]))
def test_any_buffer_is_read_right_or_refused(
    data: st.DataObject, bits: int, role: OperandRole
) -> None:
    deep = 256 // bits
    shape = (64, 2 * deep) if role == "a" else (2 * deep, 64)
    units = st.permutations(range(len(row_major(shape).offset)))
    if data.draw(st.booleans()):
        order = data.draw(units)
        plain = row_major(shape).offset
        shared = SharedLayout(shape, tuple(plain[i] for i in order))
    else:
        shared = data.draw(shared_layouts(shape))
    check(shared, bits, role, 64)


def test_layouts_of_tiles_are_linear_layouts() -> None:
    atom = wgmma_atom("m64n8k8")
    assert atom is not None
    assert isinstance(tile_wgmma((64, 8), (1, 1), "c", atom), LinearLayout)
