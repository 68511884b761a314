# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which instruction wrote an element of an array last, and from what.

A launch is run again, first to find the store, then to note what the thread did that
stored. Copies that are under way by themselves are seen by what they leave.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cuda_tile.debug.arrays import element_at
from cuda_tile.debug.explain import MAX_DEPTH, cut
from cuda_tile.debug.ptx_listing import PtxListing
from cuda_tile.debug.rewind import Replayed, Rewind
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.stepping import Seek
from cuda_tile.debug.target import FAULT
from cuda_tile.debug.values import number
from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Instruction,
    Register,
    Vector,
    registers_in,
)
from cuda_tile.runtime.elements import Array
from cuda_tile.targets import WARP_LANES

_WRITES = frozenset(("st", "red", "atom"))
_ELSEWHERE = frozenset(("shared", "shared::cta", "shared::cluster", "local", "param"))
_FLOATS = {"f32": 4, "f64": 8}
_TYPE = re.compile(r"[a-z]+(\d+)(x2)?")
_VECTOR = re.compile(r"v([248])")


class Emulated(Replayed, Protocol):
    """A launch of the emulator that can be run again.

    Attributes:
        arrays: The arrays of the launch by name.
        listing: The PTX.
        sources: Its text, among others.
        file: What that is called.
    """

    arrays: Mapping[str, Array]
    listing: PtxListing
    sources: Sources
    file: str

    @property
    def live(self) -> Machine:
        """The machine of a launch that has begun."""
        ...


@dataclass(frozen=True)
class _Store:
    """A write to the element: when, by which thread, at which instruction.

    Attributes:
        element: Which element of a vector that it stores.
        is_copy: Whether a copy that was under way wrote it, when this one ran.
    """

    time: int
    lane: int
    block: tuple[int, ...]
    warp: int
    group: Group
    element: int = 0
    is_copy: bool = False

    @classmethod
    def of(
        cls, machine: Machine, time: int, lane: int, group: Group, **words: Any
    ) -> _Store:
        """By a thread, of whose lane and place the machine knows now."""
        warp = int(machine.warp_in_cta[lane])
        return cls(time, lane, _block(machine, lane), warp, group, **words)

    @property
    def instruction(self) -> Instruction:
        return _instruction(self.group)


@dataclass
class _Done:
    """An instruction that the thread has run, and what it left in its registers."""

    group: Group
    left: dict[Register, Any] = field(default_factory=dict[Register, Any])


def _block(machine: Machine, lane: int) -> tuple[int, ...]:
    return tuple(machine.block_of(int(machine.cta_of[lane])))


def _instruction(group: Group) -> Instruction:
    return group.program.function.code[group.pc]


def _active(machine: Machine, group: Group) -> NDArray[np.int64]:
    """The lanes in which the instruction of a group runs: its guard holds."""
    guard = _instruction(group).guard
    if guard is None:
        return group.lanes.numbers
    values = machine.kept(guard[0])
    assert values is not None, "the guard is a register of the instruction"
    return group.lanes.numbers[values[group.lanes.index] != guard[1]]


def _as_float(done: _Done, value: Any) -> Any:
    """What an instruction left: a float where its result is one."""
    kinds = [name for name in _instruction(done.group).modifiers if name in _FLOATS]
    if not kinds or value.dtype.itemsize != _FLOATS[kinds[0]]:
        return value
    return value.view(f"f{value.dtype.itemsize}")


def _size_bytes(instruction: Instruction) -> int:
    """The bytes of an element that a store stores."""
    match = _TYPE.fullmatch(instruction.modifiers[-1])
    assert match is not None, "accesses end with a type"
    return int(match[1]) * (2 if match[2] else 1) // 8


def _count(instruction: Instruction) -> int:
    """How many elements it stores."""
    found = (_VECTOR.fullmatch(modifier) for modifier in instruction.modifiers)
    return next((int(match[1]) for match in found if match), 1)


def _address(instruction: Instruction) -> Address | None:
    if _ELSEWHERE & set(instruction.modifiers):
        return None
    found = (each for each in instruction.operands if isinstance(each, Address))
    return next(found, None)


def _operands(instruction: Instruction, element: int | None) -> list[Register]:
    """The registers that what is written is made of, without addresses."""
    is_write = instruction.opcode in _WRITES
    operands = instruction.operands if is_write else instruction.operands[1:]
    found: list[Register] = []
    for operand in operands:
        if isinstance(operand, Address):
            continue
        chosen = operand
        if element is not None and isinstance(operand, Vector):
            chosen = operand.elements[element]
        part = Instruction("", (), (chosen,), None, instruction.line)
        found += registers_in(part)
    return found


class PtxWriters:
    """Finds the instruction that wrote an element.

    Args:
        target: The launch.
        rewind: What runs it again.
    """

    def __init__(self, target: Emulated, rewind: Rewind) -> None:
        self._target = target
        self._rewind = rewind
        self._search: _Search | None = None
        self._trace: _Trace | None = None

    def sees(self, machine: Machine, group: Group) -> None:
        """An instruction is about to run; the one before it has."""
        if self._search is not None:
            self._search.sees(machine, group, self._target.time)
        if self._trace is not None:
            self._trace.sees(machine, group)

    def who(self, name: str, start: int, stop: int) -> list[str]:
        """Who wrote some bytes last before now, and from what.

        Args:
            name: What the bytes are called.
            start: Their first address.
            stop: The one after their last.
        """
        now = self._rewind.now()
        ended = self._target.ended
        is_whole = ended is not None and ended.reason != FAULT
        until = sys.maxsize if is_whole else self._target.time
        self._search = search = _Search(start, stop, until)
        try:
            self._rewind.run_to(now)
            search.ends(self._target.live)
        finally:
            self._search = None
        if search.found is None:
            return [f"{name}:", "nobody has written it in this launch"]
        return [f"{name}:", *self._story(search.found)]

    def _story(self, store: _Store) -> list[str]:
        now = self._rewind.now()
        self._trace = trace = _Trace(store.lane, store.block)
        try:
            self._rewind.run_to(Seek(store.time))
        finally:
            self._trace = None
        self._rewind.run_to(now)
        how = "by a copy, during" if store.is_copy else "by"
        head = (
            f"written {how} block {store.block}, warp {store.warp}, lane "
            f"{store.lane % WARP_LANES}, at time {store.time}: "
            f"{self._text(store.group)}"
        )
        if store.is_copy:
            return [head]
        made = _operands(store.instruction, store.element)
        done = trace.done[:-1]  # the last one is the store itself
        return cut([head, *self._made(done, made, 1)])

    def _made(
        self, done: list[_Done], registers: list[Register], depth: int
    ) -> Iterator[str]:
        """Registers with their values, and what these were made of, indented."""
        for register in dict.fromkeys(registers):
            place = next(
                (n for n in reversed(range(len(done))) if register in done[n].left),
                None,
            )
            if place is None:
                yield f"{'  ' * depth}{register} is not written before"
                continue
            step = done[place]
            value = number(_as_float(step, step.left[register]))
            said = f"{register} = {value}, by {self._text(step.group)}"
            yield f"{'  ' * depth}{said}{self._read(done[:place], step.group)}"
            if depth < MAX_DEPTH:
                inner = _operands(_instruction(step.group), None)
                yield from self._made(done[:place], inner, depth + 1)

    def _read(self, done: list[_Done], group: Group) -> str:
        """Which element of an array a load reads, if it does."""
        address = _address(_instruction(group))
        if address is None or not isinstance(address.base, Register):
            return ""
        for step in reversed(done):
            if address.base in step.left:
                place = int(step.left[address.base]) + address.offset_bytes
                name = element_at(self._target.arrays, place)
                return f", from {name}" if name else ""
        return ""

    def _text(self, group: Group) -> str:
        """`st.global.u32 [%rd3], %r2; at kernel.ptx:23, kernel.py:5`."""
        target = self._target
        spot = target.listing.spots[group.program.function.name][group.pc]
        text = target.sources.line(target.file, spot.places[0].line)
        places = ", ".join(f"{each.file}:{each.line}" for each in spot.places)
        return f"{' '.join(text.split())} at {places}"


@dataclass
class _Search:
    """The last write to some bytes before a moment."""

    start: int
    stop: int
    until: int
    found: _Store | None = None
    _held: bytes = b""
    _last: tuple[int, Group] | None = None

    def __post_init__(self) -> None:
        self._held = self._now()

    def _now(self) -> bytes:
        return ctypes.string_at(self.start, self.stop - self.start)

    def sees(self, machine: Machine, group: Group, time: int) -> None:
        """Looks at what the instruction before this one left, and at this one."""
        self.ends(machine)
        if time < self.until:
            self._last = time, group
            lane, element = self._stored(machine, group)
            if lane is not None:
                self.found = _Store.of(machine, time, lane, group, element=element)

    def ends(self, machine: Machine) -> None:
        """Looks at what the last instruction left."""
        held, self._held = self._held, self._now()
        if held == self._held or self._last is None:
            return
        time, group = self._last
        if self.found is None or self.found.time != time:
            lane = int(group.lanes.numbers[0])
            self.found = _Store.of(machine, time, lane, group, is_copy=True)

    def _stored(self, machine: Machine, group: Group) -> tuple[int | None, int]:
        """The lane of a group that stores to the bytes now, and which element."""
        instruction = _instruction(group)
        address = _address(instruction) if instruction.opcode in _WRITES else None
        if address is None or not isinstance(address.base, Register):
            return None, 0
        lanes, size = _active(machine, group), _size_bytes(instruction)
        bases = machine.kept(address.base)
        assert bases is not None, "the address is a register of the instruction"
        places = bases[lanes].astype(np.int64) + address.offset_bytes
        whole = size * _count(instruction)
        hits = lanes[(places < self.stop) & (places + whole > self.start)]
        if not len(hits):
            return None, 0
        lane = int(hits[-1])  # of several lanes of a warp any may be the last
        place = int(places[lanes == lane][0])
        return lane, max(0, self.start - place) // size


@dataclass
class _Trace:
    """What one thread does, instruction by instruction."""

    lane: int
    block: tuple[int, ...]
    done: list[_Done] = field(default_factory=list[_Done])
    _is_open: bool = False

    def sees(self, machine: Machine, group: Group) -> None:
        """Notes what the last instruction left, and this one if the thread runs it."""
        if self._is_open:
            self._note(machine, self.done[-1])
        is_mine = _block(machine, self.lane) == self.block
        self._is_open = is_mine and self.lane in _active(machine, group)
        if self._is_open:
            self.done.append(_Done(group))

    def _note(self, machine: Machine, done: _Done) -> None:
        _, writes = done.group.program.flow(done.group.pc)
        for register in writes:
            values = machine.kept(register)
            if values is not None:
                done.left[register] = values[self.lane]
