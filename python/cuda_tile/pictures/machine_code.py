# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine code of a cubin of ours, with source lines, by `nvdisasm`."""

from __future__ import annotations

import re

from cuda_tile.errors import UserError
from cuda_tile.machine.disassembler import disassemble
from cuda_tile.pictures.listings import MOST_PLACES, Listing, Places, place_of

# What `nvdisasm --print-line-info-inline` writes above instructions.
_FROM = re.compile(r'\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)')
_CALLER = re.compile(r'inlined at "(?P<file>[^"]*)", line (?P<line>\d+)')
_INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]+)\*/\s*(.*?)\s*(/\*.*\*/)?\s*$")
_LABEL = re.compile(r"\.?[\w$.@]+:$")


def machine_code(cubin: bytes) -> Listing:
    """The instructions; only a note where nvdisasm is absent or fails."""
    try:
        text = disassemble(cubin, "--print-line-info-inline")
    except UserError as error:
        return _without(error.message)
    return read_machine_code(text)


def _without(note: str) -> Listing:
    return Listing("sass", "SASS", "sass", (), (), (), note)


def read_machine_code(text: str) -> Listing:
    """What nvdisasm printed, as a listing: instructions and labels."""
    lines: list[str] = []
    places: list[Places] = []
    numbers: list[str] = []
    chain: list[str] = []
    is_new = False
    for line in text.split("\n"):
        if found := _FROM.match(line):
            chain = chain if is_new else []
            is_new = True
            chain.append(place_of(found["file"], found["line"]))
            if caller := _CALLER.search(line):
                chain.append(place_of(caller["file"], caller["line"]))
        elif found := _INSTRUCTION.match(line):
            is_new = False
            numbers.append(found[1])
            lines.append("    " + found[2])
            places.append(tuple(dict.fromkeys(chain))[:MOST_PLACES])
        elif _LABEL.match(line.strip()):
            numbers.append("")
            lines.append(line.strip())
            places.append(())
            if line.startswith(".text."):
                chain = []
    return Listing("sass", "SASS", "sass", lines, places, numbers)
