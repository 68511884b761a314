# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which CTAs know that no more clusters can be canceled.

PTX ISA, "clusterlaunchcontrol.try_cancel": "if the executing CTA has already observed
the completion of a clusterlaunchcontrol.try_cancel instruction as failed, then the
behavior of issuing a subsequent [one] is undefined". A request may fail while clusters
wait, as these may start at any time; whoever sees a failure ends its search, and the
grid, or other CTAs, do what is left.
"""

from __future__ import annotations

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.ptx.types import Bool
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.emulator.threads.protocol import Threads


class Cancels:
    """The failures that CTAs of one machine have seen."""

    def __init__(self, machine: Threads) -> None:
        self._machine = machine
        self._ended: set[int] = set()

    def reset(self) -> None:
        """Starts new CTAs."""
        self._ended.clear()

    def see(self, lanes: Lanes, failed: Bool) -> None:
        """Lanes look at responses, of which some say that the request failed."""
        if failed.any():
            ctas = self._machine.cta_of[lanes.numbers[failed]]
            self._ended.update(int(cta) for cta in ctas)

    def check(self, cta: int) -> None:
        """Reports a request of a CTA that saw one fail."""
        if cta in self._ended:
            x, y, z = self._machine.block_of(cta)
            raise Fault(
                "async",
                f"block ({x}, {y}, {z}) asks for another cluster after it saw a "
                "request fail, which is undefined: expected the search to end with "
                "the first failure; clusters that are left run by themselves",
            )
