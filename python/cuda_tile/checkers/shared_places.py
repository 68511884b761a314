# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The places of buffers and rings in shared memory, by their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.rings import RING, buffer_type_bytes, mbarriers_of, places_in
from cuda_tile.ir.walk import location_text


@dataclass(frozen=True)
class Place:
    """The bytes of a buffer or a ring.

    Attributes:
        op: The op that makes it.
        contents: First byte and end of its elements, or of its slots.
        mbarriers: First byte and end of its mbarriers; empty for a buffer.
    """

    op: ir.Operation
    contents: tuple[int, int]
    mbarriers: tuple[int, int]

    def __str__(self) -> str:
        what = "ring" if self.op.name == RING else "buffer"
        first, end = self.contents
        return f"the {what} at bytes {first} to {end} ({location_text(self.op)})"


def place_of(op: ir.Operation) -> Place:
    """Where an `alloc_shared` or a ring lies; it has an offset."""
    start = integer(op, "offset")
    if op.name != RING:
        end = start + buffer_type_bytes(op.results[0].type)
        return Place(op, (start, end), (end, end))
    ring = places_in(op)
    mbarriers = mbarriers_of(op)
    n_bytes = ring.size_bytes - ring.data_bytes if ring.has_mbarriers else 0
    contents = start, start + ring.data_bytes
    return Place(op, contents, (mbarriers, mbarriers + n_bytes))


def meet(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two ranges of bytes (first, end) overlap."""
    return max(first[0], second[0]) < min(first[1], second[1])


def overlaps(places: Sequence[Place]) -> list[int]:
    """For each place the set of others whose contents meet its own, as bits.

    Args:
        places: Those of a kernel.
    """
    found = [0] * len(places)
    for i, one in enumerate(places):
        for j, other in enumerate(places):
            if i != j and meet(one.contents, other.contents):
                found[i] |= 1 << j
    return found


def bits(places: int) -> Iterator[int]:
    """The numbers of the places of a set.

    Args:
        places: The set, as bits.
    """
    while places:
        yield (places & -places).bit_length() - 1
        places &= places - 1
