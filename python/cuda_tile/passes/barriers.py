"""Barrier insertion for shared memory; no other pass inserts barriers for it.

Contract: in, allocated level W; out, between any two accesses of overlapping
shared bytes by different threads, one of them a store, every path has a
`tileas.barrier`. Running it again adds nothing.

A forward data-flow analysis holds the bytes that were read and written since the last
barrier on some path; a barrier is inserted right before the access that needs it. It
may stand in a branch of `if` or in a loop: conditions and bounds are scalars, equal in
all threads, so that all threads reach the barrier or none does.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.buffers import Buffers
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.walk import entries, location_text
from cuda_tile.options import Options
from cuda_tile.passes.allocate import buffer_bytes

Bytes = tuple[int, int]
"""A half-open range of shared memory."""


@dataclass(frozen=True)
class Pending:
    """Shared bytes accessed since the last barrier on some path."""

    reads: frozenset[Bytes] = frozenset()
    writes: frozenset[Bytes] = frozenset()


def run(module: ir.Operation, options: Options) -> None:
    """Inserts the barriers of every entry of `module`."""
    del options
    for entry in entries(module):
        flow = ControlFlow(entry)
        analysis = SharedAccesses(flow)
        analysis.solve(Pending())
        for op in list(flow.ops()):
            pending = analysis.before(op)
            if pending is not None and analysis.needs_barrier(op, pending):
                with ir.InsertionPoint(op), op.location:
                    tileas.BarrierOp()


class SharedAccesses(ForwardAnalysis[Pending]):
    """What is pending at each op, with a barrier before each access that needs it.

    Args:
        flow: The control flow of an entry.
    """

    def __init__(self, flow: ControlFlow) -> None:
        super().__init__(flow)
        self._buffers = Buffers(flow)
        self._accesses: dict[ir.Operation, Pending] = {}

    def join(self, known: Pending, news: Pending) -> Pending:
        """The accesses of either path."""
        return Pending(known.reads | news.reads, known.writes | news.writes)

    def transfer(self, op: ir.Operation, state: Pending) -> Pending:
        """A barrier orders everything so far; an access is pending after it."""
        if op.name == "tileas.barrier":
            return Pending()
        own = self._own(op)
        if own is None:
            return state
        return own if self.needs_barrier(op, state) else self.join(state, own)

    def needs_barrier(self, op: ir.Operation, pending: Pending) -> bool:
        """Whether `op` and a pending access touch the same bytes, one writing them."""
        own = self._own(op)
        return own is not None and (
            _overlap(own.reads | own.writes, pending.writes)
            or _overlap(own.writes, pending.reads)
        )

    def _own(self, op: ir.Operation) -> Pending | None:
        """The bytes that one op accesses."""
        found = self._accesses.get(op)
        if found is None and (access := self._buffers.access(op)) is not None:
            reads = frozenset(map(_place, access.reads))
            found = Pending(reads, frozenset(map(_place, access.writes)))
            self._accesses[op] = found
        return found


def _place(alloc: ir.Operation) -> Bytes:
    if "offset" not in alloc.attributes:
        raise InternalError(
            "barriers: expected a shared buffer with an offset; run allocate",
            location_text(alloc),
        )
    start = integer(alloc, "offset")
    return start, start + buffer_bytes(alloc)


def _overlap(first: frozenset[Bytes], second: frozenset[Bytes]) -> bool:
    return any(a[0] < b[1] and b[0] < a[1] for a in first for b in second)
