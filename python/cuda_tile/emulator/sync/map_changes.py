# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps that the kernel modifies, and the proxy fences that this needs.

PTX ISA, "Async proxy", "membar/fence: .proxy.tensormap::generic": the copy engine reads
tensor maps through the tensormap proxy. A write to one in global memory through the
generic proxy is visible after a release by the writer and an acquire, naming this map,
by the CTA that uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.memory.spaces import Addresses
from cuda_tile.emulator.threads.lanes import Lanes


@dataclass
class _Change:
    """The last modification of one map.

    Attributes:
        at: The instruction.
        cta: The CTA that modified it.
        is_released: Whether that CTA executed a release since.
        acquired: The CTAs that executed an acquire since.
    """

    at: int
    cta: int
    is_released: bool
    acquired: set[int] = field(default_factory=set[int])


class MapChanges:
    """Modified tensor maps in global memory, by address."""

    def __init__(self, machine: Memories) -> None:
        self._machine = machine
        self._changes: dict[int, _Change] = {}

    def reset(self) -> None:
        """Starts new CTAs, which have acquired nothing yet."""
        for change in self._changes.values():
            change.acquired.clear()
            change.cta = -1

    def change(self, at: int, lane: int, address: int, *, releases: bool) -> None:
        """A lane modifies the map at an address, and perhaps releases it at once."""
        cta = int(self._machine.cta_of[lane])
        self._changes[address] = _Change(at, cta, releases)

    def release(self, lanes: Lanes) -> None:
        """fence.proxy.tensormap::generic.release."""
        ctas = set(np.unique(self._machine.cta_of[lanes.index]).tolist())
        for change in self._changes.values():
            change.is_released |= change.cta in ctas

    def acquire(self, lanes: Lanes, addresses: Addresses) -> None:
        """fence.proxy.tensormap::generic.acquire of the maps at some addresses."""
        if not self._changes:
            return
        ctas = self._machine.cta_of[lanes.index].astype(np.uint64)
        for address, cta in np.unique(np.stack([addresses, ctas]), axis=1).T.tolist():
            if address in self._changes:
                self._changes[address].acquired.add(cta)

    def check_use(self, at: int, lane: int, address: int) -> None:
        """Reports a copy by a map whose modification may not be visible to it."""
        change = self._changes.get(address)
        cta = int(self._machine.cta_of[lane])
        if change is None or (change.is_released and cta in change.acquired):
            return
        shadow = self._machine.shadow
        missing = "acquire" if change.is_released else "release"
        warp = shadow.name(int(self._machine.agents[lane]))
        shadow.report(
            "proxy",
            f"{warp} uses the tensor map in {self._machine.memory.place(address)} that "
            f"was changed {shadow.log.where(change.at)}, with no "
            f"fence.proxy.tensormap::generic.{missing} since",
            at,
        )
