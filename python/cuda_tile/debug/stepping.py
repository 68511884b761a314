# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far to go on: the plans between two stops.

A plan is asked before each op of every thread, with the op and the one that the thread
ran before; it says why to stop there, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from cuda_tile.debug.spots import Spot, is_back


class Plan(Protocol):
    """How far to go on.

    Attributes:
        heeds_breakpoints: Whether breakpoints stop it too.
    """

    @property
    def heeds_breakpoints(self) -> bool:
        """Whether breakpoints stop it too."""
        ...

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Why to stop before `spot`, or None to go on."""
        ...


@dataclass(frozen=True)
class Continue:
    """To the next breakpoint, or to the end."""

    heeds_breakpoints: bool = True

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Never."""
        return None


@dataclass(frozen=True)
class Through:
    """To the end, past everything."""

    heeds_breakpoints: bool = False

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Never."""
        return None


@dataclass(frozen=True)
class Step:
    """To the next line, op or iteration of one thread.

    Attributes:
        thread: The thread.
        start: Where it stands.
        kind: `op`, `over`, `into`, `out` or `iteration`.
    """

    thread: int
    start: Spot
    kind: str
    heeds_breakpoints: bool = True

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Where the kind of step ends."""
        if thread != self.thread:
            return None
        ends = _ENDS[self.kind](self.start, spot, previous or self.start)
        return "step" if ends else None


def _op_ends(start: Spot, spot: Spot, previous: Spot) -> bool:
    return True


def _into_ends(start: Spot, spot: Spot, previous: Spot) -> bool:
    return spot.lines != start.lines or is_back(spot, previous)


def _over_ends(start: Spot, spot: Spot, previous: Spot) -> bool:
    depth = len(start.lines)
    if spot.lines[:depth] != start.lines:
        return True
    return is_back(spot, previous) and spot.loops == start.loops


def _out_ends(start: Spot, spot: Spot, previous: Spot) -> bool:
    """Out of an inlined function; of the innermost loop where there is none."""
    depth = len(start.lines)
    if depth > 1:
        return spot.lines[: depth - 1] != start.lines[:-1] or len(spot.lines) < depth
    return bool(start.loops) and start.loops[-1] not in spot.loops


def _iteration_ends(start: Spot, spot: Spot, previous: Spot) -> bool:
    """At the first op of the next iteration, or behind the loop."""
    if not start.loops or start.loops[-1] not in spot.loops:
        return bool(start.loops)
    return is_back(spot, previous) and spot.loops == start.loops


_ENDS = {
    "op": _op_ends,
    "into": _into_ends,
    "over": _over_ends,
    "out": _out_ends,
    "iteration": _iteration_ends,
}
STEPS = tuple(_ENDS)
"""The kinds of steps."""


@dataclass(frozen=True)
class UntilNan:
    """To the first op whose result has a NaN."""

    heeds_breakpoints: bool = False

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Never: the target looks at results."""
        return None


@dataclass(frozen=True)
class UntilRace:
    """To the first race, which ends the launch."""

    heeds_breakpoints: bool = False

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Never: a race is an error."""
        return None


@dataclass(frozen=True)
class UntilStore:
    """To the next store to some bytes.

    Attributes:
        start, stop: The bytes' addresses.
        name: What they are called.
    """

    start: int
    stop: int
    name: str
    heeds_breakpoints: bool = False

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """Never: the target looks at stores."""
        return None


@dataclass
class Seek:
    """To a moment that has been before.

    Attributes:
        time: Ops that had begun then.
        reason: Why that moment is sought.
        is_after: Whether it is the one after the op that began then.
        now: Ops that have begun; the target counts.
    """

    time: int
    reason: str = "step back"
    is_after: bool = False
    heeds_breakpoints: bool = False
    now: int = field(default=0)

    @property
    def is_reached(self) -> bool:
        """Whether that moment has come."""
        return self.now >= self.time

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """At the moment itself."""
        return self.reason if self.is_reached and not self.is_after else None


Matches = Callable[[int, Spot, "Spot | None"], bool]
"""Whether a thread may stand before an op, as a plan is asked."""


@dataclass
class LastMatch(Seek):
    """To a moment, noting when something was true last before it.

    Attributes:
        matches: What is looked for.
        found: The moment, or None.
    """

    matches: Matches = lambda thread, spot, previous: False
    found: int | None = None

    def before(self, thread: int, spot: Spot, previous: Spot | None) -> str | None:
        """At the moment up to which is looked."""
        if self.is_reached:
            return self.reason
        if self.matches(thread, spot, previous):
            self.found = self.now
        return None
