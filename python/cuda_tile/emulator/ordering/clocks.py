# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vector clocks: which events of every agent happen before a warp's next access.

Lamport's happens-before. A warp's own component counts its releases; a barrier joins
the clocks of the arriving warps into those of the waiting ones. An access by agent a at
clock t happens before the next access of a warp whose component for a is at least t.
Agents are the warps of a cluster (of one CTA where there are no clusters), then the
asynchronous ones: the tensor core of each warpgroup, and for bulk copies the mbarrier
that they complete on.

A second table has the part of each clock that a proxy fence covers: only those events
are visible to asynchronous copies and tensor cores (PTX ISA, "Proxies"). Kernels with
tensor memory have more tables (see `tensor_order`), which are joined at the same
points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.strong_accesses import StrongAccesses

Index = NDArray[np.intp]
Cells = NDArray[np.int64]
Warps = NDArray[np.uint8]
# A vector clock, [n_tables, n_agents]: all events, those that a proxy fence covers and,
# with tensor memory, the operations that are complete there. Release and acquire pass
# these tables on. Relaxed synchronisation passes only that on which has a fence of its
# own: initialised mbarriers, and operations on tensor memory.
Knowledge = NDArray[np.int32]
BASIC_TABLES = 2
TENSOR_ACQUIRED_TABLES = 3
TENSOR_FENCED_TABLES = BASIC_TABLES + TENSOR_ACQUIRED_TABLES + 1

# Most agents of one cluster; shadow memory uses the larger numbers for markers.
MOST_AGENTS = 250
# The grid that precedes a programmatic launch: its end is its only event.
PRECEDING_GRID = MOST_AGENTS - 1
# Asynchronous agents of one cluster that read shared memory for its warps.
_MOST_ENGINES = 64


class WarpClocks:
    """Vector clocks of all clusters, and the clocks of the last accesses to each byte.

    Bytes are numbered over the shared memories of all CTAs, one after another.

    Attributes:
        n_warps: Warps of a cluster; they are the first agents.
        n_readers: Agents that read shared memory: the warps, then the tensor cores.
        n_tables: Tables of each clock: two, that of mbarriers, those of tensor memory.
        relaxed: The tables that relaxed synchronisation passes on.
        has_heard: Whether any warp acquired anything, so that `take_heard` may tell
            more than zero.
    """

    def __init__(
        self,
        n_ctas: int,
        stride_bytes: int,
        n_warps: int,
        ctas_per_cluster: int = 1,
        *,
        tensor_tables: int = 0,
    ) -> None:
        self._ctas_per_cluster = ctas_per_cluster
        self._stride_bytes = stride_bytes * ctas_per_cluster
        self.n_warps = n_warps * ctas_per_cluster
        self._warps_per_cta = n_warps
        # One tensor core per warpgroup; with tensor memory one for each issuing warp.
        engines = -(-n_warps // 4) * ctas_per_cluster
        if tensor_tables:
            engines = min(self.n_warps, _MOST_ENGINES)
        self.n_readers = self.n_warps + engines
        self._mbarrier_table = BASIC_TABLES
        if tensor_tables:
            self._mbarrier_table += TENSOR_ACQUIRED_TABLES
        self.relaxed = slice(self._mbarrier_table, None)
        self.n_tables = BASIC_TABLES + 1 + tensor_tables
        total = n_ctas * stride_bytes
        n_clusters = n_ctas // ctas_per_cluster
        # [cluster, table, warp whose clock it is, agent].
        shape = (n_clusters, self.n_tables, self.n_warps, MOST_AGENTS)
        self._tables = np.zeros(shape, np.int32)
        self._known = self._tables[:, 0]
        self._written = np.zeros(total, np.int32)
        self._read = np.zeros((self.n_readers, total), np.int32)
        self.strong = StrongAccesses(self.n_warps, total)
        # By warp, the largest own clock that came back to it by an acquire.
        self._heard = np.zeros((n_clusters, self.n_warps), np.int32)
        self.has_heard = False

    def reset(self) -> None:
        """Starts new CTAs: every clock is zero but for the warp's own component."""
        self._tables[:] = 0
        for warp in range(self.n_warps):
            self._known[:, warp, warp] = 1
        self._written[:] = 0
        self._read[:] = 0
        self._heard[:] = 0
        self.has_heard = False
        if self.strong.is_used:
            self.strong.reset()

    def meet(
        self,
        cta: int,
        arriving: Index,
        waiting: Index,
        released: Knowledge | None = None,
    ) -> None:
        """Joins the clocks of `arriving`, and released ones, into those of `waiting`.

        Who else runs or has ended is none of them: PTX ISA, "bar.sync", orders the
        accesses of the threads that take part.
        """
        tables = self._tables[cta // self._ctas_per_cluster]
        joined = tables[:, arriving].max(axis=1, keepdims=True, initial=0)
        if released is not None:
            joined = np.maximum(joined, released[:, None])
        tables[:, waiting] = np.maximum(tables[:, waiting], joined)
        tables[0, arriving, arriving] += 1

    # Single warps ------------------------------------------------------------------

    def release(self, cta: int, warps: Index) -> Knowledge:
        """Returns the join of the warps' clocks, then advances their own components."""
        tables = self._tables[cta // self._ctas_per_cluster]
        known = tables[:, warps].max(axis=1)
        tables[0, warps, warps] += 1
        return known

    def acquire(
        self, cta: int, warps: Index, known: Knowledge, *, relaxed: bool = False
    ) -> None:
        """Joins released clocks into those of some warps.

        Args:
            cta: The CTA of the warps.
            warps: Their agents.
            known: What was released.
            relaxed: Whether the acquire is relaxed, so that it joins only
                `self.relaxed`.
        """
        tables = self._tables[cta // self._ctas_per_cluster]
        part = self.relaxed if relaxed else slice(None)
        tables[part, warps] = np.maximum(tables[part, warps], known[part, None])
        if not relaxed:
            heard = self._heard[cta // self._ctas_per_cluster]
            heard[warps] = np.maximum(heard[warps], known[0, warps])
            self.has_heard = True

    def take_heard(self, cluster: int, warp: int) -> int:
        """The largest own clock that a warp has acquired since the last call."""
        heard = int(self._heard[cluster, warp])
        self._heard[cluster, warp] = 0
        return heard

    def blank(self) -> Knowledge:
        """Returns a clock of zeros."""
        return np.zeros((self.n_tables, MOST_AGENTS), np.int32)

    def learned(self, cluster: int, warp: int) -> Knowledge:
        """A warp's clock without its own component."""
        known = self._tables[cluster, :, warp].copy()
        known[:, warp] = 0
        return known

    def table(self, cluster: int, number: int) -> NDArray[np.int32]:
        """One table of a cluster, [warp whose clock it is, agent]; may be changed."""
        return self._tables[cluster, number]

    def row(self, cluster: int, warp: int) -> Knowledge:
        """A warp's clock; may be changed."""
        return self._tables[cluster, :, warp]

    def engine(self, warp: int) -> int:
        """The agent that reads shared memory for the tcgen05 operations of a warp."""
        return self.n_warps + warp % (self.n_readers - self.n_warps)

    def learn(self, cta: int, warps: Index, agent: int, clock: int) -> None:
        """Raises the warps' component for one asynchronous agent to `clock`."""
        known = self._known[cta // self._ctas_per_cluster]
        known[warps, agent] = np.maximum(known[warps, agent], clock)

    def fence_proxy(self, cta: int, warps: Index) -> None:
        """A proxy fence of these warps: it covers everything before it."""
        tables = self._tables[cta // self._ctas_per_cluster]
        tables[1, warps] = np.maximum(tables[1, warps], tables[0, warps])
        tables[0, warps, warps] += 1

    def fence_mbarriers(self, cta: int, warps: Index) -> None:
        """Lets relaxed synchronisation pass on what these warps initialised."""
        table = self._tables[cta // self._ctas_per_cluster, self._mbarrier_table]
        own = self._known[cta // self._ctas_per_cluster, warps, warps]
        table[warps, warps] = own

    def knows_mbarrier(self, cta: int, warp: int, maker: int, clock: int) -> bool:
        """Whether an initialisation by `maker` at `clock` happens before a warp."""
        tables = self._tables[cta // self._ctas_per_cluster]
        told = tables[[0, self._mbarrier_table], warp, maker]
        return int(told.max()) >= clock

    def knows(self, cta: int, warp: int, agent: int) -> int:
        """A warp's component for an agent."""
        return int(self._known[cta // self._ctas_per_cluster, warp, agent])

    def of_cta(self, cta: int) -> NDArray[np.int32]:
        """The join of the clocks of one CTA's warps, by agent."""
        first = cta % self._ctas_per_cluster * self._warps_per_cta
        mine = slice(first, first + self._warps_per_cta)
        return self._known[cta // self._ctas_per_cluster, mine].max(axis=0)

    def own(self, ctas: Index, warps: Warps) -> NDArray[np.int32]:
        """The warps' own components."""
        return self._known[ctas // self._ctas_per_cluster, warps, warps]

    # Bytes of shared memory --------------------------------------------------------

    def _clusters(self, cells: Cells) -> Cells:
        if len(self._known) == 1:
            return np.zeros(cells.shape, np.int64)
        return cells // self._stride_bytes

    def note_read(self, cells: Cells, agents: Warps, clock: int | None = None) -> None:
        """Records reads of single bytes, at the warps' clocks or at a given one."""
        if clock is None:
            self._read[agents, cells] = self._own(cells, agents)
        else:
            self._read[agents, cells] = clock

    def forget_reads(self, cells: Cells) -> None:
        """Forgets reads that happen before a write that takes their place."""
        self._read[:, cells] = 0

    def note_write(self, cells: Cells, agents: Warps, clock: int | None = None) -> None:
        """Records writes of single bytes, at the warps' clocks or at a given one."""
        if clock is None:
            self._written[cells] = self._own(cells, agents)
        else:
            self._written[cells] = clock

    def is_after_write(
        self, cells: Cells, warps: Warps, writers: Warps
    ) -> NDArray[np.bool_]:
        """Whether the last write of a byte, by `writers`, happens before each warp."""
        known = self._known[self._clusters(cells), warps, writers]
        return known >= self._written[cells]

    def knows_at(self, cells: Cells, warps: Warps, agents: Warps) -> NDArray[np.int32]:
        """The warps' components for some agents, in the clusters of some bytes."""
        return self._known[self._clusters(cells), warps, agents]

    def is_fenced(
        self, cells: Cells, warps: Warps, writers: Warps
    ) -> NDArray[np.bool_]:
        """Whether a proxy fence covers the last write before each warp's access."""
        fenced = self._tables[self._clusters(cells), 1, warps, writers]
        return fenced >= self._written[cells]

    def are_reads_fenced(
        self, cells: Cells, warps: Warps, excused: NDArray[np.int32] | None = None
    ) -> NDArray[np.bool_]:
        """Whether proxy fences cover all reads of a byte by warps, by whomever.

        Args:
            cells: The bytes.
            warps: Whose next accesses the fences must come before, of the same shape.
            excused: By warp and byte, clocks of reads that need no fence, or None.
        """
        read = self._read[: self.n_warps].take(cells, axis=1)
        if excused is not None:
            read = np.where(read == excused[:, cells], 0, read)
        fenced = self._tables[self._clusters(cells), 1, warps][..., : self.n_warps]
        return (fenced >= np.moveaxis(read, 0, -1)).all(axis=-1)

    def is_after_reads(self, cells: Cells, warps: Warps) -> NDArray[np.bool_]:
        """Whether all reads of a byte by others happen before each warp."""
        reads = np.moveaxis(self._read.take(cells, axis=1), 0, -1)
        unknown = self._known[self._clusters(cells), warps][..., : self.n_readers]
        unknown = unknown < reads
        unknown[np.arange(self.n_readers) == warps[..., None]] = False
        return ~np.logical_or.reduce(unknown, axis=-1)

    def unknown_write(
        self, cells: Cells, writers: Warps, known: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Which bytes were written later than `known` says of their writer."""
        return self._written[cells] > known[writers]

    def unknown_access(self, cells: Cells, agent: int, known: int) -> NDArray[np.bool_]:
        """Which bytes a warp read or updated later than clock `known`."""
        late = self._read[agent, cells] > known
        return late | self.strong.unknown(cells, agent, known)

    # Strong accesses ---------------------------------------------------------------

    def note_strong_read(self, cells: Cells, warps: Warps, scope: int) -> None:
        """Records strong reads of single bytes by warps."""
        self.strong.note_read(cells, warps, self._own(cells, warps), scope)

    def note_update(
        self, cells: Cells, warps: Warps, scope: int, *, reads: bool
    ) -> None:
        """Records strong writes of single bytes; `reads` for atomics."""
        own = self._own(cells, warps)
        self.strong.note_update(cells, warps, own, scope, reads=reads)

    def is_in_scope(
        self, cells: Cells, warps: Warps, scope: int, *, writes: bool
    ) -> NDArray[np.bool_]:
        """Whether other CTAs' strong accesses are in scope or happen before."""
        known = self._of_warps(cells, warps)
        return self.strong.is_in_scope(
            cells, warps, known, scope, warps_per_cta=self._warps_per_cta, writes=writes
        )

    def is_after_updates(self, cells: Cells, warps: Warps) -> NDArray[np.bool_]:
        """Whether all strong writes of a byte by others happen before each warp."""
        known = self._of_warps(cells, warps)
        return self.strong.is_after_updates(cells, warps, known)

    def are_updates_fenced(self, cells: Cells, warps: Warps) -> NDArray[np.bool_]:
        """Whether proxy fences cover all strong writes of a byte, by whomever."""
        known = self._tables[self._clusters(cells), 1, warps][..., : self.n_warps]
        return self.strong.is_after_all_updates(cells, known)

    def is_after_strong_reads(self, cells: Cells, warps: Warps) -> NDArray[np.bool_]:
        """Whether all strong reads of a byte by others happen before each warp."""
        known = self._of_warps(cells, warps)
        return self.strong.is_after_reads(cells, warps, known)

    def _own(self, cells: Cells, warps: Warps) -> NDArray[np.int32]:
        return self._known[self._clusters(cells), warps, warps]

    def _of_warps(self, cells: Cells, warps: Warps) -> NDArray[np.int32]:
        """Each warp's components for the warps of its cluster, [..., n_warps]."""
        return self._known[self._clusters(cells), warps][..., : self.n_warps]
