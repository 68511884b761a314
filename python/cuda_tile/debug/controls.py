# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may ask of a launch that stands, in a terminal and in an editor alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuda_tile.debug.rewind import KINDS
from cuda_tile.debug.stepping import (
    STEPS,
    Continue,
    Plan,
    Seek,
    Step,
    UntilNan,
    UntilRace,
    UntilStore,
)
from cuda_tile.debug.target import Move, Stop, Target
from cuda_tile.errors import UserError


def whole(text: str) -> int:
    """A number that the user wrote.

    Raises:
        UserError: It is none.
    """
    if not text.strip().isdigit():
        raise UserError(f"expected a number, got '{text.strip()}'")
    return int(text)


@dataclass(frozen=True)
class Controls:
    """The ways on and back from where a launch stands.

    Attributes:
        target: The launch.
        last: Its last stop; None at its beginning.
        thread: The thread that the user looks at.
    """

    target: Target
    last: Stop | None
    thread: int

    def resume(self, plan: Plan) -> Move:
        """On, as far as a plan says.

        Raises:
            UserError: The launch has ended.
        """
        if self.last is not None and self.last.is_last:
            raise UserError(
                "expected a launch that has not ended; go back, or continue with the "
                "program"
            )
        return lambda: self.target.resume(plan)

    def go_on(self) -> Move | None:
        """To the next breakpoint; None, with the program, where it has ended."""
        is_over = self.last is not None and self.last.is_last
        return None if is_over else self.resume(Continue())

    def step(self, kind: str) -> Move:
        """On by a step of `STEPS`; to the first op at the beginning.

        Raises:
            UserError: The launch has ended, or has no iteration here.
        """
        assert kind in STEPS, "front ends ask for no other"
        spot = self.target.spot(self.thread)
        if spot is None:
            return self.resume(Seek(0, "step"))
        if kind == "iteration" and not spot.loops:
            raise UserError("expected a place in a loop; step into one")
        return self.resume(Step(self.thread, spot, kind))

    def nan(self) -> Move:
        """On to the first op whose result has a NaN."""
        return self.resume(UntilNan())

    def race(self) -> Move:
        """On to the first race."""
        return self.resume(UntilRace())

    def store(self, text: str) -> Move:
        """On to the next store to an element such as `c[3, 5]`."""
        return self.resume(UntilStore(*self.target.element(text), text))

    def back(self, kind: str) -> Move:
        """Back, as `rewind.KINDS` says."""
        assert kind in KINDS, "front ends ask for no other"
        return lambda: self.target.back(kind)

    def goto(self, text: str) -> Move:
        """To a moment, counted in ops."""
        time = whole(text)
        return lambda: self.target.goto(time)

    def who(self, text: str) -> Sequence[str]:
        """Who wrote an element last, and from what."""
        return self.target.who(text)

    def ops(self) -> Sequence[str]:
        """The ops or instructions of the line at which the thread stands."""
        return self.target.nearby(self.thread)
