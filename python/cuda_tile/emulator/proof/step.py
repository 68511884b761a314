# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads at an instruction: what they read, and where they write what they get."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cuda_tile.emulator.proof.kernel import Kernel
from cuda_tile.emulator.proof.shadow import WARP, Doubt
from cuda_tile.emulator.proof.state import State, Threads
from cuda_tile.emulator.proof.values import (
    Value,
    constant,
    is_same,
    joined,
    plus,
    symbol,
    unknown,
)
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    Special,
    SymbolAddress,
    Variable,
)
from cuda_tile.emulator.ptx.types import Array

_FIXED = ("%ctaid", "%nctaid", "%gridid", "%nsmid", "%smid", "%envreg", "%clusterid")


@dataclass(frozen=True, eq=False)
class Step:
    """Threads that make an instruction, or may.

    Attributes:
        kernel: The kernel.
        state: The path that they are on.
        group: They and those beside them whose guard is false.
        instruction: The instruction.
        mask: Which threads make it.
        is_sure: Whether they do, or only may.
    """

    kernel: Kernel
    state: State
    group: Threads
    instruction: Instruction
    mask: Array
    is_sure: bool

    @property
    def is_certain(self) -> bool:
        """Whether these threads are surely here, and nowhere else."""
        return self.is_sure and self.state.is_certain(self.group)

    @property
    def is_whole(self) -> bool:
        """Whether the guard leaves none of the threads out."""
        return bool((self.mask == self.group.mask).all())

    @property
    def warps(self) -> Array | None:
        """The warps of the threads; None if a part of one is among them."""
        if self.mask.all():
            return np.arange(-(-self.mask.size // WARP))
        padded = np.pad(self.mask, (0, -self.mask.size % WARP), mode="edge")
        warps = padded.reshape(-1, WARP)
        if (warps.any(axis=1) != warps.all(axis=1)).any():
            return None
        return np.flatnonzero(warps.any(axis=1))

    def meet_lanes(self) -> None:
        """Refuses what a part of a warp does that whole warps must do."""
        if not self.is_certain or self.warps is None:
            raise Doubt("may be reached by part of a warp")

    def end(self) -> None:
        """The threads end."""
        self.state.end(self.group, self.mask, is_sure=self.is_sure)

    def write(
        self, register: Register, value: Value, *, is_sure: bool | None = None
    ) -> None:
        """Gives a register of the threads a value, for sure or perhaps."""
        is_sure = self.is_sure if is_sure is None else is_sure
        known = self.group.registers
        before = known.get(register)
        if is_sure and self.is_whole:
            known[register] = value
        elif before is None or is_same(before, value):
            known[register] = value if before is not None else unknown(value)
        elif not is_sure:
            known[register] = unknown(before, value)
        else:
            rest = self.group.mask & ~self.mask
            known[register] = joined(value, before, self.mask, rest)

    def fixed(self, number: int) -> Value:
        """One number for all threads."""
        return Value(np.full(self.kernel.n_threads, number, np.int64))

    def value(self, operand: Operand) -> Value:
        """What an operand is."""
        match operand:
            case Register():
                return self.group.registers.get(operand) or unknown()
            case Negated(register=register):
                value = self.value(register)
                if value.numbers is None:
                    return unknown(value, is_uniform=value.is_uniform)
                return Value(1 - value.numbers)
            case Immediate(value=int(number)):
                return self.fixed(number - (1 << 64 if number >= 1 << 63 else 0))
            case Immediate():
                return unknown(is_uniform=True)
            case Special(name=name) if name in self.kernel.ids:
                return Value(self.kernel.ids[name])
            case Special(name=name) if name.startswith(_FIXED):
                return symbol(name, self.kernel.n_threads, frozenset())
            case SymbolAddress(variable=variable, offset_bytes=offset):
                return self._place(variable, offset)
            case _:
                return unknown()

    def number(self, operand: Operand) -> int | None:
        """The one number that an operand is for all threads, if it is known."""
        return constant(self.value(operand))

    def _place(self, variable: Variable, offset: int) -> Value:
        if variable.space == "shared":
            return self.fixed(self.kernel.places[variable] + offset)
        name = f"{variable.space} {variable.name}"
        value = symbol(name, self.kernel.n_threads, frozenset({name}))
        return plus(value, self.fixed(offset), 64)

    def address(self, operand: Operand | None = None) -> Value:
        """An address; without an operand, the only one of the instruction."""
        if operand is None:
            own = self.instruction.operands
            operand = next(o for o in own if isinstance(o, Address))
        if not isinstance(operand, Address) or operand.coordinates:
            raise Doubt("has an address that is not followed")
        base, offset = operand.base, operand.offset_bytes
        if isinstance(base, Variable):
            return self._place(base, offset)
        start = self.fixed(base) if isinstance(base, int) else self.value(base)
        return plus(start, self.fixed(offset), 64)
