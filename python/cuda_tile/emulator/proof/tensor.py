# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor memory on one path: who may touch its columns.

PTX ISA: "Tensorcore 5th Generation", "tcgen05 Memory Consistency Model". An access is a
row of the shadow of which nobody knows until it is complete: a load or store of a warp
once the warp has waited for it, a product once its thread's commit has made a phase of
an mbarrier complete. Others hear of a load or store only behind the warp's
`fence::before_thread_sync`, which a commit implies, and may touch the same columns only
behind their own `fence::after_thread_sync`. Products of one thread on the same sum are
made in order. Stricter than the emulator, which takes what is released and acquired for
ordered without fences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from cuda_tile.emulator.proof.products import renumbered
from cuda_tile.emulator.proof.shadow import NOBODY, TENSOR, WARP, Doubt, Shadow
from cuda_tile.emulator.ptx.types import Array

HALVES = 8
"""Parts of 16 lanes of a column."""
COLUMNS = 512
UNITS = HALVES * COLUMNS
"""Units of the shadow, behind those of shared memory: 16 lanes of one column."""
Sum = tuple[int, int, int, str]
"""First column, rows, columns and kind of a product: what makes it one of a chain."""
Ways = Literal["ld", "st"]


@dataclass(eq=False)
class TensorMemory:
    """The columns of a CTA, and what has been started on them.

    Attributes:
        columns: How many columns are allocated; 0 for none.
        owner: The warp that has allocated them.
        is_used: Whether some have been, at any time.
        flying: Loads and stores of warps that have not waited for them.
        complete: Those that no fence has made known to others.
        issued: Products of threads, each with its sum; of what it reads from shared
            memory the row has none.
    """

    columns: int = 0
    owner: int = NOBODY
    is_used: bool = False
    flying: dict[tuple[int, Ways], tuple[int, ...]] = field(
        default_factory=dict[tuple[int, Ways], tuple[int, ...]]
    )
    complete: dict[int, tuple[int, ...]] = field(
        default_factory=dict[int, tuple[int, ...]]
    )
    issued: dict[int, dict[int, Sum | None]] = field(
        default_factory=dict[int, "dict[int, Sum | None]"]
    )

    def copy(self) -> TensorMemory:
        """The same of another path."""
        issued = {thread: dict(rows) for thread, rows in self.issued.items()}
        return TensorMemory(
            *(self.columns, self.owner, self.is_used),
            *(dict(self.flying), dict(self.complete), issued),
        )

    def rows(self) -> list[int]:
        """The rows that matter to it: what a warp has not waited for, or not told."""
        held = (*self.flying.values(), *self.complete.values())
        return [row for rows in held for row in rows]

    def number(self, new: Array) -> None:
        """Gives rows new numbers, and drops those of which nobody asks any more."""
        self.flying = {at: renumbered(rows, new) for at, rows in self.flying.items()}
        self.complete = {w: renumbered(rows, new) for w, rows in self.complete.items()}
        self.issued = {
            thread: {
                int(new[row]): sum_ for row, sum_ in rows.items() if new[row] != NOBODY
            }
            for thread, rows in self.issued.items()
        }

    def key(self, signatures: Array) -> tuple[object, ...]:
        """What tells its state from others."""
        held = tuple(
            frozenset(
                (at, frozenset(int(signatures[row]) for row in rows))
                for at, rows in table.items()
                if rows
            )
            for table in (self.flying, self.complete)
        )
        issued = frozenset(
            (thread, int(signatures[row]), sum_)
            for thread, rows in self.issued.items()
            for row, sum_ in rows.items()
        )
        return self.columns, self.owner, self.is_used, held, issued

    def allocate(self, warp: int, columns: int) -> None:
        """A warp allocates columns.

        Raises:
            Doubt: Their number is none, or some have been allocated before.
        """
        if columns not in {32, 64, 128, 256, 512} or self.is_used:
            raise Doubt("allocates columns anew, or none")
        self.columns, self.owner, self.is_used = columns, warp, True

    def free(self, shadow: Shadow, places: Array, warp: int, columns: int) -> None:
        """A warp gives all columns back.

        Args:
            shadow: The shadow of the path.
            places: Their units.
            warp: The warp.
            columns: Their number.

        Raises:
            Doubt: They are others, or something may still touch them.
        """
        if (warp, columns) != (self.owner, self.columns):
            raise Doubt("gives back other columns than its warp has allocated")
        self.columns = 0
        self._checked(shadow, places, lanes_of(warp), is_write=True)

    def access(self, shadow: Shadow, places: Array, warp: int, way: Ways) -> None:
        """A warp starts to load or to store.

        Args:
            shadow: The shadow of the path.
            places: The units.
            warp: The warp.
            way: Which.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        is_write = way == "st"
        self._checked(shadow, places, lanes_of(warp), is_write=is_write)
        row = _noted(shadow, places, is_write=is_write)
        self.flying[warp, way] = (*self.flying.get((warp, way), ()), row)

    def wait(self, shadow: Shadow, warp: int, way: Ways) -> None:
        """A warp has waited for its loads or its stores, which it may rely on."""
        rows = self.flying.pop((warp, way), ())
        self.complete[warp] = (*self.complete.get(warp, ()), *rows)
        shadow.rows.fenced[np.array(rows, np.int64)[:, None], lanes_of(warp)] = True

    def fence_before(self, shadow: Shadow, warp: int) -> None:
        """Others may hear of what a warp has waited for."""
        rows = np.array(self.complete.pop(warp, ()), np.int64)
        shadow.rows.known[rows[:, None], lanes_of(warp)] = True

    def product(
        self, shadow: Shadow, operands: Array, places: Array, thread: int, sum_: Sum
    ) -> None:
        """A thread starts a product.

        Args:
            shadow: The shadow of the path.
            operands: The units of shared memory that it reads.
            places: The units of its sum.
            thread: The thread.
            sum_: The sum.

        Raises:
            Doubt: Nothing orders this with an access before.
        """
        issued = self.issued.setdefault(thread, {})
        chain = frozenset(row for row, other in issued.items() if other == sum_)
        who = np.array([thread])
        self._checked(shadow, places, who, is_write=True, but=chain)
        issued[shadow.begin_async(operands, who, is_write=False)] = None
        issued[_noted(shadow, places, is_write=True)] = sum_

    @staticmethod
    def _checked(
        shadow: Shadow,
        places: Array,
        threads: Array,
        *,
        is_write: bool,
        but: frozenset[int] = frozenset(),
    ) -> None:
        """Refuses accesses that something before is not ordered with."""
        before = {*np.unique(shadow.writer[places]).tolist()} - {NOBODY} - but
        for number in np.unique(shadow.reader[places]).tolist() if is_write else ():
            before |= {*shadow.sets[number]}
        if not shadow.rows.fenced[sorted(before)][:, threads].all():
            raise Doubt("touches columns that another access may still touch")


def lanes_of(warp: int) -> Array:
    """The threads of a warp."""
    return np.arange(warp * WARP, warp * WARP + WARP)


def _noted(shadow: Shadow, places: Array, *, is_write: bool) -> int:
    """A row of which nobody knows, for an access to columns."""
    (row,) = shadow.rows.add(np.array([TENSOR], np.int32))
    if is_write:
        shadow.writer[places], shadow.reader[places] = row, 0
    else:
        shadow.note_row(places, row)
    return int(row)
