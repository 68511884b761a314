# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of a machine for loads, stores, copies and calls."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.emulator.memory.symbols import Symbols
from cuda_tile.emulator.ordering.global_order import GlobalOrder
from cuda_tile.emulator.ordering.lane_knowledge import LaneKnowledge
from cuda_tile.emulator.ordering.older_writes import OlderWrites
from cuda_tile.emulator.ordering.polls import Polls
from cuda_tile.emulator.ptx.syntax import Function, Register
from cuda_tile.emulator.ptx.types import Array, Bool
from cuda_tile.emulator.shadow.global_shadow import GlobalShadow
from cuda_tile.emulator.shadow.lane_order import LaneOrder
from cuda_tile.emulator.shadow.presence import Presence
from cuda_tile.emulator.shadow.protocol import Watched
from cuda_tile.emulator.threads.lanes import Lanes


class Registers(Protocol):
    """Registers and local memory: what is a thread's own.

    Attributes:
        n_lanes: Lanes of the machine.
        is_adversarial: Whether it keeps what was written; see `Threads`.
        defined: Per register, which lanes wrote it; only kept if adversarial.
        local: Local memory, uint8[n_lanes, bytes].
        local_written: Which of its bytes were written, of the same shape; empty unless
            adversarial.
    """

    n_lanes: int
    is_adversarial: bool
    defined: dict[Register, Bool]
    local: NDArray[np.uint8]
    local_written: Bool

    def register(self, register: Register) -> Array:
        """Returns the lanes of a register."""
        ...

    def registers_of(self, function: Function) -> list[Register]:
        """Returns the registers that a function's instructions name."""
        ...

    def undefined(self, register: Register, lanes: Lanes) -> Fault:
        """The fault of using a register that holds no defined value."""
        ...


class Memories(Watched, Registers, Protocol):
    """All memories of a machine, and everything that checks and counts accesses.

    Attributes:
        symbols: Where variables lie.
        counters: What instructions ask of the hardware.
        stride_bytes: Shared memory of one CTA, with what aligns the next one's.
        shared_base: Where the CTA of each lane has its shared memory, int64[n_lanes].
        order: Happens-before by fences and strong accesses; None without clocks.
        presence: Lifetime of shared memory that other CTAs of the cluster access.
        polls: Detects livelock: all running warps poll memory in vain.
        global_shadow: Access history of global memory; None in fast mode.
        older_writes: What strong loads may still return; None in fast mode.
        lane_knowledge: What single lanes know; None in fast mode.
        lane_order: Races between lanes of a warp; None in fast mode.
    """

    symbols: Symbols
    counters: Counters
    stride_bytes: int
    shared_base: NDArray[np.int64]
    order: GlobalOrder | None
    presence: Presence
    polls: Polls
    global_shadow: GlobalShadow | None
    older_writes: OlderWrites | None
    lane_knowledge: LaneKnowledge | None
    lane_order: LaneOrder | None
