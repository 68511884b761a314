"""Tensor-core operations in flight, and tcgen05.commit, which tells of their end.

PTX ISA: "tcgen05.commit", "mbarrier based completion mechanism". mma, cp and shift of
one thread are over when an mbarrier's phase completes that a commit of this thread
arrived at; until then nobody may overwrite the shared memory they read. A commit
arrives as late as is legal, when somebody asks for the phase, and in an adversarial
machine at any time before.
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
class _Flight:
    """An operation whose end is not known, and the chunks it reads."""

    operation: Operation
    chunks: tuple[Chunks, ...]
    is_covered: bool = False


class TensorPipe:
    """What the threads of one machine asked of the tensor cores."""

    def __init__(
        self, machine: Memories, mbarriers: Mbarriers, order: TensorOrder
    ) -> None:
        self._machine = machine
        self._mbarriers = mbarriers
        self._order = order
        self._flying: list[_Flight] = []

    def reset(self) -> None:
        """Starts new CTAs."""
        self._flying.clear()

    def start(self, operation: Operation, *chunks: Chunks) -> None:
        """Starts an operation that reads chunks of shared memory."""
        for places, size_bytes in chunks:
            warps = np.full(len(places), operation.warp, np.uint8)
            self._machine.shadow.begin_read(operation.at, places, size_bytes, warps)
        self._flying.append(_Flight(operation, chunks))

    def commit(self, at: int, lane: int, cells: list[int]) -> None:
        """tcgen05.commit: what a lane issued so far arrives at mbarriers once over."""
        machine = self._machine
        cluster = int(machine.cta_of[lane]) // machine.geometry.cluster_size
        warp = int(machine.agents[lane])
        mine = self._with_earlier([f for f in self._flying if f.operation.lane == lane])
        others = [
            f.operation.number
            for f in self._flying
            if f.operation.lane != lane
            and (f.operation.cluster, f.operation.warp) == (cluster, warp)
        ]
        number = min(others) - 1 if others else self._order.tracked(cluster, warp)
        knowledge = self._order.knowledge(cluster, warp, number)
        for flight, _ in mine:
            flight.is_covered = True

        def land(agent: int, clock: int) -> None:
            for flight, last in mine:
                self._end(flight, warp, last)

        def is_over() -> bool:
            return all(flight.operation.is_complete for flight, _ in mine)

        lanes = Lanes(np.array([lane]), machine.n_lanes)
        for cell in cells:
            transfer = Transfer(at, 0, land, 1, knowledge, is_over)
            self._mbarriers.fly_commit(lanes, cell, transfer)

    def _with_earlier(self, flights: list[_Flight]) -> list[tuple[_Flight, int]]:
        """Adds what stands before some operations in pipelines, whoever issued it.

        Returns:
            Each flight with the number of the given operation whose end tells of its.
        """
        found = [(flight, flight.operation.number) for flight in flights]
        seen = {id(flight.operation) for flight in flights}
        for flight, number in found:
            earlier = {id(operation) for operation in flight.operation.before} - seen
            if earlier:
                seen |= earlier
                more = [f for f in self._flying if id(f.operation) in earlier]
                found += [(other, number) for other in more]
        return found

    def _end(self, flight: _Flight, warp: int, number: int) -> None:
        """An operation is over, as those learn who know `number` of a warp."""
        operation, shadow = flight.operation, self._machine.shadow
        if operation.is_complete:
            return
        operation.is_complete = True
        self._flying.remove(flight)
        assert shadow.clocks is not None, "tcgen05 makes the shadow precise"
        for places, size_bytes in flight.chunks:
            shadow.end_read(places, size_bytes, shadow.clocks.engine(warp), number)

    def finish(self) -> Iterator[tuple[str, int]]:
        """The CTAs end; says what no commit covers, and where it was issued."""
        for flight in self._flying:
            if not flight.is_covered:
                kind = flight.operation.kind
                text = f"the CTA ends before a tcgen05.commit covers this {kind}"
                yield text, flight.operation.at
