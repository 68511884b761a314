# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of clocks: from counts of a launch to a time, with an interval.

A CTA alone takes, loop by loop, the longest of what its units need, of the latency of
one of its warps, and of its copies in flight; loops, prologue and epilogue follow each
other. CTAs that share a multiprocessor overlap: together they take what the busiest
unit needs for all, and no less than one of them alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cuda_tile.chip_clocks import (
    CASES,
    Case,
    ChipClocks,
    chip_clocks,
    shared_clocks,
)
from cuda_tile.emulator.bounds.compute import Bound, Bounds
from cuda_tile.errors import UserError
from cuda_tile.machine.code import MachineInstruction
from cuda_tile.machine.executions import Executions
from cuda_tile.machine.kinds import is_poll, is_spill, touches_memory, unit_of
from cuda_tile.targets import Target
from cuda_tile.timing.chains import (
    Warp,
    iteration_clocks,
    likely_path,
    loop_body,
    loop_lines,
    machine_loops,
    straight_blocks,
)
from cuda_tile.timing.terms import (
    TERMS,
    dram_bytes,
    flight,
    in_flight_iterations,
    l2_bytes,
    loaded_ghz,
    memory_clocks,
    waves,
)

_BULK = frozenset({"UTMALDG", "UBLKCP"})
_COPIES = _BULK | {"LDGSTS"}
WAITING, COPYING = "latency of a warp", "bytes in flight"


@dataclass(frozen=True)
class Shape:
    """What is launched, as far as the counts do not have it.

    Attributes:
        tiles: Tile blocks of the grid in question.
        counted_tiles: Those of the launch that was counted.
        counted_ctas: Its CTAs: fewer where a persistent kernel serves several tiles.
        longer: How many times as many iterations the hottest of the innermost loops
            has.
        dram_bytes: Bytes from and to memory; None for those that were counted, for
            each tile the same.
    """

    tiles: int
    counted_tiles: int
    counted_ctas: int
    longer: float = 1.0
    dram_bytes: float | None = None


@dataclass(frozen=True)
class Part:
    """A loop, or what is in no loop (`grid`), without the loops inside.

    Attributes:
        title: Lines of the PTX text.
        iterations: Of one tile block.
        clocks: What each unit, and the latency, needs for all iterations of a tile
            block that has a multiprocessor for itself.
    """

    title: str
    iterations: float
    clocks: Mapping[str, float]

    @property
    def limiter(self) -> str:
        """What takes longest."""
        return max(self.clocks, key=lambda name: self.clocks[name])

    @property
    def alone(self) -> float:
        """Clocks of a tile block that has a multiprocessor for itself."""
        return self.clocks[self.limiter]


@dataclass(frozen=True)
class Time:
    """How long a launch takes. `low` has all constants at their best, `high` at worst.

    Attributes:
        chip: The product whose constants these are.
        low, likely, high: Clocks of a multiprocessor from the grid's begin to its end.
        low_us, likely_us, high_us: Microseconds, with the launch itself.
        ghz: The likely clock under this load.
        bound: Clocks that no launch can do without, see docs/bounds.md. `low`, `likely`
            and `high` are at least that.
        terms: The likely clocks by the terms of the model alone: below the bound, a
            term is missing.
        parts: The parts of one tile block, by the likely constants.
        limiter: What limits: a unit, latency, or memory.
        resident: CTAs that share a multiprocessor.
        waves: Of the whole grid; the last one may be a part.
        assumed: Constants of the chip that nobody has published.
        is_machine: Whether machine code was counted. Without it there are no latencies
            of warps in it, and it is too low.
    """

    chip: str
    low: float
    likely: float
    high: float
    low_us: float
    likely_us: float
    high_us: float
    ghz: float
    bound: float
    terms: float
    parts: tuple[Part, ...]
    limiter: str
    resident: int
    waves: float
    assumed: tuple[str, ...]
    is_machine: bool


def model(
    bounds: Bounds, shape: Shape, target: Target, chip: ChipClocks | None = None
) -> Time:
    """The time of a launch by its counts.

    Args:
        bounds: Counts of a launch, of machine code where there is some.
        shape: What is launched.
        target: The chip.
        chip: Its constants; None for those of `chip_clocks`.

    Raises:
        UserError: The chip's constants are not known, or counts are of another chip.
    """
    if bounds.chip != target.name:
        raise UserError(f"expected counts for {target.name}, got {bounds.chip}")
    chip = chip or chip_clocks(target)
    cases: dict[Case, _Case] = {
        case: _Case(bounds, shape, target, chip, case) for case in CASES
    }
    bound = _bound(bounds, shape, chip)
    clocks = {case: max(bound, made.clocks) for case, made in cases.items()}
    us = {
        case: clocks[case] / made.ghz / 1e3 + chip.launch_us.at(case)
        for case, made in cases.items()
    }
    likely = cases["likely"]
    return Time(
        chip=chip.part,
        low=clocks["low"],
        likely=clocks["likely"],
        high=clocks["high"],
        low_us=us["low"],
        likely_us=us["likely"],
        high_us=us["high"],
        ghz=likely.ghz,
        bound=bound,
        terms=likely.clocks,
        parts=tuple(likely.parts),
        limiter=likely.limiter,
        resident=bounds.ctas,
        waves=shape.tiles / (chip.multiprocessors * bounds.ctas),
        assumed=tuple(chip.assumed),
        is_machine=bounds.executions is not None,
    )


def _bound(bounds: Bounds, shape: Shape, chip: ChipClocks) -> float:
    """The bound of the whole grid, on all multiprocessors."""
    share = shape.counted_ctas / shape.counted_tiles
    found, inner = 0.0, hottest_inner(bounds)
    for resource in bounds.grid.resources:
        is_memory = resource.name == "DRAM"
        if is_memory and shape.dram_bytes is not None:
            continue
        each = shape.tiles / chip.multiprocessors
        each = each if is_memory else max(1.0, each)
        clocks = resource.clocks + _more(inner, resource.name, shape.longer)
        found = max(found, clocks * share * each)
    return found


def _more(inner: Bound, name: str, longer: float) -> float:
    """What a resource does in the iterations that the hottest loop has besides."""
    clocks = sum(r.clocks for r in inner.resources if r.name == name)
    return clocks * inner.iterations * (longer - 1)


def hottest_inner(bounds: Bounds) -> Bound:
    """The innermost loop with most clocks in all; the grid where there is no loop.

    What ptxas unrolled is no loop, but part of the one around it.
    """
    loops = _sorted_loops(bounds)
    inner = [
        loop for loop in loops if not any(_parent(other, [loop]) for other in loops)
    ]
    most = [loop.limiter.clocks * loop.iterations for loop in inner]
    return inner[most.index(max(most))] if inner else bounds.grid


@dataclass(frozen=True)
class _Role:
    """Warps that run a loop of the machine code.

    Attributes:
        region: The loop that the counts have for it.
        lines: Lines of the PTX text that it came from.
        times: Iterations of it that a warp runs.
        body: What one of them runs.
    """

    region: Bound
    lines: frozenset[int]
    times: float
    body: Sequence[MachineInstruction]

    @property
    def waits(self) -> float:
        """Waits for mbarriers in an iteration of the region."""
        return sum(map(is_poll, self.body)) * self.times / self.region.iterations


class _Case:
    """The model with one set of constants."""

    def __init__(
        self,
        bounds: Bounds,
        shape: Shape,
        target: Target,
        chip: ChipClocks,
        case: Case,
    ) -> None:
        self._bounds, self._shape = bounds, shape
        self._chip, self._target = chip, target
        self._case: Case = case
        self._loops, self._inner = _sorted_loops(bounds), hottest_inner(bounds)
        self._roles = _roles([*self._loops, bounds.grid], bounds.executions)
        self._from_memory = self._memory_share()
        self.parts = self._parts()
        self._units = {
            name: sum(part.clocks.get(name, 0.0) for part in self.parts)
            for name in TERMS
        }
        self.clocks = self._on_chip()
        busy = self._units["tensor cores"] * shape.tiles / chip.multiprocessors
        self.ghz = loaded_ghz(chip, case, min(1.0, busy / max(self.clocks, 1.0)))
        memory = self._memory * self.ghz / chip.boost_ghz.at(case)
        self.limiter = self._limiter(memory)
        self.clocks = max(self.clocks, memory)

    @property
    def _memory(self) -> float:
        """Clocks, at the highest clock, of the memory for the whole grid."""
        shape = self._shape
        total = shape.dram_bytes
        if total is None:
            each = dram_bytes(self._bounds.grid) * shape.counted_ctas
            total = each / shape.counted_tiles * shape.tiles
        return total / self._chip.dram_bytes.at(self._case)

    def _memory_share(self) -> float | None:
        """How much of what L2 gives comes from memory; None if nobody said it."""
        shape, inner = self._shape, self._inner
        if shape.dram_bytes is None:
            return None
        more = l2_bytes(inner) * inner.iterations * (shape.longer - 1)
        each = l2_bytes(self._bounds.grid) + more
        each *= shape.counted_ctas / shape.counted_tiles
        return shape.dram_bytes / max(each * shape.tiles, 1.0)

    def _on_chip(self) -> float:
        """Clocks of all waves: what CTAs share adds up, the rest of them overlaps."""
        alone = sum(part.alone for part in self.parts)
        total = 0.0
        chip, shape = self._chip, self._shape
        for count, together in waves(
            shape.tiles, chip.multiprocessors, self._bounds.ctas
        ):
            total += count * shared_clocks(self._units.values(), alone, together)
        return total

    def _limiter(self, memory: float) -> str:
        if memory >= self.clocks:
            return "DRAM"
        unit = max(self._units, key=lambda name: self._units[name])
        alone = sum(part.alone for part in self.parts)
        together = min(
            self._bounds.ctas, -(-self._shape.tiles // self._chip.multiprocessors)
        )
        if self._units[unit] * together >= alone:
            return unit
        return max(self.parts, key=lambda part: part.alone).limiter

    # Parts -------------------------------------------------------------------------

    def _parts(self) -> list[Part]:
        """Each loop without the loops inside, then what is in none."""
        regions = [*self._loops, self._bounds.grid]
        share = self._shape.counted_ctas / self._shape.counted_tiles
        own = self._own_clocks(regions)
        chains = self._chains(own)
        found: list[Part] = []
        for region in regions:
            clocks = {**own[id(region)], WAITING: chains.get(id(region), 0.0)}
            if region is self._bounds.grid:
                clocks[COPYING] = self._first_copy()
            elif self._has(_BULK):
                clocks[COPYING] = self._ring(region, clocks)
            longer = self._longer(region) * share
            clocks = {name: n * longer for name, n in clocks.items()}
            found.append(Part(region.title, region.iterations * longer, clocks))
        return found

    def _own_clocks(self, regions: Sequence[Bound]) -> dict[int, dict[str, float]]:
        """Clocks of each region without the loops inside, of all its iterations."""
        whole = {id(region): self._whole(region) for region in regions}
        found: dict[int, dict[str, float]] = {}
        for region in regions:
            inside = [r for r in self._loops if _parent(r, regions) is region]
            found[id(region)] = {
                name: max(0.0, n - sum(whole[id(r)][name] for r in inside))
                for name, n in whole[id(region)].items()
            }
        return found

    def _longer(self, region: Bound) -> float:
        return self._shape.longer if region is self._inner else 1.0

    def _whole(self, region: Bound) -> dict[str, float]:
        """Clocks of a region with all that is inside, for one CTA."""
        chip, case = self._chip, self._case
        found = {name: term(region, chip, case) for name, term in TERMS.items()}
        found[COPYING] = flight(
            region, chip, case, is_bulk=self._has(_BULK), share=self._from_memory
        )
        return {name: n * region.iterations for name, n in found.items()}

    def _ring(self, region: Bound, clocks: Mapping[str, float]) -> float:
        """Bulk copies: a slot is taken while it comes, is transferred, and is used.

        So an iteration takes no less than the sum, over the slots of the ring: what is
        in flight at most over what an iteration brings, which are as many slots as the
        role that waits least waits for.
        """
        latency = clocks[COPYING]
        if not latency:
            return 0.0
        waits = [role.waits for role in self._roles if role.region is region]
        fewest = min(filter(None, waits), default=1.0)
        slots = in_flight_iterations(region) * max(1.0, fewest)
        return latency + (clocks["L2"] + clocks[WAITING]) / max(slots, 1.0)

    def _has(self, opcodes: frozenset[str]) -> bool:
        executions = self._bounds.executions
        code = executions.code.code if executions else ()
        return any(instruction.opcode in opcodes for instruction in code)

    def _first_copy(self) -> float:
        """The first data of a ring come from memory, and nothing hides that."""
        chip, case = self._chip, self._case
        if not self._has(_COPIES):
            return 0.0
        return max(chip.dram.at(case), chip.bulk.at(case) if self._has(_BULK) else 0.0)

    # Latency of warps --------------------------------------------------------------

    def _warp(
        self,
        region: Bound,
        body: Sequence[MachineInstruction],
        own: Mapping[str, float],
    ) -> Warp:
        """A warp beside the others of its CTA.

        Args:
            region: Where it is.
            body: What it runs.
            own: Clocks that the CTA needs of each unit meanwhile.
        """
        chip, case = self._chip, self._case
        memory = memory_clocks(region, chip, case, self._from_memory)
        transfers: dict[str, float] = {}
        accesses = [i for i in body if touches_memory(i) and not is_spill(i)]
        for unit, term in (("shared", "shared memory"), ("global", "L2")):
            count = sum(unit_of(i) == unit for i in accesses)
            if count:
                asked = own["requests"] * count / len(accesses)
                transfers[unit] = max(own[term], asked) / count
        target = self._target
        is_slow = target.has_slow_f32_sums
        rates = target.fma_per_clock, memory, transfers
        return Warp(chip, case, *rates, has_slow_f32_sums=is_slow)

    def _chains(self, own: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
        """Clocks that a warp needs for its own instructions, by region, for a CTA."""
        executions = self._bounds.executions
        if executions is None:
            return {}
        roles: dict[int, list[tuple[frozenset[int], float]]] = {}
        for role in self._roles:
            key = id(role.region)
            each = {name: n / role.times for name, n in own[key].items()}
            warp = self._warp(role.region, role.body, each)
            clocks = role.times * iteration_clocks(warp, role.body)
            _add_role(roles.setdefault(key, []), role.lines, clocks)
        found = {key: max(n for _, n in known) for key, known in roles.items()}
        grid = self._bounds.grid
        body = _straight(executions, grid.warps * self._shape.counted_ctas)
        warp = self._warp(grid, body, own[id(grid)])
        warp.run(body)
        found[id(grid)] = warp.now
        return found


def _roles(regions: Sequence[Bound], executions: Executions | None) -> Sequence[_Role]:
    """The loops of the machine code that ran; the last region is the grid."""
    found: list[_Role] = []
    if executions is None:
        return found
    for loop in machine_loops(executions):
        region = _region_of(loop.lines, regions)
        if region is not regions[-1]:
            outer = _parent(region, regions)
            times = loop.iterations * (outer.iterations if outer else 1.0)
            body = loop_body(executions, loop)
            found.append(_Role(region, loop.lines, times, body))
    return found


def _straight(executions: Executions, warps: int) -> list[MachineInstruction]:
    """What at least half of all warps run outside of loops."""
    return likely_path(executions, straight_blocks(executions), warps)


def _add_role(
    roles: list[tuple[frozenset[int], float]], lines: frozenset[int], clocks: float
) -> None:
    """Adds a loop to the role that has its lines, or as a role of its own.

    Loops of the same lines are one that ptxas cut in two: they follow each other.
    """
    for place, (known, so_far) in enumerate(roles):
        if len(known & lines) * 2 > min(len(known), len(lines)):
            roles[place] = known | lines, so_far + clocks
            return
    roles.append((lines, clocks))


def _sorted_loops(bounds: Bounds) -> list[Bound]:
    """The loops that machine code still has, inner ones before those around them.

    What ptxas unrolled is part of the loop around it.
    """
    loops = sorted(bounds.loops, key=_extent)
    if bounds.executions is None:
        return loops
    regions = [*loops, bounds.grid]
    kept = {id(_region_of(n, regions)) for n in loop_lines(bounds.executions.code)}
    return [loop for loop in loops if id(loop) in kept]


def _extent(region: Bound) -> int:
    return sum(last - first for first, last in region.lines)


def _parent(region: Bound, regions: Sequence[Bound]) -> Bound | None:
    """The smallest region around one: the grid, which has no lines, at last."""
    for other in regions:
        if other is region:
            continue
        if not other.lines or all(
            any(low <= first and last <= high for low, high in other.lines)
            for first, last in region.lines
        ):
            return other
    return None


def _region_of(lines: frozenset[int], regions: Sequence[Bound]) -> Bound:
    """The smallest region that has most of a machine loop's lines."""

    def inside(region: Bound) -> int:
        return sum(
            any(first <= line <= last for first, last in region.lines) for line in lines
        )

    most = max(inside(region) for region in regions)
    if most * 2 < len(lines):
        return regions[-1]
    return next(region for region in regions if inside(region) * 10 >= most * 9)
