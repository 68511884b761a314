# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tcgen05 operations in flight, and tcgen05.commit, which signals their completion.

PTX ISA: "tcgen05.commit", "mbarrier based completion mechanism". The mma, cp and shift
of one thread are complete when a phase completes at whose mbarrier a later commit of
this thread arrived; until then the shared memory that they read must not be
overwritten. A commit arrives as late as the ISA allows, when a thread waits for the
phase, and in an adversarial machine at any time before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ordering.tensor_order import Operation, TensorOrder
from cuda_tile.emulator.sync.mbarriers import Mbarriers, Transfer
from cuda_tile.emulator.threads.lanes import Lanes

Offsets = NDArray[np.int64]


class Chunks(NamedTuple):
    """Pieces of shared memory, and how many bytes of each are read."""

    places: Offsets
    size_bytes: int


@dataclass(eq=False)
class _InFlight:
    """An operation that may be incomplete.

    Attributes:
        operation: The operation.
        chunks: The shared memory that it reads.
        is_covered: Whether a commit covers it.
    """

    operation: Operation
    chunks: tuple[Chunks, ...]
    is_covered: bool = False


class TensorPipe:
    """The tcgen05 operations in flight of one machine."""

    def __init__(
        self, machine: Memories, mbarriers: Mbarriers, order: TensorOrder
    ) -> None:
        self._machine = machine
        self._mbarriers = mbarriers
        self._order = order
        self._in_flight: list[_InFlight] = []

    def reset(self) -> None:
        """Starts new CTAs."""
        self._in_flight.clear()

    def start(self, operation: Operation, *chunks: Chunks) -> None:
        """Starts an operation that reads chunks of shared memory."""
        for places, size_bytes in chunks:
            warps = np.full(len(places), operation.warp, np.uint8)
            self._machine.shadow.begin_read(operation.at, places, size_bytes, warps)
        self._in_flight.append(_InFlight(operation, chunks))

    def commit(self, at: int, lane: int, cells: list[int]) -> None:
        """tcgen05.commit: arrives at mbarriers once earlier operations are complete."""
        machine = self._machine
        cluster = int(machine.cta_of[lane]) // machine.geometry.cluster_size
        warp = int(machine.agents[lane])
        mine = self._with_earlier(
            [f for f in self._in_flight if f.operation.lane == lane]
        )
        others = [
            f.operation.number
            for f in self._in_flight
            if f.operation.lane != lane
            and (f.operation.cluster, f.operation.warp) == (cluster, warp)
        ]
        number = min(others) - 1 if others else self._order.tracked(cluster, warp)
        knowledge = self._order.knowledge(cluster, warp, number)
        for entry, _ in mine:
            entry.is_covered = True

        def land(agent: int, clock: int) -> None:
            for entry, last in mine:
                self._end(entry, warp, last)

        def is_over() -> bool:
            return all(entry.operation.is_complete for entry, _ in mine)

        lanes = Lanes(np.array([lane]), machine.n_lanes)
        for cell in cells:
            transfer = Transfer(at, 0, land, 1, knowledge, is_over)
            self._mbarriers.start_commit(lanes, cell, transfer)

    def _with_earlier(self, entries: list[_InFlight]) -> list[tuple[_InFlight, int]]:
        """Adds the predecessors of some operations in pipelines, of any thread.

        Returns:
            The operations, each with the stream number whose completion implies its
            own.
        """
        found = [(entry, entry.operation.number) for entry in entries]
        seen = {id(entry.operation) for entry in entries}
        for entry, number in found:
            earlier = {id(operation) for operation in entry.operation.before} - seen
            if earlier:
                seen |= earlier
                more = [f for f in self._in_flight if id(f.operation) in earlier]
                found += [(other, number) for other in more]
        return found

    def _end(self, entry: _InFlight, warp: int, number: int) -> None:
        """Completes an operation, as of operation `number` of a warp's stream."""
        operation, shadow = entry.operation, self._machine.shadow
        if operation.is_complete:
            return
        operation.is_complete = True
        self._in_flight.remove(entry)
        assert shadow.clocks is not None, "tcgen05 makes the shadow precise"
        for places, size_bytes in entry.chunks:
            shadow.end_read(places, size_bytes, shadow.clocks.engine(warp), number)

    def finish(self) -> Iterator[tuple[str, int]]:
        """The CTAs end; yields message and instruction of operations without commit."""
        for entry in self._in_flight:
            if not entry.is_covered:
                kind = entry.operation.kind
                text = f"the CTA ends before a tcgen05.commit covers this {kind}"
                yield text, entry.operation.at
