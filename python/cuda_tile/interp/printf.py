# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C's printf for tiles: what `print_tko` writes.

A directive runs from `%` to its conversion letter. A tile prints as nested brackets
with each element formatted alike, a scalar as itself.
"""

from __future__ import annotations

import re
from math import isnan, nan
from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.words import signed, unsigned
from cuda_tile.runtime.c_format import (
    BITS_OF_SIZE,
    FLOATS,
    SIGNED,
    UNSIGNED,
    WIDEST,
    Conversion,
)
from cuda_tile.runtime.elements import Array, Element

_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?"
    r"(?P<length>hh|h|ll|l|j|z|t|L|q)?(?P<letter>[a-zA-Z%])"
)
SUITED = {"int": "%d, %u, %x, %o or %c", "float": "%f, %e, %g or %a", "pointer": "%p"}
"""What a message proposes, by kind of element."""


class BadDirective(Exception):
    """A directive that does not suit its operand, or that nothing can print."""


def directives(text: str) -> list[re.Match[str]]:
    """The directives of a format, `%%` not among them.

    Raises:
        BadDirective: A `%` begins no directive.
    """
    found: list[re.Match[str]] = []
    place = text.find("%")
    while place >= 0:
        match = _DIRECTIVE.match(text, place)
        if match is None:
            raise BadDirective(f"'{text[place:]}' is no directive of printf")
        if match["letter"] != "%":
            found.append(match)
        place = text.find("%", match.end())
    return found


def render(text: str, tiles: list[tuple[Array, Element]]) -> str:
    """The text with each directive replaced by its tile.

    Args:
        text: The format.
        tiles: One tile per directive.

    Raises:
        BadDirective: The text of the dialect leaves the output undefined.
    """
    pieces: list[str] = []
    end = 0
    for match, (tile, kind) in zip(directives(text), tiles, strict=True):
        pieces.append(text[end : match.start()].replace("%%", "%"))
        pieces.append(_nested(match, tile, kind))
        end = match.end()
    return "".join(pieces) + text[end:].replace("%%", "%")


def _nested(match: re.Match[str], tile: Array, kind: Element) -> str:
    if tile.ndim == 0:
        return _one(match, tile, kind)
    return "[" + ", ".join(_nested(match, row, kind) for row in tile) + "]"


def _one(match: re.Match[str], value: Any, kind: Element) -> str:
    letter, value = match["letter"], np.asarray(value)
    conversion = _conversion(match)
    if letter in SIGNED + UNSIGNED + "c" and kind.kind == "int":
        is_bool = kind.bits == 1 and decisions.PRINT_BOOL_AS_BIT
        is_signed = letter in SIGNED and not is_bool
        number = int(signed(value) if is_signed else unsigned(value, kind))
        if letter == "c":
            return conversion.text(chr(number & 0xFF))
        return conversion.integer(number, BITS_OF_SIZE.get(match["length"], 64))
    if letter in FLOATS and kind.kind == "float":
        number = float(value)
        return conversion.number(nan if isnan(number) else number)  # of no sign
    if letter == "p" and kind.kind == "pointer":
        return conversion.text(f"{int(value):#x}")
    raise BadDirective(f"'{match[0]}' does not suit {kind}; use {SUITED[kind.kind]}")


def _conversion(match: re.Match[str]) -> Conversion:
    precision = match["precision"]
    width, least = int(match["width"] or 0), int((precision or ".")[1:] or 0)
    if max(width, least) > WIDEST:
        raise BadDirective(
            f"expected a width and precision of at most {WIDEST}, got '{match[0]}'"
        )
    exact = None if precision is None else least
    return Conversion(match["flags"], width, exact, match["letter"])
