# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Issue slots and accesses of a kernel: of its machine code, or estimated by PTX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from cuda_tile.emulator.bounds.chip import Chip
from cuda_tile.emulator.bounds.work import is_matrix, issue_slots
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.emulator.ptx.marks import marked
from cuda_tile.emulator.ptx.syntax import Instruction, Module
from cuda_tile.machine.code import MachineCode, read_code
from cuda_tile.machine.disassembler import disassemble
from cuda_tile.machine.executions import Executions, executions
from cuda_tile.machine.kinds import unit_of
from cuda_tile.machine.pending import pending_by_line
from cuda_tile.machine.ports import port_clocks

# What threads access memory by, one machine instruction each or fewer.
_ACCESSES = frozenset({"ld", "st", "ldmatrix", "stmatrix", "cp", "atom", "red"})


class Slots(Protocol):
    """The issue slots of instructions, by their numbers over all functions."""

    def slots(self, numbers: Sequence[int]) -> float:
        """Issue slots that warps took."""
        ...

    def share(self, number: int) -> float:
        """How much of an instruction's accesses of memory there is; at most 1."""
        ...

    def units(self, numbers: Sequence[int]) -> tuple[tuple[str, float], ...]:
        """Issue slots by unit; empty where they are not known."""
        ...

    def ports(self, numbers: Sequence[int]) -> float:
        """Clocks of schedulers by the registers' read ports; 0 where not known."""
        ...

    def pending(self, numbers: Sequence[int]) -> int:
        """Most bytes of loads that a thread awaits; 0 where it is not known."""
        ...


class PtxSlots:
    """Slots by the weights of `work.py`: what ptxas merges or moves counts in full."""

    def __init__(
        self, code: Sequence[Instruction], counters: Counters, chip: Chip
    ) -> None:
        self._code, self._counters, self._chip = code, counters, chip

    def slots(self, numbers: Sequence[int]) -> float:
        """See `Slots`."""
        return sum(map(self._slots, numbers))

    def _slots(self, number: int) -> float:
        instruction, warps = self._code[number], int(self._counters.warps[number])
        per_warp = 0.0
        if is_matrix(instruction):
            per_warp = int(self._counters.flops[number]) / 2 / warps
        has_pairs = self._chip.has_packed_f32
        return warps * issue_slots(instruction, per_warp, has_packed_f32=has_pairs)

    def share(self, number: int) -> float:
        """See `Slots`."""
        return 1.0

    def units(self, numbers: Sequence[int]) -> tuple[tuple[str, float], ...]:
        """See `Slots`."""
        return ()

    def ports(self, numbers: Sequence[int]) -> float:
        """See `Slots`."""
        return 0.0

    def pending(self, numbers: Sequence[int]) -> int:
        """See `Slots`."""
        return 0


class MachineSlots:
    """Slots and accesses of the machine code, by the lines that it came from.

    Attributes:
        executions: How often each machine instruction ran.
    """

    def __init__(
        self, code: Sequence[Instruction], counters: Counters, machine: MachineCode
    ) -> None:
        self._code, self._counters = code, counters
        warps: Counter[int] = Counter()
        for number, instruction in enumerate(code):
            warps[instruction.line] = max(
                warps[instruction.line], int(counters.warps[number])
            )
        guarded = {i.line for i in code if i.guard is not None and i.opcode != "bra"}
        self.executions: Executions = executions(machine, warps, guarded)
        self._slots = self.executions.by_line()
        self._accesses = self.executions.accesses_by_line()
        self._pending = pending_by_line(machine)
        self._ports = {
            place: clocks
            for block in machine.reached
            for place, clocks in enumerate(
                port_clocks(machine.instructions(block)), machine.starts[block]
            )
        }

    def slots(self, numbers: Sequence[int]) -> float:
        """See `Slots`."""
        return sum(self._slots.get(line, 0.0) for line in self._lines(numbers))

    def share(self, number: int) -> float:
        """See `Slots`: what ptxas joined with another access makes none."""
        instruction, warps = self._code[number], int(self._counters.warps[number])
        is_bulk = "bulk" in instruction.modifiers
        if instruction.opcode not in _ACCESSES or is_bulk or not warps:
            return 1.0
        return min(1.0, self._accesses.get(instruction.line, 0.0) / warps)

    def units(self, numbers: Sequence[int]) -> tuple[tuple[str, float], ...]:
        """See `Slots`."""
        lines = self._lines(numbers)
        found: dict[str, float] = {}
        counts = self.executions.counts
        for instruction, count in zip(self.executions.code.code, counts, strict=True):
            if instruction.line in lines and count:
                unit = unit_of(instruction)
                found[unit] = found.get(unit, 0.0) + float(count)
        return tuple(sorted(found.items()))

    def ports(self, numbers: Sequence[int]) -> float:
        """See `Slots`."""
        lines, counts = self._lines(numbers), self.executions.counts
        return sum(
            float(counts[place]) * clocks
            for place, clocks in self._ports.items()
            if self.executions.code.code[place].line in lines
        )

    def pending(self, numbers: Sequence[int]) -> int:
        """See `Slots`."""
        return max((self._pending.get(n, 0) for n in self._lines(numbers)), default=0)

    def _lines(self, numbers: Iterable[int]) -> set[int]:
        return {self._code[number].line for number in numbers}


def machine_code(
    module: Module, kernel: str, assemble: Callable[[str], bytes]
) -> MachineCode:
    """The machine code of a kernel, whose line table has lines of the PTX text.

    Args:
        module: The parsed text.
        kernel: Name of the entry.
        assemble: Runs ptxas with line tables, for the chip in question.

    Raises:
        UserError: ptxas or nvdisasm is absent, or refuses.
    """
    cubin = assemble(marked(module))
    return read_code(disassemble(cubin, "--print-line-info"), kernel)
