# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the arrays of a launch lie: in memory of the judge as in the candidate's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cuda_tile.errors import UserError
from cuda_tile.runtime.elements import Array

ALIGNMENT = 16
"""Bytes: as far as cuTile looks how pointers are aligned."""
GAP = 0xFF
"""What memory between arrays has."""


class LaunchError(UserError):
    """A launch that the judge refuses, or that failed."""


def place_of(array: Array) -> dict[str, Any]:
    """Where an array of this process lies."""
    return {"address": int(array.ctypes.data), "strides": list(array.strides)}


def lay_out(places: Sequence[dict[str, Any]], arrays: Sequence[Array]) -> list[Array]:
    """Memory for the arrays: those that overlap at the candidate overlap here too.

    Raises:
        LaunchError: Strides are not those of an array, or reach too far.
    """
    spans = [_span(place, array) for place, array in zip(places, arrays, strict=True)]
    blocks = _blocks(spans)
    views: list[Array] = []
    for (start, _), place, array in zip(spans, places, arrays, strict=True):
        low, memory = next(
            (low, memory) for low, memory in blocks if low <= start <= low + memory.size
        )
        raw = memory[start - low :]
        view = np.ndarray(array.shape, array.dtype, raw.data, 0, place["strides"])
        view[...] = array
        views.append(view)
    return views


def relations(
    places: Sequence[dict[str, Any]], arrays: Sequence[Array]
) -> list[tuple[int, int, int]]:
    """Where each array lies: its block, from where in it, and how that is aligned.

    A kernel can see all of that, so a host could say a number by it.
    """
    pairs = zip(places, arrays, strict=True)
    spans = [_span(place, array) for place, array in pairs if array.size]
    blocks = _merged(spans)
    found: list[tuple[int, int, int]] = []
    for start, _ in spans:
        number = next(n for n, (low, high) in enumerate(blocks) if low <= start < high)
        low = blocks[number][0]
        found.append((number, start - low, low % ALIGNMENT))
    names = {number: at for at, (number, _, _) in reversed(list(enumerate(found)))}
    return [(names[number], at, low) for number, at, low in found]


def _span(place: dict[str, Any], array: Array) -> tuple[int, int]:
    start, strides = int(place["address"]), [int(step) for step in place["strides"]]
    if len(strides) != array.ndim or any(step < 0 for step in strides):
        raise LaunchError(f"expected strides of {array.shape}, got {strides}")
    if not array.size:
        return start, start + 1
    reach = sum((n - 1) * step for n, step in zip(array.shape, strides, strict=True))
    if not 0 <= start < 1 << 62 or reach > 1 << 30:
        raise LaunchError(f"expected an array of at most 1 GiB, got strides {strides}")
    return start, start + reach + array.itemsize


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that overlap as one, from low to high."""
    merged: list[list[int]] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], stop)
        else:
            merged.append([start, stop])
    return [(low, high) for low, high in merged]


def _blocks(spans: Sequence[tuple[int, int]]) -> list[tuple[int, Array]]:
    """Spans that overlap, as one piece of memory each; aligned up to 16 as they are.

    No kernel is compiled for more, and further bits would be the host's to choose.
    """
    found: list[tuple[int, Array]] = []
    for low, high in _merged(spans):
        room = np.full(high - low + 512, GAP, np.uint8)
        shift = -room.ctypes.data % 256 + low % ALIGNMENT
        found.append((low, room[shift : shift + high - low]))
    return found
