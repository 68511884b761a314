# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which schedules are left to try: partial-order reduction without states.

Two schedules that differ in the order of steps whose order does not matter are one.
Of these one is run: where two steps of a schedule matter to each other and nothing
between orders them, the later one is tried first, too (Flanagan and Godefroid,
"Dynamic Partial-Order Reduction for Model Checking Software", 2005). What was tried
sleeps until a step comes that matters to it (Godefroid, "Partial-Order Methods for the
Verification of Concurrent Systems", 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cuda_tile.emulator.schedules.touches import Touches, meet

Clock = dict[int, int]
"""For each warp the number of its last step that comes before; none without any."""
Told = tuple[frozenset[int], frozenset[int]]
"""Warps that go on because of others, and those whose steps so far come before that."""


@dataclass(eq=False)
class Turn:
    """A moment at which some warps can go on.

    Attributes:
        steps: They, each with what its next step touches.
        asleep: Those of them whose step was tried from an equal state.
        chosen: Who goes.
        told: Who has gone on since the turn before because of others, in order.
        todo: Those that are to be tried.
        done: Those that were.
    """

    steps: dict[int, Touches]
    asleep: frozenset[int]
    chosen: int
    told: Sequence[Told] = ()
    todo: set[int] = field(default_factory=set[int])
    done: set[int] = field(default_factory=set[int])

    def asleep_behind(self) -> frozenset[int]:
        """Those that sleep behind the step that was chosen."""
        own = self.steps[self.chosen]
        all_ = (self.asleep | self.done) - {self.chosen}
        there = all_ & self.steps.keys()
        return frozenset(warp for warp in there if not meet(self.steps[warp], own))

    def next(self) -> bool:
        """Goes on to the next that is to be tried; whether there is one."""
        self.done.add(self.chosen)
        left = sorted(self.todo - self.done - self.asleep)
        self.chosen = left[0] if left else self.chosen
        return bool(left)


@dataclass(eq=False)
class Draw:
    """A moment at which the hardware may do one thing or another.

    Attributes:
        ways: How many things.
        chosen: Which.
    """

    ways: int
    chosen: int = 0

    def next(self) -> bool:
        """Goes on to the next one; whether there is one."""
        self.chosen += 1
        return self.chosen < self.ways


@dataclass(eq=False)
class Tree:
    """The schedule that is being run, and what is left to try.

    Attributes:
        path: Its moments.
        place: How many of them have come.
    """

    path: list[Turn | Draw] = field(default_factory=list["Turn | Draw"])
    place: int = 0

    def begin(self) -> None:
        """The path is run from its start."""
        self.place = 0

    def draw(self, ways: int) -> int:
        """The choice of the hardware.

        Args:
            ways: How many things it may do.
        """
        if self.place == len(self.path):
            self.path.append(Draw(ways))
        found = self.path[self.place]
        assert isinstance(found, Draw), "a schedule comes to the same moments again"
        self.place += 1
        return found.chosen

    def turn(self, steps: dict[int, Touches], told: Sequence[Told]) -> int | None:
        """Who goes next; None if all that follows was tried.

        Args:
            steps: Who can, each with what its next step touches.
            told: Who has gone on since the last turn because of others.
        """
        if self.place == len(self.path):
            earlier = self._last_turn()
            asleep = frozenset[int]() if earlier is None else earlier.asleep_behind()
            awake = sorted(steps.keys() - asleep)
            if not awake:
                return None
            self.path.append(Turn(steps, asleep, awake[0], told, {awake[0]}))
        found = self.path[self.place]
        assert isinstance(found, Turn), "a schedule comes to the same moments again"
        self.place += 1
        return found.chosen

    def _last_turn(self) -> Turn | None:
        turns = (each for each in reversed(self.path) if isinstance(each, Turn))
        return next(turns, None)

    def advance(self) -> bool:
        """Prepares the next schedule; whether there is one."""
        self._reverse_races()
        while self.path:
            if self.path[-1].next():
                return True
            self.path.pop()
        return False

    def _reverse_races(self) -> None:
        """Notes where a later step of the path is to be tried first."""
        turns = [each for each in self.path if isinstance(each, Turn)]
        known: dict[int, Clock] = {}
        clocks: list[Clock] = []
        for number, turn in enumerate(turns):
            for learners, sources in turn.told:
                news = _joined(known.get(source, {}) for source in sources)
                known |= dict.fromkeys(learners, news)
            warp = turn.chosen
            clock, races = known.get(warp, {}), list[int]()
            for before in range(number - 1, -1, -1):
                other = turns[before]
                if clock.get(other.chosen, -1) >= before:
                    continue
                if meet(turn.steps[warp], other.steps[other.chosen]):
                    if other.chosen != warp:
                        races.append(before)
                    clock = _joined([clock, clocks[before]])
            clock = clock | {warp: number}
            for before in races:
                self._try_first(turns, before, number, clock)
            known[warp] = clock
            clocks.append(clock)

    @staticmethod
    def _try_first(turns: list[Turn], before: int, number: int, clock: Clock) -> None:
        """Someone who leads to a step is to go at an earlier turn.

        Args:
            turns: All of the path.
            before: The earlier turn.
            number: The turn of the step.
            clock: What comes before it.
        """
        turn, warp = turns[before], turns[number].chosen
        able = turn.steps.keys()
        leads = {w for w in able if w == warp or clock.get(w, -1) > before}
        if leads & (turn.todo | turn.done):
            return
        if not leads:
            turn.todo.update(able)
        else:
            turn.todo.add(warp if warp in leads else min(leads))


def _joined(clocks: Iterable[Clock]) -> Clock:
    """The later step of each warp."""
    found: Clock = {}
    for clock in clocks:
        for warp, number in clock.items():
            found[warp] = max(number, found.get(warp, -1))
    return found
