# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats one value like C's printf: sign, prefix, digits, padding.

ISO C, "The fprintf function"; where it leaves a choice (the first digit of `a`, the
names of infinities), as in the GNU C library.
"""

from __future__ import annotations

import re
from math import copysign, isfinite, isnan

from cuda_tile.records import dataclass

WIDEST = 4096
"""Width and precision above which a format is treated as an error."""

SIGNED, UNSIGNED, FLOATS = "di", "uoxX", "eEfFgGaA"
"""Conversion letters, by type of the argument."""

BITS_OF_SIZE = {"hh": 8, "h": 16}
"""Width of an integer in bits, by length modifier."""

_BASE_16 = re.compile("0[xX]")


@dataclass(frozen=True, slots=True)
class Conversion:
    """One conversion specifier of a format.

    Attributes:
        flags: Any of `-+ #0`.
        width: Minimum number of characters.
        precision: As written, or None.
        letter: Conversion letter.
    """

    flags: str
    width: int
    precision: int | None
    letter: str

    def text(self, text: str) -> str:
        """Formats a text."""
        return self._field("", text)

    def integer(self, value: int, bits: int) -> str:
        """Formats the low `bits` of an integer."""
        value &= (1 << bits) - 1
        is_signed = self.letter in SIGNED
        if is_signed and value >> (bits - 1):
            value -= 1 << bits
        base = self.letter if self.letter in "oxX" else "d"
        digits = format(abs(value), base)
        if self.precision is not None:
            digits = (
                digits.rjust(self.precision, "0") if value or self.precision else ""
            )
        if "#" in self.flags and base == "o" and not digits.startswith("0"):
            digits = f"0{digits}"
        head = self._sign(value < 0) if is_signed else ""
        if "#" in self.flags and base in "xX" and value:
            head = f"0{base}"
        return self._field(head, digits, zeros=self.precision is None)

    def number(self, value: float) -> str:
        """Formats a floating-point number."""
        sign = self._sign(copysign(1.0, value) < 0)
        if not isfinite(value):
            word = "nan" if isnan(value) else "inf"
            return self._field(sign, word.upper() if self.letter.isupper() else word)
        if self.letter in "aA":
            text = self._base_16(abs(value))
            text = text.upper() if self.letter == "A" else text
        else:
            mark = "#" if "#" in self.flags else ""
            precision = 6 if self.precision is None else self.precision
            text = f"%{mark}.{precision}{self.letter}" % abs(value)
        prefix = _BASE_16.match(text)
        start = prefix.end() if prefix and self.letter in "aA" else 0
        return self._field(sign + text[:start], text[start:], zeros=True)

    def _field(self, head: str, text: str, *, zeros: bool = False) -> str:
        """Pads head and text to the width, with spaces or with zeros in between."""
        missing = self.width - len(head) - len(text)
        if missing <= 0:
            return head + text
        if "-" in self.flags:
            return head + text + " " * missing
        if zeros and "0" in self.flags:
            return head + "0" * missing + text
        return " " * missing + head + text

    def _sign(self, is_negative: bool) -> str:
        if is_negative:
            return "-"
        return "+" if "+" in self.flags else " " if " " in self.flags else ""

    def _base_16(self, value: float) -> str:
        """`0x1.8p+1`, with as many digits as the precision says or the value needs."""
        mantissa, exponent = value.hex()[2:].split("p")
        whole, _, digits = mantissa.partition(".")
        digits = digits.rstrip("0")
        if self.precision is not None:
            count = self.precision
            from fractions import Fraction

            exact = Fraction(int(whole + digits, 16), 16 ** len(digits))
            rounded = round(exact * 16**count)  # half to even
            whole = f"{rounded >> 4 * count:x}"
            digits = f"{rounded % 16**count:0{count}x}" if count else ""
        point = "." if digits or "#" in self.flags else ""
        return f"0x{whole}{point}{digits}p{exponent}"
