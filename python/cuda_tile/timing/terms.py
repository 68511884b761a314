# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The terms of the model: clocks of one part of a multiprocessor for some work.

Each takes what the emulator and the machine code counted of a loop's iteration or of
the grid (`Bound`), per CTA, and the constants of a chip in one of three cases.
docs/time.md has them in one table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

from cuda_tile.chip_clocks import Case, ChipClocks
from cuda_tile.emulator.bounds.compute import SECTOR_BYTES, Bound, Resource

Term = Callable[[Bound, ChipClocks, Case], float]
_WARP = 32


def _resource(bound: Bound, name: str) -> Resource:
    empty = Resource(name, 0.0, 0.0, "")
    return next((r for r in bound.resources if r.name == name), empty)


def tensor(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Multiply-adds by the rate that the kind of instruction reaches.

    `mma.sync` reaches a share of the chip's rate (LUO), warpgroups' products and
    tcgen05 are slower beside bulk copies (VLA).
    """
    clocks = _resource(bound, "tensor cores").clocks
    by_warps = any(unit == "matrix" for unit, _ in bound.units)
    share = chip.matrix_share.at(case) if by_warps else 1.0
    return clocks / share * (1.0 if by_warps else chip.matrix_slower.at(case))


def issue(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Issue slots over the four schedulers, or reads of operands (HUERTA)."""
    return max(_resource(bound, "issue slots").clocks, bound.port_clocks)


def arithmetic(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """The busiest of the pipes of f32, integers and conversions (CUDA)."""
    lanes = {
        "f32": chip.f32_lanes,
        "integer": chip.integer_lanes,
        "convert": chip.convert_lanes,
    }
    clocks = [n * _WARP / lanes[unit] for unit, n in bound.units if unit in lanes]
    return max(clocks, default=0.0)


def special(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Results of `ex2` and the like (CUDA)."""
    return _resource(bound, "special functions").clocks


def shared(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Wavefronts of shared memory, one a clock."""
    return _resource(bound, "shared memory").clocks


def lines(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Lines of the L1 cache that accesses of threads look up, one a clock."""
    return bound.cache_lines


def requests(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Accesses of warps to shared memory and the L1 cache, however little they move."""
    count = sum(n for unit, n in bound.units if unit in ("shared", "global"))
    return count * chip.request.at(case)


def bulk_lines(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Rows of the boxes of bulk copies, of 128 bytes or less each (SEMI)."""
    return bound.bulk_lines * chip.bulk_line.at(case)


def tensor_memory(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Words that threads load from tensor memory."""
    return _resource(bound, "tensor memory").clocks


def l2(bound: Bound, chip: ChipClocks, case: Case) -> float:
    """Sectors from L2 at the rate that is left when all multiprocessors ask (RRZE)."""
    return l2_bytes(bound) / chip.l2_bytes.at(case)


TERMS: Mapping[str, Term] = {
    "tensor cores": tensor,
    "issue slots": issue,
    "arithmetic": arithmetic,
    "special functions": special,
    "shared memory": shared,
    "L1 lines": lines,
    "requests": requests,
    "bulk lines": bulk_lines,
    "tensor memory": tensor_memory,
    "L2": l2,
}
"""What a multiprocessor's CTAs share; the clocks of all CTAs add up."""


def memory_clocks(
    bound: Bound, chip: ChipClocks, case: Case, share: float | None = None
) -> float:
    """From a load to its data: L2's, or the memory's where most comes from there.

    Args:
        bound: Where it is.
        chip: The constants.
        case: Which of them.
        share: How much of what L2 gives comes from memory; None for what was counted,
            where a small launch finds all for the first time.
    """
    if share is None:
        came, from_memory = _resource(bound, "L2").work, _resource(bound, "DRAM").work
        share = from_memory / came if came else 0.0
    return (chip.dram if share > 1 / 2 else chip.l2).at(case)


def flight(
    bound: Bound,
    chip: ChipClocks,
    case: Case,
    *,
    is_bulk: bool,
    share: float | None = None,
) -> float:
    """Little's law for one CTA: what it waits with its bytes in flight.

    Bulk copies have a longer way (VLA).

    Args:
        bound: A loop, or the grid.
        chip: The constants.
        case: Which of them.
        is_bulk: Whether they are bulk copies.
        share: As for `memory_clocks`.
    """
    came = _resource(bound, "bytes in flight").work
    if not came or not bound.bytes_in_flight:
        return 0.0
    latency = memory_clocks(bound, chip, case, share)
    latency = max(latency, chip.bulk.at(case)) if is_bulk else latency
    return came / bound.bytes_in_flight * latency


def in_flight_iterations(bound: Bound) -> float:
    """Of how many iterations the copies are in flight at most: slots of a ring."""
    came = _resource(bound, "bytes in flight").work
    return bound.bytes_in_flight / came if came else 0.0


def l2_bytes(bound: Bound) -> float:
    """Bytes that a CTA moves from and to L2."""
    return _resource(bound, "L2").work * SECTOR_BYTES


def dram_bytes(bound: Bound) -> float:
    """Bytes that a CTA moves between L2 and memory."""
    return _resource(bound, "DRAM").work * SECTOR_BYTES


def waves(tiles: int, multiprocessors: int, resident: int) -> list[tuple[int, int]]:
    """Full waves and the last one: how many, and the CTAs that share a multiprocessor.

    CTAs are handed out evenly; a multiprocessor with one more decides.
    """
    full, rest = divmod(tiles, multiprocessors * resident)
    found = [(full, resident)] if full else []
    return [*found, (1, ceil(rest / multiprocessors))] if rest else found


def loaded_ghz(chip: ChipClocks, case: Case, tensor_share: float) -> float:
    """The clock that the power allows, tensor cores being busy for a share of time.

    Power goes with the cube of the clock (assumed): what was measured under full load,
    over the cube root of the share (CLOCK).
    """
    boost = chip.boost_ghz.at(case)
    if tensor_share <= 0:
        return boost
    return min(boost, chip.loaded_ghz.at(case) * tensor_share ** (-1 / 3))
