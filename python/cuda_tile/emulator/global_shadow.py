"""Who touched every byte of global memory, so that conflicts without order are found.

PTX ISA: "Memory Consistency Model": two accesses to one byte, at least one of them a
write and at least one not strong (volatile, relaxed, atomic) or out of the other's
scope, are a race unless one happens before the other. Within a cluster the warps'
clocks say so, between CTAs `GlobalOrder`.

Only adversarial machines have this: it keeps about 40 bytes for each byte touched, up
to `_MOST_PAGES` pages; what lies beyond is not watched.
"""

from __future__ import annotations

from collections.abc import Callable
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
from cuda_tile.emulator.lanes import WARP_LANES, Lanes
from cuda_tile.emulator.shadow import Report

_PAGE_BYTES = 4096
_MOST_PAGES = 1024

Cells = NDArray[np.int64]
_FIELDS = ("owner", "clock", "time", "at", "scope")


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


class GlobalShadow:
    """Access history of global memory over a whole launch.

    Attributes:
        report: Takes findings.
        naming: Names an instruction by its number.
        order: What CTAs know of each other.
    """

    def __init__(self, machine: Any, clocks: WarpClocks) -> None:
        self._machine = machine
        self._clocks = clocks
        self._slots: dict[int, int] = {}
        self._writes, self._reads = _Record(), _Record()
        self._n_cells = 0
        self.order = GlobalOrder(machine, clocks)
        self.report: Report = _ignore
        self.naming: Callable[[int], str] = str

    def start(self) -> None:
        """New CTAs start in the machine."""
        self.order.start()

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
        cells, which = self._cells(addresses, size)
        self._check(self._writes, "reads", at, lanes, addresses, cells, which, order)
        self._record(self._reads, at, lanes, cells, which, order)
        if order is not None:
            self.order.read(lanes, addresses, size, order)

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
        cells, which = self._cells(addresses, size)
        self._check(
            self._writes, "writes", at, lanes, addresses, cells, which, order, same
        )
        self._check(self._reads, "writes", at, lanes, addresses, cells, which, order)
        self._record(self._writes, at, lanes, cells, which, order)
        if order is not None:
            if data is None:
                self.order.read(lanes, addresses, size, order)
            self.order.wrote(lanes, addresses, size, order, updates=data is None)

    def _cells(
        self, addresses: NDArray[np.uint64], size: int
    ) -> tuple[Cells, NDArray[np.intp]]:
        """Returns the watched cells of the accessed bytes and the lane of each."""
        flat = (addresses.view(np.int64)[:, None] + np.arange(size)).ravel()
        which = np.repeat(np.arange(len(addresses)), size)
        pages, inverse = np.unique(flat // _PAGE_BYTES, return_inverse=True)
        slots = np.array([self._slot(int(page)) for page in pages], np.int64)[inverse]
        watched = slots >= 0
        cells = slots * _PAGE_BYTES + flat % _PAGE_BYTES
        return cells[watched], which[watched]

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

    def _owners(self, lanes: Lanes) -> NDArray[np.int64]:
        machine = self._machine
        n_warps = machine.geometry.warps_per_cta
        return machine.grid_cta[lanes.index] * n_warps + machine.warp_in_cta[
            lanes.index
        ].astype(np.int64)

    def _record(
        self,
        record: _Record,
        at: int,
        lanes: Lanes,
        cells: Cells,
        which: NDArray[np.intp],
        order: MemoryOrder | None,
    ) -> None:
        machine = self._machine
        place, agent = machine.cta_of[lanes.index], machine.agents[lanes.index]
        fields = record.fields
        fields["owner"][cells] = self._owners(lanes)[which]
        fields["clock"][cells] = self._clocks.own(place, agent)[which]
        fields["time"][cells] = self.order.time
        fields["at"][cells] = at
        fields["scope"][cells] = WEAK if order is None else order.scope

    def _check(
        self,
        record: _Record,
        verb: str,
        at: int,
        lanes: Lanes,
        addresses: NDArray[np.uint64],
        cells: Cells,
        which: NDArray[np.intp],
        order: MemoryOrder | None,
        same: NDArray[np.bool_] | None = None,
    ) -> None:
        owners = self._owners(lanes)
        last = record.take(cells)
        bad = (last["owner"] >= 0) & (last["owner"] != owners[which])
        if bad.any():
            n_warps = self._machine.geometry.warps_per_cta
            bad &= ~self._are_strong(order, owners[which] // n_warps, last)
        if same is not None:
            n_warps = self._machine.geometry.warps_per_cta
            alike = last["owner"] // n_warps == owners[which] // n_warps
            bad &= ~(alike & same[which] & (last["at"] == at))
        if not bad.any():
            return
        seen: set[tuple[int, int, int]] = set()
        for cell in np.flatnonzero(bad):
            lane = int(lanes.numbers[which[cell]])
            owner, clock = (int(last[name][cell]) for name in ("owner", "clock"))
            key = (lane >> 5, owner, clock)
            if key in seen:
                continue
            seen.add(key)
            address = int(addresses[which[cell]])
            is_settled = bool(last["scope"][cell]) and self.order.is_settled(
                lane // WARP_LANES, address, int(last["time"][cell])
            )
            if not is_settled and not self._is_ordered(lane, owner, clock):
                other = int(last["at"][cell]), record is self._writes
                self._accuse(at, verb, lane, address, owner, other)
                return

    def _accuse(
        self,
        at: int,
        verb: str,
        lane: int,
        address: int,
        owner: int,
        other: tuple[int, bool],
    ) -> None:
        machine = self._machine
        cta, warp = divmod(owner, machine.geometry.warps_per_cta)
        mine = int(machine.grid_cta[lane])
        what = "wrote" if other[1] else "read"
        way = "a barrier" if cta == mine else "an atomic or a fence"
        self.report(
            "race",
            f"block {mine}, warp {machine.warp_in_cta[lane]} {verb} global memory at "
            f"{address:#x} ({machine.memory.nearest(address)}) that block {cta}, warp "
            f"{warp} {what} at {self.naming(other[0])} with no {way[2:].strip()} "
            f"between",
            at,
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
