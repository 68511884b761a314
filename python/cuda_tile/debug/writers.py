# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who wrote an element of an array last, and from what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cuda_tile.debug.explain import explain
from cuda_tile.debug.listing import Line, Listing
from cuda_tile.debug.names import Names
from cuda_tile.debug.rewind import Replayed, Rewind
from cuda_tile.interp.machine import TileBlock
from cuda_tile.runtime.elements import Array


class Explained(Replayed, Protocol):
    """A launch of the interpreter that can be run again.

    Attributes:
        listing: The kernel.
        named: What its values are called.
    """

    listing: Listing
    named: Names


@dataclass
class _Wanted:
    """An element whose last writer is looked for, and what is found."""

    start: int
    stop: int
    lines: list[str]


class Writers:
    """Finds writers by running a launch again.

    Args:
        target: The launch.
        rewind: What runs it again.
    """

    def __init__(self, target: Explained, rewind: Rewind) -> None:
        self._target = target
        self._rewind = rewind
        self._wanted: _Wanted | None = None

    def who(self, name: str, start: int, stop: int) -> list[str]:
        """Who wrote some bytes last before now, and from what.

        Args:
            name: What the bytes are called.
            start: Their first address.
            stop: The one after their last.
        """
        self._wanted = _Wanted(start, stop, [])
        try:
            self._rewind.again()
            found = self._wanted.lines
        finally:
            self._wanted = None
        return [f"{name}:", *(found or ["nobody has written it in this launch"])]

    def wrote(
        self, run: TileBlock, line: Line, places: Array, positions: Array, size: int
    ) -> None:
        """Explains a store to the element that is asked for."""
        wanted = self._wanted
        if wanted is None:
            return
        hits = (places < wanted.stop) & (places + np.uint64(size) > wanted.start)
        if hits.any():
            position = int(positions[int(np.argmax(hits))])
            wanted.lines = self._story(run, line, position)

    def _story(self, run: TileBlock, line: Line, position: int) -> list[str]:
        target = self._target
        head = (
            f"written by tile block {run.block_id} at {line.spot}, at time "
            f"{target.time}"
        )
        return [head, *explain(target.listing, target.named, run, line, position)]
