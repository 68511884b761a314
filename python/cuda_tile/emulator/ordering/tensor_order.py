"""Which asynchronous accesses to tensor memory come before which.

PTX ISA: "Memory Consistency Model for 5th generation of TensorCore operations". Three
streams of operations leave a warp: mma, cp and shift, which tcgen05.commit follows to
an mbarrier; ld, and st, each with its tcgen05.wait. Between threads an operation is
ordered before what follows in one of two ways:

- by a `tcgen05.fence::before_thread_sync` (tcgen05.commit has one built in), then any
  synchronisation, relaxed too, then a `tcgen05.fence::after_thread_sync`; unless the
  two operations form a pipeline, the first must be complete before that fence;
- once complete, by release and acquire, as anything else ("Specialized Inter-thread
  Synchronization for tcgen05 instructions": the standard mechanisms apply as well).

What a warp may tell the others travels with the vector clocks in three tables for each
stream: how many of each warp's operations are complete, as release and acquire have it;
how many passed a fence, and how many are complete, as the fences have it. The
after-fence takes a copy of the latter two, which is what later operations rely on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import (
    BASIC_TABLES,
    TENSOR_ACQUIRED_TABLES,
    TENSOR_FENCED_TABLES,
    Knowledge,
    WarpClocks,
)

Kind = Literal["mma", "cp", "cp.4x256b", "shift", "ld", "st"]

_STREAMS = {"mma": 0, "cp": 0, "cp.4x256b": 0, "shift": 0, "ld": 1, "st": 2}
_N_STREAMS = TENSOR_ACQUIRED_TABLES
_FENCE_TABLES = 2 * _N_STREAMS
TENSOR_TABLES = _N_STREAMS + _FENCE_TABLES

# PTX ISA, "Pipelined tcgen05 Instructions"; two mma must be alike as well.
_PIPELINES = {
    ("mma", "mma"),
    ("cp", "mma"),
    ("cp.4x256b", "mma"),
    ("shift", "mma"),
    ("shift", "cp.4x256b"),
    ("mma", "shift"),
}


@dataclass(eq=False)
class Operation:
    """One asynchronous operation on tensor memory.

    Attributes:
        at: Number of the instruction.
        kind: What it is.
        cluster: Number of its cluster in the machine.
        warp: Agent of the warp that issued it.
        lane: Lane that issued it, of the whole machine.
        number: How many of its stream the warp issued, this one included.
        likeness: For mma: accumulator, shape and kind, which a pipeline shares.
        is_complete: Whether it is over, whoever knows.
        before, after: What stands before and behind it in pipelines: once it is over,
            so is what stands before it.
    """

    at: int
    kind: Kind
    cluster: int
    warp: int
    lane: int
    number: int
    likeness: object = None
    is_complete: bool = False
    before: list[Operation] = field(default_factory=list["Operation"])
    after: list[Operation] = field(default_factory=list["Operation"])

    @property
    def stream(self) -> int:
        """Number of its stream."""
        return _STREAMS[self.kind]

    def forms_pipeline_with(self, later: Operation) -> bool:
        """Whether the hardware keeps this one before a later one once issued so."""
        if (self.kind, later.kind) not in _PIPELINES:
            return False
        return later.kind != "mma" or self.kind != "mma" or self._is_like(later)

    def chain(self, later: Operation) -> None:
        """Notes that a later operation stands behind this one in a pipeline."""
        if not self.is_complete and later not in self.after:
            self.after.append(later)
            later.before.append(self)

    def _is_like(self, other: Operation) -> bool:
        return self.likeness == other.likeness


class TensorOrder:
    """What each warp knows of the operations of all warps.

    Args:
        clocks: The vector clocks whose tables it uses.
        n_clusters: Clusters of the machine.
    """

    def __init__(self, clocks: WarpClocks, n_clusters: int) -> None:
        self._clocks = clocks
        n_warps = clocks.n_warps
        self._issued = np.zeros((n_clusters, n_warps, _N_STREAMS), np.int32)
        # [cluster, table, warp that relies on it, warp that issued].
        shape = (n_clusters, _FENCE_TABLES, n_warps, n_warps)
        self._usable = np.zeros(shape, np.int32)

    def reset(self) -> None:
        """Starts new CTAs."""
        self._issued[:] = 0
        self._usable[:] = 0

    def issue(
        self,
        at: int,
        kind: Kind,
        cluster: int,
        warp: int,
        lane: int,
        likeness: object = None,
    ) -> Operation:
        """Numbers a new operation."""
        stream = _STREAMS[kind]
        self._issued[cluster, warp, stream] += 1
        number = int(self._issued[cluster, warp, stream])
        return Operation(at, kind, cluster, warp, lane, number, likeness)

    def tracked(self, cluster: int, warp: int) -> int:
        """How many operations for tcgen05.commit a warp issued."""
        return int(self._issued[cluster, warp, 0])

    def _table(self, cluster: int, number: int) -> NDArray[np.int32]:
        return self._clocks.table(cluster, TENSOR_FENCED_TABLES + number)

    def _acquired(self, cluster: int, stream: int) -> NDArray[np.int32]:
        return self._clocks.table(cluster, BASIC_TABLES + stream)

    def fence_before(self, cluster: int, warp: int) -> None:
        """tcgen05.fence::before_thread_sync."""
        for stream in range(_N_STREAMS):
            table = self._table(cluster, 2 * stream)
            table[warp, warp] = self._issued[cluster, warp, stream]

    def fence_after(self, cluster: int, warp: int) -> None:
        """tcgen05.fence::after_thread_sync."""
        n_warps = self._clocks.n_warps
        for number in range(_FENCE_TABLES):
            known = self._table(cluster, number)[warp, :n_warps]
            usable = self._usable[cluster, number, warp]
            np.maximum(usable, known, out=usable)

    def wait(self, cluster: int, warp: int, kind: Literal["ld", "st"]) -> None:
        """tcgen05.wait::ld and wait::st: the warp's own operations are complete."""
        stream = _STREAMS[kind]
        number = self._issued[cluster, warp, stream]
        self._acquired(cluster, stream)[warp, warp] = number
        self._table(cluster, 2 * stream + 1)[warp, warp] = number
        self._usable[cluster, 2 * stream : 2 * stream + 2, warp, warp] = number

    def knowledge(self, cluster: int, warp: int, number: int) -> Knowledge:
        """What an mbarrier tells once tracked operations of a warp are complete.

        They come after what the warp had learned from others, so that is told as well;
        what the warp itself did outside tensor memory is not.
        """
        known = self._clocks.learned(cluster, warp)
        engine = self._clocks.engine(warp)
        known[0, engine] = max(int(known[0, engine]), number)
        known[BASIC_TABLES, warp] = number
        first = TENSOR_FENCED_TABLES
        known[first : first + 2, warp] = number
        return known

    def is_ordered(self, earlier: Operation, later: Operation) -> bool:
        """Whether one operation is certain to be over before another touches memory."""
        if earlier.forms_pipeline_with(later) and (
            earlier.warp == later.warp or self._is_usable(earlier, later, 0)
        ):
            earlier.chain(later)
            return True
        return any(
            self._is_acquired(one, later)
            or (self._is_usable(one, later, 0) and self._is_usable(one, later, 1))
            for one in (earlier, *earlier.after)
        )

    def _is_acquired(self, earlier: Operation, later: Operation) -> bool:
        """Whether a warp learned of an operation's end by release and acquire."""
        known = self._acquired(later.cluster, earlier.stream)
        return int(known[later.warp, earlier.warp]) >= earlier.number

    def _is_usable(self, earlier: Operation, later: Operation, table: int) -> bool:
        """Whether a table of a stream, as last fenced, covers an operation."""
        number = 2 * earlier.stream + table
        usable = self._usable[later.cluster, number, later.warp, earlier.warp]
        return int(usable) >= earlier.number

    def knows_complete(self, operation: Operation, cluster: int, warp: int) -> bool:
        """Whether a warp's synchronous instructions may rely on an operation's end."""
        return any(
            int(self._table(cluster, 2 * one.stream + 1)[warp, one.warp]) >= one.number
            for one in (operation, *operation.after)
        )

    def what_is_missing(
        self, earlier: Operation, later: Operation | None, warp: int
    ) -> str:
        """Says in words what would order two operations.

        Args:
            earlier: The operation that may not be over.
            later: The operation that comes too early; None for a synchronous one.
            warp: Who issues it.
        """
        first = 2 * earlier.stream
        column = [self._table(earlier.cluster, first + i)[warp] for i in (0, 1)]
        is_fenced, is_over = (int(c[earlier.warp]) >= earlier.number for c in column)
        pipelined = later is not None and earlier.forms_pipeline_with(later)
        if not is_over and not pipelined:
            if earlier.stream == 0:
                return "no wait for an mbarrier that a tcgen05.commit of it arrives at"
            end = f"tcgen05.wait::{earlier.kind}"
            return f"no {end}, or no synchronisation with {end} before it"
        if not is_fenced:
            return "no tcgen05.fence::before_thread_sync before the synchronisation"
        return "no tcgen05.fence::after_thread_sync since the synchronisation"
