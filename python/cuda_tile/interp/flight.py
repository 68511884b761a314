# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work of a tile block that is in flight: copies, products, bulk stores.

Hardware may complete such work at any time before an op that waits for it. Program
order hides the consequences, so here the work is delayed until the last moment, and
under a seed to a random one. A result that depends on the moment is an error of the
program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cuda_tile.interp.program import Op, RingType
from cuda_tile.interp.protocol import Running
from cuda_tile.interp.values import Buffer

EARLY_ODDS = 4
"""Under a seed, one of so many pieces of work ends whenever some is started."""


@dataclass(eq=False, slots=True)
class Late:
    """Work that was started: `finish` does it.

    Attributes:
        op: The op that started it.
        act: Does the work.
        is_done: Whether it has been done.
    """

    op: Op
    act: Callable[[], None]
    is_done: bool = False

    def finish(self) -> None:
        """Does the work, once."""
        if not self.is_done:
            self.is_done = True
            self.act()


@dataclass(eq=False, slots=True)
class Groups:
    """Work in groups, as threads commit them and wait for all but the youngest.

    Attributes:
        open: Work of the group that is not committed yet.
        committed: The groups that were not awaited, oldest first.
    """

    open: list[Late] = field(default_factory=list[Late])
    committed: list[list[Late]] = field(default_factory=list[list[Late]])

    def commit(self) -> None:
        """Ends the open group, which may be empty."""
        self.committed.append(self.open)
        self.open = []

    def start(self, work: Late) -> None:
        """Adds a group of one piece of work."""
        self.committed.append([work])

    def wait(self, younger: int) -> None:
        """Finishes all but the `younger` youngest groups, in order."""
        while len(self.committed) > younger:
            for work in self.committed[0]:
                work.finish()
            del self.committed[0]

    def left(self) -> list[Late]:
        """The work that is not done."""
        groups = [*self.committed, self.open]
        return [work for group in groups for work in group if not work.is_done]


STEPS = ("acquire", "publish", "take", "release")
"""The ops of an iteration, in order."""


@dataclass(eq=False, slots=True)
class Iteration:
    """One use of a slot.

    Attributes:
        ring: Its ring.
        number: Its place in the order of iterations.
        done: The ops of the iteration so far, by their names.
        buffers: The buffers of its slot.
        copies: The copies that were started to fill it.
    """

    ring: Ring
    number: int
    done: dict[str, Op] = field(default_factory=dict[str, Op])
    buffers: tuple[Buffer, ...] = ()
    copies: list[Late] = field(default_factory=list[Late])

    def state(self) -> str:
        """How far it is, in words."""
        step = list(self.done)[-1]
        return f"after its {step} at {self.done[step].location}"


@dataclass(eq=False, slots=True)
class Ring:
    """A ring of slots.

    Attributes:
        op: The op that made it.
        kind: Its type.
        counts: How many iterations each of `STEPS` has seen.
        iterations: The iterations that are acquired and not released.
    """

    op: Op
    kind: RingType
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STEPS, 0))
    iterations: dict[int, Iteration] = field(default_factory=dict[int, Iteration])

    @property
    def waits_by_groups(self) -> bool:
        """Whether takes wait for groups of copies of their own threads."""
        return self.op.attributes["sync"] == "groups"

    def may(self, step: str) -> bool:
        """Whether the counters let the next iteration of `step` go on."""
        if step == "acquire":
            return self.counts[step] < self.counts["release"] + self.kind.slots
        return self.counts[step] < self.counts[STEPS[STEPS.index(step) - 1]]

    def describe(self) -> str:
        """Its counters, as the end of a message."""
        counts = ", ".join(f"{self.counts[step]} of {step}" for step in STEPS)
        return (
            f"the ring of {self.kind.slots} slots at {self.op.location} has seen "
            f"iterations: {counts}"
        )


@dataclass(eq=False, slots=True)
class Flight:
    """All that a tile block has started; roles wait for their own work only.

    Attributes:
        copies: Copies into rings that wait by groups, per role.
        products: Products of pending values, per role; one group each.
        reads: Pending reads of bulk stores, per role; one group each.
        writes: Pending writes of bulk stores, per role.
        loose: Copies into rings with mbarriers, which any role may wait for.
        rings: The rings, by the ops that made them.
    """

    copies: dict[int, Groups] = field(default_factory=dict[int, Groups])
    products: dict[int, Groups] = field(default_factory=dict[int, Groups])
    reads: dict[int, Groups] = field(default_factory=dict[int, Groups])
    writes: dict[int, Groups] = field(default_factory=dict[int, Groups])
    loose: list[Late] = field(default_factory=list[Late])
    rings: dict[Op, Ring] = field(default_factory=dict[Op, Ring])

    def finish_some(self, random: Any) -> None:
        """Finishes some of the work at random; products and stores in their order."""
        self.loose = [work for work in self.loose if not work.is_done]
        alone = [w for groups in self.copies.values() for w in groups.left()]
        for work in (*self.loose, *alone):
            if random.integers(EARLY_ODDS) == 0:
                work.finish()
        for kind in (self.products, self.reads):
            for groups in kind.values():
                for work in groups.left():
                    if random.integers(EARLY_ODDS):
                        break
                    work.finish()

    def end_ring(self, run: Running, op: Op, *, is_reused: bool) -> None:
        """Ends a ring.

        Args:
            run: The tile block.
            op: The op that made it.
            is_reused: Whether its bytes are used for something else.

        Raises:
            InterpError: (checked) A copy into it is never awaited, or later ops may
                overwrite bytes that are still read.
        """
        ring = self.rings.pop(op, None)
        if ring is None or not run.launch.is_checked:
            return
        for iteration in ring.iterations.values():
            if "take" in iteration.done:
                if is_reused:
                    run.fail(
                        op,
                        f"the ring begins anew, and iteration {iteration.number} is "
                        f"not released {iteration.state()}; {ring.describe()}",
                    )
            elif iteration.copies:
                run.fail(
                    iteration.copies[0].op,
                    f"the copy into iteration {iteration.number} is never waited for: "
                    f"the iteration was left {iteration.state()}; "
                    f"{iteration.ring.describe()}",
                )

    def finish(self, run: Running) -> None:
        """The end of a tile block.

        Raises:
            InterpError: (checked) Shared memory is still being read or written.
        """
        for op in list(self.rings):
            self.end_ring(run, op, is_reused=False)
        for products in self.products.values():
            products.wait(0)
        for reads in self.reads.values():
            left = reads.left()
            if left and run.launch.is_checked:
                run.fail(
                    left[0].op,
                    "still reads its buffer when the kernel ends; an await_copies must "
                    "come before",
                )
            reads.wait(0)
        for writes in self.writes.values():
            writes.wait(0)


def of_role(kind: dict[int, Groups], role: int) -> Groups:
    """The groups of a role."""
    return kind.setdefault(role, Groups())
