# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The predicates that `assume` may promise, as plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DivBy:
    """Divisible by a power of two (pointers: the byte address).

    With `every` and `along`: the first of each `every` elements along that dimension
    is, and the others of the group rise by one element.
    """

    divisor: int
    every: int | None = None
    along: int | None = None

    def __str__(self) -> str:
        group = "" if self.every is None else f", every {self.every} along {self.along}"
        return f"div_by<{self.divisor}{group}>"


@dataclass(frozen=True, slots=True)
class Bounded:
    """`lower <= x <= upper` in the signed reading; None leaves a side open."""

    lower: int | None
    upper: int | None

    def __str__(self) -> str:
        low, high = ("?" if x is None else x for x in (self.lower, self.upper))
        return f"bounded<{low}, {high}>"


@dataclass(frozen=True, slots=True)
class SameElements:
    """All elements are equal within each box of `groups[d]` elements per dimension."""

    groups: tuple[int, ...]

    def __str__(self) -> str:
        return f"same_elements<{list(self.groups)}>"
