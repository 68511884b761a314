# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a trace of the emulator again, by the clocks of the model: a timeline.

Warps issue through four schedulers, one instruction a clock each. Between two steps
that wait or that others wait for, ptxas may put instructions into any order: there an
instruction is ready when its operands are, and the warp goes on when all are issued.
Copies share the way from L2, products the matrix units. Waits end when the phases of
mbarriers do which they name. All constants are the likely ones of chip_clocks.py.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from cuda_tile.chip_clocks import ChipClocks
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.trace import Phase, Step, Tracer
from cuda_tile.timing.steps import Cost, Costs
from cuda_tile.timing.timeline import Span

_SCHEDULERS = 4
_LEAST_WAIT = 1.0
"""Clocks below which a wait is not shown."""
_WAITS_FOR = {
    "copies": "a copy",
    "stores": "its stores",
    "products": "a product",
    "tensor products": "a product",
}


@dataclass
class _Queue:
    """What a warp has started and not yet waited for.

    Attributes:
        open: The ends of what is in no group yet.
        closed: The ends of the groups.
        count: How many groups there were.
    """

    open: list[float] = field(default_factory=list[float])
    closed: deque[float] = field(default_factory=deque[float])
    count: int = 0

    def commit(self, now: float) -> None:
        """Closes a group."""
        self.closed.append(max(self.open, default=now))
        self.open.clear()
        self.count += 1

    def drain(self, pending: int) -> float:
        """When all groups but the last `pending` are done."""
        done = 0.0
        while len(self.closed) > pending:
            done = max(done, self.closed.popleft())
        return done

    @property
    def end(self) -> float:
        """When all that was started is done."""
        return max([*self.open, *self.closed], default=0.0)


@dataclass
class _Warp:
    """A warp that runs its steps.

    Attributes:
        number: Over the CTAs of the cluster.
        steps: All of them; `place` is the next.
        now: Its clock.
        horizon: When all that it may do in any order is issued, and what that waits
            for.
        ready: When the registers have their values.
        queues: What it has started.
        meetings: How often it came to each barrier.
        is_loader: Whether it starts bulk copies: others tell it of free slots.
    """

    number: int
    steps: list[Step]
    place: int = 0
    now: float = 0.0
    horizon: tuple[float, str] = (0.0, "")
    ready: dict[Register, tuple[float, str]] = field(
        default_factory=dict[Register, tuple[float, str]]
    )
    queues: dict[str, _Queue] = field(default_factory=dict[str, _Queue])
    meetings: Counter[str] = field(default_factory=Counter[str])
    is_loader: bool = False


class Replay:
    """One run.

    Args:
        trace: What the warps of a cluster ran.
        costs: Of its instructions.
        chip: The constants.

    Attributes:
        spans: What went on, as it was met.
        warps: The warps by number.
    """

    def __init__(self, trace: Tracer, costs: Costs, chip: ChipClocks) -> None:
        self._costs, self._chip = costs, chip
        self._per_cta = trace.warps_per_cta
        self.warps = {n: _Warp(n, steps) for n, steps in sorted(trace.steps.items())}
        self.spans: list[Span] = []
        # How often phases are still to be helped, and when the last help so far was.
        self._open = Counter[Hashable]()
        self._done: dict[Hashable, float] = {}
        self._kinds: dict[Hashable, str] = {}
        self._parked: dict[Hashable, list[_Warp]] = {}
        self._arrived: set[Hashable] = set()
        self._groups: dict[tuple[str, int], tuple[float, float]] = {}
        self._free: dict[Hashable, float] = {}
        self._heap: list[tuple[float, int]] = []
        for warp in self.warps.values():
            self._foresee(warp)

    def run(self) -> list[Span]:
        """Runs all warps as far as the trace goes; gives what went on."""
        self._heap = [(0.0, number) for number in self.warps]
        while self._heap:
            _, number = heapq.heappop(self._heap)
            warp = self.warps[number]
            if warp.place < len(warp.steps):
                step = warp.steps[warp.place]
                state = self._do(warp, step, self._costs.of(step.at))
                warp.place += state == "done"
                if state != "parked":
                    heapq.heappush(self._heap, (warp.now, number))
        for (queue, number), (begin, end) in self._groups.items():
            name = f"{queue} of threads, group {number}"
            self.spans.append(Span(queue, name, begin, end, "copy"))
        return self.spans

    # Who helps whom ------------------------------------------------------------------

    def _foresee(self, warp: _Warp) -> None:
        """Counts what each phase and barrier must see before it is over."""
        meetings = Counter[str]()
        for step in warp.steps:
            cost = self._costs.of(step.at)
            warp.is_loader = warp.is_loader or (cost.kind == "copy" and step.is_active)
            for key in self._helped(warp, step, cost, meetings):
                self._open[key] += 1
                self._note_kind(key, cost)

    def _helped(
        self, warp: _Warp, step: Step, cost: Cost, meetings: Counter[str]
    ) -> Iterator[Hashable]:
        """The phases or the barrier that a step brings nearer to their end."""
        if cost.kind in ("arrive", "copy", "arrive later") and step.is_active:
            yield from step.phases
        elif cost.kind in ("barrier", "barrier arrive"):
            yield self._meeting(warp, cost, meetings)
            meetings[cost.barrier] += 1

    def _meeting(
        self, warp: _Warp, cost: Cost, meetings: Mapping[str, int]
    ) -> Hashable:
        cta = -1 if cost.barrier == "cluster" else warp.number // self._per_cta
        return cta, cost.barrier, meetings[cost.barrier]

    def _note_kind(self, key: Hashable, cost: Cost) -> None:
        """For what one waits there: copies and products say more than arrivals."""
        if cost.kind == "copy" or cost.queue:
            self._kinds[key] = _WAITS_FOR.get(cost.queue, "a copy")
        else:
            self._kinds.setdefault(
                key, "a free slot" if isinstance(key, Phase) else "a barrier"
            )

    def _help(self, key: Hashable, when: float) -> None:
        self._done[key] = max(when, self._done.get(key, 0.0))
        self._open[key] -= 1
        if not self._open[key]:
            for warp in self._parked.pop(key, ()):
                heapq.heappush(self._heap, (warp.now, warp.number))

    def _await(self, warp: _Warp, key: Hashable, after: float) -> bool:
        """Waits until a phase is over; False if nobody knows yet when that is.

        Where nothing of the trace helps it, it was over before.
        """
        if self._open[key]:
            self._parked.setdefault(key, []).append(warp)
            return False
        if key in self._done:
            what = self._kinds[key]
            if warp.is_loader and what == "a product":
                what = "a free slot"
            self._wait(warp, self._done[key] + after, what, key)
        return True

    def _wait(self, warp: _Warp, until: float, what: str, key: Hashable = None) -> None:
        """Stands still until a time."""
        if until - warp.now >= _LEAST_WAIT:
            cell = key.cell if isinstance(key, Phase) else None
            number = key.number if isinstance(key, Phase) else None
            name = f"waits for {what}"
            span = Span(_track(warp), name, warp.now, until, "wait", cell, number)
            self.spans.append(span)
        warp.now = max(warp.now, until)

    # Steps ---------------------------------------------------------------------------

    def _do(
        self, warp: _Warp, step: Step, cost: Cost
    ) -> Literal["done", "later", "parked"]:
        """Does a step, or waits: until the warp's clock, or until others help."""
        before = warp.now
        if not self._may_go_on(warp, step, cost):
            return "parked"
        if warp.now > before:  # units are taken in the order of time
            return "later"
        if cost.kind in ("plain", "matrix"):
            self._compute(warp, step, cost)
        else:
            self._issue(warp, cost)
            if step.is_active:
                self._begin(warp, step, cost)
        return "done"

    def _may_go_on(self, warp: _Warp, step: Step, cost: Cost) -> bool:
        """Waits for what a step waits for; False if nobody knows how long."""
        if cost.kind not in ("plain", "matrix", "start") or cost.queue == "stores":
            self._settle(warp)
        if cost.kind == "wait":
            after = self._chip.mbarrier.at("likely")
            return all(self._await(warp, key, after) for key in step.phases)
        if cost.barrier and cost.kind.startswith("barrier"):
            return self._meet(warp, cost)
        if cost.kind == "drain":
            self._drain(warp, cost)
        return True

    def _begin(self, warp: _Warp, step: Step, cost: Cost) -> None:
        """What a step starts, or whom it helps."""
        queue = warp.queues.setdefault(cost.queue, _Queue())
        match cost.kind:
            case "arrive":
                for key in step.phases:
                    self._help(key, warp.now)
            case "copy":
                self._copy(warp, step, cost)
            case "start":
                queue.open.append(self._start(warp, cost, queue.count))
            case "commit":
                queue.commit(warp.now)
            case "barrier" | "barrier arrive":
                warp.meetings[cost.barrier] += 1
            case "arrive later":
                for key in step.phases:
                    self._help(key, max(warp.now, queue.end))
                queue.commit(warp.now)
            case _:
                pass

    def _issue(self, warp: _Warp, cost: Cost) -> float:
        """Takes the slots of the warp's scheduler; gives when the first one is."""
        scheduler = "scheduler", warp.number // self._per_cta, warp.number % _SCHEDULERS
        begin = max(warp.now, self._free.get(scheduler, 0.0))
        if cost.slots:
            warp.now = self._free[scheduler] = begin + cost.slots
        return begin

    def _compute(self, warp: _Warp, step: Step, cost: Cost) -> None:
        """An instruction that waits for its operands, but not for those before it."""
        begin, who = self._issue(warp, cost), ""
        for register in cost.read:
            at, maker = warp.ready.get(register, (0.0, ""))
            begin, who = (at, maker) if at > begin else (begin, who)
        cta = warp.number // self._per_cta
        begin = self._take(("shared", cta), warp, begin, cost.wavefronts)
        moved = cost.bytes / self._chip.l2_bytes.at("likely")
        begin = self._take(("L2", cta), warp, begin, moved)
        if step.is_active and cost.matrix_clocks:
            quarter = "matrix", cta, warp.number % _SCHEDULERS
            begin = self._take(quarter, warp, begin, cost.matrix_clocks)
            self._product(warp, begin, begin + cost.matrix_clocks, cost)
        end = begin + max(cost.latency, cost.matrix_clocks, cost.wavefronts)
        for register in cost.written:
            warp.ready[register] = end, cost.text
        if begin > warp.horizon[0]:
            warp.horizon = begin, who or cost.text

    def _take(self, unit: Hashable, warp: _Warp, begin: float, clocks: float) -> float:
        """When a unit begins with some work: after what it has.

        What waits for operands does not keep the unit from others.
        """
        if not clocks:
            return begin
        free = max(warp.now, self._free.get(unit, 0.0))
        self._free[unit] = free + clocks
        return max(begin, free)

    def _settle(self, warp: _Warp) -> None:
        """All that could be done in any order is issued."""
        until, who = warp.horizon
        self._wait(warp, until, f"the result of {who.split('.', 1)[0]}")

    def _meet(self, warp: _Warp, cost: Cost) -> bool:
        """A barrier: arrives, once, and waits; False if others have yet to come."""
        key = self._meeting(warp, cost, warp.meetings)
        if cost.kind == "barrier wait":
            key = self._meeting(warp, cost, warp.meetings - Counter([cost.barrier]))
        elif (key, warp.number) not in self._arrived:
            self._arrived.add((key, warp.number))
            self._help(key, warp.now)
        after = self._chip.barrier.at("likely")
        return cost.kind == "barrier arrive" or self._await(warp, key, after)

    def _drain(self, warp: _Warp, cost: Cost) -> None:
        queue = warp.queues.setdefault(cost.queue, _Queue())
        if "wait_all" in cost.text:
            queue.commit(warp.now)
        done = queue.drain(cost.pending)
        if done > 0 and cost.queue == "products":
            done += self._chip.drain.at("likely")
        self._wait(warp, done, _WAITS_FOR[cost.queue])

    # What goes on by itself ----------------------------------------------------------

    def _move(self, warp: _Warp, cost: Cost) -> tuple[float, float]:
        """Bytes between L2 and shared memory: when they are under way."""
        cta = warp.number // self._per_cta
        clocks = cost.bytes / self._chip.l2_bytes.at("likely")
        begin = self._take(("L2", cta), warp, warp.now, clocks)
        return warp.now, begin + clocks + cost.latency

    def _copy(self, warp: _Warp, step: Step, cost: Cost) -> None:
        """A bulk copy that completes on mbarriers."""
        begin, end = self._move(warp, cost)
        for key in step.phases:
            track = f"copies to mbarrier {key.cell}"
            name = f"copy, phase {key.number}"
            span = Span(track, name, begin, end, "copy", key.cell, key.number)
            self.spans.append(span)
            self._help(key, end)

    def _start(self, warp: _Warp, cost: Cost, group: int) -> float:
        """Something of a queue; gives when it is done."""
        if cost.queue in ("copies", "stores"):
            begin, end = self._move(warp, cost)
            if warp.number < self._per_cta:
                known = self._groups.get((cost.queue, group), (begin, end))
                whole = min(begin, known[0]), max(end, known[1])
                self._groups[cost.queue, group] = whole
            return end
        ready = [warp.ready.get(r, (0.0, ""))[0] for r in cost.read]
        begin = max([warp.now, *ready])
        cta = warp.number // self._per_cta
        unit = "matrix", cta, warp.number % _SCHEDULERS
        if cost.queue == "tensor products":
            unit = "matrix", cta, -1
        begin = self._take(unit, warp, begin, cost.matrix_clocks)
        self._product(warp, begin, begin + cost.matrix_clocks, cost)
        return begin + cost.matrix_clocks

    def _product(self, warp: _Warp, begin: float, end: float, cost: Cost) -> None:
        cta = warp.number // self._per_cta
        track = "tensor cores" if not cta else f"tensor cores of CTA {cta}"
        name = cost.text.split(".", 1)[0]
        self.spans.append(Span(track, name, begin, end, "product"))


def _track(warp: _Warp) -> str:
    return f"warp {warp.number}"
