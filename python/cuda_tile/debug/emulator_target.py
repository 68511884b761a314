# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch on the emulator under a debugger: PTX, with the source line beside it.

The threads are warps. In fast mode many warps run as one; where one of them stops, all
of these stand. The emulator is deterministic too: going back is running again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from cuda_tile.debug.arrays import element_bytes
from cuda_tile.debug.breakpoints import Breakpoints
from cuda_tile.debug.coroutine import Coroutine
from cuda_tile.debug.ptx_listing import PtxListing, in_order
from cuda_tile.debug.ptx_values import (
    lanes_of,
    launch_values,
    register_value,
    shared_values,
)
from cuda_tile.debug.ptx_writers import PtxWriters
from cuda_tile.debug.rewind import Rewind
from cuda_tile.debug.scope import Scope
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.spots import Spot
from cuda_tile.debug.stepping import Plan, Seek, Through, UntilStore
from cuda_tile.debug.target import END, FAULT, Frame, Stop, Thread
from cuda_tile.debug.values import Shown, frozen
from cuda_tile.debug.waits import Wait, circle
from cuda_tile.emulator.errors import FindingError
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.schedule import Scheduler, Watcher
from cuda_tile.emulator.ptx.syntax import Function, Register
from cuda_tile.errors import InternalError, UserError
from cuda_tile.runtime.elements import Array
from cuda_tile.targets import WARP_LANES

NEARBY_LINES = 32
"""Lines before and behind the one at which a warp stands that `ops` shows."""


class EmulatorTarget:
    """See `target.Target`; also the watcher of the emulator's scheduler.

    Args:
        name: The kernel.
        ptx: The PTX text.
        launch: Runs the launch under a watcher; gives the report.
        arrays: The arrays of the launch by name.
        breakpoints: Those of the session.
        sources: The source files.
    """

    def __init__(
        self,
        name: str,
        ptx: str,
        launch: Callable[[Watcher], Any],
        arrays: Mapping[str, Array],
        breakpoints: Breakpoints,
        sources: Sources,
    ) -> None:
        self.name = name
        self.breakpoints = breakpoints
        self.sources = sources
        self.is_paused = False
        self.thread = 1
        self.rewind = Rewind(self)
        self.writers = PtxWriters(self, self.rewind)
        self._launch = launch
        self.arrays = arrays
        self._saved = [(a, a.copy()) for a in arrays.values() if a.flags.writeable]
        self.file = f"{name}.ptx"
        sources.write(self.file, ptx)
        self.listing = PtxListing(ptx, self.file)
        breakpoints.place(self.listing.all(), (), sources)
        self._said = 0
        self._begin()

    # Running

    def _begin(self) -> None:
        self._work = Coroutine(lambda: self._launch(self))
        self._plan: Plan | None = None
        self._last: dict[int, Spot] = {}
        self._machine: Machine | None = None
        self._scheduler: Scheduler | None = None
        self._group: Group | None = None
        self._functions: dict[str, Function] = {}
        self._registers_of: dict[int, list[Register]] = {}
        self._found = ""
        self._watched = b""
        self.is_after = False
        self.time = -1
        self.ended: Stop | None = None

    def restart(self) -> None:
        """Goes to the beginning: memory and all else as it was."""
        self._work.abandon()
        for array, before in self._saved:
            array[...] = before
        self._begin()

    def resume(self, plan: Plan) -> Stop:
        """Goes on as far as a plan says."""
        if self.ended is not None:
            return self.ended
        self._plan, self._found = plan, ""
        self._watched = self._bytes(plan)
        self._work.resume()
        if self._work.has_ended:
            self.ended = self._ending()
            return self.ended
        reason, _, text = self._found.partition("\n")
        return Stop(self.thread, reason, text)

    def _ending(self) -> Stop:
        error = self._work.error
        if error is None:
            return Stop(self.thread, END, f"{self.time + 1} instructions, {self.name}")
        if not isinstance(error, UserError):
            raise error
        text = str(error)
        if isinstance(error, FindingError) and error.finding.kind == "deadlock":
            text = "\n".join([text, *circle(self._waits())])
        return Stop(self.thread, FAULT, text)

    def finish(self) -> Any:
        """Runs to the end; the report, or the error."""
        while self.ended is None:
            self.resume(Through())
        if self._work.error is not None:
            raise self._work.error
        return self._work.result

    # The emulator calls these, in its own thread

    def begins(self, machine: Machine, scheduler: Scheduler) -> None:
        """The launch has a machine."""
        self._machine, self._scheduler = machine, scheduler

    def before(self, group: Group) -> None:
        """Stops where the plan says."""
        self.time += 1
        function = group.program.function
        self._functions[function.name] = function
        spot = self.listing.spots[function.name][group.pc]
        previous_group, self._group = self._group, group
        self.writers.sees(self.live, group)
        found = self._after(previous_group)
        for warp in group.lanes.warps:
            number = int(warp) + 1
            previous = self._last.get(number)
            self._last[number] = spot
            if not found:
                self.thread = number
                found = self._reason(number, spot, previous)
        if found:
            self._found = found
            self._work.pause()

    def _reason(self, number: int, spot: Spot, previous: Spot | None) -> str:
        plan = self._plan
        if plan is None:
            raise InternalError("debug: the emulator runs without a plan")
        if isinstance(plan, Seek):
            plan.now = self.time
        reason = plan.before(number, spot, previous)
        if reason is None and plan.heeds_breakpoints:
            reason = self.breakpoints.hit(spot, previous, lambda: self.names(number))
        if reason is None and self.is_paused:
            self.is_paused, reason = False, "pause"
        return reason or ""

    def _after(self, group: Group | None) -> str:
        """What the instruction that ran last did, if a plan looks for it."""
        plan = self._plan
        if isinstance(plan, UntilStore) and self._bytes(plan) != self._watched:
            return f"store\nto {plan.name}, by {_text(group)}"
        if plan is None or group is None or not self.breakpoints.looks_for_nan(plan):
            return ""
        return self._nan(group)

    def _bytes(self, plan: Plan) -> bytes:
        """What an element holds that a plan watches; arrays are where they are."""
        if not isinstance(plan, UntilStore):
            return b""
        return ctypes.string_at(plan.start, plan.stop - plan.start)

    def _nan(self, group: Group) -> str:
        """Whether an instruction of floats has just written a NaN."""
        instruction = group.program.function.code[group.pc]
        kinds = [k for k in ("f32", "f64") if k in instruction.modifiers]
        target = next(iter(instruction.operands), None)
        if not kinds or not isinstance(target, Register) or self._machine is None:
            return ""
        lanes = self._machine.kept(target)
        if lanes is None or lanes.dtype.itemsize != int(kinds[0][1:]) // 8:
            return ""
        floats = lanes.view(np.dtype(f"f{lanes.dtype.itemsize}"))[group.lanes.index]
        if not np.isnan(floats).any():
            return ""
        lane = int(group.lanes.numbers[int(np.argmax(np.isnan(floats)))])
        self.thread = lane // WARP_LANES + 1
        where = f"in {target.name} of lane {lane % WARP_LANES}"
        return f"NaN\n{where}, by {_text(group)}"

    # Looking

    def describe(self) -> str:
        """The launch in one line."""
        return f"{self.name} on the emulator, {self.file}"

    def threads(self) -> Sequence[Thread]:
        """The warps that have not ended."""
        machine = self._machine
        if machine is None:
            return []
        waits = {wait.thread: wait for wait in self._waits()}
        now = set[int]() if self._group is None else set(self._group.lanes.warps + 1)
        found: list[Thread] = []
        for warp in np.flatnonzero(machine.live_members):
            number = int(warp) + 1
            state = "runs" if number in now else "ready"
            if number in waits:
                state = f"waits at line {waits[number].line} {waits[number].what}"
            found.append(Thread(number, self._warp_name(int(warp)), state))
        return found

    def _warp_name(self, warp: int) -> str:
        machine = self.live
        lane = warp * WARP_LANES
        block = machine.block_of(int(machine.cta_of[lane]))
        return f"block {block}, warp {int(machine.warp_in_cta[lane])}"

    @property
    def live(self) -> Machine:
        """The machine of a launch that has begun."""
        if self._machine is None:
            raise UserError("expected a launch that has begun")
        return self._machine

    def _waits(self) -> list[Wait]:
        machine = self._machine
        if machine is None or self._scheduler is None:
            return []
        found: dict[int, Wait] = {}
        for stuck in self._scheduler.waits():
            for warp in np.unique(stuck.numbers // WARP_LANES):
                cta = int(machine.cta_of[int(warp) * WARP_LANES])
                found[int(warp)] = Wait(
                    int(warp) + 1,
                    self._warp_name(int(warp)),
                    cta // machine.geometry.cluster_size,
                    stuck.line,
                    stuck.what,
                )
        return [found[warp] for warp in sorted(found)]

    def spot(self, thread: int) -> Spot | None:
        """Where a warp stands."""
        return self._last.get(thread)

    def frames(self, thread: int) -> Sequence[Frame]:
        """The PTX line, then the source lines that it came from."""
        spot = self.spot(thread)
        if spot is None:
            return []
        return [Frame(self.name, place) for place in spot.places]

    def scopes(self, thread: int, frame: int) -> Mapping[str, Mapping[str, Shown]]:
        """Registers, place in the grid, shared memory, mbarriers."""
        spot, machine = self.spot(thread), self._machine
        if spot is None or machine is None:
            return {}
        registers = self._registers(machine, spot, thread)
        return {
            "Registers": {name: read() for name, read in registers.items()},
            **self._places(machine, thread),
        }

    def _places(self, machine: Machine, thread: int) -> dict[str, dict[str, Shown]]:
        """What there is beside registers."""
        lanes = lanes_of(thread)
        return {
            "Launch": launch_values(machine, lanes),
            "Shared memory": shared_values(machine, lanes.start),
            "mbarriers": self._mbarriers(machine, lanes.start),
        }

    def _registers(
        self, machine: Machine, spot: Spot, thread: int
    ) -> dict[str, Callable[[], Shown]]:
        """What reads those of the function; the ones of this instruction first."""
        lanes = lanes_of(thread)
        found: dict[str, Callable[[], Shown]] = {}
        for register in self._in_order(spot):
            values = machine.kept(register)
            if values is not None:
                found[register.name] = partial(register_value, values, machine, lanes)
        return found

    def _in_order(self, spot: Spot) -> list[Register]:
        """The registers of a function, those of an instruction first."""
        if spot.order not in self._registers_of:
            function = self._functions.get(self.listing.function_of(spot))
            code = function.code if function is not None else ()
            self._registers_of[spot.order] = list(in_order(code, spot))
        return self._registers_of[spot.order]

    def _mbarriers(self, machine: Machine, lane: int) -> dict[str, Shown]:
        if self._scheduler is None:
            return {}
        cta = int(machine.cta_of[lane])
        return {
            machine.shared_place(each.cell): Shown(
                each.phase, text=each.describe(machine.shared_place(each.cell))
            )
            for each in self._scheduler.mbarriers.all()
            if each.cell // machine.stride_bytes == cta
        }

    def names(self, thread: int, frame: int = 0) -> Mapping[str, Any]:
        """Arrays, place in the grid and registers, which are read when asked for."""
        rest: dict[str, Any] = {name: frozen(a) for name, a in self.arrays.items()}
        spot, machine = self.spot(thread), self._machine
        if spot is None or machine is None:
            return rest
        for group in self._places(machine, thread).values():
            rest |= {name: each.value for name, each in group.items()}
        registers = self._registers(machine, spot, thread)
        return Scope(registers, lambda read: read().value, rest)

    def nearby(self, thread: int) -> Sequence[str]:
        """The instructions of the same source line; `->` marks the next one."""
        now = self.spot(thread)
        if now is None:
            return []
        return [
            f"{'->' if spot is now else '  '} "
            f"{self.sources.line(self.file, spot.places[0].line).strip()}"
            for spot in self.listing.all()
            if spot.lines[:-1] == now.lines[:-1]
            and abs(spot.order - now.order) < NEARBY_LINES
        ]

    def element(self, text: str) -> tuple[int, int]:
        """The bytes of an element of an array."""
        return element_bytes(self.arrays, text)

    def main_file(self) -> str:
        """The PTX text."""
        return self.file

    def new_output(self) -> str:
        """What the kernel printed, which the emulator gives at the end."""
        source = self._work.result or self._work.error
        text = str(getattr(source, "stdout", ""))
        fresh, self._said = text[self._said :], max(self._said, len(text))
        return fresh

    # Going back

    def back(self, kind: str) -> Stop:
        """Goes back to an earlier moment."""
        return self.rewind.back(kind)

    def goto(self, time: int) -> Stop:
        """Goes to the moment before instruction `time` ran."""
        return self.rewind.goto(time)

    def who(self, text: str) -> list[str]:
        """Which instruction wrote an element, and from what."""
        return self.writers.who(text, *self.element(text))


def _text(group: Group | None) -> str:
    """The instruction that a group ran: `line 520: st.global.v4.b32`."""
    if group is None:
        return "nobody"
    instruction = group.program.function.code[group.pc]
    return f"line {instruction.line}: {instruction.mnemonic}"
