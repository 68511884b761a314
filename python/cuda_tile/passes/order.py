# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory order: the barriers that token order requires between global accesses.

Contract: in, staged level W; out, the same with a `tileas.barrier` on every path
between two accesses of global memory that tokens order, directly or through others, and
that threads of the CTA may make to the same element. A tile block is one logical
thread, but many threads make its accesses: a thread may load what another one stored
only behind a barrier (PTX ISA, "bar.sync": orders prior accesses among participating
threads). Running it again adds nothing.

Two weak loads need no order. Two accesses through one tile of pointers whose elements
all differ need none either: each thread touches its own elements only. Accesses without
a token between them are not ordered, whatever they touch.

What one thread acquires or releases counts for the whole tile block only with a
barrier: between the accesses that other threads made and the release that makes them
known, and between an acquire and the accesses that other threads make after it (PTX
ISA, "Memory Consistency Model": a barrier synchronises the threads of a CTA, and
causality order is transitive). There loads and a thread's own elements count as well.

A copy into shared memory waits for stores and acquires in the same way. `skew` starts
it ahead of its iteration, so its barrier stands before the loops around it that have
none of these; it is `async` where bulk copies read, through their own proxy, what
threads stored or acquired (PTX ISA, "Async proxy").

Two data-flow analyses find what an access waits for: which accesses each token depends
on, and which accesses no barrier has followed yet on some path.
"""

from __future__ import annotations

from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import enclosing_ops_of
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
from cuda_tile.ir.traits import COPIES, LOADS, LOOPS, POINTER_ACCESSES, READS, STORES
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options

_BY_POINTERS = (LOADS | STORES) & POINTER_ACCESSES


def run(module: ir.Operation, options: Options) -> None:
    """Orders every entry of `module`.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.
    """
    del options
    for entry in entries(module):
        flow = ControlFlow(entry)
        accesses = Accesses(flow)
        if not accesses.ops:
            continue
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
    """Inserts the barriers behind which copies see what threads stored or acquired.

    Args:
        flow: The control flow of an entry.
        accesses: Its accesses.
        behind: What is behind its tokens.

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

    Where what is stored went through shared memory since the last access, that is the
    first load from there: what threads stored to it needs a barrier there anyway.
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
        elif other.name == "tileas.store_shared" and other.operands[1] in loads:
            return loads[other.operands[1]]
    return op


class UnseenAccesses(ForwardAnalysis[int]):
    """The accesses that no barrier has followed yet on some path, as a mask.

    Of barriers it counts those that are there.

    Args:
        flow: The control flow of an entry.
        accesses: Its accesses.
        is_async: Whether a barrier must fence the proxies, too.
    """

    def __init__(
        self, flow: ControlFlow, accesses: Accesses, *, is_async: bool
    ) -> None:
        super().__init__(flow)
        self._accesses = accesses
        self._is_async = is_async

    def join(self, known: int, news: int) -> int:
        """What either path has left unseen.

        Args:
            known: Accesses on one path, one bit each.
            news: Those on the other.
        """
        return known | news

    def forward(self, edge: Edge, state: int) -> int:
        """All are still pending.

        Args:
            edge: An edge of the control flow.
            state: Accesses at its source, one bit each.
        """
        return self._accesses.along(edge, state)

    def transfer(self, op: ir.Operation, state: int) -> int:
        """A barrier shows all accesses so far.

        Args:
            op: The op.
            state: Accesses before it, one bit each.
        """
        if op.name == "tileas.barrier" and flag(op, "async") >= self._is_async:
            return 0
        return state | self._accesses.bit(op)


class UnorderedAccesses(ForwardAnalysis[int]):
    """The accesses that no barrier has followed yet on some path, as a mask.

    There is a barrier before each access that needs one.
    """

    def __init__(
        self, flow: ControlFlow, accesses: Accesses, behind: AccessesBehindTokens
    ) -> None:
        super().__init__(flow)
        self._accesses = accesses
        self._behind = behind

    @cached_property
    def _facts(self) -> FactsAnalysis:
        """Facts of the entry: most entries have no accesses that ask for them."""
        return FactsAnalysis(self.flow.entry)

    def join(self, known: int, news: int) -> int:
        """Either path's accesses.

        Args:
            known: Accesses on one path, one bit each.
            news: Those on the other.
        """
        return known | news

    def forward(self, edge: Edge, state: int) -> int:
        """All are still pending.

        Args:
            edge: An edge of the control flow.
            state: Accesses at its source, one bit each.
        """
        return self._accesses.along(edge, state)

    def transfer(self, op: ir.Operation, state: int) -> int:
        """A barrier orders all accesses so far; an access is pending after it.

        Args:
            op: The op.
            state: Accesses before it, one bit each.
        """
        if op.name == "tileas.barrier":
            return 0
        own = self._accesses.bit(op)
        return own if own and self.needs_barrier(op, state) else state | own

    def needs_barrier(self, op: ir.Operation, pending: int) -> bool:
        """Whether an access must wait for earlier accesses of other threads.

        Args:
            op: The access.
            pending: Accesses before it without a barrier, one bit each.
        """
        earlier = self._behind.waited_for(op) & pending
        if earlier & self._accesses.acquires or (earlier and memory_order(op).releases):
            return True
        if op.name in READS:
            earlier &= ~self._accesses.loads
        present, has_older = self._accesses.split(earlier)
        return has_older or not all(self._stays_in_thread(a, op) for a in present)

    def _stays_in_thread(self, earlier: ir.Operation, later: ir.Operation) -> bool:
        """Whether each element is touched by one thread, the same in both accesses.

        That is so for one tile of pointers that count up without a gap and that no
        thread holds a copy of.
        """
        pointers = later.operands[0]
        if earlier.name == "tileas.gather_in":  # whose threads do not wait for it
            return False
        if later.name not in _BY_POINTERS or earlier.operands[0] != pointers:
            return False
        if not is_distributed(pointers):
            return False
        layout, known = layout_of(pointers), self._facts.of(pointers)
        copies = layout.free_bits()
        if copies.block:
            return False
        long = [d for d, extent in enumerate(known.shape) if extent > 1]
        counts_up = len(long) == 1 and known.contiguity[long[0]] == known.shape[long[0]]
        return counts_up and not (copies.lane or copies.warp)
