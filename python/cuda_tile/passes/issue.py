# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scheduling: products start as early, and are awaited as late, as data flow allows.

Contract: in, level W from `skew`; out, the same ops in the same blocks. Blocks with
asynchronous products have another order:

- a product stands right behind the takes of its slots, as soon as its other operands
  are ready;
- an await stands where no other op is left that does not need it, followed by the
  releases of the slots that its products read;
- a sum that takes no registers begins behind earlier awaits of sums that a loop
  carries, since it may take the place of one;
- all other ops keep their order.

So threads compute while products run. The order stays between ops of one ring, between
accesses to shared buffers, and between other effects. It also stays between barriers
and accesses to global memory that tokens order, for which `order` may have inserted the
barriers.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from cuda_tile._mlir import ir
from cuda_tile.analysis.liveness import products_of
from cuda_tile.analysis.stages import (
    RELEASE,
    RENAMES,
    SETTLED,
    TAKE,
    has_effects,
    keeps_sum,
    outer_values,
    root_of,
)
from cuda_tile.analysis.tokens import is_access, is_ordered
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import begins_sum, factors_of, runs_by_itself, sum_of
from cuda_tile.ir.traits import (
    ACQUIRES,
    BUFFER_MAKERS,
    BUFFER_ORDERS,
    BUFFER_RENAMES,
    BUFFER_STORES,
    BUFFER_USERS,
    COPIES,
    FILL_STEPS,
    PRODUCT_WAITS,
    PUBLISHES,
    RELEASES,
    RING_STEPS,
    TAKES,
)
from cuda_tile.ir.walk import (
    block_ops,
    defining_op,
    location_text,
    nested_ops,
)
from cuda_tile.ods import ops_by_rule
from cuda_tile.passes.each_kernel import each_kernel

_STARTS, _OTHERS, _WAITS = range(3)
"""Which of the ops that could stand next comes first."""
_SHARED = BUFFER_USERS | BUFFER_ORDERS | {"tileas.copy_out"}
"""Accesses to shared buffers by threads and copies, and what orders them."""
_FIRST = ops_by_rule(
    "gives a slot back or costs nothing, so it comes first, as products do",
    *(TAKE, RELEASE, RENAMES, SETTLED),
)
_FILLS = FILL_STEPS | COPIES
_BARRIER = "tileas.barrier"


@each_kernel
def run(entry: ir.Operation) -> None:
    """Orders the blocks with such products of an entry."""
    blocks: dict[ir.Block, None] = {}
    for op in nested_ops(entry):
        if op.name in PRODUCT_WAITS:
            blocks[op.block] = None
    for block in blocks:
        ops = block_ops(block)
        if any(map(runs_by_itself, ops)):
            _order(ops)


def _order(ops: list[ir.Operation]) -> None:
    """Moves the ops of a block to their places in the list schedule."""
    end = ops[-1]
    chosen = [ops[place] for place in schedule(ops[:-1])]
    if chosen == ops[:-1]:
        return
    for op in chosen:
        op.move_before(end)


def schedule(ops: list[ir.Operation]) -> list[int]:
    """The places of the ops of a block, without its terminator, in their new order.

    It is a list schedule: among the ready ops, those that start products come first,
    awaits last, and ops of one kind in their old order.
    """
    needs = _Needs(ops).found
    _delay_takes(ops, needs)
    users: list[list[int]] = [[] for _ in ops]
    for place, needed in enumerate(needs):
        for other in needed:
            users[other].append(place)
    left = [len(needed) for needed in needs]
    ready = [(_rank(ops[n]), n) for n, count in enumerate(left) if not count]
    heapify(ready)
    done: list[int] = []
    while ready:
        _, place = heappop(ready)
        done.append(place)
        for user in users[place]:
            left[user] -= 1
            if not left[user]:
                heappush(ready, (_rank(ops[user]), user))
    if len(done) < len(ops):
        stuck = ops[min(set(range(len(ops))) - set(done))]
        raise InternalError("issue: ops wait for each other", location_text(stuck))
    return done


def _rank(op: ir.Operation) -> int:
    if op.name in PRODUCT_WAITS:
        return _WAITS
    return _STARTS if op.name in _FIRST or runs_by_itself(op) else _OTHERS


def _delay_takes(ops: list[ir.Operation], needs: list[set[int]]) -> None:
    """Delays a take until the other operands of its first product are ready.

    A take may wait for copies, so ops that could run before should not stand after it.
    Ops that need a later take do not count, so that no take waits for itself.
    """
    latest: list[int] = []
    for place, op in enumerate(ops):
        before = max((latest[n] for n in needs[place]), default=-1)
        latest.append(place if op.name in TAKES else before)
    for place, op in enumerate(ops):
        first = _first_product(ops, needs, place) if op.name in TAKES else None
        if first is not None:
            needs[place] |= {n for n in needs[first] if latest[n] < place}


def _first_product(
    ops: list[ir.Operation], needs: list[set[int]], take: int
) -> int | None:
    """The first product that needs a take; None if none does."""
    behind = {take}
    for later in range(take + 1, len(ops)):
        if not behind.isdisjoint(needs[later]):
            behind.add(later)
            if runs_by_itself(ops[later]):
                return later
    return None


class _Needs:
    """The dependences of a block: the ops that each op must stay behind.

    Args:
        ops: The ops, in order.

    Attributes:
        found: For each op the places of such ops before it.
    """

    def __init__(self, ops: list[ir.Operation]) -> None:
        self._ops = ops
        self._places = {op: place for place, op in enumerate(ops)}
        self._rings: dict[ir.Value, set[ir.Value]] = {}
        self._readers: dict[ir.Value, list[int]] = {}
        self._last: dict[object, int] = {}
        self._effects: list[int] = []
        self._awaits: dict[int, frozenset[ir.Value]] = {}
        self._carried: set[int] = set()
        self._read: dict[ir.Value, frozenset[ir.Value]] = {}
        self._fence: int | None = None
        self._ordered: list[int] = []
        self.found: list[set[int]] = []
        for place, op in enumerate(ops):
            needed = {
                self._places[maker]
                for value in outer_values(op)
                if (maker := defining_op(value)) is not None and maker in self._places
            }
            needed.update(self._by_tokens(place, op))
            needed.update(self._by_effects(place, op))
            if begins_sum(op) and _is_kept(op):
                needed.update(self._carried)
            self.found.append(needed - {place})

    def _by_tokens(self, place: int, op: ir.Operation) -> Iterator[int]:
        """The ops that a barrier, or an access that tokens order, stays behind."""
        if op.name == _BARRIER:
            yield from self._ordered
            self._ordered = []
        elif any(map(_is_ordered, (op, *nested_ops(op)))):
            yield from self._after(_BARRIER)
            self._ordered.append(place)

    def _by_effects(self, place: int, op: ir.Operation) -> Iterator[int]:
        """The ops that an op stays behind because of effects."""
        self._follow_slots(place, op)
        if not has_effects(op):
            return
        if self._fence is not None:
            yield self._fence
        if len(op.regions):
            yield from self._effects
            self._fence = place
        elif op.name in PRODUCT_WAITS:
            if any(isinstance(value.owner, ir.Block) for value in op.operands):
                self._carried.add(place)
            self._awaits[place] = self._read_by(op)
        elif op.name in _SHARED:
            yield from self._after("shared", place)
            if op.name in BUFFER_STORES or op.name == _BARRIER:
                self._last["filled"] = place
                yield from self._awaits_before(op)
            if op.name == _BARRIER:
                self._last[_BARRIER] = place
        else:
            yield from self._by_kind(place, op)
        self._effects.append(place)

    def _read_by(self, end: ir.Operation) -> frozenset[ir.Value]:
        """The buffers that the products of an await read in this iteration."""
        pending = end.operands[0]
        if pending in self._read or isinstance(pending.owner, ir.Block):
            return self._read.get(pending, frozenset())
        factors = (factor for op in products_of(end) for factor in factors_of(op))
        return frozenset(map(root_of, factors))

    def _awaits_before(self, op: ir.Operation) -> Iterator[int]:
        """The awaits of products that read a buffer which an op may overwrite.

        A buffer of this block differs from that of another iteration and of other ops.
        """
        buffer = root_of(op.operands[1]) if op.name in BUFFER_STORES else None
        maker = None if buffer is None else defining_op(buffer)
        is_own = (
            maker is not None and maker in self._places and maker.name in BUFFER_MAKERS
        )
        for place, read in self._awaits.items():
            if not is_own or buffer in read:
                yield place

    def _by_kind(self, place: int, op: ir.Operation) -> Iterator[int]:
        """The ops that an op without shared accesses stays behind."""
        if op.name in RING_STEPS:
            yield from self._after(op.operands[0], place)
            if defining_op(op.operands[0]) in self._places:
                yield from self._in_freed_bytes(place, op)
            if op.name in RELEASES:
                yield from self._readers.pop(op.operands[0], ())
                yield from self._after(_BARRIER)  # after it one warp releases for all
            elif op.name in PUBLISHES:  # threads may have filled the slot
                yield from self._after("filled")
        if runs_by_itself(op):
            read = {root_of(factor) for factor in factors_of(op)}
            read |= self._read.get(sum_of(op), frozenset())
            self._read[op.results[0]] = frozenset(read)
            yield from self._after("products", place)
            yield from self._after("filled")
        elif op.name in _FILLS:
            yield from self._after("fills", place)
        elif op.name not in RING_STEPS:
            yield from self._after("others", place)

    def _in_freed_bytes(self, place: int, op: ir.Operation) -> Iterator[int]:
        """Keeps an acquire behind earlier releases of rings of this block.

        The rings may share bytes: `plan` relies on that (plan/rings.py).
        """
        if op.name in RELEASES:
            self._last["freed"] = place
        elif op.name in ACQUIRES:
            yield from self._after("freed")

    def _after(self, what: object, place: int | None = None) -> Iterator[int]:
        """The last op of a kind so far; `place` becomes the last one."""
        if what in self._last:
            yield self._last[what]
        if place is not None:
            self._last[what] = place

    def _follow_slots(self, place: int, op: ir.Operation) -> None:
        """Notes which ops read the slots of rings, and the awaits that end this."""
        if op.name in TAKES:
            self._rings |= {buffer: {op.operands[0]} for buffer in op.results}
            return
        rings = {ring for value in op.operands for ring in self._rings.get(value, ())}
        if op.name in BUFFER_RENAMES or runs_by_itself(op):
            self._rings |= dict.fromkeys(op.results, rings)
        elif op.name not in RELEASES:
            for ring in rings:
                self._readers.setdefault(ring, []).append(place)


def _is_kept(start: ir.Operation) -> bool:
    """Whether a sum that an op begins takes no registers."""
    return any(keeps_sum(use.owner.operation) for use in start.results[0].uses)


def _is_ordered(op: ir.Operation) -> bool:
    return is_access(op) and is_ordered(op)
