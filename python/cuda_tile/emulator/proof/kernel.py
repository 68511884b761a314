# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a kernel a proof follows: registers, labels, places of shared variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cuda_tile.emulator.proof.shadow import MOST_BYTES, WARP
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Function,
    Group,
    Instruction,
    Module,
    Negated,
    Operand,
    Pair,
    Part,
    Register,
    Sink,
    Variable,
    Vector,
    registers_in,
)
from cuda_tile.emulator.ptx.types import Array

_ALONE = """
    mov add sub mul mad fma div rem abs neg min max and or xor not shl shr shf lop3 bfe
    bfi prmt selp setp set slct cvt cvta ex2 lg2 sin cos rcp sqrt rsqrt tanh copysign
    testp cnot popc clz brev sad dp4a dp2a mul24 mad24 bmsk szext fns addc subc madc
    bfind
"""
AMONG_LANES = frozenset(
    {"shfl", "vote", "activemask", "match", "redux", "elect", "movmatrix", "mma"}
)
"""Instructions that compute with what other lanes of their warp have."""
COMPUTES = AMONG_LANES | {*_ALONE.split()}
"""Instructions that only compute."""
_STARTS = {"red", "st", "stmatrix", "bra", "ret", "exit", "bar", "barrier"}


def destinations(instruction: Instruction) -> tuple[Register, ...]:
    """The registers that an instruction writes."""
    if instruction.opcode in _STARTS or not instruction.operands:
        return ()
    return tuple(_registers(instruction.operands[0]))


def _registers(operand: Operand) -> list[Register]:
    match operand:
        case Register():
            return [operand]
        case Part(register=register):
            return [register]
        case Pair(first=first, second=second):
            return _registers(first) + _registers(second)
        case Vector(elements=elements) | Group(elements=elements):
            return [r for element in elements for r in _registers(element)]
        case _:
            return []


def sources(instruction: Instruction) -> tuple[Operand, ...]:
    """The operands that an instruction reads."""
    has_result = bool(destinations(instruction)) or (
        instruction.operands and isinstance(instruction.operands[0], Sink)
    )
    return instruction.operands[1:] if has_result else instruction.operands


@dataclass(eq=False)
class Kernel:
    """A kernel as a proof follows it.

    Attributes:
        function: The kernel.
        n_threads: Threads of a CTA.
        block: They along x, y and z.
        followed: The registers on which addresses and control depend.
        places: First byte of each shared variable.
        shared_bytes: Bytes of shared memory.
    """

    function: Function
    block: tuple[int, int, int]
    followed: frozenset[Register]
    places: dict[Variable, int]
    shared_bytes: int

    @property
    def n_threads(self) -> int:
        """Threads of a CTA."""
        x, y, z = self.block
        return x * y * z

    @cached_property
    def ids(self) -> dict[str, Array]:
        """The special registers that tell threads apart, and the CTA's extents."""
        x, y, _ = self.block
        threads = np.arange(self.n_threads, dtype=np.int64)
        found = {
            "%tid.x": threads % x,
            "%tid.y": threads // x % y,
            "%tid.z": threads // (x * y),
            "%laneid": threads % WARP,
        }
        for name, n in zip("xyz", self.block, strict=True):
            found[f"%ntid.{name}"] = np.full(threads.size, n)
        return found

    @classmethod
    def of(
        cls, module: Module, function: Function, block: tuple[int, int, int], extra: int
    ) -> Kernel:
        """A kernel of a module.

        Args:
            module: The module.
            function: The kernel.
            block: Threads of a CTA along x, y and z.
            extra: Bytes of dynamic shared memory; 0 if nobody said.
        """
        shared = [
            v
            for v in (*module.variables.values(), *function.variables)
            if v.space == "shared"
        ]
        places, end = dict[Variable, int](), 0
        for variable in sorted(shared, key=lambda v: v.is_extern):
            align = max(variable.align_bytes, 16)
            end = -(-end // align) * align
            places[variable] = end
            end += 0 if variable.is_extern else variable.size_bytes
        if not extra and any(variable.is_extern for variable in shared):
            extra = MOST_BYTES - end  # nobody said how many: as many as it touches
        return cls(function, block, _followed(function), places, end + extra)


def _followed(function: Function) -> frozenset[Register]:
    """What addresses, guards and waits are computed of."""
    found = set[Register]()
    for instruction in function.code:
        if instruction.guard is not None:
            found.add(instruction.guard[0])
        if instruction.opcode not in COMPUTES:
            own = instruction.operands
            bases = [o.base for o in own if isinstance(o, Address)]
            found.update(base for base in bases if isinstance(base, Register))
            if not bases:
                found.update(registers_in(instruction))
    makers: dict[Register, list[Instruction]] = {}
    for instruction in function.code:
        for register in destinations(instruction):
            makers.setdefault(register, []).append(instruction)
    work = list(found)
    while work:
        for instruction in makers.get(work.pop(), ()):
            if instruction.opcode in COMPUTES:
                news = set(_sources_of(instruction)) - found
                found |= news
                work += news
    return frozenset(found)


def _sources_of(instruction: Instruction) -> list[Register]:
    found: list[Register] = []
    for operand in sources(instruction):
        if isinstance(operand, Negated):
            found.append(operand.register)
        found += _registers(operand)
    return found
