"""Who touched every byte of global memory, so that conflicts without order are found.

PTX ISA: "Memory Consistency Model": two accesses to one byte, at least one of them a
write and at least one not strong (volatile, relaxed, atomic) or out of the other's
scope, are a race unless one happens before the other. Within a cluster the warps'
clocks say so, between CTAs `GlobalOrder`. What bulk copies write is over for nobody
before the wait for their group (without `.read`), and they see ordinary writes only
across a `fence.proxy.async`.

Only adversarial machines have this; `GlobalHistory` says how much it remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import WarpClocks
from cuda_tile.emulator.ordering.global_order import GlobalOrder
from cuda_tile.emulator.ordering.memory_order import (
    CLUSTER,
    CTA,
    DEVICE,
    WEAK,
    MemoryOrder,
)
from cuda_tile.emulator.shadow.global_history import (
    NOBODY,
    GlobalHistory,
    Parties,
    Party,
)
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.shadow.protocol import Watched
from cuda_tile.emulator.shadow.shared import Report
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

Bytes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Access:
    """Bytes that lanes of one warp, or a copy in the name of one, touch.

    Attributes:
        warp: Its number in the machine.
        party: Who, when and how, as the history keeps it.
        addresses: Of each watched byte, int64[n].
        cells: Where the history keeps each.
        same: Bytes that are written with what memory holds already.
    """

    warp: int
    party: Party
    addresses: Bytes
    cells: Bytes
    same: NDArray[np.bool_] | None = None


class GlobalShadow:
    """Access history of global memory over a whole launch.

    Attributes:
        report: Takes findings.
        naming: Names an instruction by its number.
        order: What CTAs know of each other.
    """

    def __init__(
        self, machine: Watched, clocks: WarpClocks, order: GlobalOrder
    ) -> None:
        self._machine = machine
        self._clocks = clocks
        self._history = GlobalHistory()
        self.order = order
        self.report: Report = _ignore
        self.naming: Callable[[int], str] = str

    # Order -------------------------------------------------------------------------

    def _is_ordered(self, warp: int, party: Party) -> bool:
        """Whether an earlier access comes before what `warp` does now."""
        if party.is_flying:
            return False
        machine = self._machine
        geometry = machine.geometry
        cta, other = divmod(party.owner, geometry.warps_per_cta)
        lane = warp * WARP_LANES
        place, size = int(machine.cta_of[lane]), geometry.cluster_size
        first = place // size * size
        mates = machine.grid_cta[(first + np.arange(size)) * geometry.lanes_per_cta]
        for rank in np.flatnonzero(mates == cta):
            agent = int(rank) * geometry.warps_per_cta + other
            if self._clocks.knows(place, int(machine.agents[lane]), agent) >= (
                party.clock
            ):
                return True
        return self.order.knows(warp, party.owner) >= party.clock

    def _are_strong(self, one: Party, other: Party) -> bool:
        """Whether two accesses are strong and in each other's scope."""
        both = min(one.scope, other.scope)
        first, second = self._cta(one), self._cta(other)
        return (
            both == DEVICE
            or (both == CLUSTER and self._cluster(first) == self._cluster(second))
            or (both >= CTA and first == second)
        )

    def _cta(self, party: Party) -> int:
        return party.owner // self._machine.geometry.warps_per_cta

    def _cluster(self, cta: int) -> tuple[int, ...]:
        """Where in the grid the cluster of a CTA of the grid is."""
        geometry, place = self._machine.geometry, list[int]()
        for extent, part in zip(geometry.grid, geometry.cluster, strict=True):
            place.append(cta % extent // part)
            cta //= extent
        return tuple(place)

    # Accesses ----------------------------------------------------------------------

    def read(
        self,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.uint64],
        size: int,
        *,
        order: MemoryOrder | None,
    ) -> None:
        """Checks and records loads of `size` bytes by each lane."""
        for access in self._by_warp(at, lanes, addresses, size, order):
            self._check(access, "reads")
            if order is not None:
                self.order.observes(access.warp, access.addresses)
            self._history.read(access.cells, access.party)

    def write(
        self,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.uint64],
        size: int,
        *,
        order: MemoryOrder | None,
        same: NDArray[np.bool_] | None = None,
        data: NDArray[np.uint8] | None = None,
    ) -> None:
        """Checks and records stores or atomic updates.

        Args:
            at: Number of the instruction.
            lanes: Who writes.
            addresses: uint64[count].
            size: Bytes per lane.
            order: How strong the access is; None for weak.
            same: Which lanes write what memory holds already.
            data: What is written, uint8[count, size]; None for atomics, which read too.
        """
        if data is not None:
            self._check_lanes(at, lanes, addresses, data)
        accesses = list(self._by_warp(at, lanes, addresses, size, order, same))
        for access in accesses:
            self._check(access, "writes", is_write=True)
        for access in accesses:
            if order is not None and data is None:
                self.order.observes(access.warp, access.addresses)
            access.party.time = self.order.time + 1
            self._history.wrote(access.cells, access.party)

    # Copies ------------------------------------------------------------------------

    def copies_from(self, at: int, lane: int, rows: GlobalRows) -> None:
        """A bulk copy that a lane starts reads global memory."""
        access = self._copy(at, lane, rows)
        self._check(access, "reads by a copy")
        self._check_proxy(access)
        self._history.read(access.cells, access.party)

    def copies_to(self, at: int, lane: int, rows: GlobalRows, *, updates: bool) -> None:
        """A bulk copy that a lane starts will write or reduce global memory."""
        access = self._copy(at, lane, rows, DEVICE if updates else WEAK)
        self._check(access, "writes by a copy", is_write=True)
        self._check_proxy(access)
        access.party.is_flying = True
        self._history.wrote(access.cells, access.party)

    def copied_to(self, at: int, lane: int, rows: GlobalRows) -> None:
        """The lane has waited for the copy's writes."""
        access = self._copy(at, lane, rows)
        numbers = self._history.writes(access.cells)
        for number in np.unique(numbers[numbers != NOBODY]):
            party = self._history.party(int(number))
            mine = (party.owner, party.at) == (access.party.owner, at)
            if mine and party.is_flying:
                party.is_flying = False
                party.clock = access.party.clock

    def _copy(self, at: int, lane: int, rows: GlobalRows, scope: int = WEAK) -> _Access:
        party = self._party(at, lane, scope)
        party.is_copy = True
        return self._access(lane, party, rows.addresses, rows.size_bytes)

    def _check_proxy(self, access: _Access) -> None:
        """Reports ordinary writes that no proxy fence made visible to a copy."""
        numbers = self._history.writes(access.cells)[0]
        for number in np.unique(numbers[numbers != NOBODY]):
            party = self._history.party(int(number))
            if party.is_copy or party.scope != WEAK:
                continue
            if self.order.knows_by_proxy(access.warp, party.owner) < party.clock:
                address = int(access.addresses[np.argmax(numbers == number)])
                self.report(
                    "proxy",
                    f"a copy touches {self._place(address)} that {self._name(party)} "
                    f"wrote at {self.naming(party.at)}, with no fence.proxy.async "
                    f"between",
                    access.party.at,
                )
                return

    # Bytes -------------------------------------------------------------------------

    def _by_warp(
        self,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.uint64],
        size: int,
        order: MemoryOrder | None,
        same: NDArray[np.bool_] | None = None,
    ) -> Iterator[_Access]:
        scope = WEAK if order is None else order.scope
        warps = lanes.numbers // WARP_LANES
        for warp in lanes.warps:
            mine = slice(None) if len(lanes.warps) == 1 else warps == warp
            lane = int(warp) * WARP_LANES
            yield self._access(
                lane,
                self._party(at, lane, scope),
                addresses[mine],
                size,
                None if same is None else same[mine],
            )

    def _party(self, at: int, lane: int, scope: int) -> Party:
        machine = self._machine
        cta, warp = int(machine.grid_cta[lane]), int(machine.warp_in_cta[lane])
        agent = int(machine.agents[lane])
        return Party(
            owner=cta * machine.geometry.warps_per_cta + warp,
            clock=self._clocks.knows(int(machine.cta_of[lane]), agent, agent),
            at=at,
            scope=scope,
        )

    def _access(
        self,
        lane: int,
        party: Party,
        addresses: NDArray[np.uint64],
        size: int,
        same: NDArray[np.bool_] | None = None,
    ) -> _Access:
        """Finds the watched bytes of pieces of `size` bytes."""
        flat = (addresses.view(np.int64)[:, None] + np.arange(size)).ravel()
        cells, watched = self._history.cells(flat)
        if same is not None:
            same = np.repeat(same, size)[watched]
        return _Access(lane // WARP_LANES, party, flat[watched], cells, same)

    # Conflicts ---------------------------------------------------------------------

    def _check(self, access: _Access, verb: str, *, is_write: bool = False) -> None:
        """Reports an earlier access that conflicts with one now and is not ordered."""
        writers = self._history.writes(access.cells)
        for party, where in self._conflicts(access, writers):
            where = where & ~self._is_alike(access, party)
            where = where & ~self._is_observed(access, party, where)
            if where.any():
                address = int(access.addresses[np.argmax(where)])
                self._accuse(access, verb, party, address, "wrote")
                return
        if not is_write:
            return
        readers = self._history.reads(access.cells)
        for party, where in self._conflicts(access, readers):
            address = int(access.addresses[np.argmax(where)])
            self._accuse(access, verb, party, address, "read")
            return

    def _conflicts(
        self, access: _Access, numbers: Parties
    ) -> Iterator[tuple[Party, NDArray[np.bool_]]]:
        """Parties that conflict with an access and do not come before it.

        Args:
            access: What happens now.
            numbers: Parties of each of its bytes, int32[ways, n].

        Yields:
            The party, and which bytes it touched, bool[n].
        """
        mine = access.party
        for number in np.unique(numbers[numbers != NOBODY]):
            party = self._history.party(int(number))
            if party.owner == mine.owner and not party.is_flying:
                continue
            if self._are_strong(mine, party) or self._is_ordered(access.warp, party):
                continue
            yield party, (numbers == number).any(axis=0)

    def _is_alike(self, access: _Access, party: Party) -> NDArray[np.bool_]:
        """Bytes that warps of one CTA write with one instruction and one value."""
        alike = access.party.at == party.at and self._cta(party) == self._cta(
            access.party
        )
        if access.same is None or not alike:
            return np.zeros(len(access.cells), np.bool_)
        return access.same

    def _is_observed(
        self, access: _Access, party: Party, where: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Bytes where the warp's own strong reads saw a party's strong write."""
        if party.scope == WEAK:
            return np.zeros(len(access.cells), np.bool_)
        observed = where.copy()
        observed[where] = self.order.has_observed(
            access.warp, access.addresses[where], party.time
        )
        return observed

    def _check_lanes(
        self,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.uint64],
        data: NDArray[np.uint8],
    ) -> None:
        """Reports lanes that write different values to one address in one step."""
        order = np.argsort(addresses, kind="stable")
        equal = addresses[order][1:] == addresses[order][:-1]
        differs = (data[order][1:] != data[order][:-1]).any(axis=1)
        bad = np.flatnonzero(equal & differs)
        if len(bad):
            first, second = (int(lanes.numbers[order[bad[0] + i]]) & 31 for i in (0, 1))
            self.report(
                "race",
                f"lanes {first} and {second} of a warp write different values to "
                f"{self._place(int(addresses[order[bad[0]]]))} with one instruction",
                at,
            )

    # Words -------------------------------------------------------------------------

    def warnings(self) -> Iterator[str]:
        """Says what is not watched."""
        if self._history.is_partial:
            yield (
                f"races in global memory were not watched beyond the first "
                f"{self._history.most_bytes} bytes, in pages, that the launch touched"
            )
        if self.order.is_lenient:
            yield (
                "races between blocks: more words were released than can be "
                "remembered, so from some time on no access was called a race"
            )

    def _accuse(
        self, access: _Access, verb: str, other: Party, address: int, what: str
    ) -> None:
        mine = access.party
        way = "barrier" if self._cta(mine) == self._cta(other) else "atomic or a fence"
        if other.is_flying:
            what, way = "writes by a copy", "cp.async.bulk.wait_group"
        self.report(
            "race",
            f"{self._name(mine)} {verb} {self._place(address)} that "
            f"{self._name(other)} {what} at {self.naming(other.at)} with no {way} "
            f"between",
            mine.at,
        )

    def _name(self, party: Party) -> str:
        cta, warp = divmod(party.owner, self._machine.geometry.warps_per_cta)
        return f"block {cta}, warp {warp}"

    def _place(self, address: int) -> str:
        place = self._machine.memory.place(address)
        return f"global memory at {address:#x} ({place})"


def _ignore(kind: str, message: str, at: int) -> None:
    """Stands in until a report function is set."""
