# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which accesses to shared memory nothing orders before what comes next.

Happens-before without clocks: accesses that a thread makes between two of its releases
are one row, and of each row it is noted who knows of it: threads, and mbarriers, which
gather what arrives in their phase and hand it on when that is complete. A second table
has what is known through a proxy fence. An access is ordered if its thread knows of all
rows that are in conflict with it. PTX ISA: "Memory Consistency Model", "Proxies",
"cp.async". More lenient in one point, as the emulator is: a bulk copy over what threads
have read needs no proxy fence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from typing_extensions import Self

from cuda_tile.emulator.proof.mixing import mixed, mixed_flags
from cuda_tile.emulator.ptx.types import Array

WARP = 32
MOST_BYTES = 1 << 18
NOBODY = -1
TENSOR = -2
"""The owner of accesses to tensor memory."""
_READ = 0x2545F4914F6CDD1D
"""An odd number, so that who reads a unit is told from who writes it."""


class Doubt(Exception):
    """Why a kernel is not proved."""


@dataclass(eq=False)
class Rows:
    """Which threads know of which accesses, completed waits, and phases.

    Attributes:
        known: Of each row, whether a thread or mbarrier knows of it.
        fenced: The same through a proxy fence.
        owner: The thread whose accesses a row is; NOBODY of what is asynchronous, and
            TENSOR of accesses to tensor memory, for which `fenced` says who may rely on
            their end: after a `tcgen05.fence::after_thread_sync` of one's own.
        is_wait: Whether it is no access, but a wait that is over.
    """

    known: Array
    fenced: Array
    owner: Array
    is_wait: Array

    @classmethod
    def of(cls, n_threads: int) -> Self:
        """None yet."""
        none = np.zeros((0, n_threads), bool)
        return cls(none, none, np.zeros(0, np.int32), np.zeros(0, bool))

    def copy(self) -> Rows:
        """The same of another path."""
        return Rows(self.known.copy(), self.fenced.copy(), self.owner, self.is_wait)

    def column(self) -> int:
        """One more that may know."""
        self.known = np.pad(self.known, ((0, 0), (0, 1)))
        self.fenced = np.pad(self.fenced, ((0, 0), (0, 1)))
        return self.known.shape[1] - 1

    def forget_columns(self, n_threads: int) -> None:
        """Nobody asks any more what mbarriers know."""
        self.known[:, n_threads:] = self.fenced[:, n_threads:] = False

    def add(self, owners: Array, *, is_wait: bool = False) -> Array:
        """Rows of some threads, who know of their own, or of what is asynchronous."""
        first, n = len(self.owner), len(owners)
        new = np.zeros((n, self.known.shape[1]), bool)
        own = np.flatnonzero(owners >= 0)
        new[own, owners[own]] = True
        self.known = np.concatenate([self.known, new])
        self.fenced = np.concatenate([self.fenced, np.zeros_like(new)])
        self.owner = np.concatenate([self.owner, owners])
        self.is_wait = np.concatenate([self.is_wait, np.full(n, is_wait)])
        return np.arange(first, first + n)

    def tell(self, who: Array, whom: Array) -> None:
        """Some know all that any of others know.

        Args:
            who: The columns of those that learn.
            whom: The columns of the others.
        """
        for table in (self.known, self.fenced):
            news = table[:, whom].any(axis=1)
            if table is self.fenced:
                news &= self.owner != TENSOR
            table[np.flatnonzero(news)[:, None], who] = True

    def fence(self, threads: Array, *, of_waits: bool = False) -> None:
        """A proxy fence of threads covers all that they know.

        Args:
            threads: They.
            of_waits: Whether it covers no accesses, but mbarriers.
        """
        news = self.known[:, threads] & (self.owner != TENSOR)[:, None]
        self.fenced[:, threads] |= news & self.is_wait[:, None] if of_waits else news

    def fence_columns(self, threads: Array) -> None:
        """Threads may rely on accesses to tensor memory of whose end they know."""
        news = self.known[:, threads] & (self.owner == TENSOR)[:, None]
        self.fenced[:, threads] |= news


@dataclass(eq=False)
class Shadow:
    """The state of shared memory, by units of the kernel.

    Attributes:
        n_threads: Threads of the CTA.
        rows: Who knows of what.
        writer: The row that wrote each unit; NOBODY if no one has, or all know.
        reader: The set of rows that read it since, by number; 0 for none.
        sets: The sets of rows.
        numbers: The number of each set.
        current: The row of each thread, NOBODY if its next access begins one.
        flying: Whether a copy to it by `cp.async` is in flight.
        groups: These copies in groups, the open one last: units, threads.
        is_proxied: Whether the kernel has asynchronous operations of another proxy.
        gone: The threads that have ended, to which it matters no more what they know.
        words: The units that have the address of tensor memory.
    """

    n_threads: int
    rows: Rows
    writer: Array
    reader: Array
    sets: list[tuple[int, ...]]
    numbers: dict[tuple[int, ...], int]
    current: Array
    flying: Array
    groups: list[list[tuple[Array, Array]]] = field(
        default_factory=lambda: [list[tuple[Array, Array]]()]
    )
    is_proxied: bool = True
    gone: Array = field(default_factory=lambda: np.zeros(0, bool))
    words: frozenset[int] = frozenset()

    @classmethod
    def of(cls, n_threads: int, n_units: int, *, is_proxied: bool) -> Shadow:
        """Nothing has happened yet.

        Args:
            n_threads: Threads of the CTA.
            n_units: Units of shared memory.
            is_proxied: Whether there are asynchronous operations of another proxy.
        """
        writer, reader = np.full(n_units, NOBODY, np.int32), np.zeros(n_units, np.int32)
        current, flying = np.full(n_threads, NOBODY, np.int32), np.zeros(n_units, bool)
        rows = Rows.of(n_threads)
        found = cls(n_threads, rows, writer, reader, [()], {(): 0}, current, flying)
        found.is_proxied, found.gone = is_proxied, np.zeros(n_threads, bool)
        return found

    def copy(self) -> Shadow:
        """Another one in the same state."""
        return Shadow(
            self.n_threads,
            self.rows.copy(),
            self.writer.copy(),
            self.reader.copy(),
            list(self.sets),
            dict(self.numbers),
            self.current.copy(),
            self.flying.copy(),
            [list(group) for group in self.groups],
            self.is_proxied,
            self.gone.copy(),
            self.words,
        )

    # Accesses of threads -----------------------------------------------------------

    def own_rows(self, threads: Array) -> Array:
        """The rows of the accesses that threads make now, one for each named."""
        without = np.unique(threads[self.current[threads] == NOBODY])
        if without.size:
            self.current[without] = self.rows.add(without.astype(np.int32))
        return self.current[threads]

    def reads(self, places: Array, threads: Array) -> None:
        """Threads read units.

        Args:
            places: The units, one for each thread that follows.
            threads: The threads.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        self._checked(places, threads, is_write=False)
        self.note_read(places, self.own_rows(threads))

    def note_read(self, places: Array, rows: Array) -> None:
        """Adds rows to those that have read units since their last write."""
        pairs = np.unique(places.astype(np.int64) << 32 | rows)
        places, rows = pairs >> 32, pairs & 0xFFFFFFFF
        starts = np.flatnonzero(np.diff(places, prepend=-1))
        stops, units = np.append(starts[1:], rows.size), places[starts]
        news = np.add.reduceat(mixed(rows[:, None]), starts)
        before = self.reader[units]
        said = mixed(np.stack([before, news, stops - starts], axis=1))
        _, firsts, which = np.unique(said, return_index=True, return_inverse=True)
        found = np.empty(firsts.size, np.int32)
        for place, first in enumerate(firsts):
            more = rows[starts[first] : stops[first]].tolist()
            members = tuple(sorted({*self.sets[before[first]], *more}))
            number = self.numbers.setdefault(members, len(self.sets))
            if number == len(self.sets):
                self.sets.append(members)
            found[place] = number
        self.reader[units] = found[which.ravel()]

    def note_row(self, places: Array, row: int) -> None:
        """Adds one row to those that have read units; a unit may come several times."""
        before = self.reader[places]
        grown = np.zeros(len(self.sets), np.int32)
        for number in _numbers(before):
            members = tuple(sorted({*self.sets[number], row}))
            grown[number] = self.numbers.setdefault(members, len(self.sets))
            if grown[number] == len(self.sets):
                self.sets.append(members)
        self.reader[places] = grown[before]

    def writes(self, places: Array, threads: Array) -> None:
        """Threads write units.

        Args:
            places: The units, one for each thread that follows.
            threads: The threads.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        self._checked(places, threads, is_write=True)
        rows = self.own_rows(threads)
        self.writer[places] = rows
        if (self.writer[places] != rows).any():
            raise Doubt("writes what another thread writes in the same instruction")
        self.reader[places] = 0

    def _checked(self, places: Array, threads: Array, *, is_write: bool) -> None:
        """Refuses accesses of threads that something before is not ordered with."""
        if is_write and self.words:
            self.words -= {*places.tolist()}
        if self.flying[places].any():
            raise Doubt("touches bytes to which a copy is in flight")
        writer = self.writer[places]
        some = writer != NOBODY
        if not self.rows.known[writer[some], threads[some]].all():
            raise Doubt("touches what another thread writes, with no barrier between")
        if not is_write:
            return
        reader = self.reader[places]
        for number in _numbers(reader):
            who = _numbers(threads[reader == number])
            if not self.rows.known[list(self.sets[number])][:, who].all():
                raise Doubt("writes what another thread reads, with no barrier between")

    # Copies of cp.async ------------------------------------------------------------

    def copies(self, places: Array, threads: Array) -> None:
        """Threads start copies to units.

        Args:
            places: The units, one for each thread that follows.
            threads: The threads.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        self._checked(places, threads, is_write=True)
        if np.unique(places).size != places.size:
            raise Doubt("copies to what another thread copies to")
        self.flying[places] = True
        self.groups[-1].append((places, threads))

    def commits(self) -> None:
        """Copies since the last commit become a group."""
        self.groups.append([])

    def waits(self, left: int, *, is_all: bool = False) -> None:
        """All groups but the youngest have landed.

        Args:
            left: How many may still be in flight.
            is_all: Whether what was not committed has landed, too.
        """
        if is_all:
            self.commits()
        count = max(0, len(self.groups) - 1 - left)
        landed, self.groups = self.groups[:count], self.groups[count:]
        for places, threads in (copy for group in landed for copy in group):
            self.flying[places] = False
            self.writer[places] = self.own_rows(threads)
            self.reader[places] = 0

    # Operations of the asynchronous proxy ------------------------------------------

    def begin_async(self, places: Array, threads: Array, *, is_write: bool) -> int:
        """Threads start an operation that touches units until somebody hears of it.

        Args:
            places: The units.
            threads: The threads, each of which must know of all before.
            is_write: Whether it writes.

        Returns:
            Its row, of which nobody knows.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        if self.flying[places].any():
            raise Doubt("touches bytes to which a copy is in flight")
        writers = np.array(_numbers(self.writer[places] - NOBODY), np.int64) + NOBODY
        writers = writers[writers != NOBODY]
        is_async = self.rows.owner[writers] == NOBODY
        for rows, known in (
            (writers[is_async], self.rows.known),
            (writers[~is_async], self.rows.fenced),
        ):
            if not known[rows][:, threads].all():
                raise Doubt("touches what a thread writes, with no barrier or no fence")
        for number in _numbers(self.reader[places]) if is_write else ():
            if not self.rows.known[list(self.sets[number])][:, threads].all():
                raise Doubt("writes what a thread reads, with no barrier between")
        (row,) = self.rows.add(np.array([NOBODY], np.int32))
        if is_write:
            self.words -= {*places.tolist()}
            self.writer[places], self.reader[places] = row, 0
        else:
            self.note_row(places, int(row))
        return int(row)

    # Synchronisation ---------------------------------------------------------------

    def release(self, threads: Array) -> None:
        """Begins a new row for later accesses of threads."""
        self.current[threads] = NOBODY

    def meet(self, threads: Array) -> None:
        """Threads meet at a barrier."""
        self.rows.tell(threads, threads)
        self.release(threads)

    def warp_barrier(self, warps: Array) -> None:
        """All threads of some warps meet, warp by warp."""
        for warp in warps:
            first = int(warp) * WARP
            self.meet(np.arange(first, min(first + WARP, self.n_threads)))

    # States ------------------------------------------------------------------------

    def is_landed(self) -> bool:
        """Whether of each bulk copy some thread knows that it is over."""
        rows = np.unique(self.writer[self.writer != NOBODY])
        rows = rows[self.rows.owner[rows] == NOBODY]
        return bool(self.rows.known[rows, : self.n_threads].any(axis=1).all())

    def tidy(self, used: Array) -> Array:
        """Drops the rows that matter no more.

        Args:
            used: Rows that matter for another reason.

        Returns:
            The new number of each row; NOBODY of those that are gone.
        """
        rows, n_threads = self.rows, self.n_threads
        table = rows.fenced if self.is_proxied else rows.known
        there = np.append(~self.gone, np.zeros(rows.known.shape[1] - n_threads, bool))
        heard = np.asarray((rows.known | ~there).all(axis=1))
        fenced = np.asarray((table | ~there).all(axis=1))
        heard = np.where(rows.owner == TENSOR, fenced, heard)
        is_over = np.where(rows.owner == NOBODY, heard, fenced)
        writer = self.writer
        padded = np.append(is_over, [False])
        writer[padded[writer]] = NOBODY
        kept = [
            tuple(row for row in members if not heard[row]) for members in self.sets
        ]
        self._intern(kept)
        matters = np.zeros(len(rows.owner), bool)
        matters[writer[writer != NOBODY]] = True
        for number in _numbers(self.reader):
            matters[list(self.sets[number])] = True
        matters[used] = True
        matters[self.current[self.current != NOBODY]] = True
        new = np.where(matters, np.cumsum(matters) - 1, NOBODY).astype(np.int32)
        rows.known, rows.fenced = rows.known[matters], rows.fenced[matters]
        rows.owner, rows.is_wait = rows.owner[matters], rows.is_wait[matters]
        self._number(new)
        return new

    def _number(self, new: Array) -> None:
        """Gives rows new numbers."""
        some = self.writer != NOBODY
        self.writer[some] = new[self.writer[some]]
        open_ = self.current != NOBODY
        self.current[open_] = new[self.current[open_]]
        used = {*_numbers(self.reader)}
        kept = [
            tuple(int(new[row]) for row in members) if number in used else ()
            for number, members in enumerate(self.sets)
        ]
        self._intern(kept)

    def _intern(self, sets: list[tuple[int, ...]]) -> None:
        """Puts sets in the place of those so far, each once, the empty one first."""
        self.numbers = {(): 0}
        found = [self.numbers.setdefault(rows, len(self.numbers)) for rows in sets]
        self.sets = list(self.numbers)
        self.reader = np.array(found, np.int32)[self.reader]

    def signatures(self) -> Array:
        """A number of each row: the same for rows that differ in nothing."""
        rows = self.rows
        owners = mixed(rows.owner.astype(np.int64)[:, None], 1)
        return owners ^ mixed_flags(rows.known, rows.fenced, rows.is_wait[:, None])

    def key(self, signatures: Array) -> bytes:
        """What tells its state from others."""
        padded = np.append(signatures, NOBODY)
        members = [
            hash(tuple(sorted({int(signatures[row]) for row in rows})))
            for rows in self.sets
        ]
        readers = np.array(members, np.int64)[self.reader]
        said = blake2b(digest_size=16)
        units = padded[self.writer] + _READ * readers + self.flying
        said.update(mixed(units).tobytes() + mixed(units, 1).tobytes())
        for group in self.groups:
            said.update(b"|")
            for places, threads in group:
                said.update(places.tobytes() + threads.tobytes())
        return said.digest()


def _numbers(array: Array) -> list[int]:
    """Each number of an array, none below 0, once."""
    return np.flatnonzero(np.bincount(array)).tolist()
