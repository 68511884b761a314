# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PTX text as a debugger needs it: instructions with their lines and sources."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from cuda_tile.debug.spots import Spot
from cuda_tile.emulator.ptx.loops import natural_loops
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.ptx.source import source_places
from cuda_tile.emulator.ptx.syntax import Function, Instruction, Register, registers_in
from cuda_tile.locations import Place

_PLACE = re.compile(r"(.*):(\d+)")


class PtxListing:
    """The instructions of a module.

    Args:
        text: The PTX.
        file: What the text is called.

    Attributes:
        spots: The spots of each function's instructions, by the function's name.
    """

    def __init__(self, text: str, file: str) -> None:
        module = parse(text)
        self._file = file
        self._sources = source_places(module.lines)
        self.spots: dict[str, list[Spot]] = {}
        self._first: list[int] = []
        first = 0
        for function in module.functions.values():
            self.spots[function.name] = list(self._of(function, first))
            self._first.append(first)
            first += len(function.code)

    def function_of(self, spot: Spot) -> str:
        """The function that an instruction belongs to."""
        return list(self.spots)[bisect_right(self._first, spot.order) - 1]

    def all(self) -> list[Spot]:
        """All spots, in the order of the text."""
        return [spot for spots in self.spots.values() for spot in spots]

    def _of(self, function: Function, first: int) -> Iterator[Spot]:
        loops = natural_loops(function)  # outer ones first
        for number, instruction in enumerate(function.code):
            around = tuple(first + each.head for each in loops if number in each.body)
            places = (
                Place(self._file, instruction.line, 1),
                *self._source(instruction),
            )
            yield Spot(first + number, instruction.mnemonic, places, around)

    def _source(self, instruction: Instruction) -> Iterator[Place]:
        """What a line came from: `helper.py:5 inlined at kernel.py:12`."""
        for part in self._sources[instruction.line - 1].split(" inlined at "):
            match = _PLACE.fullmatch(part)
            if match is not None:
                yield Place(match[1], int(match[2]), 1)


def in_order(code: Sequence[Instruction], spot: Spot) -> Iterable[Register]:
    """The registers of a function: those of one instruction, then by name."""
    line = spot.places[0].line
    here = [r for i in code if i.line == line for r in registers_in(i)]
    rest = {r for i in code for r in registers_in(i)} - set(here)
    ordered = sorted(rest, key=lambda r: [*_name_parts(r.name)])
    return dict.fromkeys([*here, *ordered])


def _name_parts(name: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.*?)(\d*)", name)
    assert match is not None, "any text matches"
    return match[1], int(match[2] or 0)
