# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The registers of a CTA that setmaxnreg moves between warps.

PTX ISA: "Miscellaneous Instructions: setmaxnreg". A CTA starts with as many registers
per thread as `.maxnreg` says, else as fit into the multiprocessor's 65536 with as many
CTAs as `.minnctapersm` says (PTX ISA, "Performance-Tuning Directives"), in steps of 8,
but with no more than the largest `inc` of the kernel asks for (measured: the count that
ptxas gives the cubin). What `dec` gives up `inc` may take; it waits until there is
enough.
"""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ptx.types import Bool
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

_FILE_REGISTERS = 65536
_MOST = 255


class RegisterPool:
    """Registers per thread of each warp, and what each CTA has to give.

    Args:
        machine: The memories of the machine.
        declared: Registers per thread of `.maxnreg`; 0 without it.
        ctas: CTAs that must fit at once.
    """

    def __init__(self, machine: Memories, declared: int, ctas: int) -> None:
        self._machine = machine
        threads = machine.geometry.warps_per_cta * WARP_LANES * ctas
        fitting = min(_FILE_REGISTERS // threads, _MOST + 1) // 8 * 8
        self._limit = min(declared or fitting, fitting)
        self._largest = 0
        self._of_warp = np.zeros(machine.n_lanes // WARP_LANES, np.int64)
        self._free = np.zeros(machine.geometry.n_ctas, np.int64)

    def announce(self, count: int) -> None:
        """Notes, while the kernel is compiled, what an `inc` of it asks for."""
        self._largest = max(self._largest, count)

    def reset(self) -> None:
        """Starts new CTAs."""
        self._of_warp[:] = min(self._limit, self._largest or self._limit)
        self._free[:] = 0

    def shrink(self, lanes: Lanes, count: int) -> None:
        """setmaxnreg.dec."""
        for warp in lanes.warps:
            have = int(self._of_warp[warp])
            if count > have:
                raise Fault(
                    "registers",
                    f"expected at most the {have} registers the warp has, got {count}",
                )
            self._change(int(warp), count)
        self._machine.progress += 1

    def grow(self, lanes: Lanes, count: int) -> Bool:
        """setmaxnreg.inc; returns which lanes got their registers."""
        done = np.zeros(lanes.count, np.bool_)
        for warp in lanes.warps:
            have = int(self._of_warp[warp])
            if count < have:
                raise Fault(
                    "registers",
                    f"expected at least the {have} registers the warp has, got {count}",
                )
            if (count - have) * WARP_LANES <= self._free[self._cta(int(warp))]:
                self._change(int(warp), count)
                done |= lanes.numbers >> 5 == warp
        return done

    def _cta(self, warp: int) -> int:
        return warp // self._machine.geometry.warps_per_cta

    def _change(self, warp: int, count: int) -> None:
        given = int(self._of_warp[warp]) - count
        self._free[self._cta(warp)] += given * WARP_LANES
        self._of_warp[warp] = count

    def words(self, lanes: Lanes, count: int) -> str:
        """Says what lanes wait for."""
        cta = self._cta(int(lanes.warps[0]))
        have = int(self._of_warp[lanes.warps[0]])
        return (
            f"{(count - have) * WARP_LANES} registers of a warp, of which "
            f"{int(self._free[cta])} are free"
        )
