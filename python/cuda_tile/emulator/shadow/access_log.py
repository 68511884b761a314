# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The latest accesses to shared memory, so that a finding can name both of a race."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# How far back a message can look; older accesses are called "earlier".
_LENGTH = 4096


# The wait that completes an asynchronous operation, by a part of its name.
_WAITS = (
    ("wgmma", "wgmma.wait_group"),
    ("tcgen05", "the mbarrier of a tcgen05.commit"),
    ("complete_tx", "its mbarrier"),
    ("bulk_group", "cp.async.bulk.wait_group"),
    ("cp.async", "cp.async.wait_group"),
)


@dataclass(frozen=True, slots=True)
class Access:
    """One executed instruction: offsets int64[n], warps uint8[n], bytes each."""

    at: int
    is_write: bool
    offsets: NDArray[np.int64]
    warps: NDArray[np.uint8]
    size: int


class AccessLog:
    """The latest accesses, oldest first.

    Attributes:
        naming: Names an instruction by its number; set by whoever runs the machine.
    """

    def __init__(self) -> None:
        self._entries: deque[Access] = deque(maxlen=_LENGTH)
        self.naming: Callable[[int], str] = str

    def clear(self) -> None:
        """Forgets everything."""
        self._entries.clear()

    def add(self, access: Access) -> None:
        """Remembers an access."""
        self._entries.append(access)

    def last(self, cell: int, *, is_write: bool, other_than: int = -1) -> int:
        """Finds the last access to a byte before the newest entry.

        Args:
            cell: Offset of the byte.
            is_write: Look for a write; else for a read.
            other_than: A warp whose accesses do not count.

        Returns:
            The number of the instruction, -1 if it is too long ago.
        """
        entries = reversed(self._entries)
        next(entries, None)
        return self._find(entries, cell, is_write=is_write, other_than=other_than)

    def touched(self, cell: int, *, other_than: int) -> int:
        """Finds the last access of either kind by a warp other than one."""
        entries = reversed(self._entries)
        return self._find(entries, cell, is_write=None, other_than=other_than)

    def recent(self, cell: int, *, is_write: bool) -> int:
        """Finds the last access to a byte, the newest entry included."""
        return self._find(
            reversed(self._entries), cell, is_write=is_write, other_than=-1
        )

    def _find(
        self,
        entries: Iterator[Access],
        cell: int,
        *,
        is_write: bool | None,
        other_than: int,
    ) -> int:
        for entry in entries:
            if is_write is not None and entry.is_write != is_write:
                continue
            hit = (entry.offsets <= cell) & (cell < entry.offsets + entry.size)
            if (hit & (entry.warps != other_than)).any():
                return entry.at
        return -1

    def wait_for(self, at: int) -> str:
        """Names the wait that completes an asynchronous instruction."""
        text = "" if at < 0 else self.naming(at)
        return next((wait for part, wait in _WAITS if part in text), "its wait")

    def where(self, at: int) -> str:
        """Says in words where an instruction is."""
        return "earlier" if at < 0 else f"at {self.naming(at)}"
