# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family reduce: bodies that choose one of two elements, such as an argmax.

Such a body compares, joins what it found and selects. Which element it yields depends
on how the pairs of its arguments compare, and nothing else (`analysis/bodies.py`), so
that any other comparisons which say the same will do. Those of a program are seldom the
fewest: "greater, or a number beside a NaN" is one unordered comparison and a test for
NaN, where a program has two comparisons, two tests and what joins them.

Sets of relations are numbers with a bit for each of `FLOATS` or `INTEGERS`. A set comes
of one comparison, or of two. A body of two pairs has one set F where the second pair,
of integers, does not fulfil some comparison, and T where it does. That is

    F or (A and it is fulfilled)      where F or A is T
    T and (B or it is fulfilled)      where T and B is F

with the cheapest A or B. Where the order of the second pair is known, as that of the
places of elements in one thread is, only F or T is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import FLOATS, INTEGERS, Relation, chosen_sides
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.offsets import Offsets, Root
from cuda_tile.records import dataclass

Kind = Literal["float", "integer"]
Orders = Sequence[int | None]
"""Of each operand, whether an element is surely greater, 1, or less, -1, than what
came before, as signed numbers; None where that is not known."""

_RELATIONS: dict[Kind, list[Relation]] = {"float": FLOATS, "integer": INTEGERS}
_HOLDS = {
    "eq": (0,),
    "ne": (-1, 1),
    "lt": (-1,),
    "le": (-1, 0),
    "gt": (1,),
    "ge": (0, 1),
}
"""The orders of which a predicate is true."""


@dataclass(frozen=True)
class Test:
    """One instruction: a predicate of LLVM and the sides it compares, 0 or 1 each."""

    predicate: str
    sides: tuple[int, int] = (0, 1)


@dataclass(frozen=True)
class Formula:
    """Tests joined by `llvm.and` or `llvm.or`; none of them is always or never."""

    tests: tuple[Test, ...]
    join: str = ""

    @property
    def cost(self) -> int:
        """Its instructions."""
        return max(0, 2 * len(self.tests) - 1)


@cache
def _tests(kind: Kind) -> dict[Test, int]:
    """All tests, and the set of relations that each is true of."""
    found: dict[Test, int] = {}
    relations = _RELATIONS[kind]
    if kind == "integer":
        for name, holds in _HOLDS.items():
            signs = ("",) if name in ("eq", "ne") else ("s", "u")
            for sign in signs:
                found[Test(sign + name)] = _set_of(
                    (r.unsigned if sign == "u" else r.order) in holds for r in relations
                )
        return found
    for if_nan in (False, True):
        for name, holds in _HOLDS.items():
            found[Test("ou"[if_nan] + name)] = _set_of(
                if_nan if any(r.nans) else r.order in holds for r in relations
            )
        for sides in ((0, 1), (0, 0), (1, 1)):
            found[Test("uno" if if_nan else "ord", sides)] = _set_of(
                if_nan == any(r.nans[side] for side in sides) for r in relations
            )
    return found


def _set_of(truths: Iterator[bool]) -> int:
    return sum(truth << i for i, truth in enumerate(truths))


@cache
def _formulas(kind: Kind) -> dict[int, Formula]:
    """The cheapest formula of each set that has one."""
    tests, everything = _tests(kind), (1 << len(_RELATIONS[kind])) - 1
    found = {0: Formula(()), everything: Formula((), "llvm.and")}
    for test, true_of in tests.items():
        found.setdefault(true_of, Formula((test,)))
    for first, one in tests.items():
        for second, other in tests.items():
            found.setdefault(one & other, Formula((first, second), "llvm.and"))
            found.setdefault(one | other, Formula((first, second), "llvm.or"))
    return found


@dataclass(frozen=True)
class Choice:
    """When a body yields the first of its arguments.

    Attributes:
        key: The pair that is compared first.
        kind: Its kind.
        whole: When, where `second` is None.
        second: The pair of integers that is compared where the key does not say it.
        test: How.
        rest: What the key must be as well, or may be instead.
        joins: How `rest` and the test are joined, and how both and `whole`.
    """

    key: int
    kind: Kind
    whole: Formula
    second: int | None = None
    test: Test | None = None
    rest: Formula | None = None
    joins: tuple[str, str] = ("", "")

    @property
    def cost(self) -> int:
        """Its instructions."""
        rest = 0 if self.rest is None else self.rest.cost
        return self.whole.cost + rest + (0 if self.test is None else 3)


_Sides = Mapping[tuple[Relation, ...], int]


def _choice_of(sides: _Sides, kinds: Sequence[Kind]) -> Choice | None:
    """The cheapest choice; None where there is none of this form."""
    if len(kinds) == 1:
        columns = [_column(sides, kinds, 0, {})]
        whole = _formulas(kinds[0]).get(columns[0])
        return None if whole is None else Choice(0, kinds[0], whole)
    found: list[Choice] = []
    for key in (0, 1) if len(kinds) == 2 else ():
        if kinds[1 - key] == "integer":
            found += _choices_of_two(sides, kinds, key)
    return min(found, key=lambda choice: choice.cost, default=None)


def _choices_of_two(sides: _Sides, kinds: Sequence[Kind], key: int) -> Iterator[Choice]:
    """All choices by one pair, and by a test of the other."""
    other, formulas = 1 - key, _formulas(kinds[key])
    present = {state[other] for state in sides}
    by_other = {r: _column(sides, kinds, key, {other: r}) for r in present}
    if len(set(by_other.values())) == 1:
        whole = formulas.get(next(iter(by_other.values())))
        if whole is not None:
            yield Choice(key, kinds[key], whole)
        return
    for test, true_of in _tests("integer").items():
        holds = {r: bool(true_of >> INTEGERS.index(r) & 1) for r in present}
        yes = {column for r, column in by_other.items() if holds[r]}
        no = {column for r, column in by_other.items() if not holds[r]}
        if len(yes) != 1 or len(no) != 1:
            continue
        (often,), (seldom,) = yes, no
        if seldom & ~often:
            continue  # the opposite test has it the other way round
        for rest, formula in formulas.items():
            if seldom in formulas and seldom | rest == often:
                whole, joins = formulas[seldom], ("llvm.and", "llvm.or")
                yield Choice(key, kinds[key], whole, other, test, formula, joins)
            if often in formulas and often & rest == seldom:
                whole, joins = formulas[often], ("llvm.or", "llvm.and")
                yield Choice(key, kinds[key], whole, other, test, formula, joins)


def _column(
    sides: _Sides, kinds: Sequence[Kind], key: int, others: Mapping[int, Relation]
) -> int:
    """The relations of one pair where the first argument is yielded."""
    chosen = 0
    for i, relation in enumerate(_RELATIONS[kinds[key]]):
        state = tuple(others.get(pair, relation) for pair in range(len(kinds)))
        chosen |= (sides.get(state) == 0) << i
    return chosen


def choice_function(
    b: Builder, op: ir.Operation
) -> Callable[[list[ir.Value], list[ir.Value], Orders], list[ir.Value] | None] | None:
    """A function that selects one of two rows of values, if the body does only that.

    Args:
        b: The builder.
        op: A reduction or scan.

    Returns:
        A function of the two rows and of what is known of their order; None for other
        bodies. Its result is None where no comparisons of a known form say the same.
    """
    sides = chosen_sides(op)
    if sides is None:
        return None
    first = next(iter(sides))
    kinds: list[Kind] = [
        "integer" if any(state[i].unsigned for state in sides) else "float"
        for i in range(len(first))
    ]
    choices: dict[tuple[int | None, ...], Choice | None] = {}

    def choose(
        elements: list[ir.Value], others: list[ir.Value], orders: Orders
    ) -> list[ir.Value] | None:
        known = tuple(orders) or (None,) * len(kinds)
        if known not in choices:
            choices[known] = _choice_of(_possible(sides, kinds, known), kinds)
        choice = choices[known]
        if choice is None:
            return None
        pairs = list(zip(elements, others, strict=True))
        wins = _condition(b, choice, pairs)
        return [x if x == y else b.select(wins, x, y) for x, y in pairs]

    return choose


def _possible(sides: _Sides, kinds: Sequence[Kind], known: Orders) -> _Sides:
    """The states that agree with known orders of integers."""
    return {
        state: side
        for state, side in sides.items()
        if all(
            order is None or kind == "float" or relation.order == order
            for relation, kind, order in zip(state, kinds, known, strict=True)
        )
    }


def _condition(
    b: Builder, choice: Choice, pairs: Sequence[tuple[ir.Value, ir.Value]]
) -> ir.Value:
    """Whether the first row is yielded."""
    key, is_float = pairs[choice.key], choice.kind == "float"
    whole = _applied(b, choice.whole, key, is_float=is_float)
    if choice.second is None or choice.test is None or choice.rest is None:
        return whole
    beside, together = choice.joins
    fulfilled = b.icmp(choice.test.predicate, *pairs[choice.second])
    rest = _applied(b, choice.rest, key, is_float=is_float)
    return b.op(together, b.i1, whole, b.op(beside, b.i1, rest, fulfilled))


def _applied(
    b: Builder, formula: Formula, pair: tuple[ir.Value, ir.Value], *, is_float: bool
) -> ir.Value:
    if not formula.tests:
        return b.constant(b.i1, int(bool(formula.join)))
    compare = b.fcmp if is_float else b.icmp
    values = [
        compare(test.predicate, pair[test.sides[0]], pair[test.sides[1]])
        for test in formula.tests
    ]
    return values[0] if len(values) == 1 else b.op(formula.join, b.i1, *values)


class Span:
    """Where those integers lie that a thread has folded so far.

    Args:
        offsets: Which integers differ by known constants.
        value: The first of them; nothing is known of other values.
    """

    def __init__(self, offsets: Offsets, value: ir.Value) -> None:
        self._offsets = offsets
        self._root: Root | None
        self._root, self._low = offsets.of(value)
        self._high = self._low

    def take(self, value: ir.Value) -> int | None:
        """Adds one; whether it is greater, 1, or less, -1, than all before it."""
        root, constant = self._offsets.of(value)
        if self._root is None or root != self._root:
            self._root = None
            return None
        order = 1 if constant > self._high else -1 if constant < self._low else None
        self._low, self._high = min(self._low, constant), max(self._high, constant)
        return order
