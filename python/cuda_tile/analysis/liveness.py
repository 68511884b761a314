# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Liveness of shared buffers.

A buffer is live at an op if it was accessed on some path from its `alloc_shared` to the
op, and is read on some path from the op. Both are data-flow analyses, so a buffer from
outside a loop that each iteration reads is live in the whole loop, and buffers of the
two branches of an `if` are never live together.

Each op of a ring counts as an access, so a ring is live from its first op to its last.
Regions of `roles` run at the same time: buffers of one conflict with buffers of
another. A ring that a region drains may be written at any time from the start of
`roles` to the last op of the ring in that region, since each iteration that is filled
is also taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PendingType
from cuda_tile.analysis.buffers import Allocs, Buffers
from cuda_tile.analysis.control_flow import ControlFlow, Point
from cuda_tile.analysis.dataflow import BackwardAnalysis, ForwardAnalysis
from cuda_tile.analysis.slots import rings_read_for
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.carried import ends_of, first_carried
from cuda_tile.ir.rings import ring_of
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import ALLOCATES, AWAITS, FOR_LOOPS, RING_STEPS, RINGS, TAKES
from cuda_tile.ir.walk import (
    defining_op,
    enclosing_ops,
    location_text,
    nested_in,
    reached,
)


class Effects(NamedTuple):
    """The effects of one op, as sets of buffers.

    Attributes:
        reads: Buffers that it may read.
        writes: Buffers that it may write.
        makes: The buffer that it allocates.
    """

    reads: int
    writes: int
    makes: int


def products_of(op: ir.Operation) -> set[ir.Operation]:
    """The products that an op waits for: those that made its pending operands.

    A sum passes from product to product, and through loops and branches.
    """
    makers = map(defining_op, reached(_pending(op), _handed_on))
    return {maker for maker in makers if maker is not None and runs_by_itself(maker)}


def _handed_on(value: ir.Value) -> list[ir.Value]:
    """The pending values that a value may continue."""
    holder = defining_op(value)
    if holder is None:
        holder = ir.BlockArgument(value).owner.owner.operation
        number = ir.BlockArgument(value).arg_number - first_carried(holder)[1]
    else:
        number = ir.OpResult(value).result_number
        if not len(holder.regions):
            return _pending(holder)
    found = [list(end.operands)[number : number + 1] for end in ends_of(holder)]
    if defining_op(value) is None or holder.name in FOR_LOOPS:
        found.append([holder.operands[first_carried(holder)[0] + number]])
    return [v for some in found for v in some if isinstance(v.type, PendingType)]


def _pending(op: ir.Operation) -> list[ir.Value]:
    """The pending operands of an op."""
    return [value for value in op.operands if isinstance(value.type, PendingType)]


def _union(sets: Iterable[int]) -> int:
    """The union of sets as bit masks."""
    found = 0
    for each in sets:
        found |= each
    return found


class BufferSets:
    """Sets of an entry's buffers as bit masks, and the effects of each op on them.

    Args:
        flow: The control flow of an entry at level W.

    Attributes:
        allocs: Its `alloc_shared` and ring ops in program order; bit i stands for the
            i-th.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._buffers = Buffers(flow)
        ops = list(flow.ops())
        self.allocs = [op for op in ops if op.name in ALLOCATES]
        self._bits = {op: 1 << i for i, op in enumerate(self.allocs)}
        self._effects: dict[ir.Operation, Effects] = {}
        self.roles = [op for op in ops if op.name == ROLES]
        read = {op: self.effects(op).reads for op in ops if runs_by_itself(op)}
        self._multiplied: dict[ir.Operation, int] = {}
        rest = set(read)
        for op in ops:
            if op.name in AWAITS:
                products = products_of(op)
                rest -= products
                self._multiplied[op] = _union(read[product] for product in products)
        self._dropped = _union(read[product] for product in rest)
        self._effects.clear()  # effects of awaits depend on what these found

    def effects(self, op: ir.Operation) -> Effects:
        """The effects of an op without regions on buffers."""
        found = self._effects.get(op)
        if found is None:
            access = self._buffers.access(op)
            reads, writes = (0, 0) if access is None else map(self._mask, access)
            if op.name in RING_STEPS:
                reads |= self._bits[ring_of(op)]
                writes |= reads
            if op.name in TAKES:  # of a sum: its operands are not read after it
                reads |= self._mask(frozenset(rings_read_for(ring_of(op))))
            if op.name in AWAITS and _pending(op):
                reads |= self._multiplied.get(op, 0) | self._dropped
            found = Effects(reads, writes, self._bits.get(op, 0))
            self._effects[op] = found
        return found

    def _mask(self, allocs: Allocs) -> int:
        return sum(self._bits[op] for op in allocs)

    def members(self, mask: int) -> list[ir.Operation]:
        """The buffers of a set."""
        return [op for i, op in enumerate(self.allocs) if mask >> i & 1]

    def rings_between(self, roles: ir.Operation) -> int:
        """The rings that more than one region of `roles` uses."""
        once = several = 0
        for used, _ in self._regions(roles):
            several |= once & used
            once |= used
        return several & sum(self._bits[op] for op in self.allocs if op.name in RINGS)

    def apart(self, roles: ir.Operation) -> list[tuple[int, int]]:
        """Pairs of sets: each place of the first conflicts with each of the second.

        A ring and the places that only its draining region uses are no such pair: the
        walk over that region finds their conflicts.
        """
        between, regions = self.rings_between(roles), self._regions(roles)
        pairs: list[tuple[int, int]] = []
        for (first, _), (second, drained) in permutations(regions, 2):
            own, shared = second & ~between, first & between
            pairs.append((first & ~between, own))
            pairs.append((shared, second & between))
            pairs.append((shared & ~drained, own))
        return pairs

    def _regions(self, roles: ir.Operation) -> list[tuple[int, int]]:
        """For each region the places that it uses, and the rings that it drains."""
        found = [(0, 0)] * len(roles.regions)
        for number, region in enumerate(roles.regions):
            used = drained = 0
            for op in nested_in(region):
                if len(op.regions):
                    continue
                effects = self.effects(op)
                used |= effects.reads | effects.writes | effects.makes
                if op.name in TAKES:
                    drained |= self._bits[ring_of(op)]
                    drained |= self._mask(frozenset(rings_read_for(ring_of(op))))
            found[number] = used, drained
        return found

    def check_iterations(self) -> None:
        """Refuses a buffer that outlives the iteration of a loop that makes it.

        Raises:
            InternalError: The buffers of two iterations would have one offset.
        """
        for edge in self._flow.branches():
            loop = edge.target.op
            if edge.target.region is None or edge.source == loop:
                continue
            for sent in edge.sent:
                for alloc in self._buffers.sources_if_buffer(sent):
                    if loop in enclosing_ops(alloc.results[0]):
                        raise InternalError(
                            "expected a buffer that a loop carries to be made before "
                            "the loop",
                            location_text(alloc),
                        )


class _Accessed(ForwardAnalysis[int]):
    """The buffers that were accessed on some path since their allocation."""

    def __init__(self, flow: ControlFlow, sets: BufferSets) -> None:
        super().__init__(flow)
        self._sets = sets

    def begin(self, point: Point, state: int) -> int:
        """Another role may fill a ring from the start of `roles` on."""
        if point.op.name != ROLES or point.region is None:
            return state
        return state | self._sets.rings_between(point.op)

    def transfer(self, op: ir.Operation, state: int) -> int:
        reads, writes, makes = self._sets.effects(op)
        return (state | reads | writes) & ~makes


class _ReadLater(BackwardAnalysis[int]):
    """The buffers that are read on some path before they are allocated again."""

    def __init__(self, flow: ControlFlow, sets: BufferSets) -> None:
        super().__init__(flow)
        self._sets = sets

    @property
    def bottom(self) -> int:
        return 0

    def transfer(self, op: ir.Operation, state: int) -> int:
        effects = self._sets.effects(op)
        return (state | effects.reads) & ~effects.makes


def conflicts(flow: ControlFlow) -> dict[ir.Operation, set[ir.Operation]]:
    """For every place in an entry, the places that must not share bytes with it.

    Two buffers conflict if both are live at some op. A buffer that an op accesses
    counts as live there: a write destroys other data even if nothing reads it.
    """
    sets = BufferSets(flow)
    if not sets.allocs:
        return {}
    sets.check_iterations()
    accessed, read_later = _Accessed(flow, sets), _ReadLater(flow, sets)
    accessed.solve(0)
    read_later.solve(0)
    found = {op: set[ir.Operation]() for op in sets.allocs}
    for mask in _live_sets(flow, sets, accessed, read_later):
        members = sets.members(mask)
        for op in members:
            found[op].update(members)
    for first, second in (pair for op in sets.roles for pair in sets.apart(op)):
        for op in sets.members(first):
            for other in sets.members(second):
                found[op].add(other)
                found[other].add(op)
    for op, others in found.items():
        others.discard(op)
    return found


def _live_sets(
    flow: ControlFlow, sets: BufferSets, accessed: _Accessed, read_later: _ReadLater
) -> set[int]:
    """The sets of places that are live at some op together."""
    together: set[int] = set()
    for op in flow.ops():
        before, ahead = accessed.before(op), read_later.before(op)
        if before is None or ahead is None:
            continue
        own = 0
        if not len(op.regions):
            effects = sets.effects(op)
            own = effects.reads | effects.writes
        together.add(before & ahead | own)
    return together
