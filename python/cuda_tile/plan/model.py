# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of one decision in clocks, registers and CTAs, or why it is impossible.

Only `Model.candidate` judges a plan: the search, the list of plans for tools, and the
report call it. plan/rings.py checks shared memory, for the candidates that the search
would take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile.analysis.address_tiles import AddressTiles
from cuda_tile.analysis.operand_sources import Product, ProductPlans, is_staging_hoisted
from cuda_tile.analysis.product_families import slice_registers
from cuda_tile.analysis.product_registers import is_cut
from cuda_tile.analysis.registers import LiveTiles, Weigh, estimate, live_tiles
from cuda_tile.analysis.tcgen05 import (
    allocated_columns,
    alternates,
    tensor_columns_of,
    torn_products,
)
from cuda_tile.constants import (
    EASY_REGISTERS,
    LADEN_REGISTERS,
    LOOP_OVERHEAD_REGISTERS,
    PAIRED_CTAS,
    ROLE_SPARED_REGISTERS,
    STARTING_REGISTERS,
)
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.copy_plan import CP_ASYNC, TMA
from cuda_tile.ir.plan import LOAD_WARPS, Plan, ProductPlan
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import location_text
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.plan.clocks import (
    conversion_clocks,
    count_exponentials,
    fill_clocks,
    iteration_clocks,
    resource_clocks,
)
from cuda_tile.plan.loads import Copies
from cuda_tile.plan.products import choose_atom, divide_product, transposes_bytes
from cuda_tile.plan.registers import (
    TileRegisters,
    least_registers,
    role_registers,
)
from cuda_tile.plan.residency import Residency, Share
from cuda_tile.plan.rings import few_bytes, has_room_beside
from cuda_tile.plan.space import Decision, Space
from cuda_tile.plan.sums import held_columns
from cuda_tile.records import dataclass
from cuda_tile.rewrites.rows.row import longest_row
from cuda_tile.targets import Target


@dataclass(frozen=True)
class Cost:
    """What one candidate takes of a multiprocessor.

    Attributes:
        clocks: Clocks of an iteration of all products, by resource.
        busy: Those of the busiest one, and what an iteration waits that nothing hides.
        iteration: Those of an iteration with its share of all else that a CTA does, and
            of latencies that no other CTA of the multiprocessor hides; without products
            those of a CTA.
        firm: The same beside no more CTAs than ptxas is told of.
        estimated: Registers of a thread, as liveness says.
        registers: Those of a thread that computes: a role that loads spares it some.
        limit: Registers that such a thread may have.
        excess: Registers that are wanting.
        ctas: CTAs that registers allow on a multiprocessor, and shared memory, where it
            is known.
        lacking: Registers that an instruction lacks at the launch: ptxas may refuse
            it, where it spills what else is wanting.
        columns: Columns of tensor memory.
        share: What a CTA takes from its begin to its end.
    """

    clocks: Mapping[str, float]
    busy: float
    iteration: float
    firm: float
    estimated: int
    registers: int
    limit: int
    excess: int
    ctas: int
    lacking: int
    columns: int
    share: Share

    @property
    def reads(self) -> float:
        """Clocks of shared memory."""
        return self.clocks["shared memory"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A decision, what follows from it, and what it costs.

    Attributes:
        decision: The decision.
        copies: The engine of each load.
        products: The plan of each product.
        cost: What it takes.
        where: The op at which most registers are needed.
        strays: Warps off as many as the elements of a kernel without products want.
        refusal: Why it cannot be; None if it can.
        doubt: Why the search leaves it out, though it can be; None if it does not.
    """

    decision: Decision
    copies: Copies
    products: ProductPlans
    cost: Cost
    where: ir.Operation | None
    strays: int = 0
    refusal: str | None = None
    doubt: str | None = None

    @property
    def fits(self) -> bool:
        """Whether the search may take it."""
        return self.refusal is None and self.doubt is None

    @cached_property
    def has_groups(self) -> bool:
        """Whether a product runs by itself: for some warps, while others prepare."""
        return any(plan.engine.runs_by_itself for plan in self.products.values())

    @cached_property
    def transposes_bytes(self) -> bool:
        """Whether threads put bytes together between a read and a product."""
        return any(map(transposes_bytes, self.products.values()))

    @cached_property
    def is_cut(self) -> bool:
        """Whether partial sums come a piece at a time, and operands are read again."""
        return any(is_cut(*item) for item in self.products.items())

    @property
    def rank(self) -> tuple[float, ...]:
        """The sort key of candidates that fit and take as many clocks in all.

        First clocks of the busiest unit in a loop, then those that few warps waste.
        Then what no clocks count: who starts copies, reads of shared memory, warps that
        work while others wait.
        """
        decision, cost = self.decision, self.cost
        if not self.products:
            return *self._exchange_rank, decision.cluster
        first = cost.busy, cost.share.idle, decision.roles == "one", self.is_cut
        if self.transposes_bytes:
            second = -decision.num_warps, cost.reads
        else:
            sign = -1 if self.has_groups else 1
            second = cost.reads, sign * decision.num_warps
        waits = is_awkward(self.copies, self.products, decision.roles)
        together = decision.ctas if decision.roles == "load" else cost.ctas
        return *first, *second, waits, cost.firm, -together, decision.ctas

    @property
    def _exchange_rank(self) -> tuple[float, ...]:
        """Registers of a thread, then the usual warps, or most warps of a cluster."""
        registers, decision = self.cost.estimated, self.decision
        if decision.cluster > 1:
            return max(registers, EASY_REGISTERS), -decision.num_warps
        return max(registers, LADEN_REGISTERS), self.strays, decision.num_warps


def is_awkward(copies: Copies, products: ProductPlans, roles: str) -> bool:
    """Whether another engine would make the copies with less waiting.

    Without a role that loads, a warp that is done with a slot of a bulk copy tells so
    by an mbarrier and waits by polling, where groups of `cp.async` need one barrier an
    iteration, and share their memory with what is live after the loop. Products that
    read shared memory by themselves read bulk copies without a fence.

    Args:
        copies: The engines.
        products: The plans of the products.
        roles: How the warps divide the work.
    """
    reads_shared = any(plan.engine.reads_shared for plan in products.values())
    suits_groups = roles == "one" and not reads_shared and copies.has_whole_groups
    return copies.name == (TMA if suits_groups else CP_ASYNC)


@dataclass(frozen=True, eq=False)
class _Staging:
    """The live tiles and products of an entry whose engines make some loads.

    Attributes:
        copies: The engines.
        live: The tiles that registers hold.
        atoms: The products, each with the instruction of a warp that it may have.
    """

    copies: Copies
    live: LiveTiles
    atoms: Mapping[Product, MmaAtom]


@dataclass(frozen=True, eq=False)
class _Warps:
    """What a CTA of some warps needs, whatever its roles and however many there are.

    Attributes:
        products: The plans of the products.
        registers: Registers of a thread.
        where: The op at which they are needed.
        clocks: Clocks of an iteration by resource.
        least: Registers that each thread must be launched with.
    """

    products: ProductPlans
    registers: int
    where: ir.Operation | None
    clocks: Mapping[str, float]
    least: int


class Model:
    """Judges the decisions of one entry; what several have in common is computed once.

    Args:
        entry: The entry, at level T.
        ops: Its ops.
        target: The chip.
        space: The decisions.
        choices: The engines that its loads may have.
    """

    def __init__(
        self,
        entry: ir.Operation,
        ops: Sequence[ir.Operation],
        target: Target,
        space: Space,
        choices: Sequence[Copies],
    ) -> None:
        self._entry, self._ops = entry, ops
        self._target, self._space = target, space
        self._choices = {copies.name: copies for copies in reversed(choices)}
        self._copies: dict[tuple[str, int], Copies] = {}
        self._stagings: dict[frozenset[ir.Operation], _Staging] = {}
        self._warps: dict[object, _Warps] = {}
        self._exponentials = count_exponentials(ops) if space.products else 0
        self._residency = Residency(ops, target)

    def without(self, loads: Mapping[ir.Operation, str]) -> Model:
        """The same where threads make some loads.

        Args:
            loads: Which, each with the reason.
        """
        choices = [
            copies.without({n: loads[n] for n in copies.key & loads.keys()})
            for copies in self._choices.values()
        ]
        known = (self._entry, self._ops, self._target, self._space)
        return Model(*known, choices[::-1])

    def copies(self, engine: str, warps: int) -> Copies:
        """The engine of each load for so many warps, if all have one engine.

        Args:
            engine: `tma`, `cp_async` or `threads`.
            warps: Warps of a CTA.
        """
        key = engine, warps
        if key not in self._copies:
            found = self._choices[engine]
            few = few_bytes(found, warps)
            self._copies[key] = found.without(few) if few else found
        return self._copies[key]

    def products(
        self, plan: Plan, copies: Copies, *, may_alternate: bool = True
    ) -> ProductPlans:
        """The plan of each product in an entry whose plan is known.

        Args:
            plan: The plan of the entry.
            copies: The engines that load operands.
            may_alternate: Whether sums may be in tensor memory that threads use in each
                iteration of a loop.
        """
        found: dict[Product, ProductPlan] = {}
        target, without = self._target, replace(self._target, tensor_columns=0)
        atoms = self._staging(copies).atoms
        for product, atom in atoms.items():
            made = divide_product(product, plan, target, atom, copies)
            stays = may_alternate or not alternates(product.op)
            most = target.tensor_columns if stays else 0
            if tensor_columns_of(product, made) and (
                allocated_columns({**found, product: made}) > most
            ):
                made = divide_product(product, plan, without, atom, copies)
            found[product] = made
        while (torn := torn_products(found)) is not None:
            found[torn] = divide_product(torn, plan, without, atoms[torn], copies)
        return found

    def candidate(self, decision: Decision) -> Candidate:
        """The cost of a decision, or why it cannot be taken.

        If sums that threads use in each iteration may be in tensor memory, or warps may
        compute them, it is the form that costs less of those that fit.
        """
        made = self._candidate(decision, may_alternate=True)
        if not made.cost.columns or not any(alternates(p.op) for p in made.products):
            return made
        other = self._candidate(decision, may_alternate=False)
        return min(
            (made, other),
            key=lambda each: (not each.fits, each.cost.iteration, each.rank),
        )

    def _candidate(self, decision: Decision, *, may_alternate: bool) -> Candidate:
        """The cost of one form of a decision."""
        target, space, warps = self._target, self._space, decision.num_warps
        copies = self.copies(decision.engine, warps)
        needed = self._of_warps(decision, copies, may_alternate)
        plans, has_role = needed.products, decision.roles == "load"
        registers = needed.registers - (ROLE_SPARED_REGISTERS if has_role else 0)
        if allocated_columns({p: q for p, q in plans.items() if alternates(p.op)}):
            registers += STARTING_REGISTERS
        limit = launched = target.register_limit(warps, decision.ctas)
        if has_role:
            launched = target.register_limit(warps + LOAD_WARPS, decision.ctas)
            limit, _ = role_registers(target, warps, decision.ctas, registers)
        columns = allocated_columns(plans)
        resident = target.resident_ctas(warps, needed.registers)
        if columns:
            resident = min(resident, target.tensor_columns // columns)
        lacking = max(0, needed.least - launched)
        busy = iteration_clocks(needed.clocks, plans, self._ops, overlaps=has_role)
        cost = Cost(
            *(needed.clocks, busy, busy, busy, needed.registers, registers, limit),
            max(registers - limit, lacking),
            resident,
            lacking,
            columns,
            self._share(needed, copies, decision, busy),
        )
        strays = abs(warps - space.usual_warps()[0]) if not plans else 0
        alone = Candidate(decision, copies, plans, cost, needed.where, strays)
        made = self.beside(alone)
        refusal = self._refusal(made)
        if refusal is not None:
            return replace(made, refusal=refusal)
        doubt = self._doubt(made)
        return made if doubt is None else replace(made, doubt=doubt)

    def beside(self, made: Candidate, shared_bytes: int = 0) -> Candidate:
        """A candidate with its clocks beside the CTAs that share a multiprocessor.

        Where a role takes registers from another one, there are as many CTAs as these
        are for. A persistent kernel whose role loads for the next tile block meanwhile
        needs no other CTA.

        Args:
            made: The candidate.
            shared_bytes: Bytes of a CTA.
        """
        decision, cost, target = made.decision, made.cost, self._target
        warps, has_role = decision.num_warps, decision.roles == "load"
        resident = target.resident_ctas(warps, cost.estimated, shared_bytes)
        resident = min(cost.ctas, resident)
        firm = target.resident_ctas(warps, max(1, cost.limit))
        found = max(decision.ctas, resident), max(decision.ctas, min(firm, resident))
        if has_role:
            together = PAIRED_CTAS if self._space.is_persistent else decision.ctas
            found = together, together
        least, firm = map(cost.share.iteration, found)
        cost = replace(cost, iteration=least, firm=firm, ctas=resident)
        return replace(made, cost=cost)

    def _share(
        self, needed: _Warps, copies: Copies, decision: Decision, busy: float
    ) -> Share:
        """What a CTA takes from its begin to its end.

        What threads do that convert operands on their way is not known, nor what CTAs
        of a cluster exchange: nothing is held against them.
        """
        plans, overlaps = needed.products, decision.roles == "load"
        if not plans and decision.cluster == 1 and not decision.part:
            return self._residency.alone(decision.num_warps)
        if not plans:
            return Share(1, busy, busy)
        parts = self._residency.parts(plans, copies, decision.num_warps)
        lost = busy - max(needed.clocks.values())
        share = Share.of(parts, decision.num_warps, lost, overlaps=overlaps)
        converts = any(plan.convert for plan in plans.values())
        return replace(share, alone=share.busiest) if converts else share

    def _refusal(self, made: Candidate) -> str | None:
        """Why a decision cannot be taken."""
        decision = made.decision
        has_role = decision.roles == "load"
        warps = decision.num_warps + (LOAD_WARPS if has_role else 0)
        if self._space.is_pair and (reason := self._refusal_of_pair(made)) is not None:
            return reason
        if decision.ctas > (most := self._target.most_ctas(warps)):
            return f"a multiprocessor has threads for {most} CTAs of {warps} warps"
        if has_role and not made.copies.may_have_role:
            return "a role makes bulk copies alone, which await no thread that computes"
        if has_role and not made.has_groups:
            return "no product of warpgroups, which alone take registers from a role"
        return None

    def _refusal_of_pair(self, made: Candidate) -> str | None:
        """Why the CTAs of a pair cannot multiply together.

        Two pairs on a multiprocessor are left out: a CTA would wait for columns while
        its peer has some, and no source says who gets them.
        """
        by_warps = (p for p, q in made.products.items() if q.engine != TCGEN05)
        if (product := next(by_warps, None)) is not None:
            return f"{location_text(product.op)}: no plan has it in tensor memory"
        loads = (made.copies.is_copied(p.op, i) for p in made.products for i in (0, 1))
        if made.decision.roles != "load" or not all(loads):
            return "no role brings both operands of its products by bulk copies"
        if made.decision.ctas > 1:
            return "a multiprocessor has CTAs of one pair alone"
        return None

    def _doubt(self, made: Candidate) -> str | None:
        """Why a decision that can be taken is not worth it, or spills."""
        decision, cost = made.decision, made.cost
        if cost.excess:
            return f"{cost.registers} registers needed, {cost.limit} left"
        if cost.columns * decision.ctas > self._target.tensor_columns:
            return f"{cost.columns} columns of tensor memory for each of the CTAs"
        if decision.ctas > (self._space.hints.ctas or 1):
            return self._doubt_of_company(made)
        if not made.products and decision.cluster == 1:
            return self._doubt_of_warps(decision)
        return None

    def _doubt_of_company(self, made: Candidate) -> str | None:
        """Why a multiprocessor shall not have more CTAs than anybody asked for.

        Where roles move registers, a CTA takes all that its bound leaves it, so that a
        small one would keep others off the multiprocessor; and a persistent one with
        two sums in tensor memory multiplies itself while it stores. And where threads
        put bytes together before each product, slots must hide what they do meanwhile.
        """
        decision, cost = made.decision, made.cost
        if decision.roles == "load":
            if self._space.is_persistent and 0 < 2 * cost.columns <= (
                self._target.tensor_columns
            ):
                return "a persistent CTA with two sums needs no other one"
            limit, _ = role_registers(self._target, decision.num_warps, decision.ctas)
            short = cost.estimated > limit
            return f"{cost.estimated} registers needed, {limit} left" if short else None
        if made.transposes_bytes and not has_room_beside(made.copies, decision.ctas):
            return f"shared memory has no slots for {decision.ctas} CTAs"
        return None

    def _doubt_of_warps(self, decision: Decision) -> str | None:
        """Why a kernel without products shall not have more warps than usual."""
        warps, hints = decision.num_warps, self._space.hints
        if hints.warps or hints.ctas or warps <= self._space.usual_warps()[0]:
            return None
        if not self._space.may_have(warps):
            return "threads would have less than an access of 16 bytes"
        return None

    def _staging(self, copies: Copies) -> _Staging:
        """What is known where engines make some loads."""
        if copies.key not in self._stagings:

            def is_staged(op: ir.Operation, index: int) -> bool:
                return copies.is_copied(op, index) or self._is_hoisted(op, index)

            atoms = {
                Product.of(op, is_staged): choose_atom(op, self._target, copies)
                for op in self._ops
                if op.name in PRODUCTS
            }
            neighbours = AddressTiles(self._ops, copies.loads.choice.facts).neighbours
            live = live_tiles(self._entry, is_staged, copies.is_apart, neighbours)
            self._stagings[copies.key] = _Staging(copies, live, atoms)
        return self._stagings[copies.key]

    def _is_hoisted(self, op: ir.Operation, index: int) -> bool:
        """Whether shared memory holds an operand that is made before a loop.

        One that has no room there is held in registers, and brought in parts along K.
        """
        if not is_staging_hoisted(op, index):
            return False
        size = tile_bytes(op.operands[index])
        return size <= self._target.shared_bytes_per_cta

    def _of_warps(
        self, decision: Decision, copies: Copies, may_alternate: bool
    ) -> _Warps:
        """What so many warps need that divide products in some way."""
        warps, division = decision.num_warps, decision.division
        key = (
            copies.key,
            warps,
            division,
            decision.cluster,
            decision.part,
            may_alternate,
        )
        if key not in self._warps:
            staging, plan = self._staging(copies), Plan(warps, *division)
            plans = self.products(plan, staging.copies, may_alternate=may_alternate)
            shares = warps * decision.cluster * self._parts(decision)
            columns = held_columns(copies, plan, plans, self._target)
            weigh = TileRegisters(plans, shares, columns)
            self._warps[key] = self._estimated(staging, plans, warps, weigh, columns)
        return self._warps[key]

    def _parts(self, decision: Decision) -> int:
        """Parts in which a row is computed."""
        if not decision.part:
            return 1
        return max(1, longest_row(self._ops) // decision.part)

    def _estimated(
        self,
        staging: _Staging,
        plans: ProductPlans,
        warps: int,
        weigh: Weigh,
        columns: Mapping[ir.Value, int],
    ) -> _Warps:
        """What a CTA of so many warps needs, whose threads hold what tiles weigh.

        What follows a sum in parts will be a loop over these.
        """
        products = {p.op: p for p in plans}

        def extra(op: ir.Operation) -> int:
            product = products.get(op)
            if product is None:
                is_part = any(columns.get(value) for value in op.operands)
                return LOOP_OVERHEAD_REGISTERS * is_part
            gathered = staging.copies.gathered(op)
            return slice_registers(product, plans[product], weigh, gathered)

        needed = estimate(staging.live, weigh, extra)
        clocks = resource_clocks(self._target, plans, warps, self._exponentials)
        clocks["shared memory"] += fill_clocks(self._target, plans)
        is_copied = staging.copies.is_copied
        clocks["conversions"] = sum(
            sum(conversion_clocks(self._target, *item, is_copied))
            for item in plans.items()
        )
        least = least_registers(plans)
        return _Warps(plans, needed.registers, needed.op, clocks, least)
