# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of a function: natural loops of its control-flow graph.

Loops with one head are one loop; `machine/graph.py` finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cuda_tile.emulator.ptx.syntax import (
    Function,
    Group,
    Instruction,
    Label,
    Operand,
    Vector,
)
from cuda_tile.machine.graph import Graph

_ENDS = frozenset({"ret", "exit", "trap"})


@dataclass(frozen=True)
class NaturalLoop:
    """A loop by numbers of instructions in its function.

    Attributes:
        head: Its first instruction, through which alone it is entered.
        body: All its instructions, those of inner loops included.
        latches: The first instruction of each block that goes back to the head, with
            the part of the body that this back edge makes a loop.
        tests_first: Whether the head may leave the loop, and only other blocks go back:
            the head then runs once more than the rest.
    """

    head: int
    body: frozenset[int]
    latches: Mapping[int, frozenset[int]]
    tests_first: bool


class Blocks(Graph):
    """Basic blocks and the edges between them.

    Attributes:
        starts: First instruction of each block, ascending.
        stops: The instruction after each block.
    """

    def __init__(self, function: Function) -> None:
        code = function.code
        cuts = {0, *function.labels}
        cuts.update(n + 1 for n, i in enumerate(code) if _leaves(i))
        self.starts = sorted(cut for cut in cuts if cut < len(code))
        self.stops = [*self.starts[1:], len(code)]
        block_at = {start: number for number, start in enumerate(self.starts)}
        successors = [
            [block_at[n] for n in _next(code, stop - 1) if n in block_at]
            for stop in self.stops
        ]
        super().__init__(successors)

    def instructions(self, blocks: Iterable[int]) -> frozenset[int]:
        """The numbers of the instructions in some blocks."""
        return frozenset(
            number
            for block in blocks
            for number in range(self.starts[block], self.stops[block])
        )


def _leaves(instruction: Instruction) -> bool:
    """Whether what follows need not be executed next."""
    return instruction.opcode in ("bra", "brx") or instruction.opcode in _ENDS


def _next(code: list[Instruction], number: int) -> Iterator[int]:
    """The instructions that may follow the last one of a block."""
    last = code[number]
    for operand in last.operands if last.opcode in ("bra", "brx") else ():
        yield from (label.target for label in _labels(operand))
    if not _leaves(last) or (last.guard is not None and last.opcode != "brx"):
        yield number + 1


def _labels(operand: Operand) -> Iterator[Label]:
    if isinstance(operand, Label):
        yield operand
    elif isinstance(operand, Group | Vector):
        for element in operand.elements:
            yield from _labels(element)


def natural_loops(function: Function) -> list[NaturalLoop]:
    """Returns the loops of a function, outer ones before those that they hold."""
    if not function.code:
        return []
    blocks = Blocks(function)
    loops: list[NaturalLoop] = []
    for head, latches in blocks.loops().items():
        back = {blocks.starts[b]: blocks.instructions(latches[b]) for b in latches}
        start, body = blocks.starts[head], _union(back.values())
        leaves = any(blocks.starts[b] not in body for b in blocks.successors[head])
        loops.append(NaturalLoop(start, body, back, leaves and start not in back))
    return sorted(loops, key=lambda loop: (-len(loop.body), loop.head))


def meeting_order(function: Function) -> list[int]:
    """A rank for each instruction, and for the end: those of lower rank go first.

    Then threads that have parted meet again as soon as they can: a block is behind all
    that lead to it without going back, wherever it stands in the text, and what leaves
    a loop is behind the loop.
    """
    n_code = len(function.code)
    if not n_code:
        return [0]
    blocks = Blocks(function)
    inside = [set[int]() for _ in blocks.starts]
    for head, latches in blocks.loops().items():
        for block in _union(latches.values()):
            inside[block].add(head)
    exits_first = [
        sorted(targets, key=lambda target: -len(inside[block] - inside[target]))
        for block, targets in enumerate(blocks.successors)
    ]
    ranks = list(range(n_code, 2 * n_code + 1))
    next_rank = 0
    for block in Graph(exits_first).in_reverse_postorder():
        for place in range(blocks.starts[block], blocks.stops[block]):
            ranks[place] = next_rank
            next_rank += 1
    return ranks


def _union(parts: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset(number for part in parts for number in part)
