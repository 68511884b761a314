# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of a kernel as sums of symbols, and the facts of a path about these sums.

A symbol is an unknown value, named by its computation, so that two roles that compute
it in the same way have the same symbol. If it may differ between iterations of a loop,
its name includes the numbers of the iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import COUNTED_LOOPS, LOADS, LOOPS, is_pure
from cuda_tile.ir.walk import (
    defining_op,
    enclosing_entry,
    enclosing_ops_of,
    is_parameter,
    nested_ops,
)

Interval = tuple[float, float]
"""The least and the greatest value; infinite where there is none."""
ANY: Interval = (-inf, inf)


class Symbol(NamedTuple):
    """An unknown value.

    Attributes:
        name: Its computation: a number of `Names`; negative for counters of machines.
        at: For each loop in which it may differ, its name, and the iteration.
    """

    name: int
    at: tuple[tuple[int, int], ...] = ()


class Form(NamedTuple):
    """A sum: a number, and multiples of symbols in their order."""

    number: int = 0
    terms: tuple[tuple[Symbol, int], ...] = ()

    def plus(self, other: Form, factor: int = 1) -> Form:
        """The sum of this one and a multiple of another one.

        Args:
            other: The other sum.
            factor: Its factor.
        """
        number = self.number + factor * other.number
        if not other.terms:
            return Form(number, self.terms)
        terms = dict(self.terms)
        for symbol, count in other.terms:
            terms[symbol] = terms.get(symbol, 0) + factor * count
        kept = tuple(sorted((s, n) for s, n in terms.items() if n))
        return Form(number, kept)


class Undecided(Exception):
    """A path must split in two: one with a sum up to a number, one with it above.

    Attributes:
        key: The sum; None if the path may learn nothing about it.
        number: The number.
    """

    def __init__(self, key: Key | None, number: float) -> None:
        super().__init__(key, number)
        self.key, self.number = key, number


class Key(NamedTuple):
    """The subject of a fact.

    Attributes:
        terms: A sum without its number; the first factor is positive.
        at: Iterations of loops around, if the sum is the trip count of an inner loop.
    """

    terms: tuple[tuple[Symbol, int], ...]
    at: tuple[tuple[int, int], ...] = ()


Facts = Mapping[Key, Interval]


class Names:
    """The names of the values of a kernel, by how they are computed."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._of: dict[ir.Value, int] = {}
        self._loops: dict[ir.Operation, int] = {}
        self._varies: dict[int, frozenset[int]] = {}
        self._depths: dict[ir.Value, int] = {}

    def loop(self, op: ir.Operation) -> int:
        """The name of a loop: that of its bounds, and of the loop around."""
        found = self._loops.get(op)
        if found is None:
            given = [v for v in op.operands if is_integer(v)]
            is_counted = op.name in COUNTED_LOOPS  # roles carry different numbers
            bounds = given[: first_carried(op)[0] if is_counted else 3]
            around, names = self.around(op), tuple(map(self.of, bounds))
            outer = self.loop(around[-1]) if around else -1
            found = self._loops[op] = self._number((op.name, outer, names))
        return found

    def around(self, op: ir.Operation) -> list[ir.Operation]:
        """The loops around an op, the outermost first."""
        return [loop for loop in enclosing_ops_of(op) if loop.name in LOOPS][::-1]

    def of(self, value: ir.Value) -> int:
        """The name of a value."""
        found = self._of.get(value)
        if found is None:
            found = self._of[value] = self._name(value)
        return found

    def advance(self, loop: ir.Operation) -> int:
        """The name of the distance of a loop's index from its lower bound."""
        around = frozenset(map(self.loop, (*self.around(loop), loop)))
        return self._number(("advance", self.loop(loop)), around)

    def varies(self, name: int) -> frozenset[int]:
        """The names of the loops in which a named value may differ."""
        return self._varies.get(name, frozenset())

    def _name(self, value: ir.Value) -> int:
        op = defining_op(value)
        if op is None:
            return self._argument(ir.BlockArgument(value))
        place = next(n for n, result in enumerate(op.results) if result == value)
        operands = tuple(map(self.of, op.operands))
        attributes = tuple((k, str(v)) for k, v in sorted(attributes_of(op).items()))
        same: object = (op.name, place, attributes, operands, str(value.type))
        if is_pure(op) or (op.name in LOADS and self._is_single(op, operands)):
            loops = frozenset[int]().union(*map(self.varies, operands))
            around = () if is_pure(op) else self.around(op)
            return self._number(same, loops | set(map(self.loop, around)))
        return self._number((op, place), frozenset(map(self.loop, self.around(op))))

    def _is_single(self, op: ir.Operation, operands: tuple[int, ...]) -> bool:
        """Whether a role loads from a place once, so that its copies get the same.

        A load whose place another load decides has a deeper place than that one, and
        is not asked for its name, which has that of the other one in it.
        """
        role, depth = _role_region(op), self.depth(op.operands)
        return not any(
            other.name == op.name
            and other != op
            and _role_region(other) == role
            and self.depth(other.operands) == depth
            and tuple(map(self.of, other.operands)) == operands
            for other in nested_ops(enclosing_entry(op))
        )

    def depth(self, values: Iterable[ir.Value]) -> int:
        """How many names there are one in the other in those of some values.

        What is made of a value is deeper than that.
        """
        return max(map(self._depth, values), default=0)

    def _depth(self, value: ir.Value) -> int:
        if value not in self._depths:
            op = defining_op(value)
            loops = self._loops_named(value, op)
            bounds = [v for each in loops for v in each.operands if is_integer(v)]
            own = () if op is None else op.operands
            self._depths[value] = 1 + self.depth([*own, *bounds])
        return self._depths[value]

    def _loops_named(
        self, value: ir.Value, op: ir.Operation | None
    ) -> list[ir.Operation]:
        """The loops that have part in the name of a value."""
        if op is not None:
            return [] if is_pure(op) else self.around(op)
        owner = ir.BlockArgument(value).owner.owner.operation
        return [*self.around(owner), owner] if owner.name in LOOPS else []

    def _argument(self, value: ir.BlockArgument) -> int:
        owner = value.owner.owner.operation
        number = value.arg_number
        if is_parameter(value):
            return self._number(("argument", number))
        if owner.name not in LOOPS:
            return self._number((owner, number))
        around = frozenset(map(self.loop, (*self.around(owner), owner)))
        if number < first_carried(owner)[1]:
            return self._number(("index", self.loop(owner), number), around)
        return self._number((owner, number), around)

    def _number(self, key: object, varies: frozenset[int] = frozenset()) -> int:
        number = self._numbers.setdefault(key, len(self._numbers))
        if varies:
            self._varies[number] = varies
        return number


def is_integer(value: ir.Value) -> bool:
    """Whether a value is a tile of integers."""
    kind = value.type
    return isinstance(kind, TileType) and isinstance(kind.element_type, ir.IntegerType)


def _role_region(op: ir.Operation) -> ir.Region | None:
    """The region of a role in which an op stands; None outside roles."""
    for inner, around in pairwise((op, *enclosing_ops_of(op))):
        if around.name == ROLES:
            return inner.block.region
    return None


def key_of(form: Form) -> tuple[Key, int]:
    """What is to be known of a sum, and by what that is multiplied."""
    sign = 1 if form.terms[0][1] > 0 else -1
    return Key(tuple((symbol, sign * count) for symbol, count in form.terms)), sign


def added(form: Form, known: Sequence[tuple[int, Interval]]) -> Interval:
    """The number of a sum with multiples of intervals.

    Args:
        form: A sum whose terms are counted elsewhere.
        known: Factors, and what they multiply.
    """
    low = high = float(form.number)
    for factor, (least, most) in known:
        if factor:
            ends = factor * least, factor * most
            low, high = low + min(ends), high + max(ends)
    return low, high
