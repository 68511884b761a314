# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Maps from elements of an op's result to elements of its operand, bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from cuda_tile.checkers.terms import Columns
from cuda_tile.layout.coords import Coord, n_bits, pack, unpack
from cuda_tile.layout.shared import SharedLayout

Shape = Sequence[int]


def asking(
    shape: Shape, source: Shape, of: Callable[[Coord], Sequence[int]]
) -> Columns:
    """The map of an op that takes elements of a tile.

    Args:
        shape: The extents of the result.
        source: The extents of the tile.
        of: Maps a coordinate of the result to one of the tile; linear.
    """
    bits = n_bits(prod(shape))
    return tuple([pack(of(unpack(1 << bit, shape)), source) for bit in range(bits)])


def permuting(shape: Shape, source: Shape, order: Shape) -> Columns:
    """The map of a permutation; `order` has the source of each dimension."""

    def of(at: Coord) -> list[int]:
        found = [0] * len(at)
        for place, dim in enumerate(order):
            found[dim] = at[place]
        return found

    return asking(shape, source, of)


def repeating(shape: Shape, source: Shape) -> Columns:
    """The map of a result that repeats the source where it is larger."""
    pairs = range(len(shape))
    return asking(shape, source, lambda at: [at[d] % source[d] for d in pairs])


def beginning(shape: Shape, source: Shape, start: Shape) -> tuple[Columns, int]:
    """The map of a result that is the part of the source from `start` on."""
    return asking(shape, source, lambda at: at), pack(start, source)


def renaming(shared: SharedLayout, source: SharedLayout) -> Columns:
    """The map between two views of the same bytes: the element at each offset stays."""
    return asking(
        shared.shape,
        source.shape,
        lambda at: source.apply(shared.offset_of(at)),
    )


def sharing(shape: Shape, dim: int, count: int) -> tuple[Columns, Columns]:
    """The maps from elements to their items along a dimension, and to their parts.

    Args:
        shape: The extents of the elements.
        dim: The dimension.
        count: Elements of an item.
    """
    items = [n // count if d == dim else n for d, n in enumerate(shape)]

    def item(at: Coord) -> list[int]:
        return [x // count if d == dim else x for d, x in enumerate(at)]

    part = asking(shape, [count], lambda at: [at[dim] % count])
    return asking(shape, items, item), part


def reducing(source: Shape, dim: int) -> Columns:
    """The map that puts the bits of a reduced dimension behind the others."""
    left = [*source[:dim], *source[dim + 1 :]]
    kept = asking(left, source, lambda at: (*at[:dim], 0, *at[dim:]))
    step = prod(source[dim + 1 :])
    return kept + tuple(step << bit for bit in range(n_bits(source[dim])))


def multiplying(shape: Shape, factor: Shape, depth: int, *, is_left: bool) -> Columns:
    """The map from a product's element and a step along K to a factor's element.

    Args:
        shape: The extents of the product: a batch, rows, columns.
        factor: The extents of the factor, or of its scales, which are fewer along K.
        depth: The extent of K.
        is_left: Whether the factor has rows and K; otherwise it has K and columns.
    """

    def of(at: Coord) -> Coord:
        *batch, row, column = at
        return (*batch, row, 0) if is_left else (*batch, 0, column)

    own = factor[-1] if is_left else factor[-2]
    step = 1 if is_left else factor[-1]
    steps = [(1 << bit) * own // depth * step for bit in range(n_bits(depth))]
    return asking(shape, factor, of) + tuple(steps)
