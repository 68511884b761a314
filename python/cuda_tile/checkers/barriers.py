# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `barriers`: accesses to shared memory by several threads are ordered.

The definition, along every path of a kernel at level W, for two accesses to one byte of
which one is a write (PTX ISA, "Memory Consistency Model" and "Async proxy"):

- between accesses of threads stands a barrier of all these threads: their layouts may
  differ, so threads do, too. A wait for a ring's group of copies is also a barrier;
- products and bulk copies read or overwrite bytes that threads wrote only behind a
  barrier that is a fence between the proxies;
- bytes that products or bulk stores read are written again only after these were
  awaited. If they complete in groups, a barrier must follow, since one thread's wait
  says nothing to the others; but all threads wait for an mbarrier;
- a slot of a ring of groups is filled again only behind a barrier after its release;
- roles begin with no access left to order, and no kernel ends before its copies have
  read their buffers.

Slots of one ring are ordered among each other by the steps of the ring.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import Allocs, Buffers, reads_late
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.checkers.in_flight import (
    InFlight,
    Products,
    copies_behind,
    joined,
)
from cuda_tile.checkers.shared_places import Place, bits, overlaps, place_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.attributes import flag, text
from cuda_tile.ir.rings import RING, is_drained_by_products, ring_of
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import ALLOCATES, DRAIN_STEPS, ENDS_THREADS, RING_STEPS
from cuda_tile.ir.walk import entries, location_text
from cuda_tile.options import Options


class _State(NamedTuple):
    """The accesses not yet ordered on some path; sets of places are bits.

    Attributes:
        read: Places that threads read since the last barrier.
        written: Places that threads wrote or copies filled since the last barrier.
        unfenced: Places that threads wrote since the last barrier that is a fence.
        released: Rings of groups with slots that were released since the last barrier.
        products: The products in flight, with the places that they read.
        copies: The bulk stores in flight with their places, the youngest last.
    """

    read: int = 0
    written: int = 0
    unfenced: int = 0
    released: int = 0
    products: Products = Products()
    copies: InFlight = ()

    def ordered(self, *, is_fence: bool) -> _State:
        """The state behind a barrier of the threads."""
        unfenced = 0 if is_fence else self.unfenced
        return _State(0, 0, unfenced, 0, self.products, self.copies)


class _Order(ForwardAnalysis[_State]):
    """Tracks accesses that are not ordered yet, and notes faults."""

    def __init__(self, flow: ControlFlow) -> None:
        super().__init__(flow)
        allocating = [op for op in flow.ops() if op.name in ALLOCATES]
        self.faults: dict[ir.Operation, str] = {}
        self._places: list[Place] = [place_of(op) for op in allocating]
        self._numbers = {op: number for number, op in enumerate(allocating)}
        self._overlaps = overlaps(self._places)
        self._buffers = Buffers(flow)

    def join(self, known: _State, news: _State) -> _State:
        return _State(
            known.read | news.read,
            known.written | news.written,
            known.unfenced | news.unfenced,
            known.released | news.released,
            known.products.joined(news.products),
            joined(known.copies, news.copies),
        )

    def forward(self, edge: Edge, state: _State) -> _State:
        roles = edge.target.op
        if roles.name == ROLES and edge.target.region is not None:
            if any(state[:4]) or any(state.copies):
                self.faults[roles] = "expected a barrier before roles begin, got none"
            return _State()
        return state._replace(products=state.products.handed_on(edge))

    def transfer(self, op: ir.Operation, state: _State) -> _State:
        if op.name == "tileas.barrier":
            return state.ordered(is_fence=flag(op, "async"))
        if op.name in RING_STEPS:
            return self._stepped(op, state)
        if op.name in ENDS_THREADS and any(state.copies):
            self._fault(op, "copies that have read their buffers", "some in flight")
        products = state.products.behind(op)
        copies = copies_behind(op, state.copies)
        if products is not state.products or copies is not state.copies:
            left = state._replace(products=products, copies=copies)
            done = _in_groups(state) & ~_in_groups(left)
            state = left._replace(read=left.read | done)
        return self._accessed(op, state)

    def _stepped(self, op: ir.Operation, state: _State) -> _State:
        """A step of a ring accesses its slots, for places that share their bytes."""
        ring = ring_of(op)
        own, by_groups = 1 << self._numbers[ring], text(ring, "sync") == "groups"
        if op.name == "tileas.acquire":
            if own & state.released:
                self._fault(op, "a barrier behind the slot's release", "none")
            is_bulk = text(ring, "fill") == "tma"
            self._check_write(op, own, state, is_bulk=is_bulk)
            return state._replace(written=state.written | own)
        left = state._replace(products=state.products.behind(op))
        done = _in_groups(state) & ~_in_groups(left)
        state = left._replace(read=state.read | done)
        if op.name == "tileas.take" and by_groups:
            state = state.ordered(is_fence=is_drained_by_products(ring))
        if op.name == "tileas.release" and by_groups:
            state = state._replace(released=state.released | own)
        if op.name not in DRAIN_STEPS:
            return state
        self._check_read(op, own, state)
        return state._replace(read=state.read | own)

    def _accessed(self, op: ir.Operation, state: _State) -> _State:
        access = self._buffers.access(op)
        if access is None:
            return state
        reads, writes = self._plain(access.reads), self._plain(access.writes)
        self._check_read(op, reads, state)
        if reads and reads_late(op):
            if self._meeting(reads, state.unfenced):
                self._fault(op, "a fence behind what threads wrote", "none")
            if runs_by_itself(op):
                return state._replace(products=state.products.started(op, reads))
            return state._replace(copies=joined((*state.copies, reads), ()))
        if writes:
            self._check_write(op, writes, state, is_bulk=False)
        return state._replace(
            read=state.read | reads,
            written=state.written | writes,
            unfenced=state.unfenced | writes,
        )

    def _plain(self, allocs: Allocs) -> int:
        """Buffers as bits, without rings, whose steps order the slots."""
        return sum(1 << self._numbers[op] for op in allocs if op.name != RING)

    def _meeting(self, mine: int, others: int) -> int:
        """The places of `others` that share bytes with `mine`; no ring with itself."""
        found = 0
        for number in bits(mine):
            is_ring = self._places[number].op.name == RING
            found |= others & (self._overlaps[number] | (0 if is_ring else 1 << number))
        return found

    def _check_read(self, op: ir.Operation, reads: int, state: _State) -> None:
        if meeting := self._meeting(reads, state.written):
            self._fault(op, "a barrier behind what was written", self._named(meeting))

    def _check_write(
        self, op: ir.Operation, writes: int, state: _State, *, is_bulk: bool
    ) -> None:
        if meeting := self._meeting(writes, state.read | state.written):
            self._fault(op, "a barrier behind earlier accesses", self._named(meeting))
        late = _union(*state.products.readers(), *state.copies)
        if meeting := self._meeting(writes, late):
            self._fault(op, "a wait for what reads by itself", self._named(meeting))
        if is_bulk and self._meeting(writes, state.unfenced):
            self._fault(op, "a fence behind what threads wrote", "none")

    def _named(self, places: int) -> str:
        return f"none behind those of {self._places[next(bits(places))]}"

    def _fault(self, op: ir.Operation, expected: str, got: str) -> None:
        self.faults[op] = f"expected {expected} before '{op.name}', got {got}"


def check(module: ir.Operation, options: Options) -> None:
    """Judges the synchronisation of each kernel.

    Args:
        module: The output of `barriers`.
        options: The options of the compilation.

    Raises:
        InternalError: Two accesses are not ordered; names both.
    """
    del options
    for entry in entries(module):
        for op, fault in faults_of(ControlFlow(entry)).items():
            raise InternalError(f"barriers: {fault}", location_text(op))


def faults_of(flow: ControlFlow) -> dict[ir.Operation, str]:
    """The unordered accesses, each by the later op.

    Args:
        flow: The control flow of an entry with barriers.
    """
    order = _Order(flow)
    order.solve(_State())
    return order.faults


def _in_groups(state: _State) -> int:
    """All places that products or copies in flight read which complete in groups."""
    return _union(*state.products.groups, *state.copies)


def _union(*masks: int) -> int:
    return reduce(int.__or__, masks, 0)
