# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of a tile: which registers of which threads lie in a box of it.

A part has extents that are powers of two and begins at multiples of them, so the bits
of a coordinate divide: the low bits say where in the part an element lies, the high
bits which part it belongs to. The high bits are the XOR of a constant of the register
and a linear form of the thread index.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from cuda_tile.layout import f2
from cuda_tile.layout.coords import Coord, LayoutError, pack, unit_steps
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass


def part_layout(layout: LinearLayout, shape: tuple[int, ...]) -> LinearLayout:
    """The layout of a part in which each thread holds its places of every part.

    Wherever a tile of `layout` has an element, whatever part it lies in, a part in the
    resulting layout has the element at the same place.

    Args:
        layout: The layout of the tile.
        shape: The shape of a part.
    """
    whole = TilePart(layout, shape, (0,) * len(shape))
    return whole.inner.drop_redundant_registers()


def every_part(layout: LinearLayout, shape: tuple[int, ...]) -> LinearLayout:
    """The layout of a whole tile in which each thread has its places of every part.

    Register r of part p is r + p * `layout.n_registers`; parts are counted in
    row-major order.

    Args:
        layout: The layout of a part.
        shape: The shape of the whole tile.
    """
    rank, bases = len(shape), list[Coord]()
    for dim in reversed(range(rank)):
        bases += unit_steps(dim, layout.shape[dim], shape[dim], rank)
    return layout.extend(shape, register=bases)


def stays_in_thread(layout: LinearLayout, shape: tuple[int, ...]) -> bool:
    """Whether each thread holds some places of all parts of a shape.

    Args:
        layout: The layout of the tile.
        shape: The shape of a part.
    """
    return not any(TilePart(layout, shape, (0,) * len(shape)).thread_columns)


def part_number(place: Coord, part: tuple[int, ...], whole: tuple[int, ...]) -> int:
    """The number of the part that an element lies in, in row-major order.

    Args:
        place: The coordinate of the element.
        part: The shape of a part.
        whole: The shape of the tile.
    """
    grid = tuple(n // m for n, m in zip(whole, part, strict=True))
    return pack(tuple(c // m for c, m in zip(place, part, strict=True)), grid)


@dataclass(frozen=True)
class TilePart:
    """The part of a tile of `layout` that begins at `offsets` and has `shape`.

    Raises:
        LayoutError: The part does not begin at multiples of its extents, or a basis
            of the layout moves an element inside a part and to another part at once.
    """

    layout: LinearLayout
    shape: tuple[int, ...]
    offsets: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(o & (n - 1) for o, n in zip(self.offsets, self.shape, strict=True)):
            msg = f"expected a part at multiples of its extents {self.shape}"
            raise LayoutError(f"{msg}, got {self.offsets}")
        for group in self.layout.bases:
            for basis in group:
                if any(self._low(basis)) and any(self._high(basis)):
                    msg = f"expected bases inside parts of {self.shape} or between them"
                    raise LayoutError(f"{msg}, got {basis}")

    def _low(self, basis: Coord) -> Coord:
        return tuple(c & (n - 1) for c, n in zip(basis, self.shape, strict=True))

    def _high(self, basis: Coord) -> Coord:
        return tuple(c & -n for c, n in zip(basis, self.shape, strict=True))

    @cached_property
    def inner(self) -> LinearLayout:
        """The place of each register in the part; those of other parts are copies."""
        groups = (map(self._low, group) for group in self.layout.bases)
        return LinearLayout.of_bases(self.shape, groups)

    @cached_property
    def thread_columns(self) -> tuple[int, ...]:
        """XOR of each bit of the thread index to the number of the part."""
        return tuple(
            pack(self._high(basis), self.layout.shape)
            for basis in (*self.layout.lane, *self.layout.warp, *self.layout.block)
        )

    @cached_property
    def wanted(self) -> tuple[int | None, ...]:
        """For each register, the value of the thread's form that puts it in the part.

        None for a register that no thread has in the part.
        """
        span = f2.Span(column for column in self.thread_columns if column)
        start = pack(self.offsets, self.layout.shape)
        found: list[int | None] = []
        for place in self.layout.register_offsets():
            number = start ^ pack(self._high(place), self.layout.shape)
            found.append(None if span.solve(number) is None else number)
        return tuple(found)


def choose_parts(layouts: Sequence[LinearLayout], count: int) -> tuple[int, ...] | None:
    """Extents of one of `count` equal parts of a tile.

    The cut is along one dimension, or along several if none is long enough. It is the
    one with the fewest lanes and warps that have other parts than their neighbours: a
    part that is some registers of every thread needs no predicates. None if no cut is
    possible.

    Args:
        layouts: The layouts in which the parts are written and read. The last one is
            that of the tile; the others may be of larger tiles.
        count: A power of two.
    """
    shape = layouts[-1].shape
    part = _cut(layouts, shape, count)
    while part is None and count > 1:
        count //= 2
        shape = _cut(layouts, shape, 2)
        if shape is None:
            return None
        part = _cut(layouts, shape, count)
    return part


def _cut(
    layouts: Sequence[LinearLayout], shape: tuple[int, ...], count: int
) -> tuple[int, ...] | None:
    """`shape` with one extent divided by `count`."""
    best: tuple[int, tuple[int, ...]] | None = None
    for dim, extent in enumerate(shape):
        if extent < count:
            continue
        part = (*shape[:dim], extent // count, *shape[dim + 1 :])
        try:
            parts = [TilePart(layout, part, (0,) * len(shape)) for layout in layouts]
        except LayoutError:
            continue
        divided = sum(bool(column) for p in parts for column in p.thread_columns)
        if best is None or divided < best[0]:
            best = divided, part
    return None if best is None else best[1]
