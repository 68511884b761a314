# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coordinates in tensors whose extents are powers of two, and checks on them.

A coordinate is a vector over F2: the concatenated bits of its dimensions are the bits
of the row-major element number. `pack` and `unpack` convert between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cuda_tile.errors import InternalError

Coord = tuple[int, ...]
"""One coordinate per tensor dimension, dimension 0 first."""

Groups = list[list[list[tuple[int, int]]]]
"""Parameter of `#cute.layout`: groups of bases of (stride, dim) terms."""


class LayoutError(InternalError):
    """A layout that breaks an invariant, or an operation it does not allow."""


def check_shape(shape: Sequence[int]) -> None:
    """Raises `LayoutError` unless every extent is a power of two.

    Raises:
        LayoutError: An extent is no power of two.
    """
    for dim, extent in enumerate(shape):
        if extent < 1 or extent & (extent - 1):
            msg = f"expected extents that are powers of two, got {extent} in dim {dim}"
            raise LayoutError(msg)


def check_bases(shape: Sequence[int], bases: Iterable[Coord], axis: str) -> None:
    """Raises `LayoutError` unless every basis is a coordinate inside `shape`.

    Args:
        shape: The extents.
        bases: The coordinates.
        axis: The name of the axis, for the message.

    Raises:
        LayoutError: A basis is no coordinate inside the shape.
    """
    for bit, basis in enumerate(bases):
        if len(basis) != len(shape):
            msg = f"expected {len(shape)} coordinates in {axis} basis {bit}, "
            raise LayoutError(msg + f"got {basis}")
        for dim, (coordinate, extent) in enumerate(zip(basis, shape, strict=True)):
            if not 0 <= coordinate < extent:
                msg = f"expected {axis} basis {bit} below extent {extent} in dim {dim}"
                raise LayoutError(msg + f", got {coordinate}")


def pack(coord: Sequence[int], shape: Sequence[int]) -> int:
    """Gives the row-major element number of a coordinate.

    As the extents are powers of two, this concatenates the bits of all dimensions and
    so commutes with XOR: it turns coordinates into vectors over F2.

    Args:
        coord: The coordinate.
        shape: The extents, powers of two.
    """
    number = 0
    for coordinate, extent in zip(coord, shape, strict=True):
        number = number * extent + coordinate
    return number


def unpack(number: int, shape: Sequence[int]) -> Coord:
    """Gives the coordinate of a row-major element number; inverse of `pack`.

    Args:
        number: The element number.
        shape: The extents, powers of two.
    """
    coord: list[int] = []
    for extent in reversed(shape):
        coord.append(number % extent)
        number //= extent
    return tuple(reversed(coord))


def n_bits(extent: int) -> int:
    """Gives the base-2 logarithm of an extent that is a power of two."""
    return extent.bit_length() - 1


def unit_steps(dim: int, first: int, limit: int, rank: int) -> list[Coord]:
    """The steps along one dimension that double.

    Args:
        dim: The dimension.
        first: The first step, a power of two.
        limit: The power of two below which the steps are.
        rank: Dimensions of the coordinates.
    """
    sizes = (1 << bit for bit in range(n_bits(first), n_bits(limit)))
    return [tuple(size * (d == dim) for d in range(rank)) for size in sizes]


def terms(basis: Coord) -> list[tuple[int, int]]:
    """Gives a basis as the (stride, dim) terms of `#cute.layout`; zero is []."""
    return [(stride, dim) for dim, stride in enumerate(basis) if stride]


def coord_of_terms(basis: Iterable[tuple[int, int]], rank: int) -> Coord:
    """Gives the coordinate of (stride, dim) terms; inverse of `terms`.

    Args:
        basis: The terms.
        rank: The number of dimensions.

    Raises:
        LayoutError: A term names a dimension that does not exist.
    """
    coord = [0] * rank
    for stride, dim in basis:
        if not 0 <= dim < rank:
            msg = f"expected a dimension below rank {rank}, got {stride}@{dim}"
            raise LayoutError(msg)
        coord[dim] ^= stride
    return tuple(coord)
