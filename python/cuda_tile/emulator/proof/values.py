# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a register for every argument: a number per thread, and a sum.

Threads of a CTA are concrete, arguments and the CTA's place in the grid are not. A
value is what each thread has, plus a sum of symbols, which are the same for all
threads. What is neither is unknown; at best it is known to be the same for all threads.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from cuda_tile.emulator.ptx.types import Array


@dataclass(frozen=True)
class Counted:
    """A symbol: how often more threads came to a label, in steps of a period.

    Attributes:
        place: The label.
    """

    place: int


Terms = tuple[tuple[Hashable, int], ...]
"""Symbols with factors that are not zero, sorted by their text."""


class Made:
    """A symbol: what an instruction computes of sums that all threads share.

    It is told from others by a sum of 128 bits over what it is made of, so that an
    expression may have many levels with parts that it shares.

    Args:
        words: The instruction.
        parts: Its operands: a number and what is added to it.
    """

    __slots__ = ("_digest", "leaves", "parts", "words")

    def __init__(self, words: tuple[str, ...], parts: tuple[Part, ...]) -> None:
        self.words, self.parts = words, parts
        self._digest = blake2b(repr((words, parts)).encode(), digest_size=16).digest()
        self.leaves: frozenset[Hashable] = frozenset(
            leaf
            for _, terms in parts
            for name, _ in terms
            for leaf in (name.leaves if isinstance(name, Made) else (name,))
        )
        """The symbols that no instruction has computed, of which it is made."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Made) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        return f"made {self._digest.hex()}"


Part = tuple[int, Terms]
"""A number and what is added to it."""
Key = tuple[bytes | None, Terms, bool]


class Value(NamedTuple):
    """A register of all threads of a CTA.

    Attributes:
        array: An int64 per thread; None if nobody knows.
        terms: What is added to it for all threads.
        is_uniform: Of what nobody knows, whether all threads have the same.
        origins: The arguments that it may be an address from, or `memory`.
    """

    array: Array | None
    terms: Terms = ()
    is_uniform: bool = False
    origins: frozenset[str] = frozenset()

    @property
    def key(self) -> Key:
        """What tells it from others."""
        data = None if self.array is None else self.array.tobytes()
        return data, self.terms, self.is_uniform

    @property
    def numbers(self) -> Array | None:
        """The number of each thread, if no symbol is in it."""
        return None if self.terms else self.array


def unknown(*parts: Value, is_uniform: bool = False) -> Value:
    """An unknown value, computed in a way that is not followed."""
    origins = frozenset[str]().union(*(part.origins for part in parts))
    return Value(None, (), is_uniform, origins)


def symbol(name: Hashable, n_threads: int, origins: frozenset[str]) -> Value:
    """A symbol: one number for all threads of all CTAs, or of one CTA."""
    return Value(np.zeros(n_threads, np.int64), ((name, 1),), True, origins)


def wrapped(array: Array, bits: int, *, is_signed: bool) -> Array:
    """Numbers modulo 2^bits, in the range of signed or unsigned ones.

    Args:
        array: The numbers.
        bits: The width; at 64 bits all are signed, as NumPy adds them.
        is_signed: Which range.
    """
    if bits >= 64:
        return array
    low = array & ((1 << bits) - 1)
    return np.where(low >> (bits - 1), low - (1 << bits), low) if is_signed else low


def made(array: Array, terms: Terms, bits: int, origins: frozenset[str]) -> Value:
    """A value of a width; sums of symbols are taken not to wrap around."""
    return Value(wrapped(array, bits, is_signed=bool(terms)), terms, False, origins)


def ordered(sums: Mapping[Hashable, int]) -> Terms:
    """Symbols with their factors, as far as these are not zero."""
    found = [(name, count) for name, count in sums.items() if count]
    return tuple(sorted(found, key=lambda term: repr(term[0]))) if found else ()


def _terms(sums: dict[Hashable, int], bits: int) -> Terms:
    """Symbols with factors, which count modulo 2^bits."""
    if bits < 64:
        half = 1 << bits - 1
        sums = {n: (c + half) % (2 * half) - half for n, c in sums.items()}
    return ordered(sums)


def plus(one: Value, other: Value, bits: int, factor: int = 1) -> Value:
    """A sum, or a difference."""
    if one.array is None or other.array is None:
        both = is_one(one) and is_one(other)
        return unknown(one, other, is_uniform=both)
    sums = dict(one.terms)
    for name, count in other.terms:
        sums[name] = sums.get(name, 0) + factor * count
    terms = _terms(sums, bits)
    array = one.array + factor * other.array
    return made(array, terms, bits, one.origins | other.origins)


def scaled(value: Value, factor: int, bits: int) -> Value:
    """A product with a constant."""
    if value.array is None:
        return value
    terms = _terms({name: count * factor for name, count in value.terms}, bits)
    return made(value.array * factor, terms, bits, value.origins)


def is_one(value: Value, mask: Array | None = None) -> bool:
    """Whether all threads surely have the same.

    Args:
        value: The value.
        mask: The threads that count; all if None.
    """
    if value.array is None:
        return value.is_uniform
    array = value.array if mask is None else value.array[mask]
    return bool(array.size == 0 or (array == array[0]).all())


def constant(value: Value) -> int | None:
    """The one number that all threads have, if it is known."""
    array = value.numbers
    return int(array[0]) if array is not None and is_one(value) else None


def is_same(one: Value, other: Value) -> bool:
    """Whether two values are surely equal: two that nobody knows may differ."""
    return one is other or (one.array is not None and one.key == other.key)


def joined(one: Value, other: Value, mask: Array, beside: Array) -> Value:
    """What is known of a value that is one in some threads and another in others.

    Args:
        one: Its value in the threads of a mask.
        other: Its value in those of another one.
        mask: The first threads.
        beside: The others; what may be in both may have either value.
    """
    if is_same(one, other):
        return one
    if one.array is None or other.array is None or one.terms != other.terms:
        return unknown(one, other)
    if ((one.array != other.array) & mask & beside).any():
        return unknown(one, other)
    origins = one.origins | other.origins
    return Value(np.where(mask, one.array, other.array), one.terms, False, origins)


def together(one: Value, other: Value, mask: Array) -> Value:
    """What is known of a value that is one thing or another, for all threads alike.

    Args:
        one: One value.
        other: Another one.
        mask: The threads.
    """
    if is_same(one, other):
        return one
    both = is_one(one, mask) and is_one(other, mask)
    return unknown(one, other, is_uniform=both)


def replaced(value: Value, symbol: Hashable, by: int) -> Value:
    """A value after a symbol gets a new meaning: what it was, less a number.

    Args:
        value: The value.
        symbol: The symbol.
        by: What the new symbol is more than the old one.
    """
    if value.array is None:
        return value
    counts = [count for name, count in value.terms if name == symbol]
    return value._replace(array=value.array + by * counts[0]) if counts else value


def solved(value: Value, symbol: Hashable, number: int, terms: Terms) -> Value:
    """A value in which a symbol stands for a sum.

    Args:
        value: The value.
        symbol: The symbol.
        number: The number of the sum.
        terms: Its symbols.
    """
    count = dict(value.terms).get(symbol, 0)
    if not count or value.array is None:
        return value
    sums = {name: factor for name, factor in value.terms if name != symbol}
    for name, factor in terms:
        sums[name] = sums.get(name, 0) + count * factor
    array = value.array + count * number
    return value._replace(array=array, terms=_terms(sums, 64))
