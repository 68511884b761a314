# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the terminal shows of a launch: places, values, threads."""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile.debug.target import END, Frame, Stop, Target
from cuda_tile.debug.values import Shown, pretty, statistics
from cuda_tile.errors import UserError
from cuda_tile.locations import Place

AROUND = 5
"""Lines of source shown before and after the current one."""


class Looks:
    """Shows a launch, from the view of one of its threads.

    Args:
        say: Writes a line.

    Attributes:
        thread: The thread that is looked at.
        frame: Its function that is looked at, 0 the innermost.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._target: Target | None = None
        self.thread = 1
        self.frame = 0

    def follow(self, target: Target) -> None:
        """Looks at the thread that stopped last."""
        self._target = target
        self.thread, self.frame = target.thread, 0

    @property
    def _live(self) -> Target:
        if self._target is None:
            raise UserError("expected a launch, there is none yet")
        return self._target

    def stop(self, stop: Stop) -> None:
        """Why and where the launch stands."""
        thread = self._name(stop.thread)
        self._say(f"{stop.describe()}" + (f" [{thread}]" if thread else ""))
        if stop.reason != END:
            self.place()

    def _name(self, number: int) -> str:
        found = [t.name for t in self._live.threads() if t.number == number]
        return found[0] if found else ""

    def place(self) -> None:
        """The line at which the thread stands."""
        for frame in self._frames()[:1]:
            if frame.place is not None:
                self._say(self._line(frame))

    def _frames(self) -> list[Frame]:
        return list(self._live.frames(self.thread))

    def _line(self, frame: Frame) -> str:
        if frame.place is None:
            return f"{frame.name}, no source line"
        text = self._live.sources.line(frame.place.file, frame.place.line).strip()
        return f"{frame.place.file}:{frame.place.line}: {text}"

    def file(self) -> str:
        """The file at which the thread stands, or that the kernel begins in."""
        for frame in self._frames():
            if frame.place is not None:
                return frame.place.file
        file = self._live.main_file()
        if not file:
            raise UserError("expected FILE:LINE, for the kernel has no source lines")
        return file

    def frames(self) -> None:
        """The functions that the thread is in."""
        for number, frame in enumerate(self._frames()):
            self._say(f"{number} {frame.name} at {self._line(frame)}")

    def source(self) -> None:
        """The source around the line."""
        frames = self._frames()
        place = frames[min(self.frame, len(frames) - 1)].place if frames else None
        if place is None:
            place = Place(self.file(), 1, 0)
        lines = self._live.sources.lines(place.file)
        for number in range(max(1, place.line - AROUND), place.line + AROUND + 1):
            if number <= len(lines):
                mark = "->" if number == place.line else "  "
                self._say(f"{mark} {number:4} {lines[number - 1]}".rstrip())

    def threads(self) -> None:
        """The threads, the one that is looked at marked."""
        for thread in self._live.threads():
            mark = "*" if thread.number == self.thread else " "
            self._say(f"{mark} {thread.number} {thread.name}: {thread.state}")

    def select(self, number: int) -> None:
        """Looks at another thread.

        Raises:
            UserError: There is no such thread.
        """
        if number not in [thread.number for thread in self._live.threads()]:
            raise UserError(f"expected a number of `threads`, got {number}")
        self.thread, self.frame = number, 0
        self._say(self._name(number))
        self.place()

    def scopes(self, *, is_all: bool) -> None:
        """The values in scope: those that the source names, or all."""
        groups = self._live.scopes(self.thread, self.frame)
        for name in list(groups) if is_all else list(groups)[:1]:
            for each, value in groups[name].items():
                self._say(f"{each}: {_with_kind(value)}")

    def launch(self) -> None:
        """Facts of the launch."""
        groups = self._live.scopes(self.thread, self.frame)
        for each, value in groups.get("Launch", {}).items():
            self._say(f"{each} = {value.line()}")

    def tile(self, name: str) -> None:
        """A value in full.

        Raises:
            UserError: Nothing in scope is called so.
        """
        value = self._find(name)
        self._say(f"{name}: {value.kind or type(value.value).__name__}")
        if value.text or value.value is None:
            self._say(value.line())
            return
        if value.is_array:
            facts = statistics(value.value, value.lost)
            self._say(", ".join(f"{each} {text}" for each, text in facts.items()))
        self._say(pretty(value.value))

    def _find(self, name: str) -> Shown:
        groups = self._live.scopes(self.thread, self.frame)
        for group in groups.values():
            for each in (name, f"%{name}"):
                if each in group:
                    return group[each]
        known = ", ".join(each for group in groups.values() for each in group)
        raise UserError(f"expected a name in scope, got '{name}'; in scope: {known}")


def _with_kind(value: Shown) -> str:
    """A value in one line, with its type."""
    return f"{value.kind} {value.line()}" if value.kind else value.line()
