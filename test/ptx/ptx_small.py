# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of at most 8 bits, decoded from what the ISA says of their fields.

PTX ISA: "Alternate Floating-Point Data Formats". One value at a time, as rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Small:
    """A format: sign, `exponent` and `fraction` bits.

    Attributes:
        nans: Codes without sign that are NaN.
        infinity: The code of infinity, if there is one.
    """

    exponent: int
    fraction: int
    nans: tuple[int, ...] = ()
    infinity: int | None = None

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.fraction

    @property
    def bias(self) -> int:
        return (1 << self.exponent - 1) - 1

    def magnitude(self, code: int) -> Fraction:
        """The value of a code without sign that is a number."""
        field, rest = divmod(code, 1 << self.fraction)
        scale = Fraction(2) ** (max(field, 1) - self.bias - self.fraction)
        return (rest + ((1 << self.fraction) if field else 0)) * scale

    def numbers(self) -> list[int]:
        """Codes without sign that are finite numbers, ascending."""
        every = range(1 << self.bits - 1)
        return [c for c in every if c not in self.nans and c != self.infinity]


SMALL = {
    "e4m3": Small(4, 3, nans=(0x7F,)),
    "e5m2": Small(5, 2, nans=(0x7D, 0x7E, 0x7F), infinity=0x7C),
    "e2m3": Small(2, 3),
    "e3m2": Small(3, 2),
    "e2m1": Small(2, 1),
}


@cache
def values(name: str) -> NDArray[np.float64]:
    """The value of every code, float64[2 ** bits]; they are exact."""
    fmt = SMALL[name]
    half = 1 << fmt.bits - 1
    result = np.full(2 * half, np.nan)
    for code in fmt.numbers():
        result[code] = float(fmt.magnitude(code))
        result[code + half] = -result[code]
    if fmt.infinity is not None:
        result[fmt.infinity], result[fmt.infinity + half] = np.inf, -np.inf
    return result


def nearest(name: str, x: NDArray[Any]) -> NDArray[np.int64]:
    """Codes of the nearest finite numbers, ties to the even code.

    A NaN gives NaN where the format has one, else the largest number. Values beyond
    the largest number give it (`.satfinite`).
    """
    fmt = SMALL[name]
    codes = np.array(fmt.numbers())
    table = values(name)[codes]
    with np.errstate(invalid="ignore"):  # signalling NaNs
        size = np.abs(x.astype(np.float64))
    above = np.searchsorted(table, size).clip(0, len(table) - 1)
    below = (above - 1).clip(0)
    up, down = table[above] - size, size - table[below]
    is_up = (up < down) | ((up == down) & (codes[above] % 2 == 0))
    code = np.where(is_up, codes[above], codes[below])
    code = np.where(size >= table[-1], codes[-1], code)
    code = code + (np.signbit(x) << fmt.bits - 1)
    nan = 0x7F if fmt.nans else codes[-1]
    return np.where(np.isnan(x), nan, code)


def edges(name: str) -> NDArray[np.float32]:
    """Values, midpoints between them, and their neighbours, of both signs."""
    codes = SMALL[name].numbers()
    table = values(name)[codes].astype(np.float32)
    middles = (table[1:] + table[:-1]) / 2
    some = np.concatenate([table, middles, [table[-1] * 1.5, 1e30, np.inf, 1e-40]])
    some = some.astype(np.float32)
    every = np.concatenate([some, np.nextafter(some, 0), np.nextafter(some, np.inf)])
    nan = np.array([0x7FFFFFFF, 0xFFC00000, 0x7F800001], np.uint32).view(np.float32)
    return np.concatenate([every, -every, nan]).astype(np.float32)
