# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distributed layouts: which register of which thread holds which element.

A `LinearLayout` maps the bits of (register, lane, warp, block) to the coordinates
of a tensor, linearly over F2: each input bit has one *basis* coordinate and the
images of the set bits are XORed. README.md beside this file works an example.

This module is integer arithmetic. It does not depend on MLIR or PTX; the layouts that
instructions require are in `fragments`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import prod

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
from cuda_tile.pictured import Pictured
from cuda_tile.records import dataclass

N_LANE_BITS = 5
"""A warp has 32 lanes (PTX ISA, "Thread Hierarchy")."""

AXES = ("register", "lane", "warp", "block")


@dataclass(frozen=True)
class BitMasks:
    """One bit mask per input axis of a layout; bit i selects basis i."""

    register: int
    lane: int
    warp: int
    block: int


@dataclass(frozen=True)
class LinearLayout(Pictured):
    """Which element of a tensor each register of each thread holds.

    Example: `shape=(4, 64)`, `register=((0, 1),)`, lanes `(0, 2) (0, 4) (0, 8)
    (0, 16) (0, 32)`, `warp=((1, 0), (2, 0))`: each of four warps holds one row, and
    each lane two adjacent elements of it. Register 1 of lane 3 in warp 2 is
    (0, 1) ^ (0, 2) ^ (0, 4) ^ (2, 0) = (2, 7).

    Attributes:
        shape: Extents of the tensor dimensions in elements, powers of two.
        register: Basis of each bit of the register index, low bit first.
        lane: Basis of each of the five bits of the lane index.
        warp: Basis of each bit of the warp index in the CTA.
        block: Basis of each bit of the CTA index in the cluster.

    A zero basis means that both values of this bit hold the same elements.

    Raises:
        LayoutError: An extent is no power of two, a basis has another rank than
            `shape` or lies outside it, or there are not five lane bases.
    """

    shape: tuple[int, ...]
    register: tuple[Coord, ...]
    lane: tuple[Coord, ...]
    warp: tuple[Coord, ...] = ()
    block: tuple[Coord, ...] = ()

    def __post_init__(self) -> None:
        check_shape(self.shape)
        for axis, bases in zip(AXES, self.bases, strict=True):
            check_bases(self.shape, bases, axis)
        if len(self.lane) != N_LANE_BITS:
            msg = f"expected {N_LANE_BITS} lane bases, got {len(self.lane)}"
            raise LayoutError(msg)

    # Construction -----------------------------------------------------------------

    @classmethod
    def from_groups(
        cls, shape: Sequence[int], groups: Sequence[Sequence[Sequence[tuple[int, int]]]]
    ) -> LinearLayout:
        """Builds a layout of the four groups of a `#cute.layout` attribute.

        Args:
            shape: Extents of the tile.
            groups: Per group the terms (step, dimension) of each basis.

        Raises:
            LayoutError: There are not four groups.
        """
        if len(groups) != len(AXES):
            msg = f"expected 4 groups (register, lane, warp, block), got {len(groups)}"
            raise LayoutError(msg)
        rank = len(shape)
        bases = ((coord_of_terms(basis, rank) for basis in group) for group in groups)
        return cls.of_bases(shape, bases)

    @classmethod
    def replicated(
        cls, shape: Sequence[int], n_warps: int, n_blocks: int = 1
    ) -> LinearLayout:
        """Builds the layout in which every thread holds the whole tile.

        Registers count the elements in row-major order.

        Args:
            shape: The shape of the tile.
            n_warps: Warps of a CTA.
            n_blocks: CTAs of the cluster.
        """
        check_shape((n_warps, n_blocks))
        size = prod(shape)
        zero = (0,) * len(shape)
        register = tuple(unpack(1 << bit, shape) for bit in range(n_bits(size)))
        lane, warp = (zero,) * N_LANE_BITS, (zero,) * n_bits(n_warps)
        return cls(tuple(shape), register, lane, warp, (zero,) * n_bits(n_blocks))

    @classmethod
    def of_bases(
        cls, shape: Sequence[int], bases: Iterable[Iterable[Coord]]
    ) -> LinearLayout:
        """Builds a layout from its four groups of bases.

        Args:
            shape: Extents of the tile.
            bases: The bases of registers, lanes, warps and CTAs.
        """
        register, lane, warp, block = map(tuple, bases)
        return cls(tuple(shape), register, lane, warp, block)

    # Queries ----------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """Number of tensor dimensions."""
        return len(self.shape)

    @property
    def bases(self) -> tuple[tuple[Coord, ...], ...]:
        """Bases of (register, lane, warp, block), in this order."""
        return (self.register, self.lane, self.warp, self.block)

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Bases of (register, lane, warp, block) as row-major element numbers."""
        return tuple(
            tuple(pack(basis, self.shape) for basis in group) for group in self.bases
        )

    @property
    def n_registers(self) -> int:
        """Number of registers (elements) that each thread holds."""
        return 1 << len(self.register)

    @property
    def n_warps(self) -> int:
        """Number of warps in the CTA."""
        return 1 << len(self.warp)

    @property
    def n_blocks(self) -> int:
        """Number of CTAs in the cluster."""
        return 1 << len(self.block)

    @property
    def n_elements(self) -> int:
        """Number of elements of the tensor."""
        return prod(self.shape)

    def apply(
        self, register: int = 0, lane: int = 0, warp: int = 0, block: int = 0
    ) -> Coord:
        """Gives the coordinate that a register of a thread holds.

        Args:
            register: The number of the register.
            lane: The number of the lane, below 32.
            warp: The number of the warp.
            block: The number of the CTA in its cluster.

        Raises:
            LayoutError: An index needs more bits than its axis has.
        """
        number = 0
        indices = (register, lane, warp, block)
        for axis, columns, index in zip(AXES, self.columns, indices, strict=True):
            if index >> len(columns):
                msg = f"expected {axis} below {1 << len(columns)}, got {index}"
                raise LayoutError(msg)
            number ^= f2.apply(columns, index)
        return unpack(number, self.shape)

    def register_offsets(self) -> list[Coord]:
        """Gives the XOR of each register index to the thread's coordinate."""
        numbers = [0]
        for column in self.columns[0]:
            numbers += [number ^ column for number in numbers]
        return [unpack(number, self.shape) for number in numbers]

    @cached_property
    def _flat_columns(self) -> tuple[int, ...]:
        return tuple(column for group in self.columns for column in group)

    @property
    def is_surjective(self) -> bool:
        """Whether every element of the tensor has a place."""
        return 1 << f2.rank(self._flat_columns) == self.n_elements

    @property
    def is_injective(self) -> bool:
        """Whether no element has two places."""
        return f2.rank(self._flat_columns) == len(self._flat_columns)

    def free_bits(self) -> BitMasks:
        """Gives the input bits that can be held at zero without losing an element.

        These are the bits whose basis is a sum of bases of earlier bits, in the
        order register, lane, warp, block. Of all places of one element exactly one
        has these bits zero, so a store by those places alone writes it once.
        """
        span = f2.Span()
        masks: list[int] = []
        for group in self.columns:
            free = [bit for bit, column in enumerate(group) if not span.add(column)]
            masks.append(sum(1 << bit for bit in free))
        return BitMasks(*masks)

    def bits_along(self, dim: int) -> BitMasks:
        """Gives the input bits that enumerate dimension `dim`, each coordinate once.

        This is what a reduction of the dimension folds: register bits in the
        thread, lane bits by butterfly shuffles, warp bits through shared memory.

        Raises:
            LayoutError: A basis has components along `dim` and another dimension.
        """
        span = f2.Span()
        masks: list[int] = []
        for axis, group in zip(AXES, self.bases, strict=True):
            mask = 0
            for bit, basis in enumerate(group):
                if basis[dim] and any(basis[:dim] + basis[dim + 1 :]):
                    msg = f"expected {axis} basis {bit} along dim {dim} only"
                    raise LayoutError(msg + f", got {basis}")
                mask |= int(span.add(basis[dim])) << bit
            masks.append(mask)
        return BitMasks(*masks)

    def owner(self, coord: Sequence[int]) -> tuple[int, int, int, int]:
        """Gives one (register, lane, warp, block) that holds `coord`.

        Of several places, this is the one whose `free_bits` are zero.

        Raises:
            LayoutError: No place holds the coordinate.
        """
        mask = f2.Span(self._flat_columns).solve(pack(coord, self.shape))
        if mask is None:
            msg = f"expected a coordinate that the layout covers, got {tuple(coord)}"
            raise LayoutError(msg)
        place: list[int] = []
        for group in self.bases:
            place.append(mask & (1 << len(group)) - 1)
            mask >>= len(group)
        register, lane, warp, block = place
        return register, lane, warp, block

    def groups(self) -> Groups:
        """Gives the four groups of the `#cute.layout` attribute; a zero basis is []."""
        return [[terms(basis) for basis in group] for group in self.bases]

    # Layouts of derived tiles ------------------------------------------------------

    def permute(self, perm: Sequence[int]) -> LinearLayout:
        """Gives the layout of the transposed tile: its dim i is our dim perm[i].

        Raises:
            LayoutError: The order is no permutation of the dimensions.
        """
        if sorted(perm) != list(range(self.rank)):
            msg = f"expected a permutation of {self.rank} dims, got {tuple(perm)}"
            raise LayoutError(msg)
        return self.of_bases(
            tuple(self.shape[dim] for dim in perm),
            ((tuple(b[dim] for dim in perm) for b in group) for group in self.bases),
        )

    def reshape(self, shape: Sequence[int]) -> LinearLayout:
        """Gives the layout after a row-major reshape, which moves no data.

        Raises:
            LayoutError: The shape has another number of elements.
        """
        if prod(shape) != self.n_elements:
            msg = f"expected a shape of {self.n_elements} elements, got {tuple(shape)}"
            raise LayoutError(msg)
        return self.of_bases(
            tuple(shape),
            ((unpack(column, shape) for column in group) for group in self.columns),
        )

    def reduce(self, dim: int) -> LinearLayout:
        """Gives the layout with dimension `dim` removed.

        Bits that enumerated only this dimension get zero bases: their places now hold
        copies of one value. See `drop_redundant_registers`.
        """
        return self.of_bases(
            self.shape[:dim] + self.shape[dim + 1 :],
            ((b[:dim] + b[dim + 1 :] for b in group) for group in self.bases),
        )

    def finer(self, count: int) -> LinearLayout:
        """Gives the layout of the tile in which `count` parts replace each element.

        The tile has rank 1. The low register bits give the number of the part.
        """
        bits = n_bits(count)
        inner = tuple((1 << bit,) for bit in range(bits))
        register, *others = (
            tuple((column << bits,) for column in group) for group in self.columns
        )
        shape = (self.n_elements * count,)
        return self.of_bases(shape, ((*inner, *register), *others))

    def coarser(self, count: int) -> LinearLayout:
        """Gives a layout of the tile in which `count` neighbours are one element.

        The tile has rank 1. If `finer` made the layout, this is its inverse.
        Otherwise each thread gets the elements of which it has some part.
        """
        bits = n_bits(count)
        register, *others = (
            tuple((column >> bits,) for column in group) for group in self.columns
        )
        inner = [0 < column < count for column in self.columns[0]]
        kept = (c for c, skip in zip(register, inner, strict=True) if not skip)
        return self.of_bases((self.n_elements // count,), (kept, *others))

    def broadcast_source(self, shape: Sequence[int]) -> LinearLayout:
        """Pulls the layout back through a broadcast from `shape` to ours.

        Dimensions that have extent 1 in `shape` lose their coordinates, so that
        broadcasting moves no data: register i of the result is register i of the
        source.

        Raises:
            LayoutError: `shape` has another rank, or an extent neither 1 nor ours.
        """
        if len(shape) != self.rank or any(
            extent not in (1, mine)
            for extent, mine in zip(shape, self.shape, strict=False)
        ):
            msg = f"expected a shape that broadcasts to {self.shape}"
            raise LayoutError(msg + f", got {tuple(shape)}")
        keep = tuple(extent - 1 for extent in shape)
        return self.of_bases(
            tuple(shape),
            (
                (tuple(c & k for c, k in zip(b, keep, strict=True)) for b in group)
                for group in self.bases
            ),
        )

    def extend(
        self,
        shape: Sequence[int],
        register: Sequence[Coord] = (),
        warp: Sequence[Coord] = (),
        block: Sequence[Coord] = (),
    ) -> LinearLayout:
        """Gives the layout of a larger tile: this one, repeated at the new bases.

        Args:
            shape: The shape of the larger tile.
            register: Bases that follow those of the registers.
            warp: Bases that follow those of the warps.
            block: Bases that follow those of the CTAs.
        """
        return LinearLayout(
            tuple(shape),
            (*self.register, *register),
            self.lane,
            (*self.warp, *warp),
            (*self.block, *block),
        )

    def drop_redundant_registers(self) -> LinearLayout:
        """Gives the layout without register bits that add no element to a thread.

        They have zero bases or sums of earlier register bases. `convert.register_map`
        gives the remaining register that holds the element of a dropped one.
        """
        keep = f2.complete((), self.columns[0])
        register = tuple(unpack(column, self.shape) for column in keep)
        return LinearLayout(self.shape, register, self.lane, self.warp, self.block)
