# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which engine may load the operands of products: a part of the space of plans.

`Loads` reads an entry once. `Copies` is one choice of an engine for each load, a value;
`Loads.choices` gives those that a plan may have, the best first. Reasons why an engine
refuses a load stand in analysis/engines.py, and two rules join the loads of an entry:
one engine copies everything, since one role can fill all rings then; and a loop leaves
the shared memory to copies of a loop inside of it, which hide latency that its own few
iterations do not show. Scale factors come to the slots of operands by an engine of
their own (analysis/copied_scales.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.engines import MOST_ASYNC_BYTES, EngineChoice
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import (
    LoadedOperand,
    computed_operands,
    loaded_operands,
    once_loaded_operands,
    source_load,
)
from cuda_tile.constants import SMALL_SHARE
from cuda_tile.engines.mma_sync import widens_small_floats
from cuda_tile.errors import UserError
from cuda_tile.ir.copy_plan import (
    CP_ASYNC,
    THREADS,
    TMA,
    has_engine,
    read_load,
    read_store,
)
from cuda_tile.ir.plan import PLAN_ATTRIBUTE
from cuda_tile.ir.tiles import element_bits, element_of, tile_bytes
from cuda_tile.ir.traits import LOADS, PRODUCTS, VIEW_STORES
from cuda_tile.ir.walk import enclosing_ops_of, location_text
from cuda_tile.records import dataclass
from cuda_tile.rewrites.duplicates import SharedOperand, counted_twice
from cuda_tile.targets import REGISTER_BITS, Target

ENGINES = (TMA, CP_ASYNC)
"""The engines that copy by themselves, the best first."""
NAMES = {TMA: "TMA", CP_ASYNC: "cp.async", THREADS: "threads"}
"""The engines as remarks call them."""
_ONE_ENGINE = "another load of the kernel cannot, and one engine makes all"
_INNER_LOOP = "copies of a loop inside its loop take the shared memory"
_SCALARS = (
    "threads read its elements one by one, which in the swizzles of tensor maps meet "
    "in banks; make K contiguous"
)


class Loads:
    """The loads that feed products of one entry, and what may make them.

    Args:
        entry: The entry, at level T.
        ops: Its ops.
        target: The chip, with the shared memory that may be counted on.
        abi: What the launcher does, as `tileas.abi` says.

    Attributes:
        operands: The operands that loads in loops bring.
        by_hand: The plans of loads that stand there already.
        stores: The stores that may have a plan.
        choice: What engines refuse.

    Raises:
        UserError: A plan by hand names an engine that cannot load or store its tile.
    """

    def __init__(
        self, entry: ir.Operation, ops: Sequence[ir.Operation], target: Target, abi: str
    ) -> None:
        self.entry, self.target = entry, target
        self.choice = EngineChoice(entry, target, abi)
        self.operands = (*loaded_operands(ops), *computed_operands(ops))
        self.by_hand = {op: read_load(op) for op in ops if has_plan(op)}
        self.stores = [op for op in ops if op.name in VIEW_STORES]
        self._check_by_hand(ops)

    @cached_property
    def choices(self) -> list[Copies]:
        """The engines that an entry's loads may have together, the best first."""
        best, others = self._best, list[Copies]()
        groups = {o.load for o in best.bulk}
        is_free = not any(o.load in self.by_hand for o in self.operands)
        if (
            groups
            and is_free
            and all(self.choice.refusal(o, CP_ASYNC) is None for o in best.bulk)
        ):
            engines = {**best.engines, **dict.fromkeys(groups, CP_ASYNC)}
            others.append(replace(best, name=CP_ASYNC, engines=engines))
        mine = {load: THREADS for load in best.engines if load not in self.by_hand}
        if best.copied and mine:
            engines = {**best.engines, **mine}
            others.append(replace(best, name=THREADS, engines=engines))
        return [best, *others]

    def is_apart(self, load: ir.Operation) -> bool:
        """Whether its elements have 16 bits, and no two are known to lie together."""
        if element_bits(element_of(load.results[0])) != REGISTER_BITS // 2:
            return False
        return describe_access(load, self.choice.facts).vector < 2

    @property
    def _best(self) -> Copies:
        """The best engine of each load that suits all of them together."""
        engines = {o.load: self._engine(o) for o in self.operands}
        reasons: dict[ir.Operation, str] = {}
        for operand in self._outside(engines):
            engines[operand.load] = THREADS
            reasons[operand.load] = _INNER_LOOP
        self._join_small(engines)
        if set(ENGINES) <= set(engines.values()):
            for load in engines.keys() - self.by_hand.keys():
                if engines[load] == TMA:
                    engines[load] = CP_ASYNC
                    reasons[load] = _ONE_ENGINE
        name = next((e for e in engines.values() if e != THREADS), THREADS)
        return Copies(self, name, engines, self.operands, reasons)

    def _engine(self, operand: LoadedOperand) -> str:
        """The best engine for a load alone."""
        if operand.load in self.by_hand:
            return self.by_hand[operand.load].engine
        can = [e for e in ENGINES if self.choice.refusal(operand, e) is None]
        if CP_ASYNC in can and self.choice.is_read_by_scalars(operand):
            return CP_ASYNC
        return can[0] if can else THREADS

    def _outside(self, engines: Mapping[ir.Operation, str]) -> list[LoadedOperand]:
        """The operands of loops around others that engines serve."""
        inner = [
            set(enclosing_ops_of(o.loop))
            for o in self.operands
            if engines[o.load] != THREADS
        ]
        return [
            o
            for o in self.operands
            if o.load not in self.by_hand and any(o.loop in ops for ops in inner)
        ]

    def _join_small(self, engines: dict[ir.Operation, str]) -> None:
        """Gives small loads the engine of the large ones, which decide."""
        copied = [o for o in self.operands if engines[o.load] != THREADS]
        small = [o for o in copied if is_small(o)]
        large = {engines[o.load] for o in copied if o not in small}
        if len(large) != 1:
            return
        (engine,) = large
        for operand in small:
            if operand.load not in self.by_hand:
                can = self.choice.refusal(operand, engine) is None
                engines[operand.load] = engine if can else THREADS

    def _check_by_hand(self, ops: Sequence[ir.Operation]) -> None:
        """Refuses plans by hand that name an engine which cannot move the tile.

        Raises:
            UserError: An engine refuses a load that was planned by hand.
        """
        known = {operand.load: operand for operand in self.operands}
        copied = {load: plan for load, plan in self.by_hand.items() if plan.is_copy}
        once = once_loaded_operands(ops) if copied.keys() - known.keys() else []
        outside = {operand.load: operand for operand in once}
        for load, plan in copied.items():
            operand = known.get(load)
            if operand is None and plan.engine == TMA:
                operand = outside.get(load)
            reason = (
                "its tile is no operand of a product in a loop"
                if operand is None
                else self.choice.refusal(operand, plan.engine)
            )
            if reason is not None:
                raise UserError(
                    f"expected an engine that can load the tile in '{PLAN_ATTRIBUTE}', "
                    f"got '{plan.engine}': {reason}",
                    location_text(load),
                )
        for store in self.stores:
            if read_store(store).engine != TMA:
                continue
            reason = self.choice.store_refusal(store)
            if reason is not None:
                raise UserError(
                    f"expected an engine that can store the tile in '{PLAN_ATTRIBUTE}',"
                    f" got '{TMA}': {reason}",
                    location_text(store),
                )


@dataclass(frozen=True, eq=False)
class Copies:
    """One engine for each load that feeds a product in a loop.

    Attributes:
        loads: What is known of the entry's loads.
        name: The engine that copies: all have the same one.
        engines: The engine of each load.
        operands: The operands; a load that is made twice has two.
        reasons: Why loads have no better engine, where another load is why.
        given_up: Loads that lost their engine for want of room: which, and why.
    """

    loads: Loads
    name: str
    engines: Mapping[ir.Operation, str]
    operands: tuple[LoadedOperand, ...]
    reasons: Mapping[ir.Operation, str] = field(default_factory=dict[ir.Operation, str])
    given_up: Mapping[ir.Operation, tuple[str, str]] = field(
        default_factory=dict[ir.Operation, tuple[str, str]]
    )

    @cached_property
    def key(self) -> frozenset[ir.Operation]:
        """The loads that engines make: what registers depend on."""
        return frozenset(o.load for o in self.copied)

    @cached_property
    def copied(self) -> list[LoadedOperand]:
        """The operands that an engine loads."""
        return [o for o in self.operands if self.engines[o.load] != THREADS]

    @property
    def bulk(self) -> list[LoadedOperand]:
        """The operands that bulk copies load."""
        return [o for o in self.operands if self.engines[o.load] == TMA]

    @cached_property
    def copied_loops(self) -> set[ir.Operation]:
        """The loops in which an engine loads something."""
        return {o.loop for o in self.copied}

    @property
    def facts(self) -> FactsAnalysis | None:
        """Facts of the entry; None if no engine loads anything."""
        return self.loads.choice.facts if self.copied_loops else None

    def is_apart(self, op: ir.Operation) -> bool:
        """Whether threads load an operand of 16 bits element by element."""
        return op in self._apart

    @cached_property
    def _apart(self) -> frozenset[ir.Operation]:
        by_threads = (o for o in self.operands if self.engines[o.load] == THREADS)
        return frozenset(o.load for o in by_threads if self.loads.is_apart(o.load))

    def without(self, loads: Mapping[ir.Operation, str]) -> Copies:
        """The same with some loads made by threads.

        Args:
            loads: Which, each with the reason.
        """
        lost = {load: (self.engines[load], why) for load, why in loads.items()}
        engines = {**self.engines, **dict.fromkeys(loads, THREADS)}
        return replace(self, engines=engines, given_up={**self.given_up, **lost})

    def twice(self, shared: Iterable[SharedOperand]) -> Copies:
        """The same where some loads are made twice, each with readers of its own.

        Args:
            shared: The operands that the second one is for.
        """
        return replace(self, operands=tuple(counted_twice(self.operands, shared)))

    def is_copied(self, op: ir.Operation, index: int) -> bool:
        """Whether an operand of a product is brought to shared memory by an engine.

        Args:
            op: The product.
            index: The number of the operand: 0 for A, 1 for B.
        """
        if op.name not in PRODUCTS or index > 1 or not self.engines:
            return False
        load = source_load(op.operands[index])
        return load is not None and self.engines.get(load, THREADS) != THREADS

    def is_computed(self, op: ir.Operation, index: int) -> bool:
        """Whether threads compute an operand of a product from what an engine brings.

        Scales alone do not count.

        Args:
            op: The product.
            index: The number of the operand: 0 for A, 1 for B.
        """
        return any(
            (op, index) in operand.uses and not is_small(operand)
            for operand in self.copied
            if operand.is_computed
        )

    @cached_property
    def has_only_bulk_copies(self) -> bool:
        """Whether bulk copies load all that an engine loads: one thread starts them."""
        return {e for e in self.engines.values() if e != THREADS} == {TMA}

    @cached_property
    def may_have_role(self) -> bool:
        """Whether a role of its own may make the copies."""
        return self.has_only_bulk_copies and not any(
            self.loads.choice.awaits_threads(operand.load) for operand in self.copied
        )

    @cached_property
    def has_whole_groups(self) -> bool:
        """Whether threads copy all tiles by 16 bytes, as many as an instruction takes.

        Smaller copies are more instructions than bulk copies save.
        """
        return all(map(self._is_wide, (o for o in self.copied)))

    def _is_wide(self, operand: LoadedOperand) -> bool:
        access = describe_access(operand.load, self.loads.choice.facts)
        return access.vector * access.element_bytes >= MOST_ASYNC_BYTES

    def gathered(self, product: ir.Operation) -> frozenset[int] | None:
        """Operands that threads read from copies by single elements.

        None if an engine does not bring both, and for floats of 8 bits on sm_90, which
        ptxas widens in registers where `mma.sync` multiplies them.
        """
        if not all(self.is_copied(product, index) for index in (0, 1)):
            return None
        is_float = product.name != "cuda_tile.mmai"
        if is_float and widens_small_floats(self.loads.target):
            return None
        return frozenset(
            index
            for operand in self.copied
            for op, index in operand.uses
            if op == product and self.loads.choice.is_read_by_scalars(operand)
        )

    def remarks(self, loop: ir.Operation) -> Iterator[str]:
        """What the loads of a loop got instead of something better, and why."""
        for operand in self.operands:
            if operand.loop == loop and operand.load not in self.loads.by_hand:
                yield from self._remarks(operand)

    def _remarks(self, operand: LoadedOperand) -> Iterator[str]:
        load = operand.load
        had, lost = self.given_up.get(load, (self.engines[load], None))
        for engine in ENGINES[: ENGINES.index(had)] if had in ENGINES else ENGINES:
            if not has_engine(self.loads.target, engine):
                continue
            reason = self._reason(operand, engine)
            if reason is not None:
                yield _instead(load, had, engine, reason)
                break
        if lost is not None:
            yield _instead(load, THREADS, had, lost)

    def _reason(self, operand: LoadedOperand, engine: str) -> str | None:
        """Why an engine does not make a load; None if nothing forbids it."""
        if operand.load in self.reasons:
            return self.reasons[operand.load]
        reason = self.loads.choice.refusal(operand, engine)
        if reason is None and self.loads.choice.is_read_by_scalars(operand):
            return _SCALARS
        return reason


def _instead(load: ir.Operation, got: str, wanted: str, reason: str) -> str:
    where = location_text(load)
    return f"{where}: load by {NAMES[got]} instead of {NAMES[wanted]}: {reason}"


def is_small(operand: LoadedOperand) -> bool:
    """Whether a load brings little of what an operand is computed from: its scales."""
    (product, index), *_ = operand.uses
    whole = tile_bytes(product.operands[index])
    load_bytes = tile_bytes(operand.load.results[0])
    return operand.is_computed and load_bytes * SMALL_SHARE <= whole


def has_plan(op: ir.Operation) -> bool:
    """Whether a load has a plan by hand."""
    return op.name in LOADS and PLAN_ATTRIBUTE in op.attributes
