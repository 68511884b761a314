# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch on the interpreter under a debugger.

The interpreter is deterministic given arguments, seed and memory, which are kept from
the beginning of the launch: going back is running again up to an earlier moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cuda_tile.debug.arrays import arrays_of, element_bytes
from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.expression import Coordinates
from cuda_tile.debug.listing import Line, Listing
from cuda_tile.debug.names import Names
from cuda_tile.debug.rewind import Rewind
from cuda_tile.debug.scope import Scope
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.spots import Spot
from cuda_tile.debug.stepping import Plan, Seek, Through, UntilStore
from cuda_tile.debug.target import END, FAULT, Frame, Stop, Thread
from cuda_tile.debug.tiles import nan_in, shown
from cuda_tile.debug.values import Shown
from cuda_tile.debug.writers import Writers
from cuda_tile.interp.driver import Session
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Op, Program
from cuda_tile.interp.values import InterpError
from cuda_tile.runtime.elements import Array

SHOWN_THREADS = 64
"""Tile blocks that have not begun, of which a list shows so many."""


@dataclass(frozen=True)
class Launching:
    """A launch before it begins.

    Attributes:
        program: The decoded module.
        entry: The kernel's name in it.
        kernel: Its name for people.
        grid: Tile blocks along x, y, z.
        args: The entry's arguments.
        ssa: The names of its values in the Tile IR.
        labels: The names of parameters that are known otherwise, by their number.
        options: Further arguments of `interp.run`.
    """

    program: Program
    entry: str
    kernel: str
    grid: Sequence[int]
    args: Sequence[Any]
    ssa: Sequence[str]
    labels: Mapping[int, str] = field(default_factory=dict[int, str])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


class InterpTarget:
    """See `target.Target`; also the watcher of the interpreter's session."""

    def __init__(
        self, launching: Launching, breakpoints: Breakpoints, sources: Sources
    ) -> None:
        self._launching = launching
        self.name = launching.kernel
        self.breakpoints = breakpoints
        self.sources = sources
        self.is_paused = False
        self.thread = 1
        self.rewind = Rewind(self)
        self.writers = Writers(self, self.rewind)
        self._said = 0
        self._scopes: dict[tuple[int, str | None, bool], dict[str, int]] = {}
        self._begin()
        self._saved = self._memory_now()
        self.listing = Listing(self._session.entry)
        self.named = Names(self.listing, sources, launching.ssa, launching.labels)
        spots = [line.spot for line in self.listing.lines]
        breakpoints.place(spots, self.named.of.values(), sources)

    # Running

    def _begin(self) -> None:
        """A session at its beginning; the memory must be as it was then."""
        given = self._launching
        self._session = Session(
            given.program,
            given.entry,
            grid=given.grid,
            args=given.args,
            watcher=self,
            **given.options,
        )
        self.launch = self._session.launch
        self._stops = self._session.stops()
        self._last: dict[int, Spot] = {}
        self._runs: dict[int, TileBlock] = {}
        self._found = ""
        self._plan: Plan | None = None
        self.now: Line | None = None
        self.is_after = False
        self.time = 0
        self.ended: Stop | None = None
        self._error: InterpError | None = None

    def _memory_now(self) -> list[tuple[Array, Array]]:
        """What the launch may change, and what it holds."""
        regions = self.launch.memory.regions
        return [(r.array, r.array.copy()) for r in regions if r.is_writable]

    def restart(self) -> None:
        """Goes to the beginning: memory and all else as it was."""
        for array, before in self._saved:
            array[...] = before
        self._begin()

    def resume(self, plan: Plan) -> Stop:
        """Goes on as far as a plan says."""
        if self.ended is not None:
            return self.ended
        self._plan, self._found = plan, ""
        try:
            stop = next(self._stops, None)
        except InterpError as error:
            return self._fail(error)
        if stop is None:
            self.ended = Stop(self.thread, END, f"{self.time} ops, {self.name}")
            return self.ended
        reason, _, text = self._found.partition("\n")
        return Stop(self.thread, reason, text)

    def _fail(self, error: InterpError) -> Stop:
        self._error = error
        for run in self.launch.live:
            if run.is_running and run.at is not None:
                self._stand(run, self.listing.line(run.at))
        text = str(error).replace(self._launching.entry, self.name)
        self.ended = Stop(self.thread, FAULT, text)
        return self.ended

    def finish(self) -> Any:
        """Runs to the end; the report, or the error."""
        while self.ended is None:
            self.resume(Through())
        if self._error is not None:
            return self._session.outcome(self._error)
        return self._session.report()

    # The interpreter calls these

    def before(self, run: TileBlock, op: Op) -> bool:
        """Whether to stop before an op."""
        line = self.listing.line(op)
        number = run.number + 1
        previous = self._last.get(number)
        self._last[number] = line.spot
        self._runs[number] = run
        self.time = self.launch.op_count
        plan = self._plan
        assert plan is not None, "resume sets it"
        if isinstance(plan, Seek):
            plan.now = self.time
        if not self._found:
            self._stand(run, line)
        reason = self._found or plan.before(number, line.spot, previous)
        if reason is None and plan.heeds_breakpoints:
            reason = self.breakpoints.hit(line.spot, previous, self._names_now)
        if reason is None and self.is_paused:
            self.is_paused, reason = False, "pause"
        self._found = reason or ""
        return reason is not None

    def after(self, run: TileBlock, op: Op, results: tuple[Any, ...]) -> bool:
        """Whether to stop after an op."""
        plan = self._plan
        assert plan is not None, "resume sets it"
        if self.breakpoints.looks_for_nan(plan):
            self._look_for_nan(run, op, results)
        is_sought = isinstance(plan, Seek) and plan.is_after and plan.is_reached
        if is_sought and isinstance(plan, Seek):
            self._found = plan.reason
        if self._found and not self.is_after:
            self._stand(run, self.listing.line(op), is_after=True)
        return bool(self._found)

    def wrote(
        self, run: TileBlock, op: Op, places: Array, positions: Array, size_bytes: int
    ) -> None:
        """Looks whether a store is one that is looked for."""
        line = self.listing.line(op)
        self.writers.wrote(run, line, places, positions, size_bytes)
        plan = self._plan
        if isinstance(plan, UntilStore):
            hits = (places < plan.stop) & (places + np.uint64(size_bytes) > plan.start)
            if hits.any():
                self._found = f"store\nto {plan.name}, by '{op.name}'"
                self._stand(run, line, is_after=True)

    def _stand(self, run: TileBlock, line: Line, *, is_after: bool = False) -> None:
        self.thread, self.now, self.is_after = run.number + 1, line, is_after
        self._runs[run.number + 1] = run

    def _look_for_nan(self, run: TileBlock, op: Op, results: tuple[Any, ...]) -> None:
        """A NaN that none of the operands has."""
        places = [
            (slot, nan_in(v)) for slot, v in zip(op.results, results, strict=False)
        ]
        made = [(slot, place) for slot, place in places if place is not None]
        if made and all(nan_in(run.slots[slot]) is None for slot in op.operands):
            slot, place = made[0]
            name = self.named.name(slot)
            self._found = f"NaN\n{name}{list(place)} is the first, by '{op.name}'"

    # Looking

    def describe(self) -> str:
        """The launch in one line."""
        grid = " x ".join(map(str, self.launch.grid))
        return f"{self.name}, grid {grid}, on the interpreter"

    def threads(self) -> Sequence[Thread]:
        """Tile blocks that have begun and not ended, and the next ones."""
        found = [
            Thread(run.number + 1, f"tile block {run.block_id}", self._state(run))
            for run in self.launch.live
        ]
        return sorted([*found, *self._fresh()], key=lambda thread: thread.number)

    def _state(self, run: TileBlock) -> str:
        line = self._standing(run.number + 1)
        if run.is_running:
            return "runs"
        return f"waits at {line.spot}" if line is not None else "waits"

    def _fresh(self) -> list[Thread]:
        """The tile blocks that come next, in program order only."""
        if self.launch.is_shuffled or self._session.entry.is_persistent:
            return []
        begun = max(self._runs, default=0)
        ids = self._session.block_ids[begun : begun + SHOWN_THREADS]
        return [
            Thread(begun + place, f"tile block {block_id}", "not begun")
            for place, block_id in enumerate(ids, 1)
        ]

    def _standing(self, thread: int) -> Line | None:
        run = self._runs.get(thread)
        if thread == self.thread:
            return self.now
        return self.listing.line(run.at) if run is not None and run.at else None

    def spot(self, thread: int) -> Spot | None:
        """Where a thread stands."""
        line = self._standing(thread)
        return line.spot if line is not None else None

    def frames(self, thread: int) -> Sequence[Frame]:
        """The functions that a thread is in."""
        spot = self.spot(thread)
        if spot is None:
            return []
        return [
            Frame(self.named.function_at(place) or self.name, place, function)
            for place in spot.places
            for function in (self.named.function_at(place),)
        ] or [Frame(self.name, None)]

    def scopes(self, thread: int, frame: int) -> Mapping[str, Mapping[str, Shown]]:
        """Values by the user's names, arguments, and the other values."""
        line, run = self._standing(thread), self._runs.get(thread)
        if line is None or run is None:
            return {}
        frames = self.frames(thread)
        frame = min(frame, len(frames) - 1)
        function = frames[frame].function
        named = self._given_by_caller(thread, frame, frames)
        other: dict[str, Shown] = {}
        for name, slot in self._slots(line, function, thread).items():
            group = named if self.named.is_given(slot) else other
            group[name] = self._shown(run, slot)
        return {"Variables": named, "Launch": self._grid(run), "Tile IR": other}

    def _given_by_caller(
        self, thread: int, frame: int, frames: Sequence[Frame]
    ) -> dict[str, Shown]:
        """A function's parameters that are variables of its caller."""
        if frame + 1 >= len(frames):
            return {}
        bound = self.named.bound(frames[frame + 1].place, frames[frame].function)
        outer = self.scopes(thread, frame + 1).get("Variables", {})
        return {name: outer[word] for name, word in bound.items() if word in outer}

    def _argument(self, slot: int) -> Any:
        parameters = self.listing.entry.body.arguments
        if slot not in parameters:
            return None
        return self._launching.args[parameters.index(slot)]

    def names(self, thread: int, frame: int = 0) -> Mapping[str, Any]:
        """The values in scope as expressions see them."""
        line, run = self._standing(thread), self._runs.get(thread)
        if line is None or run is None:
            return {}
        frames = self.frames(thread)
        frame = min(frame, len(frames) - 1)
        given = self._given_by_caller(thread, frame, frames)
        rest = {name: each.value for name, each in given.items()}
        rest |= {name: each.value for name, each in self._grid(run).items()}
        slots = self._slots(line, frames[frame].function, thread)
        return Scope(slots, lambda slot: self._shown(run, slot).value, rest)

    def _slots(self, line: Line, function: str | None, thread: int) -> dict[str, int]:
        """The slots in scope by name; the youngest of a name comes last."""
        is_after = self.is_after and thread == self.thread
        key = line.spot.order, function, is_after
        if key not in self._scopes:
            found: dict[str, int] = {}
            for slot in self.listing.in_scope(line, after=is_after):
                if self.named.is_visible(slot, function):
                    name = self.named.name(slot)
                    found.pop(name, None)
                    found[name] = slot
            self._scopes[key] = found
        return self._scopes[key]

    def _shown(self, run: TileBlock, slot: int) -> Shown:
        return shown(self.listing, run, slot, self._argument(slot))

    def _grid(self, run: TileBlock) -> dict[str, Shown]:
        return {
            "block": Shown(Coordinates(run.block_id)),
            "grid": Shown(Coordinates(self.launch.grid)),
        }

    def _names_now(self) -> Mapping[str, Any]:
        return self.names(self.thread)

    def nearby(self, thread: int) -> Sequence[str]:
        """The ops of the line at which a thread stands; `->` marks the next one."""
        now = self._standing(thread)
        if now is None:
            return []
        return [
            f"{'->' if line is now else '  '} {self._op_text(line)}"
            for line in self.listing.lines
            if line.spot.place is not None
            and now.spot.place is not None
            and line.spot.lines == now.spot.lines
        ]

    def _op_text(self, line: Line) -> str:
        operands = ", ".join(map(self.named.name, line.op.operands))
        results = ", ".join(map(self.named.name, line.op.results))
        return (
            f"{results} = {line.op.name} {operands}"
            if results
            else (f"{line.op.name} {operands}".rstrip())
        )

    def element(self, text: str) -> tuple[int, int]:
        """The bytes of an element of an array."""
        slots = self.listing.entry.body.arguments
        args = dict(zip(slots, self._launching.args, strict=True))
        names = {slot: self.named.name(slot) for slot in slots}
        return element_bytes(arrays_of(names, args), text)

    def main_file(self) -> str:
        """The file that most of the kernel comes from."""
        files = Counter(
            file for line in self.listing.lines for file, _ in line.spot.lines[:1]
        )
        return files.most_common(1)[0][0] if files else ""

    def new_output(self) -> str:
        """What the kernel printed since this was asked last."""
        text = "".join(self.launch.output)
        fresh = text[self._said :]
        self._said = max(self._said, len(text))
        return fresh

    # Going back

    def back(self, kind: str) -> Stop:
        """Goes back to an earlier moment."""
        return self.rewind.back(kind)

    def goto(self, time: int) -> Stop:
        """Goes to the moment when `time` ops had begun."""
        return self.rewind.goto(time)

    def who(self, text: str) -> list[str]:
        """Who wrote an element, and from what."""
        return self.writers.who(text, *self.element(text))
