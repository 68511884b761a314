# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of sums of symbols, from which a path goes on in several ways."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from cuda_tile.emulator.proof.facts import FAR, Argument, Facts, Range
from cuda_tile.emulator.proof.quotients import counts
from cuda_tile.emulator.proof.values import Counted, Part, Terms, Value, is_one, ordered
from cuda_tile.emulator.ptx.types import Array


class Way(NamedTuple):
    """A way on from a condition.

    Attributes:
        facts: What the path knows then.
        truth: Whether the condition holds.
        equal: A symbol that is a sum then, which is a number and symbols.
    """

    facts: Facts
    truth: int
    equal: tuple[Hashable, int, Terms] | None = None


_KINDS = {
    "eq": ("eq", False),
    "ne": ("eq", True),
    "lt": ("lt", False),
    "ge": ("lt", True),
    "le": ("le", False),
    "gt": ("le", True),
    "lo": ("lt", False),
    "hs": ("lt", True),
    "ls": ("le", False),
    "hi": ("le", True),
}


def ways(
    facts: Facts, modifiers: Sequence[str], one: Value, other: Value, mask: Array
) -> list[Way] | None:
    """How a path may go on from a comparison that is the same for all its threads.

    Args:
        facts: What the path knows.
        modifiers: Those of the `setp`.
        one: Its first operand.
        other: Its second one.
        mask: The threads.

    Returns:
        The ways, one of which is taken; None if nothing is known of the operands.
    """
    kind = next((k for m in modifiers if (k := _KINDS.get(m))), None)
    if kind is None or len(modifiers) != 2 or not (one.terms or other.terms):
        return None
    sides = [_side(value, mask) for value in (one, other)]
    if None in sides or modifiers[-1] not in _TYPES:
        return None
    first, second = (side for side in sides if side is not None)
    if modifiers[-1][1:] == "64":
        is_wide = all(_is_wide(name) for side in (first, second) for name, _ in side[1])
        is_known = is_wide and modifiers[-1] != "u64"
        return _three(facts, first, second, kind) if is_known else None
    readings = [-(1 << 31) if modifiers[-1][0] == "s" else 0]
    if kind[0] == "eq":  # the same for signed and unsigned numbers
        readings = [*readings, -(1 << 31) - readings[0]]
    found = (_read(facts, first, second, kind, least) for least in readings)
    return next((ways for ways in found if ways is not None), None)


def _read(
    facts: Facts, first: Part, second: Part, kind: tuple[str, bool], least: int
) -> list[Way] | None:
    """The ways on from a comparison of numbers of 32 bits, read from a least one on."""
    known = [facts]
    for number, terms in (first, second):
        found = [_windows(fact, number, terms, least) for fact in known]
        if None in found:
            return None
        known = [fact for some in found if some is not None for fact in some]
    return [
        way
        for fact in known
        for way in _three(
            fact,
            (_inside(fact, *first, least), first[1]),
            (_inside(fact, *second, least), second[1]),
            kind,
        )
    ]


def truth_ways(facts: Facts, value: Value, mask: Array) -> list[Way] | None:
    """How a path may go on from a predicate: with 0 or with 1.

    Args:
        facts: What the path knows.
        value: The predicate.
        mask: The threads.

    Returns:
        The ways; None if it is no symbol.
    """
    side = _side(value, mask) if value.terms else None
    return None if side is None else _three(facts, side, (0, ()), ("eq", True))


_TYPES = frozenset({"s32", "u32", "b32", "s64", "u64", "b64"})


def _side(value: Value, mask: Array) -> Part | None:
    """An operand, if it is the same for some threads."""
    if value.array is None or not mask.any() or not is_one(value, mask):
        return None
    return int(value.array[mask][0]), value.terms


def _is_wide(symbol: Hashable) -> bool:
    """Whether a symbol stands for a signed number of 64 bits, or counts."""
    is_argument = isinstance(symbol, Argument) and symbol.bits == 64
    return is_argument or isinstance(symbol, Counted)


def _counts(terms: Terms) -> bool:
    """Whether a sum is taken not to wrap around, as a count or a CTA's place does."""
    is_counted = any(isinstance(name, Counted) for name, _ in terms)
    return is_counted or all(counts(name) for name, _ in terms)


def _windows(facts: Facts, number: int, terms: Terms, least: int) -> list[Facts] | None:
    """Facts for each range of a sum, in which it is clear which number it is.

    A register of 32 bits holds a sum modulo 2^32, which an instruction reads as a
    number from `least` on. Sums with counts are taken not to wrap around.
    """
    if not terms or _counts(terms):
        is_rising = all(c > 0 for name, c in terms if counts(name))
        is_whole = facts.range(terms).least + number >= least
        return [facts] if is_rising and is_whole else None
    known, whole = facts.range(terms).moved(number), 1 << 32
    if known.least < least - whole or known.most >= least + 2 * whole:
        return None
    found: list[Facts] = []
    for start in (least - whole, least, least + whole):
        part = Range(start, start + (1 << 32) - 1)
        if known.both(part).least > known.both(part).most:
            continue
        one = facts.copy()
        if one.learn(terms, part.moved(-number)):
            found.append(one)
    return found


def _inside(facts: Facts, number: int, terms: Terms, least: int) -> int:
    """The number of a sum after it is taken modulo 2^32."""
    if _counts(terms):
        return number
    known = facts.range(terms).moved(number)
    return number - ((known.least - least) >> 32 << 32)


def _three(facts: Facts, one: Part, other: Part, kind: tuple[str, bool]) -> list[Way]:
    """The ways in which a difference is below, at or above zero."""
    what, is_negated = kind
    sums = dict(one[1])
    for name, count in other[1]:
        sums[name] = sums.get(name, 0) - count
    difference = ordered(sums)
    at = other[0] - one[0]
    parts = {
        "eq": ((-FAR, at - 1, 0), (at, at, 1), (at + 1, FAR, 0)),
        "lt": ((-FAR, at - 1, 1), (at, FAR, 0)),
        "le": ((-FAR, at, 1), (at + 1, FAR, 0)),
    }[what]
    found: list[Way] = []
    for least, most, truth in parts:
        fact = facts.copy()
        if fact.learn(difference, Range(least, most)):
            end, other_end = fact.range(difference)
            equal = _solved(difference, end) if end == other_end else None
            if equal is None or fact.solve(*equal):
                found.append(Way(fact, truth ^ is_negated, equal))
    return found


def _solved(terms: Terms, number: int) -> tuple[Hashable, int, Terms] | None:
    """A symbol as what it is if a sum is a number; None if none can be told."""
    for name, count in terms:
        if abs(count) == 1 and not isinstance(name, Counted):
            rest = tuple((n, -count * c) for n, c in terms if n != name)
            return name, count * number, rest
    return None
