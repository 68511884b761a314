# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared-memory layouts, and accesses from distributed layouts to them.

A `SharedLayout` maps the bits of an element offset in one buffer to tensor
coordinates, one to one. Composed with a `LinearLayout`, it gives for each
(register, lane, warp, block) bit its XOR to the offset. Address computation, vector
widths and bank conflicts depend on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

from cuda_tile.layout import f2
from cuda_tile.layout.coords import (
    Coord,
    Groups,
    LayoutError,
    check_bases,
    check_shape,
    coord_of_terms,
    n_bits,
    pack,
    terms,
    unpack,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.pictured import Pictured
from cuda_tile.records import dataclass

MAX_VECTOR_BITS = 128
"""Widest shared-memory access of one thread (PTX ISA, "ld", vectors .v4.b32)."""

N_BANKS = 32
BANK_BYTES = 4
"""32 banks of 4 bytes (CUDA C++ Best Practices Guide, "Shared Memory")."""


@dataclass(frozen=True)
class SharedLayout(Pictured):
    """Offset of each element of a tile in its shared-memory buffer.

    Example, 4 rows of 4 elements whose odd rows swap their halves:
    `shape=(4, 4)`, `offset=((0, 1), (0, 2), (1, 2), (2, 0))`; offset 5 holds
    (0, 1) ^ (1, 2) = (1, 3).

    Attributes:
        shape: Extents of the tensor dimensions in elements, powers of two.
        offset: Basis of each bit of the element offset, low bit first.
        block: Basis of each bit of the number of a CTA, where the buffers of several
            hold the elements together: bits of the offset above those of a CTA's own.

    Raises:
        LayoutError: As for `LinearLayout`, or if the bases are not one to one.
    """

    shape: tuple[int, ...]
    offset: tuple[Coord, ...]
    block: tuple[Coord, ...] = ()

    def __post_init__(self) -> None:
        check_shape(self.shape)
        check_bases(self.shape, self._bases, "offset")
        columns = [pack(basis, self.shape) for basis in self._bases]
        expected = sum(n_bits(extent) for extent in self.shape)
        if len(columns) != expected or f2.rank(columns) != expected:
            msg = f"expected {expected} independent offset bases, got {self._bases}"
            raise LayoutError(msg)

    @property
    def _bases(self) -> tuple[Coord, ...]:
        return self.offset + self.block

    @classmethod
    def from_groups(
        cls, shape: Sequence[int], groups: Sequence[Sequence[Sequence[tuple[int, int]]]]
    ) -> SharedLayout:
        """Builds a layout of the groups of a `#cute.layout` attribute.

        Args:
            shape: Extents of the buffer.
            groups: Per group the terms (step, dimension) of each basis: offset, and
                block where there are several CTAs.

        Raises:
            LayoutError: There are more than two groups, or none.
        """
        if not 1 <= len(groups) <= 2:
            msg = f"expected 1 or 2 groups of offset bases, got {len(groups)}"
            raise LayoutError(msg)
        made = (
            tuple(coord_of_terms(basis, len(shape)) for basis in group)
            for group in groups
        )
        return cls(tuple(shape), *made)

    def groups(self) -> Groups:
        """Gives the groups of the `#cute.layout` attribute, flat for one CTA."""
        groups = (self.offset, self.block) if self.block else (self.offset,)
        return [[terms(basis) for basis in group] for group in groups]

    @cached_property
    def own(self) -> SharedLayout:
        """The layout of what one CTA holds, as a tile of its own.

        Raises:
            LayoutError: CTAs do not share out a dimension by its highest bits.
        """
        if not self.block:
            return self
        shape = list(self.shape)
        for basis in reversed(self.block):
            (dim,) = (d for d, step in enumerate(basis) if step)
            if basis[dim] * 2 != shape[dim]:
                msg = f"expected CTAs to hold whole parts of {self.shape}, got {basis}"
                raise LayoutError(msg)
            shape[dim] //= 2
        return SharedLayout(tuple(shape), self.offset)

    def beside_peer(self, dim: int) -> SharedLayout:
        """Gives the layout of twice as much, of which a CTA and its peer hold half.

        Args:
            dim: The dimension that they share out.
        """
        double = (n * 2 if d == dim else n for d, n in enumerate(self.shape))
        half = (n if d == dim else 0 for d, n in enumerate(self.shape))
        return SharedLayout(tuple(double), self.offset, (tuple(half),))

    def apply(self, offset: int) -> Coord:
        """Gives the coordinate at an element offset.

        Raises:
            LayoutError: The offset lies outside the buffer.
        """
        if offset >> len(self._bases):
            msg = f"expected an offset below {1 << len(self._bases)}, got {offset}"
            raise LayoutError(msg)
        columns = [pack(basis, self.shape) for basis in self._bases]
        return unpack(f2.apply(columns, offset), self.shape)

    @cached_property
    def _inverse(self) -> tuple[int, ...]:
        return f2.invert([pack(basis, self.shape) for basis in self._bases])

    def invert(self) -> tuple[tuple[int, ...], ...]:
        """Gives, per dimension and bit (low first), its XOR to the element offset."""
        columns: list[tuple[int, ...]] = []
        low = len(self._inverse)
        for extent in self.shape:
            high, low = low, low - n_bits(extent)
            columns.append(self._inverse[low:high])
        return tuple(columns)

    def column(self, dim: int, bit: int) -> int:
        """Gives the XOR of bit `bit` of dimension `dim` to the offset.

        Args:
            dim: The dimension, from 0.
            bit: The bit of the coordinate, 0 for the lowest.
        """
        return self.invert()[dim][bit]

    def offset_of(self, coord: Sequence[int]) -> int:
        """Gives the element offset of a coordinate.

        Raises:
            LayoutError: The coordinate has another rank, or lies outside the shape.
        """
        check_bases(self.shape, [tuple(coord)], "coordinate")
        return f2.apply(self._inverse, pack(coord, self.shape))

    def permute(self, perm: Sequence[int]) -> SharedLayout:
        """Gives the layout of the bytes as a transposed tile: dim i is our perm[i]."""
        return SharedLayout(
            tuple(self.shape[dim] for dim in perm),
            tuple(tuple(basis[dim] for dim in perm) for basis in self.offset),
            tuple(tuple(basis[dim] for dim in perm) for basis in self.block),
        )

    def finer(self, count: int) -> SharedLayout:
        """Gives the layout of the buffer in which `count` parts replace each element.

        The buffer has rank 1, as for `LinearLayout.finer`. Offsets then count parts.
        """
        inner = tuple((1 << bit,) for bit in range(n_bits(count)))
        outer = tuple((basis * count,) for (basis,) in self.offset)
        return SharedLayout((self.shape[0] * count,), (*inner, *outer))

    def coarser(self, dim: int) -> SharedLayout | None:
        """Gives the layout in which two neighbours along a dimension are one element.

        None unless the two lie side by side, the even one first.
        """
        pair = tuple(int(d == dim) for d in range(len(self.shape)))
        first, others = self.offset[:1], self.offset[1:]
        if first != (pair,) or any(basis[dim] % 2 for basis in others):
            return None
        shape = tuple(n // 2 if d == dim else n for d, n in enumerate(self.shape))
        halved = (
            tuple(x // 2 if d == dim else x for d, x in enumerate(basis))
            for basis in others
        )
        return SharedLayout(shape, tuple(halved))

    def reshape(self, shape: Sequence[int]) -> SharedLayout:
        """Gives the layout of the same bytes after a row-major reshape."""
        groups = (
            tuple(unpack(pack(basis, self.shape), shape) for basis in group)
            for group in (self.offset, self.block)
        )
        return SharedLayout(tuple(shape), *groups)


@dataclass(frozen=True)
class OffsetColumns:
    """XOR of each input bit of a distributed layout to an element offset.

    `origin` has the bits that select a slice of the buffer: the coordinate bits above
    the extents of a tile that is smaller than the buffer.
    """

    register: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]
    block: tuple[int, ...]
    origin: tuple[int, ...] = ()

    @property
    def thread_mask(self) -> int:
        """Offset bits that depend on the thread.

        A constant outside this mask may be *added* to the thread's offset (an
        immediate of the instruction); inside it, it must be XORed.
        """
        mask = 0
        for column in (*self.lane, *self.warp, *self.block):
            mask |= column
        return mask


@lru_cache(maxsize=4096)
def offset_columns(dist: LinearLayout, shared: SharedLayout) -> OffsetColumns:
    """Composes a distributed layout with the inverse of a shared one.

    The tile may be smaller than the buffer (a slice): offsets are then relative to
    the slice's origin, which must be a multiple of the tile's extents, and the
    origin's own offset is XORed in.

    Args:
        dist: The layout of the tile in registers.
        shared: The layout of the buffer, from offsets to coordinates.

    Raises:
        LayoutError: The ranks differ, or the tile is larger than the buffer.
    """
    if len(dist.shape) != len(shared.shape) or any(
        tile > buffer for tile, buffer in zip(dist.shape, shared.shape, strict=True)
    ):
        msg = f"expected a tile inside a buffer of {shared.shape}, got {dist.shape}"
        raise LayoutError(msg)
    register, lane, warp, block = (
        tuple(shared.offset_of(basis) for basis in group) for group in dist.bases
    )
    origin = tuple(
        column
        for extent, columns in zip(dist.shape, shared.invert(), strict=True)
        for column in columns[n_bits(extent) :]
    )
    return OffsetColumns(register, lane, warp, block, origin)


@dataclass(frozen=True)
class SharedAccess:
    """How the threads of a CTA load or store a whole tile, vector by vector.

    Units: element offsets in the buffer. The offset of vector i for a thread is the
    XOR of `offsets[i]` and the `columns.lane`, `.warp`, `.block` of its set bits.

    Attributes:
        vector: Elements per vector.
        columns: XOR of each bit of the thread's indices.
        offsets: One constant per vector.
        registers: For each vector its registers, in the order of their offsets.
    """

    vector: int
    columns: OffsetColumns
    offsets: tuple[int, ...]
    registers: tuple[tuple[int, ...], ...]


def _vector_register_bits(columns: OffsetColumns, element_bits: int) -> list[int]:
    """Register bits whose offsets are 1, 2, 4, ..., up to the widest vector."""
    chosen: list[int] = []
    others = (*columns.lane, *columns.warp, *columns.block, *columns.origin)
    while element_bits << len(chosen) < MAX_VECTOR_BITS:
        step = 1 << len(chosen)
        # A vector starts at a multiple of its size. Other register bits may XOR into
        # the vector, since this only reorders its registers; thread bits may not.
        if step not in columns.register or any(column & step for column in others):
            break
        chosen.append(columns.register.index(step))
    return chosen


@lru_cache(maxsize=4096)
def vector_width(dist: LinearLayout, shared: SharedLayout, element_bits: int) -> int:
    """Gives the number of elements of one access, at most 128 bits in total.

    The elements of a vector have consecutive, aligned offsets; `shared_access` gives
    their registers.

    Args:
        dist: The layout of the tile in registers.
        shared: The layout of the buffer, from offsets to coordinates.
        element_bits: Bits of an element.
    """
    columns = offset_columns(dist, shared)
    return 1 << len(_vector_register_bits(columns, element_bits))


@lru_cache(maxsize=4096)
def shared_access(
    dist: LinearLayout, shared: SharedLayout, element_bits: int
) -> SharedAccess:
    """Splits the registers of a tile into the vectors of `vector_width` elements.

    Args:
        dist: The layout of the tile in registers.
        shared: The layout of the buffer, from offsets to coordinates.
        element_bits: Bits of an element.
    """
    columns = offset_columns(dist, shared)
    inner = _vector_register_bits(columns, element_bits)
    outer = [bit for bit in range(len(dist.register)) if bit not in inner]
    vector = 1 << len(inner)
    offsets: list[int] = []
    registers: list[tuple[int, ...]] = []
    for index in range(1 << len(outer)):
        first = sum_of_bits(index, outer)
        offset = f2.apply(columns.register, first)
        flip = offset % vector
        offsets.append(offset - flip)
        registers.append(
            tuple(first | sum_of_bits(place ^ flip, inner) for place in range(vector))
        )
    return SharedAccess(vector, columns, tuple(offsets), tuple(registers))


def sum_of_bits(index: int, bits: Sequence[int]) -> int:
    """Spreads the bits of `index` to the positions `bits`.

    Args:
        index: The number.
        bits: Where its bits go, the lowest first.
    """
    return sum((index >> i & 1) << bit for i, bit in enumerate(bits))


def extra_wavefronts(byte_offsets: Sequence[int], access_bytes: int) -> int:
    """Counts the wavefronts of one warp access beyond the minimum.

    A warp access of up to 4 bytes per lane is one wavefront, of 8 bytes two (half
    warps), of 16 bytes four (quarter warps). A wavefront serves each bank one
    4-byte word; lanes that read the same word share it.

    Args:
        byte_offsets: Offset of each lane, multiples of `access_bytes`.
        access_bytes: Bytes per lane: 1, 2, 4, 8 or 16.
    """
    per_wavefront = min(len(byte_offsets), N_BANKS * BANK_BYTES // max(access_bytes, 4))
    extra = 0
    for first in range(0, len(byte_offsets), per_wavefront):
        words = {
            word
            for offset in byte_offsets[first : first + per_wavefront]
            for word in range(
                offset // BANK_BYTES, (offset + access_bytes - 1) // BANK_BYTES + 1
            )
        }
        load = [0] * N_BANKS
        for word in words:
            load[word % N_BANKS] += 1
        extra += max(load) - 1
    return extra


@lru_cache(maxsize=4096)
def bank_conflicts(
    dist: LinearLayout, shared: SharedLayout, element_bits: int, vector: int
) -> int:
    """Counts the extra wavefronts of one warp access of `vector` elements per lane.

    All warps and registers have the same count: their constants only XOR the bank
    numbers. Elements below 8 bits count as bytes.

    Args:
        dist: The layout of the tile in registers.
        shared: The layout of the buffer, from offsets to coordinates.
        element_bits: Bits of an element.
        vector: Elements of an access.
    """
    columns = offset_columns(dist, shared)
    element_bytes = max(element_bits // 8, 1)
    lanes = [f2.apply(columns.lane, lane) for lane in range(1 << len(columns.lane))]
    return extra_wavefronts(
        [offset * element_bytes for offset in lanes], vector * element_bytes
    )
