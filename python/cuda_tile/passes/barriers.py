"""The only pass that adds barriers for shared memory; as few as order demands.

Contract: in, allocated level W; out, between any two accesses of overlapping
shared bytes by different threads, one of them a store, every path has a
`tileas.barrier`. Running it again adds nothing.

A forward walk holds what was read and written since the last barrier. A loop
body is walked until what reaches its head stops growing; barriers are then
placed in one final walk, right before the access that needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import tileas
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.walk import block_ops, body, defining_op, entries
from cuda_tile.options import Options
from cuda_tile.passes.allocate import buffer_bytes

Bytes = tuple[int, int]
"""A half-open range of shared memory."""


@dataclass
class Pending:
    """Shared accesses since the last barrier on some path."""

    reads: set[Bytes] = field(default_factory=set)
    writes: set[Bytes] = field(default_factory=set)

    def copy(self) -> Pending:
        """An independent copy."""
        return Pending(set(self.reads), set(self.writes))

    def merge(self, other: Pending) -> bool:
        """Adds another path's accesses; says whether that was news."""
        before = len(self.reads), len(self.writes)
        self.reads |= other.reads
        self.writes |= other.writes
        return before != (len(self.reads), len(self.writes))

    def clear(self) -> None:
        """A barrier orders everything so far."""
        self.reads.clear()
        self.writes.clear()


def run(module: ir.Operation, options: Options) -> None:
    """Inserts the barriers of every entry of `module`."""
    del options
    for entry in entries(module):
        _Walk(insert=True).block(body(entry), Pending())


class _Walk:
    def __init__(self, *, insert: bool) -> None:
        self._insert = insert

    def block(self, block: ir.Block, pending: Pending) -> None:
        for op in block_ops(block):
            self._op(op, pending)

    def _op(self, op: ir.Operation, pending: Pending) -> None:
        match op.name:
            case "tileas.barrier":
                pending.clear()
            case "tileas.load_shared":
                place = _place(op.operands[0])
                self._access(op, pending, place, against=pending.writes)
                pending.reads.add(place)
            case "tileas.store_shared":
                place = _place(op.operands[1])
                self._access(op, pending, place, against=pending.writes | pending.reads)
                pending.writes.add(place)
            case "cuda_tile.for":
                self._loop(op, pending)
            case _:
                pass

    def _access(
        self, op: ir.Operation, pending: Pending, place: Bytes, against: set[Bytes]
    ) -> None:
        if not any(_overlap(place, other) for other in against):
            return
        pending.clear()
        if self._insert:
            with ir.InsertionPoint(op), op.location:
                tileas.BarrierOp()

    def _loop(self, op: ir.Operation, pending: Pending) -> None:
        """The head sees what came before the loop and what its last turn left."""
        trial = _Walk(insert=False)
        while True:
            turn = pending.copy()
            trial.block(body(op), turn)
            if not pending.merge(turn):
                break
        self.block(body(op), pending)


def _place(buffer: ir.Value) -> Bytes:
    op = defining_op(buffer)
    if op is None or "offset" not in op.attributes:
        raise InternalError("barriers: a shared buffer without an offset; run allocate")
    start = integer(op, "offset")
    return start, start + buffer_bytes(op)


def _overlap(first: Bytes, second: Bytes) -> bool:
    return first[0] < second[1] and second[0] < first[1]
