# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about one value: the numbers of the facts analysis, and how they join.

A value has three powers of two for each dimension, and bounds. `facts.py` defines them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import NamedTuple

MAX_DIVISOR = 1 << 62


class Facts(NamedTuple):
    """Facts that hold for every element of one value; see the module's text."""

    shape: tuple[int, ...]
    contiguity: tuple[int, ...]
    constancy: tuple[int, ...]
    divisibility: tuple[int, ...]
    low: int | None = None
    high: int | None = None

    @property
    def constant(self) -> int | None:
        """The one value all elements have, if it is known."""
        return self.low if self.low is not None and self.low == self.high else None

    @property
    def is_natural(self) -> bool:
        """Whether signed and unsigned reading of it agree."""
        return self.low is not None and self.low >= 0

    @property
    def divisor(self) -> int:
        """A power of two that divides a rank-0 value."""
        return self.divisibility[0]


def power_of_two_divisor(value: int) -> int:
    """The largest power of two that divides `value`; a big one for zero."""
    return MAX_DIVISOR if value == 0 else min(MAX_DIVISOR, value & -value)


def unknown(shape: tuple[int, ...]) -> Facts:
    """The trivial facts."""
    ones = (1,) * len(shape)
    return Facts(shape, ones, ones, ones or (1,))


def uniform(
    shape: tuple[int, ...],
    divisor: int = 1,
    low: int | None = None,
    high: int | None = None,
) -> Facts:
    """The facts of a tile whose elements all have one value.

    Args:
        shape: The shape of the tile; empty for a scalar.
        divisor: A power of two that divides the value.
        low: Its lower bound, None if there is none.
        high: Its upper bound, None if there is none.
    """
    ones = (1,) * len(shape)
    return Facts(shape, ones, shape, (divisor,) * max(1, len(shape)), low, high)


def of_constant(shape: tuple[int, ...], value: int) -> Facts:
    """The facts of a tile whose elements are all one known constant.

    Args:
        shape: The shape of the tile; empty for a scalar.
        value: The element.
    """
    return uniform(shape, power_of_two_divisor(value), value, value)


def join(known: Facts, news: Facts) -> Facts:
    """The facts of a value that is one of two values.

    Args:
        known: The facts of one.
        news: The facts of the other.
    """
    contiguity = tuple(map(gcd, known.contiguity, news.contiguity))
    divisibility = tuple(
        gcd(at_group(known, i, group), at_group(news, i, group))
        for i, group in enumerate(contiguity or (1,))
    )
    return Facts(
        known.shape,
        contiguity,
        tuple(map(gcd, known.constancy, news.constancy)),
        divisibility,
        bound_of(min, known.low, news.low),
        bound_of(max, known.high, news.high),
    )


def widen(known: Facts, news: Facts) -> Facts:
    """`join` for the head of a loop: a bound that changes is dropped at once.

    A falling lower bound stops at zero first. The other facts are powers of two that
    only fall, so they need no widening.

    Args:
        known: The facts so far.
        news: The facts at the end of the body.
    """
    found = join(known, news)
    low, high = found.low, found.high
    if low != known.low:
        low = None if low is None or low < 0 else 0
    return found._replace(low=low, high=high if high == known.high else None)


def at_group(facts: Facts, index: int, group: int, step: int = 1) -> int:
    """A divisor of the first element of each aligned group of `group` elements.

    Args:
        facts: The facts of the tile.
        index: The dimension, from 0.
        group: Elements of a group, a power of two.
        step: Units of one element: its bytes for pointers, else 1.
    """
    contiguity = facts.contiguity[index] if facts.contiguity else 1
    divisor = facts.divisibility[index]
    return divisor if group >= contiguity else gcd(divisor, group * step)


def every_divisor(facts: Facts) -> int:
    """A divisor of every element, not only of each group's first."""
    return max(at_group(facts, i, 1) for i in range(len(facts.divisibility)))


def bound_of(
    combine: Callable[[int, int], int], first: int | None, second: int | None
) -> int | None:
    """Combines two bounds; None unless both are known.

    Args:
        combine: Computes the bound of two.
        first: One bound, or None.
        second: The other, or None.
    """
    return None if first is None or second is None else combine(first, second)


def product_bounds(lhs: Facts, rhs: Facts) -> tuple[int | None, int | None]:
    """Bounds of a product that does not wrap; None if a factor has none.

    Args:
        lhs: The facts of the first operand.
        rhs: The facts of the second operand.
    """
    if lhs.low is None or lhs.high is None or rhs.low is None or rhs.high is None:
        return None, None
    corners = [a * b for a in (lhs.low, lhs.high) for b in (rhs.low, rhs.high)]
    return min(corners), max(corners)


def common_constancy(lhs: Facts, rhs: Facts) -> tuple[int, ...]:
    """The constancy of an elementwise result of two tiles.

    Args:
        lhs: The facts of the first operand.
        rhs: The facts of the second operand.
    """
    return tuple(gcd(a, b) for a, b in zip(lhs.constancy, rhs.constancy, strict=True))
