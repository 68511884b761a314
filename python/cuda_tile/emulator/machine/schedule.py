# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scheduler: which lanes run next.

Fast: the lanes at the lowest program counter run, over all warps, so that diverged
lanes reconverge where the paths join. Adversarial: warps run one at a time in a random
order, each up to the next branch or barrier. Barriers are real in both, and lanes wait
for each other only where an instruction requires it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

import numpy as np

from cuda_tile.emulator.errors import Fault, FaultAt
from cuda_tile.emulator.machine.barriers import Barriers
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.builtins import Builtins
from cuda_tile.emulator.machine.groups import Frame, Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.program import (
    Program,
    Segment,
    control_convergence,
    missing_lanes,
)
from cuda_tile.emulator.machine.step import (
    Barrier,
    Branch,
    Call,
    Convergence,
    Exit,
    IndexedBranch,
    IndirectCall,
    Return,
    Step,
    Wait,
)
from cuda_tile.emulator.machine.stuck import Stuck, report
from cuda_tile.emulator.machine.waiting import Waiting
from cuda_tile.emulator.memory.call_stack import Cells
from cuda_tile.emulator.memory.spaces import Spaces
from cuda_tile.emulator.ordering.lane_knowledge import LaneKnowledge
from cuda_tile.emulator.ptx.syntax import Instruction, Variable
from cuda_tile.emulator.sync.mbarriers import Mbarriers
from cuda_tile.emulator.threads.lanes import Lanes

# Every so many picks the longest-waiting group runs, so that a spinning loop cannot
# starve the lanes that it waits for.
_FAIR_TURN = 64


class Watcher(Protocol):
    """Sees what a machine does, instruction by instruction."""

    def begins(self, machine: Machine, scheduler: Scheduler) -> None:
        """A launch is about to run on a machine."""
        ...

    def before(self, group: Group) -> None:
        """Some lanes are about to run the instruction at which they stand."""
        ...


class Chooser(Protocol):
    """Says who goes next, in place of a draw."""

    def choose(self, ready: Sequence[Group]) -> int:
        """The place of those that go next, among all that can."""
        ...


class Scheduler:
    """Runs the CTAs of a machine from the entry to their end.

    Attributes:
        watcher: Asked before each instruction, or None.
    """

    def __init__(
        self,
        machine: Machine,
        programs: Mapping[str, Program],
        agents: Builder,
        builtins: Builtins,
        limit: int,
    ) -> None:
        self._machine = machine
        self._programs = programs
        self._agents = agents
        self._builtins = builtins
        self._limit = limit
        self._waiting = Waiting(machine)
        self._ready: list[Group] = []
        self._parked: list[Group] = []
        self._barriers = Barriers(machine)
        self._picks = 0
        self._steps = 0
        self.watcher: Watcher | None = None
        self._chooser: Chooser | None = None

    def follow(self, chooser: Chooser, is_cut: Callable[[Instruction], bool]) -> None:
        """Asks who goes next, before some instructions and wherever lanes may change.

        Args:
            chooser: Who is asked.
            is_cut: The instructions.
        """
        self._chooser = chooser
        for program in self._programs.values():
            program.cut(is_cut)

    @property
    def barriers(self) -> Barriers:
        """The barriers of the machine."""
        return self._barriers

    @property
    def mbarriers(self) -> Mbarriers:
        """The mbarriers of the machine."""
        return self._agents.mbarriers

    @property
    def spaces(self) -> Spaces:
        """The memories of the machine, by their addresses."""
        return self._agents.spaces

    def run(self, entry: Program) -> None:
        """Runs all live lanes.

        Raises:
            FaultAt: The kernel did something it must not.
        """
        machine = self._machine
        self._agents.reset()
        self._waiting = Waiting(machine)
        self._steps = 0
        numbers = np.flatnonzero(machine.live)
        if machine.is_adversarial:
            for warp in np.unique(numbers >> 5):
                lanes = Lanes(numbers[numbers >> 5 == warp], machine.n_lanes)
                self._ready.append(Group(entry, 0, lanes))
        else:
            self._ready.append(Group(entry, 0, Lanes(numbers, machine.n_lanes)))
        while self._ready or self._waiting.groups:
            self._ready += self._waiting.poll(idle=not self._ready)
            if not self._ready:
                break
            self._advance(self._pick())
        stuck = list(self.waits())
        if stuck:
            is_deadlock = self._barriers.meetings or self._waiting.groups
            kind = "deadlock" if is_deadlock else "divergence"
            raise FaultAt(Fault(kind, report(stuck, machine)), stuck[0].at)
        for kind, text, at in self._agents.finish():
            try:
                machine.shadow.report(kind, text, at)
            except Fault as fault:
                raise FaultAt(fault, at) from fault

    def waits(self) -> Iterator[Stuck]:
        """The lanes that wait, and for what; at the end of a run it never comes."""
        for group in self._parked:
            yield Stuck.of(group, group.pc, "for the other lanes of their warp")
        yield from self._barriers.stuck()
        yield from self._waiting.stuck()

    def _pick(self) -> Group:
        ready = self._ready
        if self._chooser is not None:
            return ready.pop(self._chooser.choose(ready))
        if len(ready) == 1:
            return ready.pop()
        self._picks += 1
        if self._machine.is_adversarial:
            return self._pick_any()
        if self._picks % _FAIR_TURN == 0:
            return ready.pop(0)
        first = min(range(len(ready)), key=lambda place: ready[place].order)
        return ready.pop(first)

    def _pick_any(self) -> Group:
        """Picks a random warp, and of its groups the one furthest behind."""
        ready = self._ready
        chosen = int(self._machine.rng.integers(len(ready)))
        warp = int(ready[chosen].lanes.warps[0])
        mine = [p for p, g in enumerate(ready) if int(g.lanes.warps[0]) == warp]
        if self._picks % _FAIR_TURN == 0:
            return ready.pop(mine[0])
        return ready.pop(min(mine, key=lambda place: ready[place].order))

    def _add(self, group: Group) -> None:
        """Makes a group ready, merged with one at the same program counter."""
        machine = self._machine
        if self._is_joined(group):
            numbers = group.lanes.numbers
            for warp in group.lanes.warps:
                mine = Lanes(numbers[numbers >> 5 == warp], machine.n_lanes)
                self._add(group.only(mine))
            return
        for pool in (self._ready, self._parked):
            for place, other in enumerate(pool):
                same_warp = (
                    not machine.is_adversarial
                    or group.lanes.warps[0] == other.lanes.warps[0]
                )
                if same_warp and group.stands_with(other):
                    del pool[place]
                    self._add(other.merged(group, machine.n_lanes))
                    return
        self._ready.append(group)

    def _advance(self, group: Group) -> None:
        """Runs a group until it waits, ends, or others may go first."""
        current: Group | None = group
        while current is not None:
            segment = current.program.segment(current.pc)
            self._count(current, segment)
            self._machine.polls.ran(current.lanes)
            met = self._run_steps(current, segment)
            if met is None:
                return
            current = self._go_on(met, segment)
            if current is not None and (
                self._ready
                or self._parked
                or self._chooser is not None
                or self._is_joined(current)
            ):
                self._add(current)
                return

    def _is_joined(self, group: Group) -> bool:
        """Whether adversarial warps are still joined after a warpgroup's step."""
        return self._machine.is_adversarial and len(group.lanes.warps) > 1

    def _count(self, group: Group, segment: Segment) -> None:
        program = group.program
        stop = segment.stop + (segment.control is not None)
        first = program.first
        counters = self._machine.counters
        counters.warps[first + segment.start : first + stop] += len(group.lanes.warps)
        if counters.traffic is not None:
            counters.traffic.ran(first + segment.start, group.lanes)
        self._steps += stop - segment.start
        self._machine.timers.advance(stop - segment.start)
        if self._steps > self._limit:
            fault = Fault(
                "runaway",
                f"more than {self._limit} steps; an endless loop, or raise `limit`",
            )
            raise FaultAt(fault, first + segment.start)

    def _recount(self, group: Group, segment: Segment, at: int, more: int) -> None:
        """Counts the rest of a segment for those that run it, not for those that wait.

        Args:
            group: What `_count` counted.
            segment: All of which it counted.
            at: From which step on.
            more: Warps that run it, over those that were counted.
        """
        first = group.program.first
        stop = segment.stop + (segment.control is not None)
        self._machine.counters.warps[first + at : first + stop] += more

    # Steps -------------------------------------------------------------------------

    def _run_steps(self, group: Group, segment: Segment) -> Group | None:
        """Runs a segment's steps; returns the lanes that reached its end."""
        lanes = group.lanes
        first = group.program.first
        number = 0
        if self.watcher is not None:
            return self._run_diverged(group, segment)
        try:
            if self._machine.lane_knowledge is not None:
                return self._run_knowing(group, segment, self._machine.lane_knowledge)
            if lanes.is_full:
                for number, full in enumerate(segment.full, segment.start):  # noqa: B007
                    full()
                return group
            if segment.converges and not self._is_whole(lanes, segment.converges):
                return self._run_diverged(group, segment)
            for number, run in enumerate(segment.some, segment.start):  # noqa: B007
                run(lanes)
        except Fault as fault:
            raise FaultAt(fault, first + number) from fault
        return group

    def _run_knowing(
        self, group: Group, segment: Segment, knowledge: LaneKnowledge
    ) -> Group | None:
        """The same in an adversarial machine, where lanes know different things."""
        lanes = group.lanes
        visit = knowledge.enter(lanes)
        diverged = segment.converges and not self._is_whole(lanes, segment.converges)
        if diverged or len(knowledge.classes(lanes)) > 1:
            knowledge.leave(visit, lanes)
            return self._run_diverged(group, segment)
        number, changes = segment.stop - 1, knowledge.changes
        try:
            for number, run in enumerate(segment.some, segment.start):  # noqa: B007
                run(lanes)
                if knowledge.changes != changes:  # they know different things now
                    break
        except Fault as fault:
            raise FaultAt(fault, group.program.first + number) from fault
        knowledge.leave(visit, lanes)
        if knowledge.changes != changes and number + 1 < segment.stop:
            return self._run_diverged(group, segment, number + 1)
        return group

    def _is_whole(self, lanes: Lanes, kind: Literal["warp", "warpgroup"]) -> bool:
        """Whether every warp, or warpgroup, has converged."""
        if kind == "warp" and lanes.active is None:
            return True
        return not np.count_nonzero(missing_lanes(kind, lanes, self._machine))

    def _run_diverged(
        self, group: Group, segment: Segment, first: int = -1
    ) -> Group | None:
        """Runs steps one by one; warps that must converge first are parked.

        `first` is the first of them, if it is not the segment's.
        """
        current: Group | None = group
        for at, step in enumerate(segment.steps, segment.start):
            if at < first:
                continue
            if step.convergence is not None:
                came = len(current.lanes.warps)
                current = self._meet(current.at(at), step.convergence)
                goes_on = 0 if current is None else len(current.lanes.warps)
                self._recount(group, segment, at, goes_on - came)
                if current is None:
                    return None
            if self.watcher is not None:
                self.watcher.before(current.at(at))
            try:
                self._run_step(step, current.lanes)
            except Fault as fault:
                raise FaultAt(fault, current.program.first + at) from fault
        return current

    def _run_step(self, step: Step, lanes: Lanes) -> None:
        """Runs one step; lanes that know different things one after another."""
        knowledge = self._machine.lane_knowledge
        if knowledge is None:
            step.run(lanes)
            return
        together = step.convergence is not None
        for some in [lanes] if together else knowledge.classes(lanes):
            visit = knowledge.enter(some)
            step.run(some)
            knowledge.leave(visit, some)

    def _meet(self, group: Group, convergence: Convergence) -> Group | None:
        """Parks the warps that have not converged; returns the others."""
        machine, lanes = self._machine, group.lanes
        missing = missing_lanes(convergence, lanes, machine)
        if not np.count_nonzero(missing):
            return group
        waits = np.isin(lanes.numbers >> 5, lanes.warps[missing != 0])
        self._park(group.only(Lanes(lanes.numbers[waits], machine.n_lanes)))
        if waits.all():
            return None
        return group.only(Lanes(lanes.numbers[~waits], machine.n_lanes))

    def _park(self, group: Group) -> None:
        """Parks lanes, or makes them ready with others parked at the same place."""
        for place, other in enumerate(self._parked):
            if group.stands_with(other):
                del self._parked[place]
                self._ready.append(other.merged(group, self._machine.n_lanes))
                return
        self._parked.append(group)

    # Control -----------------------------------------------------------------------

    def _go_on(self, group: Group, segment: Segment) -> Group | None:
        """Executes the control instruction that ends a segment."""
        control = segment.control
        group = group.at(segment.stop)
        if control is None:
            if segment.stop >= len(group.program.function.code):
                return self._end(group)
            return group
        if self.watcher is not None:
            self.watcher.before(group)
        at = group.program.first + segment.stop
        try:
            self._check_defined(group, segment)
            chosen, rest = self._choose(group, segment)
            if isinstance(control, Branch):
                moved = chosen.at(control.target) if chosen is not None else None
                if moved is not None and segment.stop in group.program.polls:
                    moved = replace(moved, polls=True)
                return self._both(moved, rest)
            if chosen is None:
                return rest
            if rest is not None:
                self._add(rest)
            return self._execute(chosen, control)
        except Fault as fault:
            raise FaultAt(fault, at) from fault

    def _execute(
        self,
        group: Group,
        control: IndexedBranch | Exit | Return | Call | IndirectCall | Barrier | Wait,
    ) -> Group | None:
        if isinstance(control, Wait):
            return self._wait(group, control)
        if isinstance(control, Barrier):
            return self._arrive(group, control)
        if isinstance(control, IndexedBranch):
            return self._jump(group, control)
        if isinstance(control, Call):
            return self._call(group, control)
        if isinstance(control, IndirectCall):
            return self._call_any(group, control)
        if isinstance(control, Return) and group.frames:
            return self._return(group)
        return self._end(group)

    def _check_defined(self, group: Group, segment: Segment) -> None:
        if not self._machine.is_adversarial:
            return
        for register in segment.demands:
            if not self._machine.defined[register][group.lanes.index].all():
                raise self._machine.undefined(register, group.lanes)

    def _choose(
        self, group: Group, segment: Segment
    ) -> tuple[Group | None, Group | None]:
        """Splits a group by a control's guard; the rest goes to the next place."""
        if segment.guard is None:
            return group, None
        predicate, negated = segment.guard
        holds = predicate[group.lanes.index]
        if negated:
            holds = ~holds
        count = np.count_nonzero(holds)
        after = group.at(segment.stop + 1)
        if count == group.lanes.count:
            return group, None
        if count == 0:
            return None, after
        n_lanes, numbers = self._machine.n_lanes, group.lanes.numbers
        return (
            group.only(Lanes(numbers[holds], n_lanes)),
            after.only(Lanes(numbers[~holds], n_lanes)),
        )

    def _both(self, first: Group | None, second: Group | None) -> Group | None:
        if first is None or second is None:
            return first or second
        self._add(first)
        self._add(second)
        return None

    def _jump(self, group: Group, branch: IndexedBranch) -> Group | None:
        index = branch.index[group.lanes.index]
        if int(index.max()) >= len(branch.targets):
            lane = int(group.lanes.numbers[int(np.argmax(index))])
            raise Fault(
                "branch",
                f"expected an index below {len(branch.targets)}, got {index.max()} in "
                f"lane {lane & 31} of warp {self._machine.warp_in_cta[lane]}",
            )
        for value in np.unique(index):
            numbers = group.lanes.numbers[index == value]
            part = group.only(Lanes(numbers, self._machine.n_lanes))
            self._add(part.at(branch.targets[int(value)]))
        return None

    def _arrive(self, group: Group, barrier: Barrier) -> Group | None:
        met = self._meet(group, control_convergence(barrier))
        if met is None:
            return None
        if self._machine.lane_knowledge is not None:
            self._machine.lane_knowledge.arrive(met.lanes)
        released = self._barriers.arrive(met, barrier)
        if len(released) == 1 and not self._ready and not self._machine.is_adversarial:
            return released[0]
        for other in released:
            self._add(other)
        return None

    def _wait(self, group: Group, control: Wait) -> None:
        met = self._meet(group, control_convergence(control))
        if met is not None:
            for other in self._waiting.begin(met, control):
                self._add(other)

    def _end(self, group: Group) -> None:
        """Ends the lanes; barriers may be complete without them."""
        machine = self._machine
        machine.progress += 1
        if machine.lane_knowledge is not None:
            machine.lane_knowledge.end(group.lanes)
        machine.live[group.lanes.index] = False
        machine.count_live()
        if machine.shadow.keeps:
            at = group.program.first + group.pc
            for cta in np.unique(machine.cta_of[group.lanes.index]):
                if not machine.live_threads[cta]:
                    machine.presence.end(int(cta), at)
        for cta, warps in machine.agents_by_cta(group.lanes.numbers):
            if machine.live_threads[cta]:
                machine.shadow.end_threads(cta, warps)
        for other in self._barriers.after_exit():
            self._add(other)
        parked, self._parked = self._parked, []
        self._ready += parked

    # Calls -------------------------------------------------------------------------

    def _call(self, group: Group, call: Call) -> Group | None:
        after = group.at(group.pc + 1)
        callee = self._programs.get(call.function)
        if callee is None:
            self._builtins.call(call, group.lanes, group.program.first + group.pc)
            return after
        caller, lanes = group.program.function, group.lanes
        stack = self._machine.call_stack
        passed = self._values(call.arguments, callee.function.params, lanes)
        stack.enter(len(group.frames), caller, callee.function, lanes)
        for variable, cells in passed:
            stack.write(variable, lanes, cells)
        frames = (*group.frames, Frame(group.program, group.pc, call))
        return Group(callee, 0, lanes, frames)

    def _return(self, group: Group) -> Group:
        *outer, frame = group.frames
        callee, lanes = group.program.function, group.lanes
        stack = self._machine.call_stack
        passed = self._values(callee.results, frame.call.results, lanes)
        stack.leave(len(outer), frame.program.function, callee, lanes)
        for variable, cells in passed:
            stack.write(variable, lanes, cells)
        return Group(frame.program, frame.pc + 1, lanes, tuple(outer))

    def _values(
        self, sources: Sequence[Variable], targets: Sequence[Variable], lanes: Lanes
    ) -> list[tuple[Variable, Cells]]:
        """Reads arguments or results, each with the variable that it becomes."""
        if len(sources) != len(targets):
            raise Fault("call", f"expected {len(targets)} values, got {len(sources)}")
        stack = self._machine.call_stack
        pairs = zip(sources, targets, strict=True)
        return [(target, stack.read(source, lanes)) for source, target in pairs]

    def _call_any(self, group: Group, call: IndirectCall) -> Group | None:
        """Each lane calls the function whose address it has."""
        addresses = call.target[group.lanes.index]
        found = np.unique(addresses)
        for address in found:
            numbers = group.lanes.numbers[addresses == address]
            part = group.only(Lanes(numbers, self._machine.n_lanes))
            direct = call.reaches(int(address))
            called = self._call(part, direct)
            if called is not None and len(found) == 1:
                return called
            if called is not None:
                self._add(called)
        return None
