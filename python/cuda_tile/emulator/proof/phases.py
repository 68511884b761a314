# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers on one path: their phases, and what these hand on.

One order of the threads is followed. It stands for all of them if no wait can be taken
for one of another phase, and no arrival counts in another one. So it is proved of each

- that who arrives in a phase, or waits for it, knows that the phase before is complete:
  it cannot come too early in any order;
- that who arrives last in a phase knows that the waits for the phase before are over:
  a wait cannot come too late, when the parity is that of the next phase but one;
- that a phase has as many arrivals as its count says, and each thread's copies bring
  the bytes that it told the phase to expect before.

PTX ISA: "mbarrier", "Phase of the mbarrier object", "tx-count".
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.proof.shadow import NOBODY, TENSOR, WARP, Doubt, Shadow
from cuda_tile.emulator.ptx.types import Array


@dataclass(eq=False)
class Phases:
    """One mbarrier.

    Attributes:
        count: Arrivals of a phase.
        made: The row of its initialisation.
        gathers: The column of the current phase: what its arrivals know.
        hands_on: The column of the phases that are complete.
        parity: Of the current phase.
        pending: Arrivals that are to come in it.
        expected: Bytes that each thread expects in it, less those of its copies.
        before: The rows that say that the phase before is complete, and that before.
        over: The rows of the waits for the phase before that are over.
    """

    count: int
    made: int
    gathers: int
    hands_on: int
    pending: int
    before: tuple[int, int]
    parity: int = 0
    expected: dict[int, int] = field(default_factory=dict[int, int])
    over: Array = field(default_factory=lambda: np.zeros(0, np.int32))

    def copy(self) -> Phases:
        """The same of another path."""
        return Phases(
            *(self.count, self.made, self.gathers, self.hands_on, self.pending),
            *(self.before, self.parity, dict(self.expected), self.over),
        )

    def rows(self) -> list[int]:
        """The rows that matter to it."""
        return [self.made, *self.before, *map(int, self.over)]

    def number(self, new: Array) -> None:
        """Gives rows new numbers."""
        self.made = int(new[self.made])
        self.before = int(new[self.before[0]]), int(new[self.before[1]])
        self.over = new[self.over]

    def key(self, signatures: Array) -> tuple[object, ...]:
        """What tells its state from others."""
        rows = (int(signatures[row]) for row in (self.made, *self.before))
        over = frozenset(map(int, signatures[self.over]))
        expected = frozenset(self.expected.items())
        return (self.count, self.parity, self.pending, expected, over, *rows)

    def expect(self, shadow: Shadow, threads: Array, size: int) -> None:
        """Threads expect bytes in the current phase.

        Args:
            shadow: Shared memory.
            threads: They.
            size: Bytes of each.

        Raises:
            Doubt: They may be in another phase.
        """
        self._must_know(shadow, threads, self.before[1], "arrives")
        for thread in map(int, threads) if size else ():
            self.expected[thread] = self.expected.get(thread, 0) + size

    def arrive(self, shadow: Shadow, threads: Array, counts: int, size: int) -> bool:
        """Threads arrive.

        Args:
            shadow: Shared memory.
            threads: They.
            counts: Arrivals of each.
            size: Bytes that each expects from now on.

        Returns:
            Whether the phase is complete.

        Raises:
            Doubt: They may be in another phase, or too many.
        """
        self.expect(shadow, threads, size)
        shadow.rows.tell(np.array([self.gathers]), threads)
        shadow.release(threads)
        self.pending -= counts * threads.size
        if self.pending < 0 or counts < 1:
            raise Doubt("arrives more often than the mbarrier counts")
        return self.settles(shadow)

    def tracks(self, shadow: Shadow, thread: int, rows: list[int]) -> bool:
        """A thread's commit of products arrives once they are complete.

        What the thread has heard of others is handed on, too, and that its waits are
        over, but not what its warp did itself.

        Args:
            shadow: Shared memory.
            thread: The thread.
            rows: Its products.

        Returns:
            Whether the phase is complete.

        Raises:
            Doubt: It may be in another phase, or one arrival too many.
        """
        self._must_know(shadow, np.array([thread]), self.before[1], "arrives")
        of = shadow.rows
        if not of.fenced[self.made, thread]:
            raise Doubt("arrives at an mbarrier with no fence after its mbarrier.init")
        others = (of.owner // WARP != thread // WARP) | of.is_wait
        of.known[:, self.gathers] |= of.known[:, thread] & others
        others &= of.owner != TENSOR
        of.fenced[:, self.gathers] |= of.fenced[:, thread] & others
        of.known[rows, self.gathers] = True
        self.pending -= 1
        if self.pending < 0:
            raise Doubt("arrives more often than the mbarrier counts")
        return self.settles(shadow)

    def copies(self, shadow: Shadow, thread: int, size: int, row: int) -> bool:
        """A copy of a thread completes in the current phase.

        Args:
            shadow: Shared memory.
            thread: Who starts it.
            size: Its bytes.
            row: Its row.

        Returns:
            Whether the phase is complete.

        Raises:
            Doubt: The phase may not wait for it.
        """
        if not shadow.rows.fenced[self.made, thread]:
            raise Doubt(
                "completes on an mbarrier with no fence after its mbarrier.init"
            )
        left = self.expected.get(thread, 0) - size
        if left < 0:
            raise Doubt("copies more bytes than its thread expected before")
        self.expected[thread] = left
        shadow.rows.known[row, self.gathers] = True
        return self.settles(shadow)

    def settles(self, shadow: Shadow) -> bool:
        """Completes the phase if all has arrived."""
        if self.pending or any(self.expected.values()):
            return False
        rows = shadow.rows
        if not rows.known[self.over, self.gathers].all():
            raise Doubt("completes a phase while a wait for that before may go on")
        gathers, hands_on = np.array([self.gathers]), np.array([self.hands_on])
        rows.tell(hands_on, gathers)
        rows.known[:, gathers] = rows.fenced[:, gathers] = False
        (row,) = rows.add(np.array([NOBODY], np.int32), is_wait=True)
        rows.known[row, self.hands_on] = True
        self.before = self.before[1], int(row)
        self.pending, self.parity = self.count, self.parity ^ 1
        self.expected, self.over = {}, np.zeros(0, np.int32)
        return True

    def wait(self, shadow: Shadow, threads: Array, parity: int) -> bool:
        """Threads ask for a phase.

        Args:
            shadow: Shared memory.
            threads: They.
            parity: Of the phase.

        Returns:
            Whether it is complete, so that they go on.

        Raises:
            Doubt: They may take another phase for it.
        """
        is_over = parity != self.parity
        self._must_know(shadow, threads, self.before[0 if is_over else 1], "waits")
        if is_over:
            shadow.rows.tell(threads, np.array([self.hands_on]))
            owners = threads.astype(np.int32)
            news = shadow.rows.add(owners, is_wait=True)
            self.over = np.concatenate([self.over, news]).astype(np.int32)
        return is_over

    def _must_know(self, shadow: Shadow, threads: Array, row: int, what: str) -> None:
        known = shadow.rows.known
        if not (known[row, threads].all() and known[self.made, threads].all()):
            raise Doubt(f"{what} in a phase that may not be the one it is meant for")


@dataclass(eq=False)
class Mbarriers:
    """All mbarriers of a path.

    Attributes:
        at: They, by address.
    """

    at: dict[int, Phases] = field(default_factory=dict[int, Phases])

    def copy(self) -> Mbarriers:
        """The same of another path."""
        return Mbarriers({place: one.copy() for place, one in self.at.items()})

    def expects(self) -> bool:
        """Whether a phase still waits for bytes."""
        return any(any(one.expected.values()) for one in self.at.values())

    def make(self, shadow: Shadow, place: int, count: int, thread: int) -> None:
        """A thread initialises one.

        Args:
            shadow: Shared memory.
            place: Its address.
            count: Arrivals of a phase.
            thread: Who does.

        Raises:
            Doubt: There is one, or its count is none.
        """
        if place in self.at or count < 1 or place % 8:
            raise Doubt("makes an mbarrier anew, or none")
        columns = shadow.rows.column(), shadow.rows.column()
        owner = np.array([thread], np.int32)
        (row,) = map(int, shadow.rows.add(owner, is_wait=True))
        self.at[place] = Phases(count, row, *columns, count, (row, row))

    def find(self, place: int) -> Phases:
        """The mbarrier at an address.

        Raises:
            Doubt: There is none.
        """
        if place not in self.at:
            raise Doubt("uses an mbarrier that nobody has initialised")
        return self.at[place]
