# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long one warp takes for its own instructions, by their latencies.

A warp issues in order, at most one instruction a clock, and waits where an operand is
not there yet (Huerta et al., "Analyzing Modern NVIDIA GPU Cores", MICRO 2025, measure
that). Units that work by themselves (matrix instructions of warpgroups, cp.async) make
it wait only where it asks. What other warps do is not in here.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from cuda_tile.chip_clocks import Case, ChipClocks
from cuda_tile.machine.code import MachineCode, MachineInstruction
from cuda_tile.machine.executions import Executions
from cuda_tile.machine.kinds import is_poll, is_spill, unit_of

_ROUNDS, _WARM = 8, 4
"""Iterations that are followed, and those of them that fill the pipelines."""
_WARP = 32
_SHAPE = re.compile(r"(?:^|\.)(?:64x(?P<n>\d+)x(?P<k>\d+)|168(?P<deep>\d+))(?:\.|$)")
_COUNT = re.compile(r"0x([0-9a-f]+)")
_MATRIX_ROWS = {"HGMMA": 64, "IGMMA": 64, "QGMMA": 64, "BGMMA": 64}
_STORES = frozenset({"ST", "STG", "STS", "STL", "RED", "STSM", "BRA", "EXIT", "SYNCS"})
_CONSTANT_CLOCKS = 8
"""Latency of an instruction of the uniform path, over that of `alu` twice."""


@dataclass(frozen=True)
class MachineLoop:
    """A loop of the machine code.

    Attributes:
        head: Its first block.
        blocks: All its blocks, ascending; those of inner loops are left out.
        lines: Lines of the PTX text that it came from.
        iterations: How often a warp that enters it goes round, on average.
        rounds: The same over all warps of the grid.
    """

    head: int
    blocks: tuple[int, ...]
    lines: frozenset[int]
    iterations: float
    rounds: float


def machine_loops(executions: Executions) -> list[MachineLoop]:
    """The loops that ran, with how often; not those that only wait."""
    code, counts = executions.code, executions.counts
    found: list[MachineLoop] = []
    bodies = {
        head: frozenset[int]().union(*latches.values())
        for head, latches in code.graph.loops().items()
    }
    for head, entries in executions.entries().items():
        body = bodies[head]
        rounds = float(counts[code.starts[head]])
        inner = frozenset(
            block
            for other, blocks in bodies.items()
            for block in blocks
            if blocks < body and other != head
        )
        blocks = tuple(sorted(body - inner))
        if entries > 0 and rounds > 0:
            lines = frozenset(i.line for b in blocks for i in code.instructions(b))
            found.append(MachineLoop(head, blocks, lines, rounds / entries, rounds))
    return found


def loop_lines(code: MachineCode) -> Iterator[frozenset[int]]:
    """Lines of the PTX text that each loop came from, with the loops inside."""
    for latches in code.graph.loops().values():
        blocks = frozenset[int]().union(*latches.values())
        yield frozenset(i.line for b in blocks for i in code.instructions(b))


def straight_blocks(executions: Executions) -> list[int]:
    """The blocks outside of all loops that some warps ran."""
    code = executions.code
    loops = code.graph.loops()
    inside = {
        b for latches in loops.values() for body in latches.values() for b in body
    }
    return [
        b
        for b in code.reached
        if b not in inside and executions.counts[code.starts[b]] > 0
    ]


def likely_path(
    executions: Executions, blocks: Iterable[int], rounds: float
) -> list[MachineInstruction]:
    """The instructions that at least half of the rounds run."""
    code = executions.code
    return [
        instruction
        for block in blocks
        if executions.counts[code.starts[block]] >= rounds / 2
        for instruction in code.instructions(block)
    ]


@dataclass
class Warp:
    """One warp that issues instructions in order.

    Attributes:
        chip, case: The constants, and which of them.
        fma_per_clock: Multiply-adds of 16-bit operands of the whole multiprocessor,
            with sums of f32.
        memory_clocks: From a load of global memory to its data.
        transfers: Clocks for which an access keeps a unit that the whole CTA shares:
            `shared` memory, and the way from L2, `global`. What is asked for meanwhile
            comes later.
        now: The clock.
        stalls: Clocks that it waited, by what for.
        trace: Begin, end and instruction of what was issued, if it is kept.
        has_slow_f32_sums: Whether products with other sums have twice the rate.
    """

    chip: ChipClocks
    case: Case
    fma_per_clock: float
    memory_clocks: float
    transfers: Mapping[str, float] = field(default_factory=dict[str, float])
    now: float = 0.0
    stalls: dict[str, float] = field(default_factory=dict[str, float])
    trace: list[tuple[float, float, MachineInstruction]] | None = None
    has_slow_f32_sums: bool = False
    _ready: dict[str, tuple[float, str]] = field(
        default_factory=dict[str, tuple[float, str]]
    )
    _busy: dict[str, float] = field(default_factory=dict[str, float])
    _came: dict[str, float] = field(default_factory=dict[str, float])
    _copies: deque[float] = field(default_factory=deque[float])
    _batch: float = 0.0
    _products: deque[float] = field(default_factory=deque[float])

    def run(self, code: Iterable[MachineInstruction]) -> None:
        """Issues instructions."""
        for instruction in code:
            self._issue(instruction)

    def _issue(self, instruction: MachineInstruction) -> None:
        unit = unit_of(instruction)
        begin = self._when(instruction, unit)
        busy = self._occupied(instruction, unit)
        self._busy[unit] = begin + busy
        self.now = begin + self._slots(instruction)
        end = self._transferred(instruction, begin, unit) + self._latency(
            instruction, unit
        )
        if unit in ("matrix", "asynchronous"):
            end += busy
        for register in _results(instruction):
            self._ready[register] = end, unit
        self._starts(instruction, end)
        if self.trace is not None:
            self.trace.append((begin, max(end, begin + 1), instruction))

    def _transferred(
        self, instruction: MachineInstruction, begin: float, unit: str
    ) -> float:
        """When what is asked for has come through a unit that the CTA shares."""
        if unit not in self.transfers or is_spill(instruction):
            return begin
        came = max(begin, self._came.get(unit, 0.0)) + self.transfers[unit]
        self._came[unit] = came
        return came

    def _when(self, instruction: MachineInstruction, unit: str) -> float:
        """When it can be issued: its unit, its operands, what it asks for."""
        begin = max(self.now, self._busy.get(unit, 0.0))
        self._wait(unit, begin)
        for register in _operands(instruction):
            if register in self._ready:
                at, who = self._ready[register]
                begin = self._later(begin, at, who)
        return self._asked(instruction, begin)

    def _later(self, begin: float, at: float, who: str) -> float:
        if at > begin:
            self.stalls[who] = self.stalls.get(who, 0.0) + at - begin
        return max(begin, at)

    def _wait(self, who: str, begin: float) -> None:
        self._later(self.now, begin, f"{who} unit")

    def _asked(self, instruction: MachineInstruction, begin: float) -> float:
        """Waits for products of a warpgroup or copies of a thread."""
        words, opcode = instruction.words, instruction.opcode
        numbers = _COUNT.findall(instruction.operands)
        kept = int(numbers[-1], 16) if numbers else 0
        if opcode == "WARPGROUP" and "DEPBAR" in words:
            drain = self.chip.drain.at(self.case)
            while len(self._products) > kept:
                done = self._products.popleft() + drain
                begin = self._later(begin, done, "products")
        elif opcode == "DEPBAR" and "LE" in words and "SB0" in instruction.operands:
            while len(self._copies) > kept:
                begin = self._later(begin, self._copies.popleft(), "copies")
        return begin

    def _starts(self, instruction: MachineInstruction, end: float) -> None:
        """Notes what goes on by itself."""
        if instruction.opcode == "LDGSTS":
            self._batch = max(self._batch, end)
        elif instruction.opcode == "LDGDEPBAR":
            self._copies.append(self._batch)
        elif "gsb0" in instruction.operands and instruction.opcode in _MATRIX_ROWS:
            self._products.append(end)

    def _slots(self, instruction: MachineInstruction) -> float:
        is_jump = instruction.opcode in ("BRA", "CALL", "RET", "BSYNC")
        return self.chip.jump.at(self.case) if is_jump else 1.0

    def _occupied(self, instruction: MachineInstruction, unit: str) -> float:
        """Clocks until the unit takes the next instruction of this warp's scheduler."""
        chip = self.chip
        if unit in ("matrix", "asynchronous"):
            return self.product_clocks(instruction)
        lanes = {
            "f32": chip.f32_lanes,
            "integer": chip.integer_lanes,
            "convert": chip.convert_lanes,
            "special": 16,
            "f64": chip.integer_lanes,
        }.get(unit)
        return 1.0 if lanes is None else _WARP / (lanes / 4)

    def product_clocks(self, instruction: MachineInstruction) -> float:
        """Clocks of a matrix instruction: its multiply-adds by the rate.

        `HMMA.16816` is 16 x 8 x 16, `HGMMA.64x128x16` 64 x 128 x 16. Others have no
        shape in their name: 1. `HMMA.16816.F32` adds up in f32, `HMMA.16816.F16` in
        f16, `IMMA` in i32.
        """
        found = _SHAPE.search(instruction.name)
        if not found:
            return 1.0
        is_group = instruction.opcode in _MATRIX_ROWS
        deep = found["k"] or found["deep"]
        size = 64 * int(found["n"]) if is_group else 16 * 8
        rate = self.fma_per_clock * 16 / _bits(instruction)
        if self.has_slow_f32_sums and "F32" not in instruction.words:
            rate *= 2
        share = 1.0 if is_group else self.chip.matrix_share.at(self.case) / 4
        slower = self.chip.matrix_slower.at(self.case) if is_group else 1.0
        return size * int(deep) / (rate * share) * slower

    def _latency(self, instruction: MachineInstruction, unit: str) -> float:
        chip, case = self.chip, self.case
        if is_poll(instruction):
            return chip.mbarrier.at(case)
        if unit == "control":
            return chip.barrier.at(case) if instruction.opcode == "BAR" else 0.0
        by_unit = {
            "special": chip.special,
            "convert": chip.special,
            "matrix": chip.matrix,
            "shared": chip.shared,
            "tensor memory": chip.shared,
            "shuffle": chip.shuffle,
        }
        if is_spill(instruction):  # L1 has it
            return chip.shared.at(case)
        if unit == "global":
            return self.memory_clocks
        if unit == "asynchronous":
            return 0.0
        if unit == "matrix":
            return max(0.0, chip.matrix.at(case) - self.product_clocks(instruction))
        return by_unit.get(unit, chip.alu).at(case)


def iteration_clocks(warp: Warp, body: Sequence[MachineInstruction]) -> float:
    """Clocks of one iteration of a warp, in the steady state."""
    for _ in range(_WARM):
        warp.run(body)
    begin, warp.stalls = warp.now, {}
    for _ in range(_ROUNDS - _WARM):
        warp.run(body)
    rounds = _ROUNDS - _WARM
    warp.stalls = {who: clocks / rounds for who, clocks in warp.stalls.items()}
    return (warp.now - begin) / rounds


def loop_body(executions: Executions, loop: MachineLoop) -> list[MachineInstruction]:
    """The instructions of an iteration that runs the likely path."""
    return likely_path(executions, loop.blocks, loop.rounds)


def _bits(instruction: MachineInstruction) -> int:
    """Bits of an operand's element, 16 where nothing says it."""
    words = set(instruction.words)
    if words & {"TF32"}:
        return 32
    is_narrow = instruction.opcode in ("IMMA", "QMMA", "IGMMA", "QGMMA")
    return 8 if is_narrow else 16


def _split(instruction: MachineInstruction) -> tuple[list[str], list[str]]:
    """Registers that are written and read, as the operands name them."""
    named = instruction.registers
    is_store = instruction.opcode in _STORES and not is_poll(instruction)
    head = instruction.operands.split(",", 1)[0]
    writes = not is_store and named and named[0] in head and "[" not in head
    return (named[:1], named[1:]) if writes else ([], named)


def _wide(register: str, count: int) -> Iterator[str]:
    """Registers one behind another."""
    kind, number = register.rstrip("0123456789"), register.lstrip("URP")
    yield from (f"{kind}{int(number) + place}" for place in range(count))


def _results(instruction: MachineInstruction) -> list[str]:
    written, _ = _split(instruction)
    unit = unit_of(instruction)
    count = 4 if unit == "matrix" else 1
    if unit in ("shared", "global"):
        count = max(1, instruction.width_bytes // 4)
    if instruction.opcode == "LDSM":  # a register for each matrix; no number is one
        count = int(instruction.words[-1]) if instruction.words[-1].isdigit() else 1
    if "WIDE" in instruction.words or unit == "f64":
        count = 2
    return [r for register in written for r in _wide(register, count)]


def _operands(instruction: MachineInstruction) -> list[str]:
    _, read = _split(instruction)
    unit = unit_of(instruction)
    if unit != "matrix":
        guard = re.sub(r"^!", "", instruction.guard)
        return [*read, guard] if guard else read
    counts = (4, 2, 4)
    return [
        r for register, n in zip(read, counts, strict=False) for r in _wide(register, n)
    ]
