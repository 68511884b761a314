# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often machine instructions ran, from how often the PTX lines did.

Line tables say which PTX line each machine instruction came from. Instructions that
ptxas merged, copied or moved run more or less often than their line, so only
instructions with effects take the counts of their lines. The others follow, since
control that enters a block leaves it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import mode

import numpy as np
from numpy.typing import NDArray

from cuda_tile.machine.code import MachineCode, MachineInstruction
from cuda_tile.machine.flow import Equations, Row
from cuda_tile.machine.kinds import computes_floats, is_poll, touches_memory, trust

_LEVELS, _JUMPS = 3, 2
"""Kinds of evidence, see `kinds.trust`, and that of jumps."""


@dataclass(frozen=True)
class Executions:
    """Lower bounds of how often warps ran each machine instruction.

    Attributes:
        code: The instructions.
        counts: Warps that ran each; float64[instructions].
        is_known: Whether each count is exact, except for remainders of unrolled loops,
            which are assumed not to run; bool[instructions].
        agreeing, contradicting: How many counts of lines that were not needed agree
            with the rest, and how many do not.
    """

    code: MachineCode
    counts: NDArray[np.float64]
    is_known: NDArray[np.bool_]
    agreeing: int
    contradicting: int

    def entries(self) -> dict[int, float]:
        """An upper bound of how often warps entered each loop, by the loop's head.

        It is the count of the nearest block before each entry, if that is known: a loop
        that ran is assumed not to be skipped.
        """
        graph, found = self.code.graph, dict[int, float]()
        above = graph.dominators()
        for head in graph.loops():
            block = above[head]
            while block != above[block] and not self.is_known[self.code.starts[block]]:
                block = above[block]
            rounds = self.counts[self.code.starts[head]]
            found[head] = float(min(rounds, self.counts[self.code.starts[block]]))
        return found

    def by_line(self) -> dict[int, float]:
        """Issue slots by PTX line: one for each warp that runs an instruction."""
        slots: dict[int, float] = defaultdict(float)
        for instruction, count in zip(self.code.code, self.counts, strict=True):
            slots[instruction.line] += float(count)
        return dict(slots)

    def accesses_by_line(self) -> dict[int, float]:
        """Accesses of memory that warps make, by PTX line."""
        found: dict[int, float] = defaultdict(float)
        for instruction, count in zip(self.code.code, self.counts, strict=True):
            if touches_memory(instruction):
                found[instruction.line] += float(count)
        return dict(found)


class _Flow:
    """The edges between the blocks of a kernel, and equations for their counts."""

    def __init__(self, code: MachineCode) -> None:
        self._code = code
        graph = code.graph
        self._edges = [
            (block, target)
            for block, targets in enumerate(graph.successors)
            for target in targets
        ]
        self._into: dict[int, list[int]] = defaultdict(list)
        self._out: dict[int, list[int]] = defaultdict(list)
        for number, (block, target) in enumerate(self._edges):
            self._out[block].append(number)
            self._into[target].append(number)
        # One variable more for each function that is called.
        self._calls = {
            b: len(self._edges) + n for n, b in enumerate(sorted(code.called))
        }
        self.size = len(self._edges) + len(self._calls)

    def enters(self, block: int) -> tuple[Row, float]:
        """How often a block runs: coefficients, and a constant for the entry."""
        row = np.zeros(self.size)
        row[self._into[block]] = 1
        if block in self._calls:
            row[self._calls[block]] = 1
        return row, float(block == 0)

    def leaves(self, block: int) -> Row | None:
        """The edges that leave a block; None if it may end the kernel or a function."""
        if self._code.last(block).opcode in ("EXIT", "RET", "KILL", "BPT"):
            return None
        if not self._out[block]:
            return None
        row = np.zeros(self.size)
        row[self._out[block]] = 1
        return row

    def evidence(
        self,
        places: Mapping[int, int],
        unrolled: Mapping[int, int],
        warps: int,
        started: int,
    ) -> tuple[Row, float]:
        """An equation: all copies of an instruction ran as often as its line.

        If a body occurs several times in a block, one jump is left. An instruction that
        occurs more often than the body is one of several from its line.

        Args:
            places: How often the instruction occurs in each block.
            unrolled: How often the body of a loop occurs in a block.
            warps: Warps that ran the line.
            started: Warps that began the kernel.
        """
        split = min(t // min(t, unrolled.get(b, 1)) for b, t in places.items())
        row, value = np.zeros(self.size), float(split * warps)
        for block, times in places.items():
            part, constant = self.enters(block)
            times = max(times, unrolled.get(block, 1))
            row += times * part
            value -= times * constant * started
        return row, value

    def unused(self) -> Iterator[int]:
        """Edges that need not be taken: a wait that is tried again, slow paths."""
        polls = self._polls()
        for number, (block, target) in enumerate(self._edges):
            if (
                self._code.last(block).name == "BRA.DIV" and target != block + 1
            ) or polls.get(target, frozenset()) & polls.get(block, frozenset()):
                yield number

    def _polls(self) -> dict[int, frozenset[int]]:
        """The lines of waits in each block."""
        found = {
            block: frozenset(
                i.line for i in self._code.instructions(block) if is_poll(i)
            )
            for block in range(len(self._code.starts))
        }
        return {block: lines for block, lines in found.items() if lines}


def executions(
    code: MachineCode,
    warps_of_line: Mapping[int, int],
    guarded: Set[int] = frozenset(),
) -> Executions:
    """Joins machine code with how often warps ran each PTX line.

    Args:
        code: Machine code whose line table has lines of the PTX text.
        warps_of_line: Warps that ran each line, from the emulator.
        guarded: Lines whose instruction has a guard.
    """
    flow = _Flow(code)
    found = Equations(flow.size)
    first = min((line for line, n in warps_of_line.items() if n), default=0)
    started = warps_of_line.get(first, 0)
    for edge in flow.unused():
        row = np.zeros(flow.size)
        row[edge] = 1
        found.add(row, 0.0)
    for block in range(len(code.starts)):
        row, constant = flow.enters(block)
        leaving = flow.leaves(block)
        if leaving is not None:
            found.add(row - leaving, -constant * started)
    found.agreeing = found.contradicting = 0
    levels = [_copies(code, warps_of_line, guarded, level) for level in range(_LEVELS)]
    unrolled = _unrolled(code, levels[0])
    for copies in levels:
        for line, places in copies:
            found.add(*flow.evidence(places, unrolled, warps_of_line[line], started))
    for line, places in (pair for copies in levels[:_JUMPS] for pair in copies):
        if main := _without_remainders(places):
            row, value = flow.evidence(main, unrolled, warps_of_line[line], started)
            if not found.solve(row)[1]:  # no other equation tells
                found.add(row, value)
    counts = np.zeros(len(code.code))
    is_known = np.ones(len(code.code), np.bool_)
    for block in code.reached:
        row, constant = flow.enters(block)
        value, known = found.solve(row)
        here = slice(code.starts[block], code.stops[block])
        counts[here] = max(0.0, value + constant * started)
        is_known[here] = known
    return Executions(code, counts, is_known, found.agreeing, found.contradicting)


def _copies(
    code: MachineCode, warps_of_line: Mapping[int, int], guarded: Set[int], level: int
) -> list[tuple[int, Counter[int]]]:
    """For each line, the copies of its instructions in each block."""
    waits = {instruction.line for instruction in code.code if is_poll(instruction)}
    known = warps_of_line.keys() - waits  # the emulator's polls mean nothing
    copies: dict[tuple[int, str], Counter[int]] = defaultdict(Counter)
    for block in code.reached:
        for instruction in code.instructions(block):
            if instruction.line not in known or _is_other_way(code, block, instruction):
                continue
            is_guarded = instruction.line in guarded
            if trust(instruction, is_guarded=is_guarded) == level:
                copies[instruction.line, instruction.opcode][block] += 1
    return [(line, places) for (line, _), places in copies.items()]


def _is_other_way(
    code: MachineCode, block: int, instruction: MachineInstruction
) -> bool:
    """Whether a jump is the rest of one that leaves in the block before it.

    ptxas may negate the condition of a loop's last jump: some lanes leave, all others
    go back.
    """
    if instruction is not code.last(block) or instruction.is_conditional:
        return False
    before = [code.last(b) for b in code.graph.predecessors[block]]
    return bool(before) and all(
        last.is_conditional and last.line == instruction.line and last.targets
        for last in before
    )


def _unrolled(
    code: MachineCode, effects: Sequence[tuple[int, Counter[int]]]
) -> dict[int, int]:
    """How often the body of a loop occurs in each block.

    It occurs as often as the rarest instruction with an effect; without one, as most
    operations on floats; else as loads, some of which ptxas may merge.
    """
    found: dict[int, int] = {}
    for _, places in effects:
        for block, times in places.items():
            found[block] = min(found.get(block, times), times)
    for block in code.reached:
        copies = Counter(
            (computes_floats(i), i.line, i.name)
            for i in code.instructions(block)
            if not i.guard and (computes_floats(i) or trust(i) == 1)
        )
        if block not in found and copies:
            floats = [times for (is_float, *_), times in copies.items() if is_float]
            found[block] = mode(sorted(floats)) if floats else max(copies.values())
    return found


def _without_remainders(places: Counter[int]) -> Counter[int] | None:
    """The block with most copies of a loop's body, if there is one.

    A loop that ptxas unrolled is followed by a loop with fewer copies, for the
    remaining iterations: that one is assumed not to run if no equation tells.
    """
    (block, most), *others = places.most_common()
    is_main = bool(others) and all(times < most for _, times in others)
    return Counter({block: most}) if is_main else None
