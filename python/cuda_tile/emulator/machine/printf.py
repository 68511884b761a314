# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C's printf as kernels may call it.

CUDA C++ Programming Guide, "Formatted Output": `%[flags][width][.precision][size]type`
with flags `#`, space, `0`, `+`, `-`; width and precision a number or `*`; sizes h, l
and ll; types cdiouxXpeEfgGaAs. ISO C, "The fprintf function", says what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.runtime.c_format import BITS_OF_SIZE, FLOATS, WIDEST, Conversion

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    r"(?P<size>hh|h|ll|l|z)?(?P<type>.|$)",
    re.DOTALL,
)
_WIDE = ("l", "ll", "z")
# How argument lists are laid out, PTX Writer's Guide to Interoperability, "vprintf":
# each value at a multiple of its size, integers as int or long long, floats as double.
_INT_BYTES, _LONG_BYTES = 4, 8

Take = Callable[[int], bytes]
"""Returns the next value of the argument list, of 4 or 8 bytes."""


def format_text(
    layout: str, take: Take, text_at: Callable[[int], str]
) -> tuple[str, int]:
    """Formats a text.

    Args:
        layout: The format.
        take: The argument list.
        text_at: Returns the text at a generic address.

    Returns:
        The text, and how many arguments it took.

    Raises:
        Fault: The format is none of C's.
    """
    count = 0

    def convert(match: re.Match[str]) -> str:
        nonlocal count
        if match["type"] == "%":
            return "%"
        if match["type"] not in tuple("cdiouxXpeEfFgGaAs"):
            raise Fault(
                "printf",
                f"expected a conversion of C's printf, got {match.group()!r} in "
                f"{layout!r}",
            )
        conversion, stars = _read(match, take)
        count += 1 + stars
        return _convert(conversion, match["size"] or "", take, text_at)

    return _CONVERSION.sub(convert, layout), count


def _read(match: re.Match[str], take: Take) -> tuple[Conversion, int]:
    """Reads a conversion, and how many `*` of it took an argument."""
    flags, parts, stars = match["flags"], [0, -1], 0
    for place, name in enumerate(("width", "precision")):
        text = match[name]
        if text == "*":
            parts[place] = int.from_bytes(take(_INT_BYTES), "little", signed=True)
            stars += 1
        elif text is not None:
            parts[place] = int(text[:6] or 0)
    width, precision = parts
    if width < 0:
        flags, width = flags + "-", -width
    if max(width, precision) > WIDEST:
        raise Fault(
            "printf",
            f"expected a width and precision of at most {WIDEST}, got {width} and "
            f"{max(precision, 0)} in {match.group()[:20]!r}",
        )
    exact = None if precision < 0 else precision
    return Conversion(flags, width, exact, match["type"]), stars


def _convert(
    conversion: Conversion, size: str, take: Take, text_at: Callable[[int], str]
) -> str:
    letter = conversion.letter
    if letter in FLOATS:
        return conversion.number(float(np.frombuffer(take(_LONG_BYTES), np.float64)[0]))
    value_bytes = _LONG_BYTES if size in _WIDE or letter in "sp" else _INT_BYTES
    value = int.from_bytes(take(value_bytes), "little")
    if letter == "s":
        text = text_at(value) if value else "(null)"
        return conversion.text(text[: conversion.precision])
    if letter == "c":
        return conversion.text(chr(value & 0xFF))
    if letter == "p":
        return conversion.text(hex(value))
    return conversion.integer(value, BITS_OF_SIZE.get(size, 8 * value_bytes))
