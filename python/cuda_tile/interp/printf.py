"""C's printf for tiles: what `print_tko` writes.

A directive runs from `%` to its conversion letter. A tile prints as nested brackets
with each element formatted alike, a scalar as itself.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import copysign, isfinite
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
            return _padded(match, chr(number & 0xFF))
        return _integer(match, _shortened(number, match["length"], is_signed))
    if letter in FLOAT and kind.kind == "float":
        number = float(value)
        if letter in "aA":
            return _hexadecimal(match, number)
        text = f"%{match['flags'].replace('0', '')}{match['precision'] or ''}{letter}"
        return _padded(match, text % number, zeros=isfinite(number))
    if letter == "p" and kind.kind == "pointer":
        return _padded(match, f"{int(value):#x}")
    raise BadDirective(f"'{match[0]}' does not suit {kind}; use {SUITED[kind.kind]}")


def _shortened(number: int, length: str | None, is_signed: bool) -> int:
    """What `hh` and `h` leave of a number; the longer lengths take all of it."""
    bits = {"hh": 8, "h": 16}.get(length or "", 64)
    low = number & ((1 << bits) - 1)
    return low - (low >> bits - 1 << bits) if is_signed else low


def _padded(match: re.Match[str], text: str, *, zeros: bool = False) -> str:
    """The text in the width asked for; zeros go behind a sign and `0x`."""
    width, flags = int(match["width"] or 0), match["flags"]
    if "-" in flags:
        return text.ljust(width)
    if not zeros or "0" not in flags:
        return text.rjust(width)
    head = _HEAD.match(text)
    start = head.end() if head else 0
    return text[:start] + text[start:].rjust(width - start, "0")


_HEAD = re.compile("[-+ ]?(0[xX])?")
"""A sign, and what `#` and `a` write in front of digits of base 16."""


def _integer(match: re.Match[str], number: int) -> str:
    """An integer as C writes it: sign, prefix, least number of digits."""
    flags, letter, precision = match["flags"], match["letter"], match["precision"]
    digits = format(abs(number), "d" if letter in "diu" else letter)
    if precision is not None:
        least = int(precision[1:] or 0)
        digits = digits.rjust(least, "0") if least or number else ""
    if letter == "o" and "#" in flags and not digits.startswith("0"):
        digits = f"0{digits}"
    prefix = f"0{letter}" if letter in "xX" and "#" in flags and number else ""
    sign = _sign(flags, number < 0) if letter in SIGNED else ""
    return _padded(match, sign + prefix + digits, zeros=precision is None)


def _sign(flags: str, is_negative: bool) -> str:
    if is_negative:
        return "-"
    return "+" if "+" in flags else " " if " " in flags else ""


def _hexadecimal(match: re.Match[str], number: float) -> str:
    """A float in base 16, with as many digits as asked for or as it needs."""
    flags, precision = match["flags"], match["precision"]
    sign = _sign(flags, copysign(1.0, number) < 0)
    text = abs(number).hex()
    if isfinite(number):
        mantissa, exponent = text[2:].split("p")
        whole, _, digits = mantissa.partition(".")
        digits = digits.rstrip("0")
        if precision is not None:
            count = int(precision[1:] or 0)
            bits = round(
                Fraction(int(whole + digits, 16), 16 ** len(digits)) * 16**count
            )
            whole, digits = f"{bits >> 4 * count:x}", f"{bits % 16**count:0{count}x}"
            digits = digits if count else ""
        point = "." if digits or "#" in flags else ""
        text = f"0x{whole}{point}{digits}p{exponent}"
    text = sign + text
    text = text.upper() if match["letter"] == "A" else text
    return _padded(match, text, zeros=isfinite(number))
