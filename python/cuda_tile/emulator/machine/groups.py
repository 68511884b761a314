# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A set of lanes with the place where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cuda_tile.emulator.machine.program import Program
from cuda_tile.emulator.machine.step import Call
from cuda_tile.emulator.threads.lanes import Lanes


class Frame(NamedTuple):
    """Where a call returns to: after the instruction `pc` of `program`."""

    program: Program
    pc: int
    call: Call


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Lanes that stand at one instruction of one function, called in one way.

    Attributes:
        polls: Whether they come back to a loop that may wait for other lanes.
    """

    program: Program
    pc: int
    lanes: Lanes
    frames: tuple[Frame, ...] = ()
    polls: bool = False

    def at(self, pc: int) -> Group:
        """The same lanes elsewhere in the function."""
        return Group(self.program, pc, self.lanes, self.frames)

    def only(self, lanes: Lanes) -> Group:
        """Other lanes at the same place."""
        return Group(self.program, self.pc, lanes, self.frames)

    def stands_with(self, other: Group) -> bool:
        """Whether both stand at one place, so that they can run as one."""
        return (
            self.pc == other.pc
            and self.program is other.program
            and self.frames == other.frames
        )

    def merged(self, other: Group, n_lanes: int) -> Group:
        """Both groups as one."""
        numbers = np.concatenate([self.lanes.numbers, other.lanes.numbers])
        numbers.sort()
        return self.only(Lanes(numbers, n_lanes))

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts groups by place: the call sites, outermost first, then the place.

        Those that poll come last, so that what they wait for can happen.
        """
        return (self.polls, *(frame.pc for frame in self.frames), self.pc)
