# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of a grid and its loops, from counts and a chip's rates; see docs/bounds.md.

All clocks are those of one multiprocessor for the work of one CTA, so that they compare
with each other; those of a loop are per iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.bounds.chip import (
    MAX_REGISTERS,
    SCHEDULERS,
    TENSOR_WORDS_PER_CLOCK,
    WARP_LANES,
    Chip,
    resident_ctas,
)
from cuda_tile.emulator.bounds.pending_loads import pending_bytes
from cuda_tile.emulator.bounds.regions import Region, side_by_side
from cuda_tile.emulator.bounds.slots import MachineSlots, PtxSlots, Slots
from cuda_tile.emulator.bounds.work import fma_per_clock, special_results
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.emulator.memory.traffic import Traffic, sectors_of
from cuda_tile.emulator.ptx.loops import NaturalLoop, natural_loops
from cuda_tile.emulator.ptx.source import source_places
from cuda_tile.emulator.ptx.syntax import (
    Function,
    Instruction,
    Module,
    Register,
    registers_in,
)
from cuda_tile.machine.code import MachineCode
from cuda_tile.machine.executions import Executions

SECTOR_BYTES = 32
# By opcode, what shows that an instruction looks whether something has happened.
_POLLS = {
    "mbarrier": frozenset({"test_wait", "try_wait"}),
    "ld": frozenset({"volatile", "relaxed", "acquire"}),
    "atom": frozenset({"cas"}),
}
# What a load may say so that the L1 cache does not serve it (PTX ISA, "Cache
# Operators", "Memory Consistency Model"; cp.async.cg).
_PAST_L1 = frozenset({"cg", "cv", "volatile", "relaxed", "acquire", "bulk", "mmio"})


@dataclass(frozen=True)
class Resource:
    """The work of one part of a multiprocessor.

    Attributes:
        name: The part.
        clocks: How long it takes at least.
        work: How much there is, in `unit`.
        unit: What `work` counts.
    """

    name: str
    clocks: float
    work: float
    unit: str


@dataclass(frozen=True)
class Bound:
    """The bound of the grid or of a loop, per CTA, of a loop also per iteration.

    Attributes:
        title: `grid`, or the lines of the PTX text.
        lines: First and last line of each loop that runs side by side; empty for the
            grid.
        source: File and line of the program that the PTX was made from, or empty.
        iterations: Iterations of a CTA; 1 for the grid.
        warps: Warps of a CTA that take part.
        bytes_in_flight: Most bytes on their way to a CTA at a time.
        resources: Each part's work.
        units: Instructions of warps by unit of the machine code; empty without it.
        cache_lines: 128-byte lines of global memory that accesses of threads touch,
            each warp's by itself: estimated from sectors.
        bulk_lines: The same of bulk copies, each row of a box by itself.
        port_clocks: Clocks of a scheduler by the read ports of registers; 0 without
            machine code. It is in no bound: reads of several warps may fit together
            better than those of each.
    """

    title: str
    lines: tuple[tuple[int, int], ...]
    source: str
    iterations: float
    warps: int
    bytes_in_flight: int
    resources: tuple[Resource, ...]
    units: tuple[tuple[str, float], ...] = ()
    cache_lines: float = 0.0
    bulk_lines: float = 0.0
    port_clocks: float = 0.0

    @property
    def limiter(self) -> Resource:
        """The resource that takes longest."""
        return max(self.resources, key=lambda resource: resource.clocks)

    def share(self, name: str) -> float:
        """Clocks of a resource over the limiter's; 0 for one that has no work."""
        longest = self.limiter.clocks
        clocks = sum(r.clocks for r in self.resources if r.name == name)
        return clocks / longest if longest else 0.0


@dataclass(frozen=True)
class Bounds:
    """The bound report of a launch.

    Attributes:
        chip: The chip's name.
        ctas: CTAs that are taken to share a multiprocessor.
        registers: Registers per thread that this assumes; None if they are unknown and
            limit nothing.
        tensor_columns: Columns of tensor memory that a CTA allocates.
        needed_in_flight: Bytes in flight per multiprocessor that hide the latency of
            the L2 cache at its full bandwidth.
        grid: The bound of the whole grid, per CTA.
        loops: The bounds of the loops, those with most clocks in all first.
        executions: How often the machine code ran; None where PTX was counted, so that
            issue slots and accesses are an estimate.
        n_ctas: CTAs of the launch.
    """

    chip: str
    ctas: int
    registers: int | None
    tensor_columns: int
    needed_in_flight: int
    grid: Bound
    loops: tuple[Bound, ...]
    executions: Executions | None = None
    n_ctas: int = 1

    def hottest(self) -> Bound:
        """The loop with most clocks in all iterations; the grid where there is none."""
        return self.loops[0] if self.loops else self.grid


@dataclass(frozen=True)
class Launched:
    """What ran, as far as bounds depend on it.

    Attributes:
        module, functions: The program; the counters number the functions' code.
        n_ctas: CTAs of the grid.
        cluster_size: CTAs of a cluster.
        threads: Threads of a CTA.
        shared_bytes: Shared memory of a CTA.
        stride_bytes: The same with what aligns the next CTA's in the machine.
        registers: Registers of a thread; None if unknown.
        tensor_columns: Columns of tensor memory that a CTA allocates.
        machine: The machine code; None to count PTX.
    """

    module: Module
    functions: Sequence[Function]
    n_ctas: int
    cluster_size: int
    threads: int
    shared_bytes: int
    stride_bytes: int
    registers: int | None
    tensor_columns: int = 0
    machine: MachineCode | None = None


def watched_places(functions: Sequence[Function]) -> list[int]:
    """Where loops begin and go back, over all functions: what `Traffic` watches."""
    return [
        first + place
        for first, _, loop in _loops(functions)
        for place in (loop.head, *loop.latches)
    ]


def _loops(functions: Sequence[Function]) -> list[tuple[int, Function, NaturalLoop]]:
    found: list[tuple[int, Function, NaturalLoop]] = []
    first = 0
    for function in functions:
        found += [(first, function, loop) for loop in natural_loops(function)]
        first += len(function.code)
    return found


def find_bounds(
    chip: Chip, launched: Launched, counters: Counters, traffic: Traffic
) -> Bounds:
    """Computes the report.

    Args:
        chip: Whose rates count.
        launched: What ran.
        counters: Its counts.
        traffic: What was recorded besides; it watches `watched_places`.
    """
    return _Finder(chip, launched, counters, traffic).find()


class _Finder:
    """One computation of bounds."""

    def __init__(
        self, chip: Chip, launched: Launched, counters: Counters, traffic: Traffic
    ) -> None:
        self._chip = chip
        self._launched = launched
        self._counters = counters
        self._traffic = traffic
        self._code: list[Instruction] = []
        self._pending: list[int] = []
        for function in launched.functions:
            self._code += function.code
            self._pending += pending_bytes(function)
        self._places = source_places(launched.module.lines)
        self._executions: Executions | None = None
        self._slots: Slots = PtxSlots(self._code, counters, chip)
        if launched.machine is not None:
            slots = MachineSlots(self._code, counters, launched.machine)
            self._slots, self._executions = slots, slots.executions
        self._ctas = resident_ctas(
            chip,
            launched.threads,
            launched.shared_bytes,
            launched.registers,
            launched.tensor_columns,
        )

    @property
    def _n_clusters(self) -> int:
        return self._launched.n_ctas // self._launched.cluster_size

    def find(self) -> Bounds:
        chip = self._chip
        n_warps = -(-self._launched.threads // WARP_LANES)
        ran = frozenset(int(n) for n in np.flatnonzero(self._counters.warps))
        whole = Region(ran, (), (), 1.0, frozenset(range(n_warps)))
        loops = [
            self._bound(region) for region in side_by_side(self._regions(), self._feeds)
        ]
        loops.sort(key=lambda bound: -bound.limiter.clocks * bound.iterations)
        return Bounds(
            chip.name,
            self._ctas,
            self._launched.registers,
            self._launched.tensor_columns,
            chip.l2_bytes_per_clock * chip.copy_latency_clocks,
            self._bound(whole),
            tuple(loops),
            self._executions,
            self._launched.n_ctas,
        )

    def _regions(self) -> list[Region]:
        """The loops that ran, but those that only wait for others."""
        regions: list[Region] = []
        for first, function, loop in _loops(self._launched.functions):
            visits = self._iterations(first, loop)
            if not visits.any():
                continue
            numbers = frozenset(first + number for number in loop.body)
            text = [function.code[number].line for number in loop.body]
            lines, heads = ((min(text), max(text)),), (first + loop.head,)
            iterations = float(visits.max()) / self._n_clusters
            warps = frozenset(int(n) for n in np.flatnonzero(visits))
            regions.append(Region(numbers, lines, heads, iterations, warps))
        return regions

    def _iterations(self, first: int, loop: NaturalLoop) -> NDArray[np.int64]:
        """How often each warp of a CTA went through a loop; not while it waited.

        Of a cluster's CTAs the one that did so most often counts: one may copy or
        multiply for all.

        The head runs once in each iteration, and once more for each time that only
        waiting goes back to it; if it tests whether there is an iteration, also ahead
        of none.
        """
        visits = self._traffic.visits
        polls = [
            latch
            for latch, body in loop.latches.items()
            if self._only_polls([first + number for number in body])
        ]
        if len(polls) == len(loop.latches):
            return np.zeros(1, np.int64)
        if loop.tests_first:
            others = loop.latches.keys() - set(polls)
            iterations = sum(visits[first + latch] for latch in others)
        else:
            iterations = visits[first + loop.head] - sum(
                visits[first + n] for n in polls
            )
        by_rank = np.asarray(iterations).reshape(
            self._launched.cluster_size, -1, WARP_LANES
        )
        return by_rank.max(axis=(0, 2))

    def _only_polls(self, numbers: Collection[int]) -> bool:
        """Whether a loop asks an mbarrier or a flag again and again, and no more."""
        looks = False
        code = [self._code[number] for number in numbers]
        compared = {r for i in code if i.opcode == "setp" for r in registers_in(i)}
        for number in numbers:
            if _is_poll(self._code[number], compared):
                looks = True
            elif self._counters.requests[number] or self._counters.flops[number]:
                return False
        return looks

    def _feeds(self, one: Region, other: Region) -> bool:
        """Whether copies of one loop complete where the other waits, or reversed."""
        traffic = self._traffic
        return any(
            traffic.filled(source.numbers) & traffic.awaited(target.numbers)
            for source, target in ((one, other), (other, one))
        )

    # One region ---------------------------------------------------------------------

    def _bound(self, region: Region) -> Bound:
        numbers = sorted(n for n in region.numbers if self._counters.warps[n])
        in_flight = self._in_flight(numbers, len(region.warps))
        resources = (
            self._tensor(numbers),
            self._issue(numbers),
            self._special(numbers),
            self._shared(numbers),
            *self._tensor_memory(numbers),
            *self._memory(numbers, in_flight),
        )
        each = self._launched.n_ctas * region.iterations
        units = tuple((unit, n / each) for unit, n in self._slots.units(numbers))
        resources = tuple(
            replace(r, clocks=r.clocks / each, work=r.work / each) for r in resources
        )
        title = ", ".join(f"lines {first}-{last}" for first, last in region.lines)
        sources = [self._places[self._code[head].line - 1] for head in region.heads]
        return Bound(
            title or "grid",
            region.lines,
            next((place for place in sources if place), ""),
            region.iterations,
            len(region.warps),
            in_flight,
            resources,
            units,
            self._cache_lines(numbers) / each,
            float(self._counters.bulk_lines[numbers].sum()) / each,
            self._slots.ports(numbers) / SCHEDULERS / each,
        )

    def _tensor(self, numbers: Sequence[int]) -> Resource:
        work = clocks = 0.0
        for number in numbers:
            if fma := int(self._counters.flops[number]) / 2:
                work += fma
                taken = fma + int(self._counters.idle_flops[number]) / 2
                clocks += taken / fma_per_clock(self._chip, self._code[number])
        return Resource("tensor cores", clocks, work, "multiply-adds")

    def _issue(self, numbers: Sequence[int]) -> Resource:
        work = self._slots.slots(numbers)
        return Resource("issue slots", work / SCHEDULERS, work, "instructions of warps")

    def _special(self, numbers: Sequence[int]) -> Resource:
        work = sum(
            int(self._counters.warps[n]) * WARP_LANES * special_results(self._code[n])
            for n in numbers
        )
        clocks = work / self._chip.exp2_per_clock
        return Resource("special functions", clocks, work, "results")

    def _shared(self, numbers: Sequence[int]) -> Resource:
        """Wavefronts; asynchronous units move whole ones, without conflicts."""
        width = self._chip.shared_bytes_per_clock
        paths = self._counters.paths
        wavefronts = self._present(self._counters.wavefronts, numbers)
        work = wavefronts * 128 / width
        work += float(paths["matrix"][numbers].sum()) / width
        bulk = [n for n in numbers if "bulk" in self._code[n].modifiers]
        asynchronous = (paths[path] for path in ("copy_in", "copy_out", "cluster"))
        work += sum(float(path[bulk].sum()) for path in asynchronous) / width
        return Resource("shared memory", work, work, "wavefronts")

    def _tensor_memory(self, numbers: Sequence[int]) -> list[Resource]:
        """Loads and stores of tensor memory by threads; nothing without any."""
        if not self._launched.tensor_columns:
            return []
        work = float(self._counters.tensor_words[numbers].sum())
        clocks = work / TENSOR_WORDS_PER_CLOCK
        return [Resource("tensor memory", clocks, work, "words")]

    def _memory(self, numbers: Sequence[int], in_flight: int) -> list[Resource]:
        """L2 and DRAM sectors, and the latency of what comes in."""
        cached = [n for n in numbers if self._is_cached(n)]
        past = [
            n for n in numbers if self._counters.sectors[n] and n not in set(cached)
        ]
        stored = [n for n in past if not self._is_load(n)]
        loaded = [n for n in past if self._is_load(n)]
        sectors = self._counters.sectors
        came = len(self._traffic.keys(cached)) + self._present(sectors, loaded)
        l2 = came + self._present(sectors, stored)
        dram = sum(
            len(sectors_of(self._traffic.keys(part)))
            for part in ((*cached, *loaded), stored)
        )
        chip, size = self._chip, SECTOR_BYTES
        resources = [
            Resource("L2", l2 * size / chip.l2_bytes_per_clock, l2, "sectors"),
            Resource("DRAM", dram * size / chip.dram_bytes_per_clock, dram, "sectors"),
        ]
        latency = 0.0
        if in_flight:
            waits = came * size / (in_flight * self._ctas)
            latency = waits * chip.copy_latency_clocks
        return [*resources, Resource("bytes in flight", latency, came * size, "bytes")]

    def _present(self, counts: NDArray[np.int64], numbers: Sequence[int]) -> float:
        """The counts of accesses that the machine code has."""
        return sum(int(counts[n]) * self._slots.share(n) for n in numbers if counts[n])

    def _is_load(self, number: int) -> bool:
        """Whether an instruction brings something from global memory."""
        instruction = self._code[number]
        if instruction.opcode == "ld":
            return True
        return bool(self._counters.paths["copy_in"][number])

    def _is_cached(self, number: int) -> bool:
        """Whether the L1 cache may serve a load."""
        is_load = self._counters.sectors[number] and self._is_load(number)
        return bool(is_load) and _PAST_L1.isdisjoint(self._code[number].modifiers)

    def _cache_lines(self, numbers: Sequence[int]) -> float:
        """Lines of the L1 cache that accesses of threads look up.

        Of a request whose sectors are filled four make a line; where they are filled to
        a part, as many fewer lie in one line.
        """
        counters, lines = self._counters, 0.0
        for number in numbers:
            sectors = int(counters.sectors[number])
            if sectors and "bulk" not in self._code[number].modifiers:
                fill = int(counters.min_sectors[number]) / sectors
                requests = int(counters.requests[number]) or counters.warps[number]
                most = max(float(requests), sectors / max(4 * fill, 1.0))
                lines += min(most, sectors) * self._slots.share(number)
        return lines

    def _in_flight(self, numbers: Sequence[int], warps: int) -> int:
        """Bytes on their way to a CTA: asynchronous copies, and loads of its warps."""
        copies = self._traffic.in_flight(numbers, self._launched.stride_bytes)
        in_text = max((self._pending[n] for n in numbers), default=0)
        loads = max(in_text, self._slots.pending(numbers))
        most = 4 * MAX_REGISTERS
        return copies + min(loads, most) * warps * WARP_LANES


def _is_poll(instruction: Instruction, compared: Collection[Register]) -> bool:
    """Whether an instruction asks an mbarrier, or a flag that is then compared."""
    signs = _POLLS.get(instruction.opcode, frozenset())
    if signs.isdisjoint(instruction.modifiers):
        return False
    return instruction.opcode == "mbarrier" or instruction.operands[0] in compared
