# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores in every state space, for many lanes at once.

PTX ISA: "State Spaces", "Generic Addressing". Each access checks alignment and bounds,
tells the shared-memory shadow, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.addresses import (
    CLUSTER_SHIFT,
    LOCAL_WINDOW,
    PARAM_WINDOW,
    RANK_MASK,
    SHARED_WINDOW,
    WINDOW_MASK,
)
from cuda_tile.emulator.memory.counters import Path
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.memory.strong_loads import load_strong
from cuda_tile.emulator.ordering.memory_order import WEAK, MemoryOrder
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import Array, Bool, Index, Type
from cuda_tile.emulator.threads.lanes import Lanes, describe_lanes
from cuda_tile.runtime.memory import MemoryFault

Addresses = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW, "param": PARAM_WINDOW}


class Spaces:
    """The memories of a machine, by state space.

    Spaces are named as in PTX: global, const, shared, local, param (the entry's
    parameters), and "" for generic addresses.
    """

    def __init__(self, machine: Memories, params: Bytes) -> None:
        self._machine = machine
        self._params = params
        # Which bytes of the last load were undefined, if there are any.
        self._unwritten: Bool | None = None

    def load(
        self,
        at: int,
        space: str,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        order: MemoryOrder | None = None,
    ) -> Bytes:
        """Reads `size` bytes per lane; returns uint8[count, size].

        Args:
            at: Number of the instruction, for counters and messages.
            space: State space of the addresses.
            lanes: Who reads.
            addresses: uint64[count].
            size: Bytes per lane, a power of two.
            order: How strong the load is; None for weak.
        """
        self.check_alignment(lanes, addresses, size)
        if order is not None and space:
            self._machine.polls.read(at, lanes)
        older = self._machine.older_writes
        if space == "global" and order is not None and older is not None:
            data = self._load_global(at, lanes, addresses, size, "global_load")
            return load_strong(self._machine, at, lanes, addresses, data, order, older)
        if space in ("global", "const"):
            shadow = self._machine.global_shadow
            if order is not None and self._machine.order is not None:
                self._machine.order.read(lanes, addresses, size, order)
            if shadow is not None:
                shadow.read(at, lanes, addresses, size, order=order)
            path: Path | None = "global_load" if space == "global" else None
            return self._load_global(at, lanes, addresses, size, path)
        if space == "shared":
            return self._load_shared(at, lanes, addresses, size, order)
        if space == "local":
            cells = self._local_cells(lanes, addresses, size, "load")
            self._note_unwritten(lanes, cells)
            return self._machine.local[lanes.numbers[:, None], cells]
        if space == "param":
            self._check_limit(lanes, addresses, size, len(self._params), "parameters")
            return self._params[addresses.astype(np.intp)[:, None] + np.arange(size)]
        data = np.empty((lanes.count, size), np.uint8)
        for part, mask in self._windows(addresses):
            some, chosen = self._select(lanes, addresses, mask)
            data[mask] = self.load(at, part, some, chosen, size, order)
        return data

    def _load_shared(
        self,
        at: int,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        order: MemoryOrder | None,
    ) -> Bytes:
        machine = self._machine
        offsets = self.shared_offsets(lanes, addresses, size, "load")
        self._count_shared(at, lanes, addresses, size, "shared_load")
        warps = machine.agents[lanes.index]
        if order is not None and machine.order is not None:
            where = offsets.view(np.uint64)
            machine.order.read(lanes, where, size, order, shared=True)
        elif machine.lane_order is not None:
            machine.lane_order.read(at, lanes.numbers, offsets, size)
        scope = WEAK if order is None else order.scope
        machine.shadow.read(at, offsets, size, warps, scope=scope)
        return gather(machine.shared, offsets, size)

    def store(
        self,
        at: int,
        space: str,
        lanes: Lanes,
        addresses: Addresses,
        data: Bytes,
        order: MemoryOrder | None = None,
        written: Bool | None = None,
    ) -> None:
        """Writes uint8[count, size], one row per lane.

        `written` has that shape and says, for local memory, which bytes are defined;
        None for all.
        """
        size = data.shape[1]
        self.check_alignment(lanes, addresses, size)
        machine = self._machine
        if space == "global":
            machine.counters.global_access(at, lanes, addresses, size, "global_store")
            try:
                self._announce_store(at, lanes, addresses, data, order)
                if order is not None and machine.order is not None:
                    machine.order.wrote(lanes, addresses, size, order, updates=False)
                    if machine.older_writes is not None:
                        before = machine.memory.load(addresses, size)
                        machine.older_writes.wrote(lanes, addresses, before, data)
                machine.memory.store(addresses, data)
            except MemoryFault as fault:
                raise self._out_of_bounds(lanes, fault, "store") from fault
            machine.polls.changed()
        elif space == "shared":
            self._store_shared(at, lanes, addresses, data, order)
            machine.polls.changed()
        elif space == "local":
            cells = self._local_cells(lanes, addresses, size, "store")
            machine.local[lanes.numbers[:, None], cells] = data
            if machine.is_adversarial:
                defined = True if written is None else written
                machine.local_written[lanes.numbers[:, None], cells] = defined
        elif space == "":
            for part, mask in self._windows(addresses):
                some, chosen = self._select(lanes, addresses, mask)
                defined = None if written is None else written[mask]
                self.store(at, part, some, chosen, data[mask], order, defined)
        else:
            raise Fault("read-only", f"expected a writable state space, got .{space}")

    def _store_shared(
        self,
        at: int,
        lanes: Lanes,
        addresses: Addresses,
        data: Bytes,
        order: MemoryOrder | None,
    ) -> None:
        machine, size = self._machine, data.shape[1]
        offsets = self.shared_offsets(lanes, addresses, size, "store")
        self._count_shared(at, lanes, addresses, size, "shared_store")
        warps = machine.agents[lanes.index]
        if order is None:
            if machine.lane_order is not None:
                machine.lane_order.write(at, lanes.numbers, offsets, data)
            machine.shadow.write(at, offsets, data, warps, machine.shared)
            return
        machine.shadow.write_strong(
            at, offsets, data, warps, machine.shared, order.scope
        )
        if machine.order is not None:
            where = offsets.view(np.uint64)
            machine.order.wrote(lanes, where, size, order, updates=False, shared=True)

    def fill_shared(self, at: int, lane: Lanes, where: Addresses, size: int) -> None:
        """Writes `size` bytes of zeros, a multiple of 8, for one lane."""
        self.check_alignment(lane, where, 8)
        machine = self._machine
        offsets = self.shared_offsets(lane, where, size, "store")
        machine.counters.moved(at, "shared_store", size)
        data = np.zeros((1, size), np.uint8)
        if machine.lane_order is not None:
            machine.lane_order.write(at, lane.numbers, offsets, data)
        words = int(offsets[0]) + np.arange(0, size, 8)
        warps = np.full(len(words), machine.agents[lane.numbers[0]], np.uint8)
        machine.shadow.write(at, words, data.reshape(-1, 8), warps, machine.shared)

    def _announce_store(
        self,
        at: int,
        lanes: Lanes,
        addresses: Addresses,
        data: Bytes,
        order: MemoryOrder | None,
    ) -> None:
        machine = self._machine
        shadow = machine.global_shadow
        if shadow is None:
            return
        size = data.shape[1]
        same = (machine.memory.load(addresses, size) == data).all(axis=1)
        shadow.write(at, lanes, addresses, size, order=order, same=same, data=data)

    def load_bytes(self, lanes: Lanes, addresses: Addresses, size: int) -> Bytes:
        """Reads any number of global bytes per lane for a copy, without alignment."""
        try:
            return self._machine.memory.load(addresses, size)
        except MemoryFault as fault:
            raise self._out_of_bounds(lanes, fault) from fault

    def atomic(
        self,
        at: int,
        space: str,
        lanes: Lanes,
        addresses: Addresses,
        ty: Type,
        width: int,
        change: Callable[[Array, Index], Array],
        order: MemoryOrder,
        *,
        returns: bool,
    ) -> Array:
        """Updates memory atomically, lane after lane where addresses are equal.

        Args:
            at: Number of the instruction.
            space: State space of the addresses.
            lanes: Who runs.
            addresses: uint64[count].
            ty: Type of one element; `width` of them lie side by side.
            width: Elements per lane.
            change: Returns new values [n, width] from old ones and the positions
                within `lanes` of the n lanes whose turn it is.
            order: How strong the update is.
            returns: Whether the program gets the old values, so that it may acquire.

        Returns:
            The old values, [count, width].
        """
        if space == "":
            parts = self._windows(addresses)
            old = _empty(lanes.count, width, ty)
            for part, mask in parts:
                some, chosen = self._select(lanes, addresses, mask)
                which = np.flatnonzero(mask)
                old[mask] = self.atomic(
                    at,
                    part,
                    some,
                    chosen,
                    ty,
                    width,
                    _through(change, which),
                    order,
                    returns=returns,
                )
            return old
        size = ty.bytes * width
        self.check_alignment(lanes, addresses, size)
        self._announce_atomic(at, space, lanes, addresses, size, order, returns=returns)
        old, changed = _empty(lanes.count, width, ty), False
        older = self._machine.older_writes
        for turn in self._turns(addresses):
            before = self._raw_load(space, lanes, addresses, turn, size)
            values = before.view(ty.dtype).reshape(old[turn].shape)
            old[turn] = values
            after = np.ascontiguousarray(change(values, turn))
            data = after.view(np.uint8).reshape(len(turn), size)
            if older is not None and space == "global":
                some, where = self._some(lanes, turn), addresses[turn]
                older.updates(some, where, size)
                old_bytes = before.reshape(data.shape)
                older.wrote(some, where, old_bytes, data, is_update=True)
            changed = changed or not np.array_equal(data, before)
            self._raw_store(space, lanes, addresses, turn, data)
        if changed:
            self._machine.progress += 1
        else:
            self._machine.polls.read(at, lanes)
        return old

    def _announce_atomic(
        self,
        at: int,
        space: str,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        order: MemoryOrder,
        *,
        returns: bool,
    ) -> None:
        """Checks bounds, counts, and records the update in shadow memory.

        PTX ISA, "Release and Acquire Patterns": reductions never acquire.
        """
        machine, known = self._machine, self._machine.order
        is_shared = space == "shared"
        where = addresses
        if is_shared:
            offsets = self.shared_offsets(lanes, addresses, size, "atomic")
            self._count_shared(at, lanes, addresses, size, "shared_atomic")
            where = offsets.view(np.uint64)
        elif space == "global":
            machine.counters.global_access(at, lanes, addresses, size, "global_atomic")
        else:
            raise Fault("atomic", f"expected global or shared memory, got .{space}")
        for some, place in self._one_after_another(lanes, where):
            if known is not None and returns:
                known.read(some, place, size, order, shared=is_shared)
            if is_shared:
                warps = machine.agents[some.index]
                cells = place.view(np.int64)
                machine.shadow.atomic(
                    at, cells, size, warps, machine.shared, order.scope
                )
            elif machine.global_shadow is not None:
                machine.global_shadow.write(at, some, place, size, order=order)
            if known is not None:
                known.wrote(some, place, size, order, updates=True, shared=is_shared)

    def _one_after_another(
        self, lanes: Lanes, where: Addresses
    ) -> Iterator[tuple[Lanes, Addresses]]:
        """Atomic updates warp by warp: a later one may acquire from an earlier one."""
        if self._machine.order is None or len(lanes.warps) == 1:
            yield lanes, where
            return
        warp_of = lanes.numbers >> 5
        for warp in lanes.warps:
            mine = warp_of == warp
            yield Lanes(lanes.numbers[mine], self._machine.n_lanes), where[mine]

    def _turns(self, addresses: Addresses) -> list[Index]:
        """Splits lanes into rounds in which every address occurs once."""
        order = np.arange(len(addresses))
        if self._machine.is_adversarial:
            order = self._machine.rng.permutation(order)
        keys = addresses[order]
        ranks = np.argsort(keys, kind="stable")
        ordered = keys[ranks]
        starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
        first = np.maximum.accumulate(np.where(starts, np.arange(len(keys)), 0))
        rank = np.empty(len(keys), np.intp)
        rank[ranks] = np.arange(len(keys)) - first
        return [np.sort(order[rank == r]) for r in range(int(rank.max()) + 1)]

    def _raw_load(
        self, space: str, lanes: Lanes, addresses: Addresses, turn: Index, size: int
    ) -> Bytes:
        if space == "shared":
            some, base = self._owner(self._some(lanes, turn), addresses[turn])
            return gather(self._machine.shared, some.view(np.int64) + base, size)
        try:
            return self._machine.memory.load(addresses[turn], size)
        except MemoryFault as fault:
            fault.index = int(turn[fault.index])
            raise self._out_of_bounds(lanes, fault) from fault

    def _raw_store(
        self, space: str, lanes: Lanes, addresses: Addresses, turn: Index, data: Bytes
    ) -> None:
        if space == "shared":
            some, base = self._owner(self._some(lanes, turn), addresses[turn])
            cells = some.view(np.int64) + base
            self._machine.shared[cells[:, None] + np.arange(data.shape[1])] = data
            return
        try:
            self._machine.memory.store(addresses[turn], data)
        except MemoryFault as fault:
            fault.index = int(turn[fault.index])
            raise self._out_of_bounds(lanes, fault) from fault

    def _some(self, lanes: Lanes, which: Index) -> Lanes:
        return Lanes(lanes.numbers[which], self._machine.n_lanes)

    def _load_global(
        self,
        at: int,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        path: Path | None,
    ) -> Bytes:
        if path is not None:
            self._machine.counters.global_access(at, lanes, addresses, size, path)
        try:
            return self._machine.memory.load(addresses, size)
        except MemoryFault as fault:
            raise self._out_of_bounds(lanes, fault) from fault

    def _count_shared(
        self, at: int, lanes: Lanes, addresses: Addresses, size: int, path: Path
    ) -> None:
        """Counts an access; to another CTA's memory if any lane has such an address."""
        counters = self._machine.counters
        offsets = addresses.view(np.int64)
        ranks = offsets >> CLUSTER_SHIFT
        own = self._machine.rank[lanes.index]
        if ranks.any() and ((ranks != 0) & (ranks & RANK_MASK != own)).any():
            counters.shared_access(at, lanes, offsets, size, "cluster")
        else:
            counters.shared_access(at, lanes, offsets, size, path)

    def shared_offsets(
        self, lanes: Lanes, addresses: Addresses, size: int, access: str
    ) -> NDArray[np.int64]:
        """Turns shared addresses into offsets in the machine's shared memory."""
        machine = self._machine
        limit = machine.symbols.shared_bytes
        addresses, base = self._owner(lanes, addresses)
        self._check_limit(lanes, addresses, size, limit, "shared memory", access)
        offsets = addresses.view(np.int64)
        if machine.geometry.n_ctas > 1:
            offsets = offsets + base
        return offsets

    def _owner(
        self, lanes: Lanes, addresses: Addresses
    ) -> tuple[Addresses, NDArray[np.int64]]:
        """Splits shared::cluster addresses: offsets, and where that CTA's bytes lie."""
        machine = self._machine
        base = machine.shared_base[lanes.index]
        rank = addresses.view(np.int64) >> CLUSTER_SHIFT
        size = machine.geometry.cluster_size
        if size == 1 or not rank.any():
            return addresses, base
        place = rank & RANK_MASK
        if int(rank.max()) > 2 * RANK_MASK + 1 or int(place.max()) >= size:
            return addresses, base
        mine = machine.cta_of[lanes.index]
        other = mine // size * size + place
        machine.presence.check_access(lanes, np.where(rank > 0, other, mine))
        base = np.where(rank > 0, other * machine.stride_bytes, base)
        return addresses & np.uint64((1 << CLUSTER_SHIFT) - 1), base

    def _local_cells(
        self, lanes: Lanes, addresses: Addresses, size: int, access: str
    ) -> NDArray[np.intp]:
        limit = self._machine.symbols.local_bytes
        self._check_limit(lanes, addresses, size, limit, "local memory", access)
        return addresses.astype(np.intp)[:, None] + np.arange(size)

    def _note_unwritten(self, lanes: Lanes, cells: NDArray[np.intp]) -> None:
        machine = self._machine
        if not machine.is_adversarial:
            return
        written = machine.local_written[lanes.numbers[:, None], cells]
        if not written.all():
            unwritten = np.zeros((machine.n_lanes, cells.shape[1]), np.bool_)
            unwritten[lanes.numbers] = ~written
            self._unwritten = unwritten

    def written_elements(
        self, lanes: Lanes, size: int, kept: list[int]
    ) -> list[Bool] | None:
        """Which elements of the last load were written to local memory; None for all.

        An element counts as written if a part of it is: what is loaded together may
        be a structure with padding.

        Args:
            lanes: Who loaded.
            size: Bytes of an element.
            kept: Places of the elements that are asked for.
        """
        unwritten, self._unwritten = self._unwritten, None
        if unwritten is None:
            return None
        octets = unwritten[lanes.numbers].reshape(lanes.count, -1, size)
        lost = np.logical_and.reduce(octets, axis=2)
        return [np.logical_not(lost[:, place]) for place in kept]

    def check_defined(self, register: Register, lanes: Lanes, which: Bool) -> None:
        """Raises a fault unless a register was written in all chosen lanes."""
        chosen = Lanes(lanes.numbers[which], self._machine.n_lanes)
        if not self._machine.defined[register][chosen.index].all():
            raise self._machine.undefined(register, chosen)

    def _check_limit(
        self,
        lanes: Lanes,
        addresses: Addresses,
        size: int,
        limit: int,
        what: str,
        access: str = "load",
    ) -> None:
        if int(addresses.max()) + size <= limit:
            return
        which = int(np.argmax(addresses))
        raise Fault(
            "out of bounds",
            f"{access} of {size} bytes at offset {int(addresses[which]):#x} of {what} "
            f"by {self.name_lane(lanes, which)}, which has {limit} bytes",
        )

    def check_alignment(self, lanes: Lanes, addresses: Addresses, size: int) -> None:
        """Raises a fault unless all addresses are multiples of `size`."""
        if int(np.bitwise_or.reduce(addresses)) & (size - 1):
            which = int(np.flatnonzero(addresses & np.uint64(size - 1))[0])
            raise Fault(
                "misaligned",
                f"expected an address that is a multiple of {size}, got "
                f"{int(addresses[which]):#x} in {self.name_lane(lanes, which)}",
            )

    def _out_of_bounds(
        self, lanes: Lanes, fault: MemoryFault, access: str = ""
    ) -> Fault:
        """Makes a fault; `access` is what the instruction does, if not the load."""
        who = self.name_lane(lanes, fault.index)
        text = str(fault).replace(fault.access, access or fault.access, 1)
        return Fault("out of bounds", f"{text} (in {who})")

    def name_lane(self, lanes: Lanes, which: int) -> str:
        """Names one lane of a set: CTA, warp and lane."""
        geometry = self._machine.geometry
        lane = lanes.numbers[which : which + 1]
        inside = lane % geometry.lanes_per_cta
        warp = describe_lanes(inside, geometry.warps_per_cta)
        return f"block {self.cta_of(lanes, which)}, {warp}"

    def cta_of(self, lanes: Lanes, which: int = 0) -> tuple[int, int, int]:
        """The CTA of one lane of a set, in x, y, z."""
        machine = self._machine
        return machine.block_of(int(machine.cta_of[lanes.numbers[which]]))

    def _windows(self, addresses: Addresses) -> list[tuple[str, Bool]]:
        """Splits generic addresses by the state space they point into."""
        space = (addresses >> np.uint64(56)).astype(np.int64)
        parts = [(name, space == (window >> 56)) for name, window in WINDOWS.items()]
        rest = ~np.logical_or.reduce([mask for _, mask in parts])
        return [(n, m) for n, m in [("global", rest), *parts] if m.any()]

    def _select(
        self, lanes: Lanes, addresses: Addresses, mask: Bool
    ) -> tuple[Lanes, Addresses]:
        if mask.all():
            return lanes, addresses & np.uint64(WINDOW_MASK)
        some = Lanes(lanes.numbers[mask], self._machine.n_lanes)
        return some, addresses[mask] & np.uint64(WINDOW_MASK)


def gather(memory: Bytes, offsets: NDArray[np.int64], size: int) -> Bytes:
    """Reads aligned words of 1 to 32 bytes; returns uint8[n, size]."""
    if size <= 8:
        words: Array = memory.view(f"u{size}")[offsets >> (size.bit_length() - 1)]
        return words.view(np.uint8).reshape(-1, size)
    places = (offsets >> 3)[:, None] + np.arange(size // 8)
    return memory.view(np.uint64)[places].view(np.uint8)


def _empty(count: int, width: int, ty: Type) -> Array:
    shape = (count, width, 2) if ty.bits == 128 else (count, width)
    return np.empty(shape, ty.dtype)


def _through(
    change: Callable[[Array, Index], Array], which: Index
) -> Callable[[Array, Index], Array]:
    """Renumbers the lanes of a part for a function on the whole."""
    return lambda old, turn: change(old, which[turn])
