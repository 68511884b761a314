# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CTAs that may share a multiprocessor, and so the columns of its tensor memory.

PTX ISA, "tcgen05.alloc": it blocks while columns are missing. A CTA that asks for more
while it holds some may so wait for others that do the same, for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.tensor.memory import N_COLUMNS
from cuda_tile.emulator.threads.lanes import WARP_LANES

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": of the
# chips with tensor memory, 10.x, and of 11.0, whose target was sm_101 once.
_THREADS, _CTAS, _SHARED_BYTES, _SHARED_RESERVED = 2048, 32, 228 << 10, 1 << 10
_THREADS_11, _CTAS_11 = 1536, 24
_TARGETS_11 = ("sm_101", "sm_110")
_REGISTERS, _REGISTER_UNIT = 65536, 256


@dataclass(frozen=True)
class Residency:
    """How many CTAs of a launch one multiprocessor may hold.

    Attributes:
        most: Their number; at least 1.
        reason: What it follows from, in words.
    """

    most: int
    reason: str

    @classmethod
    def of(cls, machine: Memories, target: str, registers: int | None) -> Residency:
        """Counts what threads, shared memory and registers allow.

        Args:
            machine: Whose CTAs.
            target: The chip, as `.target` names it.
            registers: Registers of a thread; None where they are not known, so that
                they limit nothing.
        """
        geometry = machine.geometry
        is_11 = target.startswith(_TARGETS_11)
        threads, ctas = (_THREADS_11, _CTAS_11) if is_11 else (_THREADS, _CTAS)
        warps, shared = geometry.warps_per_cta, machine.symbols.shared_bytes
        limits = [ctas, threads // (warps * WARP_LANES)]
        limits.append(_SHARED_BYTES // (shared + _SHARED_RESERVED))
        reason = f"{geometry.threads_per_cta} threads and {shared} bytes of shared "
        reason += "memory each"
        if registers:
            per_warp = -(-registers * WARP_LANES // _REGISTER_UNIT) * _REGISTER_UNIT
            limits.append(_REGISTERS // (per_warp * warps))
            reason += f", {registers} registers of a thread"
        x, y, z = geometry.grid
        clusters = x * y * z // geometry.cluster_size
        return cls(max(1, min(*limits, clusters)), reason)

    def holders(self, held: int, asked: int) -> int:
        """CTAs that hold columns and wait for more of each other's; 0 if none can.

        Args:
            held: Columns that each CTA holds.
            asked: Columns that each asks for besides.
        """
        ctas = min(self.most, N_COLUMNS // held) if held else 0
        return ctas if ctas * held + asked > N_COLUMNS else 0
