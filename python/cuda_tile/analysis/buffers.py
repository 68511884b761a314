# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which shared buffers an op accesses, through views and control flow.

A value that names a buffer comes from an `alloc_shared`, from an op that gives another
view of a buffer or a slot of a ring, or through a structured op. The memory effects of
an op say which of its buffers it reads and writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, RingType
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.traits import ALLOCATES
from cuda_tile.ir.walk import defining_op, location_text

Allocs = frozenset[ir.Operation]
"""Some ops that allocate shared memory."""


class BufferAccess(NamedTuple):
    """The effects of one op on shared memory.

    Attributes:
        reads: The places that it may read.
        writes: The places that it may write.
    """

    reads: Allocs
    writes: Allocs


class Buffers:
    """The buffers that the values of one entry name.

    Args:
        flow: The control flow of an entry at level W.
    """

    def __init__(self, flow: ControlFlow) -> None:
        self._flow = flow
        self._sources: dict[ir.Value, Allocs] = {}

    def sources(self, buffer: ir.Value) -> Allocs:
        """Every `alloc_shared` or ring that `buffer` may name a part of.

        Raises:
            InternalError: It comes from an op that neither makes nor forwards a buffer.
        """
        found = self._sources.get(buffer)
        if found is None:
            found = self._sources[buffer] = frozenset(self._trace(buffer))
        return found

    def sources_if_buffer(self, value: ir.Value) -> Allocs:
        """`sources` of a buffer; nothing for any other value."""
        return self.sources(value) if isinstance(value.type, BufferType) else Allocs()

    def _trace(self, buffer: ir.Value) -> Iterator[ir.Operation]:
        """Follows a buffer back through views and control flow."""
        work, seen = [buffer], {buffer}
        while work:
            value = work.pop()
            op = defining_op(value)
            if op is not None and op.name in ALLOCATES:
                yield op
                continue
            behind = self._flow.incoming(value) or _viewed(op)
            if not behind:
                raise InternalError(
                    "expected a shared buffer from 'tileas.alloc_shared', a slot, a "
                    f"view of one, or one that is handed on, got {value}",
                    None if op is None else location_text(op),
                )
            work += [value for value in behind if value not in seen]
            seen.update(behind)

    def access(self, op: ir.Operation) -> BufferAccess | None:
        """The effects on buffers of an op without regions; None if it has none."""
        accesses = _cuda_tile.buffer_accesses(op)
        if not accesses:
            return None
        reads, writes = frozenset[ir.Operation](), frozenset[ir.Operation]()
        for number, is_read, is_written in accesses:
            named = self.sources(op.operands[number])
            reads |= named if is_read else frozenset()
            writes |= named if is_written else frozenset()
        return BufferAccess(reads, writes)


def reads_late(op: ir.Operation) -> bool:
    """Whether an op may read buffers asynchronously, after it was issued.

    It reads through another proxy than the threads (PTX ISA, "Async proxy").
    """
    return op.name == "tileas.copy_out" or runs_by_itself(op)


def _viewed(op: ir.Operation | None) -> list[ir.Value]:
    """The buffers that an op gives a view of, or the ring that it gives a slot of."""
    if op is None:
        return []
    return [v for v in op.operands if isinstance(v.type, BufferType | RingType)]
