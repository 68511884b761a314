# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Race detection in global memory, over a whole launch.

PTX ISA: "Memory Consistency Model": two accesses to one byte, at least one of them a
write and at least one not strong (volatile, relaxed, atomic) or out of the other's
scope, are a race unless one happens before the other. Within a cluster that is decided
by the warps' vector clocks, between CTAs by `GlobalOrder`. The writes of a bulk copy
are unordered with every access until its group is waited for (without `.read`), and the
copy sees writes through the generic proxy only after a `fence.proxy.async`.

Only adversarial machines have this; `GlobalHistory` says how much it remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import WarpClocks
from cuda_tile.emulator.ordering.global_order import GlobalOrder
from cuda_tile.emulator.ordering.lane_knowledge import LaneKnowledge
from cuda_tile.emulator.ordering.memory_order import (
    CLUSTER,
    CTA,
    DEVICE,
    WEAK,
    MemoryOrder,
)
from cuda_tile.emulator.shadow.global_history import (
    NONE,
    GlobalAccess,
    GlobalHistory,
    Numbers,
    Places,
)
from cuda_tile.emulator.shadow.global_rows import GlobalRows
from cuda_tile.emulator.shadow.protocol import Watched
from cuda_tile.emulator.shadow.shared import Report
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.runtime.preceding import ByteRanges, first_inside

# So many reads of a crowd are compared at once.
_TOGETHER = 64

Bytes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Access:
    """The bytes that lanes of one warp, or a bulk copy of theirs, access.

    Attributes:
        warp: Its number in the machine.
        access: The access as the history keeps it.
        addresses: Of each watched byte, int64[n].
        cells: Index of each in the history.
        lanes: The lane of each within its warp, or one for all.
        same: Which bytes are written with the value that memory holds already.
    """

    warp: int
    record: GlobalAccess
    addresses: Bytes
    cells: Bytes
    lanes: Places | int
    same: NDArray[np.bool_] | None = None


class GlobalShadow:
    """Access history of global memory over a whole launch.

    Attributes:
        report: Takes findings.
        naming: Names an instruction by its number.
        order: Happens-before between CTAs.
        preceding: Bytes that the preceding grid of a programmatic launch may write: an
            access before its end is a race with it.
    """

    def __init__(
        self,
        machine: Watched,
        clocks: WarpClocks,
        order: GlobalOrder,
        lanes: LaneKnowledge,
    ) -> None:
        self._machine = machine
        self._lanes = lanes
        self._clocks = clocks
        self._history = GlobalHistory()
        self.order = order
        self.preceding: ByteRanges = ()
        self.report: Report = _ignore
        self.naming: Callable[[int], str] = str

    # Order -------------------------------------------------------------------------

    def _is_ordered(self, warp: int, record: GlobalAccess) -> bool:
        """Whether an earlier access happens before the current one of `warp`."""
        if record.is_in_flight:
            return False
        return self._is_told(warp, record.owner, record.clock)

    def is_known(self, warp: int, owner: int, clock: int) -> bool:
        """Whether what an owner did until a clock happens before a warp's access.

        Of what a lane of the owner released alone it may be only what that lane did.
        """
        is_told = self._is_told(warp, owner, clock)
        return is_told or self.order.lone(owner, warp, clock) >= 0

    def _is_told(self, warp: int, owner: int, clock: int) -> bool:
        """Whether it does whichever lane of the owner did it."""
        machine = self._machine
        geometry = machine.geometry
        cta, other = divmod(owner, geometry.warps_per_cta)
        lane = warp * WARP_LANES
        place, size = int(machine.cta_of[lane]), geometry.cluster_size
        first = place // size * size
        peers = machine.grid_cta[(first + np.arange(size)) * geometry.lanes_per_cta]
        for rank in np.flatnonzero(peers == cta):
            agent = int(rank) * geometry.warps_per_cta + other
            if self._clocks.knows(place, int(machine.agents[lane]), agent) >= clock:
                return True
            peer = warp - int(machine.agents[lane]) + agent
            if self._lanes.released_alone(peer) >= clock:
                return True
        return self.order.knows(warp, owner) >= clock

    def _are_strong(self, one: GlobalAccess, other: GlobalAccess) -> bool:
        """Whether two accesses are morally strong."""
        both = min(one.scope, other.scope)
        first, second = self._cta(one), self._cta(other)
        return (
            both == DEVICE
            or (both == CLUSTER and self._cluster(first) == self._cluster(second))
            or (both >= CTA and first == second)
        )

    def _cta(self, record: GlobalAccess) -> int:
        return record.owner // self._machine.geometry.warps_per_cta

    def _cluster(self, cta: int) -> tuple[int, ...]:
        """Position in the grid of the cluster of a CTA."""
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
        is_latest: bool = True,
    ) -> None:
        """Checks and records loads of `size` bytes by each lane.

        `is_latest` is False for strong loads that return an older write.
        """
        self._lanes.touches_global(lanes)
        for access in self._by_warp(at, lanes, addresses, size, order):
            self._check(access, "reads")
            if order is not None and is_latest:
                self.order.observes(access.warp, access.addresses)
            self._note_read(access)

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
        self._lanes.touches_global(lanes)
        accesses = list(self._by_warp(at, lanes, addresses, size, order, same))
        for access in accesses:
            self._check(access, "writes", is_write=True)
        for access in accesses:
            if order is not None and data is None:
                self.order.observes(access.warp, access.addresses)
            access.record.time = self.order.time + 1
            self._history.wrote(access.cells, access.record, access.lanes)

    def _note_read(self, access: _Access) -> None:
        self._history.read(
            access.cells,
            access.record,
            access.lanes,
            lambda: self._horizon(access),
            lambda numbers, lanes: self._kept(access, numbers, lanes),
        )

    def _horizon(self, access: _Access) -> NDArray[np.int32]:
        """By byte, the clock up to which the lane knows its mates' accesses."""
        return self._lanes.horizon[access.warp * WARP_LANES + np.int64(access.lanes)]

    # Copies ------------------------------------------------------------------------

    def copies_from(self, at: int, lane: int, rows: GlobalRows) -> None:
        """A bulk copy of a lane starts to read global memory."""
        access = self._copy(at, lane, rows)
        self._check(access, "reads by a copy")
        self._check_proxy(access)
        self._note_read(access)

    def copies_to(self, at: int, lane: int, rows: GlobalRows, *, updates: bool) -> None:
        """A bulk copy or reduction of a lane to global memory starts."""
        access = self._copy(at, lane, rows, DEVICE if updates else WEAK)
        self._check(access, "writes by a copy", is_write=True)
        self._check_proxy(access)
        access.record.is_in_flight = True
        self._history.wrote(access.cells, access.record, access.lanes)

    def copied_to(self, at: int, lane: int, rows: GlobalRows) -> None:
        """The lane has waited for the writes of its bulk copy."""
        access = self._copy(at, lane, rows)
        numbers = self._history.writes(access.cells)
        for number in np.unique(numbers[numbers != NONE]):
            record = self._history.access(int(number))
            mine = (record.owner, record.at) == (access.record.owner, at)
            if mine and record.is_in_flight:
                record.is_in_flight = False
                record.clock = access.record.clock

    def _copy(self, at: int, lane: int, rows: GlobalRows, scope: int = WEAK) -> _Access:
        record = self._record(at, lane, scope)
        record.is_copy = True
        return self._access(lane, record, rows.addresses, rows.size_bytes, lane & 31)

    def _check_proxy(self, access: _Access) -> None:
        """Reports generic-proxy writes that no proxy fence made visible to a copy."""
        numbers = self._history.writes(access.cells)[0]
        for number in np.unique(numbers[numbers != NONE]):
            record = self._history.access(int(number))
            if record.is_copy or record.scope != WEAK:
                continue
            if self.order.knows_by_proxy(access.warp, record.owner) < record.clock:
                address = int(access.addresses[np.argmax(numbers == number)])
                self.report(
                    "proxy",
                    f"a copy touches {self._place(address)} that {self._name(record)} "
                    f"wrote at {self.naming(record.at)}, with no fence.proxy.async "
                    f"between",
                    access.record.at,
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
                self._record(at, lane, scope),
                addresses[mine],
                size,
                (lanes.numbers[mine] & 31).astype(np.uint8),
                None if same is None else same[mine],
            )

    def _record(self, at: int, lane: int, scope: int) -> GlobalAccess:
        machine = self._machine
        cta, warp = int(machine.grid_cta[lane]), int(machine.warp_in_cta[lane])
        agent = int(machine.agents[lane])
        return GlobalAccess(
            owner=cta * machine.geometry.warps_per_cta + warp,
            clock=self._clocks.knows(int(machine.cta_of[lane]), agent, agent),
            at=at,
            scope=scope,
        )

    def _access(
        self,
        lane: int,
        record: GlobalAccess,
        addresses: NDArray[np.uint64],
        size: int,
        places: Places | int,
        same: NDArray[np.bool_] | None = None,
    ) -> _Access:
        """Makes an access of pieces of `size` bytes: those that are watched."""
        flat = (addresses.view(np.int64)[:, None] + np.arange(size)).ravel()
        if self.preceding:
            self._check_waited(lane // WARP_LANES, record, flat)
        cells, watched = self._history.cells(flat)
        if same is not None:
            same = np.repeat(same, size)[watched]
        if not isinstance(places, int):
            places = np.repeat(places, size)[watched]
        return _Access(lane // WARP_LANES, record, flat[watched], cells, places, same)

    def _check_waited(self, warp: int, record: GlobalAccess, addresses: Bytes) -> None:
        """Reports accesses to what the preceding grid may still write."""
        place = first_inside(self.preceding, addresses)
        if place >= 0 and not self.order.knows_preceding(warp):
            self.report(
                "programmatic launch",
                f"{self._name(record)} touches {self._place(int(addresses[place]))}, "
                "which the preceding grid may still write; expected "
                "griddepcontrol.wait before, by this thread or by one that it is "
                "ordered after",
                record.at,
            )

    # Conflicts ---------------------------------------------------------------------

    def _check(self, access: _Access, verb: str, *, is_write: bool = False) -> None:
        """Reports an earlier access that races with the current one."""
        writers = self._history.writes(access.cells)
        lanes = self._history.writers(access.cells)
        for record, where in self._conflicts(access, writers, lanes):
            where = where & ~self._is_alike(access, record)
            where = where & ~self._is_observed(access, record, where)
            if where.any():
                address = int(access.addresses[np.argmax(where)])
                self._accuse(access, verb, record, address, "wrote")
                return
        if not is_write:
            return
        for record, where in self._read_conflicts(access):
            if self._is_mate(access, record) and access.same is not None:
                where = where & ~access.same
                if not where.any():
                    continue
            address = int(access.addresses[np.argmax(where)])
            self._accuse(access, verb, record, address, "read")
            return

    def _read_conflicts(
        self, access: _Access
    ) -> Iterator[tuple[GlobalAccess, NDArray[np.bool_]]]:
        """Earlier reads that race with a write."""
        readers = self._history.reads(access.cells)
        lanes = self._history.readers(access.cells)
        yield from self._conflicts(access, readers, lanes)
        crowds = self._history.crowds(access.cells)
        for crowd in np.unique(crowds[crowds != NONE]).tolist():
            numbers, lanes = self._history.members(crowd)
            doubtful = self._is_doubtful(access, numbers)
            numbers, lanes = numbers[doubtful], lanes[doubtful]
            for start in range(0, len(numbers), _TOGETHER):
                part = slice(start, start + _TOGETHER)
                some = np.where(crowds == crowd, numbers[part, None], np.int32(NONE))
                who = np.broadcast_to(lanes[part, None], some.shape)
                yield from self._conflicts(access, some, who)

    def _is_doubtful(self, access: _Access, numbers: Numbers) -> NDArray[np.bool_]:
        """Which accesses are not simply known to the warp of the current one."""
        if self.order.is_lenient:
            return np.zeros(len(numbers), np.bool_)
        records = [self._history.access(number) for number in numbers.tolist()]
        owners = np.array([record.owner for record in records])
        clocks = np.array([record.clock for record in records])
        doubtful = self.order.knowledge(access.warp)[owners] < clocks
        doubtful |= owners == access.record.owner
        doubtful |= [record.is_in_flight for record in records]
        if self._lanes.has_silent:
            silent = [self._lanes.silent_since(o) is not None for o in owners.tolist()]
            doubtful |= silent
        return doubtful

    def _kept(
        self, access: _Access, numbers: Numbers, lanes: Places
    ) -> NDArray[np.bool_]:
        """Which reads a crowd must keep where a read is recorded; see `Crowds`."""
        kept = self._is_doubtful(access, numbers)
        records = [self._history.access(number) for number in numbers.tolist()]
        kept |= [record.scope < access.record.scope for record in records]
        latest = dict[tuple[int, int], int]()
        by_time = sorted(range(len(records)), key=lambda n: records[n].clock)
        for place in reversed(by_time):
            record = records[place]
            who = record.owner, int(lanes[place])
            if record.is_in_flight:
                continue
            if latest.get(who, record.scope + 1) <= record.scope:
                kept[place] = False
            elif kept[place]:
                latest[who] = record.scope
        return kept

    def _conflicts(
        self, access: _Access, numbers: Numbers, lanes: Places
    ) -> Iterator[tuple[GlobalAccess, NDArray[np.bool_]]]:
        """Earlier accesses that race with the current one.

        Args:
            access: The current access.
            numbers: Earlier accesses to each of its bytes, int32[ways, n].
            lanes: The lanes that made them, of the same shape.

        Yields:
            The earlier access, and which bytes both touch, bool[n].
        """
        mine = access.record
        for number in np.unique(numbers[numbers != NONE]):
            record = self._history.access(int(number))
            if self._are_strong(mine, record):
                continue
            if self._is_mate(access, record):
                where = (numbers == number) & (lanes != access.lanes)
                silent = where & self._is_silent(record, lanes)
                where = where.any(axis=0) & ~self._has_met(access, record)
                where |= silent.any(axis=0)
            else:
                where = self._unordered(access, record, lanes)
                where = ((numbers == number) & where).any(axis=0)
            if where.any():
                yield record, where

    def _unordered(
        self, access: _Access, record: GlobalAccess, lanes: Places
    ) -> NDArray[np.bool_]:
        """Which lanes of another warp made an access that is not ordered before."""
        if self._is_ordered(access.warp, record):
            return self._is_silent(record, lanes)
        lone = -1
        if not record.is_in_flight:
            lone = self.order.lone(record.owner, access.warp, record.clock)
        return lanes != lone

    def _is_silent(self, record: GlobalAccess, lanes: Places) -> NDArray[np.bool_]:
        """Which lanes ended and released an access to nobody, though mates went on."""
        since = self._lanes.silent_since(record.owner)
        if since is None:
            return np.zeros(1, np.bool_)
        return since[lanes] <= record.clock

    def _is_mate(self, access: _Access, record: GlobalAccess) -> bool:
        """Whether an earlier access is one of the same warp that is over."""
        return record.owner == access.record.owner and not record.is_in_flight

    def _has_met(self, access: _Access, record: GlobalAccess) -> NDArray[np.bool_]:
        """Bytes whose lane knows what its mates did until an earlier access."""
        horizon = self._horizon(access)
        known = (horizon >= record.clock) | (record.at == access.record.at)
        return np.broadcast_to(known, access.cells.shape)

    def _is_alike(self, access: _Access, record: GlobalAccess) -> NDArray[np.bool_]:
        """Bytes that warps of one CTA write with one instruction and equal values."""
        alike = access.record.at == record.at and self._cta(record) == self._cta(
            access.record
        )
        alike = alike or self._is_mate(access, record)
        if access.same is None or not alike:
            return np.zeros(len(access.cells), np.bool_)
        return access.same

    def _is_observed(
        self, access: _Access, record: GlobalAccess, where: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Bytes where the warp's strong reads observed an earlier strong write."""
        if record.scope == WEAK:
            return np.zeros(len(access.cells), np.bool_)
        observed = where.copy()
        observed[where] = self.order.has_observed(
            access.warp, access.addresses[where], record.time
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
        self, access: _Access, verb: str, other: GlobalAccess, address: int, what: str
    ) -> None:
        mine = access.record
        way = "barrier" if self._cta(mine) == self._cta(other) else "atomic or a fence"
        if mine.owner == other.owner:
            way = "barrier or bar.warp.sync of the two lanes"
        if other.is_in_flight:
            what, way = "writes by a copy", "cp.async.bulk.wait_group"
        self.report(
            "race",
            f"{self._name(mine)} {verb} {self._place(address)} that "
            f"{self._name(other)} {what} at {self.naming(other.at)} with no {way} "
            f"between",
            mine.at,
        )

    def _name(self, record: GlobalAccess) -> str:
        cta, warp = divmod(record.owner, self._machine.geometry.warps_per_cta)
        return f"block {cta}, warp {warp}"

    def _place(self, address: int) -> str:
        place = self._machine.memory.place(address)
        return f"global memory at {address:#x} ({place})"


def _ignore(kind: str, message: str, at: int) -> None:
    """Stands in until a report function is set."""
