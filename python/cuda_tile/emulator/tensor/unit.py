# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything of one machine that tcgen05 instructions work with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.ordering.tensor_order import Kind, Operation, TensorOrder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.types import Array
from cuda_tile.emulator.sync.mbarriers import Mbarriers
from cuda_tile.emulator.tensor.allocator import TensorAllocator
from cuda_tile.emulator.tensor.memory import TensorMemory
from cuda_tile.emulator.tensor.pipe import TensorPipe
from cuda_tile.emulator.tensor.residency import Residency
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes


class TensorUnit:
    """Tensor memory, its allocator, and the tensor cores' operations.

    Attributes:
        order: Happens-before of operations on tensor memory.
        memory: Tensor memory.
        allocator: Which columns are allocated.
        pipe: Operations in flight.

    Args:
        machine: The memories of the machine.
        mbarriers: Its mbarrier objects.
        residency: How many CTAs may share a multiprocessor.
    """

    def __init__(
        self, machine: Memories, mbarriers: Mbarriers, residency: Residency
    ) -> None:
        clocks = machine.shadow.clocks
        assert clocks is not None, "tcgen05 makes the shadow precise"
        self._machine = machine
        self._cta_group = 0
        geometry = machine.geometry
        self.order = TensorOrder(clocks, geometry.n_ctas // geometry.cluster_size)
        self.memory = TensorMemory(machine, self.order)
        self.allocator = TensorAllocator(machine, self.memory, residency)
        self.pipe = TensorPipe(machine, mbarriers, self.order)

    def reset(self) -> None:
        """Starts new CTAs."""
        self.order.reset()
        self.memory.reset()
        self.allocator.reset()
        self.pipe.reset()

    def finish(self) -> Iterator[tuple[str, str, int]]:
        """The CTAs end; yields kind, message and instruction of what is left over."""
        for text, at in self.pipe.finish():
            yield "tensor memory", text, at
        for text, at in self.allocator.finish():
            yield "tensor memory", text, at

    # Operands ----------------------------------------------------------------------

    def cta_group(self, form: Form) -> int:
        """Takes `.cta_group::N`, which all tcgen05 instructions of a kernel share."""
        group = int(form.choice("cta_group::1", "cta_group::2")[-1])
        if self._cta_group not in (0, group):
            form.error(
                f"expected '.cta_group::{self._cta_group}' as in the other tcgen05 "
                "instructions of the kernel"
            )
        self._cta_group = group
        return group

    def issuer(self, lanes: Lanes) -> list[int]:
        """The threads that issue a single-thread operation, at most one per warp."""
        if len(lanes.warps) != lanes.count:
            warp = int(self._machine.warp_in_cta[lanes.numbers[0]])
            raise Fault(
                "tcgen05",
                f"expected one thread to issue this, got several of warp {warp}; "
                "elect.sync chooses one",
            )
        return [int(number) for number in lanes.numbers]

    def warps(self, lanes: Lanes) -> list[Lanes]:
        """Splits lanes by warp; each must have all its 32 threads."""
        if lanes.count != WARP_LANES * len(lanes.warps):
            raise Fault("tcgen05", "expected all 32 threads of a warp")
        n_lanes = self._machine.n_lanes
        return [
            Lanes(np.arange(32 * warp, 32 * warp + 32), n_lanes)
            for warp in (int(number) for number in lanes.warps)
        ]

    def uniform(self, lanes: Lanes, values: Array, what: str) -> int:
        """The value of an operand that is equal in all lanes of a warp."""
        if (values != values[0]).any():
            raise Fault("tcgen05", f"expected one {what} in all threads of a warp")
        return int(values[0])

    # Issue -------------------------------------------------------------------------

    def issue(
        self, at: int, kind: Kind, lane: int, pipeline_key: object = None
    ) -> Operation:
        """Starts an asynchronous operation of a lane's warp."""
        machine = self._machine
        warp = int(machine.agents[lane])
        return self.order.issue(at, kind, self.cluster(lane), warp, lane, pipeline_key)

    def cluster(self, lane: int) -> int:
        """Number of a lane's cluster in the machine."""
        machine = self._machine
        return int(machine.cta_of[lane]) // machine.geometry.cluster_size

    def ctas(self, lane: int, cta_group: int) -> list[int]:
        """The CTAs that an operation of a lane works on, lower rank first."""
        cta = int(self._machine.cta_of[lane])
        if cta_group == 1:
            return [cta]
        if self._machine.geometry.cluster_size % 2:
            raise Fault("tcgen05", "expected pairs of CTAs in a cluster")
        return [cta & ~1, cta | 1]
