# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the copies of an element are, for results that only one thread obtains.

If several places hold an element, one of them does an atomic update, or a load of data
that others may be writing: the place whose `free_bits` are zero. Its result must then
reach the other places.
"""

from __future__ import annotations

from cuda_tile.layout.linear import LinearLayout


def has_copies_in_threads(layout: LinearLayout) -> bool:
    """Whether several threads hold one element."""
    free = layout.free_bits()
    return bool(free.lane or free.warp)


def copied_lanes(layout: LinearLayout) -> int | None:
    """The lane bits that tell copies apart, if all copies are in the same warp.

    Lanes that differ only in these bits hold the same elements in the same registers.
    None if there are copies in other warps or in other registers.
    """
    free = layout.free_bits()
    if free.warp or any(
        column and free.lane >> bit & 1 for bit, column in enumerate(layout.columns[1])
    ):
        return None
    return free.lane


def first_registers(layout: LinearLayout) -> list[int]:
    """The lowest register of the thread with the same element, per register."""
    first: dict[tuple[int, ...], int] = {}
    offsets = layout.register_offsets()
    return [first.setdefault(place, r) for r, place in enumerate(offsets)]
