"""Which shared buffers hold data at the same time.

A buffer is live at an op if some way to the op has accessed it since its
`alloc_shared`, and some way from the op on reads it. Both are data flows along control
flow, so a buffer from outside a loop that each turn reads is live all through the loop,
and those of two branches of an `if` never meet.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import ALLOC, Allocs, Buffers
from cuda_tile.analysis.control_flow import branching_ops, successors
from cuda_tile.analysis.dataflow import BackwardAnalysis, ForwardAnalysis
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import location_text, nested_ops


class BufferSets:
    """Sets of an entry's buffers as bit masks, and what each op does to them.

    Args:
        entry: An entry at level W.

    Attributes:
        allocs: Its `alloc_shared` ops in program order: bit i stands for number i.
    """

    def __init__(self, entry: ir.Operation) -> None:
        self._buffers = Buffers(entry)
        self._ops = list(nested_ops(entry))
        self.allocs = [op for op in self._ops if op.name == ALLOC]
        self._bits = {op: 1 << i for i, op in enumerate(self.allocs)}
        self._accesses: dict[ir.Operation, tuple[int, int]] = {}

    def made(self, op: ir.Operation) -> int:
        """The buffer that `op` allocates."""
        return self._bits.get(op, 0)

    def accesses(self, op: ir.Operation) -> tuple[int, int]:
        """The buffers that `op` reads and those that it writes."""
        found = self._accesses.get(op)
        if found is None:
            access = self._buffers.access(op)
            found = (
                (0, 0)
                if access is None
                else (self._mask(access.reads), self._mask(access.writes))
            )
            self._accesses[op] = found
        return found

    def _mask(self, allocs: Allocs) -> int:
        return sum(self._bits[op] for op in allocs)

    def check_turns(self, entry: ir.Operation) -> None:
        """Refuses a buffer that outlives the turn of a loop that makes it.

        Raises:
            InternalError: Two turns' buffers would lie at one place.
        """
        for source in branching_ops(entry):
            for edge in successors(source):
                loop = edge.target.op
                if edge.target.region is None or source == loop:
                    continue
                for sent in edge.sent:
                    for alloc in self._buffers.sources_if_buffer(sent):
                        if _is_in(alloc, loop):
                            raise InternalError(
                                "expected a buffer that a loop carries to be made "
                                "before the loop",
                                location_text(alloc),
                            )


def _is_in(op: ir.Operation, outer: ir.Operation) -> bool:
    parent = op.parent
    while parent is not None and parent.operation != outer:
        parent = parent.operation.parent
    return parent is not None


class _Accessed(ForwardAnalysis[int]):
    """The buffers that some way has accessed since it made them."""

    def __init__(self, sets: BufferSets) -> None:
        super().__init__()
        self._sets = sets

    def join(self, known: int, news: int) -> int:
        return known | news

    def transfer(self, op: ir.Operation, state: int) -> int:
        reads, writes = self._sets.accesses(op)
        return (state | reads | writes) & ~self._sets.made(op)


class _ReadLater(BackwardAnalysis[int]):
    """The buffers that some way reads before it makes them anew."""

    def __init__(self, sets: BufferSets) -> None:
        super().__init__()
        self._sets = sets

    @property
    def bottom(self) -> int:
        return 0

    def join(self, known: int, news: int) -> int:
        return known | news

    def transfer(self, op: ir.Operation, state: int) -> int:
        reads, _ = self._sets.accesses(op)
        return (state | reads) & ~self._sets.made(op)


def conflicts(entry: ir.Operation) -> dict[ir.Operation, set[ir.Operation]]:
    """For every `alloc_shared` in `entry`, those that must not share bytes with it.

    Two buffers conflict if both are live at some op. A buffer that an op accesses
    counts as live there, for writing spoils what others hold even if nobody reads it.
    """
    sets = BufferSets(entry)
    if not sets.allocs:
        return {}
    sets.check_turns(entry)
    accessed, read_later = _Accessed(sets), _ReadLater(sets)
    accessed.solve(entry, 0)
    read_later.solve(entry, 0)
    together: set[int] = set()
    for op in nested_ops(entry):
        before, ahead = accessed.before(op), read_later.before(op)
        if before is None or ahead is None:
            continue
        own = 0
        if not len(op.regions):
            reads, writes = sets.accesses(op)
            own = reads | writes
        together.add(before & ahead | own)
    found = {op: set[ir.Operation]() for op in sets.allocs}
    for mask in together:
        members = [op for i, op in enumerate(sets.allocs) if mask >> i & 1]
        for op in members:
            found[op].update(members)
    for op, others in found.items():
        others.discard(op)
    return found
