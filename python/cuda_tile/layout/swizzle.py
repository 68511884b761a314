# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses shared-memory layouts without bank conflicts.

`swizzled` gives the hardware's XOR swizzles, which TMA and wgmma support.
`choose_swizzle` takes the cheapest of these and of layouts that `_fitted` constructs
for the given store and load, counted in instructions and wavefronts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from cuda_tile.layout import f2
from cuda_tile.layout.coords import (
    Coord,
    LayoutError,
    check_shape,
    n_bits,
    pack,
    unit_steps,
    unpack,
)
from cuda_tile.layout.ldmatrix import ldmatrix_conflicts, match_ldmatrix
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.layout.shared import (
    BANK_BYTES,
    MAX_VECTOR_BITS,
    N_BANKS,
    SharedLayout,
    bank_conflicts,
    vector_width,
)

SWIZZLE_BYTES = (0, 32, 64, 128)
"""Widths of the hardware swizzles (PTX ISA, "Swizzling modes"); 0 is none."""

_UNIT_BYTES = 16
_LINE_BYTES = N_BANKS * BANK_BYTES


@lru_cache(maxsize=1024)
def swizzled(
    shape: tuple[int, ...],
    element_bits: int,
    order: tuple[int, ...],
    swizzle_bytes: int,
) -> SharedLayout:
    """Gives the layout of a hardware swizzle, or the plain one for 0 bytes.

    Rows run along the fastest dimension. They are cut into panels as wide as the
    swizzle; the panels are consecutive in memory. In a panel, the 16-byte units are
    permuted by XOR: address bits [4..6] ^= [7..9] for 128 bytes, [4..5] ^=
    [7..8] for 64, [4] ^= [7] for 32. Example: 64 x 128, 16 bits, order (1, 0), 128
    bytes: (0, 1) (0, 2) (0, 4) (0, 8) (0, 16) (0, 32), (1, 8) (2, 16) (4, 32), (8, 0)
    (16, 0) (32, 0), (0, 64).

    Args:
        shape: Extents in elements, powers of two.
        element_bits: Width of an element, 8 or more.
        order: Dimensions, fastest in memory first.
        swizzle_bytes: 0, 32, 64 or 128.

    Raises:
        LayoutError: The width is none of these, or a row is narrower than it.
    """
    rank = len(shape)
    check_shape(shape)
    if swizzle_bytes not in SWIZZLE_BYTES or sorted(order) != list(range(rank)):
        msg = f"expected a swizzle of {SWIZZLE_BYTES} bytes and an order of {rank} dims"
        raise LayoutError(msg + f", got {swizzle_bytes} and {order}")
    steps = [unit_steps(dim, 1, shape[dim], rank) for dim in order]
    flat = [step for dim_steps in steps for step in dim_steps]
    if swizzle_bytes == 0:
        return SharedLayout(shape, tuple(flat))
    if shape[order[0]] * element_bits < swizzle_bytes * 8:
        msg = f"expected rows of at least {swizzle_bytes} bytes"
        raise LayoutError(msg + f", got {shape[order[0]]} elements of {element_bits}b")
    panel = n_bits(swizzle_bytes * 8 // element_bits)
    unit = n_bits(_UNIT_BYTES * 8 // element_bits)
    rows = [step for dim_steps in steps[1:] for step in dim_steps]
    first = n_bits(_LINE_BYTES // swizzle_bytes)  # row bit at address bit 7
    for index in range(panel - unit):
        if first + index < len(rows):
            rows[first + index] = _xor(rows[first + index], flat[unit + index])
    columns = steps[0]
    return SharedLayout(shape, (*columns[:panel], *rows, *columns[panel:]))


def _xor(left: Coord, right: Coord) -> Coord:
    return tuple(a ^ b for a, b in zip(left, right, strict=True))


def common_complement(
    left: Sequence[int], right: Sequence[int], n_dims: int
) -> list[int]:
    """Gives a basis of a largest space that intersects neither of two spans.

    Any unit vectors outside their sum are suitable. Inside the sum, a vector of `left`
    plus one of `right` is in neither, so these are paired (linear layouts, "optimal
    swizzling").

    Args:
        left: Generators of one span, as bit masks.
        right: Generators of the other.
        n_dims: Bits of a vector.
    """
    shared = f2.intersection(left, right)
    only_left = f2.complete(shared, left)
    only_right = f2.complete(shared, right)
    outside = f2.complete((*left, *right), [1 << bit for bit in range(n_dims)])
    paired = [a ^ b for a, b in zip(only_left, only_right, strict=False)]
    return outside + paired


def _wavefront_lane_bits(access_bits: int) -> int:
    """Lane bits inside one wavefront: 32 lanes, fewer if each accesses over 4 bytes."""
    return N_LANE_BITS - max(0, n_bits(access_bits // (8 * BANK_BYTES)))


def _fitted(
    shape: tuple[int, ...],
    element_bits: int,
    sides: tuple[LinearLayout, LinearLayout],
    low: Sequence[int],
) -> SharedLayout:
    """Builds a layout that begins with the vector `low` and has no conflicts.

    Two lanes of a wavefront conflict if the difference of their elements has no bank
    bits but has bits above them, the *line* bits. So the line bits must span a space
    that does not intersect the space of the lanes and low bits of either side. The bank
    bits take the rest.
    """
    size = sum(n_bits(extent) for extent in shape)
    units = [1 << bit for bit in range(size)]
    word = n_bits(max(1, 8 * BANK_BYTES // element_bits))
    lanes = [side.columns[1] for side in sides]
    both = [lane for lane in lanes[0] if lane in lanes[1]]
    fill = f2.complete(low, (*both, *lanes[0], *lanes[1], *units))
    low = [*low, *fill[: max(0, word - len(low))]]
    spans: list[list[int]] = []
    for side, other in (sides, sides[::-1]):
        width = 0
        while width < len(low) and low[width] in side.columns[0]:
            width += 1
        lane_bits = _wavefront_lane_bits(element_bits << width)
        # A line bit combined with a bit of a vector permutes the vector. Only a
        # register bit may do that, so such bits come last on both sides, to be paired
        # last.
        chosen = sorted(side.columns[1][:lane_bits], key=other.columns[0].__contains__)
        spans.append([*chosen, *low[: max(width, word)]])
    n_line = max(0, size - n_bits(_LINE_BYTES * 8 // element_bits))
    free = common_complement(spans[0], spans[1], size)
    line = f2.complete(low, free)[:n_line]
    bank = f2.complete((*low, *line), (*lanes[0], *lanes[1], *units))
    offset = (*low, *bank, *line)
    return SharedLayout(shape, tuple(unpack(column, shape) for column in offset))


def _candidates(
    shape: tuple[int, ...],
    element_bits: int,
    src: LinearLayout | None,
    dst: LinearLayout,
) -> Iterator[SharedLayout]:
    dims = range(len(shape))
    for fastest in reversed(dims):
        order = (fastest, *(dim for dim in reversed(dims) if dim != fastest))
        for swizzle_bytes in SWIZZLE_BYTES:
            if shape[fastest] * element_bits >= swizzle_bytes * 8:
                yield swizzled(shape, element_bits, order, swizzle_bytes)
    reader = dst.extend(shape)
    sides = (src or reader, reader)
    registers = [f2.complete((), side.columns[0]) for side in sides]
    common = [column for column in registers[0] if column in registers[1]]
    most = n_bits(max(1, MAX_VECTOR_BITS // element_bits))
    chains: list[tuple[int, ...]] = [tuple(common[:most])]
    for mine in registers:
        rest = f2.complete(common, mine)
        chains.append(tuple([*common, *rest][:most]))
    for chain in dict.fromkeys(chains):
        yield _fitted(shape, element_bits, sides, chain)


def access_cost(dist: LinearLayout, shared: SharedLayout, element_bits: int) -> int:
    """Counts instructions plus wavefronts of one warp that moves the whole tile.

    Args:
        dist: The layout of the tile in registers.
        shared: The layout of the buffer, from offsets to coordinates.
        element_bits: Bits of an element.
    """
    vector = vector_width(dist, shared, element_bits)
    n_instructions = max(1, dist.n_registers // vector)
    least = max(1, vector * element_bits // (8 * BANK_BYTES))
    extra = bank_conflicts(dist, shared, element_bits, vector)
    return n_instructions * (1 + least + extra)


def _load_cost(
    dist: LinearLayout, shared: SharedLayout, element_bits: int, ldmatrix: bool | None
) -> int | None:
    """Cost of the load; None if `ldmatrix` is required but does not apply."""
    plain = access_cost(dist, shared, element_bits)
    match = None if ldmatrix is False else match_ldmatrix(shared, dist, element_bits)
    if match is None:
        return None if ldmatrix else plain
    extra = ldmatrix_conflicts(match, element_bits)
    by_matrix = len(match.groups) * (1 + match.count + extra)
    return by_matrix if ldmatrix else min(plain, by_matrix)


@lru_cache(maxsize=1024)
def choose_swizzle(
    shape: tuple[int, ...],
    element_bits: int,
    src: LinearLayout | None,
    dst: LinearLayout,
    *,
    ldmatrix: bool | None = None,
) -> SharedLayout:
    """Picks the buffer layout for a tile stored as `src` and loaded as `dst`.

    It minimises instructions and wavefronts of store and load. Among equal costs,
    hardware swizzles are preferred, the narrowest first; for 16-bit operands of MMA
    this is the 32, 64 or 128-byte swizzle that fits the row.

    Args:
        shape: Extents of the buffer in elements; `dst` may be a smaller slice.
        element_bits: Width of an element, 8 or more.
        src: Layout of the stored tile; None where a copy engine writes the buffer.
        dst: Layout of the loaded tile.
        ldmatrix: True allows only layouts that `ldmatrix` can load, False does not
            use it, None uses it if it is cheaper.

    Raises:
        LayoutError: `ldmatrix` is True and no layout allows it.
    """
    best: SharedLayout | None = None
    best_cost = 0
    for shared in _distinct(_candidates(shape, element_bits, src, dst)):
        load = _load_cost(dst, shared, element_bits, ldmatrix)
        if load is None:
            continue
        cost = load + (access_cost(src, shared, element_bits) if src else 0)
        if best is None or cost < best_cost:
            best, best_cost = shared, cost
    if best is None:
        msg = f"expected a tile that ldmatrix can load, got {dst}"
        raise LayoutError(msg)
    return best


@lru_cache(maxsize=256)
def choose_copied(
    shape: tuple[int, ...],
    element_bits: int,
    writer: LinearLayout,
    readers: tuple[LinearLayout, ...],
    unit: int,
    fastest: int,
) -> SharedLayout:
    """Picks the buffer layout for a tile that copies write and several tiles read.

    As `choose_swizzle`, among the layouts that keep each unit of a copy together.

    Args:
        shape: Extents of the buffer in elements.
        element_bits: Width of an element, 8 or more.
        writer: Which thread copies what.
        readers: Layouts in which the buffer is read.
        unit: Elements that one copy moves, neighbours along `fastest`.
        fastest: The dimension along which memory is contiguous.
    """
    steps = unit_steps(fastest, 1, unit, len(shape))
    low = [pack(step, shape) for step in steps]
    found = [
        shared
        for reader in readers
        for shared in (
            *_candidates(shape, element_bits, writer, reader),
            _fitted(shape, element_bits, (writer, reader.extend(shape)), low),
        )
        if list(shared.offset[: len(steps)]) == steps
    ]
    for reader in readers:
        rows = _matrix_rows(shape, element_bits, reader, unit, fastest)
        if rows is not None:
            found.append(_fitted(shape, element_bits, (writer, rows), low))

    def cost(shared: SharedLayout) -> int:
        loads = [_load_cost(reader, shared, element_bits, None) for reader in readers]
        return sum(n or 0 for n in loads) + access_cost(writer, shared, element_bits)

    return min(_distinct(found), key=cost)


def _matrix_rows(
    shape: tuple[int, ...],
    element_bits: int,
    reader: LinearLayout,
    unit: int,
    fastest: int,
) -> LinearLayout | None:
    """The rows that `ldmatrix` reads at a time, as a layout of lanes with whole units.

    None if `ldmatrix` does not apply, or if a unit is not a row of 16 bytes.
    """
    if unit * element_bits != 8 * _UNIT_BYTES:
        return None
    others = (d for d in reversed(range(len(shape))) if d != fastest)
    plain = swizzled(shape, element_bits, (fastest, *others), 0)
    match = match_ldmatrix(plain, reader, element_bits)
    if match is None:
        return None
    size = sum(n_bits(extent) for extent in shape)
    rest = [unpack(1 << bit, shape) for bit in range(size)]
    inner = unit_steps(fastest, 1, unit, len(shape))
    outer = [step for step in rest if step not in (*inner, *match.lane_coords)]
    return LinearLayout(shape, (*inner, *outer), match.lane_coords)


def _distinct(layouts: Iterable[SharedLayout]) -> Iterator[SharedLayout]:
    return iter(dict.fromkeys(layouts))


def row_major(shape: Sequence[int]) -> SharedLayout:
    """Gives the plain row-major layout."""
    size = sum(n_bits(extent) for extent in shape)
    return SharedLayout(
        tuple(shape), tuple(unpack(1 << bit, shape) for bit in range(size))
    )
