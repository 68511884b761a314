# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory order: the barriers that token order requires between global accesses.

Contract: in, staged level W; out, the same with a `tileas.barrier` on every path
between two accesses of global memory that tokens order, directly or through others, and
that threads of the CTA may make to the same element. A tile block is one logical
thread, but many threads make its accesses: a thread may load an element that another
one stored only after a barrier (PTX ISA, "bar.sync": orders prior accesses among
participating threads). Running the pass again adds nothing.

Two weak loads need no order. Neither do two accesses to the same places by the same
threads, as in an update in place; the contract below says when. Accesses without a
token between them are not ordered, whatever they touch.

An acquire or release of one thread holds for the whole tile block only with a barrier:
between accesses of other threads and the release that publishes them, and between an
acquire and later accesses of other threads (PTX ISA, "Memory Consistency Model": a
barrier synchronises the threads of a CTA, and causality order is transitive). For such
barriers loads and a thread's own elements count as well.

A copy into shared memory waits for stores and acquires in the same way. `skew` starts
it ahead of its iteration, so its barrier stands before the loops around it that have no
stores or acquires. The barrier is `async` if bulk copies read, through their own proxy,
elements that threads stored or acquired (PTX ISA, "Async proxy").

Two data-flow analyses find the accesses that an access waits for: those that each token
depends on, and those that no barrier has followed yet on some path.

Contract `own_elements`
    Law: a thread sees its own accesses in order. Where both accesses touch the same
    places, and each place belongs to one element and each element to one thread, the
    same in both, no thread meets what another one accessed.

    | | condition | near misses |
    |---|---|---|
    | - types | both have the element type of the array | |
    | C1 flags | a weak access has a place for each element; others may share | |
    | | | relaxed_store |
    | C2 flags | no mask of the weak access hides that places are shared | |
    | | | masked_store, other_mask |
    | - values | only moved | |
    | C3 order | neither acquires or releases | acquiring, |
    | | | releasing |
    | - blocks | other tile blocks are ordered by release and acquire alone | |
    | C4 indices | both have the same view or pointers, and the same indices | |
    | | | other_index, next_iteration |
    | C5 extents | no thread holds a copy of an element of another | one_element |
    | C6 aliasing | both tiles have one layout, and threads make the accesses | |
    | | | transposed, sum_of_products |
    | C7 aliasing | another view of the same array is another view | other_view |
    | - captures | no region | |
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.tiling import (
    index_operands,
    tensor_view_op,
    tiling_of,
    view_operand,
)
from cuda_tile.analysis.tokens import (
    Accesses,
    AccessesBehindTokens,
    is_plain_load,
)
from cuda_tile.ir.attributes import flag
from cuda_tile.ir.copies import copy_engine
from cuda_tile.ir.copy_plan import TMA
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import is_distributed, layout_of
from cuda_tile.ir.traits import (
    BUFFER_STORES,
    COPIES,
    LOADS,
    LOOPS,
    POINTER_ACCESSES,
    READS,
    STORES,
)
from cuda_tile.ir.walk import enclosing_ops_of, named_operands
from cuda_tile.passes.each_kernel import each_kernel


@each_kernel
def run(entry: ir.Operation) -> None:
    """Orders an entry."""
    flow = ControlFlow(entry)
    accesses = Accesses(flow)
    if not accesses.ops:
        return
    behind = AccessesBehindTokens(flow, accesses)
    behind.solve(())
    if _show_copies(flow, accesses, behind):
        flow = ControlFlow(entry)
    analysis = UnorderedAccesses(flow, accesses, behind)
    analysis.solve(0)
    for op in accesses.ops:
        pending = analysis.before(op)
        if pending is not None and analysis.needs_barrier(op, pending):
            with ir.InsertionPoint(_hoisted(op, analysis)), op.location:
                tileas.BarrierOp()


def _show_copies(
    flow: ControlFlow, accesses: Accesses, behind: AccessesBehindTokens
) -> bool:
    """Inserts the barriers after which copies see stores and acquires of threads.

    Args:
        flow: The control flow of an entry.
        accesses: Its accesses.
        behind: The accesses behind each token.

    Returns:
        Whether any copy waits for such an access.
    """
    shown = sum(accesses.bit(op) for op in accesses.ops if not is_plain_load(op))
    shown |= shown << len(accesses.ops)
    copies = [
        op for op in accesses.ops if op.name in COPIES and behind.waited_for(op) & shown
    ]
    for op in copies:
        is_bulk = copy_engine(op) == TMA
        unseen = UnseenAccesses(ControlFlow(flow.entry), accesses, is_async=is_bulk)
        unseen.solve(0)
        missing = behind.waited_for(op) & shown & (unseen.before(op) or 0)
        if missing:  # async_copies C8
            place = _outermost(op, accesses.of(missing))
            with ir.InsertionPoint(place), op.location:
                tileas.BarrierOp(async_=is_bulk)
    return bool(copies)


def _outermost(op: ir.Operation, others: list[ir.Operation]) -> ir.Operation:
    """The outermost loop around an op without any of the others, or the op itself."""
    around = {outer for each in others for outer in enclosing_ops_of(each)}
    free = [o for o in enclosing_ops_of(op) if o.name in LOOPS and o not in around]
    return free[-1] if free else op


def _hoisted(op: ir.Operation, analysis: UnorderedAccesses) -> ir.Operation:
    """The op before which a barrier for an access stands.

    If the stored tile went through shared memory since the last access, this is the
    first load from there, which needs a barrier anyway.
    """
    ops = [each.operation for each in op.block.operations]
    loads: dict[ir.Value, ir.Operation] = {}
    for other in reversed(ops[: ops.index(op)]):
        if other.regions or other.name == "tileas.barrier":
            return op
        if analysis.before(other) != analysis.before(op):
            return op
        if other.name == "tileas.load_shared":
            loads[other.operands[0]] = other
        elif other.name in BUFFER_STORES and other.operands[1] in loads:
            return loads[other.operands[1]]
    return op


class UnseenAccesses(ForwardAnalysis[int]):
    """The accesses that no barrier has followed yet on some path, as a mask.

    Only existing barriers count.

    Args:
        flow: The control flow of an entry.
        accesses: Its accesses.
        is_async: Whether a barrier must fence the proxies, too.
    """

    def __init__(
        self, flow: ControlFlow, accesses: Accesses, *, is_async: bool = False
    ) -> None:
        super().__init__(flow)
        self._accesses = accesses
        self._is_async = is_async

    def join(self, known: int, news: int) -> int:
        """The unseen accesses of either path."""
        return known | news

    def forward(self, edge: Edge, state: int) -> int:
        """All are still pending."""
        return self._accesses.along(edge, state)

    def transfer(self, op: ir.Operation, state: int) -> int:
        """A barrier shows all accesses so far."""
        if op.name == "tileas.barrier" and flag(op, "async") >= self._is_async:
            return 0
        return state | self._accesses.bit(op)


class UnorderedAccesses(UnseenAccesses):
    """The accesses that no barrier has followed yet, if each that needs one has one."""

    def __init__(
        self, flow: ControlFlow, accesses: Accesses, behind: AccessesBehindTokens
    ) -> None:
        super().__init__(flow, accesses)
        self._behind = behind

    @cached_property
    def _facts(self) -> FactsAnalysis:
        """Facts of the entry, computed at the first use: most entries need none."""
        return FactsAnalysis(self.flow.entry)

    def transfer(self, op: ir.Operation, state: int) -> int:
        """A barrier before an access orders all accesses so far."""
        own = self._accesses.bit(op)
        needs_one = own and self.needs_barrier(op, state)
        return own if needs_one else super().transfer(op, state)

    def needs_barrier(self, op: ir.Operation, pending: int) -> bool:
        """Whether an access must wait for earlier accesses of other threads.

        Args:
            op: The access.
            pending: Accesses before it without a barrier, one bit each.
        """
        earlier = self._behind.waited_for(op) & pending
        releases = memory_order(op).releases
        if earlier & self._accesses.acquires or (earlier and releases):
            return True  # own_elements C3
        if op.name in READS:
            earlier &= ~self._accesses.loads
        present, has_older = self._accesses.split(earlier)
        # own_elements C4
        return has_older or not all(self._stays_in_thread(a, op) for a in present)

    def _stays_in_thread(self, earlier: ir.Operation, later: ir.Operation) -> bool:
        """Whether one thread touches each element, the same thread in both accesses."""
        pair = (earlier, later)
        if any(op.name not in LOADS | STORES for op in pair):  # own_elements C6
            return False
        first, second = map(_places, pair)
        if first != second or not all(is_distributed(_tile(op)) for op in pair):
            return False
        layout, other = (layout_of(_tile(op)) for op in pair)
        copies = layout.free_bits()
        if copies.lane or copies.warp or copies.block:  # own_elements C5
            return False
        are_apart = _is_told_apart(earlier, later) or _is_told_apart(later, earlier)
        return layout == other and (are_apart or self._counts_up(later))

    def _counts_up(self, access: ir.Operation) -> bool:
        """Whether an access has pointers that count up without a gap."""
        if access.name not in POINTER_ACCESSES:
            return False
        known = self._facts.of(access.operands[0])
        long = [d for d, extent in enumerate(known.shape) if extent > 1]
        return len(long) == 1 and known.contiguity[long[0]] == known.shape[long[0]]


def _places(access: ir.Operation) -> tuple[object, ...]:
    """The values that decide the place of each element of an access."""
    if access.name in POINTER_ACCESSES:
        return (access.operands[0],)  # own_elements C4
    view = view_operand(access)
    tiling = replace(tiling_of(view), padding=None)
    return tensor_view_op(view), tiling, *index_operands(access)  # own_elements C7


def _is_told_apart(store: ir.Operation, other: ir.Operation) -> bool:
    """Whether a store has a separate place for each element, since it were a race else.

    Args:
        store: An access.
        other: An access with the same places, whose elements are in question.
    """
    if store.name not in STORES or memory_order(store).is_strong:  # own_elements C1
        return False
    hides = _masks(store)  # own_elements C2
    return not hides or hides == _masks(other)


def _masks(access: ir.Operation) -> list[ir.Value]:
    is_by_pointers = access.name in POINTER_ACCESSES
    return named_operands(access, "mask") if is_by_pointers else []


def _tile(access: ir.Operation) -> ir.Value:
    """The tile that an access moves, or whose elements it moves."""
    if access.name in POINTER_ACCESSES:
        return access.operands[0]
    return (access.results if access.name in LOADS else access.operands)[0]
