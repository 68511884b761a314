# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses to shared memory that are pending at each op: where barriers are needed.

A forward data-flow analysis tracks the bytes that were read and written since the last
barrier on some path. Threads access memory during their op. Asynchronous accesses (bulk
copies out of a buffer, and products) continue after their op until they are awaited.
They use another proxy, so that a fence must precede them if threads wrote the bytes
(PTX ISA, "Async proxy").

The ops of a ring order the accesses to its slots. For all other ops an acquire counts
as a write of the whole ring, and a take and a release count as reads: only a later
release tells that a product has read its slot, and only to the product's own warps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import Allocs, Buffers, reads_late
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.analysis.liveness import products_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import completes_in_groups
from cuda_tile.ir.attributes import flag, integer, text
from cuda_tile.ir.rings import (
    buffer_type_bytes,
    is_drained_by_products,
    places_in,
    ring_of,
)
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.shared_stores import is_for_cluster
from cuda_tile.ir.traits import (
    ACQUIRES,
    DRAIN_STEPS,
    ENDS_THREADS,
    PRODUCT_WAITS,
    RELEASES,
    RING_STEPS,
    RINGS,
    TAKES,
)
from cuda_tile.ir.walk import location_text, nested_ops
from cuda_tile.records import dataclass

BARRIER = "tileas.barrier"


class Bytes(NamedTuple):
    """A half-open range of shared memory.

    Attributes:
        start: The first byte.
        end: The first byte after it.
        ring: Identifies the ring of these slots, since another ring may lie at the
            same place at another time; None for other buffers.
    """

    start: int
    end: int
    ring: ir.Value | None = None


Ranges = frozenset[Bytes]


@dataclass(frozen=True)
class Pending:
    """Shared bytes accessed on some path, and not ordered before later accesses.

    Attributes:
        reads: Bytes read since the last barrier.
        writes: Bytes written since the last barrier.
        unfenced: Bytes written since the last barrier that is also a fence.
        leaving: Bytes that copies out of shared memory, not yet awaited, are reading.
        multiplied: Bytes that products, not yet awaited, are reading, each with its
            product.
        released: Rings of groups with slots that were released since the last barrier.
    """

    reads: Ranges = frozenset()
    writes: Ranges = frozenset()
    unfenced: Ranges = frozenset()
    leaving: Ranges = frozenset()
    multiplied: frozenset[tuple[Bytes, ir.Operation]] = frozenset()
    released: Ranges = frozenset()

    def __or__(self, other: Pending) -> Pending:
        """The accesses of either path."""
        return Pending(
            self.reads | other.reads,
            self.writes | other.writes,
            self.unfenced | other.unfenced,
            self.leaving | other.leaving,
            self.multiplied | other.multiplied,
            self.released | other.released,
        )

    def after_barrier(self, *, is_fence: bool) -> Pending:
        """The accesses that a barrier leaves pending: asynchronous or unfenced."""
        unfenced = frozenset[Bytes]() if is_fence else self.unfenced
        return Pending(
            unfenced=unfenced, leaving=self.leaving, multiplied=self.multiplied
        )


class Need(NamedTuple):
    """The synchronisation that must precede an op.

    Attributes:
        barrier: Whether a barrier is needed.
        fence: Whether a barrier is needed that is also a fence.
        copies: Whether copies out of shared memory must have read their buffers.
    """

    barrier: bool = False
    fence: bool = False
    copies: bool = False


Needs = dict[ir.Operation, Need]
"""What must come before each op that needs something."""


@dataclass(frozen=True)
class Access:
    """The effects of one op on shared memory.

    Attributes:
        reads: Bytes that threads may read.
        writes: Bytes that threads write.
        late: Bytes that a copy or a product reads asynchronously, after the op.
        filled: Bytes of a ring that copies may write from now on.
        is_copy: Whether `late` belongs to a copy.
        is_bulk: Whether the copies that fill write through the async proxy; `cp.async`
            does not (PTX ISA, "Async proxy").
    """

    reads: Ranges = frozenset()
    writes: Ranges = frozenset()
    late: Ranges = frozenset()
    filled: Ranges = frozenset()
    is_copy: bool = False
    is_bulk: bool = False


class SharedAccesses(ForwardAnalysis[Pending]):
    """The pending accesses at each op, as if the synchronisation it needs stood there.

    Args:
        flow: The control flow of an entry after `allocate`.
        like: An analysis of the same entry, whose effects of ops are taken over.
    """

    def __init__(self, flow: ControlFlow, like: SharedAccesses | None = None) -> None:
        super().__init__(flow)
        self._buffers = Buffers(flow) if like is None else like._buffers
        self._accesses: dict[ir.Operation, Access | None]
        self._accesses = {} if like is None else like._accesses
        self._done: dict[ir.Operation, Ranges] = {} if like is None else like._done
        self._ahead: Needs = {}

    def assuming(self, ahead: Needs) -> SharedAccesses:
        """The analysis of the same entry with some synchronisation before loops.

        Args:
            ahead: The synchronisation before each of these loops, needed there or not.
        """
        other = SharedAccesses(self.flow, self)
        other._ahead = ahead
        return other

    def all_needs(self) -> Needs:
        """The synchronisation that each op needs, in program order, after `solve`."""
        found: Needs = {}
        for op in self.flow.ops():
            pending = self.before(op)
            need = Need() if pending is None else self.needs(op, pending)
            if need.barrier or need.copies:
                found[op] = need
        return found

    def not_started(self) -> Pending:
        """The pending accesses at the start of a kernel.

        CTAs of a cluster may write to each other's shared memory once all have started
        (CUDA C++ Programming Guide, "Distributed Shared Memory"): until a barrier, it
        counts as being read.
        """
        stores = [op for op in self.flow.ops() if is_for_cluster(op)]
        places = [self._own(op) for op in stores]
        reads = (place.writes for place in places if place is not None)
        return Pending(reads=frozenset[Bytes]().union(*reads))

    def join(self, known: Pending, news: Pending) -> Pending:
        """The accesses of either path."""
        return known | news

    def forward(self, edge: Edge, state: Pending) -> Pending:
        """All roles begin after a barrier; all their accesses are pending after them.

        Synchronisation before a loop also runs if the loop has no iteration.
        """
        if edge.source in self._ahead:
            return _satisfied(state, self._ahead[edge.source])
        if edge.source.name == ROLES:
            return Pending()
        if edge.target.op.name == ROLES:
            return self._inside(edge.target.op)
        return state

    def _inside(self, roles: ir.Operation) -> Pending:
        """All accesses of the roles; barriers inside do not order them for others."""
        reads, writes = frozenset[Bytes](), frozenset[Bytes]()
        for op in nested_ops(roles):
            own = None if len(op.regions) else self._own(op)
            if own is not None:
                reads |= own.reads | own.late
                writes |= own.writes | own.filled
        return Pending(reads, writes, writes)

    def transfer(self, op: ir.Operation, state: Pending) -> Pending:
        """A barrier orders everything so far; an access is pending after it."""
        if op.name == BARRIER:
            return state.after_barrier(is_fence=flag(op, "async"))
        if op.name == "tileas.await_copies" and not _groups(op):
            left = replace(state, leaving=frozenset())
            return replace(left, reads=state.reads | state.leaving)
        if op.name in PRODUCT_WAITS:
            return self._await(op, state)
        if op.name in RING_STEPS:
            state = self._iteration(op, state)
        own = self._own(op)
        if own is None:
            return state
        state = _satisfied(state, self.needs(op, state))
        copied = own.late if own.is_copy else frozenset[Bytes]()
        return state | Pending(
            own.reads | copied,  # bytes of products are added at their await
            own.writes | own.filled,
            own.writes,
            copied,
            frozenset((place, op) for place in own.late - copied),
        )

    def _await(self, op: ir.Operation, state: Pending) -> Pending:
        """Products are complete; in groups, those of other warps may still run."""
        mine, ends_all = products_of(op), not _groups(op)
        done = frozenset(
            (place, product)
            for place, product in state.multiplied
            if product in mine or (ends_all and completes_in_groups(product))
        )
        left = replace(state, multiplied=state.multiplied - done)
        groups = (place for place, product in done if completes_in_groups(product))
        return replace(left, reads=state.reads.union(groups))

    def _iteration(self, op: ir.Operation, state: Pending) -> Pending:
        """A take of a ring of groups is a barrier; a release waits for one."""
        ring = ring_of(op)
        if text(ring, "sync") != "groups":
            return state
        if op.name in TAKES:
            return state.after_barrier(is_fence=is_drained_by_products(ring))
        if op.name in RELEASES:
            return replace(state, released=state.released | {_place(ring)})
        return state

    def needs(self, op: ir.Operation, pending: Pending) -> Need:
        """The synchronisation that must precede `op`.

        Args:
            op: The op.
            pending: The pending accesses before it.

        Raises:
            InternalError: A product that nobody awaited still reads what `op` writes.
        """
        if op.name == ROLES:
            return _all_done(pending)
        if op.name in ENDS_THREADS:
            # Shared memory must outlive the copies that read it.
            return Need(copies=bool(pending.leaving))
        own = self._own(op)
        if own is None:
            return Need()
        written = own.writes | own.filled
        if _overlap(written, frozenset(place for place, _ in pending.multiplied)):
            raise InternalError(
                f"expected products to be awaited before '{op.name}' writes to the "
                "shared bytes that they read",
                location_text(op),
            )
        copies = _overlap(written, pending.leaving)
        bulk = own.filled if own.is_bulk else frozenset[Bytes]()
        fence = _overlap(own.late | bulk, pending.unfenced)
        barrier = (
            copies
            or fence
            or _overlap(own.reads | own.late | written, pending.writes)
            or _overlap(written, pending.reads)
            or bool(own.filled & pending.released)
        )
        return Need(barrier, fence, copies)

    def _own(self, op: ir.Operation) -> Access | None:
        """The bytes that one op accesses; None without any but those of its ring."""
        if op not in self._accesses:
            self._accesses[op] = self._find(op)
        return self._accesses[op]

    def _find(self, op: ir.Operation) -> Access | None:
        if op.name in RING_STEPS:
            place = frozenset([_place(ring_of(op))])
            if op.name in ACQUIRES:
                is_bulk = text(ring_of(op), "fill") == "tma"
                return Access(filled=place, is_bulk=is_bulk)
            # A slot is read up to its release, also after barriers behind its take.
            return Access(reads=place) if op.name in DRAIN_STEPS else None
        access = self._buffers.access(op)
        if access is None:
            return None
        reads, writes = _plain(access.reads), _plain(access.writes)
        if not reads and not writes:
            return None
        if reads_late(op):
            return Access(late=reads, is_copy=op.name == "tileas.copy_out")
        return Access(reads, writes)


def _satisfied(state: Pending, need: Need) -> Pending:
    """The pending accesses after an inserted `need`."""
    if need.copies:
        state = replace(state, leaving=frozenset())
    return state.after_barrier(is_fence=need.fence) if need.barrier else state


def _all_done(pending: Pending) -> Need:
    """The synchronisation that orders all pending accesses before other warps'."""
    touched = pending.reads | pending.writes | pending.released
    fence, copies = bool(pending.unfenced), bool(pending.leaving)
    return Need(bool(touched) or fence or copies, fence, copies)


def _groups(op: ir.Operation) -> int:
    return integer(op, "groups") if "groups" in op.attributes else 0


def _plain(places: Allocs) -> Ranges:
    """The bytes of buffers, without rings, which their own ops order."""
    return frozenset(_place(op) for op in places if op.name not in RINGS)


def _place(op: ir.Operation) -> Bytes:
    if "offset" not in op.attributes:
        raise InternalError(
            "barriers: expected a shared buffer with an offset; run allocate",
            location_text(op),
        )
    start = integer(op, "offset")
    if op.name in RINGS:
        return Bytes(start, start + places_in(op).data_bytes, op.results[0])
    return Bytes(start, start + buffer_type_bytes(op.results[0].type))


def _overlap(first: Ranges, second: Ranges) -> bool:
    return any(_meet(a, b) for a in first for b in second)


def _meet(a: Bytes, b: Bytes) -> bool:
    """Whether two ranges overlap and are not slots of one ring."""
    if a.ring is not None and a.ring == b.ring:
        return False
    return a.start < b.end and b.start < a.end
