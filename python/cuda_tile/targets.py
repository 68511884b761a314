"""The GPUs this compiler knows: one row each, all facts of a chip in one place.

Sources: CUDA C++ Programming Guide, "Technical Specifications per Compute
Capability" (threads, registers, shared memory); PTX ISA, "Release Notes"
(first PTX version of a target).
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile.errors import UserError

WARP_LANES = 32
WARP_COUNTS = (1, 2, 4, 8, 16)
"""Warps that a CTA may be planned with. 8 warps of 255 registers take nearly all that a
multiprocessor has, so that more only share them."""
DEFAULT_GPU = "sm_90"
"""The chip to compile for where nobody names one."""
REGISTER_BITS = 32
MAX_REGISTERS = 255
"""Registers a thread can address (CUDA C++ Programming Guide, "Technical
Specifications per Compute Capability")."""
REGISTER_UNIT_PER_WARP = 256
"""Registers are given to warps in units of this many (CUDA, occupancy calculator)."""
MAX_STATIC_SHARED_BYTES = 48 * 1024
"""Largest `.shared` variable of fixed size; more must be dynamic (same guide)."""


@dataclass(frozen=True)
class Target:
    """What passes may know of a chip.

    Attributes:
        name: The `sm_XY` name that the user gives and ptxas takes.
        ptx_version: PTX version to write, 78 for 7.8: the first that has the chip;
            all that emission makes exists in each of them.
        shared_bytes_per_cta: Shared memory one CTA may ask for, opt-in limit.
        shared_bytes_per_sm: Shared memory of a multiprocessor usable by CTAs.
        shared_bytes_reserved: Bytes the system takes of it for each CTA.
        threads_per_sm: Resident threads of a multiprocessor.
        ctas_per_sm: Resident CTAs of a multiprocessor.
        registers_per_sm: 32-bit registers of a multiprocessor.
        fma_per_clock: Multiply-adds of matrix instructions per clock of a
            multiprocessor, 16-bit operands with an f32 sum (NVIDIA's architecture white
            papers; of sm_86, sm_89 and sm_120 the GeForce parts, the slower ones).
        l2_bytes_per_clock: Bytes per clock that a multiprocessor gets from the L2 cache
            when all ask at once (published microbenchmarks; to be measured).
        dram_bytes_per_clock: The same from global memory past the L2 cache: memory
            bandwidth over multiprocessors and boost clock of the fastest part (data
            sheets; sm_80: 1,935 GB/s, 108, 1.41 GHz, sm_90: 3,350, 132, 1.83).
        copy_latency_clocks: Clocks from a global load to its data, under load (same).
        shared_bytes_per_clock: Bytes per clock of a multiprocessor's shared memory, 32
            banks of 4 bytes (CUDA C++ Programming Guide, "Shared Memory").
        exp2_per_clock: Results of `ex2` per clock and multiprocessor (same guide,
            "Throughput of Native Arithmetic Instructions").
    """

    name: str
    ptx_version: int
    shared_bytes_per_cta: int
    shared_bytes_per_sm: int
    threads_per_sm: int
    ctas_per_sm: int
    fma_per_clock: int
    l2_bytes_per_clock: int
    dram_bytes_per_clock: float
    copy_latency_clocks: int
    shared_bytes_per_clock: int = 128
    exp2_per_clock: int = 16
    shared_bytes_reserved: int = 1024
    registers_per_sm: int = 65536

    @property
    def arch(self) -> str:
        """What LLVM and ptxas are told: code for this chip and later ones alike."""
        return self.name

    @property
    def capability(self) -> int:
        """Compute capability as a number, 90 for sm_90."""
        return int(self.name.removeprefix("sm_"))


_KIB = 1024
_TARGETS = {
    target.name: target
    for target in (
        Target("sm_80", 70, 163 * _KIB, 164 * _KIB, 2048, 32, 1024, 47, 12.7, 600),
        Target("sm_86", 71, 99 * _KIB, 100 * _KIB, 1536, 16, 256, 35, 7.0, 600),
        Target("sm_87", 74, 163 * _KIB, 164 * _KIB, 1536, 16, 512, 35, 9.8, 600),
        Target("sm_88", 90, 99 * _KIB, 100 * _KIB, 1536, 16, 256, 35, 9.8, 600),
        Target("sm_89", 78, 99 * _KIB, 100 * _KIB, 1536, 24, 256, 35, 3.1, 600),
        Target("sm_90", 78, 227 * _KIB, 228 * _KIB, 2048, 32, 2048, 45, 13.9, 900),
        Target("sm_100", 86, 227 * _KIB, 228 * _KIB, 2048, 32, 4096, 50, 27.5, 900),
        Target("sm_103", 88, 227 * _KIB, 228 * _KIB, 2048, 32, 4096, 50, 26.0, 900),
        Target("sm_110", 90, 227 * _KIB, 228 * _KIB, 1536, 24, 2048, 40, 8.7, 900),
        Target("sm_120", 87, 99 * _KIB, 100 * _KIB, 1536, 24, 256, 40, 4.4, 700),
        Target("sm_121", 88, 99 * _KIB, 100 * _KIB, 1536, 24, 256, 40, 2.4, 700),
    )
}


def target_names() -> list[str]:
    """The names `find_target` accepts, oldest chip first."""
    return list(_TARGETS)


def find_target(name: str) -> Target:
    """Looks up a chip by its `sm_XY` name.

    Raises:
        UserError: The name is not in the table.
    """
    target = _TARGETS.get(name)
    if target is None:
        known = ", ".join(_TARGETS)
        raise UserError(f"expected a known gpu name, got '{name}'; known: {known}")
    return target
