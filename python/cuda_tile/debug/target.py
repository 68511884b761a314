# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What front ends (terminal, editor) know of the program that they debug."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.spots import Spot
from cuda_tile.debug.stepping import Plan
from cuda_tile.debug.values import Shown
from cuda_tile.locations import Place

END, FAULT = "end", "fault"
"""Reasons of the last stop of a launch: it ended, or failed."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why and where a launch stands.

    Attributes:
        thread: The thread that stopped.
        reason: `breakpoint 1`, `step`, `NaN`, `store`, `pause`, `step back`, `FAULT`,
            `END`.
        text: More about it, or "".
    """

    thread: int
    reason: str
    text: str = ""

    @property
    def is_last(self) -> bool:
        """Whether the launch has ended, or failed."""
        return self.reason in (END, FAULT)

    def describe(self) -> str:
        """Both in one line."""
        return f"{self.reason}: {self.text}" if self.text else self.reason


@dataclass(frozen=True, slots=True)
class Frame:
    """A function that a thread is in.

    Attributes:
        name: The function.
        place: The line; None where no source is known.
        function: The Python function, by which names are looked up; None elsewhere.
    """

    name: str
    place: Place | None
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """A tile block, or a warp.

    Attributes:
        number: From 1.
        name: `tile block (1, 0, 0)`.
        state: What it does: `runs`, `waits at ...`, `not begun`.
    """

    number: int
    name: str
    state: str


class Target(Protocol):
    """A launch that is debugged, on the interpreter or the emulator.

    Attributes:
        name: The kernel.
        breakpoints: Those of the session.
        sources: The source files.
        is_paused: Set by a front end, from any thread, to stop at the next op.
        thread: The thread that stopped last.
    """

    name: str
    breakpoints: Breakpoints
    sources: Sources
    is_paused: bool
    thread: int

    def describe(self) -> str:
        """The launch in one line."""
        ...

    def resume(self, plan: Plan) -> Stop:
        """Goes on as far as a plan says."""
        ...

    def finish(self) -> Any:
        """Runs to the end without stops; the executor's report.

        Raises:
            UserError: The launch failed.
        """
        ...

    def threads(self) -> Sequence[Thread]:
        """The threads that have begun and not ended, and some that have not begun."""
        ...

    def spot(self, thread: int) -> Spot | None:
        """Where a thread stands; None if it has not begun."""
        ...

    def frames(self, thread: int) -> Sequence[Frame]:
        """The functions that a thread is in, innermost first."""
        ...

    def scopes(self, thread: int, frame: int) -> Mapping[str, Mapping[str, Shown]]:
        """The values in scope, in groups: `Locals`, `Arguments`, ..."""
        ...

    def names(self, thread: int, frame: int = 0) -> Mapping[str, Any]:
        """The values in scope as expressions see them."""
        ...

    def nearby(self, thread: int) -> Sequence[str]:
        """The ops or instructions of the line at which a thread stands."""
        ...

    def element(self, text: str) -> tuple[int, int]:
        """First and last + 1 byte of an element of an array, as `c[3, 5]`.

        Raises:
            UserError: There is no such array or element.
        """
        ...

    def main_file(self) -> str:
        """The file that most of the kernel comes from, "" where none is known."""
        ...

    def new_output(self) -> str:
        """What the kernel printed since this was asked last."""
        ...

    def back(self, kind: str) -> Stop:
        """Goes back, as `rewind.KINDS` says."""
        ...

    def goto(self, time: int) -> Stop:
        """Goes to the moment when `time` ops had begun."""
        ...

    def who(self, text: str) -> list[str]:
        """Who wrote an element of an array last, and from what, line by line.

        Raises:
            UserError: Nobody knows: registers hold no elements of tiles.
        """
        ...


Move: TypeAlias = Callable[[], Stop]
"""How a front end says what to do next."""


class FrontEnd(Protocol):
    """Where the user is: a terminal, or an editor behind a protocol.

    Attributes:
        breakpoints: Those of the session.
    """

    breakpoints: Breakpoints

    def launched(self, target: Target) -> Move | None:
        """A launch is about to begin; what to do, None for running it through."""
        ...

    def stopped(self, target: Target, stop: Stop) -> Move | None:
        """A launch stopped; what to do, None for running it to its end."""
        ...

    def ended(self, target: Target) -> None:
        """A launch ended or failed."""
        ...


def debug(target: Target, front: FrontEnd) -> Any:
    """Runs a launch under a front end; gives the executor's report.

    Raises:
        UserError: The launch failed, and the front end has seen where.
    """
    move = front.launched(target)
    while move is not None:
        move = front.stopped(target, move())
    try:
        return target.finish()
    finally:
        front.ended(target)
