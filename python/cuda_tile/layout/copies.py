# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the copies of an element are, for results that only one thread obtains.

An atomic update, or a load of what others may be writing, is done by one of the places
that hold an element: the one whose `free_bits` are zero. What it got must then reach
the other places.
"""

from __future__ import annotations

from cuda_tile.layout.linear import LinearLayout


def has_copies_in_threads(layout: LinearLayout) -> bool:
    """Whether several threads hold one element."""
    free = layout.free_bits()
    return bool(free.lane or free.warp)


def copied_lanes(layout: LinearLayout) -> int | None:
    """The lane bits that tell copies apart, where these are all in the same warp.

    Lanes that differ in these bits only hold the same elements in the same registers.
    None where copies are in other warps or in other registers.
    """
    free = layout.free_bits()
    if free.warp or any(
        column and free.lane >> bit & 1 for bit, column in enumerate(layout.columns[1])
    ):
        return None
    return free.lane


def first_registers(layout: LinearLayout) -> list[int]:
    """Per register the lowest one of the same thread that holds its element."""
    first: dict[tuple[int, ...], int] = {}
    offsets = layout.register_offsets()
    return [first.setdefault(place, r) for r, place in enumerate(offsets)]
