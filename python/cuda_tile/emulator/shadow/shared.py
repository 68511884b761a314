# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shadow of shared memory: last writer and readers since, with their clocks.

Races are decided by happens-before between warps, not by the order in which the
emulator runs them. Each warp has a vector clock; a barrier joins the clocks of the
warps that arrive. The last write of a byte must happen before a read of it; the last
write and all reads since must happen before a write. A barrier of the whole CTA orders
all accesses before it, so it clears the history; only kernels that also synchronise
some warps and not others (`is_precise`) need a clock per byte. What threads did that
have ended before stays: they do not take part in the barrier.

Not a race: several warps that write one value with one instruction, as replicated tiles
do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.ordering.clocks import Knowledge, WarpClocks
from cuda_tile.emulator.ordering.memory_order import DEVICE, WEAK
from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.shadow.access_log import Access, AccessLog
from cuda_tile.emulator.shadow.in_flight import InFlight

NONE = 255
MANY = 254
ATOMIC = 253

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Flags = NDArray[np.bool_]
Agents = NDArray[np.intp]
# From clocks and agents, whether these accesses happen before.
IsKnown = Callable[[NDArray[np.int32], Bytes], Flags]

_WORD = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
# One value in every byte of a word.
_ONES, _NONE, _MANY = (
    {size: word(int.from_bytes(byte * size, "little")) for size, word in _WORD.items()}
    for byte in (b"\1", b"\xff", b"\xfe")
)
_BYTE = {size: word(255) for size, word in _WORD.items()}

# Takes kind, message and number of the instruction of a finding; may raise or return.
Report = Callable[[str, str, int], None]


class SharedShadow:
    """Access history of the shared memory of all CTAs in a machine.

    Offsets are into the concatenation of all CTAs' memories.

    Attributes:
        report: Takes findings; set by whoever runs the machine.
        log: The latest accesses, for messages.
        place: Says in words where a byte is; set by whoever runs the machine.
        keeps: Whether barriers keep the history, which proxies and clusters need.
        in_flight: Bytes that asynchronous operations still access.
        released_write, fenced_write: Which bytes' last writers are lanes that released
            the write, or fenced it, alone; their warps' clocks do not say so.
        silent_write, silent_read: Which bytes' last writers, or readers, are lanes that
            ended and released that access to nobody, whatever their warps' clocks say.
        released_reads: The same for the last readers, given which of them are known.
    """

    def __init__(
        self,
        n_ctas: int,
        stride_bytes: int,
        n_warps: int,
        *,
        is_precise: bool,
        keeps: bool = False,
        ctas_per_cluster: int = 1,
        tensor_tables: int = 0,
    ) -> None:
        total = n_ctas * stride_bytes
        self._n_warps = n_warps
        self._ctas_per_cluster = ctas_per_cluster
        self.keeps = keeps
        # CTAs with accesses of ended threads: no barrier of the others clears these.
        self._has_traces = np.zeros(n_ctas, np.bool_)
        self._stride_bytes = stride_bytes
        self._written = _by_width(np.zeros(total // 8, np.uint64))
        self._writer = _by_width(np.zeros(total // 8, np.uint64))
        self._reader = _by_width(np.zeros(total // 8, np.uint64))
        self.in_flight = InFlight(total)
        self.clocks = (
            WarpClocks(
                n_ctas,
                stride_bytes,
                n_warps,
                ctas_per_cluster,
                tensor_tables=tensor_tables,
            )
            if is_precise
            else None
        )
        self.log = AccessLog()
        self._at = 0
        self.released_write: Callable[[Offsets], Flags] = _none
        self.fenced_write: Callable[[Offsets], Flags] = _none
        self.silent_write: Callable[[Offsets], Flags] = _none
        self.silent_read: Callable[[Offsets], Flags] = _none
        self.released_reads: Callable[[Offsets, IsKnown], Flags] = _no_reads
        self.report: Report = _ignore
        self.place: Callable[[int], str] = lambda cell: f"offset {cell % stride_bytes}"

    def reset(self) -> None:
        """Starts new CTAs: nothing is written, all clocks are equal."""
        self._written[1][:] = 0
        self._has_traces[:] = False
        self.in_flight.reset()
        self._forget(slice(None))
        if self.clocks is not None:
            self.clocks.reset()

    def fill(self, cells: Offsets) -> None:
        """Marks bytes as initialised by the system."""
        self._written[1][cells] = NONE

    def _forget(self, part: slice) -> None:
        self._writer[1][part] = NONE
        self._reader[1][part] = NONE
        if part == slice(None):
            self.log.clear()

    # Synchronisation ---------------------------------------------------------------

    def _part(self, cta: int) -> slice:
        return slice(cta * self._stride_bytes, (cta + 1) * self._stride_bytes)

    def end_threads(self, cta: int, warps: Agents) -> None:
        """Threads of some warps of a CTA end while others of it go on."""
        if self.keeps or self._has_traces[cta]:
            return
        writer, reader = (t[1][self._part(cta)] for t in (self._writer, self._reader))
        left = (writer == ATOMIC).any() or (reader == MANY).any()
        self._has_traces[cta] = left or any(
            (writer == warp).any() or (reader == warp).any() for warp in warps
        )

    def synchronise_all(self, met: Callable[[], list[tuple[int, Agents]]]) -> None:
        """A barrier of all live threads within each CTA, given their warps."""
        is_whole = not self.keeps and not self._has_traces.any()
        if is_whole:
            self._forget(slice(None))
        if is_whole and self.clocks is None:
            return
        for cta, warps in met():
            self.synchronise_cta(cta, warps, is_forgotten=is_whole)

    def synchronise_cta(
        self, cta: int, warps: Agents, *, is_forgotten: bool = False
    ) -> None:
        """A barrier of all live threads of one CTA, given their warps."""
        if not self.keeps and not is_forgotten:
            self._forget_met(cta, warps)
        if self.clocks is not None:
            self.clocks.meet(cta, warps, warps)

    def _forget_met(self, cta: int, warps: Agents) -> None:
        """Forgets a CTA's accesses, unless others than those that met made some.

        Without clocks, those of the ones that met; of what many warps read it is not
        known who they were.
        """
        part = self._part(cta)
        if not self._has_traces[cta]:
            self._forget(part)
        elif self.clocks is None:
            for table in (self._writer, self._reader):
                table[1][part][np.isin(table[1][part], [*warps, ATOMIC, MANY])] = NONE

    def synchronise_warps(
        self,
        cta: int,
        arriving: Agents,
        waiting: Agents,
        released: Knowledge | None = None,
    ) -> None:
        """A barrier of some warps: orders `arriving` before `waiting`.

        `released` is the clock of those that arrived earlier and went on.
        """
        if self.clocks is not None:
            self.clocks.meet(cta, arriving, waiting, released)

    # Accesses ----------------------------------------------------------------------

    def read(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        *,
        scope: int = WEAK,
    ) -> None:
        """Checks and records reads of `size` bytes at `offsets`, aligned to `size`.

        Args:
            at: Number of the reading instruction.
            offsets: int64[n].
            size: 1, 2, 4, 8 or 16 bytes.
            warps: Number of the reading warp within its CTA, uint8[n].
            scope: Scope of a strong read; it does not race with strong writes whose
                scope includes it as well (PTX ISA, "Morally strong operations").
        """
        self._at = at
        self.log.add(Access(at, False, offsets, warps, size))
        offsets, size, warps = _split(offsets, size, warps)
        place = offsets >> (size.bit_length() - 1)
        own = warps.astype(_WORD[size]) * _ONES[size]
        if self.in_flight.is_busy:
            self._check_in_flight(offsets, size, warps, "read")
        if np.bitwise_and.reduce(self._written[size][place]) != _NONE[size]:
            self._uninitialised(offsets, size, warps)
        writer = self._writer[size][place]
        foreign = (writer != _NONE[size]) & (writer != own)
        if np.count_nonzero(foreign):
            which = np.flatnonzero(foreign)
            self._check_writer(
                at, offsets[which], size, warps[which], "reads", is_strong=scope != WEAK
            )
        if scope == WEAK:
            self._record_reader(offsets, place, size, warps, own)
        elif self.clocks is not None:
            cells = (offsets[:, None] + np.arange(size)).ravel()
            owners = np.repeat(warps, size)
            self._check_scope(cells, owners, scope, writes=False)
            self.clocks.note_strong_read(cells, owners, scope)

    def _record_reader(
        self, offsets: Offsets, place: Offsets, size: int, warps: Bytes, own: Bytes
    ) -> None:
        """Per byte: no reader, one warp, or many."""
        none, many = _NONE[size], _MANY[size]
        table = self._reader[size]
        before = table[place]
        free = (before == none) | (before == own)
        if size > 1 and np.count_nonzero(free) < len(free):
            uniform = (before & _BYTE[size]) * _ONES[size] == before
            if not uniform.all():
                mixed = np.flatnonzero(~uniform)
                cells = (offsets[mixed, None] + np.arange(size)).ravel()
                self._record_bytes(cells, np.repeat(warps[mixed], size))
                keep = np.flatnonzero(uniform)
                place, own, free = place[keep], own[keep], free[keep]
        after = np.where(free, own, many)
        table[place] = after
        shared = table[place] != after
        if np.count_nonzero(shared):
            table[place[shared]] = many
        if self.clocks is not None:
            cells = (offsets[:, None] + np.arange(size)).ravel()
            self.clocks.note_read(cells, np.repeat(warps, size))

    def _record_bytes(self, cells: Offsets, warps: Bytes) -> None:
        table = self._reader[1]
        before = table[cells]
        after = np.where((before == NONE) | (before == warps), warps, np.uint8(MANY))
        table[cells] = after
        shared = table[cells] != after
        table[cells[shared]] = MANY

    def write(
        self,
        at: int,
        offsets: Offsets,
        data: Bytes,
        warps: Bytes,
        memory: Bytes,
    ) -> None:
        """Checks, records and performs writes of `data` (uint8[n, size])."""
        size = data.shape[1]
        self._at = at
        self.log.add(Access(at, True, offsets, warps, size))
        self._before_write(at, offsets, size, warps, data, memory)
        self._store(at, offsets, data, warps, memory)

    def _before_write(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        data: Bytes | None,
        memory: Bytes,
        *,
        is_strong: bool = False,
    ) -> None:
        if self.in_flight.is_busy:
            self._check_in_flight(offsets, size, warps, "write")
        offsets, part, warps = _split(offsets, size, warps)
        place = offsets >> (part.bit_length() - 1)
        own = warps.astype(_WORD[part]) * _ONES[part]
        none = _NONE[part]
        writer = self._writer[part][place]
        foreign = (writer != none) & (writer != own)
        if np.count_nonzero(foreign):
            which = np.flatnonzero(foreign)
            cells = None if data is None else data.reshape(-1, part)[which]
            self._check_writer(
                at,
                offsets[which],
                part,
                warps[which],
                "overwrites",
                cells,
                memory,
                is_strong=is_strong,
            )
        reader = self._reader[part][place]
        foreign = (reader != none) & (reader != own)
        if np.count_nonzero(foreign):
            which = np.flatnonzero(foreign)
            self._check_readers(offsets[which], part, warps[which])
        if not is_strong and self.clocks is not None and self.clocks.strong.is_used:
            self._check_strong_readers(offsets, part, warps)

    def _store(
        self,
        at: int,
        offsets: Offsets,
        data: Bytes,
        warps: Bytes,
        memory: Bytes,
        clock: int | None = None,
    ) -> None:
        size = data.shape[1]
        offsets, part, warps = _split(offsets, size, warps)
        word = _WORD[part]
        place = offsets >> (part.bit_length() - 1)
        values = np.ascontiguousarray(data).reshape(-1).view(word)
        target = memory.view(word)
        target[place] = values
        if not (target[place] == values).all():
            self._same_step(at, offsets, part, warps, target[place] != values)
        self._written[part][place] = _NONE[part]
        self._writer[part][place] = warps.astype(word) * _ONES[part]
        if self.clocks is not None:
            cells = (offsets[:, None] + np.arange(part)).ravel()
            self.clocks.note_write(cells, np.repeat(warps, part), clock)

    def atomic(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        memory: Bytes,
        scope: int = DEVICE,
    ) -> None:
        """Checks and records atomic updates; they race with weak accesses."""
        cells = (offsets[:, None] + np.arange(size)).ravel()
        if not self._written[1][cells].all():
            self._at = at
            self._uninitialised(cells, 1, np.repeat(warps, size))
        self._update(at, offsets, size, warps, memory, scope, reads=True)

    def write_strong(
        self,
        at: int,
        offsets: Offsets,
        data: Bytes,
        warps: Bytes,
        memory: Bytes,
        scope: int,
    ) -> None:
        """Performs strong writes, uint8[n, size]; they race with weak accesses."""
        size = int(data.shape[1])
        cells = self._update(at, offsets, size, warps, memory, scope, reads=False)
        memory[cells] = data.ravel()
        self._written[1][cells] = NONE

    def _update(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        memory: Bytes,
        scope: int,
        *,
        reads: bool,
    ) -> Offsets:
        """Checks and records strong writes; returns the bytes."""
        self._at = at
        self.log.add(Access(at, True, offsets, warps, size))
        cells: Offsets = (offsets[:, None] + np.arange(size)).ravel()
        owners = np.repeat(warps, size)
        self._before_write(at, cells, 1, owners, None, memory, is_strong=True)
        self._writer[1][cells] = ATOMIC
        if self.clocks is not None:
            self._check_scope(cells, owners, scope, writes=True)
            self.clocks.note_update(cells, owners, scope, reads=reads)
        return cells

    # Findings ----------------------------------------------------------------------

    def _uninitialised(self, offsets: Offsets, size: int, warps: Bytes) -> None:
        cells = offsets[:, None] + np.arange(size)
        bad = np.argwhere(self._written[1][cells] == 0)
        which, byte = (int(x) for x in bad[0])
        count = len(np.unique(bad[:, 0]))
        self.report(
            "uninitialised",
            f"{self.name(int(warps[which]))} reads shared memory at "
            f"{self.place(int(cells[which, byte]))} that nobody wrote "
            f"({count} of {len(offsets)} accesses)",
            self._at,
        )

    def _check_in_flight(
        self, offsets: Offsets, size: int, warps: Bytes, verb: str
    ) -> None:
        cells = offsets[:, None] + np.arange(size)
        found = self.in_flight.conflict(cells, is_write=verb != "read")
        if found is None:
            return
        row, other, is_target = found
        what = "copy to it" if is_target else "operation that reads it"
        self.report(
            "copy in flight",
            f"{verb} of shared memory at {self.place(int(offsets[row]))} by "
            f"{self.name(int(warps[row]))} before the asynchronous {what} was waited "
            f"for, {self.log.where(other)}; wait for it with "
            f"{self.log.wait_for(other)} first",
            self._at,
        )

    def _check_writer(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        verb: str,
        data: Bytes | None = None,
        memory: Bytes | None = None,
        *,
        is_strong: bool = False,
    ) -> None:
        """Reports bytes whose last write, by another warp, does not happen before."""
        cells = offsets[:, None] + np.arange(size)
        writer = self._writer[1][cells]
        mine = np.broadcast_to(warps[:, None], cells.shape)
        bad = (writer != NONE) & (writer != mine)
        if is_strong:
            bad &= writer != ATOMIC
        if self.clocks is not None:
            by_atomics = bad & (writer == ATOMIC)
            bad &= writer != ATOMIC
            writers = np.where(bad, writer, np.uint8(0))
            silent = bad & self.silent_write(cells)
            bad &= ~self.clocks.is_after_write(cells, mine, writers)
            if bad.any():
                bad &= ~self.released_write(cells)
            bad |= silent
            if by_atomics.any():
                bad |= by_atomics & ~self.clocks.is_after_updates(cells, mine)
        same = np.zeros(cells.shape, np.bool_)
        if data is not None and memory is not None:
            same = memory[cells] == data
        for which, byte in np.argwhere(bad):
            cell = int(cells[which, byte])
            other = int(writer[which, byte])
            own = int(warps[which]) if other == ATOMIC else -1
            other_at = self.log.last(cell, is_write=True, other_than=own)
            who = "another warp" if other == ATOMIC else self.name(other)
            if same[which, byte] and other_at == at:
                continue
            self.report(
                "race",
                f"{self.name(int(warps[which]))} {verb} shared memory at "
                f"{self.place(cell)} that {who} wrote "
                f"{self.log.where(other_at)} with no barrier between",
                self._at,
            )
            return

    def _check_readers(self, offsets: Offsets, size: int, warps: Bytes) -> None:
        """Reports writes to bytes that another warp's unordered reads touch."""
        cells = offsets[:, None] + np.arange(size)
        reader = self._reader[1][cells]
        mine = np.broadcast_to(warps[:, None], cells.shape)
        bad = (reader != NONE) & (reader != mine)
        if self.clocks is not None:
            clocks = self.clocks
            silent = bad & self.silent_read(cells)
            bad &= ~clocks.is_after_reads(cells, mine)
            if bad.any():
                bad &= ~self.released_reads(
                    cells, lambda when, who: clocks.knows_at(cells, mine, who) >= when
                )
            bad |= silent
        for which, byte in np.argwhere(bad)[:1]:
            other = int(reader[which, byte])
            who = "another warp" if other == MANY else self.name(other)
            self._accuse_writer(int(warps[which]), int(cells[which, byte]), who)

    def _check_strong_readers(self, offsets: Offsets, size: int, warps: Bytes) -> None:
        """The same for strong reads, which race with weak writes only."""
        cells = (offsets[:, None] + np.arange(size)).ravel()
        owners = np.repeat(warps, size)
        known = cast(WarpClocks, self.clocks).is_after_strong_reads(cells, owners)
        for which in np.flatnonzero(~known)[:1]:
            self._accuse_writer(int(owners[which]), int(cells[which]), "another warp")

    def _check_scope(
        self, cells: Offsets, warps: Bytes, scope: int, *, writes: bool
    ) -> None:
        """Reports strong accesses of two CTAs that are not in each other's scope."""
        clocks = self.clocks
        if clocks is None or self._ctas_per_cluster == 1 or not clocks.strong.is_used:
            return
        fine = clocks.is_in_scope(cells, warps, scope, writes=writes)
        for which in np.flatnonzero(~fine)[:1]:
            warp, cell = int(warps[which]), int(cells[which])
            other_at = self.log.touched(cell, other_than=warp)
            self.report(
                "race",
                f"{self.name(warp)} and a warp of another CTA touch shared memory at "
                f"{self.place(cell)} with .cta scope, the other "
                f"{self.log.where(other_at)}; expected .cluster or wider on both, or "
                f"a barrier between",
                self._at,
            )

    def _accuse_writer(self, warp: int, cell: int, who: str) -> None:
        other_at = self.log.last(cell, is_write=False, other_than=warp)
        self.report(
            "race",
            f"{self.name(warp)} overwrites shared memory at "
            f"{self.place(cell)} that {who} read {self.log.where(other_at)} "
            f"with no barrier between",
            self._at,
        )

    def _same_step(
        self,
        at: int,
        offsets: Offsets,
        size: int,
        warps: Bytes,
        lost: NDArray[np.bool_],
    ) -> None:
        which = int(np.flatnonzero(lost)[0])
        others = np.flatnonzero(offsets == offsets[which])
        parties = " and ".join(
            self.name(w) for w in sorted({int(warps[o]) for o in others})
        )
        self.report(
            "race",
            f"lanes of {parties} write different values to shared memory at "
            f"{self.place(int(offsets[which]))} with one instruction; let one lane "
            "write",
            self._at,
        )

    def name(self, agent: int) -> str:
        """Names a warp or an asynchronous agent."""
        warps = self._n_warps * self._ctas_per_cluster
        if agent < warps:
            cta, warp = divmod(agent, self._n_warps)
            return f"warp {warp}" + (f" of CTA rank {cta}" if cta else "")
        if self.clocks is not None and agent < self.clocks.n_readers:
            return "a tensor core"
        return "an asynchronous copy"


def _by_width(words: NDArray[np.uint64]) -> dict[int, Array]:
    return {size: words.view(word) for size, word in _WORD.items()}


def _split(offsets: Offsets, size: int, warps: Bytes) -> tuple[Offsets, int, Bytes]:
    """Makes accesses of 16 or 32 bytes into 8-byte ones, of 12 into 4-byte ones."""
    if size <= 8:
        return offsets, size, warps
    part = min(size & -size, 8)
    cells = (offsets[:, None] + np.arange(0, size, part)).ravel()
    return cells, part, np.repeat(warps, size // part)


def _none(cells: Offsets) -> Flags:
    return np.zeros(cells.shape, np.bool_)


def _no_reads(cells: Offsets, is_known: IsKnown) -> Flags:
    return np.zeros(cells.shape, np.bool_)


def _ignore(kind: str, message: str, at: int) -> None:
    """Stands in until a report function is set."""
