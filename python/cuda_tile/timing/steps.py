# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step of a warp does to time: what it takes, and whom it waits for or helps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cuda_tile.chip_clocks import ChipClocks
from cuda_tile.emulator.bounds.compute import SECTOR_BYTES, Bounds
from cuda_tile.emulator.bounds.work import fma_per_clock, special_results
from cuda_tile.emulator.ptx.syntax import Instruction, Register, registers_in
from cuda_tile.emulator.report import Report
from cuda_tile.targets import Target

Kind = Literal[
    "plain", "jump", "wait", "arrive", "barrier", "barrier arrive", "barrier wait",
    "copy", "start", "commit", "drain", "arrive later", "matrix",
]  # fmt: skip
"""`copy` completes on an mbarrier. `start`, `commit` and `drain` are of a queue: of
copies or stores or products that a warp starts, in groups that it waits for; `arrive
later` arrives at an mbarrier when what was started is done. `matrix` is a product whose
warp has its result at once."""
Queue = Literal["copies", "stores", "products", "tensor products"]

_STORES = frozenset({"st", "red", "stmatrix", "bra", "ret", "exit", "bar", "barrier"})
_DATA_OF = {
    **dict.fromkeys(("shfl", "redux", "vote", "elect"), "shuffle"),
    **dict.fromkeys(("ldmatrix",), "shared"),
}


@dataclass(frozen=True)
class Cost:
    """What one instruction asks of a multiprocessor, each time that a warp runs it.

    Attributes:
        kind: See `Kind`.
        queue: The queue that it is about; empty for none.
        text: Its mnemonic.
        line: Line of the PTX text.
        slots: Issue slots.
        wavefronts: Of shared memory.
        bytes: Between L2 and the multiprocessor.
        matrix_clocks: Of the matrix units that it uses.
        latency: Clocks to its result.
        written, read: Registers.
        pending: Groups that a drain may leave.
        barrier: The name of a barrier: its number, or `cluster`.
    """

    kind: Kind
    queue: Queue | Literal[""]
    text: str
    line: int
    slots: float
    wavefronts: float
    bytes: float
    matrix_clocks: float
    latency: float
    written: tuple[Register, ...]
    read: tuple[Register, ...]
    pending: int
    barrier: str


def kind_of(instruction: Instruction) -> tuple[Kind, Queue | Literal[""]]:
    """The kind of an instruction, and its queue."""
    names = instruction.modifiers
    match instruction.opcode:
        case "mbarrier":
            return _of_mbarrier(names[0])
        case "cp":
            return _of_copy(names)
        case "wgmma":
            known: Mapping[str, Kind] = {
                "mma_async": "start", "commit_group": "commit", "wait_group": "drain",
            }  # fmt: skip
            return known.get(names[0], "plain"), "products"
        case "tcgen05" if names[0] in ("mma", "cp"):
            return "start", "tensor products"
        case "tcgen05" if names[0] == "commit":
            return "arrive later", "tensor products"
        case "bar" | "barrier" if "warp" not in names:
            return _of_barrier(names)
        case "bra" | "brx" | "call" | "ret" | "exit":
            return "jump", ""
        case "mma" | "wmma":
            return "matrix", ""
        case _:
            return "plain", ""


def _of_mbarrier(name: str) -> tuple[Kind, Literal[""]]:
    if name in ("test_wait", "try_wait"):
        return "wait", ""
    return ("arrive" if name in ("arrive", "arrive_drop") else "plain"), ""


def _of_barrier(names: tuple[str, ...]) -> tuple[Kind, Literal[""]]:
    if "arrive" in names:
        return "barrier arrive", ""
    return ("barrier wait" if "wait" in names else "barrier"), ""


def _of_copy(names: tuple[str, ...]) -> tuple[Kind, Queue | Literal[""]]:
    is_bulk = "bulk" in names
    queue: Queue = "stores" if is_bulk else "copies"
    if "commit_group" in names:
        return "commit", queue
    if "wait_group" in names or "wait_all" in names:
        return "drain", queue
    if any(name.startswith("mbarrier") for name in names):
        return ("copy", "") if is_bulk else ("arrive later", queue)
    return ("plain", "") if "prefetch" in names else ("start", queue)


class Costs:
    """The costs of all instructions of a launch.

    Args:
        report: Of the launch, with bounds.
        active: Warps of the grid that ran each instruction with an active lane.
        target: The chip.
        chip: Its constants; the likely ones are taken.
        memory_clocks: From a load of global memory to its data.
    """

    def __init__(
        self,
        report: Report,
        active: Mapping[int, int],
        target: Target,
        chip: ChipClocks,
        memory_clocks: float,
    ) -> None:
        self._code = [i for function in report.functions for i in function.code]
        self._counters, self._active = report.counters, active
        self._target, self._chip, self._memory = target, chip, memory_clocks
        self._slots = _slots_by_line(report.bounds)
        self._known: dict[int, Cost] = {}

    def of(self, at: int) -> Cost:
        """The cost of an instruction by its number."""
        if at not in self._known:
            self._known[at] = self._make(at)
        return self._known[at]

    def _make(self, at: int) -> Cost:
        instruction = self._code[at]
        kind, queue = kind_of(instruction)
        written, read = _registers(instruction)
        first = str(instruction.operands[0]) if instruction.operands else ""
        return Cost(
            kind,
            queue,
            instruction.mnemonic,
            instruction.line,
            self._issue(at),
            self._each(at, self._counters.wavefronts),
            self._bytes(at, instruction),
            self._matrix(at, instruction),
            self._latency(at, instruction, kind),
            written,
            read,
            int(first) if kind == "drain" and first else 0,
            "cluster" if "cluster" in instruction.modifiers else first,
        )

    def _each(self, at: int, counts: NDArray[np.int64]) -> float:
        return int(counts[at]) / max(1, self._active.get(at, 0))

    def _issue(self, at: int) -> float:
        warps = max(1, int(self._counters.warps[at]))
        if self._slots is None:
            return 1.0
        return self._slots.get(self._code[at].line, 0.0) / warps

    def _bytes(self, at: int, instruction: Instruction) -> float:
        paths = self._counters.paths
        if instruction.opcode == "cp":
            return self._each(at, paths["copy_in"]) + self._each(at, paths["copy_out"])
        return self._each(at, self._counters.sectors) * SECTOR_BYTES

    def _matrix(self, at: int, instruction: Instruction) -> float:
        """Of a quarter of the units, but for tensor memory's: all of them."""
        fma = self._each(at, self._counters.flops) / 2
        if not fma:
            return 0.0
        rate, chip = fma_per_clock(self._target, instruction), self._chip
        if instruction.opcode == "tcgen05":
            return fma / rate * chip.matrix_slower.at("likely")
        if instruction.opcode == "wgmma":
            return fma / (rate / 4) * chip.matrix_slower.at("likely")
        return fma / (rate / 4) / chip.matrix_share.at("likely")

    def _latency(self, at: int, instruction: Instruction, kind: Kind) -> float:
        """Clocks to the result; nothing where ptxas made no instruction of it."""
        names, opcode = instruction.modifiers, instruction.opcode
        slots = self._issue(at)
        constant = _DATA_OF.get(opcode, "alu")
        if kind == "copy":
            constant = "bulk"
        elif opcode == "cp":
            return self._memory
        elif kind == "matrix":
            constant = "matrix"
        elif opcode in ("ld", "atom"):
            if "param" in names:
                return 0.0
            if not any(name.startswith("shared") for name in names):
                return self._memory
            constant = "shared"
        elif opcode == "cvt" or special_results(instruction):
            constant = "special"
        elif opcode == "tcgen05":
            constant = "shared"
        is_free = constant == "alu" and not slots
        return 0.0 if is_free else self._chip.of(constant).at("likely")


def _slots_by_line(bounds: Bounds | None) -> dict[int, float] | None:
    """Issue slots of all warps by line of the PTX; None without machine code."""
    executions = None if bounds is None else bounds.executions
    return None if executions is None else executions.by_line()


def _registers(
    instruction: Instruction,
) -> tuple[tuple[Register, ...], tuple[Register, ...]]:
    """Registers that an instruction writes, and those that it reads."""
    named = tuple(registers_in(instruction))
    if instruction.opcode in _STORES or not instruction.operands:
        return (), named
    head = Instruction("", (), instruction.operands[:1], None, 0)
    written = tuple(registers_in(head))
    if instruction.opcode in ("cp", "tcgen05"):
        return ((), named) if "ld" not in instruction.modifiers else (written, named)
    rest = Instruction("", (), instruction.operands[1:], instruction.guard, 0)
    return written, tuple(registers_in(rest))
