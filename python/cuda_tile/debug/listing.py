# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of the interpreter as a debugger needs it: spots, and what is in scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from cuda_tile.debug.spots import Spot
from cuda_tile.interp.program import Block, Entry, Op, all_ops
from cuda_tile.locations import Place, places_of

LOOPS = frozenset(("for", "loop"))
"""Ops whose region runs again and again."""
LIBRARY = ("cuda", "tile")
"""The folders of cuTile's own functions, which are inlined and nobody steps into."""


@dataclass(frozen=True, eq=False)
class Line:
    """An op and where it stands.

    Attributes:
        op: The op.
        spot: The same for plans and breakpoints.
        block: The block that it is in.
        index: Its place there.
        parent: The op around that block, or None in the entry's body.
        origin: The place that the compiler gave it, where a loop's ops that a front end
            moved before the loop count as the loop's head.
    """

    op: Op
    spot: Spot
    block: Block
    index: int
    parent: Line | None
    origin: Place | None


class Listing:
    """The ops of one entry.

    Args:
        entry: The kernel.

    Attributes:
        entry: The kernel.
        lines: Its ops in program order, terminators included.
        types: The type of each value that an op makes or uses.
    """

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.lines: list[Line] = []
        self._add(entry.body, None, ())
        self.types = {
            slot: kind
            for line in self.lines
            for slot, kind in (
                *zip(line.op.operands, line.op.operand_types, strict=True),
                *zip(line.op.results, line.op.result_types, strict=True),
            )
        }
        self._of = {id(line.op): line for line in self.lines}
        self._makers = {slot: line for line in self.lines for slot in line.op.results}
        self._carried = {
            slot: line
            for line in self.lines
            for block in line.op.regions
            if block is not None
            for slot in block.arguments
        }

    def _add(self, block: Block, parent: Line | None, loops: tuple[int, ...]) -> None:
        for index, op in enumerate(block.ops):
            order = len(self.lines)
            places = user_places(op.location)
            shown = _before_moved(block.ops[index + 1 :], places)
            if op.name == "yield" and index and _is_python(places):
                shown = self.lines[-1].spot.places  # Python has no line for it
            spot = Spot(order, op.name, shown, loops)
            line = Line(op, spot, block, index, parent, next(iter(places), None))
            self.lines.append(line)
            inner = (*loops, order) if op.name in LOOPS else loops
            for region in op.regions:
                if region is not None:
                    self._add(region, line, inner)

    def line(self, op: Op) -> Line:
        """Where an op stands."""
        return self._of[id(op)]

    def maker(self, slot: int) -> Line | None:
        """The op that makes a value, None for a block argument."""
        return self._makers.get(slot)

    def loop_of(self, slot: int) -> Line | None:
        """The op whose block argument a value is, if any."""
        return self._carried.get(slot)

    def in_scope(self, line: Line, *, after: bool = False) -> Iterator[int]:
        """The values that an op may use, oldest first.

        Args:
            line: The op.
            after: Whether the op's own results count.
        """
        if line.parent is not None:
            yield from self.in_scope(line.parent)
        yield from line.block.arguments
        for op in line.block.ops[: line.index + after]:
            yield from op.results


def _before_moved(
    later: tuple[Op, ...], places: tuple[Place, ...]
) -> tuple[Place, ...]:
    """The places of an op, or of the loop behind it whose body it was moved out of."""
    for op in later:
        if op.name in LOOPS and _is_python(places):
            head = user_places(op.location)
            if len(head) == len(places) and head[1:] == places[1:]:
                lines = [
                    place.line
                    for inner in all_ops(op.block())
                    for place in user_places(inner.location)[-len(head) :][:1]
                    if place.file == places[0].file
                ]
                if head[0].line < places[0].line <= max(lines, default=0):
                    return head
    return places


def _is_python(places: tuple[Place, ...]) -> bool:
    return bool(places) and places[0].file.endswith(".py")


def user_places(location: str) -> tuple[Place, ...]:
    """The places of an op in the user's files, those of cuTile itself left out."""
    places = places_of(location)
    own = [place for place in places if not _is_library(place.file)]
    return tuple(own or places)


def _is_library(file: str) -> bool:
    return PurePath(file).parts[-3:-1] == LIBRARY and "site-packages" in file
