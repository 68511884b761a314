# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of `plan` that is about loads: which engine, how many slots, how far ahead.

The first engine of `ENGINES` that may load the operand of a product in a loop does it
(analysis/engines.py). All copies of a loop get as many slots, by what hides their
latency and by what shared memory has room for (analysis/cost.py). What falls back
becomes a remark that says what would help.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.cost import (
    Room,
    choose_slots,
    count_exponentials,
    turn_clocks,
)
from cuda_tile.analysis.engines import (
    LEAST_ASYNC_BYTES,
    MOST_ASYNC_BYTES,
    EngineChoice,
)
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.feeds import (
    LoadedOperand,
    Parts,
    computed_operands,
    enclosing_ops_of,
    loaded_operands,
    once_loaded_operands,
    source_load,
)
from cuda_tile.engines.mma_sync import widens_small_floats
from cuda_tile.errors import UserError
from cuda_tile.ir.copy_plan import (
    CONVERTED_SLOTS,
    CP_ASYNC,
    LOADS,
    STORES,
    THREADS,
    TMA,
    LoadPlan,
    StorePlan,
    has_engine,
    read_load,
    read_store,
)
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    PRODUCTS,
    Plan,
    ProductPlan,
    add_remark,
)
from cuda_tile.ir.rings import SLOT_ALIGNMENT_BYTES, slot_bytes_of
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.targets import WARP_LANES, Target

ENGINES: tuple[str, ...] = (TMA, CP_ASYNC)
"""The engines that the passes after `place` make something of, the best first."""
BULK_STORES = True
"""Whether these passes make something of stores by bulk copies."""
LEAST_STORED_BYTES = 16 * 1024
"""Bytes of a tile from which on a bulk copy stores it: before, starting it and waiting
for it costs as much."""
NAMES = {TMA: "TMA", CP_ASYNC: "cp.async", THREADS: "threads"}
"""The engines as remarks call them."""
DEEP_SLOTS = 6
"""Slots where a role of its own fills them and shared memory has room: its copies go on
through whatever the others do between two loops."""
LEAST_SHIFTED = 4
"""From so many slots on a power of two is taken where a loop has several rings, each of
whose turns is divided by it: the next one below hides as much."""
SMALL_PART = 16
"""What a load brings is small where an operand computed from it has so many times its
bytes."""
SPARE_BYTES = 1024
"""Shared memory that is left to what is small: barriers of rings, parts of rows."""
SPARE_BYTES_OF_TILES = 8 * 1024
"""The same where tiles that a loop computes may have to change threads."""


class LoadChooser:
    """Decides who loads the operands of one entry's products.

    Attributes:
        engines: The engine of each load that feeds a product in a loop.
        resident: CTAs that registers allow on a multiprocessor, where that is known.
    """

    def __init__(
        self, entry: ir.Operation, ops: Sequence[ir.Operation], target: Target, abi: str
    ) -> None:
        self._entry, self._target, self._abi = entry, target, abi
        self._odd: set[ir.Operation] = set()
        self._outer: set[ir.Operation] = set()
        self.resident = 1
        self._slots: dict[tuple[ir.Operation | str, ...], int] = {}
        self._choice = EngineChoice(entry, target, abi)
        is_worth_asking = bool(ENGINES) or any(_has_plan(op) for op in ops)
        self.operands = (
            [*loaded_operands(ops), *computed_operands(ops)] if is_worth_asking else []
        )
        self._by_hand = {op: read_load(op) for op in ops if _has_plan(op)}
        self._stores = [op for op in ops if op.name in STORES]
        self._check_by_hand(ops)
        self.engines = {o.load: self._engine(o) for o in self.operands}
        self._leave_room()
        self._agree()

    @property
    def facts(self) -> FactsAnalysis | None:
        """Facts of the entry; None if no engine loads anything."""
        return self._choice.facts if self.copied_loops else None

    def is_copied(self, op: ir.Operation, index: int) -> bool:
        """Whether an operand of a product is brought to shared memory by an engine."""
        if op.name not in PRODUCTS or index > 1 or not self.engines:
            return False
        load = source_load(op.operands[index])
        return load is not None and self.engines.get(load, THREADS) != THREADS

    def is_computed(self, op: ir.Operation, index: int) -> bool:
        """Whether threads compute an operand of a product from what an engine brings.

        Scales alone do not count.
        """
        return any(
            (op, index) in operand.uses and not _is_small(operand)
            for operand in self.copied
            if operand.is_computed
        )

    def _leave_room(self) -> None:
        """Has threads load what is used in a loop inside, whose copies take the room.

        The slots of both loops would be live at once, and those of the outer one hide
        latency that its turns, each of them a whole inner loop, do not show.
        """
        inner = [
            set(enclosing_ops_of(operand.loop))
            for operand in self.operands
            if self.engines[operand.load] != THREADS
        ]
        for operand in self.operands:
            load = operand.load
            if load not in self._by_hand and any(operand.loop in ops for ops in inner):
                self.engines[load] = THREADS
                self._outer.add(load)

    def _agree(self) -> None:
        """Lets one engine copy everything: one role can fill all rings then."""
        small = [o for o in self.copied if _is_small(o)]
        large = {self.engines[o.load] for o in self.copied if o not in small}
        for operand in small:  # which do not decide for what is large
            if len(large) == 1 and operand.load not in self._by_hand:
                (engine,) = large
                can = self._choice.refusal(operand, engine) is None
                self.engines[operand.load] = engine if can else THREADS
        copying = {e for e in self.engines.values() if e != THREADS}
        if len(copying) < 2:
            return
        for operand in self.operands:
            load = operand.load
            if self.engines[load] == TMA and load not in self._by_hand:
                self.engines[load] = CP_ASYNC
                self._odd.add(load)

    def _prefer_groups(self, plan: Plan, parts: Parts) -> None:
        """Lets threads copy by `cp.async` what bulk copies would bring to `mma.sync`.

        Without a role that loads, a warp that is done with a slot tells so by an
        mbarrier and waits by polling, where groups need one barrier a turn; and rings
        of groups share their memory with what is live after the loop. Only where copies
        of 16 bytes do it: smaller ones are more instructions than that saves.
        """
        if plan.roles != "one" or any(p.engine.reads_shared for p in parts.values()):
            return
        mine = [o for o in self.operands if o.load not in self._by_hand]
        bulk = [o for o in mine if self.engines[o.load] == TMA]
        if len(mine) == len(self.operands) and all(map(self._suits_groups, bulk)):
            self.engines.update((o.load, CP_ASYNC) for o in bulk)

    def _suits_groups(self, operand: LoadedOperand) -> bool:
        access = describe_access(operand.load, self._choice.facts)
        return (
            CP_ASYNC in ENGINES
            and access.vector * access.element_bytes >= MOST_ASYNC_BYTES
            and self._choice.refusal(operand, CP_ASYNC) is None
        )

    @property
    def has_only_bulk_copies(self) -> bool:
        """Whether bulk copies load all that an engine loads: one thread starts them."""
        copying = {e for e in self.engines.values() if e != THREADS}
        return copying == {TMA}

    @property
    def may_have_role(self) -> bool:
        """Whether a role of its own may make the copies."""
        return self.has_only_bulk_copies and not any(
            self._choice.awaits_threads(operand.load) for operand in self.copied
        )

    def gathered(self, product: ir.Operation) -> frozenset[int] | None:
        """Operands that threads read from copies by single elements.

        None if an engine does not bring both, and for floats of 8 bits on sm_90, which
        ptxas widens in registers where `mma.sync` multiplies them.
        """
        if not all(self.is_copied(product, index) for index in (0, 1)):
            return None
        is_float = product.name != "cuda_tile.mmai"
        if is_float and widens_small_floats(self._target):
            return None
        return frozenset(
            index
            for operand in self.copied
            for op, index in operand.uses
            if op == product and self._choice.is_read_by_scalars(operand)
        )

    @property
    def copied(self) -> list[LoadedOperand]:
        """The operands that an engine loads."""
        return [o for o in self.operands if self.engines[o.load] != THREADS]

    @property
    def copied_loops(self) -> set[ir.Operation]:
        """The loops in which an engine loads something."""
        return {o.loop for o in self.copied}

    def write(self, plan: Plan, parts: Parts) -> None:
        """Writes the plan of each load that has none, and remarks.

        Args:
            plan: The entry's.
            parts: The plans of its products.
        """
        self._prefer_groups(plan, parts)
        chosen: list[tuple[ir.Operation, LoadPlan]] = []
        for loop in dict.fromkeys(o.loop for o in self.operands):
            mine = [o for o in self.operands if o.loop == loop]
            for operand in mine:
                self._remark(operand)
                self._refuse_few(operand.load, plan)
            copied = [o for o in mine if self.engines[o.load] != THREADS]
            if any(o.load not in self._by_hand for o in copied):
                chosen += self._plan_ring(loop, plan, parts, copied)
        if self.engines:
            self._write_stores(plan)
        if plan.roles == "load":
            chosen += self._plan_once(parts)
        for load, its_plan in chosen:  # last, since it changes the hash of the op
            load.attributes[PLAN_ATTRIBUTE] = its_plan.to_attribute()

    def _plan_once(self, parts: Parts) -> list[tuple[ir.Operation, LoadPlan]]:
        """The plans of loads outside loops that the role that loads makes, too.

        Those are tiles that products read in shared memory by themselves; threads would
        bring them there through registers, with a fence in front of the first product.
        """
        found: list[tuple[ir.Operation, LoadPlan]] = []
        for operand in once_loaded_operands([product.op for product in parts]):
            plans = {p.op: q for p, q in parts.items()}
            reads = [plans[op].engine.reads_shared for op, _ in operand.uses]
            if (
                not _has_plan(operand.load)
                and all(reads)
                and self._choice.refusal(operand, TMA) is None
            ):
                found.append((operand.load, LoadPlan(TMA, 1)))
        return found

    def _write_stores(self, plan: Plan) -> None:
        """Lets bulk copies store large tiles that products made.

        In the layout of a product's result a store by threads wastes sectors, and in
        another the tile goes through shared memory anyway.
        """
        for store in self._stores:
            if PLAN_ATTRIBUTE not in store.attributes and self._is_bulk(store, plan):
                store.attributes[PLAN_ATTRIBUTE] = StorePlan(TMA).to_attribute()

    def _is_bulk(self, store: ir.Operation, plan: Plan) -> bool:
        """Whether a bulk copy stores a tile: by hand, or since it is large."""
        if PLAN_ATTRIBUTE in store.attributes:
            return read_store(store).engine == TMA
        return (
            BULK_STORES
            and self._target.has_tma
            and LEAST_STORED_BYTES <= tile_bytes(store.operands[0]) <= self._share(plan)
            and self._choice.store_refusal(store) is None
        )

    def _stored_beside(self, loop: ir.Operation, plan: Plan) -> int:
        """Bytes that stores need in shared memory while the rings of a loop are in use.

        That is in the loop itself; and in the loops around it, or in all that a
        persistent kernel does, where the next turn's copies do not wait for it.
        """
        goes_on = self.has_only_bulk_copies or plan.roles == "load"
        loops = {loop, *enclosing_ops_of(loop)} if goes_on else {loop}
        beside = [
            store
            for store in self._stores
            if (plan.persistent and goes_on) or loops & set(enclosing_ops_of(store))
        ]
        # What threads store goes through shared memory, too, out of the layout of sums.
        sizes = [
            tile_bytes(store.operands[0])
            for store in beside
            if goes_on or self._is_bulk(store, plan)
        ]
        return max(sizes, default=0)

    def _share(self, plan: Plan) -> int:
        """Shared memory that a CTA may have beside those that the plan asks for."""
        target, ctas = self._target, max(1, plan.min_ctas)
        share = target.shared_bytes_per_sm // ctas - target.shared_bytes_reserved
        return min(target.shared_bytes_per_cta, share)

    def has_room_beside(self, ctas: int) -> bool:
        """Whether so many CTAs have slots enough for what engines copy in any loop."""
        share = self._target.shared_bytes_per_sm // ctas
        slots = [
            slot_bytes_of(
                tile_bytes(o.load.results[0]) for o in self.copied if o.loop == loop
            )
            for loop in self.copied_loops
        ]
        return LEAST_SHIFTED * max(slots, default=0) <= share

    def _refuse_few(self, load: ir.Operation, plan: Plan) -> None:
        """Leaves a tile of pointers to threads if each has less than a copy's bytes."""
        if load.name != "cuda_tile.load_ptr_tko" or load in self._by_hand:
            return
        least = LEAST_ASYNC_BYTES * WARP_LANES * plan.num_warps
        size = tile_bytes(load.results[0])
        if self.engines[load] == THREADS or size >= least:
            return
        self.engines[load] = THREADS
        add_remark(
            self._entry,
            f"{location_text(load)}: load by threads instead of {NAMES[CP_ASYNC]}: "
            f"{size} bytes are less than {LEAST_ASYNC_BYTES} for each thread of "
            f"{plan.num_warps} warps; larger tiles, or fewer warps, have more",
        )

    def _plan_ring(
        self,
        loop: ir.Operation,
        plan: Plan,
        parts: Parts,
        copied: list[LoadedOperand],
    ) -> list[tuple[ir.Operation, LoadPlan]]:
        """The plans of the copies of a loop that have none."""
        room = self._room(loop, plan, parts, copied)
        room = replace(room, room_bytes=room.room_bytes - self._bytes_by_hand(copied))
        loads = [o.load for o in copied if o.load not in self._by_hand]
        slot_bytes = slot_bytes_of(tile_bytes(load.results[0]) for load in loads)
        most = DEEP_SLOTS if plan.roles == "load" else None
        slots = self._slots.get(self._ring_key(loop))
        if slots is None:
            slots = choose_slots(self._target, room, slot_bytes, most)
            fed = {tuple(op for op, _ in o.uses) for o in copied}
            if slots > LEAST_SHIFTED and len(fed) > 1:
                slots = 1 << slots.bit_length() - 1
            is_alone = plan.roles == "load" and len(fed) > 1
            if not slots and is_alone and slot_bytes <= room.room_bytes:
                slots = 1
                self._remark_one_slot(loop, slot_bytes, room)
            self._slots[self._ring_key(loop)] = slots
        if slots:
            engines = self.engines
            return [(load, LoadPlan(engines[load], slots, slots - 1)) for load in loads]
        by_operand = {o.load: o for o in copied}
        computed = [load for load in loads if by_operand[load].is_computed]
        left = [o for o in copied if o.load not in computed]
        for load in computed or loads:
            add_remark(
                self._entry,
                f"{location_text(load)}: load by threads instead of "
                f"{NAMES[self.engines[load]]}: two slots of {slot_bytes} bytes are "
                f"needed, {max(0, room.room_bytes)} bytes of shared memory are left; "
                "smaller tiles need fewer",
            )
            self.engines[load] = THREADS
        if not computed or not left:
            return []
        self._slots.pop(self._ring_key(loop), None)
        return self._plan_ring(loop, plan, parts, left)

    def _remark_one_slot(self, loop: ir.Operation, slot_bytes: int, room: Room) -> None:
        """Says that copies of a loop do not run ahead of their own ring.

        Where a role of its own makes them, each ring is filled again while products of
        the others run; threads would load through registers, which large tiles lack.
        """
        add_remark(
            self._entry,
            f"{location_text(loop)}: its copies have one slot each: two slots of "
            f"{slot_bytes} bytes are needed, {room.room_bytes} bytes of shared memory "
            "are left; smaller tiles need fewer",
        )

    def _bytes_by_hand(self, copied: Iterable[LoadedOperand]) -> int:
        """Shared memory of the slots that plans by hand ask for."""
        return sum(
            self._by_hand[o.load].slots * tile_bytes(o.load.results[0])
            for o in copied
            if o.load in self._by_hand
        )

    def _room(
        self,
        loop: ir.Operation,
        plan: Plan,
        parts: Parts,
        copied: list[LoadedOperand],
    ) -> Room:
        """What a loop's rings may take.

        Where bulk copies fill all rings, these live all the time, with their mbarriers,
        and so do those of converted operands.
        """
        target, ctas = self._target, max(1, plan.min_ctas)
        room = self._share(plan) - SPARE_BYTES
        inner = {p: q for p, q in parts.items() if loop in enclosing_ops_of(p.op)}
        loads = {operand.load for operand in copied}
        others: dict[ir.Value, int] = {}
        for product, divided in inner.items():
            for index in (0, 1, 3, 4)[: len(product.op.operands) - 1]:
                value = product.op.operands[index]
                if (
                    source_load(value) not in loads
                    and not (index == 0 and product.keeps_operand(divided))
                    and not self._goes_on(product.op, index, divided)
                ):
                    others[value] = tile_bytes(value)
        rings = parts if self.has_only_bulk_copies else inner
        for product, divided in rings.items():
            for index in (0, 1):
                if self._goes_on(product.op, index, divided):
                    n_bytes = tile_bytes(product.op.operands[index])
                    room -= CONVERTED_SLOTS * n_bytes + SLOT_ALIGNMENT_BYTES
        room -= sum(others.values())
        if plan.roles == "load":  # rings of tiles loaded once, one in the spare bytes
            once = [value for value in others if source_load(value) is not None]
            room -= max(0, len(once) - 1) * SLOT_ALIGNMENT_BYTES
        body = list(nested_ops(loop))
        if plan.warps_n != 1 and any(op.name == "cuda_tile.reduce" for op in body):
            room -= SPARE_BYTES_OF_TILES
        room -= self._stored_beside(loop, plan)
        if self.has_only_bulk_copies:
            keys = {self._ring_key(other) for other in self.copied_loops}
            room = room // len(keys) - len(copied) * SLOT_ALIGNMENT_BYTES
        exponentials = count_exponentials(body)
        clocks = turn_clocks(
            target, inner, plan.num_warps, ctas, exponentials, waits=False
        )
        return Room(room, max(1.0, clocks), max(ctas, self.resident))

    def _goes_on(self, op: ir.Operation, index: int, plan: ProductPlan) -> bool:
        """Whether threads take an operand from the slots of copies to other slots."""
        return (
            index < 2
            and "ab"[index] in plan.convert
            and (self.is_copied(op, index) or self.is_computed(op, index))
        )

    def has_room(
        self,
        loop: ir.Operation,
        plan: Plan,
        parts: Parts,
        again: Iterable[ir.Operation],
    ) -> bool:
        """Whether some loads of a loop can be made twice, with slots for each."""
        copied = [o for o in self.copied if o.loop == loop]
        room = self._room(loop, plan, parts, copied)
        tiles = [*(o.load for o in copied), *again]
        slot_bytes = slot_bytes_of(tile_bytes(load.results[0]) for load in tiles)
        return choose_slots(self._target, room, slot_bytes) > 0

    def _ring_key(self, loop: ir.Operation) -> tuple[ir.Operation | str, ...]:
        """What is equal for loops that follow each other and share their rings.

        Those in one block with the same tiles of the same views, which bulk copies
        bring; any other loop has rings of its own.
        """
        if not self.has_only_bulk_copies:
            return (loop,)
        mine = [o.load for o in self.operands if o.loop == loop]
        mine = [load for load in mine if self.engines[load] != THREADS]
        outer = enclosing_ops_of(loop)
        home = outer[0] if outer else self._entry
        views = (f"{load.operands[0].type}" for load in mine)
        return (home, *views)

    def _engine(self, operand: LoadedOperand) -> str:
        if operand.load in self._by_hand:
            return self._by_hand[operand.load].engine
        can = [
            engine
            for engine in ENGINES
            if has_engine(self._target, engine)
            and self._choice.refusal(operand, engine) is None
        ]
        if CP_ASYNC in can and self._choice.is_read_by_scalars(operand):
            return CP_ASYNC
        return can[0] if can else THREADS

    def _remark(self, operand: LoadedOperand) -> None:
        """Says why a better engine does not load an operand."""
        load, got = operand.load, self.engines[operand.load]
        if load in self._by_hand:
            return
        for engine in ENGINES:
            if engine == got:
                return
            if not has_engine(self._target, engine):
                continue
            reason = self._choice.refusal(operand, engine)
            if reason is None and self._choice.is_read_by_scalars(operand):
                reason = (
                    "threads read its elements one by one, which in the swizzles of "
                    "tensor maps meet in banks; make K contiguous"
                )
            if load in self._odd:
                reason = "another load of the kernel cannot, and one engine makes all"
            if load in self._outer:
                reason = "copies of a loop inside its loop take the shared memory"
            if reason is not None:
                add_remark(
                    self._entry,
                    f"{location_text(load)}: load by {NAMES[got]} instead of "
                    f"{NAMES[engine]}: {reason}",
                )
                return

    def _check_by_hand(self, ops: Sequence[ir.Operation]) -> None:
        """Refuses plans by hand that name an engine which cannot load the tile."""
        known = {operand.load: operand for operand in self.operands}
        copied = {load: plan for load, plan in self._by_hand.items() if plan.is_copy}
        once = once_loaded_operands(ops) if copied.keys() - known.keys() else []
        outside = {operand.load: operand for operand in once}
        for load, plan in copied.items():
            operand = known.get(load)
            if operand is None and plan.engine == TMA:
                operand = outside.get(load)
            reason = (
                "its tile is no operand of a product in a loop"
                if operand is None
                else self._choice.refusal(operand, plan.engine)
            )
            if reason is not None:
                raise UserError(
                    f"expected an engine that can load the tile in '{PLAN_ATTRIBUTE}', "
                    f"got '{plan.engine}': {reason}",
                    location_text(load),
                )
        for store in self._stores:
            if read_store(store).engine != TMA:
                continue
            reason = self._choice.store_refusal(store)
            if reason is not None:
                raise UserError(
                    f"expected an engine that can store the tile in '{PLAN_ATTRIBUTE}',"
                    f" got '{TMA}': {reason}",
                    location_text(store),
                )


def _is_small(operand: LoadedOperand) -> bool:
    """Whether a load brings little of what an operand is computed from: its scales."""
    (product, index), *_ = operand.uses
    whole = tile_bytes(product.operands[index])
    load_bytes = tile_bytes(operand.load.results[0])
    return operand.is_computed and load_bytes * SMALL_PART <= whole


def _has_plan(op: ir.Operation) -> bool:
    return op.name in LOADS and PLAN_ATTRIBUTE in op.attributes
