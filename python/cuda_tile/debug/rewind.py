# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Going back in a launch of the interpreter, and asking who wrote an element.

Nothing is recorded while the launch runs. A question about the past is answered by
running the launch again, from what memory held at its beginning up to now.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Protocol

from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.spots import Spot, is_back
from cuda_tile.debug.stepping import LastMatch, Matches, Plan, Seek
from cuda_tile.debug.target import FAULT, Stop
from cuda_tile.errors import UserError

KINDS = ("over", "op", "breakpoint", "start")
"""How far back: to the line before, the op before, the breakpoint before, the beginning
of the launch."""


class Replayed(Protocol):
    """A launch that can be run again.

    Attributes:
        breakpoints: Those of the session.
        thread: The thread that runs, or stopped last.
        time: Ops that had begun before the one at which it stands.
        is_after: Whether it stands after that one.
        ended: The last stop, once there was one.
    """

    breakpoints: Breakpoints
    thread: int
    time: int
    is_after: bool
    ended: Stop | None

    def restart(self) -> None:
        """Goes to the beginning."""
        ...

    def resume(self, plan: Plan) -> Stop:
        """Goes on as far as a plan says."""
        ...

    def spot(self, thread: int) -> Spot | None:
        """Where a thread stands."""
        ...

    def names(self, thread: int, frame: int = 0) -> Mapping[str, Any]:
        """The values in scope."""
        ...


class Rewind:
    """Goes back in the launch of a target."""

    def __init__(self, target: Replayed) -> None:
        self._target = target

    def back(self, kind: str) -> Stop:
        """Goes back as `KINDS` says; to the beginning where nothing is found.

        Raises:
            UserError: The kind is none of them.
        """
        if kind not in KINDS:
            raise UserError(f"expected one of {', '.join(KINDS)}, got '{kind}'")
        if kind == "start":
            return self.goto(0, "beginning of the launch")
        found = self._last(self._matcher(kind))
        if found is None:
            return self.goto(0, "beginning of the launch")
        return self.goto(found, "breakpoint" if kind == "breakpoint" else "step back")

    def goto(self, time: int, reason: str = "goto") -> Stop:
        """Goes to the moment when `time` ops had begun."""
        self._target.restart()
        return self._target.resume(Seek(time, reason))

    def again(self) -> None:
        """Runs the launch again from its beginning up to now."""
        self.run_to(self.now())

    def now(self) -> Seek:
        """The way to the moment at which the launch stands."""
        target = self._target
        time = sys.maxsize if target.ended is not None else target.time
        return Seek(time, "the same moment", target.is_after)

    def run_to(self, moment: Seek) -> None:
        """Runs the launch again from its beginning up to a moment."""
        self._target.restart()
        self._target.resume(moment)

    def _last(self, matches: Matches) -> int | None:
        """When something was true last before now."""
        target = self._target
        until = target.time + target.is_after
        if target.ended is not None:
            until = target.time + 1 if target.ended.reason == FAULT else sys.maxsize
        plan = LastMatch(until, matches=matches)
        target.restart()
        target.resume(plan)
        return plan.found

    def _matcher(self, kind: str) -> Matches:
        target = self._target
        if kind == "breakpoint":
            return lambda thread, spot, previous: target.breakpoints.would_hit(
                spot, previous, lambda: target.names(thread)
            )
        thread = target.thread
        if kind == "op":
            return lambda number, spot, previous: number == thread
        start = target.spot(thread)
        depth = max(len(start.lines), 1) if start is not None else 1

        def is_new_line(number: int, spot: Spot, previous: Spot | None) -> bool:
            if number != thread or len(spot.lines) > depth:
                return False
            return (
                previous is None
                or spot.lines != previous.lines[: len(spot.lines)]
                or is_back(spot, previous)
            )

        return is_new_line
