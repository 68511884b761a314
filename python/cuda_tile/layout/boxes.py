# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes of a tensor map: which of its copies fill a buffer in shared memory.

A copy through a tensor map moves a box of up to five dimensions. In shared memory its
elements lie densely, the first dimension ("inner") fastest, and a swizzle permutes the
16-byte units of the rows (PTX ISA, "Tensors", "Tiled Mode", "Swizzling Modes"; limits:
CUDA Driver API, cuTensorMapEncodeTiled). So a buffer can be filled if, before the
swizzle, its offset bits count boxes: the low bits of each dimension in the tensor's
order, then what is left over, which tells the boxes apart.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from cuda_tile.layout.coords import n_bits
from cuda_tile.layout.descriptors import UNIT_BYTES, unswizzled
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import SWIZZLE_BYTES
from cuda_tile.records import dataclass

MAX_RANK = 5
MAX_BOX_EXTENT = 256
PLAIN_ALIGNMENT_BYTES = 128
"""Of the address in shared memory (PTX ISA, "cp.async.bulk.tensor")."""
_ROWS_OF_PATTERN = 8


@dataclass(frozen=True)
class Box:
    """One copy.

    Attributes:
        start_bytes: Its offset in the buffer.
        origin: Coordinates of its first element in the tile, in the tensor's order:
            contiguous dimension first.
    """

    start_bytes: int
    origin: tuple[int, ...]


@dataclass(frozen=True)
class Boxes:
    """The copies that move a tile between a tensor and a buffer, by one tensor map.

    Attributes:
        extents: Extents of each box in elements, in the tensor's order.
        swizzle_bytes: Span of the map's swizzle: 0, 32, 64 or 128.
        boxes: The copies, in the order of their places in the buffer.
    """

    extents: tuple[int, ...]
    swizzle_bytes: int
    boxes: tuple[Box, ...]

    @property
    def alignment_bytes(self) -> int:
        """The alignment that the address of the buffer must have."""
        return max(PLAIN_ALIGNMENT_BYTES, _ROWS_OF_PATTERN * self.swizzle_bytes)


@lru_cache(maxsize=256)
def boxes(
    shared: SharedLayout, order: tuple[int, ...], element_bits: int
) -> Boxes | None:
    """Divides a buffer into boxes of a tensor map, as few as possible.

    Args:
        shared: Layout of the buffer, in the tile's dimensions.
        order: The tile's dimensions in the tensor's order: the one along which the
            tensor is contiguous first.
        element_bits: Width of an element in memory, 8 or more.

    Returns:
        The boxes, or None where no tensor map writes such a buffer.
    """
    if not 1 <= len(order) <= MAX_RANK:
        return None
    found = [_divide(shared, order, element_bits // 8, span) for span in SWIZZLE_BYTES]
    known = [one for one in found if one is not None]
    return min(known, key=lambda one: len(one.boxes), default=None)


def _divide(
    shared: SharedLayout, order: tuple[int, ...], element_bytes: int, span: int
) -> Boxes | None:
    """The boxes of one swizzle; its rows are as long as its span."""
    inverse = shared.invert()
    steps = [
        [unswizzled(column * element_bytes, span) for column in inverse[dim]]
        for dim in order
    ]
    if any(step & (step - 1) for dim_steps in steps for step in dim_steps):
        return None
    most = [n_bits(MAX_BOX_EXTENT)] * len(order)
    if span:
        most[0] = n_bits(span // element_bytes)
    following = element_bytes
    inner: list[int] = []
    for dim_steps, limit in zip(steps, most, strict=True):
        count = 0
        while count < min(limit, len(dim_steps)) and dim_steps[count] == following:
            count += 1
            following *= 2
        inner.append(count)
    row_bytes = element_bytes << inner[0]
    if row_bytes != span if span else row_bytes < UNIT_BYTES:
        return None
    extents = tuple(1 << count for count in inner)
    outer = [
        (step, place, extent << bit)
        for place, (dim_steps, extent) in enumerate(zip(steps, extents, strict=True))
        for bit, step in enumerate(dim_steps[inner[place] :])
    ]
    result = Boxes(extents, span, _at_each(len(order), sorted(outer)))
    aligned = all(b.start_bytes % result.alignment_bytes == 0 for b in result.boxes)
    return result if aligned else None


def _at_each(rank: int, outer: list[tuple[int, int, int]]) -> tuple[Box, ...]:
    """All sums of (bytes, dimension, elements)."""
    made: list[Box] = []
    for chosen in product((0, 1), repeat=len(outer)):
        start, origin = 0, [0] * rank
        for is_set, (step, place, distance) in zip(
            chosen, reversed(outer), strict=True
        ):
            if is_set:
                start += step
                origin[place] += distance
        made.append(Box(start, tuple(origin)))
    return tuple(made)
