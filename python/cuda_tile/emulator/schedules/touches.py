# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The accesses of an instruction that other warps may notice, before it runs.

Weak accesses are none of it: the emulator reports a race if one of them is not ordered
with others, and if none is, they find the same in all orders of what stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cuda_tile.emulator.machine.barriers import Barriers
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.machine.step import Barrier
from cuda_tile.emulator.memory.addresses import WINDOW_MASK
from cuda_tile.emulator.proof.kernel import COMPUTES, width_of
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Instruction,
    Register,
    Sink,
    Special,
    Variable,
)
from cuda_tile.emulator.ptx.types import Array, Index
from cuda_tile.emulator.threads.lanes import Lanes

_STRONG = frozenset({"volatile", "mmio", "relaxed", "acquire", "release"})
_ENDS = frozenset({"ret", "exit"})
_FOLLOWED = COMPUTES | {
    *("ld", "ldu", "st", "atom", "red", "mbarrier", "bar", "barrier", "fence"),
    *("membar", "bra", "ret", "exit", "trap", "nanosleep"),
}
_CLOCKS = ("%clock", "%globaltimer")


class Unfollowed(Exception):
    """A kernel does what has orders that are not explored."""


@dataclass(frozen=True)
class Bytes:
    """Bytes of memory.

    Attributes:
        space: `global` or `shared`.
        start: The first.
        stop: One behind the last.
        writes: Whether they may change.
    """

    space: str
    start: int
    stop: int
    writes: bool

    def meets(self, other: Touch) -> bool:
        """Whether the order of both may matter.

        A read of global memory may find an older write, unless another warp has seen
        the later one: so it matters to other reads, too.
        """
        if not isinstance(other, Bytes) or self.space != other.space:
            return False
        is_apart = self.stop <= other.start or other.stop <= self.start
        may_matter = self.writes or other.writes or self.space == "global"
        return may_matter and not is_apart


@dataclass(frozen=True)
class Seats:
    """An arrival at a barrier of so many threads.

    Attributes:
        barrier: Which.
        over: How often it was complete before.
        missing: Threads that it waits for.
        come: Threads that arrive.
    """

    barrier: int
    over: int
    missing: int
    come: int

    def meets(self, other: Touch) -> bool:
        """Whether the order of both may matter: not if there is room for both."""
        if not isinstance(other, Seats) or self.barrier != other.barrier:
            return False
        fit = self.come + other.come <= max(self.missing, other.missing)
        return self.over != other.over or not fit


@dataclass(frozen=True)
class Fence:
    """A `fence.sc`: all of them are in one order."""

    def meets(self, other: Touch) -> bool:
        """Whether the order of both may matter."""
        return isinstance(other, Fence)


Touch = Bytes | Seats | Fence
Touches = tuple[Touch, ...]


def meet(some: Touches, others: Touches) -> bool:
    """Whether the order of two instructions may matter."""
    return any(one.meets(other) for one in some for other in others)


def is_strong(instruction: Instruction) -> bool:
    """Whether an instruction accesses memory in a way that others may notice."""
    if instruction.opcode in {"atom", "red", "mbarrier"}:
        return True
    is_access = instruction.opcode in {"ld", "st"}
    return is_access and not _STRONG.isdisjoint(instruction.modifiers)


def is_barrier(instruction: Instruction) -> bool:
    """Whether it is a barrier of the CTA."""
    is_one = instruction.opcode in {"bar", "barrier"}
    return is_one and "warp" not in instruction.modifiers


def is_cut(instruction: Instruction) -> bool:
    """Whether other warps may go on before an instruction."""
    is_fence = instruction.opcode in {"fence", "membar"}
    is_end = instruction.opcode in _ENDS
    return is_strong(instruction) or is_barrier(instruction) or is_fence or is_end


def check(code: list[Instruction]) -> None:
    """Refuses kernels that do more than is explored.

    Args:
        code: Their instructions.

    Raises:
        Unfollowed: There is one that is not; says which.
    """
    for each in code:
        clocks = [
            o
            for o in each.operands
            if isinstance(o, Special) and o.name.startswith(_CLOCKS)
        ]
        is_access = is_strong(each) or each.opcode in {"ld", "st"}
        is_placed = not is_access or any(
            m.partition("::")[0] in {"global", "shared", "local", "param", "const"}
            for m in each.modifiers
        )
        is_far = "cluster" in each.modifiers and is_barrier(each)
        is_far = is_far or "shared::cluster" in each.modifiers
        if each.opcode not in _FOLLOWED or clocks or is_far or not is_placed:
            raise Unfollowed(f"line {each.line}: {each.mnemonic} is not explored")


def touches_of(machine: Machine, barriers: Barriers, group: Group) -> Touches:
    """The accesses of the next instruction of some lanes that others may notice.

    Args:
        machine: The machine.
        barriers: Its barriers.
        group: The lanes.

    Raises:
        Unfollowed: The lanes of a warp change one word one after another, and use what
            it was.
    """
    code = group.program.function.code
    if group.pc >= len(code):
        return ()
    instruction = code[group.pc]
    lanes = _active(machine, group, instruction)
    if not lanes.size:
        return ()
    if is_barrier(instruction):
        return _of_barrier(barriers, group, Lanes(lanes, machine.n_lanes))
    if instruction.opcode == "membar" or (
        instruction.opcode == "fence" and "sc" in instruction.modifiers
    ):
        return (Fence(),)
    return _of_access(machine, instruction, lanes) if is_strong(instruction) else ()


def _active(machine: Machine, group: Group, instruction: Instruction) -> Index:
    """The lanes in which an instruction runs: its guard holds."""
    numbers = group.lanes.numbers
    if instruction.guard is None:
        return numbers
    register, is_negated = instruction.guard
    return numbers[machine.register(register)[numbers] != is_negated]


def _of_barrier(barriers: Barriers, group: Group, lanes: Lanes) -> Touches:
    """A barrier of all threads is the same in whatever order they come."""
    control = group.program.segment(group.pc).control
    assert isinstance(control, Barrier), "segments end before barriers"
    found = barriers.seats(lanes, control)
    return () if found is None else (Seats(*found),)


def _of_access(machine: Machine, instruction: Instruction, lanes: Index) -> Touches:
    address = next((o for o in instruction.operands if isinstance(o, Address)), None)
    if address is None:
        return ()
    kinds = {m.partition("::")[0] for m in instruction.modifiers}
    space = "global" if "global" in kinds else "shared"
    starts = np.unique(_starts(machine, address, lanes, space))
    returns = instruction.opcode == "atom" and not isinstance(
        instruction.operands[0], Sink
    )
    if returns and starts.size < lanes.size:
        raise Unfollowed(
            f"line {instruction.line}: {instruction.mnemonic} of several lanes of a "
            "warp has orders that are not explored"
        )
    looks = instruction.opcode == "ld" or bool({"test_wait", "try_wait"} & kinds)
    size = width_of(instruction)
    return tuple(Bytes(space, int(s), int(s) + size, not looks) for s in starts)


def _starts(machine: Machine, address: Address, lanes: Index, space: str) -> Array:
    """The first byte that each lane touches."""
    base: Array
    match address.base:
        case Register() as register:
            base = machine.register(register)[lanes].astype(np.int64)
        case Variable() as variable:
            place = machine.symbols.address(variable, variable.line)
            base = np.full(lanes.size, place, np.int64)
        case number:
            base = np.full(lanes.size, number, np.int64)
    base = base + address.offset_bytes
    if space == "global":
        return base
    return (base & int(WINDOW_MASK)) + machine.shared_base[lanes]


def bytes_of(machine: Machine, touches: Touches) -> bytes:
    """The contents of memory that an instruction touches."""
    found = b""
    for each in (each for each in touches if isinstance(each, Bytes)):
        if each.space == "shared":
            found += machine.shared[each.start : each.stop].tobytes()
        else:
            where = np.arange(each.start, each.stop).astype(np.uint64)
            found += machine.memory.load(where, 1).tobytes()
    return found
