# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shadow of shared memory with asynchronous copies and tensor cores.

PTX ISA: "Asynchronous Operations", "Proxies". Between the start of an asynchronous
operation and the wait that completes it, no other access may conflict with it. Writes
through the generic proxy are visible to the asynchronous proxy only after a
`fence.proxy.async`. Not everything asynchronous goes through the asynchronous proxy:
"cp.async is treated as a weak memory operation performed in the generic proxy", and
st.async and red.async are performed there too; bulk copies and matrix units are not.

More lenient than the letter of the ISA in one point, unless it is strict: a bulk copy
after generic *reads* of the same bytes only needs to happen after them (as by an
mbarrier that the readers arrive at), without a proxy fence. The response of
clusterlaunchcontrol.try_cancel takes the fence always, as the ISA's example has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import MOST_AGENTS, WarpClocks
from cuda_tile.emulator.shadow.access_log import Access
from cuda_tile.emulator.shadow.shared import (
    ATOMIC,
    NONE,
    Bytes,
    Offsets,
    SharedShadow,
)


def _bytes_of(offsets: Offsets, size: int) -> Offsets:
    return (offsets[:, None] + np.arange(size)).ravel()


def _none(cells: Offsets) -> NDArray[np.bool_]:
    return np.zeros(cells.shape, np.bool_)


class AsyncShadow(SharedShadow):
    """Access history with the asynchronous operations in flight.

    Attributes:
        barrier_words: Which 8-byte words hold an mbarrier object.
        is_strict: Whether bulk copies over what threads have read need a proxy fence.
        fenced_reads: Which bytes' last readers are lanes that fenced it alone.
    """

    def __init__(
        self,
        n_ctas: int,
        stride_bytes: int,
        n_warps: int,
        *,
        is_precise: bool,
        keeps: bool = False,
        ctas_per_cluster: int = 1,
        tensor_tables: int = 0,
    ) -> None:
        super().__init__(
            n_ctas,
            stride_bytes,
            n_warps,
            is_precise=is_precise,
            keeps=keeps,
            ctas_per_cluster=ctas_per_cluster,
            tensor_tables=tensor_tables,
        )
        self.barrier_words = np.zeros(n_ctas * stride_bytes // 8, np.bool_)
        # Bytes whose last writer is tcgen05.alloc, and those whose last writer is an
        # asynchronous copy through the generic proxy that completed on an mbarrier;
        # allocated at the first use.
        self._slots: NDArray[np.bool_] | None = None
        self._generic: NDArray[np.bool_] | None = None
        self.is_strict = False
        self.fenced_reads: Callable[[Offsets], NDArray[np.bool_]] = _none
        # Strict: by warp and byte, the clock of the last read by a bulk copy of it.
        self._bulk_reads: NDArray[np.int32] | None = None

    def reset(self) -> None:
        """Starts new CTAs."""
        super().reset()
        self._bulk_reads = None

    def _before_write(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        data: Bytes | None,
        memory: Bytes,
        *,
        is_strong: bool = False,
    ) -> None:
        if self.barrier_words[offsets >> 3].any():
            self._overwrites_mbarrier(offsets, warps)
        super()._before_write(
            at, offsets, size, warps, data, memory, is_strong=is_strong
        )

    def write_slot(
        self, at: int, offsets: Offsets, data: Bytes, warps: Bytes, memory: Bytes
    ) -> None:
        """tcgen05.alloc writes the address of the columns.

        PTX ISA, "Asynchronous Operations" of tcgen05: allocation maintains same-address
        ordering with other instructions, so a later copy needs no proxy fence.
        """
        if self._slots is None:
            self._slots = np.zeros(self._writer[1].shape, np.bool_)
        self.write(at, offsets, data, warps, memory)
        self._slots[_bytes_of(offsets, data.shape[1])] = True

    def _store(
        self,
        at: int,
        offsets: Offsets,
        data: Bytes,
        warps: Bytes,
        memory: Bytes,
        clock: int | None = None,
    ) -> None:
        super()._store(at, offsets, data, warps, memory, clock)
        for flags in (self._slots, self._generic):
            if flags is not None:
                flags[_bytes_of(offsets, data.shape[1])] = False

    def _overwrites_mbarrier(self, offsets: Offsets, warps: Bytes) -> None:
        which = int(np.argmax(self.barrier_words[offsets >> 3]))
        cell = int(offsets[which]) // 8 * 8
        made = self.log.last(cell, is_write=True)
        self.report(
            "mbarrier",
            f"{self.name(int(warps[which]))} overwrites the mbarrier object at "
            f"{self.place(cell)}, last written {self.log.where(made)}; mbarrier.inval "
            "ends it",
            self._at,
        )

    def begin_copy(
        self, at: int, offsets: Offsets, size: int, warps: Bytes, memory: Bytes
    ) -> None:
        """A cp.async starts: its target is in flight."""
        self._at = at
        self.log.add(Access(at, True, offsets, warps, size))
        self._before_write(at, offsets, size, warps, None, memory)
        self.in_flight.begin(_bytes_of(offsets, size), at, writes=True)

    def end_copy(
        self,
        at: int,
        offsets: Offsets,
        data: Bytes,
        warps: Bytes,
        memory: Bytes,
        clock: int | None = None,
    ) -> None:
        """A cp.async or st.async completes: its writes in the name of some agents.

        The agents are the warps that waited for it, or that of the mbarrier on which it
        completed, with its clock.
        """
        cells = _bytes_of(offsets, data.shape[1])
        self.in_flight.end(cells, writes=True)
        self._store(at, offsets, data, warps, memory, clock)
        if clock is not None:
            if self._generic is None:
                self._generic = np.zeros(self._writer[1].shape, np.bool_)
            self._generic[cells] = True

    # The asynchronous proxy --------------------------------------------------------

    def begin_write(
        self, at: int, offsets: Offsets, size: int, warp: int, memory: Bytes
    ) -> None:
        """A bulk copy of `warp` to shared memory starts."""
        warps = np.full(len(offsets), warp, np.uint8)
        self._at = at
        self.log.add(Access(at, True, offsets, warps, size))
        self._before_write(at, offsets, size, warps, None, memory)
        self._check_proxy(offsets, size, warps)
        if self.is_strict:
            self._forget_slots(_bytes_of(offsets, size))
            self.check_reads_fenced(at, offsets, size, warp)
        self.in_flight.begin(_bytes_of(offsets, size), at, writes=True)

    def end_write(
        self,
        at: int,
        offsets: Offsets,
        data: Bytes,
        agent: int,
        clock: int,
        memory: Bytes,
    ) -> None:
        """A bulk copy completes: a write by `agent` at `clock`."""
        self.in_flight.end(_bytes_of(offsets, data.shape[1]), writes=True)
        agents = np.full(len(offsets), agent, np.uint8)
        self._at = at
        self._store(at, offsets, data, agents, memory, clock)

    def begin_read(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        needed: NDArray[np.bool_] | None = None,
    ) -> None:
        """An asynchronous operation of some warps starts to read shared memory.

        Args:
            at: Number of the instruction.
            offsets: Where each piece is, int64[n].
            size: Bytes of a piece.
            warps: The agent for each piece.
            needed: Which bytes somebody must have written, bool[n, size]; None for all.
        """
        if not len(offsets):
            return
        self._at = at
        self.log.add(Access(at, False, offsets, warps, size))
        cells = offsets[:, None] + np.arange(size)
        if self.in_flight.is_busy:
            self._check_in_flight(offsets, size, warps, "read")
        if needed is not None:
            inside = np.broadcast_to(warps[:, None], cells.shape)[needed]
            if not self._written[1][cells[needed]].all():
                self._uninitialised(cells[needed], 1, inside)
        elif not self._written[1][cells].all():
            self._uninitialised(offsets, size, warps)
        writer = self._writer[1][cells]
        foreign = (writer != NONE) & (writer != warps[:, None])
        which = np.flatnonzero(foreign.any(axis=1))
        if len(which):
            self._check_writer(at, offsets[which], size, warps[which], "reads")
        self._check_proxy(offsets, size, warps)
        self.in_flight.begin(cells.ravel(), at, writes=False)

    def check_read(self, at: int, offsets: Offsets, warp: int) -> None:
        """Checks the same for a further warp, by the first byte of each piece."""
        warps = np.full(len(offsets), warp, np.uint8)
        writer = self._writer[1][offsets]
        which = np.flatnonzero((writer != NONE) & (writer != warp))
        if len(which):
            self._check_writer(at, offsets[which], 1, warps[which], "reads")
        self._check_proxy(offsets, 1, warps)

    def end_read(self, offsets: Offsets, size: int, agent: int, clock: int) -> None:
        """The reads complete: they are reads by `agent` at `clock`."""
        self.in_flight.end(_bytes_of(offsets, size), writes=False)
        cells = _bytes_of(offsets, size)
        self._record_bytes(cells, np.full(len(cells), agent, np.uint8))
        self._known_clocks.note_read(cells, np.full(len(cells), agent, np.uint8), clock)
        if self.is_strict and agent < self._known_clocks.n_warps:
            if self._bulk_reads is None:
                shape = (self._known_clocks.n_warps, len(self._writer[1]))
                self._bulk_reads = np.zeros(shape, np.int32)
            self._bulk_reads[agent, cells] = clock

    # The end of a CTA --------------------------------------------------------------

    def end_cta(self, cta: int, known: NDArray[np.int32], at: int) -> None:
        """Reports accesses to an ending CTA's memory that do not happen before its end.

        Args:
            cta: Number of the CTA in the machine.
            known: The join of its warps' clocks, by agent.
            at: Number of the instruction that ends it.
        """
        cells = np.arange(cta * self._stride_bytes, (cta + 1) * self._stride_bytes)
        rank = cta % self._ctas_per_cluster
        mine = range(rank * self._n_warps, (rank + 1) * self._n_warps)
        writer = self._writer[1][cells]
        far = (writer < MOST_AGENTS) & ((writer < mine.start) | (writer >= mine.stop))
        writers = np.where(far, writer, np.uint8(0))
        late = far & self._known_clocks.unknown_write(cells, writers, known)
        self._end_before(cells[late], writer[late], at, is_write=True)
        for agent in range(self._known_clocks.n_warps):
            if agent not in mine:
                late = self._known_clocks.unknown_access(
                    cells, agent, int(known[agent])
                )
                agents = np.full(len(cells), agent, np.uint8)
                self._end_before(cells[late], agents[late], at, is_write=False)

    def _end_before(
        self, cells: Offsets, agents: Bytes, at: int, *, is_write: bool
    ) -> None:
        if not len(cells):
            return
        cell = int(cells[0])
        other = self.log.recent(cell, is_write=is_write)
        verb = "write to" if is_write else "access"
        self.report(
            "cluster",
            f"the CTA ends while {self.name(int(agents[0]))} may still {verb} its "
            f"shared memory at {self.place(cell)}, {self.log.where(other)}; let them "
            "meet at a cluster barrier before",
            at,
        )

    def check_reads_fenced(
        self, at: int, offsets: Offsets, size: int, warp: int
    ) -> None:
        """Reports reads by threads that no proxy fence covers, before a write.

        Args:
            at: Number of the instruction that writes by the asynchronous proxy.
            offsets: Where each piece is, int64[n].
            size: Bytes of a piece.
            warp: The agent of the warp that issues it.
        """
        cells = _bytes_of(offsets, size)
        mine = np.full(len(cells), warp, np.uint8)
        bad = ~self._known_clocks.are_reads_fenced(cells, mine, self._bulk_reads)
        if bad.any():
            bad &= ~self.fenced_reads(cells)
        for which in np.flatnonzero(bad)[:1]:
            cell = int(cells[which])
            read = self.log.where(self.log.recent(cell, is_write=False))
            self.report(
                "proxy",
                f"an asynchronous operation of {self.name(warp)} overwrites shared "
                f"memory at {self.place(cell)} that threads read {read}, with no "
                "fence.proxy.async between; let the readers execute it before they "
                "say that they have read",
                at,
            )

    def _forget_slots(self, cells: Offsets) -> None:
        """What tcgen05.alloc wrote needs no fence, nor do the reads of it."""
        if self._slots is not None:
            self._known_clocks.forget_reads(cells[self._slots[cells]])

    @property
    def _known_clocks(self) -> WarpClocks:
        return cast(WarpClocks, self.clocks)

    def _check_proxy(self, offsets: Offsets, size: int, warps: Bytes) -> None:
        """Reports generic-proxy writes that no proxy fence covers."""
        cells = offsets[:, None] + np.arange(size)
        writer = self._writer[1][cells]
        generic = writer < self._known_clocks.n_warps
        if self._slots is not None:
            generic &= ~self._slots[cells]
        if self._generic is not None:
            generic |= self._generic[cells]
        strong = writer == ATOMIC
        if not (generic | strong).any():
            return
        mine = np.broadcast_to(warps[:, None], cells.shape)
        writers = np.where(generic, writer, np.uint8(0))
        bad = generic & ~self._known_clocks.is_fenced(cells, mine, writers)
        if bad.any():
            bad &= ~self.fenced_write(cells)
        if strong.any():
            bad |= strong & ~self._known_clocks.are_updates_fenced(cells, mine)
        if not bad.any():
            return
        which, byte = (int(x) for x in np.argwhere(bad)[0])
        cell, writer_of = int(cells[which, byte]), int(writer[which, byte])
        who = "an atomic or strong write" if writer_of == ATOMIC else ""
        other = self.log.last(cell, is_write=True)
        self.report(
            "proxy",
            f"an asynchronous operation of {self.name(int(warps[which]))} touches "
            f"shared memory at {self.place(cell)} that "
            f"{who or self.name(writer_of)} wrote "
            f"{self.log.where(other)}, with no fence.proxy.async between",
            self._at,
        )
