# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of a function: natural loops of its control-flow graph.

A natural loop is the target of a back edge, the head, with all instructions from which
the edge's origin can be reached without passing the head; an edge goes back if the head
dominates its origin (Aho, Lam, Sethi, Ullman, "Compilers", 9.6). Loops with one head
are one loop. A cycle that can be entered at two places has no head and is none.
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


class Blocks:
    """Basic blocks and the edges between them.

    Attributes:
        starts: First instruction of each block, ascending.
        stops: The instruction after each block.
        successors, predecessors: Numbers of blocks, for each block.
    """

    def __init__(self, function: Function) -> None:
        code = function.code
        cuts = {0, *function.labels}
        cuts.update(n + 1 for n, i in enumerate(code) if _leaves(i))
        self.starts = sorted(cut for cut in cuts if cut < len(code))
        self.stops = [*self.starts[1:], len(code)]
        block_at = {start: number for number, start in enumerate(self.starts)}
        self.successors = [
            [block_at[n] for n in _next(code, stop - 1) if n in block_at]
            for stop in self.stops
        ]
        self.predecessors: list[list[int]] = [[] for _ in self.starts]
        for number, targets in enumerate(self.successors):
            for target in targets:
                self.predecessors[target].append(number)

    def instructions(self, blocks: Iterable[int]) -> frozenset[int]:
        """The numbers of the instructions in some blocks."""
        return frozenset(
            number
            for block in blocks
            for number in range(self.starts[block], self.stops[block])
        )

    def in_reverse_postorder(self) -> list[int]:
        """The blocks that can be reached, each before what only it leads to."""
        order: list[int] = []
        seen = {0}
        stack = [(0, iter(self.successors[0]))] if self.starts else []
        while stack:
            block, rest = stack[-1]
            following = next((b for b in rest if b not in seen), None)
            if following is None:
                order.append(block)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self.successors[following])))
        return order[::-1]

    def dominators(self) -> dict[int, int]:
        """The immediate dominator of each block that can be reached; 0 has itself.

        Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
        """
        order = self.in_reverse_postorder()
        place = {block: number for number, block in enumerate(order)}
        above: dict[int, int] = {0: 0}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [p for p in self.predecessors[block] if p in above]
                found = known[0]
                for other in known[1:]:
                    found = _meet(found, other, above, place)
                if above.get(block) != found:
                    above[block], changed = found, True
        return above


def _meet(one: int, other: int, above: dict[int, int], place: dict[int, int]) -> int:
    """The nearest block that dominates both."""
    while one != other:
        while place[one] > place[other]:
            one = above[one]
        while place[other] > place[one]:
            other = above[other]
    return one


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
    above = blocks.dominators()
    latches: dict[int, dict[int, frozenset[int]]] = {}
    for block in above:
        for head in blocks.successors[block]:
            if _dominates(head, block, above):
                body = blocks.instructions(_reach_back(blocks, block, head))
                latches.setdefault(head, {})[blocks.starts[block]] = body
    loops: list[NaturalLoop] = []
    for head, back in latches.items():
        start, body = blocks.starts[head], _union(back.values())
        leaves = any(blocks.starts[b] not in body for b in blocks.successors[head])
        loops.append(NaturalLoop(start, body, back, leaves and start not in back))
    return sorted(loops, key=lambda loop: (-len(loop.body), loop.head))


def _union(parts: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset(number for part in parts for number in part)


def _dominates(head: int, block: int, above: dict[int, int]) -> bool:
    while block != head and block != above[block]:
        block = above[block]
    return block == head


def _reach_back(blocks: Blocks, origin: int, head: int) -> set[int]:
    """The head, and the blocks from which an edge's origin is reached without it."""
    body = {head}
    pending = [origin]
    while pending:
        block = pending.pop()
        if block not in body:
            body.add(block)
            pending += blocks.predecessors[block]
    return body
