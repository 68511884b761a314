"""C's printf for tiles: what `print_tko` writes.

A directive runs from `%` to its conversion letter. A tile prints as nested brackets
with each element formatted alike, a scalar as itself.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cuda_tile.interp import decisions
from cuda_tile.interp.words import signed, unsigned
from cuda_tile.runtime.elements import Array, Element

_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?"
    r"(?P<length>hh|h|ll|l|j|z|t|L|q)?(?P<letter>[a-zA-Z%])"
)
SIGNED, UNSIGNED, FLOAT = "di", "uoxX", "eEfFgGaA"
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
    if letter in SIGNED + UNSIGNED + "c" and kind.kind == "int":
        is_bool = kind.bits == 1 and decisions.PRINT_BOOL_AS_BIT
        is_signed = letter in SIGNED and not is_bool
        number = int(signed(value) if is_signed else unsigned(value, kind))
        if letter == "c":
            return f"%{match['flags']}{match['width']}c" % (number & 0xFF)
        python = "d" if letter in "diu" else letter
        if letter == "o" and "#" in match["flags"]:  # Python would write 0o
            return f"0{number:o}".rjust(int(match["width"] or 0))
        return _for_python(match, python) % number
    if letter in FLOAT and kind.kind == "float":
        number = float(value)
        if letter in "aA":
            return _hexadecimal(match, number)
        return _for_python(match, letter) % number
    if letter == "p" and kind.kind == "pointer":
        return f"{int(value):#x}".rjust(int(match["width"] or 0))
    raise BadDirective(f"'{match[0]}' does not suit {kind}; use {SUITED[kind.kind]}")


def _for_python(match: re.Match[str], letter: str) -> str:
    """The directive for Python's `%`, without the length, which it ignores."""
    return f"%{match['flags']}{match['width']}{match['precision'] or ''}{letter}"


def _hexadecimal(match: re.Match[str], number: float) -> str:
    text = number.hex()
    if "p" in text:
        digits, exponent = text.split("p")
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        text = f"{digits}p{exponent}"
    if "+" in match["flags"] and number >= 0:
        text = f"+{text}"
    text = text.upper() if match["letter"] == "A" else text
    width = int(match["width"] or 0)
    return text.ljust(width) if "-" in match["flags"] else text.rjust(width)
