# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wgmma products in flight: fences, wgmma-groups, the registers and memory they use.

PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions". Between wgmma.mma_async and
the wait for its wgmma-group no other access may touch its accumulators and A registers,
nor overwrite the shared memory it reads. Registers that other instructions accessed
need a wgmma.fence before a product uses them.

Values are computed when the product starts; the checks make sure that no program can
tell the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ptx.syntax import Function, Register, Vector
from cuda_tile.emulator.shadow.in_flight import CHUNK_BYTES
from cuda_tile.emulator.threads.lanes import Lanes

WARPS = 4

Offsets = NDArray[np.int64]


@dataclass(eq=False)
class _Product:
    """One wgmma of one warpgroup that is in flight."""

    group: int
    warpgroup: int
    chunks: Offsets


class TensorCores:
    """The wgmma products in flight of one machine."""

    def __init__(self, machine: Memories) -> None:
        self._machine = machine
        n_lanes = machine.n_lanes
        self._rows: dict[Register, int] = {}
        self._fences = np.zeros(n_lanes, np.int32)
        self._committed = np.zeros(n_lanes, np.int64)
        self._waited = np.zeros(n_lanes, np.int64)
        # By register and lane: the fence count at the last ordinary access plus one,
        # the group that holds the register plus one, and the shape of its product; and
        # the instructions of that access and of that product.
        self._touched = np.zeros((0, n_lanes), np.int32)
        self._held = np.zeros((0, n_lanes), np.int64)
        self._shapes = np.zeros((0, n_lanes), np.int32)
        self._touched_at = np.zeros((0, n_lanes), np.int32)
        self._held_at = np.zeros((0, n_lanes), np.int32)
        self._in_flight: list[_Product] = []

    def reset(self) -> None:
        """Starts new CTAs."""
        for table in (self._fences, self._committed, self._waited):
            table[:] = 0
        for table in (self._touched, self._held, self._shapes):
            table[:] = 0
        self._in_flight.clear()

    # Registers ---------------------------------------------------------------------

    def watch(self, function: Function) -> None:
        """Finds the registers that the products of a function use."""
        for instruction in function.code:
            if instruction.opcode != "wgmma":
                continue
            for operand in instruction.operands:
                for element in operand.elements if isinstance(operand, Vector) else ():
                    if isinstance(element, Register):
                        self._rows.setdefault(element, len(self._rows))
        shape = (len(self._rows), self._machine.n_lanes)
        self._touched = np.zeros(shape, np.int32)
        self._held = np.zeros(shape, np.int64)
        self._shapes = np.zeros(shape, np.int32)
        self._touched_at = np.zeros(shape, np.int32)
        self._held_at = np.zeros(shape, np.int32)

    def watched(self, registers: Sequence[Register]) -> list[Register]:
        """Returns those of some registers that products use."""
        return [register for register in registers if register in self._rows]

    def touch(self, registers: Sequence[Register], lanes: Lanes, at: int) -> None:
        """An ordinary instruction accesses registers that products use."""
        machine = self._machine
        rows, index = [self._rows[register] for register in registers], lanes.index
        waited = self._waited[index]
        for which, row in enumerate(rows):
            bad = self._held[row, index] > waited
            if not np.count_nonzero(bad):
                continue
            lane = int(np.argmax(bad))
            warp = int(machine.warp_in_cta[lanes.numbers[lane]])
            holder = int(self._held_at[rows[which], lanes.numbers[lane]])
            raise Fault(
                "wgmma in flight",
                f"warp {warp} touches register {registers[which]} before a "
                f"wgmma.wait_group covers the product that uses it, "
                f"{machine.shadow.log.where(holder)}",
            )
        fences = self._fences[index] + 1
        for row in rows:
            self._touched[row, index] = fences
            self._touched_at[row, index] = at

    def _hold(
        self, registers: Sequence[Register], lanes: Lanes, shape: int, at: int
    ) -> None:
        """Checks the fences of a product's registers, and marks them as in use."""
        rows = [self._rows[register] for register in registers]
        fences = self._fences[lanes.index]
        if not fences.all():
            raise Fault("wgmma", "expected a wgmma.fence before the first wgmma")
        touched = self._touched[rows][:, lanes.index]
        bad = touched > fences
        if bad.any():
            which, lane = (int(x) for x in np.argwhere(bad)[0])
            other = int(self._touched_at[rows[which], lanes.numbers[lane]])
            warp = int(self._machine.warp_in_cta[lanes.numbers[lane]])
            raise Fault(
                "wgmma",
                f"register {registers[which]} was touched "
                f"{self._machine.shadow.log.where(other)}, with no wgmma.fence of warp "
                f"{warp} since",
            )
        shapes = self._shapes[rows][:, lanes.index]
        held = self._held[rows][:, lanes.index]
        other = (shapes != shape) & (held > self._waited[lanes.index])
        if other.any():
            which, lane = (int(x) for x in np.argwhere(other)[0])
            holder = int(self._held_at[rows[which], lanes.numbers[lane]])
            raise Fault(
                "wgmma",
                f"register {registers[which]} belongs to a product of another shape, "
                f"{self._machine.shadow.log.where(holder)}, that no wgmma.wait_group "
                "has covered",
            )
        group = self._committed[lanes.index] + 1
        for row in rows:
            self._held[row, lanes.index] = group
            self._shapes[row, lanes.index] = shape
            self._held_at[row, lanes.index] = at

    # Products ----------------------------------------------------------------------

    def start(
        self,
        at: int,
        lanes: Lanes,
        registers: Sequence[Register],
        shape: int,
        chunks: Sequence[Offsets],
    ) -> None:
        """Starts a product of one warpgroup.

        Args:
            at: Number of the instruction.
            lanes: The warpgroup's lanes.
            registers: Accumulators and A registers.
            shape: Names the shape.
            chunks: Places of the 16-byte pieces of A (if it is in memory) and B.
        """
        self._hold(registers, lanes, shape, at)
        machine, shadow = self._machine, self._machine.shadow
        warps = machine.agents[lanes.warps * 32]
        everything = np.concatenate(chunks)
        first = np.full(len(everything), warps[0], np.uint8)
        shadow.begin_read(at, everything, CHUNK_BYTES, first)
        for warp in warps[1:]:
            shadow.check_read(at, everything, int(warp))
        group = int(self._committed[lanes.numbers[0]])
        number = int(lanes.warps[0])
        self._in_flight.append(_Product(group, number, everything))

    def fence(self, lanes: Lanes) -> None:
        """wgmma.fence."""
        self._fences[lanes.index] += 1

    def commit(self, lanes: Lanes) -> None:
        """wgmma.commit_group."""
        self._committed[lanes.index] += 1

    def wait(self, lanes: Lanes, pending: int) -> None:
        """wgmma.wait_group: completes all wgmma-groups but the last `pending`."""
        machine, shadow = self._machine, self._machine.shadow
        done = self._committed[lanes.index] - pending
        self._waited[lanes.index] = np.maximum(self._waited[lanes.index], done)
        assert shadow.clocks is not None, "wgmma makes the shadow precise"
        per_cta = machine.geometry.warps_per_cta
        for warp in lanes.warps:
            home = int(warp) // per_cta * per_cta
            first = home + (int(warp) - home) // WARPS * WARPS
            over = int(self._waited[int(warp) * 32])
            in_flight: list[_Product] = []
            agent = self._agent(first)
            for product in self._in_flight:
                if product.warpgroup != first or product.group >= over:
                    in_flight.append(product)
                    continue
                clock = product.group + 1
                shadow.end_read(product.chunks, CHUNK_BYTES, agent, clock)
            self._in_flight = in_flight
            mine = machine.agents[int(warp) * 32 : int(warp) * 32 + 1].astype(np.intp)
            shadow.clocks.learn(int(machine.cta_of[int(warp) * 32]), mine, agent, over)

    def _agent(self, first: int) -> int:
        """The agent of the tensor core of the warpgroup of a first warp."""
        machine = self._machine
        per_cta = machine.geometry.warps_per_cta
        cta = first // per_cta % machine.geometry.cluster_size
        groups = -(-per_cta // WARPS)
        warps = per_cta * machine.geometry.cluster_size
        return warps + cta * groups + first % per_cta // WARPS
