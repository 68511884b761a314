# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A set of threads that stand at one instruction and run it as one vector step.

Lanes are numbered over all warps of all CTAs that run together; a warp is always 32
consecutive lanes, also where the block does not fill it. Most steps run on all lanes
at once; `index` is then the whole-array slice, and arrays are never copied.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ptx.types import Array, Bool, Index

WARP_LANES = 32


class Lanes:
    """A sorted, non-empty set of lanes.

    Attributes:
        numbers: The lane numbers, ascending, intp[count].
        index: What selects the lanes in an array of all lanes: a slice where the
            lanes are consecutive, `numbers` else.
        is_full: Whether these are all lanes of the machine.
        warps: Numbers of the warps that have a lane here, ascending.
        active: bool[len(warps), 32], or None where every lane of `warps` is here.
    """

    __slots__ = ("active", "count", "index", "is_full", "numbers", "rows", "warps")

    def __init__(self, numbers: Index, n_lanes: int) -> None:
        self.numbers = numbers
        self.count = len(numbers)
        self.is_full = self.count == n_lanes
        first = int(numbers[0])
        stop = int(numbers[-1]) + 1
        self.index: slice | Index = numbers
        self.active: Bool | None = None
        if stop - first == self.count:
            self.index = slice(first, stop)
            if not (first | stop) & (WARP_LANES - 1):  # whole warps
                self.rows: slice | Index = slice(first >> 5, stop >> 5)
                self.warps: Index = np.arange(first >> 5, stop >> 5)
                return
        warp_of = numbers >> 5
        starts = np.flatnonzero(warp_of[1:] != warp_of[:-1]) + 1
        self.warps = warp_of[np.concatenate(([0], starts))]
        if len(self.warps) * WARP_LANES != self.count:
            row_of = np.zeros(self.count, np.intp)
            row_of[starts] = 1
            row_of = row_of.cumsum()
            self.active = np.zeros((len(self.warps), WARP_LANES), np.bool_)
            self.active[row_of, numbers & 31] = True
        self.rows = self.warps
        if int(self.warps[-1]) - int(self.warps[0]) + 1 == len(self.warps):
            self.rows = slice(int(self.warps[0]), int(self.warps[-1]) + 1)

    def by_warp(self, register: Array) -> Array:
        """Returns an array of all lanes as rows of these warps, [len(warps), 32]."""
        return register.reshape(-1, WARP_LANES)[self.rows]

    def spread(self, values: Array) -> Array:
        """Lays values of these lanes [count, ...] out by warp, [len(warps), 32, ...].

        Lanes that are not in the set repeat the value of one that is.
        """
        shape = (len(self.warps), WARP_LANES, *values.shape[1:])
        if self.active is None:
            return values.reshape(shape)
        rows = np.empty(shape, values.dtype)
        rows[self.active] = values
        firsts = rows[np.arange(len(rows)), self.active.argmax(axis=1)]
        fill = np.broadcast_to(firsts[:, None], shape)
        rows[~self.active] = fill[~self.active]
        return rows

    def pick(self, rows: Array) -> Array:
        """The inverse of `spread`: values by warp to values of these lanes."""
        if self.active is None:
            return rows.reshape(-1, *rows.shape[2:])
        return rows[self.active]

    def put(self, register: Array, rows: Array) -> None:
        """Writes values by warp into an array of all lanes, at these lanes only."""
        register[self.index] = self.pick(rows)

    def members(self) -> NDArray[np.uint32]:
        """Returns per warp the set of its lanes here, as a 32-bit mask."""
        if self.active is None:
            return np.full(len(self.warps), 0xFFFFFFFF, np.uint32)
        bits = np.uint32(1) << np.arange(WARP_LANES, dtype=np.uint32)
        return np.where(self.active, bits, np.uint32(0)).sum(axis=1, dtype=np.uint32)


def describe_lanes(numbers: Index, warps_per_cta: int) -> str:
    """Says in words which threads a set of lanes of one CTA are."""
    warp_of = numbers >> 5
    parts: list[str] = []
    for warp in np.unique(warp_of)[:4]:
        inside = numbers[warp_of == warp] & 31
        text = f"warp {int(warp) % warps_per_cta}"
        if len(inside) < WARP_LANES:
            text += f" (lane{'s' * (len(inside) > 1)} {_ranges(inside)})"
        parts.append(text)
    if len(np.unique(warp_of)) > len(parts):
        parts.append("...")
    return ", ".join(parts)


def _ranges(values: Index) -> str:
    """Prints ascending integers as ranges, `0-3, 8`."""
    breaks = np.flatnonzero(np.diff(values) != 1) + 1
    runs = np.split(values, breaks)
    return ", ".join(
        f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs
    )
