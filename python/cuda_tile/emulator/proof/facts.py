# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a path knows of sums of symbols: bounds, which its conditions have set.

Symbols of 32 bits stand for their unsigned value. A condition on a sum that a path has
met before gets the answer of then: that a copy which is started for an iteration is
awaited because that iteration comes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from cuda_tile.emulator.proof.values import Counted, Made, Terms, ordered

FAR = 1 << 70
"""What no sum reaches."""


_COUNTED_IDS = ("%ctaid", "%nctaid", "%clusterid")


class Range(NamedTuple):
    """Both ends of what a sum may be, which belong to it."""

    least: int = -FAR
    most: int = FAR

    def both(self, other: Range) -> Range:
        """What two ranges share."""
        return Range(max(self.least, other.least), min(self.most, other.most))

    def moved(self, by: int) -> Range:
        """The range of the sum with a number."""
        least = self.least + by if self.least > -FAR else -FAR
        return Range(least, self.most + by if self.most < FAR else FAR)

    def turned(self) -> Range:
        """The range of the sum's negative."""
        return Range(-self.most, -self.least)


_FIXED = 1 << 13
"""What fixed numbers of iterations stay below that a search can follow."""
_WORD = Range(0, (1 << 32) - 1)
EXTREMES = {
    (opcode, *kind)
    for opcode in ("min", "max")
    for kind in (("s32",), ("u32",), ("relu", "s32"))
}


class Argument(NamedTuple):
    """A symbol: an argument of some bits.

    Attributes:
        name: Which.
        bits: Its width.
    """

    name: str
    bits: int

    def __str__(self) -> str:
        return self.name


def turned_first(terms: Terms) -> tuple[Terms, bool]:
    """A sum or its negative, whichever begins with a positive factor.

    Args:
        terms: The sum.

    Returns:
        It, and whether it is the negative.
    """
    if terms and terms[0][1] < 0:
        return tuple((name, -count) for name, count in terms), True
    return terms, False


def _shifted(symbol: Hashable) -> tuple[int, Terms, int] | None:
    """Number, symbols and places of an unsigned sum that is shifted to the right."""
    if not isinstance(symbol, Made) or symbol.words[:2] != ("shr", "u32"):
        return None
    (number, terms), (places, none) = symbol.parts
    return None if none else (number, terms, places)


def _chosen(symbol: Made) -> tuple[int, int] | None:
    """The numbers of which a symbol is one, if it is a choice of numbers."""
    if symbol.words[0] != "selp":
        return None
    one, other, _ = symbol.parts
    return None if one[1] or other[1] else (one[0], other[0])


def _extreme(symbol: Made) -> Range:
    """The range of the lesser or the greater of two numbers of 32 bits.

    What is signed and may be negative may be any unsigned number; with `relu` zero
    takes the place of what is negative (PTX ISA, "min", "max").
    """
    opcode, *relu, kind = symbol.words
    ends = Range(-(1 << 31), (1 << 31) - 1) if kind == "s32" else _WORD
    sides: list[Range] = []
    for number, terms in symbol.parts[:2]:
        side = _sum_of(map(_least_and_most, (name for name, _ in terms)), terms)
        side = side.moved(number)
        sides.append(side if side.both(ends) == side and side.least >= 0 else ends)
    chosen = min if opcode == "min" else max
    one, other = sides
    found = Range(chosen(one.least, other.least), chosen(one.most, other.most))
    if relu:
        found = Range(max(0, found.least), max(0, found.most))
    return found if found.least >= 0 else _WORD


def _sum_of(parts: Iterable[Range], terms: Terms) -> Range:
    """The sum of ranges, each as often as a term says."""
    least = most = 0
    for part, (_, count) in zip(parts, terms, strict=True):
        own, factor = part if count > 0 else part.turned(), abs(count)
        least = -FAR if own.least <= -FAR else least + factor * own.least
        most = FAR if own.most >= FAR else most + factor * own.most
        least, most = max(least, -FAR), min(most, FAR)
    return Range(least, most)


@lru_cache(maxsize=4096)
def _least_and_most(symbol: Hashable) -> Range:
    """What a symbol is at least and at most, whatever happened."""
    if isinstance(symbol, Counted):
        return Range(0, FAR)
    if isinstance(symbol, Argument) and symbol.bits <= 32:
        return Range(0, (1 << symbol.bits) - 1)
    if (found := _shifted(symbol)) is not None:
        return Range(0, (1 << 32 - found[2]) - 1)
    if isinstance(symbol, str) and symbol.startswith(_COUNTED_IDS):
        return Range(0, (1 << 31) - 1)
    if not isinstance(symbol, Made):
        return Range()
    if symbol.words[0] == "setp":
        return Range(0, 1)
    if (numbers := _chosen(symbol)) is not None:
        return Range(min(numbers), max(numbers))
    if symbol.words in EXTREMES:
        return _extreme(symbol)
    kinds = symbol.words[1:]
    if kinds and kinds[-1] in {"u32", "s32", "b32"} and "wide" not in kinds:
        return _WORD
    return Range()


class Facts:
    """The bounds that a path knows.

    Args:
        known: The range of each sum, which begins with a positive factor.
    """

    def __init__(self, known: dict[Terms, Range] | None = None) -> None:
        self.known = known or {}

    def copy(self) -> Facts:
        """The same of another path."""
        return Facts(dict(self.known))

    def covers(self, other: Facts) -> bool:
        """Whether all that is known here is known there, too.

        Args:
            other: What another path knows.
        """
        return all(
            other.range(terms).both(range_) == other.range(terms)
            for terms, range_ in self.known.items()
        )

    def range(self, terms: Terms) -> Range:
        """What a sum may be.

        Args:
            terms: The sum.
        """
        normal, is_turned = turned_first(terms)
        found = self.known.get(normal, Range()).both(self._sum(normal))
        for sign, inner, number, places in self._inside(normal):
            sum_, is_negative = turned_first(inner)
            known = self.known.get(sum_, Range()).both(self._sum(sum_))
            known = (known.turned() if is_negative else known).moved(number)
            least = known.least >> places if known.least > -FAR else -FAR
            most = known.most >> places if known.most < FAR else FAR
            outer = Range(least, most)
            found = found.both(outer if sign > 0 else outer.turned())
        return found.turned() if is_turned else found

    def _sum(self, terms: Terms) -> Range:
        """The sum of the ranges of its parts."""
        parts = (
            _least_and_most(name).both(self.known.get(((name, 1),), Range()))
            for name, _ in terms
        )
        return _sum_of(parts, terms)

    def learn(self, terms: Terms, news: Range) -> bool:
        """Notes what a sum is on this path.

        Args:
            terms: The sum.
            news: What it is.

        Returns:
            Whether it can be.
        """
        known = self.range(terms)
        found = known.both(news)
        if found.least > found.most or found == known:
            return found.least <= found.most
        found = Range(  # what was known anyway needs no note
            found.least if found.least > known.least else -FAR,
            found.most if found.most < known.most else FAR,
        )
        normal, is_turned = turned_first(terms)
        found = found.turned() if is_turned else found
        self.known[normal] = self.known.get(normal, Range()).both(found)
        for sign, inner, number, places in self._inside(normal):
            outer = found if sign > 0 else found.turned()
            least = outer.least << places if outer.least > -FAR else -FAR
            most = (outer.most + 1 << places) - 1 if outer.most < FAR else FAR
            under = Range(least, most).moved(-number)
            sum_, is_negative = turned_first(inner)
            under = under.turned() if is_negative else under
            self.known[sum_] = self.known.get(sum_, Range()).both(under)
        return True

    def solve(self, symbol: Hashable, number: int, terms: Terms) -> bool:
        """Notes what bounds of a symbol say of a sum that is equal to it.

        Args:
            symbol: The symbol.
            number: The number of the sum.
            terms: Its symbols.

        Returns:
            Whether it can be equal.
        """
        known = {**self.known, ((symbol, 1),): self.range(((symbol, 1),))}
        for own, range_ in known.items():
            sums = dict(own)
            if not (count := sums.pop(symbol, 0)):
                continue
            for name, factor in terms:
                sums[name] = sums.get(name, 0) + count * factor
            if not self.learn(ordered(sums), range_.moved(-count * number)):
                return False
        return True

    def shifted(self, symbol: Hashable, by: int) -> Facts:
        """What is known once a symbol means what it did plus a number.

        Args:
            symbol: A symbol that is not negative, before and after.
            by: The number.
        """
        found = Facts()
        for terms, range_ in self.known.items():
            new = range_.moved(by * dict(terms).get(symbol, 0))
            if all(isinstance(name, Counted) and count > 0 for name, count in terms):
                new = Range(range_.least, new.most)  # less, so that paths meet again
            found.known[terms] = new
        return found

    def rise_to(self, later: Facts) -> bool:
        """Whether bounds have moved, and none towards an end that has not.

        One that no search would reach, as the greatest number of 32 bits, is no end.

        Args:
            later: What the path knows later.
        """
        has_moved = False
        for terms, range_ in self.known.items():
            now = later.known.get(terms, Range())
            moves = [old != new for old, new in zip(range_, now, strict=True)]
            ends = [abs(end) < _FIXED for end in now]
            if any(moves) and any(
                e and not m for e, m in zip(ends, moves, strict=True)
            ):
                return False
            has_moved |= any(moves) and all(
                e for e, m in zip(ends, moves, strict=True) if m
            )
        return has_moved

    def kept(self, now: Facts) -> Facts:
        """The bounds that still hold when a path comes back to a place.

        Args:
            now: What it knows then.
        """
        found = Facts()
        for terms, (least, most) in self.known.items():
            other = now.range(terms)
            least = least if other.least >= least else -FAR
            most = most if other.most <= most else FAR
            if (least, most) != Range():
                found.known[terms] = Range(least, most)
        return found

    def forget(self, is_over: Callable[[Hashable], bool]) -> None:
        """Drops what is known of sums with some symbols.

        Args:
            is_over: Whether a symbol means nothing any more.
        """
        for terms in list(self.known):
            if any(is_over(name) for name, _ in terms):
                del self.known[terms]

    def _inside(self, terms: Terms) -> Iterator[tuple[int, Terms, int, int]]:
        """For s * (a >> b) + rest: s, a + s * rest * 2^b, the number of a, and b.

        Only if a is not negative, so that it is shifted as it is.
        """
        for name, count in terms:
            found = _shifted(name) if abs(count) == 1 else None
            if found is None or self._sum(found[1]).least + found[0] < 0:
                continue
            number, inner, places = found
            sums = dict(inner)
            for other, factor in terms:
                if other != name:
                    sums[other] = sums.get(other, 0) + count * (factor << places)
            yield count, ordered(sums), number, places
