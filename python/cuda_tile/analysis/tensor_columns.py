# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocation of tensor memory: which columns hold which sums.

A sum passes from product to product, and through loops and branches, under different
names; all of them are one place. Live places do not overlap. A kernel that needs more
columns than the chip has is refused with a message; it never traps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from itertools import permutations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, PendingType, RingType
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.dataflow import BackwardAnalysis
from cuda_tile.analysis.stages import root_of
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import (
    begins_sum,
    copied_scales_of,
    reader_name,
    runs_by_itself,
    sum_of,
)
from cuda_tile.ir.attributes import text
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.rings import (
    is_filled_by_products,
    is_released_by_a_commit,
    ring_of,
)
from cuda_tile.ir.tiles import is_distributed, layout_of, pending_tile
from cuda_tile.ir.traits import (
    COUNTED_LOOPS,
    ELEMENTWISE,
    LOOPS,
    PRODUCT_WAITS,
    RELEASES,
    SLOT_GIVERS,
    TERMINATORS,
)
from cuda_tile.ir.walk import defining_op, location_text, nested_ops, user_ops
from cuda_tile.layout.tensor import TensorAtom, allocation, columns_of, tensor_atom
from cuda_tile.layout.tensor_scales import columns_of_scales
from cuda_tile.records import dataclass

DEPOSIT = "tileas.deposit"
_HAND_ON = TERMINATORS | LOOPS


@dataclass(frozen=True)
class TensorColumns:
    """Where sums lie.

    Attributes:
        first: The first column of each pending value in tensor memory, and of each slot
            there; for a ring with several slots, the first column of slot 0.
        sizes: Columns of each place, with the product that first writes it.
        steps: Columns of one slot of each place (a place outside rings is one slot): a
            sum, then the scale factors of its products.
        place: The number of the place of each of these values.
        alone: The places whose sums have an mbarrier of their own, in order
            (`_is_alone`).
        shared: The places that share columns with others, at different times.
        slots: The slot of each of these values that is in a ring with several slots.
        scales: The first column of the scale factors that a product copies, by its
            sum. Each slot that they come from has one set, since a copy may overtake
            an earlier product.
        scale_columns: Columns of all scale factors, behind the sums.
    """

    first: dict[ir.Value, int]
    sizes: tuple[tuple[int, str], ...]
    steps: tuple[int, ...]
    place: dict[ir.Value, int]
    alone: tuple[int, ...]
    shared: frozenset[int]
    slots: dict[ir.Value, ir.Value] = field(default_factory=dict[ir.Value, ir.Value])
    scales: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    scale_columns: int = 0

    @property
    def of_sums(self) -> int:
        """Columns of all places."""
        ends = (start + self.sizes[self.place[v]][0] for v, start in self.first.items())
        return max(ends, default=0)

    @property
    def wanted(self) -> int:
        """Columns of all places, and of scale factors that are copied."""
        return self.of_sums + self.scale_columns

    @property
    def allocated(self) -> int:
        """Columns that the kernel allocates."""
        return allocation(self.wanted)

    def text(self) -> str:
        """A text that lists the uses of the columns."""
        own = [f"{size} ({where})" for size, where in self.sizes]
        scales = [f"{self.scale_columns} of scale factors"] * bool(self.scale_columns)
        return ", ".join(own + scales)


def tensor_products(entry: ir.Operation) -> list[ir.Operation]:
    """The products of an entry whose sums are in tensor memory."""
    return [op for op in nested_ops(entry) if is_tensor_product(op)]


def is_tensor_product(op: ir.Operation) -> bool:
    """Whether an op is a product whose sum is in tensor memory."""
    return runs_by_itself(op) and reader_name(op) == TCGEN05.op


def tensor_columns(
    entry: ir.Operation, flow: ControlFlow | None = None
) -> TensorColumns:
    """The columns of all sums of an entry, in the order of their first products.

    Args:
        entry: The entry, at level W.
        flow: Its control flow, if there is one.

    Raises:
        InternalError: A name for which there is no instruction.
    """
    flow = flow or ControlFlow(entry)
    ops = list(flow.ops())
    pending = list(_pending_values(ops))
    products, rings = [op for op in ops if is_tensor_product(op)], _Rings(ops)
    places = _places(flow, pending, products)
    slots = rings.slots_of_sums(ops, pending, places)
    counts = rings.join(places)
    numbers: dict[ir.Value, int] = {}
    steps: list[int] = []
    texts: list[str] = []
    for op in products:
        number = numbers.setdefault(places.root(op.results[0]), len(steps))
        if number == len(steps):
            steps.append(0)
            texts.append(location_text(op))
        steps[number] = max(steps[number], _columns(op))
    sizes = [
        (steps[number] * counts.get(root, 1), texts[number])
        for root, number in numbers.items()
    ]
    names = (*pending, *rings.slots)
    place = {v: numbers[places.root(v)] for v in names if places.root(v) in numbers}
    apart = _conflicts(flow, place)
    starts = _first_fit([size for size, _ in sizes], apart)
    others = {place[value] for value in place if not _is_alone(value)}
    made = TensorColumns(
        first={value: starts[number] for value, number in place.items()},
        sizes=tuple(sizes),
        steps=tuple(steps),
        place=place,
        alone=tuple(number for number in range(len(sizes)) if number not in others),
        shared=_shared(starts, [size for size, _ in sizes]),
        slots=slots,
    )
    return _with_scales(made, products)


def _with_scales(
    made: TensorColumns, products: Sequence[ir.Operation]
) -> TensorColumns:
    """Adds columns behind the sums for scale factors that are copied.

    Products of several blocks that copy from the same slots have the same columns.
    """
    starts, scales, end = dict[object, int](), dict[ir.Value, int](), made.of_sums
    before = Counter[object]()
    for op in products:
        if not (copied := copied_scales_of(op)):
            continue
        source, slots = _source(copied)
        before[op.block, source] += 1
        key = source, before[op.block, source]
        if key not in starts:
            starts[key] = end
            end += slots * _columns_of_scales(op)
        scales[op.results[0]] = starts[key]
    return replace(made, scales=scales, scale_columns=end - made.of_sums)


def _source(buffers: Sequence[ir.Value]) -> tuple[object, int]:
    """The ring of some buffers, with their numbers in its slots, and its slot count.

    Buffers outside rings are given alone.
    """
    roots = [root_of(buffer) for buffer in buffers]
    take = defining_op(roots[0])
    if take is None or take.name not in SLOT_GIVERS:
        return tuple(roots), 1
    numbers = tuple(ir.OpResult(root).result_number for root in roots)
    return (take.operands[0], numbers), _n_slots(take.operands[0])


def _shared(starts: Sequence[int], sizes: Sequence[int]) -> frozenset[int]:
    """The places that share columns with other places."""
    ends = [start + size for start, size in zip(starts, sizes, strict=True)]
    return frozenset(
        n
        for n, m in permutations(range(len(sizes)), 2)
        if starts[n] < ends[m] and starts[m] < ends[n]
    )


class _Rings:
    """The slots of an entry that are in tensor memory.

    Attributes:
        slots: By each slot, its ring.
    """

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self.slots = dict(_slots(ops))

    def slots_of_sums(
        self, ops: Sequence[ir.Operation], pending: Sequence[ir.Value], places: _Places
    ) -> dict[ir.Value, ir.Value]:
        """The slot of each value in a ring with several; joins sums with their slots.

        Args:
            ops: The ops of the entry.
            pending: Its pending values.
            places: The places of its sums.
        """
        slot_of: dict[ir.Value, ir.Value] = {}
        for op in ops:
            if op.name == DEPOSIT:
                value, slot = op.operands
                slot_of[places.root(value)] = slot
                places.join(slot, value)
        several = {v for v, ring in self.slots.items() if _n_slots(ring) > 1}
        found = {v: v for v in several}
        for value in pending:
            slot = slot_of.get(places.root(value))
            if slot is not None and slot in several:
                found[value] = slot
        return found

    def join(self, places: _Places) -> dict[ir.Value, int]:
        """Joins the slots of each ring; returns the number of slots of each place.

        Args:
            places: The places of sums.
        """
        counts: dict[ir.Value, int] = {}
        for value, ring in self.slots.items():
            places.join(ring, value)
            counts[places.root(ring)] = _n_slots(ring)
        return counts


def _n_slots(ring: ir.Value) -> int:
    return RingType(ring.type).slots


def _places(
    flow: ControlFlow, pending: Sequence[ir.Value], products: Sequence[ir.Operation]
) -> _Places:
    """Joins the sums that products, changes and control flow pass on into places."""
    places = _Places()
    for value in pending:
        for source in flow.incoming(value):
            places.join(value, source)
    for op in products:
        places.join(op.results[0], sum_of(op))
    for op in flow.ops():
        if begins_sum(op) and (former := sum_in_place(op)) is not None:
            places.join(op.results[0], former)
    return places


class _Live(BackwardAnalysis[int]):
    """The places whose sums are live, as bits.

    Args:
        flow: The control flow of an entry.
        place: The number of the place of each sum.
    """

    def __init__(self, flow: ControlFlow, place: Mapping[ir.Value, int]) -> None:
        super().__init__(flow)
        self._asked: dict[ir.Operation, int] = {}
        self._begun: dict[ir.Operation, int] = {}
        for value, number in place.items():
            for op in user_ops(value):
                self._asked[op] = self._asked.get(op, 0) | 1 << number
            op = defining_op(value)
            if op is not None and begins_sum(op) and sum_in_place(op) is None:
                self._begun[op] = 1 << number  # else it is there still

    @property
    def bottom(self) -> int:
        return 0

    def transfer(self, op: ir.Operation, state: int) -> int:
        state &= ~self._begun.get(op, 0)
        return state | self._asked.get(op, 0)


def _conflicts(
    flow: ControlFlow, place: Mapping[ir.Value, int]
) -> set[tuple[int, int]]:
    """Pairs of places of which one begins while the other still has a sum.

    Slots of rings in tensor memory conflict with all other places: roles run at the
    same time.
    """
    live = _Live(flow, place)
    live.solve(0)
    found = {
        (n, m) for v, n in place.items() if not _is_pending(v) for m in place.values()
    }
    for op in flow.ops():
        if begins_sum(op) and op.results[0] in place:
            others = live.before(op) or 0
            found.update((place[op.results[0]], m) for m in _bits(others))
    return found | {(m, n) for n, m in found}


def _bits(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]


def _first_fit(sizes: Sequence[int], apart: Set[tuple[int, int]]) -> list[int]:
    """The lowest columns for each place that no earlier conflicting place has."""
    starts: list[int] = []
    for number, size in enumerate(sizes):
        taken = [
            (starts[m], starts[m] + sizes[m])
            for m in range(number)
            if (number, m) in apart
        ]
        ends = sorted({0, *(end for _, end in taken)})
        fits = (s for s in ends if all(s >= end or s + size <= at for at, end in taken))
        starts.append(next(fits))
    return starts


def is_started_by(value: ir.Value) -> bool:
    """Whether a sum is in flight from the op that gives it until it is awaited.

    It is not if a product continues it, or if the value is only another name.

    Args:
        value: A pending value in tensor memory.
    """
    op = defining_op(value)
    starts = op is not None and (begins_sum(op) or runs_by_itself(op))
    return starts and not any(map(runs_by_itself, _users(value)))


def sum_in_place(start: ir.Operation) -> ir.Value | None:
    """The sum with which a `settled` begins, if that stays where it is; None if not.

    It is awaited, and begins again as it is or with each element changed.

    Args:
        start: The `settled`.
    """
    end = defining_op(start.operands[0])
    if end is not None and end.name in PRODUCT_WAITS:
        return end.operands[0] if _goes_on(end, start) else None
    change = change_in_place(start)
    return None if change is None else awaits_of(change)[0].operands[0]


def _goes_on(end: ir.Operation, start: ir.Operation) -> bool:
    """Whether products add to a sum again behind its await, and no other has its place.

    The loop that carries the sum carries what they make of it; or it comes from a loop,
    and they are awaited in the block behind that.

    Args:
        end: The await.
        start: The `settled` that begins with what it gives.
    """
    values = [*end.operands, *end.results]
    if len(end.operands) != 1 or any(len(_users(value)) != 1 for value in values):
        return False
    former, last = end.operands[0], start.results[0]
    users = _users(last)
    while len(users) == 1 and runs_by_itself(users[0]):
        last = users[0].results[0]
        users = _users(last)
    if len(users) != 1 or not start.block == end.block == users[0].block:
        return False
    if not isinstance(former.owner, ir.Block):
        return former.owner.name in COUNTED_LOOPS and users[0].name in PRODUCT_WAITS
    loop = former.owner.owner.operation
    number = ir.BlockArgument(former).arg_number - first_carried(loop)[1]
    is_end = users[0].name in TERMINATORS and former.owner == start.block
    return is_end and loop.name in COUNTED_LOOPS and users[0].operands[number] == last


def change_in_place(start: ir.Operation) -> ir.Operation | None:
    """The op that changes each element of a sum between its await and a `settled`.

    No other op uses the sum or either tile, so that the sum may stay in its place.

    Args:
        start: The `settled`.

    Returns:
        The op, whose first operand that an await gives is the sum; None if there is
        none.
    """
    change = defining_op(start.operands[0])
    if change is None or change.name not in ELEMENTWISE or change.block != start.block:
        return None
    ends, tiles = awaits_of(change), [*change.operands, *change.results]
    passed = [v for op in ends for v in (*op.operands, *op.results)] + list(
        change.results
    )
    is_alone = all(len(_users(value)) == 1 for value in passed)
    layouts = {layout_of(value) for value in tiles if is_distributed(value)}
    return change if len(ends) == len(layouts) == 1 and is_alone else None


def awaits_of(change: ir.Operation) -> list[ir.Operation]:
    """The awaits, each of one sum, that give an op its operands in its block.

    Args:
        change: The op.
    """
    makers = [defining_op(value) for value in change.operands]
    awaits = [op for op in makers if op is not None and op.name in PRODUCT_WAITS]
    return [op for op in awaits if len(op.operands) == 1 and op.block == change.block]


def _is_alone(value: ir.Value) -> bool:
    """Whether a sum is awaited exactly once on every path before its place is reused.

    Then its place has an mbarrier of its own, with one phase for each sum, which no
    other product delays. Each value has one use in the block of its maker: the next
    product, an await of nothing else, or an op that passes it on. Products begin with a
    sum that is not another name.
    """
    users = _users(value)
    if not _is_pending(value) or len(users) != 1:
        return False
    (user,), maker = users, defining_op(value)
    if user.block != (value.owner if maker is None else maker.block):
        return False
    if runs_by_itself(user):
        return maker is not None and (begins_sum(maker) or runs_by_itself(maker))
    is_awaited = user.name in PRODUCT_WAITS and len(user.operands) == 1
    return is_awaited or user.name in _HAND_ON


def _users(value: ir.Value) -> list[ir.Operation]:
    """The ops that use a sum, except releases before which no thread awaits it."""
    users = [use.owner.operation for use in value.uses]
    return [
        op
        for op in users
        if op.name not in RELEASES or not is_released_by_a_commit(ring_of(op))
    ]


def _slots(ops: Sequence[ir.Operation]) -> Iterator[tuple[ir.Value, ir.Value]]:
    """The slots in tensor memory, each with its ring, which has one."""
    for op in ops:
        if op.name in SLOT_GIVERS and is_filled_by_products(ring_of(op)):
            yield from ((value, op.operands[0]) for value in op.results)


def _columns(op: ir.Operation) -> int:
    """Columns of a sum, and of the scale factors that threads store behind it."""
    shape = pending_tile(op.results[0])[1].shape
    stored = 0 if copied_scales_of(op) else _columns_of_scales(op)
    return columns_of(shape, _atom(op).shape[0]) + stored


def _columns_of_scales(op: ir.Operation) -> int:
    atom = _atom(op)
    m, n = pending_tile(op.results[0])[1].shape
    depth = BufferType(op.operands[0].type).shape[1] * atom.packed
    return columns_of_scales(atom, (m, n, depth))


def _atom(op: ir.Operation) -> TensorAtom:
    atom = tensor_atom(text(op, "atom"))
    if atom is None:
        raise InternalError(f"expected an atom of tensor memory in '{op.name}'")
    return atom


class _Places:
    """Names of one place, joined."""

    def __init__(self) -> None:
        self._above: dict[ir.Value, ir.Value] = {}

    def root(self, value: ir.Value) -> ir.Value:
        """One name for all of a place."""
        while value in self._above:
            value = self._above[value]
        return value

    def join(self, one: ir.Value, other: ir.Value) -> None:
        """Says that two names are of one place."""
        one, other = self.root(one), self.root(other)
        if one != other:
            self._above[one] = other


def _pending_values(ops: Sequence[ir.Operation]) -> Iterator[ir.Value]:
    """All pending values that some ops give, or begin regions with."""
    for op in ops:
        for region in op.regions:
            for block in region.blocks:
                yield from (a for a in block.arguments if _is_pending(a))
        yield from (r for r in op.results if _is_pending(r))


def _is_pending(value: ir.Value) -> bool:
    return isinstance(value.type, PendingType)
