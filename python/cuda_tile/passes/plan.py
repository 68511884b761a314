# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one place for heuristics: how many warps, which matrix instruction.

Writes `tileas.plan` on each entry and product and `tileas.target` on each entry;
every later pass only reads them, so a plan written by hand or by a tuner overrides
what stands here. A plan is a dictionary:

- on the entry `num_warps`; `warps_m`, `warps_n`: how warps divide the result of a
  product; `min_ctas`: CTAs that must fit on a multiprocessor, a bound on registers;
- on a product `atom`: its matrix instruction, a row of layout/atoms.py; `warps_m`,
  `warps_n` where they are not the entry's, and `warps_b`: parts of a batch;
- on a load `engine`, `slots` and `ahead`: who copies its tile to shared memory, into a
  ring of how many slots, how many turns before its use (passes/plan_loads.py).

What stands there already is kept and checked; what is missing is filled in. Fields and
checks are in ir/plan.py and ir/copy_plan.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import OptimizationHintsAttr, TileType
from cuda_tile.analysis.clusters import suits_clusters
from cuda_tile.analysis.cost import (
    count_exponentials,
    least_registers,
    read_clocks,
    register_limit,
    resident_ctas,
    role_registers,
    turn_clocks,
    turn_parts,
)
from cuda_tile.analysis.feeds import (
    Product,
    TileRegisters,
    is_staged_early,
)
from cuda_tile.analysis.held_tiles import repeated_tiles
from cuda_tile.analysis.legality import check_program
from cuda_tile.analysis.product_families import slice_registers
from cuda_tile.analysis.product_registers import is_cut
from cuda_tile.analysis.registers import (
    LOOP_OVERHEAD_REGISTERS,
    OVERHEAD_REGISTERS,
    Estimate,
    estimate,
    live_tiles,
)
from cuda_tile.emit.families import RULES as EMIT_RULES
from cuda_tile.errors import UserError
from cuda_tile.ir.copy_plan import LOADS, STORES
from cuda_tile.ir.maps import read_abi, write_abi
from cuda_tile.ir.plan import (
    LOAD_WARPS,
    PLAN_ATTRIBUTE,
    PRODUCTS,
    TARGET_ATTRIBUTE,
    Plan,
    add_remark,
    most_ctas,
    read_plan,
    refuse_plan,
    write_choice,
)
from cuda_tile.ir.tiles import elements_of, is_distributed
from cuda_tile.ir.walk import entries, location_text, nested_ops
from cuda_tile.options import Options
from cuda_tile.passes.plan_choice import choice_texts
from cuda_tile.passes.plan_loads import LoadChooser
from cuda_tile.passes.plan_persist import make_persistent
from cuda_tile.passes.plan_products import (
    choose_atom,
    divide_product,
    plan_products,
    possible_divisions,
    turns_bytes,
)
from cuda_tile.passes.plan_rows import loads_rows_again, plan_rows
from cuda_tile.passes.plan_stages import stage_products
from cuda_tile.place.families import RULES as PLACE_RULES
from cuda_tile.rewrites.duplicates import counted_twice, shared_operands
from cuda_tile.targets import (
    MOST_CLUSTER,
    MOST_SHARED_BYTES,
    PORTABLE_CLUSTER,
    WARP_COUNTS,
    WARP_LANES,
    Target,
)

MOST_CROWDED = 3
"""CTAs with roles of their own on a multiprocessor; each needs slots enough to hide the
latency of copies, and three already overlap the beginning and end of each other."""
WANTED_ELEMENTS_PER_THREAD = 8
"""Two 16-byte accesses of 4-byte elements in flight per thread."""
EASY_REGISTERS = 72
"""Estimated registers of a thread from which on a kernel without products takes more
warps: ptxas makes about 56 of them, with which 36 warps share a multiprocessor."""
SPARED_BY_ROLE = 8
"""Estimated registers that a role needs less where another one copies: the addresses.
ptxas 13.5 gives 240 registers to attention backward of 128 columns without spills, of
which 241 are estimated."""
WORTH_WARPS = 0.75
"""What is left of the registers where twice as many warps are worth their exchanges."""


def run(module: ir.Operation, options: Options) -> None:
    """Plans every entry and product of `module` that has no plan yet.

    Raises:
        UserError: A plan that stands there already is not usable.
        Unsupported: An op cannot be compiled.
    """
    target = options.target
    for entry in entries(module):
        check_program(entry, PLACE_RULES, EMIT_RULES)
        entry.attributes[TARGET_ATTRIBUTE] = ir.StringAttr.get(target.name)
        write_abi(entry, options.abi)
        _plan_entry(entry, options)


def _plan_entry(entry: ir.Operation, options: Options) -> None:
    ops = list(nested_ops(entry))
    loads = LoadChooser(entry, ops, _budgeted(options), read_abi(entry))
    is_planned = PLAN_ATTRIBUTE in entry.attributes
    if not is_planned:
        made = plan_rows(entry, ops, options, _hints(entry, options.target.chip))
        made = made or make_plan(entry, ops, options, loads)
        if options.persistent:
            made = make_persistent(entry, made, options.target, loads.copied)
        entry.attributes[PLAN_ATTRIBUTE] = made.to_attribute()
    plan = read_plan(entry)
    _check_whole(entry, plan, ops)
    for op in ops:
        if op.name not in (*PRODUCTS, *LOADS, *STORES):
            refuse_plan(op)
    parts, unplanned = plan_products(ops, plan, options.target, loads)
    staged = stage_products(parts, unplanned, plan, loads)
    for product, late in staged.plans.items():
        product.op.attributes[PLAN_ATTRIBUTE] = late.to_attribute(plan)
    if staged.registers > plan.registers and not is_planned:
        plan = _with_registers(plan, options.target, staged.registers)
        entry.attributes[PLAN_ATTRIBUTE] = plan.to_attribute()
    behind = [p.op for p, q in (parts | staged.plans).items() if q.stage]
    loads.operands = counted_twice(loads.operands, shared_operands(behind))
    loads.write(plan, parts)


def _budgeted(options: Options) -> Target:
    """The chip, with no more shared memory than plan may count on."""
    target = options.target
    most = min(target.shared_bytes_per_cta, options.shared_budget or MOST_SHARED_BYTES)
    return replace(target, shared_bytes_per_cta=most)


def _with_registers(plan: Plan, target: Target, needed: int) -> Plan:
    """A plan whose role that works has more registers, if the other can spare some."""
    ctas = max(1, plan.min_ctas)
    work, load = role_registers(target, plan.num_warps, ctas, needed)
    return replace(plan, registers=work, load_registers=load)


def _check_whole(entry: ir.Operation, plan: Plan, ops: list[ir.Operation]) -> None:
    """Checks what a plan asks of all ops of an entry."""
    if plan.cluster > 1 and not suits_clusters(ops):
        raise UserError(
            "expected only loads and stores, elementwise operations, commutative "
            "reductions and control flow in an entry with a cluster in "
            f"'{PLAN_ATTRIBUTE}', got others; leave cluster out",
            location_text(entry),
        )
    if plan.part and any(op.name in PRODUCTS for op in ops):
        raise UserError(
            f"expected an entry without products for part = {plan.part} in "
            f"'{PLAN_ATTRIBUTE}'; leave part out",
            location_text(entry),
        )
    if plan.hold and not (_can_hold(entry, ops) or loads_rows_again(entry, ops, plan)):
        raise UserError(
            "expected an entry without products, in which a loop from 0 in steps of 1 "
            "loads what a loop before it loaded, through a view and after no other "
            f"access, for hold = 1 in '{PLAN_ATTRIBUTE}'; leave hold out",
            location_text(entry),
        )


def _can_hold(entry: ir.Operation, ops: list[ir.Operation]) -> bool:
    """Whether shared memory has room for, and any use in, what loops load again."""
    return not any(op.name in PRODUCTS for op in ops) and bool(repeated_tiles(entry))


def make_plan(
    entry: ir.Operation,
    ops: list[ir.Operation],
    options: Options,
    loads: LoadChooser,
) -> Plan:
    """Chooses warps and how they divide products for one entry.

    Of the candidates whose estimated registers fit the CTAs that the producer hints
    at, the cheapest; if none fits, more warps than hinted, then fewer CTAs. What is
    given up becomes a remark. An entry with products always gets a bound of at least
    one CTA: without any, ptxas 13.5 aims at an occupancy of its own and spills for it.
    """
    target = options.target
    hints = _hints(entry, target.chip)
    hinted = options.num_warps or _hinted_warps(hints)
    ctas = max(1, hints.get("occupancy", 1))
    chooser = Chooser(entry, ops, target, loads)
    first = [hinted] if hinted else chooser.usual_warps()
    more = [w for w in WARP_COUNTS if w > first[-1]] if not options.num_warps else []
    chosen = chooser.choose([first, more], ctas)
    chosen = chooser.divided(
        chosen, hints.get("num_cta_in_cga", 1), is_asked=hinted is not None
    )
    if chosen.cluster == 1 or chosen.excess:
        for text in chooser.remarks(chosen, hinted or first[-1], ctas):
            add_remark(entry, text)
    if "occupancy" not in hints and chosen.cluster == 1:
        chosen = chooser.crowded(chosen if hinted else chooser.eased(chosen))
        chosen = chooser.paired(chosen)
    if chooser.has_products:
        write_choice(entry, choice_texts(chosen, chooser.compared))
    loads.resident = resident_ctas(target, chosen.num_warps, chosen.estimate.registers)
    is_bounded = chooser.has_products or "occupancy" in hints
    plan = Plan(
        chosen.num_warps,
        *chosen.division,
        chosen.ctas if is_bounded else 0,
        cluster=chosen.cluster,
        hold=int(chosen.cluster > 1 and _can_hold(entry, ops)),
    )
    if chosen.roles == "one":
        return plan
    work, load = role_registers(target, chosen.num_warps, chosen.ctas, chosen.needed)
    return replace(plan, roles=chosen.roles, registers=work, load_registers=load)


@dataclass(frozen=True)
class Candidate:
    """A plan that could be, and what it would need.

    Attributes:
        num_warps: Warps of a CTA.
        division: How they divide products along M and N; (0, 0) without products.
        ctas: CTAs that shall fit on a multiprocessor.
        limit: Registers of a thread that these leave.
        estimate: Registers of a thread that are needed.
        clocks: Cost of a turn, see `turn_clocks`.
        reads: The part of it that reads shared memory.
        has_groups: Whether a product runs by itself: then more warps are better, since
            it multiplies for some of them while others prepare.
        roles: How its warps divide the work, one of `ir.plan.ROLES`.
        cluster: CTAs that serve a tile block.
        turns_bytes: Whether threads put bytes together between a read and a product:
            then more warps are better, since one multiplies while another does that.
        is_cut: Whether partial sums come a piece at a time, for which operands are read
            again.
        parts: Clocks of a turn by resource, see `turn_parts`.
        least: Registers that each thread must be launched with.
        launched: Registers that each thread is launched with.
    """

    num_warps: int
    division: tuple[int, int]
    ctas: int
    limit: int
    estimate: Estimate
    clocks: float
    reads: float
    has_groups: bool = False
    roles: str = "one"
    cluster: int = 1
    turns_bytes: bool = False
    is_cut: bool = False
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    least: int = 0
    launched: int = 0

    @property
    def rank(self) -> tuple[float, bool, bool, float, float]:
        """What the best of the candidates that fit has least of."""
        first = self.clocks, self.roles == "one", self.is_cut
        if self.turns_bytes:
            return *first, -self.num_warps, self.reads
        warps = -self.num_warps if self.has_groups else self.num_warps
        return *first, self.reads, warps

    @property
    def needed(self) -> int:
        """Registers of a thread that works."""
        spared = SPARED_BY_ROLE if self.roles == "load" else 0
        return self.estimate.registers - spared

    @property
    def excess(self) -> int:
        """Registers that are wanting."""
        return max(0, self.needed - self.limit, self.least - self.launched)

    def with_role(self, target: Target, ctas: int) -> Candidate:
        """The same with a role that loads, and so many CTAs on a multiprocessor."""
        made = replace(self, roles="load", ctas=ctas)
        limit, _ = role_registers(target, self.num_warps, ctas, made.needed)
        launched = register_limit(target, self.num_warps + LOAD_WARPS, ctas)
        return replace(made, limit=limit, launched=launched)


class Chooser:
    """Compares the plans of one entry; its liveness is computed once."""

    def __init__(
        self,
        entry: ir.Operation,
        ops: list[ir.Operation],
        target: Target,
        loads: LoadChooser,
    ) -> None:
        self._entry, self._ops, self._target = entry, ops, target

        def is_staged(op: ir.Operation, index: int) -> bool:
            return is_staged_early(op, index) or loads.is_copied(op, index)

        self._live = live_tiles(entry, is_staged)
        self._atoms = {
            Product.of(op, is_staged): choose_atom(op, target, loads)
            for op in ops
            if op.name in PRODUCTS
        }
        self._loads = loads
        self._may_divide = loads.may_have_role
        self._waits = not loads.copied_loops
        self._products = {product.op: product for product in self._atoms}
        self.compared: list[Candidate] = []
        self._exponentials = count_exponentials(ops) if self._atoms else 0

    @property
    def has_products(self) -> bool:
        """Whether the entry has matrix products."""
        return bool(self._atoms)

    def usual_warps(self) -> list[int]:
        """Warps to try where nobody asked for a number."""
        if not self._atoms:
            return [_warps_for_elements(_largest_tile(self._ops))]
        rows, columns = self._largest()
        least = 4
        while least > 1 and rows * columns < least * 16 * 8:
            least //= 2
        return [w for w in WARP_COUNTS if least <= w <= max(least, 8)]

    def choose(self, groups: list[list[int]], ctas: int) -> Candidate:
        """The cheapest candidate that fits, of the first group that has one."""
        tried: list[Candidate] = []
        for count in range(ctas, 0, -1):
            for group in groups:
                found = [c for warps in group for c in self._candidates(warps, count)]
                self.compared += found
                fitting = [c for c in found if not c.excess]
                if fitting:
                    return min(fitting, key=lambda c: c.rank)
                tried += found
        return min(tried, key=lambda c: (c.excess, -c.ctas, c.clocks))

    def crowded(self, chosen: Candidate) -> Candidate:
        """A candidate with a role that loads, with as many CTAs as registers allow.

        Where roles move registers, a CTA takes all that its bound leaves it, so that a
        small one would keep others off the multiprocessor.
        """
        if chosen.roles == "one":
            return chosen
        warps = chosen.num_warps
        most = min(MOST_CROWDED, most_ctas(self._target, warps + LOAD_WARPS))
        for ctas in range(chosen.ctas + 1, most + 1):
            more = chosen.with_role(self._target, ctas)
            limit, _ = role_registers(self._target, warps, ctas)
            if more.excess or chosen.estimate.registers > limit:
                break
            chosen = more
        return chosen

    def paired(self, chosen: Candidate) -> Candidate:
        """Room for a second CTA where threads put bytes together before each product.

        It multiplies while those do that, if registers and shared memory allow: ptxas
        takes some more than half of the registers where nobody asks for that.
        """
        target, ctas = self._target, 2 * chosen.ctas
        if not chosen.turns_bytes or ctas > most_ctas(target, chosen.num_warps):
            return chosen
        limit = register_limit(target, chosen.num_warps, ctas)
        more = replace(chosen, ctas=ctas, limit=limit, launched=limit)
        return chosen if more.excess or not self._loads.has_room_beside(ctas) else more

    def eased(self, chosen: Candidate) -> Candidate:
        """More warps where those of a kernel without products would hold too much.

        Each thread keeps a 16-byte access of 2-byte elements.
        """
        elements = _largest_tile(self._ops)
        while not self._atoms and chosen.estimate.registers > EASY_REGISTERS:
            warps = 2 * chosen.num_warps
            if warps > max(WARP_COUNTS) or elements < warps * WARP_LANES * 8:
                break
            (more,) = self._candidates(warps, chosen.ctas) or [None]
            if more is None or more.estimate.registers > (
                WORTH_WARPS * chosen.estimate.registers
            ):
                break
            chosen = more
        return chosen

    def divided(self, chosen: Candidate, hinted: int, *, is_asked: bool) -> Candidate:
        """As many CTAs to a tile block as hinted at, or as its registers ask for.

        Above 8 only as hinted, and where the launcher is told. Without a hint, only
        where a thread would spill; then as many as leave room for two such CTAs on a
        multiprocessor, so that one loads while another waits. As many warps as
        anybody asked for, else no more than their parts of the tiles need.
        """
        target, warps, ctas = self._target, chosen.num_warps, chosen.ctas
        is_wanted = hinted > 1 or chosen.excess
        if not (is_wanted and target.has_clusters) or not suits_clusters(self._ops):
            return chosen
        if hinted > 1:
            is_told = read_abi(self._entry) != "tile"
            most = min(hinted, MOST_CLUSTER if is_told else PORTABLE_CLUSTER)
            threads = _largest_tile(self._ops) // (most * WANTED_ELEMENTS_PER_THREAD)
            while not is_asked and warps > max(1, threads // WARP_LANES):
                warps //= 2
            return self._candidate(warps, ctas, (0, 0), most)
        cluster = chosen
        for count in (2, 4, PORTABLE_CLUSTER):
            cluster = self._candidate(warps, ctas, (0, 0), count)
            if cluster.estimate.registers <= EASY_REGISTERS:
                break
        return cluster

    def remarks(self, chosen: Candidate, warps: int, ctas: int) -> list[str]:
        """What `chosen` gives up of so many warps and CTAs, and why."""
        found: list[str] = []
        if chosen.ctas < ctas or chosen.num_warps > warps:
            wanted = self._candidates(min(warps, chosen.num_warps), ctas)
            best = min(wanted, key=lambda c: c.excess, default=chosen)
            found.append(
                f"wanted {ctas} CTAs of {warps} warps per multiprocessor, got "
                f"{chosen.ctas} of {chosen.num_warps}: {best.estimate.registers} "
                f"registers per thread are needed where {best.limit} are left; smaller "
                "tiles need fewer"
            )
        if chosen.excess:
            found.append(
                f"wanted no spills, expect about {4 * chosen.excess} bytes per thread: "
                f"{chosen.estimate.registers} registers are needed, a thread has "
                f"{chosen.limit}; {self._what_fits(chosen)}"
            )
        where = location_text(chosen.estimate.op or self._entry)
        return [f"{where}: {text}" for text in found]

    def _what_fits(self, chosen: Candidate) -> str:
        """How large tiles may be that do not spill, where all of them shrink alike."""
        size, share = _largest_tile(self._ops), 1
        fixed = OVERHEAD_REGISTERS + LOOP_OVERHEAD_REGISTERS
        tiles = chosen.estimate.registers - fixed
        if self.has_products or fixed >= chosen.limit:
            return "smaller tiles need fewer"
        while fixed + tiles // share > chosen.limit:
            share *= 2
        return (
            f"tiles of {size // share} elements for {size} need about "
            f"{fixed + tiles // share}"
        )

    def _largest(self) -> tuple[int, int]:
        """Rows and columns of the largest result."""
        rows, columns, _ = max(
            (product.extents for product in self._atoms), key=lambda e: e[0] * e[1]
        )
        return rows, columns

    def _candidates(self, warps: int, ctas: int) -> list[Candidate]:
        """Every division of so many warps, unless so many CTAs have no threads."""
        if ctas > most_ctas(self._target, warps):
            return []
        divisions = [(0, 0)]
        if self._atoms:
            is_any_chained = any(product.is_chained for product in self._atoms)
            divisions = possible_divisions(
                *self._largest(), warps, along_rows=is_any_chained
            )
        found = [self._candidate(warps, ctas, division) for division in divisions]
        if self._may_divide and ctas <= most_ctas(self._target, warps + LOAD_WARPS):
            found += [c.with_role(self._target, ctas) for c in found if c.has_groups]
        return found

    def _candidate(
        self, warps: int, ctas: int, division: tuple[int, int], cluster: int = 1
    ) -> Candidate:
        target, whole = self._target, Plan(warps, *division)
        plans = {
            p: divide_product(p, whole, target, a, self._loads)
            for p, a in self._atoms.items()
        }
        weigh = TileRegisters(plans, warps * cluster)

        def extra(op: ir.Operation) -> int:
            product = self._products.get(op)
            if product is None:
                return 0
            gathered = self._loads.gathered(op)
            return slice_registers(product, plans[product], weigh, gathered)

        needed = estimate(self._live, weigh, extra)
        resident = max(ctas, resident_ctas(target, warps, needed.registers))
        clocks = turn_clocks(
            target, plans, warps, resident, self._exponentials, waits=self._waits
        )
        reads = sum(read_clocks(target, *item, warps) for item in plans.items())
        limit = register_limit(target, warps, ctas)
        has_groups = any(p.engine.runs_by_itself for p in plans.values())
        return Candidate(
            *(warps, division, ctas, limit, needed, clocks, reads, has_groups),
            cluster=cluster,
            turns_bytes=any(map(turns_bytes, plans.values())),
            is_cut=any(is_cut(*item) for item in plans.items()),
            parts=turn_parts(target, plans, warps, self._exponentials),
            least=least_registers(plans),
            launched=limit,
        )


def _hinted_warps(hints: dict[str, int]) -> int | None:
    """The producer's `num_worker_warps_per_cta`, clamped to 4 or 8 as it expects."""
    warps = hints.get("num_worker_warps_per_cta")
    return None if warps is None else 4 if warps <= 4 else 8


def _hints(entry: ir.Operation, chip: str) -> dict[str, int]:
    """The producer's integer hints for this chip, over its default ones."""
    if "optimization_hints" not in entry.attributes:
        return {}
    hints = OptimizationHintsAttr(entry.attributes["optimization_hints"]).value
    found: dict[str, int] = {}
    for key in ("default", chip):
        if key in hints:
            for item in ir.DictAttr(hints[key]):
                if isinstance(item.attr, ir.IntegerAttr):
                    found[item.name] = item.attr.value
    return found


def _largest_tile(ops: list[ir.Operation]) -> int:
    """Elements of the largest tile of numbers that an entry computes."""
    sizes = [
        elements_of(result)
        for op in ops
        for result in op.results
        if isinstance(result.type, TileType) and is_distributed(result)
    ]
    return max(sizes, default=1)


def _warps_for_elements(elements: int) -> int:
    """Up to 4 warps for enough work per thread, 8 where that leaves too much."""
    warps = 1
    while warps < 4 and elements >= 2 * warps * WARP_LANES * WANTED_ELEMENTS_PER_THREAD:
        warps *= 2
    while warps < 8 and elements > warps * WARP_LANES * 8 * WANTED_ELEMENTS_PER_THREAD:
        warps *= 2
    return warps
