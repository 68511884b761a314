"""Who touched every byte of global memory, so that conflicts without order are found.

PTX ISA: "Memory Consistency Model": two accesses to one byte, at least one of them a
write and at least one not strong (volatile, relaxed, atomic) or out of the other's
scope, are a race unless one happens before the other. Within a cluster the warps'
clocks say so, between CTAs `GlobalOrder`. What bulk copies write is over for nobody
before the wait for their group (without `.read`), and they see ordinary writes only
across a `fence.proxy.async`.

Only adversarial machines have this: it keeps about 40 bytes for each byte touched, up
to `_MOST_PAGES` pages; what lies beyond is not watched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.clocks import WarpClocks
from cuda_tile.emulator.global_order import (
    CLUSTER,
    CTA,
    DEVICE,
    WEAK,
    GlobalOrder,
    MemoryOrder,
)
from cuda_tile.emulator.global_rows import GlobalRows
from cuda_tile.emulator.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.shadow import Report

_PAGE_BYTES = 4096
_MOST_PAGES = 1024

Cells = NDArray[np.int64]
_FIELDS = ("owner", "clock", "time", "at", "scope", "engine")
# The clock of copies on their way: nobody knows them.
_FLYING = np.iinfo(np.int32).max


class _Record:
    """The last access of one kind to each watched byte; `owner` is -1 for none."""

    def __init__(self) -> None:
        self.fields = {name: np.zeros(0, np.int32) for name in _FIELDS}

    def grow(self, n_cells: int) -> None:
        for name, old in self.fields.items():
            new = np.full(n_cells, -1, np.int32)
            new[: len(old)] = old
            self.fields[name] = new

    def take(self, cells: Cells) -> dict[str, NDArray[np.int32]]:
        return {name: values[cells] for name, values in self.fields.items()}


@dataclass(frozen=True, eq=False)
class _Access:
    """Bytes that lanes, or copies in their name, touch.

    Attributes:
        at: Number of the instruction.
        numbers, addresses: Lane and address of each piece.
        order: How strong it is; None for weak.
        cells, which: The watched bytes, and the piece of each.
        owners, clocks: Warp in the grid and own clock of each piece's lane.
    """

    at: int
    numbers: NDArray[np.intp]
    addresses: NDArray[np.uint64]
    order: MemoryOrder | None
    cells: Cells
    which: NDArray[np.intp]
    owners: NDArray[np.int64]
    clocks: NDArray[np.int32]


class GlobalShadow:
    """Access history of global memory over a whole launch.

    Attributes:
        report: Takes findings.
        naming: Names an instruction by its number.
        order: What CTAs know of each other.
    """

    def __init__(self, machine: Any, clocks: WarpClocks, order: GlobalOrder) -> None:
        self._machine = machine
        self._clocks = clocks
        self._slots: dict[int, int] = {}
        self._writes, self._reads = _Record(), _Record()
        self._n_cells = 0
        self.order = order
        self.report: Report = _ignore
        self.naming: Callable[[int], str] = str

    # Order -------------------------------------------------------------------------

    def _is_ordered(self, lane: int, owner: int, clock: int) -> bool:
        """Whether an earlier access comes before what `lane` does now."""
        machine = self._machine
        geometry = machine.geometry
        cta, warp = divmod(owner, geometry.warps_per_cta)
        place, size = int(machine.cta_of[lane]), geometry.cluster_size
        first = place // size * size
        mates = machine.grid_cta[(first + np.arange(size)) * geometry.lanes_per_cta]
        for rank in np.flatnonzero(mates == cta):
            other = int(rank) * geometry.warps_per_cta + warp
            if self._clocks.knows(place, int(machine.agents[lane]), other) >= clock:
                return True
        return self.order.knows(lane // WARP_LANES, owner) >= clock

    def _are_strong(
        self, mine: MemoryOrder | None, own: Cells, last: dict[str, NDArray[np.int32]]
    ) -> NDArray[np.bool_]:
        """Which pairs of accesses are strong and in each other's scope.

        Args:
            mine: The order of the access now.
            own: CTA of each of its bytes.
            last: The earlier accesses.
        """
        if mine is None:
            return np.zeros(len(own), np.bool_)
        both = np.minimum(last["scope"], mine.scope)
        other = last["owner"] // self._machine.geometry.warps_per_cta
        near = self._clusters(own) == self._clusters(other.astype(np.int64))
        strong = (both == DEVICE) | ((both == CLUSTER) & near)
        return strong | ((both >= CTA) & (own == other))

    def _clusters(self, ctas: Cells) -> Cells:
        """Numbers the clusters of CTAs of the grid."""
        number, rest, before = np.zeros_like(ctas), ctas, 1
        geometry = self._machine.geometry
        for extent, part in zip(geometry.grid, geometry.cluster, strict=True):
            number += rest % extent // part * before
            rest, before = rest // extent, before * extent
        return number

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
        access = self._access(at, lanes.numbers, addresses, size, order)
        self._check(self._writes, "reads", access)
        self._record(self._reads, access)

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
            data: What is written, uint8[count, size]; None for atomics.
        """
        if data is not None:
            self._check_lanes(at, lanes, addresses, data)
        access = self._access(at, lanes.numbers, addresses, size, order)
        self._check(self._writes, "writes", access, same)
        self._check(self._reads, "writes", access)
        self._record(self._writes, access)

    # Copies ------------------------------------------------------------------------

    def copies_from(self, at: int, lane: int, rows: GlobalRows) -> None:
        """A bulk copy that a lane starts reads global memory."""
        if not len(rows.addresses):
            return
        access = self._rows(at, lane, rows, None)
        self._check(self._writes, "reads by a copy", access)
        self._check_proxy(access)
        self._record(self._reads, access, engine=True)

    def copies_to(self, at: int, lane: int, rows: GlobalRows, *, updates: bool) -> None:
        """A bulk copy that a lane starts will write or reduce global memory."""
        if not len(rows.addresses):
            return
        access = self._rows(at, lane, rows, MemoryOrder(DEVICE) if updates else None)
        self._check(self._writes, "writes by a copy", access)
        self._check(self._reads, "writes by a copy", access)
        self._check_proxy(access)
        self._record(self._writes, access, engine=True)
        self._writes.fields["clock"][access.cells] = _FLYING

    def copied_to(self, at: int, lane: int, rows: GlobalRows) -> None:
        """The lane has waited for the copy's writes."""
        if not len(rows.addresses):
            return
        access = self._rows(at, lane, rows, None)
        fields = self._writes.fields
        mine = fields["owner"][access.cells] == access.owners[access.which]
        mine &= fields["at"][access.cells] == at
        mine &= fields["clock"][access.cells] == _FLYING
        fields["clock"][access.cells[mine]] = access.clocks[0]

    def _rows(
        self, at: int, lane: int, rows: GlobalRows, order: MemoryOrder | None
    ) -> _Access:
        numbers = np.full(len(rows.addresses), lane, np.intp)
        return self._access(at, numbers, rows.addresses, rows.size_bytes, order)

    def _check_proxy(self, access: _Access) -> None:
        """Reports ordinary writes that no proxy fence made visible to a copy."""
        last = self._writes.take(access.cells)
        generic = (last["owner"] >= 0) & (last["engine"] == 0) & (last["scope"] == WEAK)
        lane = int(access.numbers[0])
        parties = np.stack([last["owner"][generic], last["clock"][generic]])
        for owner, clock in np.unique(parties, axis=1).T:
            known = self.order.knows_by_proxy(lane // WARP_LANES, int(owner))
            if known < clock:
                cell = np.flatnonzero(
                    generic & (last["owner"] == owner) & (last["clock"] == clock)
                )[0]
                cta, warp = divmod(int(owner), self._machine.geometry.warps_per_cta)
                address = int(access.addresses[access.which[cell]])
                self.report(
                    "proxy",
                    f"a copy touches global memory at {address:#x} "
                    f"({self._machine.memory.nearest(address)}) that block {cta}, warp "
                    f"{warp} wrote at {self.naming(int(last['at'][cell]))}, with no "
                    f"fence.proxy.async between",
                    access.at,
                )
                return

    # Bytes -------------------------------------------------------------------------

    def _access(
        self,
        at: int,
        numbers: NDArray[np.intp],
        addresses: NDArray[np.uint64],
        size: int,
        order: MemoryOrder | None,
    ) -> _Access:
        """Finds the watched cells of the accessed bytes."""
        flat = (addresses.view(np.int64)[:, None] + np.arange(size)).ravel()
        which = np.repeat(np.arange(len(addresses)), size)
        pages, inverse = np.unique(flat // _PAGE_BYTES, return_inverse=True)
        slots = np.array([self._slot(int(page)) for page in pages], np.int64)[inverse]
        watched = slots >= 0
        cells = slots * _PAGE_BYTES + flat % _PAGE_BYTES
        machine = self._machine
        place = machine.cta_of[numbers]
        warps = machine.warp_in_cta[numbers].astype(np.int64)
        return _Access(
            at,
            numbers,
            addresses,
            order,
            cells[watched],
            which[watched],
            machine.grid_cta[numbers] * machine.geometry.warps_per_cta + warps,
            self._clocks.own(place, machine.agents[numbers]),
        )

    def _slot(self, page: int) -> int:
        found = self._slots.get(page)
        if found is None:
            if len(self._slots) >= _MOST_PAGES:
                return -1
            found = self._slots[page] = len(self._slots)
            if (found + 1) * _PAGE_BYTES > self._n_cells:
                self._n_cells = max(2 * self._n_cells, (found + 1) * _PAGE_BYTES)
                self._writes.grow(self._n_cells)
                self._reads.grow(self._n_cells)
        return found

    def _record(
        self, record: _Record, access: _Access, *, engine: bool = False
    ) -> None:
        fields, cells, which = record.fields, access.cells, access.which
        order = access.order
        fields["owner"][cells] = access.owners[which]
        fields["clock"][cells] = access.clocks[which]
        fields["time"][cells] = self.order.time
        fields["at"][cells] = access.at
        fields["scope"][cells] = WEAK if order is None else order.scope
        fields["engine"][cells] = engine

    def _check(
        self,
        record: _Record,
        verb: str,
        access: _Access,
        same: NDArray[np.bool_] | None = None,
    ) -> None:
        which, n_warps = access.which, self._machine.geometry.warps_per_cta
        owners = access.owners[which]
        last = record.take(access.cells)
        is_other = (last["owner"] != owners) | (last["clock"] == _FLYING)
        bad = (last["owner"] >= 0) & is_other
        if bad.any():
            bad &= ~self._are_strong(access.order, owners // n_warps, last)
        if same is not None:
            alike = last["owner"] // n_warps == owners // n_warps
            bad &= ~(alike & same[which] & (last["at"] == access.at))
        seen: set[tuple[int, int, int]] = set()
        for cell in np.flatnonzero(bad):
            lane = int(access.numbers[which[cell]])
            owner, clock = (int(last[name][cell]) for name in ("owner", "clock"))
            key = (lane // WARP_LANES, owner, clock)
            if key not in seen and not self._is_fine(access, int(cell), last):
                self._accuse(access, verb, int(cell), last, record is self._writes)
                return
            seen.add(key)

    def _is_fine(
        self, access: _Access, cell: int, last: dict[str, NDArray[np.int32]]
    ) -> bool:
        """Whether the last access to a cell comes before the one now."""
        lane = int(access.numbers[access.which[cell]])
        address = int(access.addresses[access.which[cell]])
        if int(last["scope"][cell]) and self.order.is_settled(
            lane // WARP_LANES, address, int(last["time"][cell])
        ):
            return True
        return self._is_ordered(
            lane, int(last["owner"][cell]), int(last["clock"][cell])
        )

    def _accuse(
        self,
        access: _Access,
        verb: str,
        cell: int,
        last: dict[str, NDArray[np.int32]],
        is_write: bool,
    ) -> None:
        machine = self._machine
        cta, warp = divmod(int(last["owner"][cell]), machine.geometry.warps_per_cta)
        lane = int(access.numbers[access.which[cell]])
        address = int(access.addresses[access.which[cell]])
        mine = int(machine.grid_cta[lane])
        what = "wrote" if is_write else "read"
        way = "barrier" if cta == mine else "atomic or a fence"
        if last["clock"][cell] == _FLYING:
            what, way = "writes by a copy", "cp.async.bulk.wait_group"
        self.report(
            "race",
            f"block {mine}, warp {machine.warp_in_cta[lane]} {verb} global memory at "
            f"{address:#x} ({machine.memory.nearest(address)}) that block {cta}, warp "
            f"{warp} {what} at {self.naming(int(last['at'][cell]))} with no {way} "
            f"between",
            access.at,
        )

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
                f"global memory at {int(addresses[order[bad[0]]]):#x} with one "
                f"instruction",
                at,
            )


def _ignore(kind: str, message: str, at: int) -> None:
    """Stands in until a report function is set."""
