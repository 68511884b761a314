# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of indices that count up from the start of a block, and what they share.

A gather that is shifted, `x[start + i + shift]`, compares every element's index with
the extent, and no sum may be left out of it: index and start may wrap around. But where
the start is a multiple of a power of two, the *unit*, and i + shift is from 0 to below
that, the sum changes only the start's low bits, so that it has the start's sign. With
an extent E that is not negative, and the first such index x of a thread, the index that
is d further is below E, as an unsigned number, where

    E - min(x, 2^31 - 1) > d

with an immediate on the right: for a negative x, the left side is at most 0. And where
E is a multiple of a power of two m, indices in one aligned group of m are all below
it, or none is.

Contract `counted_masks`
    Law: for a multiple S of a power of two U and 0 <= c < U, S + c sets bits that are
    zero in S, whatever the number of bits.

    | | condition | near misses |
    |---|---|---|
    | C1 types | the difference is one of 32 bits | wide |
    | C2 flags | the comparison is `less_than`, and unsigned for a difference | signed |
    | - values | no floats | |
    | - order | no memory | |
    | - blocks | each tile block for itself | |
    | C3 indices | i + shift lies within the unit, or in one group | before, behind |
    | C4 indices | they are extended only before or only behind the shift | extended |
    | C5 extents | an extent is not negative; a group divides it | negative, odd |
    | - aliasing | no memory | |
    | - captures | no region | |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

from cuda_tile._mlir import ir
from cuda_tile.constants import LEAST_COUNTED
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.threads import coordinate_span
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of, layout_of
from cuda_tile.ir.traits import SPREADS
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.layout.linear import Coord
from cuda_tile.records import dataclass

_SIGNS = {"addi": 1, "subi": -1}
_WORD_BITS = 32
_MOST = (1 << _WORD_BITS - 1) - 1
"""The largest signed number of 32 bits."""


@dataclass(frozen=True)
class Counted:
    """Indices that count up along one dimension of a tile, and only there.

    Attributes:
        dim: The dimension.
        unit: A power of two that divides where they start, without the shift.
        shift: What is added to the start.
        group: A power of two that divides what they are compared with.
        span: Bits of the coordinate that the number of a thread sets.
    """

    dim: int
    unit: int
    shift: int
    group: int
    span: int

    def block(self, place: Coord) -> int | None:
        """The group in which all threads have an element; None where they differ.

        Args:
            place: What a register adds to the coordinates.
        """
        low = (place[self.dim] & ~self.span) + self.shift
        first, last = low // self.group, (low + self.span) // self.group
        return first if self.group > 1 and first == last else None

    def stays(self, place: Coord) -> bool:
        """Whether all threads have elements in the unit, of which they know how far.

        Args:
            place: What a register adds to the coordinates.
        """
        low = place[self.dim] + self.shift
        is_apart = not place[self.dim] & self.span
        return is_apart and low >= 0 and low + self.span < self.unit  # counted_masks C3


def counted(e: Emitter, op: ir.Operation) -> Counted | None:
    """What is known of the left side of `less_than`, if it counts up.

    Args:
        e: The emitter.
        op: A comparison of tiles of integers.
    """
    if keyword(op, "comparison_predicate") != "less_than":  # counted_masks C2
        return None
    index, end = (e.facts.of(operand) for operand in op.operands)
    dims = [d for d, n in enumerate(index.shape) if n > 1 and index.constancy[d] < n]
    if len(dims) != 1 or end.constancy != end.shape:
        return None
    (dim,) = dims
    found = _start(e, op.operands[0], index.shape[dim])
    if found is None:
        return None
    unit, shift = found
    group = gcd(unit, *end.divisibility)  # counted_masks C5
    span = coordinate_span(layout_of(op.results[0]), dim)
    return Counted(dim, unit, shift, group, span)


def by_differences(
    e: Emitter,
    op: ir.Operation,
    known: Counted,
    pairs: Mapping[int, Sequence[ir.Value]],
) -> dict[int, ir.Value]:
    """Comparisons of indices by what is left from a thread's first one to the end.

    Args:
        e: The emitter.
        op: The comparison.
        known: What is known of its left side.
        pairs: What is compared, by register.

    Returns:
        The results of those registers for which this takes fewer instructions.
    """
    end = e.facts.of(op.operands[1])
    # counted_masks C2 and C5
    if keyword(op, "signedness") != "unsigned" or not end.is_natural:
        return {}
    places = layout_of(op.results[0]).register_offsets()
    found: dict[ir.Value, list[tuple[int, int, ir.Value]]] = {}
    for register, pair in pairs.items():
        x, y = map(_word, pair)
        if x is not None and y is not None and known.stays(places[register]):
            member = places[register][known.dim], register, x
            found.setdefault(y, []).append(member)
    made: dict[int, ir.Value] = {}
    for y, members in found.items():
        if len(members) >= LEAST_COUNTED:
            made |= _compared(e, y, members)
    return made


def _compared(
    e: Emitter, end: ir.Value, members: Sequence[tuple[int, int, ir.Value]]
) -> dict[int, ir.Value]:
    """Whether indices are below an end, each a place, a register and the index."""
    b = e.builder
    start, _, first = min(members, key=lambda member: member[0])
    near = b.op("llvm.intr.umin", b.i32, first, b.constant(b.i32, _MOST))
    left = b.sub(end, near)
    return {
        register: b.icmp("sgt", left, b.constant(b.i32, place - start))
        for place, register, _ in members
    }


def _word(value: ir.Value) -> ir.Value | None:
    """A number as 32 bits, also where it was extended from them."""
    op = defining_op(value)
    if op is not None and op.name == "llvm.sext":
        value = op.operands[0]
    is_word = ir.IntegerType(value.type).width == _WORD_BITS
    return value if is_word else None  # counted_masks C1


def _start(e: Emitter, value: ir.Value, extent: int) -> tuple[int, int] | None:
    """A divisor of where indices start, and what is added to it."""
    for tile, shift in _sources(e, value):
        known = e.facts.of(tile)
        for d, count in enumerate(known.shape):
            unit = known.divisibility[d]
            if count == extent and extent <= min(known.contiguity[d], unit):
                bits = ir.IntegerType(element_of(tile)).width
                return min(unit, 1 << bits - 1), shift
    return None


def _sources(e: Emitter, tile: ir.Value) -> Iterator[tuple[ir.Value, int]]:
    """A tile and those that it is made of, each with what is added to it."""
    shift, is_extended = 0, False
    yield tile, shift
    while (op := defining_op(tile)) is not None:
        if op_stem(op) == "exti" and keyword(op, "signedness") == "signed":
            tile, is_extended = op.operands[0], bool(shift)
        elif op.name in SPREADS:
            tile = op.operands[0]
        elif op_stem(op) in _SIGNS and not is_extended:  # counted_masks C4
            left, right = (e.facts.of(operand).constant for operand in op.operands)
            sign = _SIGNS[op_stem(op)]
            if right is not None:
                tile, shift = op.operands[0], shift + sign * right
            elif left is not None and sign > 0:
                tile, shift = op.operands[1], shift + left
            else:
                return
        else:
            return
        yield tile, shift
