# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commutativity: whether the arguments of a reduction's body may be swapped.

Every body is associative: the op requires it. A body that is provably commutative, too,
may combine elements in any order. Any other body combines them in their order along the
dimension, as a product of matrices requires.

A body that compares and selects, such as an argmax, is evaluated on every relation that
its pairs of arguments may have: it must select the same ones after an exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_of
from cuda_tile.constants import MOST_BODY_RELATIONS
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import COMBINES, COMMUTATIVE
from cuda_tile.ir.walk import block_ops, body, defining_op, op_stem


def is_in_body(op: ir.Operation) -> bool:
    """Whether an op stands in the body of a reduction or scan.

    Such an op runs once for each pair of elements, in any thread, so it must not move
    data between threads.
    """
    around = op.parent
    return around is not None and around.operation.name in COMBINES


def is_commutative(op: ir.Operation) -> bool:
    """Whether the body of a reduction surely gives the same numbers for `(b, a)`.

    The bits may differ: it may give the other one of two equal zeros, or of two NaNs.
    """
    *inner, last = block_ops(body(op))
    results = list(last.operands)
    return is_symmetric(op) or _selects_the_same(
        list(body(op).arguments), inner, results
    )


def is_symmetric(op: ir.Operation) -> bool:
    """Whether each result is one commutative op on its operand's pair of arguments.

    Such a body gives the same bits for `(b, a)`.
    """
    block = body(op)
    *inner, last = block_ops(block)
    arguments = list(block.arguments)
    return len(inner) == len(last.operands) and all(
        (made := defining_op(value)) is not None
        and made.name in COMMUTATIVE
        and {*made.operands} == {arguments[2 * i], arguments[2 * i + 1]}
        for i, value in enumerate(last.operands)
    )


def body_key(op: ir.Operation) -> Hashable:
    """A key that is equal for two reductions if their bodies do the same.

    Args:
        op: A reduction or scan, whose body has no regions.
    """
    block = body(op)
    names: dict[ir.Value, Hashable] = {v: i for i, v in enumerate(block.arguments)}
    steps: list[Hashable] = []
    for inner in block_ops(block):
        attributes = sorted(
            (name, str(inner.attributes[name])) for name in inner.attributes
        )
        operands = tuple(names.get(value, value) for value in inner.operands)
        results = tuple(value.type for value in inner.results)
        steps.append((inner.name, tuple(attributes), operands, results))
        for value in inner.results:
            names[value] = len(names)
    return tuple(steps)


_NEUTRAL = {"addi": 0, "xori": 0, "muli": 1, "addf": 0, "mulf": 1}
"""What changes nothing, of ops to which it matters how often it is inserted."""


def has_wrong_identity(op: ir.Operation) -> bool:
    """Whether the identity of a sum is not 0, or that of a product not 1.

    Each part of a row, and each position of a part, begins with the identity.
    """
    results = block_ops(body(op))[-1].operands
    identities = ir.ArrayAttr(op.attributes["identities"])
    for value, identity in zip(results, identities, strict=True):
        made = defining_op(value)
        wanted = None if made is None else _NEUTRAL.get(op_stem(made))
        if wanted is not None and _number(identity) != wanted:
            return True
    return False


def _number(attribute: ir.Attribute) -> float:
    if isinstance(attribute, ir.BoolAttr):
        return int(attribute.value)
    if isinstance(attribute, ir.IntegerAttr):
        return attribute.value
    return ir.FloatAttr(attribute).value


class Relation(NamedTuple):
    """How two elements compare; integers both as signed and as unsigned numbers.

    Attributes:
        order: -1, 0, 1 for less, equal, greater.
        unsigned: The same for the unsigned numbers.
        nans: Which of the two are NaN.
    """

    order: int
    unsigned: int = 0
    nans: tuple[bool, bool] = (False, False)

    def swapped(self) -> Relation:
        """The relation of the second element to the first."""
        first, second = self.nans
        return Relation(-self.order, -self.unsigned, (second, first))


INTEGERS = [Relation(0), *(Relation(s, u) for s in (-1, 1) for u in (-1, 1))]
FLOATS = [
    *(Relation(order) for order in (-1, 0, 1)),
    *(Relation(0, nans=nans) for nans in ((True, False), (False, True), (True, True))),
]


class _Pick(NamedTuple):
    """An argument of a body: side 0 or 1 of the pair of operand `number`.

    Higher sides stand for results of commutative ops on both sides.
    """

    number: int
    side: int


_Value = _Pick | bool
State = Sequence[Relation]
_Step = Callable[[list[_Value], State], _Value | None]
"""An op of a body: its result from the values so far; None where that is not known."""


def _selects_the_same(
    arguments: list[ir.Value], inner: list[ir.Operation], results: list[ir.Value]
) -> bool:
    """Whether an exchange of arguments changes nothing, in any of their relations."""
    pick = _picker(arguments, inner, results)
    if pick is None:
        return False
    for state in product(*_kinds(arguments)):
        there, back = pick(state), pick([r.swapped() for r in state])
        if there is None or back is None:
            return False
        for i, (one, other) in enumerate(zip(there, back, strict=True)):
            # An exchanged argument has the other side; a result of both sides has one
            # name.
            is_same = {one.side, other.side} == {0, 1} or (
                one == other and one.side > 1
            )
            is_equal = not state[i].order and len({*state[i].nans}) == 1
            if not one.number == other.number == i or not (is_same or is_equal):
                return False
    return True


def chosen_sides(op: ir.Operation) -> dict[tuple[Relation, ...], int] | None:
    """Which of two elements the body of a reduction yields, by their relations.

    Returns:
        For the relations of all pairs of arguments, 0 if the body yields the first of
        each pair, 1 for the second; None if it does anything else or is not understood.
    """
    *inner, last = block_ops(body(op))
    arguments: list[ir.Value] = list(body(op).arguments)
    pick = _picker(arguments, inner, list(last.operands))
    if pick is None:
        return None
    sides: dict[tuple[Relation, ...], int] = {}
    for state in product(*_kinds(arguments)):
        picks = pick(state)
        side = picks[0].side if picks else 2
        if picks is None or side > 1:
            return None
        if any(each != _Pick(i, side) for i, each in enumerate(picks)):
            return None
        sides[state] = side
    return sides


def _kinds(arguments: Sequence[ir.Value]) -> list[list[Relation]]:
    """The relations that each pair of arguments may have."""
    return [
        INTEGERS if isinstance(element_of(value), ir.IntegerType) else FLOATS
        for value in arguments[::2]
    ]


def _picker(
    arguments: list[ir.Value], inner: list[ir.Operation], results: list[ir.Value]
) -> Callable[[State], list[_Pick] | None] | None:
    """A function that finds which arguments a body yields; None if it is unknown."""
    kinds = _kinds(arguments)
    count = prod(map(len, kinds))
    numbers = {value: i for i, value in enumerate(arguments)}
    steps: list[_Step] = []
    for op in inner:
        step = _step(op, [numbers.get(value) for value in op.operands], len(steps))
        if step is None or count > MOST_BODY_RELATIONS:
            return None
        steps.append(step)
        numbers[op.results[0]] = len(numbers)
    places = [numbers.get(value) for value in results]
    return lambda state: _picks(len(kinds), steps, places, state)


def _picks(
    count: int, steps: list[_Step], places: list[int | None], state: State
) -> list[_Pick] | None:
    """The arguments that a body yields; None unless it only compares and selects."""
    values: list[_Value] = [_Pick(*divmod(i, 2)) for i in range(2 * count)]
    for step in steps:
        made = step(values, state)
        if made is None:
            return None
        values.append(made)
    found = [None if place is None else values[place] for place in places]
    picks = [value for value in found if isinstance(value, _Pick)]
    return picks if len(picks) == len(found) else None


def _step(op: ir.Operation, places: list[int | None], number: int) -> _Step | None:
    """A function that evaluates an op from its operands' places; None if unknown."""
    at = [place for place in places if place is not None]
    if len(at) < len(places):
        return None
    match op.name:
        case "cuda_tile.constant":
            known = constant_of(op.results[0])
            is_truth = str(element_of(op.results[0])) == "i1"
            truth = bool(known) if is_truth and known is not None else None
            return lambda values, state: truth
        case "cuda_tile.andi" | "cuda_tile.ori" | "cuda_tile.xori" if _is_truth(op):
            table = _TABLES[op.name]
            return lambda values, state: table.get((values[at[0]], values[at[1]]))
        case "cuda_tile.select":
            return lambda values, state: _selected(*(values[place] for place in at))
        case "cuda_tile.cmpi" | "cuda_tile.cmpf":
            compare = _comparison(op)
            return lambda values, state: compare(values[at[0]], values[at[1]], state)
        case name if name in COMMUTATIVE:
            return lambda values, state: _joined(values[at[0]], values[at[1]], number)
        case _:
            return None


_TABLES: dict[str, dict[tuple[_Value, _Value], bool]] = {
    "cuda_tile.andi": {(x, y): x and y for x in (False, True) for y in (False, True)},
    "cuda_tile.ori": {(x, y): x or y for x in (False, True) for y in (False, True)},
    "cuda_tile.xori": {(x, y): x != y for x in (False, True) for y in (False, True)},
}


def _is_truth(op: ir.Operation) -> bool:
    return str(element_of(op.results[0])) == "i1"


def _selected(condition: _Value, yes: _Value, no: _Value) -> _Value | None:
    return (yes if condition else no) if isinstance(condition, bool) else None


def _joined(x: _Value, y: _Value, number: int) -> _Value | None:
    """The result of a commutative op on a pair; `number` tells such ops apart."""
    if isinstance(x, bool) or isinstance(y, bool) or x.number != y.number:
        return None
    return _Pick(x.number, 2 + number) if {x.side, y.side} == {0, 1} else None


_HOLDS = {
    "equal": (0,),
    "not_equal": (-1, 1),
    "less_than": (-1,),
    "less_than_or_equal": (-1, 0),
    "greater_than": (1,),
    "greater_than_or_equal": (0, 1),
}
"""The orders of which a predicate is true."""


def _comparison(
    op: ir.Operation,
) -> Callable[[_Value, _Value, State], bool | None]:
    """A comparison of two arguments of one pair."""
    holds = _HOLDS[keyword(op, "comparison_predicate")]
    if_nan = keyword(op, "comparison_ordering") == "unordered"
    is_unsigned = keyword(op, "signedness") == "unsigned"

    def compare(x: _Value, y: _Value, state: State) -> bool | None:
        if isinstance(x, bool) or isinstance(y, bool) or x.number != y.number:
            return None
        if x.side > 1 or y.side > 1:
            return None
        relation = state[x.number]
        if relation.nans[x.side] or relation.nans[y.side]:
            return if_nan
        if x.side == y.side:
            return 0 in holds
        order = relation.unsigned if is_unsigned else relation.order
        return (order if x.side == 0 else -order) in holds

    return compare
