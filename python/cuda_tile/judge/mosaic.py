# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that several launches wrote, each through a view of its own.

Where an array lies says which view each element was in. The candidate says where, so
that is only a proposal: the contents must be those, for other data too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from cuda_tile.judge.provenance import Place, Pool, same
from cuda_tile.runtime.elements import Array


@dataclass(frozen=True, eq=False)
class Mosaic:
    """For each element the known array that has it.

    Attributes:
        sources: The known arrays.
        which: The number of a source for each element, in C order.
        where: Its element there, in C order.
    """

    sources: tuple[Place, ...]
    which: Array
    where: Array

    def apply(self, pool: Pool, shape: tuple[int, ...], dtype: Any) -> Array | None:
        """As `Way.apply`; nothing is cast, but for masks."""
        whole = np.zeros(self.which.size, dtype)
        for number, place in enumerate(self.sources):
            source, mask = pool.get(place), self.which == number
            if source is None or source.dtype != whole.dtype:
                return None
            if mask.any() and int(self.where[mask].max()) >= source.size:
                return None
            whole[mask] = source.reshape(-1)[self.where[mask]]
        return whole.reshape(shape) if whole.size == np.prod(shape) else None


MOST = 1 << 48
"""More than any address of a process."""
Spot = tuple[Place, Array]
"""A known array and the addresses of its elements, in C order."""


def addresses(place: object, array: Array) -> Array | None:
    """Where the elements of an array are, in C order; None if nobody said.

    Args:
        place: `address` and `strides`, as the candidate says them.
        array: The array.
    """
    said = cast("dict[str, Any]", place) if isinstance(place, dict) else {}
    start, steps = said.get("address"), said.get("strides")
    if not isinstance(steps, list):
        return None
    words = [start, *cast("list[object]", steps)]
    if len(words) != array.ndim + 1 or not all(map(_is_offset, words)):
        return None
    first, *strides = cast("list[int]", words)
    places: Array = np.indices(array.shape, np.int64).reshape(array.ndim, array.size)
    return first + np.asarray(strides, np.int64) @ places


def _is_offset(word: object) -> bool:
    return isinstance(word, int) and abs(word) < MOST


def find_mosaic(
    array: Array, own: Array, spots: Sequence[Spot], pool: Pool
) -> Mosaic | None:
    """How an array is made of others that lie in the same memory; None if it is not.

    Args:
        array: The array.
        own: The addresses of its elements.
        spots: The others, the youngest first.
        pool: Their contents.
    """
    which = np.full(own.size, -1)
    where = np.zeros(own.size, np.int64)
    for number, (_, there) in enumerate(spots):
        if not there.size:
            continue
        order = np.argsort(there, kind="stable")
        at = np.minimum(np.searchsorted(there, own, sorter=order), there.size - 1)
        hit = (there[order[at]] == own) & (which < 0)
        which[hit], where[hit] = number, order[at][hit]
    if not own.size or (which < 0).any():
        return None
    found = Mosaic(tuple(place for place, _ in spots), which, where)
    return found if same(found.apply(pool, array.shape, array.dtype), array) else None
