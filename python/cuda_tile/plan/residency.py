# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clocks of a CTA beside those that share its multiprocessor.

A CTA alone takes what each of its loops does, and what stands before and after them,
one after the other, with latencies that nothing hides: the first copy, the begin and
end of an iteration, an epilogue of few warps. Another CTA of the multiprocessor works
meanwhile. So all of them take what the busiest unit needs, and no less than one of them
alone: `timing/model.py` counts the same of machine code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import Product, ProductPlans, enclosing_loop
from cuda_tile.chip_clocks import ChipClocks, nearest_clocks, shared_clocks
from cuda_tile.constants import (
    EXPENSIVE_SLOTS,
    INSTRUCTION_CLOCKS,
    UNTOLD_SHARE,
    WARP_ISSUE_CLOCKS,
)
from cuda_tile.ir.cta_pairs import copied_bytes
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.tiles import elements_of, is_distributed, tile_bytes
from cuda_tile.ir.traits import (
    COMBINES,
    ELEMENTWISE,
    EXPENSIVE,
    LOADS,
    POWERS,
    STORES,
    VIEW_STORES,
)
from cuda_tile.place.cost import trip_count
from cuda_tile.plan.clocks import fill_clocks, multiply_clocks, read_clocks
from cuda_tile.plan.loads import Copies
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES, Target

Region = ir.Operation | None
"""The innermost loop around an op; None for what is in no loop."""


@dataclass
class Part:
    """What a CTA does in a loop without the loops inside, or in none.

    Attributes:
        trips: How often.
        clocks: Clocks of each unit, each time.
        latency: Clocks that a warp waits each time, for data and for products.
        first: Clocks that pass before there is anything to do.
    """

    trips: int
    clocks: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    latency: float = 0.0
    first: float = 0.0

    def add(self, clocks: Mapping[str, float]) -> None:
        """Adds clocks of units."""
        for name, more in clocks.items():
            self.clocks[name] += more

    def unused(self, num_warps: int) -> float:
        """Clocks in which schedulers issue nothing, for they have few warps each."""
        return self.trips * self.clocks["issue slots"] * (_pace(num_warps) - 1)

    def alone(self, num_warps: int, *, overlaps: bool) -> float:
        """Clocks of a CTA that has the multiprocessor for itself.

        Args:
            num_warps: Warps that compute.
            overlaps: Whether a role of its own loads, and products run while threads
                compute or wait.
        """
        clocks = self.clocks
        multiply = max(clocks["tensor cores"], clocks["shared memory"])
        compute = clocks["issue slots"] * _pace(num_warps)
        compute = max(compute, clocks["special functions"])
        if overlaps:
            return self.trips * max(multiply, compute, clocks["L2"], self.first)
        if not multiply:  # loads, what is computed from them, and stores
            return self.trips * (self.first + compute + clocks["L2"])
        inner = multiply + compute + self.latency
        return self.trips * max(inner, clocks["L2"], self.first)


def _pace(num_warps: int) -> float:
    """Clocks of a scheduler for an instruction, where it has few warps.

    Several warps of a scheduler take turns, one has to wait for itself.
    """
    return max(1.0, WARP_ISSUE_CLOCKS / (INSTRUCTION_CLOCKS * num_warps))


class Residency:
    """Weighs the plans of one entry by what CTAs of a multiprocessor overlap.

    Args:
        ops: The ops of the entry.
        target: The chip.
    """

    def __init__(self, ops: Iterable[ir.Operation], target: Target) -> None:
        self._target, self._chip = target, nearest_clocks(target)
        self._work = _work_of(ops, target)

    def parts(
        self, plans: ProductPlans, copies: Copies, num_warps: int
    ) -> Sequence[Part]:
        """The parts of an entry, by a plan of its products.

        Args:
            plans: The plans of the products.
            copies: The engines that load operands.
            num_warps: Warps that compute.
        """
        parts = {
            region: Part(work.trips, work.clocks.copy())
            for region, work in self._work.items()
        }
        for product, plan in plans.items():
            region = enclosing_loop(product.op)
            part = parts.setdefault(region, Part(trip_count(product.op)))
            part.add(self._multiplied(product, plan, num_warps))
            part.latency += _latency(self._chip, plan)
        for loop in {o.loop for o in copies.operands}:
            if loop not in copies.copied_loops:
                parts[loop].latency += self._target.copy_latency_clocks
            elif (around := enclosing_loop(loop)) in parts:
                parts[around].first = self._first(copies)
        return list(parts.values())

    def _multiplied(
        self, product: Product, plan: ProductPlan, num_warps: int
    ) -> Mapping[str, float]:
        """Clocks of the units that a product needs."""
        read = read_clocks(self._target, product, plan, num_warps)
        return {
            "tensor cores": multiply_clocks(self._target, product, plan),
            "shared memory": read + fill_clocks(self._target, {product: plan}),
        }

    def _first(self, copies: Copies) -> float:
        """From the first copy's start to its data: they come from memory."""
        bulk = self._chip.bulk.value if copies.bulk else 0.0
        return max(self._chip.dram.value, bulk)


def _latency(chip: ChipClocks, plan: ProductPlan) -> float:
    """What an iteration waits for a product: its data, and its end."""
    if plan.engine.completion == "at once":
        return chip.barrier.value + chip.shared.value + chip.matrix.value
    return chip.mbarrier.value + chip.drain.value


@dataclass(frozen=True)
class Share:
    """What a CTA takes of a multiprocessor from its begin to its end.

    Attributes:
        trips: Iterations of the loop with products that has most.
        busiest: Clocks of the unit that it needs most.
        alone: Clocks where it has the multiprocessor for itself.
        unused: Clocks in which schedulers wait for one warp.
    """

    trips: int
    busiest: float
    alone: float
    unused: float = 0.0

    @classmethod
    def of(
        cls, parts: Sequence[Part], num_warps: int, lost: float, *, overlaps: bool
    ) -> Share:
        """What the parts of an entry take together.

        Args:
            parts: The parts.
            num_warps: Warps that compute.
            lost: Clocks of an iteration that nothing hides.
            overlaps: Whether products run while threads compute.
        """
        total = defaultdict[str, float](float)
        for part in parts:
            for name, clocks in part.clocks.items():
                total[name] += clocks * part.trips
        trips = max(part.trips for part in parts if part.clocks["tensor cores"])
        alone = sum(part.alone(num_warps, overlaps=overlaps) for part in parts)
        unused = sum(part.unused(num_warps) for part in parts)
        lost *= trips
        return cls(trips, max(total.values()) + lost, alone + lost, unused)

    @property
    def idle(self) -> float:
        """Clocks that schedulers do not use for want of warps, if they are many."""
        return max(0.0, self.unused - (UNTOLD_SHARE - 1) * self.busiest)

    def iteration(self, resident: int) -> float:
        """Clocks of an iteration, and its share of what is before and after the loop.

        They are rounded, so that equal ones compare as such.

        Args:
            resident: CTAs that share a multiprocessor.
        """
        together = shared_clocks([self.busiest], self.alone, resident)
        return round(together / resident / self.trips, 3)


def _work_of(ops: Iterable[ir.Operation], target: Target) -> dict[Region, Part]:
    """What threads do beside products, by region."""
    found: dict[Region, Part] = {}
    for op in ops:
        if (clocks := _clocks_of(op, target)) is not None:
            region = enclosing_loop(op)
            if region not in found:
                found[region] = Part(trip_count(op))
            found[region].add(clocks)
    return found


def _clocks_of(op: ir.Operation, target: Target) -> Mapping[str, float] | None:
    """Clocks of the units that an op needs; None if threads do nothing for it."""
    if op.name in LOADS:
        return {"L2": copied_bytes(op) / target.l2_bytes_per_clock}
    if op.name in STORES:
        value = op.operands[0 if op.name in VIEW_STORES else 1]
        return {"L2": tile_bytes(value) / target.l2_bytes_per_clock}
    if op.name not in ELEMENTWISE | COMBINES or not is_distributed(op.results[0]):
        return None
    elements = elements_of(op.operands[0] if op.name in COMBINES else op.results[0])
    is_long = op.name in EXPENSIVE - POWERS
    slots = elements * (EXPENSIVE_SLOTS if is_long else 1)
    special = elements if op.name in POWERS else 0
    return {
        "issue slots": slots / WARP_LANES * INSTRUCTION_CLOCKS,
        "special functions": special / target.exp2_per_clock,
    }
