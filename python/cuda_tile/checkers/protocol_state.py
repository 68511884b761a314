# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of a kernel: the places of its roles, and the contents of their rings.

Two states that differ only in how many iterations went before have one key.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.control_flow import Point
from cuda_tile.checkers.integers import ANY, Form, Interval, Key

FAR = 4
"""From this iteration on a loop's iterations are not told apart by their numbers."""
STEPS = ("acquire", "publish", "take", "release")
"""The steps of an iteration of a ring, in order."""


class Slot(NamedTuple):
    """A buffer of an iteration of a ring."""

    ring: ir.Operation
    iteration: int
    number: int


class Pending(NamedTuple):
    """The sum of products up to one of a role's; -1 for none."""

    product: int


Value = Form | Slot | Pending


@dataclass
class Frame:
    """A region that a role is in.

    Attributes:
        point: Its start.
        place: The number of the next op.
        values: The values of its arguments and of results of its ops.
        iteration: The number of earlier iterations, if it is the body of a loop.
        trips: The known bounds of its trip count, if it is counted.
        step: The increment of its index.
    """

    point: Point
    place: int
    values: dict[ir.Value, Value]
    iteration: int = 0
    trips: Key | None = None
    step: int = 1

    def copy(self) -> Frame:
        """One that goes on by itself."""
        values = dict(self.values)
        return Frame(
            self.point, self.place, values, self.iteration, self.trips, self.step
        )


@dataclass
class Role:
    """Threads that run ops together.

    Attributes:
        frames: The regions that they are in, the outermost first; none at their end.
        started: Number of products that they have started.
        done: Number of these products that are complete.
        left: Loops that they have left, in the regions that they are in.
    """

    frames: list[Frame]
    started: int = 0
    done: int = 0
    left: frozenset[ir.Operation] = frozenset()

    def copy(self) -> Role:
        """One that goes on by itself."""
        frames = [frame.copy() for frame in self.frames]
        return Role(frames, self.started, self.done, self.left)

    def lookup(self, value: ir.Value) -> Value | None:
        """The known value of an SSA value, if any."""
        for frame in reversed(self.frames):
            if (found := frame.values.get(value)) is not None:
                return found
        return None


@dataclass
class Ring:
    """The counters of a ring, and its iterations between acquire and release.

    Attributes:
        counts: How often each step was made.
        filled: For each iteration the buffers that were filled.
        readers: For each one the products that read it, by their numbers.
        who: Which role makes each step.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STEPS, 0))
    filled: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    readers: dict[int, int] = field(default_factory=dict[int, int])
    who: dict[str, int] = field(default_factory=dict[str, int])

    def copy(self) -> Ring:
        """One that goes on by itself."""
        return Ring(
            dict(self.counts), dict(self.filled), dict(self.readers), dict(self.who)
        )


@dataclass
class State:
    """A moment of a kernel.

    Attributes:
        roles: Its roles; all threads first.
        rings: Its rings, by their op.
        facts: The facts about sums that the path has learned.
        guesses: Assumptions for the next op of a role if no fact decides.
        assumed: Assumptions of the path.
    """

    roles: list[Role]
    rings: dict[ir.Operation, Ring] = field(default_factory=dict[ir.Operation, Ring])
    facts: dict[Key, Interval] = field(default_factory=dict[Key, Interval])
    guesses: tuple[bool, ...] = ()
    assumed: frozenset[str] = frozenset()

    def copy(self) -> State:
        """One that goes on by itself."""
        roles = [role.copy() for role in self.roles]
        rings = {op: ring.copy() for op, ring in self.rings.items()}
        return State(roles, rings, dict(self.facts), self.guesses, self.assumed)

    def bounds(self, key: Key) -> Interval:
        """What is known of a sum."""
        return self.facts.get(key, ANY)
