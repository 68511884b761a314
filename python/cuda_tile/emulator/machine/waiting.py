# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes that wait for an mbarrier, a cluster barrier or registers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cuda_tile.emulator.errors import Fault, FaultAt
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.step import Wait
from cuda_tile.emulator.machine.stuck import Stuck
from cuda_tile.emulator.threads.lanes import Lanes

# How often all waits that may time out do so without any progress before it counts as
# a deadlock: twice, since a loop may test something else in between.
_IDLE_ROUNDS = 2
_SPURIOUS = 0.25


class Waiting:
    """The waiting lanes, each at its instruction.

    Attributes:
        groups: The waiting groups, and their waits.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.groups: list[tuple[Group, Wait]] = []
        self._seen = -1
        self._idle = 0
        self._idle_progress = -1

    def begin(self, group: Group, wait: Wait) -> list[Group]:
        """Starts the wait of a group; returns the parts that go on at once."""
        machine = self._machine
        may_fail = machine.is_adversarial and wait.may_fail
        if may_fail and machine.rng.random() < _SPURIOUS:
            wait.finish(group.lanes, False)
            return [group.at(group.pc + 1)]
        return self._ask(group, wait, forced=False)

    def _ask(self, group: Group, wait: Wait, *, forced: bool) -> list[Group]:
        knowledge = self._machine.lane_knowledge
        visit = None if knowledge is None else knowledge.enter(group.lanes)
        done = wait.poll(group.lanes, forced)
        if knowledge is not None:
            knowledge.leave(visit, group.lanes)
        n_lanes, numbers = self._machine.n_lanes, group.lanes.numbers
        if not done.all():
            rest = group.only(Lanes(numbers[~done], n_lanes))
            self.groups.append((rest, wait))
        if not done.any():
            return []
        ready = group.only(Lanes(numbers[done], n_lanes))
        wait.finish(ready.lanes, True)
        return [ready.at(group.pc + 1)]

    def poll(self, *, idle: bool) -> list[Group]:
        """Returns the groups whose wait is over.

        Args:
            idle: Whether no other lane can run, so that everything in flight must
                complete.
        """
        machine = self._machine
        if not idle and self._seen == machine.progress:
            return []
        self._seen = machine.progress
        released: list[Group] = []
        waiting, self.groups = self.groups, []
        for group, wait in waiting:
            try:
                released += self._ask(group, wait, forced=idle)
            except Fault as fault:
                raise FaultAt(fault, group.program.first + group.pc) from fault
        if released or not idle:
            return released
        return self._give_up()

    def _give_up(self) -> list[Group]:
        """Lets waits that may fail time out, unless they did so before in vain."""
        machine = self._machine
        if machine.progress != self._idle_progress:
            self._idle, self._idle_progress = 0, machine.progress
        self._idle += 1
        if self._idle > _IDLE_ROUNDS:
            return []
        released: list[Group] = []
        kept: list[tuple[Group, Wait]] = []
        for group, wait in self.groups:
            if wait.may_fail:
                wait.finish(group.lanes, False)
                released.append(group.at(group.pc + 1))
            else:
                kept.append((group, wait))
        self.groups = kept
        return released

    def stuck(self) -> Iterator[Stuck]:
        """Who waits for what."""
        n_lanes = self._machine.n_lanes
        for group, wait in self.groups:
            numbers = group.lanes.numbers
            ctas = self._machine.cta_of[numbers]
            for cta in np.unique(ctas):
                part = group.only(Lanes(numbers[ctas == cta], n_lanes))
                yield Stuck.of(part, part.pc, f"for the {wait.words(part.lanes)}")
