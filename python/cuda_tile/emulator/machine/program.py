# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function compiled for a machine: steps, cut into straight segments.

Each instruction becomes a closure once. A segment runs from any instruction to the
next branch, barrier or branch target; within it all lanes of a group stay together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.machine.build import Builder, Rule
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.poll_state import Flow, steering_registers
from cuda_tile.emulator.machine.step import Barrier, Control, Convergence, Step, Wait
from cuda_tile.emulator.ptx.data_flow import (
    changes_bit_field,
    compared_loads,
    made_of_bits,
    only_loaded,
    polling_branches,
)
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Function, Instruction, Register
from cuda_tile.emulator.ptx.types import Bool
from cuda_tile.emulator.threads.lanes import Lanes, describe_lanes

Guard = tuple[Bool, bool]


@dataclass(frozen=True)
class Segment:
    """Instructions `start` to `stop`, then perhaps a control instruction at `stop`.

    Attributes:
        full, some: The steps for all lanes, and for a given set of lanes.
        converges: Whether a step needs converged warps, or warpgroups.
        control: The control instruction, None where a branch target follows.
        guard: The control's predicate and whether it is negated.
        demands: Registers that the control needs defined.
    """

    start: int
    stop: int
    full: tuple[Callable[[], object], ...]
    some: tuple[Callable[[Lanes], object], ...]
    steps: tuple[Step, ...]
    converges: Literal["", "warp", "warpgroup"]
    control: Control | None
    guard: Guard | None
    demands: tuple[Register, ...]


class Program:
    """One function's steps for one machine.

    Attributes:
        first: Number of the function's first instruction among all functions'.
        polls: Branches that close a loop in which lanes may wait for others.
    """

    def __init__(
        self,
        function: Function,
        first: int,
        builder: Builder,
        rule_of: Callable[[Instruction], Rule],
    ) -> None:
        self.function = function
        self.first = first
        self._machine = builder.machine
        self._labels = set(function.labels)
        self._code: list[Step | Control] = []
        self._guards: list[Guard | None] = []
        self._demands: list[tuple[Register, ...]] = []
        self._segments: dict[int, Segment] = {}
        self._flows: list[Flow] = []
        self._roots: list[Register] = []
        self.polls = frozenset(polling_branches(function))
        self._loaded = only_loaded(function)
        builder.tensor_cores.watch(function)
        builder.compared = compared_loads(function)
        if builder.algebra:
            builder.made_of_bits = made_of_bits(function)
        for number, instruction in enumerate(function.code):
            builder.begin(first + number, instruction.line)
            rule = rule_of(instruction)
            self._add(instruction, rule(Form(instruction), builder), builder)

    def flow(self, pc: int) -> Flow:
        """The registers that an instruction reads and writes."""
        return self._flows[pc]

    def _add(
        self, instruction: Instruction, compiled: Step | Control, b: Builder
    ) -> None:
        machine = self._machine
        guard: Guard | None = None
        demands = b.reads
        if instruction.guard is not None:
            register, negated = instruction.guard
            guard = machine.register(register), negated
            demands = (*demands, register)
        self._flows.append((demands, b.writes))
        if not isinstance(compiled, Step):
            self._roots += demands
        if isinstance(compiled, Step):
            if changes_bit_field(instruction, self._loaded):
                compiled.defines = True
            compiled = _member_checked(compiled, machine)
            if instruction.opcode != "wgmma":
                compiled = _watched(compiled, b)
            if machine.is_adversarial:
                compiled = _tracked(compiled, machine)
            if guard is not None and _acquires(instruction):
                compiled = _alone(compiled, machine)
            if guard is not None:
                compiled = _guarded(compiled, guard, machine)
                if machine.is_adversarial and instruction.guard is not None:
                    compiled = _demanding(compiled, instruction.guard[0], machine)
        self._code.append(compiled)
        self._guards.append(guard)
        self._demands.append(demands)

    @property
    def steering(self) -> frozenset[Register]:
        """The registers on which branches and waits depend."""
        return steering_registers(self._flows, self._roots)

    def cut(self, is_cut: Callable[[Instruction], bool]) -> None:
        """Ends segments before some instructions, too.

        Args:
            is_cut: Which.
        """
        code = self.function.code
        self._labels.update(n for n, each in enumerate(code) if is_cut(each))
        self._segments.clear()

    def segment(self, pc: int) -> Segment:
        """Returns the segment that starts at an instruction."""
        found = self._segments.get(pc)
        if found is None:
            found = self._segments[pc] = self._cut(pc)
        return found

    def _cut(self, start: int) -> Segment:
        stop = start
        steps: list[Step] = []
        control: Control | None = None
        while stop < len(self._code):
            compiled = self._code[stop]
            if not isinstance(compiled, Step):
                control = compiled
                break
            steps.append(compiled)
            stop += 1
            if stop in self._labels:
                break
        every = self._machine.every_lane
        return Segment(
            start,
            stop,
            tuple(step.full or partial(step.run, every) for step in steps),
            tuple(step.run for step in steps),
            tuple(steps),
            _strictest(steps),
            control,
            self._guards[stop] if control is not None else None,
            self._demands[stop] if control is not None else (),
        )


def _strictest(steps: list[Step]) -> Literal["", "warp", "warpgroup"]:
    kinds = [step.convergence for step in steps if step.convergence is not None]
    if any(isinstance(kind, str) and kind == "warpgroup" for kind in kinds):
        return "warpgroup"
    return "warp" if kinds else ""


def missing_lanes(
    convergence: Convergence, lanes: Lanes, machine: Machine
) -> NDArray[np.uint32]:
    """Returns per warp of `lanes` the live lanes that have not converged with them."""
    if convergence is None:
        return np.zeros(len(lanes.warps), np.uint32)
    need = machine.live_members[lanes.warps]
    if isinstance(convergence, str) and convergence == "warpgroup":
        return _missing_warps(lanes, machine)
    if not isinstance(convergence, str):
        masks = lanes.spread(convergence[lanes.index])
        need = need & np.bitwise_or.reduce(masks, axis=1)
    return need & ~lanes.members()


def _missing_warps(lanes: Lanes, machine: Machine) -> NDArray[np.uint32]:
    """Which warps lack a lane of their warpgroup, as masks that are zero or not."""
    per_cta = machine.geometry.warps_per_cta
    if lanes.active is None and not (per_cta & 3 or len(lanes.warps) & 3):
        fours = lanes.warps.reshape(-1, 4)
        if not (fours[:, 0] & 3).any() and (fours[:, 3] - fours[:, 0] == 3).all():
            return np.zeros(len(lanes.warps), np.uint32)  # whole warpgroups
    lacking = machine.live_members[lanes.warps] & ~lanes.members()
    # What is live and not here, by warp; then by warpgroup, of which a CTA's last may
    # have fewer than four warps.
    absent = machine.live_members != 0
    absent[lanes.warps] = lacking != 0
    of_cta = absent.reshape(-1, per_cta)
    starts = np.arange(0, per_cta, 4)
    is_partial = np.logical_or.reduceat(of_cta, starts, axis=1)
    cta, warp = np.divmod(lanes.warps, per_cta)
    lacking[is_partial[cta, warp // 4] & (lacking == 0)] = 1
    return lacking


def control_convergence(control: Control | None) -> Convergence:
    """The convergence that a control instruction requires."""
    is_aligned = isinstance(control, (Barrier, Wait)) and control.is_aligned
    return "warp" if is_aligned else None


def _demanding(step: Step, register: Register, machine: Machine) -> Step:
    """Makes a step check that a register is defined."""
    machine.register(register)
    flags = machine.defined[register]
    inner = step.run

    def run(lanes: Lanes) -> None:
        if not flags[lanes.index].all():
            raise machine.undefined(register, lanes)
        inner(lanes)

    return replace(step, run=run, full=None)


def _tracked(step: Step, machine: Machine) -> Step:
    """Makes a step carry along which registers hold defined values."""
    reads = [machine.defined[register] for register in step.reads]
    writes = [machine.defined[register] for register in step.writes]
    inner, flow = step.run, step.flow

    def incoming(lanes: Lanes) -> Bool:
        index = lanes.index
        if step.merges and reads:
            return np.logical_or.reduce([read[index] for read in reads])
        if step.defines:
            return np.ones(lanes.count, np.bool_)
        flags = reads[0][index] if reads else np.ones(lanes.count, np.bool_)
        for read in reads[1:]:
            flags = flags & read[index]
        return flags if flow is None else flow(flags, lanes)

    def run(lanes: Lanes) -> None:
        flags = incoming(lanes)
        inner(lanes)
        found = None if step.found is None else step.found(lanes)
        for place, write in enumerate(writes):
            write[lanes.index] = flags if found is None else found[place]

    tracked = replace(step, run=run, full=None)
    for register in step.demands:
        tracked = _demanding(tracked, register, machine)
    return tracked


def _acquires(instruction: Instruction) -> bool:
    """Whether what runs an instruction may learn what others did."""
    opcode = instruction.opcode
    return opcode in ("atom", "fence", "membar", "griddepcontrol") or (
        opcode == "ld" and "acquire" in instruction.modifiers
    )


def _alone(step: Step, machine: Machine) -> Step:
    """What a part of a warp learns by a step under a guard is theirs alone."""
    inner, knowledge = step.run, machine.lane_knowledge
    if knowledge is None:
        return step

    def run(lanes: Lanes) -> None:
        outer = knowledge.running
        visit = knowledge.enter(lanes)
        inner(lanes)
        knowledge.leave(visit, lanes)
        knowledge.running = outer

    return replace(step, run=run, full=None)


def _watched(step: Step, b: Builder) -> Step:
    """Makes a step say that it touches registers of warpgroup products."""
    cores = b.tensor_cores
    registers = cores.watched([*step.reads, *step.writes])
    if not registers:
        return step
    inner, at = step.run, b.at

    def run(lanes: Lanes) -> None:
        cores.touch(registers, lanes, at)
        inner(lanes)

    return replace(step, run=run, full=None)


def _member_checked(step: Step, machine: Machine) -> Step:
    """Makes a step check that every lane is in the member mask it names."""
    masks = step.convergence
    if masks is None or isinstance(masks, str):
        return step
    if not masks.flags.writeable and int(masks[0]) == 0xFFFFFFFF:
        return step
    inner = step.run

    def run(lanes: Lanes) -> None:
        bit = masks[lanes.index] >> (lanes.numbers & 31).astype(np.uint32)
        inside = (bit & np.uint32(1)) != 0
        if not inside.all():
            which = int(np.argmin(inside))
            lane, mask = int(lanes.numbers[which]), int(masks[lanes.index][which])
            raise Fault(
                "divergence",
                f"lane {lane & 31} of warp {machine.warp_in_cta[lane]} runs this, "
                f"which is not in its own member mask, {mask:#010x}",
            )
        inner(lanes)

    return replace(step, run=run, full=None)


def _guarded(step: Step, guard: Guard, machine: Machine) -> Step:
    """Makes a step run only where its guard holds."""
    predicate, negated = guard
    inner_full, inner, n_lanes = step.full, step.run, machine.n_lanes
    every = machine.every_lane

    def some(lanes: Lanes, holds: Bool) -> None:
        chosen = Lanes(lanes.numbers[holds], n_lanes)
        lacking = missing_lanes(step.convergence, chosen, machine)
        if np.count_nonzero(lacking):
            warp = chosen.warps[int(np.argmax(lacking != 0))]
            mine = chosen.numbers[chosen.numbers >> 5 == warp]
            mine = mine % machine.geometry.lanes_per_cta
            raise Fault(
                "divergence",
                "the guard lets only some lanes run an instruction that lanes must "
                f"run together: {describe_lanes(mine, machine.geometry.warps_per_cta)}",
            )
        inner(chosen)

    def run(lanes: Lanes) -> None:
        holds = predicate[lanes.index] ^ negated
        count = np.count_nonzero(holds)
        if count == lanes.count:
            inner(lanes)
        elif count:
            some(lanes, holds)

    def full() -> None:
        holds = ~predicate if negated else predicate
        count = np.count_nonzero(holds)
        if count == n_lanes:
            if inner_full is not None:
                inner_full()
            else:
                inner(every)
        elif count:
            some(every, holds)

    return replace(step, run=run, full=full)
