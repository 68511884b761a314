"""Liveness of shared buffers.

A buffer is live at an op if it was accessed on some path from its `alloc_shared` to the
op, and is read on some path from the op. Both are data-flow analyses, so a buffer from
outside a loop that each iteration reads is live in the whole loop, and buffers of the
two branches of an `if` are never live together.
"""

from __future__ import annotations

from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import ALLOC, Allocs, Buffers
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.dataflow import BackwardAnalysis, ForwardAnalysis
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import enclosing_ops, location_text


class Effects(NamedTuple):
    """What one op does, as sets of buffers.

    Attributes:
        reads: Those that it may read.
        writes: Those that it may write.
        makes: The one that it allocates.
    """

    reads: int
    writes: int
    makes: int


class BufferSets:
    """Sets of an entry's buffers as bit masks, and what each op does to them.

    Args:
        flow: The control flow of an entry at level W.

    Attributes:
        allocs: Its `alloc_shared` ops in program order: bit i stands for number i.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._buffers = Buffers(flow)
        self.allocs = [op for op in flow.ops() if op.name == ALLOC]
        self._bits = {op: 1 << i for i, op in enumerate(self.allocs)}
        self._effects: dict[ir.Operation, Effects] = {}

    def effects(self, op: ir.Operation) -> Effects:
        """What an op without regions does to buffers."""
        found = self._effects.get(op)
        if found is None:
            access = self._buffers.access(op)
            reads, writes = (0, 0) if access is None else map(self._mask, access)
            found = Effects(reads, writes, self._bits.get(op, 0))
            self._effects[op] = found
        return found

    def _mask(self, allocs: Allocs) -> int:
        return sum(self._bits[op] for op in allocs)

    def check_turns(self) -> None:
        """Refuses a buffer that outlives the turn of a loop that makes it.

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
    """The buffers that some way has accessed since it made them."""

    def __init__(self, flow: ControlFlow, sets: BufferSets) -> None:
        super().__init__(flow)
        self._sets = sets

    def join(self, known: int, news: int) -> int:
        return known | news

    def transfer(self, op: ir.Operation, state: int) -> int:
        reads, writes, makes = self._sets.effects(op)
        return (state | reads | writes) & ~makes


class _ReadLater(BackwardAnalysis[int]):
    """The buffers that some way reads before it makes them anew."""

    def __init__(self, flow: ControlFlow, sets: BufferSets) -> None:
        super().__init__(flow)
        self._sets = sets

    @property
    def bottom(self) -> int:
        return 0

    def join(self, known: int, news: int) -> int:
        return known | news

    def transfer(self, op: ir.Operation, state: int) -> int:
        effects = self._sets.effects(op)
        return (state | effects.reads) & ~effects.makes


def conflicts(entry: ir.Operation) -> dict[ir.Operation, set[ir.Operation]]:
    """For every `alloc_shared` in `entry`, those that must not share bytes with it.

    Two buffers conflict if both are live at some op. A buffer that an op accesses
    counts as live there, for writing spoils what others hold even if nobody reads it.
    """
    flow = ControlFlow(entry)
    sets = BufferSets(flow)
    if not sets.allocs:
        return {}
    sets.check_turns()
    accessed, read_later = _Accessed(flow, sets), _ReadLater(flow, sets)
    accessed.solve(0)
    read_later.solve(0)
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
    found = {op: set[ir.Operation]() for op in sets.allocs}
    for mask in together:
        members = [op for i, op in enumerate(sets.allocs) if mask >> i & 1]
        for op in members:
            found[op].update(members)
    for op, others in found.items():
        others.discard(op)
    return found
