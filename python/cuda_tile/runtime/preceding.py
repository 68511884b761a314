# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that the preceding grid of a programmatic launch may still write.

CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization": a
grid may start before the one before it in the stream has ended. What that one writes is
complete and visible only behind `gdc_wait_tko` (in PTX `griddepcontrol.wait`).

Only whoever launches knows what the preceding grid writes. A kernel may touch all else
before the wait, such as weights, so nothing is checked that is not named here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from cuda_tile.errors import UserError

Preceding: TypeAlias = Sequence[Any] | Literal["all"] | None
"""Arrays, or parts of some, that the preceding grid writes; "all" for all arguments."""

ByteRanges: TypeAlias = tuple[tuple[int, int], ...]
"""First address, and that behind the last, of runs of bytes."""


def byte_ranges(preceding: Preceding, args: Iterable[Any]) -> ByteRanges:
    """The bytes of the arrays that a preceding grid writes.

    Args:
        preceding: As the user gave it.
        args: The kernel's arguments.

    Raises:
        UserError: There is something that is no array.
    """
    if preceding is None:
        return ()
    if isinstance(preceding, str):
        if preceding != "all":
            raise UserError(
                f"expected preceding to be arrays or 'all', got {preceding!r}"
            )
        return _ranges([arg for arg in args if isinstance(arg, np.ndarray)])
    if not isinstance(cast(object, preceding), (list, tuple)):
        got = type(preceding).__name__
        raise UserError(f"expected preceding to be a list of arrays, got a {got}")
    arrays: list[Any] = list(preceding)
    for array in arrays:
        if not hasattr(array, "__array_interface__"):
            raise UserError(
                f"expected preceding to hold arrays, got a {type(array).__name__}"
            )
    return _ranges(np.asarray(array) for array in arrays)


def _ranges(arrays: Iterable[Any]) -> ByteRanges:
    found: list[tuple[int, int]] = []
    for array in arrays:
        found.append(np.lib.array_utils.byte_bounds(array))
        found += _ranges(getattr(array, "targets", ()))
    return tuple(found)


def first_inside(ranges: ByteRanges, addresses: Any, size_bytes: int = 1) -> int:
    """Which of some addresses is the first whose bytes lie in a range, or -1.

    Args:
        ranges: The bytes.
        addresses: Integers, [n].
        size_bytes: Bytes at each address.
    """
    inside = np.zeros(len(addresses), np.bool_)
    for start, stop in ranges:
        first = addresses.dtype.type(max(start - size_bytes + 1, 0))
        inside |= (addresses >= first) & (addresses < addresses.dtype.type(stop))
    return int(np.argmax(inside)) if inside.any() else -1
