# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decides how lanes that poll go on, as long as no memory changes.

A loop that counts its reads ends some time; one whose lanes come back to a read with
the same state never does. A register that no branch depends on, not even by an address
that is read, is no part of that state: a loop may count its polls and still never end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.ptx.syntax import Register
from cuda_tile.emulator.threads.lanes import Lanes

# By instruction, the registers that it reads and those that it writes.
Flow = tuple[Sequence[Register], Sequence[Register]]


def steering_registers(
    flows: Sequence[Flow], roots: Sequence[Register]
) -> frozenset[Register]:
    """The registers on which some others depend, these included.

    Args:
        flows: All instructions of a function.
        roots: The others: what branches and waits read.
    """
    found = set(roots)
    before = -1
    while len(found) > before:
        before = len(found)
        for reads, writes in flows:
            if not found.isdisjoint(writes):
                found.update(reads)
    return frozenset(found)


class PollState:
    """The state of lanes of one machine.

    Args:
        machine: The machine.
        registers: Those that steer its functions.
    """

    def __init__(self, machine: Machine, registers: frozenset[Register]) -> None:
        self._machine = machine
        self._registers = sorted(registers, key=lambda register: register.name)

    def of(self, lanes: Lanes) -> Iterator[tuple[tuple[int, int], int]]:
        """Gives by warp who its lanes are, and a hash of their state."""
        machine = self._machine
        parts = [machine.register(register) for register in self._registers]
        parts.append(machine.local)
        warps = lanes.numbers >> 5
        for warp, members in zip(lanes.warps, lanes.members(), strict=True):
            mine = lanes.numbers[warps == warp]
            state = b"".join(np.ascontiguousarray(p[mine]).tobytes() for p in parts)
            yield (int(warp), int(members)), hash(state)
