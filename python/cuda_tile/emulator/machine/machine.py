# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of the CTAs that run together: registers, memories, special registers.

All threads of all these CTAs are lanes of one machine. Registers, constants and
special registers are arrays of one value per lane, so an instruction is a few NumPy
calls however many threads there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.machine.timers import Timers
from cuda_tile.emulator.memory.call_stack import CallStack
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.emulator.memory.symbols import Symbols
from cuda_tile.emulator.ordering.clocks import WarpClocks
from cuda_tile.emulator.ordering.global_order import GlobalOrder
from cuda_tile.emulator.ordering.lane_knowledge import LaneKnowledge
from cuda_tile.emulator.ordering.older_writes import OlderWrites
from cuda_tile.emulator.ordering.polls import Polls
from cuda_tile.emulator.ordering.tensor_order import TENSOR_TABLES
from cuda_tile.emulator.ptx.syntax import Function, Register
from cuda_tile.emulator.ptx.types import PRED, Array, Bool, Index, Type
from cuda_tile.emulator.shadow.async_shadow import AsyncShadow
from cuda_tile.emulator.shadow.global_shadow import GlobalShadow
from cuda_tile.emulator.shadow.lane_order import LaneOrder
from cuda_tile.emulator.shadow.presence import Presence
from cuda_tile.emulator.threads.geometry import Dim3, Geometry
from cuda_tile.emulator.threads.grid_queue import GridQueue
from cuda_tile.emulator.threads.lanes import WARP_LANES, Lanes
from cuda_tile.runtime.memory import GlobalMemory


def uses_tensor_memory(symbols: Symbols) -> bool:
    """Whether a kernel's functions have tcgen05 instructions."""
    return any(
        instruction.opcode == "tcgen05"
        for function in symbols.functions
        for instruction in function.code
    )


class Machine:
    """Everything an instruction reads or writes.

    Attributes:
        queue: The CTAs that have yet to run.
        live: Which lanes have threads that did not exit, bool[n_lanes].
        live_members: The same as a mask per warp, uint32[n_warps].
        live_threads: Their number per CTA.
        shared: Shared memory of all CTAs one after another, bytes.
        shared_base: Where the CTA of each lane has its shared memory, int64[n_lanes].
        rank: Of each lane's CTA in its cluster, uint32[n_lanes].
        local: Local memory, uint8[n_lanes, bytes].
        call_stack: Where in local memory the variables of functions lie.
        grid_cta: Number of each lane's CTA in the grid, int64[n_lanes].
        agents: Number of each lane's warp within its cluster, as the shadow has it.
        presence: Lifetime of shared memory that other CTAs of the cluster access.
        order: Happens-before by fences and strong accesses; None without clocks.
        global_shadow: Access history of global memory; None in fast mode.
        older_writes: What strong loads may still return; None in fast mode.
        lane_knowledge: What single lanes know; None in fast mode.
        lane_order: Races between lanes of a warp; None in fast mode.
        timers: What %clock and its like show.
        polls: Detects livelock: all running warps poll memory in vain.
        progress: Grows with everything that another thread may wait for.
        defined: Per register, which lanes wrote it; only kept if adversarial.
    """

    def __init__(
        self,
        geometry: Geometry,
        symbols: Symbols,
        memory: GlobalMemory,
        counters: Counters,
        rng: np.random.Generator,
        *,
        is_adversarial: bool,
        is_precise: bool,
        keeps: bool = False,
    ) -> None:
        self.geometry = geometry
        self.symbols = symbols
        self.memory = memory
        self.counters = counters
        self.rng = rng
        self.is_adversarial = is_adversarial
        self.n_lanes = geometry.n_lanes
        self.live: Bool = np.zeros(self.n_lanes, np.bool_)
        self.live_members = np.zeros(self.n_lanes // WARP_LANES, np.uint32)
        self.live_threads = np.zeros(geometry.n_ctas, np.int64)
        self.stride_bytes = -(-max(symbols.shared_bytes, 16) // 16) * 16
        words = np.zeros(geometry.n_ctas * self.stride_bytes // 8, np.uint64)
        self.shared: NDArray[np.uint8] = words.view(np.uint8)
        self.cta_of: NDArray[np.intp] = (
            np.arange(self.n_lanes) // geometry.lanes_per_cta
        )
        self.shared_base = self.cta_of.astype(np.int64) * self.stride_bytes
        self.rank = (self.cta_of % geometry.cluster_size).astype(np.uint32)
        self.warp_in_cta = (
            np.arange(self.n_lanes) % geometry.lanes_per_cta // WARP_LANES
        ).astype(np.uint8)
        self.agents = (self.rank * geometry.warps_per_cta + self.warp_in_cta).astype(
            np.uint8
        )
        self.grid_cta: NDArray[np.int64] = np.zeros(self.n_lanes, np.int64)
        self.shadow = AsyncShadow(
            geometry.n_ctas,
            self.stride_bytes,
            geometry.warps_per_cta,
            is_precise=is_precise or is_adversarial,
            keeps=keeps,
            ctas_per_cluster=geometry.cluster_size,
            tensor_tables=TENSOR_TABLES if uses_tensor_memory(symbols) else 0,
        )
        self.shadow.place = self.shared_place
        self.presence = Presence(self, self.shadow.clocks)
        self._watch(self.shadow.clocks)
        self.polls = Polls(self)
        self.timers = Timers(self.n_lanes)
        self.progress = 0
        self.local = np.zeros((self.n_lanes, symbols.local_bytes), np.uint8)
        # Which of its bytes were written; only an adversarial machine asks.
        self.local_written = np.zeros(
            self.local.shape if is_adversarial else (0, 0), np.bool_
        )
        self.call_stack = CallStack(self, symbols)
        self.defined: dict[Register, Bool] = {}
        self._registers: dict[Register, Array] = {}
        self._registers_of: dict[Function, list[Register]] = {}
        self._constants: dict[tuple[bytes, np.dtype[Any]], Array] = {}
        self.specials: dict[str, Array] = {
            f"%{name}.{axis}": np.zeros(self.n_lanes, np.uint32)
            for name in ("tid", "ctaid", "cluster_ctaid", "clusterid")
            for axis in "xyz"
        }
        self.queue = GridQueue(
            geometry.grid[0] * geometry.grid[1] * geometry.grid[2],
            geometry.cluster_size,
        )
        self.every_lane = Lanes(np.arange(self.n_lanes), self.n_lanes)

    def _watch(self, clocks: WarpClocks | None) -> None:
        """Makes what decides races, as far as this machine has it."""
        self.lane_knowledge: LaneKnowledge | None = None
        self.order: GlobalOrder | None = None
        self.global_shadow: GlobalShadow | None = None
        self.lane_order: LaneOrder | None = None
        self.older_writes: OlderWrites | None = None
        if clocks is None:
            return
        if not self.is_adversarial:
            self.order = GlobalOrder(self, clocks)
            return
        knowledge = self.lane_knowledge = LaneKnowledge(self, clocks)
        order = self.order = GlobalOrder(self, clocks, knowledge)
        shadow = self.global_shadow = GlobalShadow(self, clocks, order, knowledge)
        self.lane_order = LaneOrder(self, knowledge)
        self.older_writes = OlderWrites(self, order, shadow.is_known)
        self.shadow.released_write = self.lane_order.released_write
        self.shadow.fenced_write = self.lane_order.fenced_write
        self.shadow.fenced_reads = self.lane_order.fenced_reads
        self.shadow.silent_write = self.lane_order.silent_write
        self.shadow.silent_read = self.lane_order.silent_read
        self.shadow.released_reads = self.lane_order.released_reads

    def start(self, first_cta: int, n_ctas: int) -> None:
        """Makes the machine ready for the CTAs `first_cta` and following.

        Registers keep what earlier CTAs left there, as hardware does; an adversarial
        machine fills them and shared memory with random bits.
        """
        geometry = self.geometry
        lane = np.arange(self.n_lanes)
        thread = lane % geometry.lanes_per_cta
        self.live[:] = (thread < geometry.threads_per_cta) & (self.cta_of < n_ctas)
        self.count_live()
        self._number_ctas(first_cta + self.cta_of)
        for axis, name in enumerate("xyz"):
            before = int(np.prod(geometry.block[:axis], dtype=np.int64))
            inside = thread // before % geometry.block[axis]
            self.specials[f"%tid.{name}"][:] = inside
        self.shadow.reset()
        self.presence.reset()
        if self.lane_knowledge is not None and self.lane_order is not None:
            self.lane_knowledge.reset()
            self.lane_order.reset()
        if self.order is not None:
            self.order.start()
        self.local[...] = 0
        self.local_written[...] = False
        self.call_stack.start()
        if self.is_adversarial:
            self.shared[:] = self.rng.integers(0, 256, len(self.shared), np.uint8)
            self._scramble(self._registers.values())
            for flags in self.defined.values():
                flags[:] = False
        self._clear_reserved()

    def _clear_reserved(self) -> None:
        """Each CTA finds zeros in the shared memory that the system keeps."""
        start, end = self.symbols.reserved_start, self.symbols.shared_bytes
        if start < end:
            cells = np.arange(len(self.shared)).reshape(-1, self.stride_bytes)
            chosen = cells[:, start:end].ravel()
            self.shared[chosen] = 0
            self.shadow.fill(chosen)

    def place_of_cta(self, number: int) -> tuple[int, int, int]:
        """Returns %ctaid.x, y and z of a CTA by its place in the launch order."""
        numbers = np.array([number])
        found = [int(self._along(numbers, axis)[0][0]) for axis in range(3)]
        return found[0], found[1], found[2]

    def _along(
        self, number: NDArray[np.int64], axis: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Places along an axis: in the grid, in the cluster, and of the cluster."""
        geometry = self.geometry
        clusters, ranks = np.divmod(number, geometry.cluster_size)
        part = geometry.cluster[axis]
        before = int(np.prod(geometry.cluster[:axis], dtype=np.int64))
        inside = ranks // before % part
        extents = [g // c for g, c in zip(geometry.grid, geometry.cluster, strict=True)]
        before = int(np.prod(extents[:axis], dtype=np.int64))
        cluster = clusters // before % extents[axis]
        return cluster * part + inside, inside, cluster

    def _number_ctas(self, number: NDArray[np.int64]) -> None:
        """Sets the special registers of CTAs, of which clusters lie side by side."""
        self.grid_cta[:] = 0
        for axis, name in enumerate("xyz"):
            place, inside, cluster = self._along(number, axis)
            self.specials[f"%cluster_ctaid.{name}"][:] = inside
            self.specials[f"%clusterid.{name}"][:] = cluster
            self.specials[f"%ctaid.{name}"][:] = place
            before = int(np.prod(self.geometry.grid[:axis], dtype=np.int64))
            self.grid_cta += place * before

    def shared_place(self, cell: int) -> str:
        """Says in words where a byte of the machine's shared memory is."""
        cta, offset = divmod(cell, self.stride_bytes)
        text = self.symbols.shared_place(offset)
        if self.geometry.grid == (1, 1, 1):
            return text
        lane = cta * self.geometry.lanes_per_cta
        return f"{text} of block {int(self.grid_cta[lane])}"

    def registers_of(self, function: Function) -> list[Register]:
        """Returns the registers that a function's instructions name."""
        found = self._registers_of.get(function)
        if found is None:
            found = self._registers_of[function] = list(function.registers())
        return found

    def undefined(self, register: Register, lanes: Lanes) -> Fault:
        """The fault of using a register that holds no defined value."""
        which = int(np.argmin(self.defined[register][lanes.index]))
        return Fault(
            "uninitialised",
            f"register {register.name} is used before it is written, or holds local "
            f"memory that nobody wrote, in lane {int(lanes.numbers[which]) & 31} of "
            f"warp {int(self.warp_in_cta[lanes.numbers[which]])}",
        )

    def block_of(self, cta: int) -> Dim3:
        """The coordinates in the grid of a CTA of the machine."""
        lane = cta * self.geometry.lanes_per_cta
        x, y, z = (int(self.specials[f"%ctaid.{axis}"][lane]) for axis in "xyz")
        return x, y, z

    def agents_by_cta(self, numbers: Index) -> list[tuple[int, Index]]:
        """Returns the CTAs of ascending lanes, each with the agents of its warps."""
        warps = numbers >> 5
        keep = np.ones(len(warps), np.bool_)
        np.not_equal(warps[1:], warps[:-1], out=keep[1:])
        first = numbers[keep]
        ctas, agents = self.cta_of[first], self.agents[first].astype(np.intp)
        if not len(ctas):
            return []
        if ctas[0] == ctas[-1]:
            return [(int(ctas[0]), agents)]
        return [(int(cta), agents[ctas == cta]) for cta in np.unique(ctas)]

    def count_live(self) -> None:
        """Brings the masks and counts of live lanes up to date with `live`."""
        rows = self.live.reshape(-1, WARP_LANES)
        bits = np.uint32(1) << np.arange(WARP_LANES, dtype=np.uint32)
        self.live_members[:] = np.where(rows, bits, np.uint32(0)).sum(axis=1)
        self.live_threads[:] = self.live.reshape(self.geometry.n_ctas, -1).sum(axis=1)

    def _scramble(self, registers: Iterable[Array]) -> None:
        """Fills registers with random bits.

        What lies side by side is drawn at once, for a call takes longer than its bits.
        """
        for is_flag, group in groupby(registers, lambda each: each.dtype == np.bool_):
            parts = [each.view(np.uint8).reshape(-1) for each in group]
            n_bytes = sum(map(len, parts))
            bits = (
                self.rng.integers(0, 2, n_bytes)
                if is_flag
                else self.rng.integers(0, 256, n_bytes, np.uint8)
            )
            stop = 0
            for part in parts:
                start, stop = stop, stop + len(part)
                part[:] = bits[start:stop]

    def register(self, register: Register, ty: Type | None = None) -> Array:
        """Returns the lanes of a register, seen through a type of its width."""
        storage = self._registers.get(register)
        if storage is None:
            shape = (self.n_lanes, 2) if register.type.bits == 128 else (self.n_lanes,)
            kind = np.bool_ if register.type is PRED else _unsigned(register.type)
            storage = np.zeros(shape, kind)
            if self.is_adversarial:
                self._scramble([storage])
            self._registers[register] = storage
            self.defined[register] = np.zeros(self.n_lanes, np.bool_)
        return storage if ty is None or ty is PRED else storage.view(ty.dtype)

    def kept(self, register: Register) -> Array | None:
        """The lanes of a register as they are, None where no instruction has it."""
        storage = self._registers.get(register)
        if storage is None or register.type is PRED or register.type.bits == 128:
            return storage
        return storage.view(register.type.dtype)

    def constant(self, value: ArrayLike, dtype: np.dtype[Any]) -> Array:
        """Returns an array that has one value in every lane; read-only, shared."""
        scalar = np.asarray(value, dtype)
        key = (scalar.tobytes(), scalar.dtype)
        found = self._constants.get(key)
        if found is None:
            found = np.full(self.n_lanes, scalar)
            found.flags.writeable = False
            self._constants[key] = found
        return found

    def scratch(self, ty: Type) -> Array:
        """Returns an array for results that are discarded."""
        shape = (self.n_lanes, 2) if ty.bits == 128 else (self.n_lanes,)
        return np.empty(shape, ty.dtype)


def _unsigned(ty: Type) -> np.dtype[Any]:
    return np.dtype(f"uint{min(max(ty.bits, 8), 64)}")
