# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a bound needs to know of a chip; a row of `cuda_tile.targets` has it."""

from __future__ import annotations

from typing import Protocol

from cuda_tile.emulator.tensor.memory import N_COLUMNS

WARP_LANES = 32
SCHEDULERS = 4
"""Schedulers of a multiprocessor; each issues one instruction of a warp per clock (CUDA
C++ Programming Guide, "Compute Capabilities", 7.x and later)."""
MAX_REGISTERS = 255
TENSOR_WORDS_PER_CLOCK = 128
"""Words that threads load from tensor memory, or store: assumed one for each lane, as
each warp of four reaches 32 lanes of its own (PTX ISA, "Tensor Memory Access")."""


class Chip(Protocol):
    """Rates and sizes of one multiprocessor.

    Attributes:
        name: As in `sm_90`.
        fma_per_clock: Multiply-adds of matrix instructions, 16-bit operands, f32 sum.
        f64_fma_per_clock: The same with f64 operands.
        has_slow_f32_sums: Whether f32 sums of narrow floats run at half the rate of
            other sums.
        has_packed_f32: Whether the machine has instructions for pairs of f32.
        exp2_per_clock: Results of special functions per clock.
        shared_bytes_per_clock: Bytes per clock of shared memory.
        l2_bytes_per_clock: Bytes per clock from the L2 cache.
        dram_bytes_per_clock: The share of one multiprocessor in the memory's.
        copy_latency_clocks: From a load to its data.
        shared_bytes_per_sm: Shared memory for CTAs.
        shared_bytes_reserved: What the system takes of it for each CTA.
        threads_per_sm: Resident threads.
        ctas_per_sm: Resident CTAs.
        registers_per_sm: 32-bit registers.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def fma_per_clock(self) -> int: ...  # noqa: D102
    @property
    def f64_fma_per_clock(self) -> int: ...  # noqa: D102
    @property
    def has_slow_f32_sums(self) -> bool: ...  # noqa: D102
    @property
    def has_packed_f32(self) -> bool: ...  # noqa: D102
    @property
    def exp2_per_clock(self) -> int: ...  # noqa: D102
    @property
    def shared_bytes_per_clock(self) -> int: ...  # noqa: D102
    @property
    def l2_bytes_per_clock(self) -> int: ...  # noqa: D102
    @property
    def dram_bytes_per_clock(self) -> float: ...  # noqa: D102
    @property
    def copy_latency_clocks(self) -> int: ...  # noqa: D102
    @property
    def shared_bytes_per_sm(self) -> int: ...  # noqa: D102
    @property
    def shared_bytes_reserved(self) -> int: ...  # noqa: D102
    @property
    def threads_per_sm(self) -> int: ...  # noqa: D102
    @property
    def ctas_per_sm(self) -> int: ...  # noqa: D102
    @property
    def registers_per_sm(self) -> int: ...  # noqa: D102


def resident_ctas(
    chip: Chip,
    threads: int,
    shared_bytes: int,
    registers: int | None,
    tensor_columns: int = 0,
) -> int:
    """CTAs that a multiprocessor may hold; at least 1.

    CUDA C++ Programming Guide, "Hardware Multithreading": warps get registers in units
    of 256; shared memory is given in units of 1 KiB at the least, 128 bytes here.

    Args:
        chip: Its limits.
        threads: Threads of a CTA.
        shared_bytes: Shared memory of a CTA.
        registers: Registers of a thread; None where they are not known, so that they
            limit nothing.
        tensor_columns: Columns of tensor memory that a CTA allocates.
    """
    warps = -(-threads // WARP_LANES)
    limits = [chip.ctas_per_sm, chip.threads_per_sm // (warps * WARP_LANES)]
    used = -(-shared_bytes // 128) * 128 + chip.shared_bytes_reserved
    if used:
        limits.append(chip.shared_bytes_per_sm // used)
    if registers:
        per_warp = -(-registers * WARP_LANES // 256) * 256
        limits.append(chip.registers_per_sm // (per_warp * warps))
    if tensor_columns:
        limits.append(N_COLUMNS // tensor_columns)
    return max(1, min(limits))
