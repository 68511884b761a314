# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The call stack of each lane: frames, saved registers, memory of alloca.

PTX ISA: "Function Declarations and Definitions", "Stack Manipulation Instructions";
PTX Writer's Guide to Interoperability, "Application Binary Interface". Local variables
and parameters of a function lie at fixed places, except those of a function that may
call itself: it has a frame per call, and a caller's registers are kept for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Registers
from cuda_tile.emulator.memory.symbols import Symbols
from cuda_tile.emulator.ptx.syntax import Function, Register, Variable
from cuda_tile.emulator.ptx.types import Array, Bool
from cuda_tile.emulator.threads.lanes import Lanes

# Frames begin at multiples of this; the most that a local variable asks for here.
_FRAME_ALIGN = 16


class Cells(NamedTuple):
    """Bytes of a parameter, one row per lane, and which of them were written."""

    data: NDArray[np.uint8]
    written: Bool | None


@dataclass(eq=False)
class _Level:
    """The saved state of callers at one depth of calls, per lane."""

    pointers: NDArray[np.int64]
    frames: NDArray[np.int64]
    registers: dict[Register, tuple[Array, Bool]] = field(
        default_factory=dict[Register, "tuple[Array, Bool]"]
    )


class CallStack:
    """Where the variables of running functions lie.

    Attributes:
        pointers: Where in local memory the next frame or alloca begins, per lane.
    """

    def __init__(self, machine: Registers, symbols: Symbols) -> None:
        self._machine = machine
        self._symbols = symbols
        n_lanes = machine.n_lanes
        self.pointers: NDArray[np.int64] = np.zeros(n_lanes, np.int64)
        self._frames: NDArray[np.int64] = np.zeros(n_lanes, np.int64)
        self._addresses: dict[tuple[int, np.dtype[Any]], Array] = {}
        self._levels: list[_Level] = []

    def start(self) -> None:
        """New CTAs begin, each lane in the entry."""
        self.pointers[:] = self._symbols.stack_start
        self._frames[:] = 0

    def address(self, offset: int, dtype: np.dtype[Any]) -> Array:
        """Returns addresses, per lane, of what lies at an offset in the own frame."""
        found = self._addresses.get((offset, dtype))
        if found is None:
            found = (self._frames + offset).astype(dtype)
            self._addresses[offset, dtype] = found
        return found

    # Calls -------------------------------------------------------------------------

    def enter(
        self, depth: int, caller: Function, callee: Function, lanes: Lanes
    ) -> None:
        """Begins a call within `depth` others."""
        if depth == len(self._levels):
            n_lanes = self._machine.n_lanes
            blank = np.zeros(n_lanes, np.int64)
            self._levels.append(_Level(blank, blank.copy()))
        level, index = self._levels[depth], lanes.index
        level.pointers[index] = self.pointers[index]
        level.frames[index] = self._frames[index]
        recursive = self._symbols.graph.recursive
        if callee in recursive:
            if caller in recursive:
                self._save(level, caller, lanes)
            self._push(depth, callee, lanes)
        self._forget(callee, lanes)

    def leave(
        self, depth: int, caller: Function, callee: Function, lanes: Lanes
    ) -> None:
        """Ends a call: frees what the callee had, restores the caller's registers."""
        level, index = self._levels[depth], lanes.index
        self.pointers[index] = level.pointers[index]
        recursive = self._symbols.graph.recursive
        if callee in recursive:
            self._move(level.frames[index], lanes)
            if caller in recursive:
                self._restore(level, caller, lanes)

    def _push(self, depth: int, callee: Function, lanes: Lanes) -> None:
        size = self._symbols.frame_bytes(callee)
        starts = -(-self.pointers[lanes.index] // _FRAME_ALIGN) * _FRAME_ALIGN
        ends = starts + size
        limit = self._symbols.local_bytes
        if int(ends.max()) > limit:
            raise Fault(
                "stack",
                f"{callee.name!r} does not fit as call number {depth + 1}: expected at "
                f"most {limit - self._symbols.stack_start} bytes of stack, got "
                f"{int(ends.max()) - self._symbols.stack_start}; an endless "
                f"recursion, or raise `stack_bytes`",
            )
        self.pointers[lanes.index] = ends
        self._move(starts, lanes)

    def _move(self, frames: NDArray[np.int64], lanes: Lanes) -> None:
        self._frames[lanes.index] = frames
        for (offset, dtype), values in self._addresses.items():
            values[lanes.index] = (frames + offset).astype(dtype)

    def _save(self, level: _Level, caller: Function, lanes: Lanes) -> None:
        machine, index = self._machine, lanes.index
        for register in machine.registers_of(caller):
            values, defined = machine.register(register), machine.defined[register]
            if register not in level.registers:
                level.registers[register] = values.copy(), defined.copy()
            kept, flags = level.registers[register]
            kept[index] = values[index]
            flags[index] = defined[index]

    def _restore(self, level: _Level, caller: Function, lanes: Lanes) -> None:
        machine, index = self._machine, lanes.index
        for register in machine.registers_of(caller):
            kept, flags = level.registers[register]
            machine.register(register)[index] = kept[index]
            machine.defined[register][index] = flags[index]

    def _forget(self, callee: Function, lanes: Lanes) -> None:
        """A function begins: its registers and variables are undefined."""
        machine = self._machine
        if not machine.is_adversarial:
            return
        for register in machine.registers_of(callee):
            machine.defined[register][lanes.index] = False
        for variable in callee.variables:
            if variable.space in ("local", "param"):
                where = self._cells(variable, lanes)
                machine.local_written[lanes.numbers[:, None], where] = False

    # Parameters --------------------------------------------------------------------

    def _cells(self, variable: Variable, lanes: Lanes) -> NDArray[np.intp]:
        """Where a variable's bytes lie in local memory, one row per lane."""
        start = self._symbols.address(variable, variable.line)
        starts = np.full(lanes.count, start, np.intp)
        if self._symbols.is_in_frame(variable):
            starts += self._frames[lanes.index]
        return starts[:, None] + np.arange(variable.size_bytes)

    def read(self, variable: Variable, lanes: Lanes) -> Cells:
        """Returns a parameter or result of the running function."""
        machine, numbers = self._machine, lanes.numbers[:, None]
        where = self._cells(variable, lanes)
        written = (
            machine.local_written[numbers, where] if machine.is_adversarial else None
        )
        return Cells(machine.local[numbers, where], written)

    def write(self, variable: Variable, lanes: Lanes, cells: Cells) -> None:
        """Sets a parameter or result of the running function."""
        machine, numbers = self._machine, lanes.numbers[:, None]
        where = self._cells(variable, lanes)
        size = min(variable.size_bytes, cells.data.shape[1])
        machine.local[numbers, where[:, :size]] = cells.data[:, :size]
        if machine.is_adversarial:
            written = True if cells.written is None else cells.written[:, :size]
            machine.local_written[numbers, where[:, :size]] = written
