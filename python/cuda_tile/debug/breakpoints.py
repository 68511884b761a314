# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breakpoints: source lines at which to stop, and under which condition."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cuda_tile.debug.expression import UnknownName, evaluate, is_true
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.spots import Spot, is_back, is_same_file
from cuda_tile.debug.stepping import Plan, UntilNan
from cuda_tile.debug.values import one_line
from cuda_tile.errors import UserError

Names = Callable[[], Mapping[str, Any]]
"""Gives the values in scope; called only where a condition is evaluated."""


@dataclass
class Breakpoint:
    """A line at which to stop.

    Attributes:
        number: Its number, from 1.
        file: The source file, or the end of its name.
        line: The line that was asked for.
        condition: An expression over the values in scope; "" for always.
        hit_condition: Which hits stop: `5` the fifth, `>= 5` from it on, `% 5` each
            fifth; "" for all.
        message: Said in place of a stop, `{expression}` being replaced; "" to stop.
        is_once: Whether it goes away after a stop.
        at: The line where it stops in the kernel at hand, None if there is none.
        hits: How often it was met with its condition true.
    """

    number: int
    file: str
    line: int
    condition: str = ""
    hit_condition: str = ""
    message: str = ""
    is_once: bool = False
    at: tuple[str, int] | None = None
    hits: int = 0

    def describe(self) -> str:
        """One line for a list."""
        line = self.at[1] if self.at else self.line
        condition = f" if {self.condition}" if self.condition else ""
        hits = f", hit {self.hits} time{'s' if self.hits != 1 else ''}"
        pending = "" if self.at else ", no op there yet"
        return f"{self.number}: {self.file}:{line}{condition}{hits}{pending}"


@dataclass
class Breakpoints:
    """The breakpoints of a session, which last from launch to launch.

    Attributes:
        all: In the order in which they were made.
        say: Takes the messages of log points.
        is_nan_caught: Whether to stop also at ops that make the first NaN.
    """

    all: list[Breakpoint] = field(default_factory=list[Breakpoint])
    say: Callable[[str], None] = print
    is_nan_caught: bool = False
    _known: frozenset[str] = frozenset()
    _spots: list[Spot] = field(default_factory=list[Spot])
    _sources: Sources = field(default_factory=Sources)
    _count: int = 0

    def add(self, file: str, line: int, **choices: Any) -> Breakpoint:
        """Makes a breakpoint; `choices` are the attributes of `Breakpoint`."""
        self._count += 1
        made = Breakpoint(self._count, file, line, **choices)
        made.at = self._nearest(made)
        self.all = [*self.all, made]
        return made

    def looks_for_nan(self, plan: Plan) -> bool:
        """Whether a plan, or the session, stops at the first NaN."""
        is_caught = plan.heeds_breakpoints and self.is_nan_caught
        return isinstance(plan, UntilNan) or is_caught

    def remove(self, is_unwanted: Callable[[Breakpoint], bool]) -> None:
        """Takes away the breakpoints that are unwanted."""
        self.all = [each for each in self.all if not is_unwanted(each)]

    def place(
        self, spots: Iterable[Spot], names: Iterable[str], sources: Sources
    ) -> None:
        """Finds the lines anew in the kernel that is launched now.

        Args:
            spots: Its ops.
            names: The names of all its values: where one is not in scope yet, a
                condition that asks for it is false.
            sources: Its source files.
        """
        self._spots, self._sources = list(spots), sources
        self._known = frozenset(name.removeprefix("%") for name in names)
        for each in self.all:
            each.at = self._nearest(each)

    def _nearest(self, each: Breakpoint) -> tuple[str, int] | None:
        """The first line with an op from a breakpoint's on, in the same function."""
        found = nearest_line(self._spots, each.file, each.line)
        if found is None or self._sources.is_apart(found[0], each.line, found[1]):
            return None
        return found

    def hit(self, spot: Spot, previous: Spot | None, names: Names) -> str | None:
        """Why to stop before `spot`, if a breakpoint is met there."""
        for each in self.all:
            if each.at is not None and _arrives(each.at, spot, previous):
                reason = self._meet(each, names)
                if reason is not None:
                    return reason
        return None

    def would_hit(self, spot: Spot, previous: Spot | None, names: Names) -> bool:
        """Whether one is met, without counting it."""
        return any(
            each.at is not None
            and not each.message
            and _arrives(each.at, spot, previous)
            and (not each.condition or _holds(each.condition, names))
            for each in self.all
        )

    def _meet(self, each: Breakpoint, names: Names) -> str | None:
        try:
            if each.condition and not is_true(evaluate(each.condition, names())):
                return None
        except UserError as error:
            if isinstance(error, UnknownName) and error.is_among(self._known):
                return None
            return f"breakpoint {each.number}, whose condition failed: {error}"
        each.hits += 1
        if not _is_wanted(each.hit_condition, each.hits):
            return None
        if each.message:
            self.say(_filled(each.message, names))
            return None
        if each.is_once:
            self.remove(lambda other: other is each)
        return f"breakpoint {each.number}"


def _holds(condition: str, names: Names) -> bool:
    try:
        return is_true(evaluate(condition, names()))
    except UserError:
        return False


_HIT_CONDITION = re.compile(r"\s*(==|>=|>|%)?\s*([1-9]\d*)\s*")
_WANTED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
    "%": lambda hits, number: hits % number == 0,
}


def check_hit_condition(text: str) -> str:
    """The text itself.

    Raises:
        UserError: It is no `Breakpoint.hit_condition`.
    """
    if text and not _HIT_CONDITION.fullmatch(text):
        raise UserError(f"expected hits such as 5, >= 5 or % 5, got '{text}'")
    return text


def _is_wanted(condition: str, hits: int) -> bool:
    match = _HIT_CONDITION.fullmatch(condition)
    return match is None or _WANTED[match[1] or "=="](hits, int(match[2]))


def _arrives(line: tuple[str, int], spot: Spot, previous: Spot | None) -> bool:
    """Whether a thread comes to a line, instead of still being in it."""
    if not spot.has_line(line):
        return False
    return previous is None or not previous.has_line(line) or is_back(spot, previous)


def nearest_line(spots: Iterable[Spot], file: str, line: int) -> tuple[str, int] | None:
    """The first line with an op, from `line` on; None where there is none."""
    lines = {
        each
        for spot in spots
        for each in spot.lines
        if each[1] >= line and is_same_file(each[0], file)
    }
    return min(lines, key=lambda each: each[1], default=None)


def _filled(message: str, names: Names) -> str:
    """A message with its `{expressions}` replaced by their values."""
    parts = message.replace("}", "{").split("{")
    values = names()
    for place in range(1, len(parts), 2):
        try:
            parts[place] = one_line(evaluate(parts[place], values))
        except UserError as error:
            parts[place] = f"<{error}>"
    return "".join(parts)
