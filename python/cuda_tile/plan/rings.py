# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared memory of a plan: slots of the rings that engines fill, and bulk stores.

All copies of a loop get as many slots, by what hides their latency and by what shared
memory has room for. A load whose slots have no room is given up: the plan is another
one then, and the search goes on without (plan/search.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from math import ceil

from cuda_tile._mlir import ir
from cuda_tile.analysis.copied_scales import scale_engines
from cuda_tile.analysis.engines import LEAST_ASYNC_BYTES
from cuda_tile.analysis.operand_sources import (
    LoadedOperand,
    Product,
    ProductPlans,
    enclosing_loop,
    most_live_bytes,
    once_loaded_operands,
    source_load,
)
from cuda_tile.analysis.tcgen05 import tensor_columns_of, wanted_columns
from cuda_tile.constants import (
    CONVERTED_SLOTS,
    DEEP_SLOTS,
    LEAST_SHIFTED_SLOTS,
    LEAST_STORED_BYTES,
    MOST_SLOTS,
    SPARE_CONVERSION_BYTES,
    SPARE_SHARED_BYTES,
)
from cuda_tile.engines.tcgen05 import as_tensor_atom
from cuda_tile.ir.copy_plan import (
    TMA,
    LoadPlan,
    read_store,
)
from cuda_tile.ir.cta_pairs import copied_bytes
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, Plan, ProductPlan, scaling_of
from cuda_tile.ir.rings import SLOT_ALIGNMENT_BYTES, slot_bytes_of
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.traits import POINTER_LOADS, REDUCTIONS
from cuda_tile.ir.walk import enclosing_ops_of, location_text, nested_ops
from cuda_tile.layout.tensor_scales import columns_of_scales
from cuda_tile.plan.clocks import count_exponentials, resource_clocks
from cuda_tile.plan.loads import Copies, has_plan
from cuda_tile.plan.sums import divided_stores
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES, Target

_Key = tuple[ir.Operation | str, ...]


@dataclass(frozen=True)
class Rings:
    """The shared memory of copies.

    Attributes:
        plans: The plan of each load that an engine makes and nobody planned by hand.
        no_room: Loads whose slots have no room, each with the reason.
        shared_bytes: Bytes of all slots.
        cta_bytes: Bytes of a CTA, with what is in shared memory beside slots.
        remarks: By loop, what its copies had to do without.
        in_place: Whether copies of a loop do not run ahead, for want of room.
        stored_scales: Products in tensor memory whose scale factors threads store
            there, each with the reason.
    """

    plans: Mapping[ir.Operation, LoadPlan]
    no_room: Mapping[ir.Operation, str]
    shared_bytes: int
    cta_bytes: int
    remarks: Mapping[ir.Operation, str] = field(default_factory=dict[ir.Operation, str])
    in_place: bool = False
    stored_scales: Mapping[ir.Operation, str] = field(
        default_factory=dict[ir.Operation, str]
    )


@dataclass(frozen=True)
class Room:
    """Shared memory that the rings of one loop may take, and what an iteration costs.

    Attributes:
        room_bytes: Bytes for all slots.
        clocks: Clocks of one iteration.
        ctas: CTAs of a multiprocessor.
    """

    room_bytes: int
    clocks: float
    ctas: int


def few_bytes(copies: Copies, num_warps: int) -> dict[ir.Operation, str]:
    """The tiles of pointers of which each thread has less than a copy's bytes.

    Args:
        copies: The engines of all loads.
        num_warps: Warps of a CTA.

    Returns:
        Their loads, each with the reason.
    """
    least, found = LEAST_ASYNC_BYTES * WARP_LANES * num_warps, dict[ir.Operation, str]()
    for load in copies.key:
        size = tile_bytes(load.results[0])
        is_mine = load.name in POINTER_LOADS
        if is_mine and load not in copies.loads.by_hand and size < least:
            found[load] = (
                f"{size} bytes are less than {LEAST_ASYNC_BYTES} for each thread of "
                f"{num_warps} warps; larger tiles, or fewer warps, have more"
            )
    return found


def choose_slots(
    target: Target, room: Room, slot_bytes: int, deep: int | None = None
) -> int:
    """Slots for the copies of a loop, each of which holds what one iteration uses.

    So many that a copy has landed when its iteration comes, and one more, since latency
    varies; fewer where they do not fit. 0 if not even two do: then an iteration would
    wait for its own copies.

    Args:
        target: The chip.
        room: What there is.
        slot_bytes: Bytes that an iteration takes.
        deep: Slots to have if they fit, though fewer hide the latency.
    """
    ahead = target.copy_latency_clocks / (room.clocks * room.ctas)
    wanted = max(2 + ceil(ahead), deep or 0)
    slots = min(wanted, MOST_SLOTS, room.room_bytes // slot_bytes)
    return slots if slots >= 2 else 0


class SharedMemory:
    """The shared memory that one plan leaves.

    Args:
        copies: The engines of all loads.
        plan: The entry's plan.
        parts: The plans of its products.
        resident: CTAs that registers allow on a multiprocessor.
    """

    def __init__(
        self, copies: Copies, plan: Plan, parts: ProductPlans, resident: int = 1
    ) -> None:
        self._copies, self._plan, self._parts = copies, plan, parts
        self._target = copies.loads.target
        self._ctas = max(1, plan.min_ctas)
        self._resident = max(self._ctas, resident)
        self._divided = divided_stores(copies.loads.entry, plan, parts)

    def rings(self) -> Rings:
        """The slots of all loops."""
        plans: dict[ir.Operation, LoadPlan] = {}
        no_room: dict[ir.Operation, str] = {}
        remarks: dict[ir.Operation, str] = {}
        slots: dict[_Key, int] = {}
        scales, stored = self._scales()
        taken, most, in_place = 0, self._least_bytes, False
        for loop in dict.fromkeys(o.loop for o in self._copies.copied):
            loads = self._planned(loop)
            if not loads:
                continue
            key, room = self._ring_key(loop), self._room(loop)
            engines = {n: self._copies.engines[n] for n in loads}
            engines |= {n: e for n, e in scales.items() if enclosing_loop(n) == loop}
            size = slot_bytes_of(map(copied_bytes, engines))
            if key not in slots:
                slots[key] = self._slots(loop, room, size)
                if len(engines) > len(loads):
                    slots[key] = min(slots[key], self._slots_of_columns)
                taken += slots[key] * size
            whole = taken if self._copies.has_only_bulk_copies else slots[key] * size
            most = max(most, whole + self._beside(loop))
            count = slots[key]
            if not count:
                no_room |= self._given_up(loop, room, size)
                continue
            if count == 1:
                remarks[loop] = _one_slot(loop, size, room)
                in_place |= self._plan.roles == "one"
            plans |= {n: LoadPlan(e, count, count - 1) for n, e in engines.items()}
        if self._plan.roles == "load":
            plans |= self._once()
        return Rings(plans, no_room, taken, most, remarks, in_place, stored)

    @property
    def _least_bytes(self) -> int:
        """Bytes of a CTA whatever its rings: of operands, or of results, at a time.

        Threads store the operands that no engine brings before each product; a bulk
        copy stores a result behind the loop, from where rings were.
        """
        copied = self._copies.copied_loops
        loops = {enclosing_loop(product.op) for product in self._parts}
        least = [
            sum(self._operand_bytes(loop, self._inner(loop)).values())
            for loop in loops
            if loop is not None and loop not in copied
        ]
        stores = filter(self._is_bulk, self._copies.loads.stores)
        return max((*least, *map(self._stored_bytes, stores)), default=0)

    def _scales(self) -> tuple[dict[ir.Operation, str], dict[ir.Operation, str]]:
        """The engines that bring scale factors to slots of the operands beside them.

        Returns:
            The engine of each load, and why threads store those of other products.
        """
        engines, stored = dict[ir.Operation, str](), dict[ir.Operation, str]()
        for product, plan in self._parts.items():
            if not tensor_columns_of(product, plan) or scaling_of(product.op) is None:
                continue
            found = self._scale_engines(product)
            if isinstance(found, str):
                stored[product.op] = found
            else:
                engines |= found
        return engines, stored

    def _scale_engines(self, product: Product) -> dict[ir.Operation, str] | str:
        """The engine of each load of scale factors, or why threads store them."""
        copies = self._copies
        if self._plan.roles != "load" or not copies.has_only_bulk_copies:
            return "no role of its own copies its operands"
        mine = {o.load for o in copies.copied if o.load.block == product.op.block}
        loads = {source_load(value) for value in list(product.op.operands)[:2]}
        if not loads <= mine:
            return "no copies bring both of its operands in each iteration"
        if self._slots_of_columns < LEAST_SHIFTED_SLOTS:
            return "tensor memory has no columns for those of two slots"
        return scale_engines(product, copies.loads.choice)

    @cached_property
    def _slots_of_columns(self) -> int:
        """Slots whose scale factors fit beside the sums of as many CTAs.

        A CTA allocates a power of two, for one set of factors in each slot.
        """
        sets = [
            columns_of_scales(as_tensor_atom(q.atom), p.extents)
            for p, q in self._parts.items()
            if tensor_columns_of(p, q)
        ]
        share = self._target.tensor_columns // self._resident
        left = 2 ** (share.bit_length() - 1) - wanted_columns(self._parts)
        return 1 + left // max(1, sum(sets))

    def has_room(self, loop: ir.Operation, again: Iterable[ir.Operation]) -> bool:
        """Whether some loads of a loop can be made twice, with slots for each.

        Args:
            loop: The loop.
            again: The loads that are made twice.
        """
        tiles = [*(o.load for o in self._of(loop)), *again]
        size = slot_bytes_of(map(copied_bytes, tiles))
        return choose_slots(self._target, self._whole_room(loop), size) > 0

    def bulk_stores(self) -> list[ir.Operation]:
        """The stores that bulk copies shall make and nobody planned by hand.

        Large tiles that products made: in the layout of a product's result a store by
        threads wastes sectors, and in another the tile goes through shared memory
        anyway.
        """
        if not self._copies.engines:
            return []
        stores = self._copies.loads.stores
        return [
            s for s in stores if PLAN_ATTRIBUTE not in s.attributes and self._is_bulk(s)
        ]

    def _of(self, loop: ir.Operation) -> list[LoadedOperand]:
        return [o for o in self._copies.copied if o.loop == loop]

    def _planned(self, loop: ir.Operation) -> list[ir.Operation]:
        """The loads of a loop that nobody planned by hand."""
        by_hand = self._copies.loads.by_hand
        return [o.load for o in self._of(loop) if o.load not in by_hand]

    def _slots(self, loop: ir.Operation, room: Room, size: int) -> int:
        """Slots of a loop's rings, 0 if there is no room.

        With one slot, each ring of a role is filled again while the others' products
        run; without a role a tile is copied where it is used: its threads wait as they
        would for their own loads, but hold none of it. What they compute with they
        hold anyway, and slots of bulk copies live all the time.
        """
        has_role = self._plan.roles == "load"
        slots = choose_slots(self._target, room, size, DEEP_SLOTS if has_role else None)
        has_several = len({tuple(op for op, _ in o.uses) for o in self._of(loop)}) > 1
        if slots > LEAST_SHIFTED_SLOTS and has_several:
            return 1 << slots.bit_length() - 1
        if has_role:
            return slots or int(has_several and size <= room.room_bytes)
        if not self._copies.has_only_bulk_copies:
            size = self._live_bytes(loop)
        return slots or int(not self._computes(loop) and size <= room.room_bytes)

    def _live_bytes(self, loop: ir.Operation) -> int:
        """The most bytes of tiles between their copies and their uses at a time."""
        users = {o.load: [op for op, _ in o.uses] for o in self._of(loop)}
        return most_live_bytes(loop, users)

    def _computes(self, loop: ir.Operation) -> set[ir.Operation]:
        """The loads of a loop from which threads compute operands."""
        mine = set(self._planned(loop))
        return {o.load for o in self._of(loop) if o.is_computed} & mine

    def _given_up(
        self, loop: ir.Operation, room: Room, size: int
    ) -> dict[ir.Operation, str]:
        """The loads of a loop without room; those that threads compute from first."""
        mine, computed = set(self._planned(loop)), self._computes(loop)
        reason = (
            f"two slots of {size} bytes are needed, {max(0, room.room_bytes)} bytes of "
            "shared memory are left; smaller tiles need fewer"
        )
        return dict.fromkeys(computed or mine, reason)

    def _once(self) -> dict[ir.Operation, LoadPlan]:
        """The plans of loads outside loops that the role that loads makes, too.

        Those are tiles that products read in shared memory by themselves; threads would
        bring them there through registers, with a fence in front of the first product.
        """
        plans = {product.op: plan for product, plan in self._parts.items()}
        return {
            operand.load: LoadPlan(TMA, 1)
            for operand in once_loaded_operands(list(plans))
            if not has_plan(operand.load)
            and all(plans[op].engine.reads_shared for op, _ in operand.uses)
            and self._copies.loads.choice.refusal(operand, TMA) is None
        }

    def _is_bulk(self, store: ir.Operation) -> bool:
        """Whether a bulk copy stores a tile: by hand, or since it is large."""
        if PLAN_ATTRIBUTE in store.attributes:
            return read_store(store).engine == TMA
        return (
            self._target.has("cp.async.bulk.tensor")
            and tile_bytes(store.operands[0]) >= LEAST_STORED_BYTES
            and self._stored_bytes(store) <= self._share
            and self._copies.loads.choice.store_refusal(store) is None
        )

    @property
    def _share(self) -> int:
        """Shared memory that a CTA may have beside those that the plan asks for."""
        target = self._target
        share = target.shared_bytes_per_sm // self._ctas - target.shared_bytes_reserved
        return min(target.shared_bytes_per_cta, share)

    def _room(self, loop: ir.Operation) -> Room:
        """What a loop's rings may take beside those that plans by hand ask for."""
        room, by_hand = self._whole_room(loop), self._copies.loads.by_hand
        taken = sum(
            by_hand[o.load].slots * copied_bytes(o.load)
            for o in self._of(loop)
            if o.load in by_hand
        )
        return Room(room.room_bytes - taken, room.clocks, room.ctas)

    def _inner(self, loop: ir.Operation) -> ProductPlans:
        """The products of a loop."""
        return {p: q for p, q in self._parts.items() if loop in enclosing_ops_of(p.op)}

    def _beside(self, loop: ir.Operation) -> int:
        """Bytes of what is in shared memory beside a loop's rings.

        Where bulk copies fill all rings, these live all the time, with their mbarriers,
        and so do those of converted operands.
        """
        plan, inner = self._plan, self._inner(loop)
        others = self._operand_bytes(loop, inner)
        taken = SPARE_SHARED_BYTES + sum(others.values())
        taken += self._converted_bytes(
            self._parts if self._copies.has_only_bulk_copies else inner
        )
        if plan.roles == "load":  # rings of tiles loaded once, one in the spare bytes
            once = [value for value in others if source_load(value) is not None]
            taken += max(0, len(once) - 1) * SLOT_ALIGNMENT_BYTES
        reduces = any(op.name in REDUCTIONS for op in nested_ops(loop))
        if plan.warps_n != 1 and reduces:
            taken += SPARE_CONVERSION_BYTES
        return taken + self._stored_beside(loop)

    def _whole_room(self, loop: ir.Operation) -> Room:
        """What a loop's rings may take."""
        plan, copies, inner = self._plan, self._copies, self._inner(loop)
        room = self._share - self._beside(loop)
        if copies.has_only_bulk_copies:
            keys = {self._ring_key(other) for other in copies.copied_loops}
            room = room // len(keys) - len(self._of(loop)) * SLOT_ALIGNMENT_BYTES
        clocks = resource_clocks(
            self._target, inner, plan.num_warps, count_exponentials(nested_ops(loop))
        )
        return Room(room, max(1.0, *clocks.values()), self._resident)

    def _operand_bytes(
        self, loop: ir.Operation, inner: ProductPlans
    ) -> dict[ir.Value, int]:
        """Bytes of the operands of a loop's products that threads store."""
        loads, others = {o.load for o in self._of(loop)}, dict[ir.Value, int]()
        for product, divided in inner.items():
            for index in (0, 1, 3, 4)[: len(product.op.operands) - 1]:
                value = product.op.operands[index]
                if (
                    source_load(value) not in loads
                    and not (index == 0 and product.keeps_operand(divided))
                    and not self._goes_on(product.op, index, divided)
                ):
                    others[value] = tile_bytes(value)
        return others

    def _converted_bytes(self, parts: ProductPlans) -> int:
        """Bytes of the rings that threads fill from others."""
        return sum(
            CONVERTED_SLOTS * tile_bytes(product.op.operands[index])
            + SLOT_ALIGNMENT_BYTES
            for product, divided in parts.items()
            for index in (0, 1)
            if self._goes_on(product.op, index, divided)
        )

    def _goes_on(self, op: ir.Operation, index: int, plan: ProductPlan) -> bool:
        """Whether threads take an operand from the slots of copies to other slots."""
        copies = self._copies
        return (
            index < 2
            and "ab"[index] in plan.convert
            and (copies.is_copied(op, index) or copies.is_computed(op, index))
        )

    def _stored_beside(self, loop: ir.Operation) -> int:
        """Bytes that stores need in shared memory while the rings of a loop are in use.

        That is in the loop itself; and in the loops around it, or in all that a
        persistent kernel does, where the next iteration's copies do not wait for it.
        What threads store goes through shared memory, too, out of the layout of sums.
        """
        plan = self._plan
        goes_on = self._copies.has_only_bulk_copies or plan.roles == "load"
        loops = {loop, *enclosing_ops_of(loop)} if goes_on else {loop}
        sizes = [
            self._stored_bytes(store)
            for store in self._copies.loads.stores
            if (plan.persistent and goes_on) or loops & set(enclosing_ops_of(store))
            if goes_on or self._is_bulk(store)
        ]
        return max(sizes, default=0)

    def _stored_bytes(self, store: ir.Operation) -> int:
        """Bytes that a store needs in shared memory, of a part where it is divided."""
        return tile_bytes(store.operands[0]) // self._divided.get(store, 1)

    def _ring_key(self, loop: ir.Operation) -> _Key:
        """What is equal for loops that follow each other and share their rings.

        Those in one block with the same tiles of the same views, which bulk copies
        bring; any other loop has rings of its own.
        """
        if not self._copies.has_only_bulk_copies:
            return (loop,)
        mine = [o.load for o in self._of(loop)]
        outer = enclosing_ops_of(loop)
        home = outer[0] if outer else self._copies.loads.entry
        views = (f"{load.operands[0].type}" for load in mine)
        return (home, *views)


def has_room_beside(copies: Copies, ctas: int) -> bool:
    """Whether so many CTAs have slots enough for what engines copy in any loop.

    Args:
        copies: The engines that load operands.
        ctas: CTAs of a multiprocessor.
    """
    share = copies.loads.target.shared_bytes_per_sm // ctas
    slots = [
        slot_bytes_of(copied_bytes(o.load) for o in copies.copied if o.loop == loop)
        for loop in copies.copied_loops
    ]
    return LEAST_SHIFTED_SLOTS * max(slots, default=0) <= share


def _one_slot(loop: ir.Operation, size: int, room: Room) -> str:
    """Says that copies of a loop do not run ahead of their own ring."""
    return (
        f"{location_text(loop)}: its copies have one slot each: two slots of {size} "
        f"bytes are needed, {room.room_bytes} bytes of shared memory are left; smaller "
        "tiles need fewer"
    )
