# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layout of a tile that threads move from one buffer to another.

They may convert its elements in between. If the two buffers are contiguous along
different dimensions, each thread holds a small rectangle, which it reads in one order
and writes in the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from cuda_tile.layout.coords import Coord, n_bits, unit_steps
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.layout.shared import MAX_VECTOR_BITS, SharedLayout
from cuda_tile.layout.swizzle import access_cost

Side = tuple[SharedLayout, int]
"""A buffer of a matrix, and the bits of its elements."""


@lru_cache(maxsize=256)
def choose_converting(source: Side, target: Side, n_warps: int) -> LinearLayout:
    """The layout in which reading and writing together cost least.

    Args:
        source: The buffer to read.
        target: The buffer to write, of the same shape.
        n_warps: Warps that share the work, a power of two.
    """
    shape = source[0].shape
    return min(
        _candidates(shape, _vector(source), _vector(target), n_warps),
        key=lambda tile: sum(access_cost(tile, *side) for side in (source, target)),
    )


@lru_cache(maxsize=256)
def choose_computing(
    source: Side, target: Side, n_warps: int, factors: int
) -> LinearLayout:
    """The layout for reading the source from which an operand is computed.

    The cost counts three things: reading the source, storing the operand, and reading
    values that hold for a whole column, once for each column that a thread has.

    Args:
        source: The buffer to read.
        target: The buffer to write. If it has more rows or columns than the source, one
            source element gives several neighbours, such as a byte of two numbers.
        n_warps: Warps that share the work, a power of two.
        factors: Bytes of scale factors and the like per column of the target.
    """
    shape, (near, reach) = source[0].shape, _vector(source)
    held = sum(map(n_bits, shape)) - N_LANE_BITS - n_bits(n_warps)
    most = max(0, min(held, n_bits(shape[near])))
    lengths = dict.fromkeys(min(most, n) for n in (reach, _vector(target)[1]))

    def cost(tile: LinearLayout) -> int:
        whole = _repeated(tile, target[0].shape)
        columns = len({coord[near] for coord in whole.register} - {0})
        reads = -(-(factors << columns) // (MAX_VECTOR_BITS // 8))
        clocks = access_cost(tile, *source) + access_cost(whole, *target)
        return clocks + reads * (1 + MAX_VECTOR_BITS // 32)

    return min(
        (
            _layout(shape, near, bits, order, n_warps, is_apart=is_apart)
            for length in lengths
            for bits in [(length, 0) if near == 0 else (0, length)]
            for order in _one_step(near)
            for is_apart in (False, True)
        ),
        key=cost,
    )


def _one_step(near: int) -> Iterator[tuple[int, ...]]:
    """Orders of lanes that lie below each other, except for one bit at most."""
    below = (1 - near,) * N_LANE_BITS
    yield below
    for bit in range(N_LANE_BITS):
        yield (*below[:bit], near, *below[bit + 1 :])


def _repeated(tile: LinearLayout, shape: tuple[int, ...]) -> LinearLayout:
    """Repeats each element of a layout as neighbours, up to a shape."""
    times = [whole // part for whole, part in zip(shape, tile.shape, strict=True)]
    more = [step for d in (0, 1) for step in unit_steps(d, 1, times[d], 2)]

    def moved(coords: tuple[Coord, ...]) -> tuple[Coord, ...]:
        return tuple((x * times[0], y * times[1]) for x, y in coords)

    register = (*more, *moved(tile.register))
    return LinearLayout(shape, register, moved(tile.lane), moved(tile.warp))


def _vector(side: Side) -> tuple[int, int]:
    """The dimension along which a buffer is contiguous, and an access's length."""
    shared, bits = side
    first = shared.offset[0]
    dim = next(d for d, step in enumerate(first) if step)
    return dim, n_bits(MAX_VECTOR_BITS // bits)


def _candidates(
    shape: tuple[int, ...],
    read: tuple[int, int],
    written: tuple[int, int],
    n_warps: int,
) -> Iterator[LinearLayout]:
    """Rectangles of a thread, with lanes side by side in every order."""
    sizes = [n_bits(extent) for extent in shape]
    per_thread = max(0, sum(sizes) - N_LANE_BITS - n_bits(n_warps))
    for bits in _rectangles(read, written, per_thread, sizes):
        for order in product((0, 1), repeat=N_LANE_BITS):
            yield _layout(shape, read[0], bits, order, n_warps)


def _rectangles(
    read: tuple[int, int], written: tuple[int, int], most: int, sizes: list[int]
) -> Iterator[tuple[int, int]]:
    """The useful sizes of a thread's rectangle, as bits along each dimension."""
    one, other = read[0], written[0]
    if one == other:
        length = min(max(read[1], written[1]), most, sizes[one])
        yield (length, 0) if one == 0 else (0, length)
        return
    for length in range(min(read[1], most, sizes[one]) + 1):
        width = min(written[1], most - length, sizes[other])
        if width == written[1] or length + width == most:
            yield (length, width) if one == 0 else (width, length)


def _layout(
    shape: tuple[int, ...],
    near: int,
    rectangle: tuple[int, int],
    order: tuple[int, ...],
    n_warps: int,
    *,
    is_apart: bool = False,
) -> LinearLayout:
    """Registers of the rectangle first, lanes in an order, warps and the rest.

    If `is_apart`, lanes get the lines 2 and 4 before line 1.
    """
    steps = [unit_steps(d, 1, shape[d], 2) for d in (0, 1)]
    register = [step for d in (near, 1 - near) for step in steps[d][: rectangle[d]]]
    left = [steps[d][rectangle[d] :] for d in (0, 1)]
    if is_apart:
        other = left[1 - near]
        left[1 - near] = [*other[1:3], *other[:1], *other[3:]]
    lane: list[Coord] = []
    for wanted in order:
        dim = wanted if left[wanted] else 1 - wanted
        lane.append(left[dim].pop(0) if left[dim] else (0, 0))
    # Consecutive rows are a constant apart, also in swizzles. A value of a column, such
    # as a scale factor, serves all rows of a thread.
    rest = [*left[1 - near], *left[near]]
    count = n_bits(n_warps)
    warp = [*rest[len(rest) - min(count, len(rest)) :]]
    register += rest[: len(rest) - len(warp)]
    warp += [(0, 0)] * (count - len(warp))
    return LinearLayout(shape, tuple(register), tuple(lane), tuple(warp))
