"""C's printf as kernels may call it.

CUDA C++ Programming Guide, "Formatted Output": `%[flags][width][.precision][size]type`
with flags `#`, space, `0`, `+`, `-`; width and precision a number or `*`; sizes h, l
and ll; types cdiouxXpeEfgGaAs. ISO C, "The fprintf function", says what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cuda_tile.emulator.errors import Fault

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    r"(?P<size>hh|h|ll|l|z)?(?P<type>.|$)",
    re.DOTALL,
)
_WIDE = ("l", "ll", "z")
_BITS = {"hh": 8, "h": 16}
# A line longer than this is a mistake, and not for the emulator to build.
_WIDEST = 4096
# How argument lists are laid out, PTX Writer's Guide to Interoperability, "vprintf":
# each value at a multiple of its size, integers as int or long long, floats as double.
_INT_BYTES, _LONG_BYTES = 4, 8

Take = Callable[[int], bytes]
"""Returns the next value of the argument list, of 4 or 8 bytes."""


@dataclass(frozen=True)
class _Spec:
    """One conversion: its flags, least width, precision or None, size and type."""

    flags: str
    width: int
    precision: int | None
    size: str
    type: str

    def padded(self, text: str, sign: str = "", *, zeros: bool = False) -> str:
        """Fills a field: with zeros between sign and digits, or with spaces."""
        missing = self.width - len(sign) - len(text)
        if missing <= 0:
            return sign + text
        if "-" in self.flags:
            return sign + text + " " * missing
        if zeros and "0" in self.flags:
            return sign + "0" * missing + text
        return " " * missing + sign + text

    def sign(self, *, negative: bool) -> str:
        """What stands before a number."""
        if negative:
            return "-"
        return "+" if "+" in self.flags else " " if " " in self.flags else ""


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
        spec, stars = _spec(match, take)
        count += 1 + stars
        return _convert(spec, take, text_at)

    return _CONVERSION.sub(convert, layout), count


def _spec(match: re.Match[str], take: Take) -> tuple[_Spec, int]:
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
    if max(width, precision) > _WIDEST:
        raise Fault(
            "printf",
            f"expected a width and precision of at most {_WIDEST}, got {width} and "
            f"{max(precision, 0)} in {match.group()[:20]!r}",
        )
    size = match["size"] or ""
    exact = None if precision < 0 else precision
    return _Spec(flags, width, exact, size, match["type"]), stars


def _convert(spec: _Spec, take: Take, text_at: Callable[[int], str]) -> str:
    if spec.type in "eEfFgGaA":
        return _float(spec, float(np.frombuffer(take(_LONG_BYTES), np.float64)[0]))
    is_wide = spec.size in _WIDE or spec.type in "sp"
    value = int.from_bytes(take(_LONG_BYTES if is_wide else _INT_BYTES), "little")
    if spec.type == "s":
        text = text_at(value) if value else "(null)"
        return spec.padded(text[: spec.precision])
    if spec.type == "c":
        return spec.padded(chr(value & 0xFF))
    if spec.type == "p":
        return spec.padded(hex(value))
    bits = 8 * (_LONG_BYTES if is_wide else _INT_BYTES)
    return _integer(spec, value, _BITS.get(spec.size, bits))


def _integer(spec: _Spec, value: int, bits: int) -> str:
    value &= (1 << bits) - 1
    is_signed = spec.type in "di"
    if is_signed and value >> (bits - 1):
        value -= 1 << bits
    sign = spec.sign(negative=value < 0) if is_signed else ""
    digits = format(abs(value), {"o": "o", "x": "x", "X": "X"}.get(spec.type, "d"))
    if spec.precision is not None:
        digits = digits.rjust(spec.precision, "0") if value or spec.precision else ""
    if "#" in spec.flags and spec.type == "o" and not digits.startswith("0"):
        digits = f"0{digits}"
    if "#" in spec.flags and spec.type in "xX" and value:
        sign = f"0{spec.type}"
    return spec.padded(digits, sign, zeros=spec.precision is None)


def _float(spec: _Spec, value: float) -> str:
    sign = spec.sign(negative=bool(np.signbit(value)))
    if not np.isfinite(value):
        text = "nan" if np.isnan(value) else "inf"
        return spec.padded(text.upper() if spec.type.isupper() else text, sign)
    if spec.type in "aA":
        text = _hexadecimal(spec, abs(value))
        if spec.type == "A":
            text = text.upper()
        return spec.padded(text[2:], sign + text[:2], zeros=True)
    precision = 6 if spec.precision is None else spec.precision
    flag = "#" if "#" in spec.flags else ""
    return spec.padded(f"%{flag}.{precision}{spec.type}" % abs(value), sign, zeros=True)


def _hexadecimal(spec: _Spec, value: float) -> str:
    """`0x1.8p+1`, with just the digits that the value needs."""
    if spec.precision is not None:
        raise Fault("printf", "expected '%a' without a precision, which is not known")
    mantissa, exponent = value.hex().split("p")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    point = "." if fraction or "#" in spec.flags else ""
    return f"{whole}{point}{fraction}p{exponent}"
