# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PTX text as a debugger needs it: instructions with their lines and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cuda_tile.debug.spots import Spot
from cuda_tile.emulator.ptx.loops import natural_loops
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.ptx.source import source_places
from cuda_tile.emulator.ptx.syntax import Function, Instruction
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
        first = 0
        for function in module.functions.values():
            self.spots[function.name] = list(self._of(function, first))
            first += len(function.code)

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
