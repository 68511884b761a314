# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end for editors: what the launch asks, and what the editor gets.

The launch runs in the main thread and waits there while it is stopped. Requests are
answered in a thread of their own, which looks at the launch only while it waits.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from cuda_tile.debug.breakpoints import Breakpoint, Breakpoints
from cuda_tile.debug.controls import Controls
from cuda_tile.debug.dap.framing import Channel
from cuda_tile.debug.dap.variables import References
from cuda_tile.debug.stepping import Continue, Seek
from cuda_tile.debug.target import END, FAULT, Move, Stop, Target
from cuda_tile.errors import UserError

FILTERS = {
    FAULT: "A kernel fails: race, access outside an array, undefined behaviour",
    "nan": "An op makes a NaN of operands without one",
    END: "A launch has ended (to go back, and to ask who wrote an element)",
}
"""What an editor may ask to stop at, besides breakpoints; the first by default."""


class EditorFront:
    """See `target.FrontEnd`.

    Args:
        channel: The editor.
        echo: Writes what the kernel prints, where the editor does not see the
            process's output; None elsewhere.

    Attributes:
        channel: The editor.
        breakpoints: Those of the session.
        references: Values that it may look into.
        target: The launch at hand, or None between launches.
        last: The last stop, or None while the launch runs.
        filters: The filters that are on.
        stops_on_entry: Whether each launch stops at its first op.
        is_configured: Set once the editor has sent its breakpoints.
    """

    def __init__(
        self, channel: Channel, echo: Callable[[str], None] | None = None
    ) -> None:
        self.channel = channel
        self.breakpoints = Breakpoints(say=self.say)
        self.references = References()
        self.target: Target | None = None
        self.last: Stop | None = None
        self.filters: set[str] = {FAULT}
        self.stops_on_entry = False
        self.is_configured = threading.Event()
        self._echo = echo
        self._is_detached = False
        self._moves: queue.Queue[Move | None] = queue.Queue()

    # The launch asks, in the main thread

    def launched(self, target: Target) -> Move | None:
        """Tells the editor which breakpoints there are; goes on."""
        self.is_configured.wait()
        if self._is_detached:
            return None
        self.target = target
        for each in self.breakpoints.all:
            body = self.breakpoint_body(each)
            self.channel.event("breakpoint", reason="changed", breakpoint=body)
        plan = Seek(0, "entry") if self.stops_on_entry else Continue()
        return lambda: target.resume(plan)

    def stopped(self, target: Target, stop: Stop) -> Move | None:
        """Tells the editor and waits for what it wants."""
        self._say_output(target)
        if stop.is_last and stop.reason not in self.filters:
            return None
        if self._is_detached:
            return None
        self.last = stop
        self._tell(stop)
        return self._moves.get()

    def ended(self, target: Target) -> None:
        """Shows what the kernel printed since."""
        self._say_output(target)
        self.target = None

    def _say_output(self, target: Target) -> None:
        text = target.new_output()
        if text:
            self.channel.event("output", category="stdout", output=text)
            if self._echo is not None:
                self._echo(text)

    def _tell(self, stop: Stop) -> None:
        self.channel.event(
            "stopped",
            reason=_reason(stop.reason),
            description=stop.reason,
            text=stop.text or stop.reason,
            threadId=stop.thread,
            allThreadsStopped=True,
            hitBreakpointIds=[
                each.number
                for each in self.breakpoints.all
                if stop.reason == f"breakpoint {each.number}"
            ],
        )

    # The editor asks, in the thread of requests

    def say(self, text: str) -> None:
        """Writes a line into the editor's console."""
        self.channel.event("output", category="console", output=f"{text}\n")

    @property
    def live(self) -> Target:
        """The launch, which stands.

        Raises:
            UserError: It runs, or there is none.
        """
        if self.target is None or self.last is None:
            raise UserError(
                "expected a launch that is stopped; this one runs, or ended"
            )
        return self.target

    def controls(self, thread: int) -> Controls:
        """What may be done with the launch, for a thread.

        Raises:
            UserError: It runs, or there is none.
        """
        return Controls(self.live, self.last, thread)

    def go(self, move: Move | None) -> None:
        """Lets the launch go on."""
        _ = self.live
        self.last = None
        self.references.clear()
        self._moves.put(move)

    def pause(self) -> None:
        """Stops the launch at its next op."""
        if self.target is not None:
            self.target.is_paused = True

    def detach(self) -> None:
        """Lets the program run on by itself."""
        self._is_detached = True
        self.breakpoints.remove(lambda each: True)
        self.is_configured.set()
        self._moves.put(None)

    def breakpoint_body(self, each: Breakpoint) -> dict[str, Any]:
        """A breakpoint as the protocol has it."""
        body: dict[str, Any] = {
            "id": each.number,
            "verified": each.at is not None,
            "line": each.at[1] if each.at else each.line,
            "source": {"path": each.file},
        }
        if each.at is None:
            body["message"] = "no kernel that was launched has an op here yet"
        return body


def _reason(reason: str) -> str:
    """A reason in the protocol's words."""
    word = reason.partition(" ")[0]
    known = {
        "NaN": "exception",
        FAULT: "exception",
        "store": "data breakpoint",
        "goto": "goto",
        "beginning": "goto",
    }
    same = ("breakpoint", "step", "pause", "entry")
    return known.get(word, word if word in same else "pause")
