# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hypothesis strategies for layouts, and the brute-force view of one."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from cuda_tile.layout.coords import Coord, unpack
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout

Place = tuple[int, int, int, int]


def table(layout: LinearLayout) -> dict[Place, Coord]:
    """Lists the coordinate of every (register, lane, warp, block), by apply."""
    registers, lanes, warps, blocks = (range(1 << len(group)) for group in layout.bases)
    return {
        place: layout.apply(*place)
        for place in itertools.product(registers, lanes, warps, blocks)
    }


@st.composite
def shapes(draw: st.DrawFn, max_bits: int = 7) -> tuple[int, ...]:
    """Draws extents of up to three dimensions with `max_bits` bits in all."""
    bits = draw(st.lists(st.integers(0, max_bits), min_size=0, max_size=3))
    left = max_bits
    extents: list[int] = []
    for count in bits:
        extents.append(1 << min(count, left))
        left -= min(count, left)
    return tuple(extents)


def _mixed_units(draw: st.DrawFn, n_bits: int) -> list[int]:
    """Draws a basis of all vectors of `n_bits` bits: units, some of them added."""
    units = [1 << bit for bit in range(n_bits)]
    if n_bits > 1 and draw(st.booleans()):
        pairs = st.tuples(st.integers(0, n_bits - 1), st.integers(0, n_bits - 1))
        for to, other in draw(st.lists(pairs, max_size=12)):
            if to != other:
                units[to] ^= units[other]
    return draw(st.permutations(units))


@st.composite
def layouts(
    draw: st.DrawFn,
    shape: tuple[int, ...] | None = None,
    n_warp_bits: int | None = None,
    n_block_bits: int = 0,
) -> LinearLayout:
    """Draws a surjective layout; surplus bits are zero or arbitrary bases."""
    if shape is None:
        shape = draw(shapes())
    if n_warp_bits is None:
        n_warp_bits = draw(st.integers(0, 2))
    size = sum(extent.bit_length() - 1 for extent in shape)
    columns = _mixed_units(draw, size)
    n_threads = 5 + n_warp_bits + n_block_bits
    n_registers = draw(st.integers(max(0, size - n_threads), max(1, size)))
    surplus = n_registers + n_threads - size
    extra = st.one_of(st.just(0), st.integers(0, (1 << size) - 1))
    columns += draw(st.lists(extra, min_size=surplus, max_size=surplus))
    columns = draw(st.permutations(columns))
    bases = [unpack(column, shape) for column in columns]
    ends = [n_registers, 5, n_warp_bits, n_block_bits]
    groups: list[tuple[Coord, ...]] = []
    for count in ends:
        groups.append(tuple(bases[:count]))
        bases = bases[count:]
    return LinearLayout(shape, *groups)


@st.composite
def shared_layouts(
    draw: st.DrawFn, shape: tuple[int, ...] | None = None
) -> SharedLayout:
    """Draws a shared-memory layout."""
    if shape is None:
        shape = draw(shapes())
    size = sum(extent.bit_length() - 1 for extent in shape)
    columns = _mixed_units(draw, size)
    return SharedLayout(shape, tuple(unpack(column, shape) for column in columns))
