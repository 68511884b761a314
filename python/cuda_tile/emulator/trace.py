# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each warp of one CTA ran, in its order, and which mbarriers it named.

An mbarrier goes through phases. What arrives or completes on it counts for the phase
that it is in, a wait is for the phase that it names. So a trace says who waits for
whom, whatever the order in which the emulator ran the warps. Where a warp diverges, it
is where its first lane is; of others there are only the arrivals and copies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.schedule import Scheduler
from cuda_tile.emulator.memory.addresses import WINDOW_MASK
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Immediate,
    Instruction,
    Operand,
    Register,
    Variable,
)
from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes

MOST_STEPS = 400_000
"""Steps of warps that a trace keeps."""
_NAMELESS = frozenset({"init", "inval", "pending_count"})
_WAITS = frozenset({"test_wait", "try_wait"})
_PHASE_SHIFT = 20
"""Where the number of a phase stands in a state that mbarrier.arrive gave."""


class Phase(NamedTuple):
    """A phase of an mbarrier.

    Attributes:
        cell: Its place in the shared memory of the CTAs that run together.
        number: Which of its phases, from 0; -1 is over before the first one.
    """

    cell: int
    number: int


class Step(NamedTuple):
    """A warp runs an instruction.

    Attributes:
        at: Its number over all functions.
        phases: The phases of mbarriers that active lanes name.
        is_active: Whether a lane runs it: the guard of any holds.
    """

    at: int
    phases: tuple[Phase, ...] = ()
    is_active: bool = True


@dataclass
class Tracer:
    """A watcher of the scheduler that keeps what the first cluster's warps run.

    Attributes:
        most_steps: How many steps it keeps.
        steps: By warp, numbered over the CTAs of the cluster.
        active: Warps of the whole grid that ran each instruction with an active lane.
        is_cut: Whether there were more steps.
        warps_per_cta: Warps of a CTA.
        stride_bytes: Shared memory of a CTA: cells of the first one lie below.
    """

    most_steps: int = MOST_STEPS
    steps: dict[int, list[Step]] = field(default_factory=dict[int, list[Step]])
    active: Counter[int] = field(default_factory=Counter[int])
    is_cut: bool = False
    warps_per_cta: int = 1
    stride_bytes: int = 1
    _machine: Machine | None = None
    _scheduler: Scheduler | None = None
    _n_steps: int = 0

    def begins(self, machine: Machine, scheduler: Scheduler) -> None:
        """See `Watcher`."""
        self._machine, self._scheduler = machine, scheduler
        self.warps_per_cta = machine.geometry.warps_per_cta
        self.stride_bytes = machine.stride_bytes

    def before(self, group: Group) -> None:
        """See `Watcher`."""
        machine, lanes = self._machine, group.lanes
        assert machine is not None, "a launch has begun"
        code = group.program.function.code
        if group.pc >= len(code):
            return
        instruction, at = code[group.pc], group.program.first + group.pc
        numbers = _active(machine, instruction, lanes)
        active = set(map(int, np.unique(numbers // WARP_LANES)))
        self.active[at] += len(active)
        mine = [w for w in map(int, lanes.warps) if self._is_kept(machine, w)]
        if not mine:
            return
        named = self._phases(machine, instruction, numbers)
        leading = set(map(int, lanes.numbers))
        for warp in mine:
            helps = warp in named and instruction.modifiers[0] not in _WAITS
            if helps or _leader(machine, warp) in leading:
                step = Step(at, tuple(named.get(warp, ())), warp in active)
                self._add(machine, warp, step)

    def _is_kept(self, machine: Machine, warp: int) -> bool:
        cta = int(machine.grid_cta[warp * WARP_LANES])
        return cta < machine.geometry.cluster_size

    def _add(self, machine: Machine, warp: int, step: Step) -> None:
        if self._n_steps >= self.most_steps:
            self.is_cut = True
            return
        self._n_steps += 1
        cta = int(machine.grid_cta[warp * WARP_LANES])
        number = cta * self.warps_per_cta + warp % self.warps_per_cta
        self.steps.setdefault(number, []).append(step)

    def _phases(
        self, machine: Machine, instruction: Instruction, numbers: Array
    ) -> dict[int, list[Phase]]:
        """The phases that active lanes name, by warp."""
        operand = _mbarrier(instruction)
        found: dict[int, list[Phase]] = {}
        if operand is None or not len(numbers):
            return found
        with suppress(Fault):  # the instruction says it itself
            lanes = Lanes(numbers, machine.n_lanes)
            cells = self._cells(machine, instruction, operand, lanes)
            pairs = {
                (int(lane) // WARP_LANES, phase)
                for place, lane in enumerate(numbers)
                for phase in self._named(machine, instruction, cells, place, int(lane))
            }
            for warp, phase in sorted(pairs):
                found.setdefault(warp, []).append(phase)
        return found

    def _cells(
        self, machine: Machine, instruction: Instruction, operand: Address, lanes: Lanes
    ) -> Array:
        """The place of each lane's mbarrier."""
        assert self._scheduler is not None, "a launch has begun"
        base, offset = operand.base, operand.offset_bytes
        if isinstance(base, Register):
            start = machine.register(base)[lanes.index].astype(np.uint64)
        elif isinstance(base, Variable):
            place = machine.symbols.address(base, instruction.line)
            start = np.full(lanes.count, place, np.uint64)
        else:
            start = np.full(lanes.count, base, np.uint64)
        where = (start + np.uint64(offset)) & np.uint64(WINDOW_MASK)
        return self._scheduler.spaces.shared_offsets(lanes, where, 8, "mbarrier")

    def _named(
        self,
        machine: Machine,
        instruction: Instruction,
        cells: Array,
        place: int,
        lane: int,
    ) -> Iterator[Phase]:
        """The phases that one lane names: with a mask, of other CTAs too."""
        assert self._scheduler is not None, "a launch has begun"
        cell = int(cells[place])
        phase = self._scheduler.mbarriers.phase_at(cell)
        if instruction.modifiers[0] in _WAITS:
            yield Phase(cell, _awaited(machine, instruction, lane, phase))
            return
        if "multicast::cluster" not in instruction.modifiers:
            yield Phase(cell, phase)
            return
        masks = instruction.operands[_place(instruction) + 1]
        size, stride = machine.geometry.cluster_size, machine.stride_bytes
        first = cell // stride // size * size
        for rank in range(size):
            if _value(machine, masks, lane) >> rank & 1:
                other = (first + rank) * stride + cell % stride
                yield Phase(other, self._scheduler.mbarriers.phase_at(other))


def _leader(machine: Machine, warp: int) -> int:
    """The first lane of a warp that lives."""
    first = warp * WARP_LANES
    return first + int(np.argmax(machine.live[first : first + WARP_LANES]))


def _active(machine: Machine, instruction: Instruction, lanes: Lanes) -> Array:
    """The numbers of the lanes whose guard holds."""
    if instruction.guard is None:
        return lanes.numbers
    register, is_negated = instruction.guard
    return lanes.numbers[machine.register(register)[lanes.index] != is_negated]


def _mbarrier(instruction: Instruction) -> Address | None:
    """The operand that is the mbarrier of an arrival, a wait or a copy."""
    names = instruction.modifiers
    is_named = {
        "mbarrier": bool(names) and names[0] not in _NAMELESS,
        "cp": any(name.startswith("mbarrier") for name in names),
        "tcgen05": "commit" in names,
    }.get(instruction.opcode, False)
    operand = instruction.operands[_place(instruction)] if is_named else None
    return operand if isinstance(operand, Address) else None


def _place(instruction: Instruction) -> int:
    """The number of the last operand that is a plain address."""
    plain = [
        n
        for n, operand in enumerate(instruction.operands)
        if isinstance(operand, Address) and not operand.coordinates
    ]
    return plain[-1] if plain else 0


def _value(machine: Machine, operand: Operand, lane: int) -> int:
    if isinstance(operand, Register):
        return int(machine.register(operand)[lane])
    return int(operand.value) if isinstance(operand, Immediate) else 0


def _awaited(machine: Machine, instruction: Instruction, lane: int, phase: int) -> int:
    """The phase that a wait names: by its state, or the latest of a parity."""
    wanted = _value(machine, instruction.operands[2], lane)
    if "parity" not in instruction.modifiers:
        return wanted >> _PHASE_SHIFT
    return phase if phase & 1 == wanted & 1 else phase - 1
