# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CTA barriers of a machine: arrivals, waiting groups, completion.

PTX ISA: "Parallel Synchronization and Communication Instructions: bar, barrier".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.step import Barrier
from cuda_tile.emulator.machine.stuck import Stuck
from cuda_tile.emulator.ordering.clocks import Knowledge
from cuda_tile.emulator.ptx.types import Index
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes


@dataclass(eq=False)
class Meeting:
    """One barrier of one CTA between its first arrival and its completion.

    Attributes:
        threads: The number of threads it expects; None for all live ones.
        at: The instruction that arrived first.
        arrived: Threads that have arrived.
        lanes: Which ones, in pieces.
        waiting: Groups to release, each already at the instruction after.
        released: The clocks of warps that had lanes go on after they arrived: what
            these do from then on is not ordered by the barrier. None for no such ones.
        gone: Those warps.
    """

    cta: int
    number: int
    threads: int | None
    finish: Barrier
    at: int
    arrived: int = 0
    lanes: list[Index] = field(default_factory=list[Index])
    waiting: list[Group] = field(default_factory=list[Group])
    released: Knowledge | None = None
    gone: set[int] = field(default_factory=set[int])


class Barriers:
    """All barriers of all CTAs of one machine.

    Attributes:
        meetings: Those at which somebody has arrived, by CTA and number.
        over: How often each was complete.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.meetings: dict[tuple[int, int], Meeting] = {}
        self.over = Counter[tuple[int, int]]()

    def seats(self, lanes: Lanes, barrier: Barrier) -> tuple[int, int, int, int] | None:
        """Where lanes would arrive; None at a barrier of all threads.

        Args:
            lanes: Lanes of one warp.
            barrier: The barrier.

        Returns:
            The barrier's number among those of all CTAs, how often it was complete, how
            many threads are missing, and how many would arrive.
        """
        number = int(barrier.number[lanes.index][0])
        threads = self._threads(barrier, lanes, number)
        if threads is None:
            return None
        cta = int(self._machine.cta_of[lanes.numbers[0]])
        meeting = self.meetings.get((cta, number))
        missing = threads - (meeting.arrived if meeting is not None else 0)
        come = WARP_LANES if barrier.is_aligned else lanes.count
        return cta * 16 + number, self.over[cta, number], missing, come

    def arrive(self, group: Group, barrier: Barrier) -> list[Group]:
        """Lets a group arrive; returns the groups that can go on.

        Every returned group, and every waiting one, stands after the barrier.
        """
        machine, lanes = self._machine, group.lanes
        everybody = lanes.count == int(machine.live_threads.sum())
        is_fixed = not barrier.number.flags.writeable
        is_plain = barrier.waits and barrier.threads is None and is_fixed
        if everybody and is_plain and not self.meetings:
            self._finish_by_cta(barrier, lanes)
            machine.shadow.synchronise_all(lambda: machine.agents_by_cta(lanes.numbers))
            if machine.lane_knowledge is not None:
                machine.lane_knowledge.met_all(lanes.numbers)
            return [group.at(group.pc + 1)]
        released: list[Group] = []
        for cta, number, part in self._split(lanes, barrier):
            released += self._join(
                group.only(part).at(group.pc + 1), barrier, cta, number
            )
        return released

    def _finish_by_cta(self, barrier: Barrier, lanes: Lanes) -> None:
        if barrier.finish is None:
            return
        cta_of = self._machine.cta_of[lanes.numbers]
        for cta in np.unique(cta_of):
            part = lanes.numbers[cta_of == cta]
            barrier.finish(Lanes(part, self._machine.n_lanes))

    def _split(self, lanes: Lanes, barrier: Barrier) -> list[tuple[int, int, Lanes]]:
        """Splits lanes by CTA and barrier number."""
        keys = self._machine.cta_of[lanes.numbers] * 16
        numbers = barrier.number[lanes.index]
        if int(numbers.max()) > 15:
            raise Fault(
                "barrier", f"expected a barrier from 0 to 15, got {int(numbers.max())}"
            )
        keys = keys + numbers
        return [
            (
                int(key) // 16,
                int(key) % 16,
                Lanes(lanes.numbers[keys == key], self._machine.n_lanes),
            )
            for key in np.unique(keys)
        ]

    def _join(
        self, group: Group, barrier: Barrier, cta: int, number: int
    ) -> list[Group]:
        lanes = group.lanes
        at = group.program.first + group.pc - 1
        threads = self._threads(barrier, lanes, number)
        meeting = self.meetings.setdefault(
            (cta, number), Meeting(cta, number, threads, barrier, at)
        )
        if meeting.threads != threads:
            raise Fault(
                "barrier",
                f"barrier {number} is used with {_count(threads)} here and with "
                f"{_count(meeting.threads)} by the warps that arrived before, "
                f"{self._machine.shadow.log.where(meeting.at)}",
            )
        by_warp = threads is not None and barrier.is_aligned
        meeting.arrived += len(lanes.warps) * WARP_LANES if by_warp else lanes.count
        meeting.lanes.append(lanes.numbers)
        if not barrier.waits or not self._is_all_of_its_warps(lanes):
            self._release(meeting, lanes)
        released: list[Group] = []
        if barrier.waits:
            meeting.waiting.append(group)
        else:
            released.append(group)
        return released + self._completed(meeting)

    def _is_all_of_its_warps(self, lanes: Lanes) -> bool:
        """Whether no other live lane belongs to a warp of these lanes."""
        if lanes.active is None:
            return True
        live = self._machine.live_members[lanes.rows]
        return np.array_equal(lanes.members(), live)

    def _release(self, meeting: Meeting, lanes: Lanes) -> None:
        """Lanes arrive whose warps go on: notes their clocks as of now."""
        clocks = self._machine.shadow.clocks
        if clocks is None:
            return
        for cta, warps in self._machine.agents_by_cta(lanes.numbers):
            known = clocks.release(cta, warps)
            if meeting.released is not None:
                known = np.maximum(known, meeting.released)
            meeting.released = known
            meeting.gone.update(warps.tolist())

    def _threads(self, barrier: Barrier, lanes: Lanes, number: int) -> int | None:
        if barrier.threads is None:
            return None
        counts = np.unique(barrier.threads[lanes.index])
        if len(counts) > 1 or int(counts[0]) % WARP_LANES or not int(counts[0]):
            raise Fault(
                "barrier",
                f"expected one multiple of 32 as the thread count of barrier "
                f"{number}, got {', '.join(str(int(c)) for c in counts)}",
            )
        return int(counts[0])

    def _completed(self, meeting: Meeting) -> list[Group]:
        """Releases the waiting groups if all expected threads have arrived."""
        machine = self._machine
        needed = meeting.threads
        if needed is None:
            needed = int(machine.live_threads[meeting.cta])
        if meeting.arrived < needed:
            return []
        if meeting.arrived > needed:
            raise Fault(
                "barrier",
                f"barrier {meeting.number} expects {needed} threads, but "
                f"{meeting.arrived} arrived, the first "
                f"{machine.shadow.log.where(meeting.at)}",
            )
        del self.meetings[meeting.cta, meeting.number]
        self.over[meeting.cta, meeting.number] += 1
        machine.progress += 1
        arrived = np.sort(np.concatenate(meeting.lanes))
        held = [group.lanes.numbers for group in meeting.waiting]
        waiting = self._warps(np.concatenate([arrived[:0], *held]))
        if meeting.finish.finish is not None:
            meeting.finish.finish(Lanes(arrived, machine.n_lanes))
        everyone = np.flatnonzero(machine.live & (machine.cta_of == meeting.cta))
        is_whole = meeting.released is None and len(arrived) == len(everyone)
        if is_whole and len(waiting) == len(self._warps(arrived)):
            machine.shadow.synchronise_cta(meeting.cta, waiting)
        else:
            staying = np.setdiff1d(self._warps(arrived), list(meeting.gone))
            machine.shadow.synchronise_warps(
                meeting.cta, staying.astype(np.intp), waiting, meeting.released
            )
        if machine.lane_knowledge is not None and held:
            machine.lane_knowledge.met_all(np.concatenate(held))
        return meeting.waiting

    def _warps(self, numbers: Index) -> Index:
        """Numbers of warps as the shadow knows them."""
        return np.unique(self._machine.agents[numbers]).astype(np.intp)

    def stuck(self) -> Iterator[Stuck]:
        """Who waits at which barrier."""
        for meeting in self.meetings.values():
            needed = meeting.threads
            if needed is None:
                needed = int(self._machine.live_threads[meeting.cta])
            for group in meeting.waiting:
                yield Stuck.of(
                    group,
                    group.pc - 1,
                    f"at barrier {meeting.number}, where {meeting.arrived} of {needed} "
                    f"threads arrived",
                )

    def after_exit(self) -> list[Group]:
        """Completes barriers that waited only for threads that ended."""
        released: list[Group] = []
        for meeting in list(self.meetings.values()):
            if meeting.threads is None:
                released += self._completed(meeting)
        return released


def _count(threads: int | None) -> str:
    return "all threads" if threads is None else f"{threads} threads"
