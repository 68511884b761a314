# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the threads of a CTA are on one path, and what their registers hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cuda_tile.emulator.proof.shadow import Shadow
from cuda_tile.emulator.proof.values import Value, joined
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.ptx.types import Array

DISTINCT = 12
"""Values of a register at one place, all different, after which it is taken for one
that counts. More than the slots and phases of any ring here."""


@dataclass(eq=False)
class Threads:
    """Threads that are at one place, or may be: a thread may be in several.

    Attributes:
        place: The number of their next instruction.
        mask: Which threads.
        registers: What is known of their registers.
        waits: The barrier at which they wait.
    """

    place: int
    mask: Array
    registers: dict[Register, Value]
    waits: int | None = None

    def copy(self) -> Threads:
        """Others at the same place."""
        known = dict(self.registers)
        return Threads(self.place, self.mask, known, self.waits)


@dataclass(eq=False)
class State:
    """A CTA on one path.

    Attributes:
        groups: Its threads, by place.
        shadow: Its shared memory.
        lost: The threads that may have ended, or go on for ever.
        seen: For each label what registers were at the last visits.
    """

    groups: list[Threads]
    shadow: Shadow
    lost: Array
    seen: dict[int, list[Mapping[Register, object]]] = field(
        default_factory=dict[int, "list[Mapping[Register, object]]"]
    )

    def copy(self) -> State:
        """Another path from here."""
        groups = [group.copy() for group in self.groups]
        seen = {place: list(visits) for place, visits in self.seen.items()}
        return State(groups, self.shadow.copy(), self.lost.copy(), seen)

    def key(self) -> tuple[object, ...]:
        """What tells it from others."""
        said: list[object] = [self.shadow.key(), self.lost.tobytes()]
        for group in sorted(self.groups, key=lambda g: (g.place, g.mask.tobytes())):
            known = frozenset((r, v.key) for r, v in group.registers.items())
            said += [group.place, group.mask.tobytes(), group.waits, known]
        return tuple(said)

    def next(self) -> Threads | None:
        """Who goes on: those that are furthest back."""
        ready = [group for group in self.groups if group.waits is None]
        return min(ready, key=lambda g: g.place, default=None)

    def gather(self, group: Threads) -> Threads:
        """Puts threads together with those that are at the same place.

        Args:
            group: The threads, which are among those of the state.
        """
        for other in list(self.groups):
            if other is group or other.waits is not None or other.place != group.place:
                continue
            group.registers = {
                register: joined(value, found, group.mask, other.mask)
                for register, value in group.registers.items()
                if (found := other.registers.get(register)) is not None
            }
            group.mask = group.mask | other.mask
            self.groups.remove(other)
        return group

    def end(self, group: Threads, mask: Array, *, is_sure: bool = True) -> None:
        """Threads end.

        Args:
            group: The threads, and others at their place.
            mask: Which of them.
            is_sure: Whether they do, or only may.
        """
        if not is_sure or not self.is_certain(group):
            self.lost |= mask
        group.mask = group.mask & ~mask if is_sure else group.mask
        if not group.mask.any():
            self.groups.remove(group)

    def meet(self, barrier: int, n_threads: int) -> None:
        """Threads that wait at a barrier go on if all of the CTA do.

        Args:
            barrier: Its number.
            n_threads: Threads of the CTA.
        """
        waiting = [other for other in self.groups if other.waits == barrier]
        if sum(int(other.mask.sum()) for other in waiting) == n_threads:
            self.shadow.barrier()
            for other in waiting:
                other.waits = None

    def is_certain(self, group: Threads) -> bool:
        """Whether all threads of a group are surely there."""
        others = [other.mask for other in self.groups if other is not group]
        return not any((mask & group.mask).any() for mask in (*others, self.lost))

    def widen(self, group: Threads, live: frozenset[Register]) -> None:
        """Forgets the registers that have never been the same here.

        Args:
            group: The threads, at a label.
            live: The registers that matter.
        """
        keys = {r: v.key for r, v in group.registers.items() if r in live}
        visits = [*self.seen.get(group.place, ()), keys][-DISTINCT:]
        self.seen[group.place] = visits
        if len(visits) < DISTINCT:
            return
        for register, value in group.registers.items():
            said = [visit.get(register) for visit in visits]
            if register in live and None not in said and len(set(said)) == DISTINCT:
                group.registers[register] = _counted(value)
                self.seen[group.place] = []


def _counted(value: Value) -> Value:
    """A value of which nobody knows any more but whether threads share it."""
    array = value.array
    is_one = value.is_uniform if array is None else bool((array == array[0]).all())
    return Value(None, (), is_one, value.origins)
