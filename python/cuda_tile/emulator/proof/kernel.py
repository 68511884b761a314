# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a kernel a proof follows: registers, labels, places of shared variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cuda_tile.emulator.proof.liveness import live_registers
from cuda_tile.emulator.proof.shadow import MOST_BYTES, WARP
from cuda_tile.emulator.ptx.loops import meeting_order
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Function,
    Group,
    Immediate,
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
_WIDTHS = {"v2": 2, "v4": 4, "v8": 8}
_DECIDES = frozenset(
    {"mov", "and", "or", "xor", "not", "selp", "setp", "min", "max", "add", "sub"}
)
"""Instructions through which a comparison may decide about a later one."""
_DECIDED = frozenset(("tcgen05", kind) for kind in ("mma", "alloc", "dealloc"))
"""Instructions on tensor memory of which no operand is data."""
_STARTS = {"red", "st", "stmatrix", "bra", "ret", "exit", "bar", "barrier"}


def width_of(instruction: Instruction) -> int:
    """Bytes that a plain access of one thread touches; 16 for all else, or more."""
    modifiers = instruction.modifiers
    if instruction.opcode == "mbarrier":
        return 8
    if instruction.opcode not in {"ld", "ldu", "st", "atom", "red"}:
        sizes = instruction.operands[2:3]
        is_copy = instruction.opcode == "cp" and modifiers[1:2] in {("ca",), ("cg",)}
        size = sizes[0].value if sizes and isinstance(sizes[0], Immediate) else 4
        return min(16, int(size)) if is_copy else 16
    bits = int("".join(filter(str.isdigit, modifiers[-1])) or 128)
    return min(16, max(1, bits // 8) * vector_of(instruction))


def vector_of(instruction: Instruction) -> int:
    """Elements of a plain access."""
    return next((_WIDTHS[m] for m in instruction.modifiers if m in _WIDTHS), 1)


def destinations(instruction: Instruction) -> tuple[Register, ...]:
    """The registers that an instruction writes."""
    if instruction.opcode in _STARTS or not instruction.operands:
        return ()
    if instruction.opcode == "tcgen05" and instruction.modifiers[0] != "ld":
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
        placing: Those of them that matter for more than global memory.
        deciding: Those on which it depends who goes where and waits.
        places: First byte of each shared variable.
        shared_bytes: Bytes of shared memory.
        boxes: Bytes of a copy by each tensor map, by the name of its parameter.
    """

    function: Function
    block: tuple[int, int, int]
    followed: frozenset[Register]
    placing: frozenset[Register]
    deciding: frozenset[Register]
    places: dict[Variable, int]
    shared_bytes: int
    boxes: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def n_threads(self) -> int:
        """Threads of a CTA."""
        x, y, z = self.block
        return x * y * z

    @cached_property
    def is_proxied(self) -> bool:
        """Whether it has operations of the asynchronous proxy."""
        return any(
            i.opcode in {"wgmma", "tcgen05"} or i.modifiers[:2] == ("async", "bulk")
            for i in self.function.code
        )

    @cached_property
    def unit(self) -> int:
        """Bytes of which each access to shared memory touches all or none, up to 16.

        The least width of one, as they are aligned to theirs.
        """
        return min((width_of(i) for i in self.function.code), default=16)

    @property
    def n_units(self) -> int:
        """Units of shared memory."""
        return -(-self.shared_bytes // self.unit)

    @cached_property
    def has_columns(self) -> bool:
        """Whether it touches tensor memory."""
        return any(i.opcode == "tcgen05" for i in self.function.code)

    @cached_property
    def ranks(self) -> list[int]:
        """Which of two places threads are at goes first, so that they meet again."""
        return meeting_order(self.function)

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
        registers = _followed(function), _placing(function), _deciding(function)
        return cls(function, block, *registers, places, end + extra)

    @cached_property
    def live(self) -> list[frozenset[Register]]:
        """The registers that matter before each instruction, and at the end."""
        return live_registers(
            self.function, self.followed, registers_read, destinations
        )


def registers_read(instruction: Instruction) -> list[Register]:
    """The registers that an instruction reads: a guard, sources and addresses."""
    found = [] if instruction.guard is None else [instruction.guard[0]]
    for operand in instruction.operands:
        if isinstance(operand, Address):
            found += [
                r
                for r in (operand.base, *operand.coordinates)
                if isinstance(r, Register)
            ]
    return found + _sources_of(instruction)


def _deciding(function: Function) -> frozenset[Register]:
    """The guards, and the comparisons and choices that these are made of."""
    found = {
        i.guard[0]
        for i in function.code
        if i.guard is not None and "global" not in i.modifiers
    }
    makers = _makers(function)
    work = list(found)
    while work:
        for instruction in makers.get(work.pop(), ()):
            if instruction.opcode in _DECIDES:
                news = {*_sources_of(instruction)} - found
                found |= news
                work += news
    return frozenset(found)


def _makers(function: Function) -> dict[Register, list[Instruction]]:
    """The instructions that write each register."""
    makers: dict[Register, list[Instruction]] = {}
    for instruction in function.code:
        for register in destinations(instruction):
            makers.setdefault(register, []).append(instruction)
    return makers


def _followed(function: Function) -> frozenset[Register]:
    """The registers from which addresses, guards and waits are computed."""
    found = set[Register]()
    for instruction in function.code:
        found |= _matters(instruction)
    return _closed(function, found)


def _placing(function: Function) -> frozenset[Register]:
    """The registers on which shared memory, barriers and control depend."""
    found = set[Register]()
    for instruction in function.code:
        own = instruction.operands
        if instruction.opcode == "cp" and instruction.modifiers[1:2] != ("bulk",):
            remote = [o.base for o in own[1:2] if isinstance(o, Address)]
            found |= _matters(instruction).difference(remote)
        elif not is_remote(instruction):
            found |= _matters(instruction)
    return _closed(function, found)


def is_remote(instruction: Instruction) -> bool:
    """Whether an instruction only reads or writes global memory."""
    is_access = instruction.opcode in {"ld", "ldu", "st", "atom", "red"}
    return is_access and "global" in instruction.modifiers


def _matters(instruction: Instruction) -> set[Register]:
    """The operands that decide where and whether an instruction acts."""
    found = set[Register]()
    if instruction.guard is not None:
        found.add(instruction.guard[0])
    kind = (instruction.opcode, *instruction.modifiers[:1])
    if kind[0] in {"mbarrier", "wgmma"} or kind in _DECIDED:
        found.update(_sources_of(instruction))
        found.update(registers_read(instruction))
    elif instruction.opcode not in COMPUTES:
        own = instruction.operands
        if "bulk" in instruction.modifiers:
            found.update(o for o in own if isinstance(o, Register))
        bases = [o.base for o in own if isinstance(o, Address)]
        found.update(base for base in bases if isinstance(base, Register))
        if not bases:
            found.update(registers_in(instruction))
    return found


def _closed(function: Function, found: set[Register]) -> frozenset[Register]:
    """Registers, and those that they are computed of."""
    makers = _makers(function)
    work = list(found)
    while work:
        for instruction in makers.get(work.pop(), ()):
            if instruction.opcode in COMPUTES:
                news = set(_sources_of(instruction)) - found
                if instruction.guard is not None:
                    news |= {instruction.guard[0]} - found
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
