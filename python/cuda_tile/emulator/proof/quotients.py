# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients of what counts: slots and phases of rings.

A number of 32 bits is divided by a constant d with a product's high half and a shift,
floor(n * m / 2^(32 + s)), which is n / d for every n if 0 < m * d - 2^(32 + s) <= 2^s
(Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994).
"""

from __future__ import annotations

from collections.abc import Hashable

from cuda_tile.emulator.proof.facts import Facts
from cuda_tile.emulator.proof.values import (
    Counted,
    Value,
    is_one,
    made,
    plus,
    scaled,
)


def quotient(opcode: str, value: Value, by: int | None, bits: int) -> Value | None:
    """What `shr`, `div` and `rem` make of a count; None if nobody follows it.

    Args:
        opcode: Which.
        value: What is divided.
        by: The divisor, or the places of a shift.
        bits: The width.
    """
    if by is None or by < 0 or (opcode == "shr" and by >= bits):
        return None
    if opcode == "shr":
        known = Facts().range(value.terms)
        is_small = known.least >= 0 and known.most < 1 << 31
        if bits == 32 and value.array is not None and is_small:
            ends = [value.array + end >> by for end in known]
            if (ends[0] == ends[1]).all():
                return made(ends[0], (), bits, value.origins)
        return _divided(value, 1 << by, bits)
    whole = _divided(value, by, bits)
    if opcode == "div" or whole is None:
        return whole
    return plus(value, scaled(whole, -by, bits), bits)


def field(value: Value, first: int | None, count: int | None) -> Value | None:
    """Some bits of a count from a place on, as `bfe.u32` takes them.

    Args:
        value: The count, of 32 bits.
        first: The place.
        count: How many bits.
    """
    if first is None or count is None or not 0 <= first <= first + count <= 32:
        return None
    whole, mask = 1 << first, (1 << count) - 1
    if value.array is None or any(c % (whole << count) for _, c in value.terms):
        return None
    return made(value.array >> first & mask, (), 32, value.origins)


def high_half(value: Value, factor: int | None) -> Value | None:
    """The high half of the product of a count with a number.

    With m * d - 2^(32 + s) = e for d and s, n * m / 2^32 is n * 2^s / d, and a d-th
    part of n * e / 2^32. That is less than a d-th part for each n below 2^31 if e is 1
    or 2, and so does not matter to the quotient, rounded down. If d divides c * 2^s,
    that of n + c * i is that of n, and c * 2^s / d * i.

    Args:
        value: The count, of 32 bits.
        factor: The number.
    """
    factor = (factor or 0) & (1 << 32) - 1
    if not factor or not value.terms or value.array is None:
        return None
    if (value.array < 0).any() or any(not counts(n) or c < 0 for n, c in value.terms):
        return None
    for places in range(32):
        power = 1 << 32 + places
        by = -(-power // factor)
        if not 0 < factor * by - power <= min(2, 1 << places):
            continue
        if all((count << places) % by == 0 for _, count in value.terms):
            terms = tuple(
                (name, (count << places) // by) for name, count in value.terms
            )
            return made(value.array * factor >> 32, terms, 32, value.origins)
    return None


def _divided(value: Value, by: int, bits: int) -> Value | None:
    """A sum of counts by a number that divides their factors."""
    if value.array is None or by < 1 or not is_one(value):
        return None
    for name, count in value.terms:
        if not counts(name) or count < 0 or count % by:
            return None
    if (value.array < 0).any():
        return None
    terms = tuple((name, count // by) for name, count in value.terms)
    return made(value.array // by, terms, bits, value.origins)


def counts(symbol: Hashable) -> bool:
    """Whether a symbol is a number of iterations, or of a CTA in its grid."""
    return isinstance(symbol, Counted) or str(symbol).startswith(("%ctaid", "%nctaid"))
