# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies in flight, and their bulk async-groups.

PTX ISA: "Data Movement and Conversion Instructions: Asynchronous copy", "Bulk copy":
copies into shared memory complete on an mbarrier; copies out of it belong to bulk
async-groups of the thread that started them. A group's copies read shared memory as
late as the ISA allows, at the wait, or in an adversarial machine at any time before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.memory.counters import Path
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.memory.spaces import gather
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.sync.mbarriers import Mbarriers, Transfer
from cuda_tile.emulator.threads.lanes import Lanes

Offsets = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Sink = Callable[[Bytes], None]


@dataclass(eq=False)
class _Outward:
    """A bulk copy out of shared memory: 16-byte chunks, and where their bytes go.

    `near` are the chunks of which bytes go anywhere.
    """

    at: int
    lane: int
    group: int
    chunks: Offsets
    near: Offsets
    sink: Sink
    rows: GlobalRows
    data: Bytes | None = None


class BulkCopies:
    """The bulk copies of one machine."""

    def __init__(self, machine: Memories, mbarriers: Mbarriers) -> None:
        self._machine = machine
        self._mbarriers = mbarriers
        self._committed = np.zeros(machine.n_lanes, np.int64)
        # Copies that still read shared memory; those that still write global memory.
        self._in_flight: list[_Outward] = []
        self._writing: list[_Outward] = []

    def reset(self) -> None:
        """Starts new CTAs."""
        self._committed[:] = 0
        self._in_flight.clear()
        self._writing.clear()

    def into_shared(
        self,
        at: int,
        lane: int,
        chunks: Offsets,
        cell: int,
        source: Callable[[], Bytes],
        size: int = CHUNK_BYTES,
        *,
        is_bulk: bool = True,
        path: Path = "copy_in",
    ) -> None:
        """Starts a copy to shared memory that completes on the mbarrier at `cell`.

        Args:
            at: Number of the instruction.
            lane: The lane that starts it.
            chunks: Where each piece goes, int64[n].
            cell: Offset of the mbarrier.
            source: Returns the bytes, uint8[size * n].
            size: Bytes of one piece.
            is_bulk: Whether it goes through the asynchronous proxy.
            path: What the bytes count as.
        """
        machine = self._machine
        shadow, warp = machine.shadow, int(machine.agents[lane])
        self._begin(at, lane, chunks, size, writes=True)
        if is_bulk:
            shadow.begin_write(at, chunks, size, warp, machine.shared)
        else:
            warps = np.full(len(chunks), warp, np.uint8)
            shadow.begin_copy(at, chunks, size, warps, machine.shared)
        machine.counters.moved(at, path, size * len(chunks))
        traffic, ctas = machine.counters.traffic, chunks // machine.stride_bytes
        if traffic is not None:
            phase = self._mbarriers.phase_at(cell)
            traffic.begun_bulk(at, lane, cell, phase, ctas, size)

        def land(agent: int, clock: int) -> None:
            if traffic is not None:
                traffic.landed(ctas, size)
            data = source().reshape(-1, size)
            if machine.lane_order is not None:
                machine.lane_order.landed(chunks, size)
            if is_bulk:
                shadow.end_write(at, chunks, data, agent, clock, machine.shared)
                return
            agents = np.full(len(chunks), agent, np.uint8)
            shadow.end_copy(at, chunks, data, agents, machine.shared, clock)

        lanes = Lanes(np.array([lane]), machine.n_lanes)
        transfer = Transfer(at, size * len(chunks), land)
        self._mbarriers.start(lanes, cell, transfer)

    def reduce_shared(
        self,
        at: int,
        lane: int,
        chunks: Offsets,
        cell: int,
        change: Callable[[Bytes], Bytes],
        size: int = CHUNK_BYTES,
    ) -> None:
        """Starts a reduction of shared memory that completes on an mbarrier.

        Args:
            at: Number of the instruction.
            lane: The lane that starts it.
            chunks: Where each piece is, int64[n].
            cell: Offset of the mbarrier.
            change: From the old bytes, uint8[size * n], to the new ones.
            size: Bytes of one piece.
        """
        machine = self._machine
        warps = np.full(len(chunks), machine.agents[lane], np.uint8)
        machine.shadow.atomic(at, chunks, size, warps, machine.shared)
        machine.counters.moved(at, "cluster", size * len(chunks))
        places = (chunks[:, None] + np.arange(size)).ravel()

        def land(agent: int, clock: int) -> None:
            machine.shared[places] = change(machine.shared[places])

        lanes = Lanes(np.array([lane]), machine.n_lanes)
        transfer = Transfer(at, size * len(chunks), land)
        self._mbarriers.start(lanes, cell, transfer, releases_issue=True)

    def read_shared(self, at: int, lane: int, origin: Offsets) -> Callable[[], Bytes]:
        """Starts a read of shared memory; returns what completes it with the bytes."""
        machine = self._machine
        warps = np.full(len(origin), machine.agents[lane], np.uint8)
        self._begin(at, lane, origin, CHUNK_BYTES, writes=False)
        machine.shadow.begin_read(at, origin, CHUNK_BYTES, warps)

        def read() -> Bytes:
            machine.shadow.in_flight.end(
                (origin[:, None] + np.arange(CHUNK_BYTES)).ravel(), writes=False
            )
            return gather(machine.shared, origin, CHUNK_BYTES).reshape(-1)

        return read

    def _begin(
        self, at: int, lane: int, places: Offsets, size: int, *, writes: bool
    ) -> None:
        """A copy of a lane starts: its mates' accesses must come before."""
        order = self._machine.lane_order
        if order is not None and len(places):
            order.begin_copy(
                at, np.full(len(places), lane), places, size, writes=writes
            )

    def reads_global(self, at: int, lane: int, rows: GlobalRows) -> None:
        """A copy of a lane starts to read global memory."""
        machine = self._machine
        machine.counters.copied(at, lane, rows)
        if machine.global_shadow is not None:
            machine.global_shadow.copies_from(at, lane, rows)

    def between_shared(
        self, at: int, lane: int, chunks: Offsets, cell: int, origin: Offsets
    ) -> None:
        """Starts a copy from the CTA's to the cluster's shared memory."""
        source = self.read_shared(at, lane, origin)
        self.into_shared(at, lane, chunks, cell, source, path="cluster")

    def out_of_shared(
        self,
        at: int,
        lane: int,
        chunks: Offsets,
        sink: Sink,
        rows: GlobalRows,
        *,
        updates: bool = False,
        needed: NDArray[np.bool_] | None = None,
    ) -> None:
        """Starts a copy from shared memory in the lane's current bulk async-group.

        Args:
            at: Number of the instruction.
            lane: The lane that starts it.
            chunks: Where each 16 bytes come from, int64[n].
            sink: Takes the bytes, uint8[16 * n].
            rows: The global memory that it writes.
            updates: Whether it is a reduction, which is atomic.
            needed: Which bytes of each chunk go anywhere, bool[n, 16]: those outside a
                tensor are not written, so that nobody need have written them here.
                None for all.
        """
        machine = self._machine
        machine.counters.copied(at, lane, rows)
        if machine.global_shadow is not None:
            machine.global_shadow.copies_to(at, lane, rows, updates=updates)
        near = chunks
        if needed is not None:
            some = needed.any(axis=1)
            near, needed = chunks[some], needed[some]
        warps = np.full(len(near), machine.agents[lane], np.uint8)
        self._begin(at, lane, near, CHUNK_BYTES, writes=False)
        machine.shadow.begin_read(at, near, CHUNK_BYTES, warps, needed)
        machine.counters.moved(at, "copy_out", CHUNK_BYTES * len(chunks))
        group = int(self._committed[lane])
        copy = _Outward(at, lane, group, chunks, near, sink, rows)
        self._in_flight.append(copy)
        self._writing.append(copy)
        if machine.is_adversarial and machine.rng.random() < 0.25:
            self._read(copy)

    def _read(self, copy: _Outward) -> None:
        if copy.data is None:
            copy.data = gather(self._machine.shared, copy.chunks, CHUNK_BYTES)
            copy.sink(np.ascontiguousarray(copy.data).reshape(-1))

    def commit(self, lanes: Lanes) -> None:
        """cp.async.bulk.commit_group."""
        self._committed[lanes.index] += 1

    def wait(self, lanes: Lanes, pending: int, *, reads_only: bool) -> None:
        """cp.async.bulk.wait_group: completes all groups but the last `pending`.

        With `.read` it completes only their reads of shared memory.
        """
        limit = np.full(self._machine.n_lanes, -1, np.int64)
        limit[lanes.index] = self._committed[lanes.index] - pending
        machine, shadow = self._machine, self._machine.shadow
        in_flight: list[_Outward] = []
        for copy in self._in_flight:
            if copy.group >= limit[copy.lane]:
                in_flight.append(copy)
                continue
            self._read(copy)
            warp = int(machine.agents[copy.lane])
            assert shadow.clocks is not None, "bulk copies make the shadow precise"
            clock = shadow.clocks.knows(int(machine.cta_of[copy.lane]), warp, warp)
            shadow.end_read(copy.near, CHUNK_BYTES, warp, clock)
            if machine.lane_order is not None and len(copy.near):
                who, size = np.full(len(copy.near), copy.lane), CHUNK_BYTES
                order = machine.lane_order
                order.end_copy(copy.at, who, copy.near, size, writes=False)
        self._in_flight = in_flight
        if not reads_only:
            over = [c for c in self._writing if c.group < limit[c.lane]]
            self._writing = [c for c in self._writing if c.group >= limit[c.lane]]
            for copy in over:
                if machine.global_shadow is not None:
                    machine.global_shadow.copied_to(copy.at, copy.lane, copy.rows)

    def finish(self) -> Iterator[tuple[str, int]]:
        """The CTAs end; yields message and instruction of copies not waited for."""
        for copy in self._in_flight:
            text = "the CTA ends before a wait for the copy that reads its memory"
            yield text, copy.at
            self._read(copy)
