# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a launch in all schedules that may differ, each time from its start."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from cuda_tile.emulator.errors import Fault, FaultAt, FindingError
from cuda_tile.emulator.launch import launch
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.poll_state import PollState
from cuda_tile.emulator.machine.schedule import Scheduler
from cuda_tile.emulator.proof.kernel import destinations, registers_read
from cuda_tile.emulator.proof.liveness import live_registers
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.ptx.syntax import Function, Module, Register
from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.schedules.touches import (
    Bytes,
    Touches,
    Unfollowed,
    bytes_of,
    check,
    is_barrier,
    is_cut,
    is_strong,
    meet,
    touches_of,
)
from cuda_tile.emulator.schedules.tree import Told, Tree

MOST_WARPS = 4
MOST_SECONDS = 60.0
_ENDS = frozenset({"ret", "exit"})
_MEMORY = frozenset({"ld", "st", "atom", "red"})
MOST_STEPS = 100_000
"""Of one schedule, after which it counts as endless."""


@dataclass
class Explored:
    """The result of all schedules of a launch.

    Attributes:
        runs: Schedules that were run to their end.
        results: What they leave in the arrays: each different one once, as the bytes of
            each array, with the number of schedules that leave it.
        finding: What is wrong in one of them.
        steps: Whose turn it was there: the warp, and the line at which it was.
        why: Why these are not all; empty if they are.
    """

    runs: int = 0
    results: dict[tuple[bytes, ...], int] = field(
        default_factory=dict[tuple[bytes, ...], int]
    )
    finding: FindingError | None = None
    steps: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    why: str = ""

    @property
    def is_over(self) -> bool:
        """Whether no more schedules need to be run."""
        return self.finding is not None or bool(self.why)

    def __str__(self) -> str:
        if self.finding is not None:
            steps = ", ".join(f"warp {warp} line {line}" for warp, line in self.steps)
            return f"refuted by a schedule: {self.finding}; turns: {steps or 'none'}"
        if self.why:
            return f"unknown: {self.why}"
        results = (
            "1 result" if len(self.results) == 1 else f"{len(self.results)} results"
        )
        return f"proved in all schedules ({self.runs} were run): {results}"


def explore(
    ptx: str | Module,
    entry: str | None = None,
    *,
    args: Sequence[Any],
    seconds: float = MOST_SECONDS,
    **options: Any,
) -> Explored:
    """Runs a launch in each schedule of its warps that may differ from the others.

    Args:
        ptx: The PTX text, or what `parse` made of it.
        entry: The kernel's name; None for the only one.
        args: The arguments, as `launch` has them; arrays stay as they are.
        seconds: CPU time after which this is given up.
        options: Other arguments of `launch`: grid, block, shared memory.

    Raises:
        PtxError: The text is malformed.
        LaunchError: Arguments or dimensions do not fit the kernel.
    """
    module = ptx if isinstance(ptx, Module) else parse(ptx)
    options = {"limit": MOST_STEPS, "mode": "adversarial", "seed": 0} | options
    tree, found = Tree(), Explored()
    args = [cast("Array", a).copy() if isinstance(a, np.ndarray) else a for a in args]
    deadline = time.process_time() + seconds
    while not found.is_over:
        _run(module, entry, args, options, tree, found)
        if not found.is_over and not tree.advance():
            return found
        if not found.is_over and time.process_time() > deadline:
            found.why = f"more than {found.runs} schedules, too many for {seconds:g} s"
    return found


def _run(
    module: Module,
    entry: str | None,
    args: Sequence[Any],
    options: dict[str, Any],
    tree: Tree,
    found: Explored,
) -> None:
    """Runs one schedule, and notes what it does.

    The arrays lie where they did before: turns are told apart by addresses.
    """
    arrays = [cast("Array", a) for a in args if isinstance(a, np.ndarray)]
    before = [array.copy() for array in arrays]
    run = _Run(tree)
    try:
        launch(module, entry, args=args, watcher=run, **options)
    except FindingError as error:
        if error.finding.kind == "runaway":
            found.why = f"a schedule has no end: {error}"
        else:
            found.finding, found.steps = error, run.steps
    except Unfollowed as reason:
        found.why = str(reason)
    except _Tried:
        pass
    else:
        left = tuple(array.tobytes() for array in arrays)
        found.results[left] = found.results.get(left, 0) + 1
        found.runs += 1
    for array, content in zip(arrays, before, strict=True):
        array[...] = content


class _Tried(Exception):
    """All that follows was tried before."""


class _Draws:
    """The numbers that an adversarial machine draws: all of them, one after another.

    Numbers that only fill memory and registers at the start are drawn at random.
    """

    def __init__(
        self, draw: Callable[[int], int], generator: np.random.Generator
    ) -> None:
        self._draw, self._generator = draw, generator

    def random(self) -> float:
        """Whether what seldom happens does, which asks for less than a share."""
        return 0.0 if self._draw(2) else 1.0

    def integers(self, low: int, high: int, *more: Any) -> Any:
        """A number, or as many as ever."""
        if more:
            return cast("Any", self._generator.integers(low, high, *more))
        return low + self._draw(high - low)

    def permutation(self, order: Any) -> Any:
        """The order in which lanes of a warp change one word, where none asks."""
        return order


@dataclass
class _Warp:
    """A warp since something changed that it looks at.

    Attributes:
        places: The places and states in which it was when it was to go on, with the
            number of draws that it had made.
        touched: What it has touched.
        draws: How often something was drawn for it.
    """

    places: dict[tuple[int, ...], int] = field(
        default_factory=dict[tuple[int, ...], int]
    )
    touched: Touches = ()
    draws: int = 0

    def changed(self) -> None:
        """Something did."""
        self.places.clear()
        self.touched = ()


@dataclass(frozen=True)
class _Step:
    """A step between two choices: its lanes, and what it touches.

    Attributes:
        before: The bytes there before; None if other things change, too.
        meets: Whether it comes to a barrier, or ends.
        waits: Whether it waits at that barrier.
        stores: How many weak stores there were before.
    """

    warp: int
    touches: Touches
    before: bytes | None
    meets: bool
    waits: bool
    stores: int


class _Run:
    """One schedule: follows a path of the tree; also the watcher of the launch."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        tree.begin()
        self._warps = {number: _Warp() for number in range(MOST_WARPS)}
        self._ready: frozenset[int] = frozenset()
        self._told: list[Told] = []
        self._last: _Step | None = None
        self.steps: list[tuple[int, int]] = []

    # The launch --------------------------------------------------------------------

    def begins(self, machine: Machine, scheduler: Scheduler) -> None:
        """A launch is about to run: takes its draws and its order over."""
        functions, geometry = machine.symbols.functions, machine.geometry
        code = [each for function in functions for each in function.code]
        check(code)
        n_ctas = int(np.prod(geometry.grid))
        n_warps = n_ctas * geometry.warps_per_cta
        if n_warps > MOST_WARPS or geometry.cluster_size > 1:
            raise Unfollowed(
                f"expected up to {MOST_WARPS} warps and no clusters, got {n_warps} "
                f"warps in clusters of {geometry.cluster_size}"
            )
        self._machine = machine
        self._stores = [
            number
            for number, each in enumerate(code)
            if each.opcode == "st" and not is_strong(each)
        ]
        draws = _Draws(self._draw, machine.rng)
        machine.rng = cast("np.random.Generator", draws)
        self._live = {f: _live(machine, f) for f in functions}
        self._barriers = scheduler.barriers
        scheduler.watcher = None
        scheduler.follow(self, is_cut)

    def before(self, group: Group) -> None:
        """Nothing is watched."""

    def _draw(self, ways: int) -> int:
        assert self._last is not None, "only instructions draw"
        self._warps[self._last.warp].draws += 1
        return self._tree.draw(ways)

    # Turns -------------------------------------------------------------------------

    def choose(self, ready: Sequence[Group]) -> int:
        """The lanes that run next; a step that no other lane notices runs at once.

        Args:
            ready: All lanes that can go.

        Raises:
            FaultAt: Lanes wait for what never comes.
        """
        first: dict[int, int] = {}
        for place, group in enumerate(ready):
            warp = int(group.lanes.warps[0])
            if warp not in first or group.order < ready[first[warp]].order:
                first[warp] = place
        if self._last is not None:
            self._note_change(self._last)
            self._note_woken(self._last, frozenset(first))
        self._ready = frozenset(first)
        steps = {w: self._touches(ready[p]) for w, p in first.items()}
        warp = next((w for w, touches in steps.items() if not touches), None)
        if warp is None:
            warp = self._turn(steps, {w: ready[p] for w, p in first.items()})
        self._last = self._step(warp, ready[first[warp]], steps[warp])
        return first[warp]

    def _touches(self, group: Group) -> Touches:
        return touches_of(self._machine, self._barriers, group)

    def _turn(self, steps: dict[int, Touches], groups: dict[int, Group]) -> int:
        """One of those whose next steps may matter to others."""
        able = {w: t for w, t in steps.items() if not self._polls(w, groups[w])}
        if not able:
            raise _deadlock(list(groups.values()))
        chosen = self._tree.turn(able, tuple(self._told))
        if chosen is None:
            raise _Tried
        self._told = []
        own, group = self._warps[chosen], groups[chosen]
        own.places[self._state(group)] = own.draws
        self.steps.append((chosen, _line(group)))
        return chosen

    def _step(self, warp: int, group: Group, touches: Touches) -> _Step:
        code = group.program.function.code
        instruction = code[group.pc] if group.pc < len(code) else None
        ends = instruction is None or instruction.opcode in _ENDS
        is_memory = instruction is not None and instruction.opcode in _MEMORY
        before = bytes_of(self._machine, touches) if is_memory else None
        meets = instruction is not None and is_barrier(instruction)
        waits = meets and "arrive" not in code[group.pc].modifiers
        return _Step(
            *(warp, touches, before, meets or ends, waits, self._count_stores())
        )

    def _count_stores(self) -> int:
        return int(self._machine.counters.warps[self._stores].sum())

    def _note_woken(self, last: _Step, ready: frozenset[int]) -> None:
        """Notes the lanes that the last step wakes, and what happens before them."""
        woken = ready - self._ready - {last.warp}
        if not woken:
            return
        if last.meets:  # all that were at the barrier
            learn = woken | {last.warp} if last.waits else woken
            self._told.append((learn, woken | {last.warp}))
        else:
            self._told += [(frozenset({w}), frozenset({w, last.warp})) for w in woken]

    # Loops that poll ---------------------------------------------------------------

    def _note_change(self, last: _Step) -> None:
        """A polling lane continues only after a change of what it reads."""
        own = self._warps[last.warp]
        writes = any(isinstance(t, Bytes) and t.writes for t in last.touches)
        is_kept = not writes or (
            last.before is not None
            and bytes_of(self._machine, last.touches) == last.before
        )
        if not is_kept:
            for each in self._warps.values():
                if meet(each.touched, last.touches):
                    each.changed()
        if not is_kept or self._count_stores() != last.stores:
            own.changed()
        own.touched += last.touches

    def _state(self, group: Group) -> tuple[int, ...]:
        """Where lanes are, and what their registers hold that may still matter."""
        state = PollState(self._machine, self._live[group.program.function][group.pc])
        states = (hash(each) for each in state.of(group.lanes))
        return group.program.first + group.pc, *states

    def _polls(self, warp: int, group: Group) -> bool:
        """Whether a warp is where it was, and nothing has changed since.

        Raises:
            _Tried: Something was drawn meanwhile: without it the warp comes here, too.
        """
        own = self._warps[warp]
        draws = own.places.get(self._state(group))
        if draws is not None and draws != own.draws:
            raise _Tried
        return draws is not None


def _live(machine: Machine, function: Function) -> list[frozenset[Register]]:
    """The registers that matter before each instruction, and at the end."""
    registers = frozenset(machine.registers_of(function))
    return live_registers(function, registers, registers_read, destinations)


def _deadlock(groups: Sequence[Group]) -> FaultAt:
    at = groups[0].program.first + groups[0].pc
    lines = " and ".join(map(str, sorted({_line(group) for group in groups})))
    text = f"warps poll what nobody changes any more, at line {lines}"
    return FaultAt(Fault("deadlock", text), at)


def _line(group: Group) -> int:
    code = group.program.function.code
    return code[min(group.pc, len(code) - 1)].line
