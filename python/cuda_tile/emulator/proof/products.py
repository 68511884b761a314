# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of warpgroups in flight: what they read, and the registers that they hold.

PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions". From `wgmma.mma_async` to
the wait for its group nobody else may touch its registers or write what it reads, and
what touched the registers before needs a `wgmma.fence`. All four warps make a product
together, so that who has waited for it knows that they have come as far as there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.proof.shadow import NOBODY, Doubt, Shadow
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import Array

LANES = 128


@dataclass(frozen=True)
class Group:
    """Products between two commits.

    Attributes:
        rows: What they read, and the waits that came before them.
        held: Their registers, each with the shape of the product.
    """

    rows: tuple[int, ...] = ()
    held: frozenset[tuple[Register, str]] = frozenset()


@dataclass(eq=False)
class Products:
    """Those of one warpgroup on a path.

    Attributes:
        groups: The groups in flight, the open one last.
        touched: The registers that something touched since the last fence; None if
            there was no fence.
    """

    groups: list[Group] = field(default_factory=lambda: [Group()])
    touched: frozenset[Register] | None = None

    def copy(self) -> Products:
        """The same of another path."""
        return Products(list(self.groups), self.touched)

    def number(self, new: Array) -> None:
        """Gives rows new numbers, and drops those of which nobody asks any more."""
        self.groups = [
            Group(renumbered(group.rows, new), group.held) for group in self.groups
        ]

    def key(self, signatures: Array) -> tuple[object, ...]:
        """What tells their state from others."""
        said = [
            (frozenset(int(signatures[row]) for row in group.rows), group.held)
            for group in self.groups
        ]
        return self.touched, tuple(said)

    def touch(self, registers: frozenset[Register]) -> None:
        """Another instruction touches registers.

        Raises:
            Doubt: A product may still use them.
        """
        if any(r in registers for group in self.groups for r, _ in group.held):
            raise Doubt("touches a register that a product in flight uses")
        if self.touched is not None:
            self.touched |= registers

    def start(self, shadow: Shadow, threads: Array, places: Array, held: Group) -> None:
        """A product starts.

        Args:
            shadow: Shared memory.
            threads: The warpgroup.
            places: What it reads.
            held: Its registers.

        Raises:
            Doubt: A fence or an order is missing.
        """
        mine = dict(held.held)
        if self.touched is None or self.touched & mine.keys():
            raise Doubt("has registers that were touched after the last wgmma.fence")
        for group in self.groups:
            if any(
                mine.get(register, shape) != shape for register, shape in group.held
            ):
                raise Doubt("has a register of a product in flight of another shape")
        row = shadow.begin_async(places, threads, is_write=False)
        waits = np.flatnonzero(
            shadow.rows.is_wait & shadow.rows.known[:, threads].any(axis=1)
        )
        last = self.groups[-1]
        rows = {*last.rows, row, *map(int, waits)}
        self.groups[-1] = Group(tuple(sorted(rows)), last.held | held.held)

    def commit(self) -> None:
        """Products since the last commit become a group."""
        self.groups.append(Group())

    def wait(self, shadow: Shadow, threads: Array, left: int) -> None:
        """Threads wait for all groups but the youngest.

        Args:
            shadow: Shared memory.
            threads: The warpgroup.
            left: How many may still be in flight.
        """
        count = max(0, len(self.groups) - 1 - left)
        over, self.groups = self.groups[:count], self.groups[count:]
        rows = [row for group in over for row in group.rows]
        shadow.rows.known[np.array(rows, np.int64)[:, None], threads] = True


def renumbered(rows: Iterable[int], new: Array) -> tuple[int, ...]:
    """Rows by their new numbers, without those that have none.

    Args:
        rows: Their numbers so far.
        new: For each row its new number, or NOBODY.
    """
    found = (int(new[row]) for row in rows)
    return tuple(row for row in found if row != NOBODY)


def warpgroups(mask: Array) -> list[Array]:
    """The threads of each warpgroup.

    Raises:
        Doubt: A part of one is among them.
    """
    if mask.size % LANES:
        raise Doubt("is made by part of a warpgroup")
    whole = mask.reshape(-1, LANES)
    if (whole.any(axis=1) != whole.all(axis=1)).any():
        raise Doubt("is made by part of a warpgroup")
    return [
        np.arange(LANES) + LANES * int(n) for n in np.flatnonzero(whole.any(axis=1))
    ]


@dataclass(eq=False)
class BulkGroups:
    """Bulk copies from shared memory that threads have started.

    Attributes:
        of: The rows of each group of a thread, the open one last.
    """

    of: dict[int, list[tuple[int, ...]]] = field(
        default_factory=dict[int, "list[tuple[int, ...]]"]
    )

    def copy(self) -> BulkGroups:
        """The same of another path."""
        return BulkGroups({thread: list(groups) for thread, groups in self.of.items()})

    def number(self, new: Array) -> None:
        """Gives rows new numbers, and drops those of which nobody asks any more."""
        for groups in self.of.values():
            groups[:] = [renumbered(rows, new) for rows in groups]

    def key(self, signatures: Array) -> tuple[object, ...]:
        """What tells their state from others."""
        return tuple(
            (
                thread,
                tuple(frozenset(int(signatures[r]) for r in rows) for rows in all_),
            )
            for thread, all_ in sorted(self.of.items())
            if any(all_)
        )

    def start(self, thread: int, row: int) -> None:
        """A thread starts a copy."""
        groups = self.of.setdefault(thread, [()])
        groups[-1] = (*groups[-1], row)

    def commit(self, threads: Array) -> None:
        """Copies of threads become groups."""
        for thread in map(int, threads):
            self.of.setdefault(thread, [()]).append(())

    def wait(self, shadow: Shadow, threads: Array, left: int) -> None:
        """Threads wait for all of their groups but the youngest."""
        for thread in map(int, threads):
            groups = self.of.get(thread, [()])
            count = max(0, len(groups) - 1 - left)
            rows = [row for some in groups[:count] for row in some]
            shadow.rows.known[rows, thread] = True
            if thread in self.of:
                self.of[thread] = groups[count:]

    def are_over(self, thread: int) -> bool:
        """Whether a thread has waited for all of its copies."""
        return not any(self.of.get(thread, ()))
