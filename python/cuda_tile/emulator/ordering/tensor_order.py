# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Happens-before of asynchronous operations on tensor memory.

PTX ISA: "Memory Consistency Model for 5th generation of TensorCore operations". A warp
issues three streams of operations: mma, cp and shift, whose completion tcgen05.commit
signals at an mbarrier; ld; and st, each with its own tcgen05.wait. An operation of one
thread is ordered before a later one of another in one of two ways:

- by a `tcgen05.fence::before_thread_sync` (tcgen05.commit implies one), then any
  synchronisation, also a relaxed one, then a `tcgen05.fence::after_thread_sync`; unless
  the two operations form a pipeline, the first must be complete before that fence;
- once complete, by release and acquire like any access ("Specialized Inter-thread
  Synchronization for tcgen05 instructions": the standard mechanisms apply as well).

Three tables of the vector clocks carry this for each stream: how many of each warp's
operations are complete, passed on by release and acquire; how many a before-fence
covers, and how many are complete, passed on by any synchronisation. An after-fence
copies the latter two: later operations rely on that copy.
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

# What completes in the order of issue where a launch says so.
_ISSUED = {"mma", "cp", "cp.4x256b"}
# PTX ISA, "Pipelined tcgen05 Instructions"; two mma must also agree in `pipeline_key`.
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
        lane: Lane that issued it, numbered in the machine.
        number: Its number in the warp's stream, from 1.
        pipeline_key: For mma: accumulator, shape and kind, which all mma of a pipeline
            share.
        is_complete: Whether it is complete.
        before, after: Its predecessors and successors in pipelines: they complete in
            order.
    """

    at: int
    kind: Kind
    cluster: int
    warp: int
    lane: int
    number: int
    pipeline_key: object = None
    is_complete: bool = False
    before: list[Operation] = field(default_factory=list["Operation"])
    after: list[Operation] = field(default_factory=list["Operation"])

    @property
    def stream(self) -> int:
        """Number of its stream."""
        return _STREAMS[self.kind]

    def forms_pipeline_with(self, later: Operation) -> bool:
        """Whether the two execute in order if they are issued in order."""
        if (self.kind, later.kind) not in _PIPELINES:
            return False
        return later.kind != "mma" or self.kind != "mma" or self._has_key_of(later)

    def chain(self, later: Operation) -> None:
        """Records a later operation as successor in a pipeline."""
        if not self.is_complete and later not in self.after:
            self.after.append(later)
            later.before.append(self)

    def _has_key_of(self, other: Operation) -> bool:
        return self.pipeline_key == other.pipeline_key


class TensorOrder:
    """Which operations on tensor memory each warp may rely on.

    Attributes:
        by_issue: Whether all products and copies of one thread complete in the order in
            which it issues them. The ISA promises less; CUTLASS and FlashAttention 4
            rely on it.

    Args:
        clocks: The vector clocks whose tables it uses.
        n_clusters: Clusters of the machine.
    """

    def __init__(self, clocks: WarpClocks, n_clusters: int) -> None:
        self.by_issue = False
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
        pipeline_key: object = None,
    ) -> Operation:
        """Makes a new operation with the next number of its stream."""
        stream = _STREAMS[kind]
        self._issued[cluster, warp, stream] += 1
        number = int(self._issued[cluster, warp, stream])
        return Operation(at, kind, cluster, warp, lane, number, pipeline_key)

    def tracked(self, cluster: int, warp: int) -> int:
        """How many operations that tcgen05.commit tracks a warp issued."""
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
        """The clock that an mbarrier releases once a warp's operations complete.

        They follow what the warp had acquired from others, so that is released as well;
        the warp's own accesses outside tensor memory are not.
        """
        known = self._clocks.learned(cluster, warp)
        engine = self._clocks.engine(warp)
        known[0, engine] = max(int(known[0, engine]), number)
        known[BASIC_TABLES, warp] = number
        first = TENSOR_FENCED_TABLES
        known[first : first + 2, warp] = number
        return known

    def is_ordered(self, earlier: Operation, later: Operation) -> bool:
        """Whether an operation is complete, in every execution, before a later one."""
        if self.by_issue and self._is_issued_before(earlier, later):
            earlier.chain(later)
            return True
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

    def _is_issued_before(self, earlier: Operation, later: Operation) -> bool:
        """Whether one thread issued two operations that complete in that order."""
        both = earlier.kind in _ISSUED and later.kind in _ISSUED
        return both and earlier.lane == later.lane

    def _is_acquired(self, earlier: Operation, later: Operation) -> bool:
        """Whether the completion happens before, by release and acquire."""
        known = self._acquired(later.cluster, earlier.stream)
        return int(known[later.warp, earlier.warp]) >= earlier.number

    def _is_usable(self, earlier: Operation, later: Operation, table: int) -> bool:
        """Whether the last after-fence copied a count that covers the operation."""
        number = 2 * earlier.stream + table
        usable = self._usable[later.cluster, number, later.warp, earlier.warp]
        return int(usable) >= earlier.number

    def knows_complete(self, operation: Operation, cluster: int, warp: int) -> bool:
        """Whether a warp's synchronous instructions may rely on the completion."""
        return any(
            int(self._table(cluster, 2 * one.stream + 1)[warp, one.warp]) >= one.number
            for one in (operation, *operation.after)
        )

    def what_is_missing(
        self, earlier: Operation, later: Operation | None, warp: int
    ) -> str:
        """Names the synchronisation that would order two operations.

        Args:
            earlier: The operation that may be incomplete.
            later: The operation that is not ordered after it; None for a synchronous
                one.
            warp: The warp that issues the later one.
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
