# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile blocks that read again and again and come no further.

As long as nobody writes, what a block does next is decided by the values on which its
branches and loops depend. One that comes back to an op with the same of them does so
for ever; other values, such as a count of reads that nobody asks for, do not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.program import Block, Op
from cuda_tile.interp.values import Partial, Token


class Standstill:
    """The states of tile blocks since anything changed."""

    def __init__(self) -> None:
        self._states: set[tuple[int, int, int]] = set()
        self._repeats: dict[int, bool] = {}
        self._steering: tuple[int, ...] | None = None

    def note(self, run: TileBlock, op: Op) -> None:
        """A block has yielded at an op."""
        if self._steering is None:
            self._steering = tuple(sorted(steering_slots(run.entry.body)))
        words = tuple(_word(run.slots[slot]) for slot in self._steering)
        state = run.number, id(op), hash(words)
        self._repeats[run.number] = state in self._states
        self._states.add(state)

    def is_of(self, blocks: Iterable[TileBlock]) -> bool:
        """Whether all of some blocks are where they were before."""
        return all(self._repeats.get(run.number, False) for run in blocks)


def _word(value: Any) -> Any:
    """What stands for a value in a state; tokens grow with each access."""
    if isinstance(value, Partial):
        return _word(value.data), _word(value.undefined)
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return None if isinstance(value, Token) else type(value).__name__


def steering_slots(body: Block) -> set[int]:
    """The slots on which it depends which ops of a block run, and how often."""
    flows = _Flows()
    flows.of_block(body, None)
    found, left = set[int](), list(flows.roots)
    while left:
        slot = left.pop()
        if slot not in found:
            found.add(slot)
            left += flows.sources[slot]
    return found


class _Flows:
    """From which slots each slot is made.

    Attributes:
        sources: Those, by slot.
        roots: Slots that branches and loops ask for.
    """

    def __init__(self) -> None:
        self.sources: defaultdict[int, list[int]] = defaultdict(list)
        self.roots: list[int] = []

    def of_block(self, block: Block, loop: Op | None) -> None:
        """Adds the ops of a block, which stands in a loop or in none."""
        for op in block.ops:
            if op.name in ("break", "continue") and loop is not None:
                self._leaves(op, loop)
            elif op.name == "if":
                self._branches(op, loop)
            elif op.name in ("loop", "for"):
                self._repeats(op)
            else:
                self._computes(op, loop)

    def _pair(self, targets: Iterable[int], sources: Iterable[int]) -> None:
        for target, source in zip(targets, sources, strict=False):
            self.sources[target].append(source)

    def _leaves(self, op: Op, loop: Op) -> None:
        carried = loop.block().arguments[loop.name == "for" :]
        if op.name == "continue":
            self._pair(carried, op.operands)
        if op.name == "break" or loop.name == "for":
            self._pair(loop.results, op.operands)

    def _branches(self, op: Op, loop: Op | None) -> None:
        self.roots += op.operands
        for block in op.regions:
            if block is not None:
                self.of_block(block, loop)
                if block.ops and block.ops[-1].name == "yield":
                    self._pair(op.results, block.ops[-1].operands)

    def _repeats(self, op: Op) -> None:
        is_for = op.name == "for"
        bounds = 3 if is_for else 0
        first = op.operands[bounds:]
        arguments = op.block().arguments
        self.roots += (*op.operands[:bounds], *arguments[:is_for])
        self._pair(arguments[is_for:], first)
        if is_for:
            self._pair(op.results, first)
        self.of_block(op.block(), op)

    def _computes(self, op: Op, loop: Op | None) -> None:
        made = [*op.results]
        for block in op.regions:
            if block is not None:
                made += block.arguments
                self.of_block(block, loop)
        for target in made:
            self.sources[target] += op.operands
