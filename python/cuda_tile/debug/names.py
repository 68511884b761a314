# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the values of a kernel are called: by the user's source, else by the Tile IR.

Block arguments and results of loops and branches have no place of their own; they take
the name of what flows into them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cuda_tile.debug.listing import LOOPS, Line, Listing
from cuda_tile.debug.names_python import PythonNames
from cuda_tile.debug.names_text import TextNames
from cuda_tile.debug.sources import Sources
from cuda_tile.interp.program import Block, TileType
from cuda_tile.locations import Place


class Names:
    """The names of one kernel's values.

    Args:
        listing: The kernel.
        sources: Its source files.
        ssa: The name of each slot in the Tile IR.
        labels: The names of parameters that are known otherwise, by their number.

    Attributes:
        of: The name of each slot that has one.
    """

    def __init__(
        self,
        listing: Listing,
        sources: Sources,
        ssa: Sequence[str],
        labels: Mapping[int, str],
    ) -> None:
        self._listing = listing
        self._sources = sources
        self._ssa = ssa
        self._python: dict[str, PythonNames] = {}
        self._texts: dict[str, TextNames] = {}
        self._functions: dict[int, str | None] = {}
        self.of: dict[int, str] = {}
        self._find()
        for number, name in labels.items():
            self._give(listing.entry.body.arguments[number], name, None)

    def name(self, slot: int) -> str:
        """What a value is called."""
        return self.of.get(slot) or self._ssa[slot]

    def function_at(self, place: Place | None) -> str | None:
        """The Python function around a place."""
        if place is None or not place.file.endswith(".py"):
            return None
        return self._python_at(place).function_at(place.line)

    def bound(self, call: Place | None, function: str | None) -> dict[str, str]:
        """The variables of the caller that a function's parameters are.

        Args:
            call: Where it is called.
            function: The function.
        """
        if call is None or function is None or not call.file.endswith(".py"):
            return {}
        return self._python_at(call).bound(call, function)

    def is_visible(self, slot: int, function: str | None) -> bool:
        """Whether a value's name means something in a function."""
        return function is None or self._functions.get(slot) in (None, function)

    def is_given(self, slot: int) -> bool:
        """Whether the user's source names a value."""
        return slot in self.of

    def _find(self) -> None:
        for line in self._listing.lines:
            place = line.origin
            if place is None:
                continue
            if place.file.endswith(".py"):
                self._name_python(line, place)
            else:
                self._name_text(line, place)
        self._name_parameters()
        for line in self._listing.lines:
            self._name_flow(line)

    def _name_python(self, line: Line, place: Place) -> None:
        names = self._python_at(place)
        result = names.result(place)
        kept = _named_result(line)
        if result is not None and kept is not None:
            for slot in [s for s, n in self.of.items() if n == result]:
                if self._is_at(slot, place):  # a step on the way to the last op
                    del self.of[slot]
            self._give(kept, result, place)
        if line.op.name == "for":
            self._give_all(line.op.block().arguments, [names.loop(place)], place)
        parameter = names.parameter(place)
        if parameter is not None and line.op.name == "assume":
            self._name_parameter(line, parameter, place)

    def _is_at(self, slot: int, place: Place) -> bool:
        maker = self._listing.maker(slot)
        return maker is not None and maker.origin == place

    def _name_parameter(self, line: Line, name: str, place: Place) -> None:
        """CuTile's array parameters are a pointer, extents and strides."""
        slot = line.op.operands[0]
        is_parameter = slot in self._listing.entry.body.arguments
        if is_parameter and name not in self.of.values():
            self._give(slot, name, place)

    def _name_text(self, line: Line, place: Place) -> None:
        names = self._text_at(place)
        self._give_all(line.op.results, names.results(place), place)
        if line.op.name in LOOPS:
            self._give_all(line.op.block().arguments, names.arguments(place), place)

    def _name_parameters(self) -> None:
        """Of a text of Tile IR."""
        entry = self._listing.entry
        for text in self._texts.values():
            found = text.parameters(entry.name)
            if len(found) == len(entry.body.arguments):
                self._give_all(entry.body.arguments, found, None)

    def _name_flow(self, line: Line) -> None:
        """Names from what ends a region, to arguments and results around it."""
        parent = line.parent
        if parent is None or line.op.name not in ("yield", "continue", "break"):
            return
        owner = _target(line)
        if owner is None:
            return
        for place, slot in enumerate(line.op.operands):
            name = self.of.get(slot)
            for target in _receivers(owner, line.op.name, place):
                if name is not None and target not in self.of:
                    self.of[target] = name
                    self._functions[target] = self._functions.get(slot)

    def _give_all(
        self, slots: Iterable[int], names: Sequence[str | None], place: Place | None
    ) -> None:
        for slot, name in zip(slots, names, strict=False):
            if name is not None:
                self._give(slot, name, place)

    def _give(self, slot: int, name: str, place: Place | None) -> None:
        self.of[slot] = name
        self._functions[slot] = self.function_at(place)

    def _python_at(self, place: Place) -> PythonNames:
        if place.file not in self._python:
            text = "\n".join(self._sources.lines(place.file))
            self._python[place.file] = PythonNames.of(text)
        return self._python[place.file]

    def _text_at(self, place: Place) -> TextNames:
        if place.file not in self._texts:
            self._texts[place.file] = TextNames(self._sources.lines(place.file))
        return self._texts[place.file]


def _named_result(line: Line) -> int | None:
    """The result that a variable holds: the tile that is used, of several."""
    tiles = [
        slot
        for slot, kind in zip(line.op.results, line.op.result_types, strict=True)
        if isinstance(kind, TileType)
    ]
    used = [slot for slot in tiles if _is_used(slot, line.block)]
    return next(iter(used or tiles), None)


def _is_used(slot: int, block: Block) -> bool:
    return any(
        slot in op.operands
        or any(inner is not None and _is_used(slot, inner) for inner in op.regions)
        for op in block.ops
    )


def _target(line: Line) -> Line | None:
    """The op that a terminator hands its operands to."""
    owner = line.parent
    while owner is not None and line.op.name != "yield" and owner.op.name not in LOOPS:
        owner = owner.parent
    return owner


def _receivers(owner: Line, kind: str, place: int) -> list[int]:
    """Where operand `place` of a terminator goes: argument and result."""
    found: list[int] = []
    if owner.op.name in LOOPS and kind == "continue":
        arguments = owner.op.block().arguments[owner.op.name == "for" :]
        found += arguments[place : place + 1]
    if kind == "break" or owner.op.name != "loop":
        found += owner.op.results[place : place + 1]
    return found
