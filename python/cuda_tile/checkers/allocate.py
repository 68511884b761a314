# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks `allocate`: each read of a buffer finds the last write to it.

The definition, along every path of a kernel at level W whose buffers have offsets:

- between the last write to a buffer and a read of it, no op writes to another buffer
  that shares a byte with it; a ring is written from its first `acquire` on, and a ring
  of several roles from the start of `roles`;
- no op writes to bytes which a product or a bulk store, started and not yet awaited,
  still reads from another buffer;
- two roles use no bytes in common, with one exception: a role that takes from a ring
  which the other fills may write to the bytes of the ring's slots behind its last
  `take`, or behind the last `take` of sums of products that read the slots;
- mbarriers, scratch memory and kept tiles have bytes of their own, and all of them lie
  within `tileas.shared_bytes`, which the chip has;
- columns of tensor memory hold one sum at a time (`columns`).

`allocate` finds places from live ranges instead (`analysis/liveness.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.buffers import Allocs, Buffers
from cuda_tile.analysis.control_flow import ControlFlow, Edge
from cuda_tile.analysis.dataflow import ForwardAnalysis
from cuda_tile.analysis.scratch import SCRATCH_ATTRIBUTE
from cuda_tile.analysis.slots import rings_read_for
from cuda_tile.checkers import columns
from cuda_tile.checkers.in_flight import (
    InFlight,
    Products,
    copies_behind,
    joined,
)
from cuda_tile.checkers.shared_places import Place, bits, meet, overlaps, place_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.attributes import integer
from cuda_tile.ir.plan import read_target
from cuda_tile.ir.reuse import read_reuse
from cuda_tile.ir.rings import RING, ring_of
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import ALLOCATES, BUFFER_ORDERS, RING_STEPS, TAKES
from cuda_tile.ir.walk import entries, location_text, nested_in, nested_ops
from cuda_tile.options import Options
from cuda_tile.passes.allocate import SHARED_BYTES_ATTRIBUTE


class _State(NamedTuple):
    """The state on a path; sets of places are bits.

    Attributes:
        written: Places with contents.
        spoiled: For each place, the places that were written over it since.
        products: The products in flight, with the places that they read.
        copies: The bulk stores in flight with their places, the youngest last.
    """

    written: int
    spoiled: tuple[int, ...]
    products: Products = Products()
    copies: InFlight = ()


class _Contents(ForwardAnalysis[_State]):
    """Tracks the contents of shared memory, and notes faults."""

    def __init__(self, flow: ControlFlow, places: list[Place]) -> None:
        super().__init__(flow)
        self.places = places
        self.overlaps = overlaps(places)
        self.faults: dict[ir.Operation, str] = {}
        self._numbers = {place.op: number for number, place in enumerate(places)}
        self._buffers = Buffers(flow)
        self._used: dict[ir.Operation, tuple[int, int]] = {}
        self._uses: dict[ir.Operation, list[tuple[int, int]]] = {}

    def mask(self, allocs: Allocs) -> int:
        """Places as bits."""
        return sum(1 << self._numbers[op] for op in allocs)

    def used(self, op: ir.Operation) -> tuple[int, int]:
        """The places that an op reads, and those that it writes."""
        if op not in self._used:
            self._used[op] = self._looked_up(op)
        return self._used[op]

    def _looked_up(self, op: ir.Operation) -> tuple[int, int]:
        if op.name in RING_STEPS:
            ring = 1 << self._numbers[ring_of(op)]
            if op.name not in TAKES:
                return ring, ring
            return ring | self.mask(frozenset(rings_read_for(ring_of(op)))), ring
        access = None if len(op.regions) else self._buffers.access(op)
        if access is None:
            return 0, 0
        return self.mask(access.reads), self.mask(access.writes)

    def join(self, known: _State, news: _State) -> _State:
        spoiled = zip(known.spoiled, news.spoiled, strict=True)
        return _State(
            known.written | news.written,
            tuple(one | other for one, other in spoiled),
            known.products.joined(news.products),
            joined(known.copies, news.copies),
        )

    def forward(self, edge: Edge, state: _State) -> _State:
        """Rings between roles are filled from the start of these on."""
        state = state._replace(products=state.products.handed_on(edge))
        roles = edge.target.op
        if roles.name != ROLES or edge.target.region is None:
            return state
        return state._replace(written=state.written | self.shared_rings(roles))

    def shared_rings(self, roles: ir.Operation) -> int:
        """The rings, as bits, that more than one role uses."""
        once = several = 0
        for used, _ in self.uses(roles):
            several |= once & used
            once |= used
        rings = [place.op.name == RING for place in self.places]
        return several & sum(1 << i for i, is_ring in enumerate(rings) if is_ring)

    def uses(self, roles: ir.Operation) -> list[tuple[int, int]]:
        """For each role the places that it uses, and the rings that it takes from."""
        if roles not in self._uses:
            self._uses[roles] = [self._used_in(region) for region in roles.regions]
        return self._uses[roles]

    def _used_in(self, region: ir.Region) -> tuple[int, int]:
        used = taken = 0
        for op in nested_in(region):
            reads, writes = self.used(op)
            used |= reads | writes
            taken |= reads if op.name in TAKES else 0
        return used, taken

    def transfer(self, op: ir.Operation, state: _State) -> _State:
        if op.name in ALLOCATES:
            return self._made(self._numbers[op], state)
        if op.name in RING_STEPS:
            state = self._stepped(op, state)
        elif op.name not in BUFFER_ORDERS:
            state = self._accessed(op, state)
        products = state.products.behind(op)
        copies = copies_behind(op, state.copies)
        if products is state.products and copies is state.copies:
            return state
        return state._replace(products=products, copies=copies)

    def _made(self, number: int, state: _State) -> _State:
        """A place begins without contents."""
        spoiled = _replaced(state.spoiled, number, 0)
        return state._replace(written=state.written & ~(1 << number), spoiled=spoiled)

    def _stepped(self, op: ir.Operation, state: _State) -> _State:
        """A step of a ring needs the slots unchanged since they were filled."""
        ring, _ = self.used(op)
        self._check_read(op, ring, state)
        if op.name == "tileas.acquire":
            state = state._replace(written=state.written | ring)
        return state

    def _accessed(self, op: ir.Operation, state: _State) -> _State:
        reads, writes = self.used(op)
        self._check_read(op, reads, state)
        if reads and runs_by_itself(op):
            state = state._replace(products=state.products.started(op, reads))
        elif reads and op.name == "tileas.copy_out":
            state = state._replace(copies=joined((*state.copies, reads), ()))
        return self._written(op, writes, state) if writes else state

    def _written(self, op: ir.Operation, writes: int, state: _State) -> _State:
        """Marks the places that an op writes, and spoils those that share bytes."""
        spoiled = list(state.spoiled)
        for number in bits(writes):
            for reader in (*state.products.readers(), *state.copies):
                if late := self.overlaps[number] & reader:
                    self._fault(op, number, late, "is still read by itself")
            for other in bits(self.overlaps[number] & state.written):
                spoiled[other] |= 1 << number
        for number in bits(writes):
            if self.places[number].op.name != RING:
                spoiled[number] = 0
        return state._replace(written=state.written | writes, spoiled=tuple(spoiled))

    def _check_read(self, op: ir.Operation, reads: int, state: _State) -> None:
        for number in bits(reads):
            if spoiled := state.spoiled[number]:
                self._fault(op, number, spoiled, "was written over it")

    def _fault(self, op: ir.Operation, number: int, others: int, what: str) -> None:
        other = self.places[next(bits(others))]
        self.faults[op] = (
            f"expected '{op.name}' to find what was written to {self.places[number]}, "
            f"got {other}, which {what}"
        )


def check(module: ir.Operation, options: Options) -> None:
    """Judges the places of each kernel.

    Args:
        module: The output of `allocate`.
        options: The options of the compilation.

    Raises:
        InternalError: A read may find data of another buffer; names both.
    """
    del options
    for entry in entries(module):
        flow = ControlFlow(entry)
        _check_ends(entry, _places(flow))
        for op, fault in faults_of(flow).items():
            raise InternalError(f"allocate: {fault}", location_text(op))
        columns.check(entry, flow)


def faults_of(flow: ControlFlow) -> dict[ir.Operation, str]:
    """The faults of places that share bytes, each with an op that meets it.

    Args:
        flow: The control flow of an entry whose buffers have offsets.
    """
    contents = _Contents(flow, _places(flow))
    contents.solve(_State(0, (0,) * len(contents.places)))
    for op in flow.ops():
        if op.name == ROLES and (fault := _roles_fault(contents, op)):
            contents.faults[op] = fault
    return contents.faults


def _places(flow: ControlFlow) -> list[Place]:
    return [place_of(op) for op in flow.ops() if op.name in ALLOCATES]


def _roles_fault(contents: _Contents, roles: ir.Operation) -> str | None:
    """Roles that run at the same time keep to bytes of their own."""
    between = contents.shared_rings(roles)
    for (own, taken), (others, _) in permutations(contents.uses(roles), 2):
        for number in bits(own):
            # The walk over a role judges its accesses to the slots that it takes.
            judged = others & (between if between >> number & 1 else ~taken)
            if meeting := contents.overlaps[number] & judged:
                other = contents.places[next(bits(meeting))]
                return (
                    "expected roles with shared memory of their own, got "
                    f"{contents.places[number]} in one and {other} in another one"
                )
    return None


def _check_ends(entry: ir.Operation, places: list[Place]) -> None:
    """Checks the end of all places, and that mbarriers and kept tiles lie apart."""
    total = integer(entry, SHARED_BYTES_ATTRIBUTE)
    end = max((max(p.contents[1], p.mbarriers[1]) for p in places), default=0)
    behind = min([total, *_starts_behind(entry)])
    if end > behind or total > read_target(entry).shared_bytes_per_cta:
        raise InternalError(
            f"allocate: expected buffers and rings to end at byte {behind} or before, "
            f"got {end}, and {total} bytes in all",
            location_text(entry),
        )
    for one, other in product(places, places):
        meets = meet(one.mbarriers, other.contents)
        if meets or (one != other and meet(one.mbarriers, other.mbarriers)):
            raise InternalError(
                f"allocate: expected mbarriers apart from all else, got those of {one} "
                f"in {other}",
                location_text(one.op),
            )


def _starts_behind(entry: ir.Operation) -> Iterator[int]:
    """The offsets of scratch memory and of the tiles that loops keep."""
    if SCRATCH_ATTRIBUTE in entry.attributes:
        yield integer(entry, SCRATCH_ATTRIBUTE)
    for op in nested_ops(entry):
        kept = read_reuse(op)
        if kept is not None and kept.slots:
            yield kept.offset


def _replaced(values: tuple[int, ...], number: int, value: int) -> tuple[int, ...]:
    return (*values[:number], value, *values[number + 1 :])
