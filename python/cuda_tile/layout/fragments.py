# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts required by matrix instructions and by coalesced accesses."""

from __future__ import annotations

from functools import lru_cache

from cuda_tile.layout import f2
from cuda_tile.layout.atoms import MmaAtom, Role
from cuda_tile.layout.coords import (
    Coord,
    LayoutError,
    check_shape,
    n_bits,
    unit_steps,
    unpack,
)
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.layout.shared import sum_of_bits


def crop(atom: LinearLayout, extents: tuple[int, int]) -> LinearLayout:
    """Gives the fragment of an atom for a matrix that is smaller than it.

    Places beyond the matrix repeat elements inside it: their lane bits get zero bases,
    and their register bits are left out.

    Args:
        atom: The fragment.
        extents: Rows and columns of the matrix.
    """
    limits = (*extents,)

    def inside(basis: Coord) -> bool:
        return all(n < limit for n, limit in zip(basis, limits, strict=True))

    shape = tuple(map(min, atom.shape, extents))
    return LinearLayout(
        shape,
        tuple(basis for basis in atom.register if inside(basis)),
        tuple(basis if inside(basis) else (0, 0) for basis in atom.lane),
    )


@lru_cache(maxsize=1024)
def tile_mma(
    shape: tuple[int, ...],
    warps: tuple[int, ...],
    role: Role,
    mma: MmaAtom,
) -> LinearLayout:
    """Tiles an operand of a matrix product with fragments, over `warps`.

    The M x N result is cut into `warps[0]` x `warps[1]` rectangles, one per warp
    (warps along M count fastest), the batch into `warps[2]` parts if that is given.
    An operand is held by all warps of the row or the column that needs it: their bits
    along the other axis have zero bases. Where a dimension has fewer atoms than warps,
    the remaining warps compute copies; where it is smaller than an atom, the remaining
    lanes hold copies, see `crop`.

    In each warp the registers count the atom's own elements first, then the atoms
    along the last dimension, along the one before, and along leading (batch)
    dimensions. Example: a 32 x 16 result over (2, 1) warps has registers
    (0, 1) (8, 0) (0, 8) and warp basis (16, 0).

    Args:
        shape: Extents of the operand: M x K, K x N, M x N, or M x S or S x N of scale
            factors, batch dims in front.
        warps: Number of warps along M, N and, if given, the first dimension of the
            batch, powers of two.
        role: Which operand.
        mma: Which instruction.

    Raises:
        LayoutError: `shape` is no matrix.
    """
    rank = len(shape)
    if rank < 2:
        msg = f"expected a matrix or a batch of them for operand {role} of {mma.name}"
        raise LayoutError(f"{msg}, got {shape}")
    check_shape(warps)
    fragment = crop(mma.fragment(role), (shape[-2], shape[-1]))
    inner = fragment.reshape((1,) * (rank - 2) + fragment.shape)
    zero = (0,) * rank
    warp: list[Coord] = []
    per_warp = list(shape)
    divided = [("a", rank - 2), ("b", rank - 1), ("batch", 0)]
    for (axis, dim), count in zip(divided, warps, strict=False):
        bases: list[Coord] = []
        if axis == "batch" and rank > 2:
            per_warp[dim] = max(shape[dim] // count, 1)
            bases = unit_steps(dim, per_warp[dim], shape[dim], rank)
        elif role in (axis, f"s{axis}", "c") and axis != "batch":
            per_warp[dim] = max(shape[dim] // count, fragment.shape[dim - rank])
            bases = unit_steps(dim, per_warp[dim], shape[dim], rank)
        warp += bases + [zero] * (n_bits(count) - len(bases))
    register: list[Coord] = []
    for dim in reversed(range(rank)):
        register += unit_steps(dim, inner.shape[dim], per_warp[dim], rank)
    return inner.extend(shape, register=register, warp=warp)


@lru_cache(maxsize=1024)
def atom_registers(
    layout: LinearLayout, atom: LinearLayout, padded: int | None = None
) -> dict[Coord, tuple[int | None, ...]]:
    """Divides a layout by an atom: which registers make up each atom of a warp.

    Returns, per origin of an atom relative to the warp's first one (in the order of
    the registers), the layout's register for each register of the atom.
    Example: `tile_mma((32, 16), (2, 1), "c", M16N8K16)` by `M16N8K16.c` gives
    {(0, 0): (0, 1, 2, 3), (0, 8): (4, 5, 6, 7)}.

    If the tile is smaller than the atom, a register beyond the tile is that of the
    element which it repeats, or None if it is beyond the tile along dimension `padded`.

    Args:
        layout: The layout of a tile.
        atom: The layout of an atom.
        padded: The dimension along which elements beyond the tile are None.

    Raises:
        LayoutError: The layout is not made of such atoms.
    """
    lead = (0,) * (layout.rank - atom.rank)
    cropped = crop(atom, (layout.shape[-2], layout.shape[-1]))
    inner_bases = [(*lead, *basis) for basis in cropped.register]
    lane = tuple((*lead, *basis) for basis in cropped.lane)
    if layout.lane != lane or not set(inner_bases) <= set(layout.register):
        msg = f"expected a layout made of atoms {atom}, got {layout}"
        raise LayoutError(msg)
    bits = [layout.register.index(basis) for basis in inner_bases]
    # For each register of the atom, the register bits of the layout that it sets.
    inner: list[int | None] = [0]
    for basis in atom.register:
        place = (*lead, *basis)
        if place in inner_bases:
            bit = 1 << bits[inner_bases.index(place)]
            inner += [n if n is None else n | bit for n in inner]
        elif padded is not None and basis[padded]:
            inner += [None] * len(inner)
        else:
            inner += inner
    outer = [bit for bit in range(len(layout.register)) if bit not in bits]
    result: dict[Coord, tuple[int | None, ...]] = {}
    for index in range(1 << len(outer)):
        first = sum_of_bits(index, outer)
        origin = unpack(f2.apply(layout.columns[0], first), layout.shape)
        result[origin] = tuple(n if n is None else first | n for n in inner)
    return result


def padded_lanes(atom: LinearLayout, dim: int, extent: int) -> int:
    """Mask of the lane bits that reach beyond `extent` along a dimension of an atom.

    Args:
        atom: The fragment.
        dim: The dimension, from 0.
        extent: The extent of the matrix.
    """
    return sum(1 << bit for bit, basis in enumerate(atom.lane) if basis[dim] >= extent)


@lru_cache(maxsize=1024)
def coalesced(
    shape: tuple[int, ...],
    order: tuple[int, ...],
    vector: int,
    n_warps: int,
    n_blocks: int = 1,
) -> LinearLayout:
    """Distributes a tile so that adjacent lanes access adjacent memory.

    The first register bits take the first `vector` elements in `order`; then lanes,
    then warps take the next ones, then registers the rest. If
    the tile is too small for all threads, the remaining bases are zero: those threads
    hold copies. The CTAs of a cluster divide the last bits in `order`, whatever the
    vector, so that tiles of one shape are divided alike. If a tile is too small for the
    threads of all CTAs, each CTA holds all of it.
    Example: (64, 64), order (1, 0), vector 8, 4 warps: registers (0, 1) (0, 2)
    (0, 4), lanes (0, 8) (0, 16) (0, 32) (1, 0) (2, 0), warps (4, 0) (8, 0),
    registers (16, 0) (32, 0).

    Args:
        shape: Extents in elements, powers of two.
        order: Dimensions, fastest in memory first.
        vector: Elements per vector, a power of two; at most all are used.
        n_warps: Number of warps, a power of two.
        n_blocks: Number of CTAs, a power of two.

    Raises:
        LayoutError: `order` is no order of the dimensions, or a number is no power of
            two.
    """
    rank = len(shape)
    check_shape((*shape, vector, n_warps, n_blocks))
    if sorted(order) != list(range(rank)):
        msg = f"expected an order of {rank} dims, got {order}"
        raise LayoutError(msg)
    steps = [step for dim in order for step in unit_steps(dim, 1, shape[dim], rank)]
    block = [(0,) * rank] * n_bits(n_blocks)
    if n_blocks > 1 and len(steps) >= N_LANE_BITS + n_bits(n_warps * n_blocks):
        steps, block = steps[: -len(block)], steps[-len(block) :]
    n_vector = min(n_bits(vector), len(steps))
    lane_end = n_vector + N_LANE_BITS
    warp_end = lane_end + n_bits(n_warps)
    zeros = [(0,) * rank] * (N_LANE_BITS + n_bits(n_warps))
    return LinearLayout(
        shape,
        register=(*steps[:n_vector], *steps[warp_end:]),
        lane=tuple((steps[n_vector:] + zeros)[:N_LANE_BITS]),
        warp=tuple((steps[lane_end:] + zeros)[: n_bits(n_warps)]),
        block=tuple(block),
    )
