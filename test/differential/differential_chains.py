# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with two or more products, of which some need the others' results.

Scores and a running maximum as in attention, two branches that are multiplied, sums
that are computed backwards, products an iteration behind. All numbers are whole, or
powers of two not far below one, so that sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from differential_chain_loop import LOWEST, Chain, transposed
from differential_gradients import CONSTRUCTS as GRADIENT_CONSTRUCTS
from differential_gradients import gradients
from differential_nests import (
    Iteration,
    Nest,
    leave,
    make_results,
    sometimes,
    write_nest,
)
from differential_operands import (
    PRODUCTS,
    STYLES,
    VIEWS,
    hand_plan,
    load_operand,
    product_of,
    seldom_planned,
)
from differential_program import RandomProgram
from differential_squash import (
    PLAIN_FLOATS,
    folded,
    softened,
    spread_column,
    squashed,
    to_operand,
)
from differential_states import CONSTRUCTS as STATE_CONSTRUCTS
from differential_states import recurrent, state
from emit_program import Value

MOST_ITERATIONS = 5
MOST_SCALED_ITERATIONS = 4
"""The same where each iteration multiplies a sum by a fraction: twice as many stay
exact."""
MAXIMUM_TYPES = ("f32", "f64")
TENSOR_PAIRS = (("f16", "f32"), ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"))
"""Types of products for tensor memory, whose sums rows may be scaled by."""


# Forms --------------------------------------------------------------------------------


def _attention(c: Chain) -> Iteration:
    """Q.K, a running maximum and a running sum of the rows, and P.V."""
    p = c.p
    q = c.fixed(c.m, c.d)
    keys, values = c.moving(0, (c.d, c.n), 1), c.moving(1, (c.n, c.e), 0)
    kind = c.pairs[0][1] if c.pairs[0][1] in MAXIMUM_TYPES else "f32"
    c.initial = [
        p.constant((c.m, 1), kind, float(LOWEST)),
        p.constant((c.m, 1), kind, 0.0),
        c.zeros(1, c.m, c.e),
    ]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        most, row_sum, total = sums
        scores = c.scores(q, load_operand(p, keys, index), index)
        wide = to_operand(p, scores, kind)
        top = folded(p, "maxf", wide, LOWEST)
        text = f"maxf {most.name}, {top.name} : {top.type}"
        now = p.make(top.shape, kind, text)
        shares = softened(p, wide, spread_column(p, now, c.n))
        factor = softened(p, most, now)
        part = folded(p, "addf", shares, 0.0)
        text = f"mulf {row_sum.name}, {factor.name} : {factor.type}"
        scaled = p.make(factor.shape, kind, text)
        text = f"addf {scaled.name}, {part.name} : {part.type}"
        row_sum = p.make(part.shape, kind, text)
        factor = to_operand(p, factor, total.element)
        factor = spread_column(p, factor, c.e)
        text = f"mulf {total.name}, {factor.name} : {total.type}"
        total = p.make(total.shape, total.element, text)
        shares = to_operand(p, shares, c.pairs[1][0])
        return [now, row_sum, c.add(index, shares, values, total)]

    return iteration


def _scores(c: Chain) -> Iteration:
    """A product of another's result, without a running maximum."""
    q = c.fixed(c.m, c.d) if c.p.chance() else None
    left = c.moving(0, (c.m, c.d), 0)
    keys, values = c.moving(0, (c.d, c.n), 1), c.moving(1, (c.n, c.e), 0)
    c.initial = [c.zeros(1, c.m, c.e)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        lhs = q or load_operand(p, left, index)
        scores = c.scores(lhs, load_operand(p, keys, index), index)
        return [c.add(index, c.small(scores), values, sums[0])]

    return iteration


def _independent(c: Chain) -> Iteration:
    """Two or three products that have nothing to do with each other."""
    count = c.p.number(2, 3)
    shapes = [(c.m, c.d, c.n), (c.n, c.m, c.e), (c.m, c.n, c.m)][:count]
    operands = [
        (c.moving(n > 0, (m, k), 1), c.moving(n > 0, (k, columns), 0))
        for n, (m, k, columns) in enumerate(shapes)
    ]
    c.initial = [c.zeros(n > 0, m, columns) for n, (m, _, columns) in enumerate(shapes)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        pairs = zip(operands, sums, strict=True)
        return [
            c.add(index, load_operand(p, lhs, index), rhs, total)
            for (lhs, rhs), total in pairs
        ]

    return iteration


def _right_operand(c: Chain) -> Iteration:
    """The right operand of a product is another's result."""
    fixed = c.fixed(c.d, c.e)
    first, left = c.moving(0, (c.n, c.d), 0), c.moving(1, (c.m, c.n), 1)
    c.initial = [c.zeros(1, c.m, c.e)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        right = c.scores(load_operand(p, first, index), fixed, index)
        lhs = load_operand(p, left, index)
        return [product_of(p, lhs, c.small(right), sums[0])]

    return iteration


def _gated(c: Chain) -> Iteration:
    """Two products of one left operand, multiplied, and a product of that."""
    lhs = c.fixed(c.m, c.d)
    weights = [c.moving(0, (c.d, c.n), 1) for _ in range(2)]
    down = c.moving(1, (c.n, c.e), 0)
    c.initial = [c.zeros(1, c.m, c.e)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        found = [c.scores(lhs, load_operand(p, w, index), index) for w in weights]
        of = found[0].element if found[0].element in PLAIN_FLOATS else "f32"
        one, two = (squashed(p, value, of) for value in found)
        text = f"mulf {one.name}, {two.name} : {one.type}"
        both = to_operand(p, p.make(one.shape, of, text), c.pairs[1][0])
        return [c.add(index, both, down, sums[0])]

    return iteration


def _backward(c: Chain) -> Iteration:
    """A load of two products, once transposed, and a result that is transposed too."""
    c.pairs = (c.pairs[0], c.pairs[0])
    q, keys = c.fixed(c.m, c.d), c.moving(0, (c.n, c.d), 0)
    c.initial = [c.zeros(1, c.m, c.d), c.zeros(1, c.n, c.d)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        key = load_operand(p, keys, index)
        share = c.small(c.scores(q, transposed(p, key), index))
        back = transposed(p, share)
        one = product_of(p, share, key, sums[0])
        return [one, product_of(p, back, q, sums[1])]

    return iteration


def _next_iteration(c: Chain) -> Iteration:
    """A product of the result that the iteration before left."""
    q = c.fixed(c.m, c.d)
    keys, values = c.moving(0, (c.d, c.n), 1), c.moving(1, (c.n, c.e), 0)
    c.initial = [c.zeros(0, c.m, c.n), c.zeros(1, c.m, c.e)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        before, total = sums
        scores = c.scores(q, load_operand(p, keys, index), index)
        return [scores, c.add(index, c.small(before), values, total)]

    return iteration


def _three_in_a_row(c: Chain) -> Iteration:
    """A product of a product's result, of a product's result."""
    q = c.fixed(c.m, c.d)
    keys, middle = c.moving(0, (c.d, c.n), 1), c.moving(1, (c.n, c.e), 0)
    last = c.moving(1, (c.e, c.d), 1)
    c.initial = [c.zeros(1, c.m, c.d)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        first = c.small(c.scores(q, load_operand(p, keys, index), index))
        second = c.add(index, first, middle, c.zeros(1, c.m, c.e))
        return [c.add(index, c.small(second), last, sums[0])]

    return iteration


FORMS: dict[str, Callable[[Chain], Iteration]] = {
    "attention": _attention,
    "scores": _scores,
    "independent": _independent,
    "right operand": _right_operand,
    "gated": _gated,
    "backward": _backward,
    "next iteration": _next_iteration,
    "three in a row": _three_in_a_row,
    "state": state,
    "recurrent": recurrent,
    "gradients": gradients,
}
WEIGHTS = (
    *(*FORMS, "attention", "attention", "scores"),
    *("state", "gradients", "gradients"),
)
STORED = ("attention", "scores", "next iteration", "state")
"""Forms of which some store the scores of each iteration."""
CONSTRUCTS = (
    *(f"chain: {form}" for form in FORMS),
    "chain: mask by the iteration",
    "chain: product in an if",
    "chain: scores are stored",
    "chain: types differ",
    "chain: for warpgroups",
    "chain: difference by fma",
    "chain: exponentials flush subnormals",
    *STATE_CONSTRUCTS,
    *GRADIENT_CONSTRUCTS,
)
"""What the programs have."""


def chain_step(p: RandomProgram) -> None:
    """A loop of several products, or a loop of such loops."""
    form = p.pick(WEIGHTS)
    p.note(f"chain: {form}")
    pair = p.pick(PRODUCTS)
    other = p.pick(PRODUCTS) if p.chance(3) else pair
    if form == "attention":  # rows are scaled by fractions
        other = other if other[1] in MAXIMUM_TYPES else ("f16", "f32")
    rows, sides, styles = (16, 32, 64), (16, 32, 32, 64), STYLES
    if p.chance(3):
        p.note("chain: for warpgroups")
        pair = other = (p.pick(("f16", "f16", "bf16")), "f32")
        rows, sides, styles = (64, 64, 128), (32, 64, 64), VIEWS
    _write(p, form, _Sizes((pair, other), rows, sides, styles))


def tensor_chain_step(p: RandomProgram) -> None:
    """The same of sizes and types that suit tensor memory."""
    form = p.pick(WEIGHTS)
    pair = p.pick(TENSOR_PAIRS)
    sizes = _Sizes((pair, pair), (64, 128, 128), (16, 32, 64, 64), VIEWS)
    _write(p, form, sizes)


@dataclass(frozen=True)
class _Sizes:
    """What is multiplied.

    Attributes:
        pairs: Types of operands and sums, of the first products and of the others.
        rows: Rows that the results may have.
        sides: What their other extents may be.
        styles: How operands may come from memory.
    """

    pairs: tuple[tuple[str, str], tuple[str, str]]
    rows: tuple[int, ...]
    sides: tuple[int, ...]
    styles: tuple[str, ...]


def _write(p: RandomProgram, form: str, sizes: _Sizes) -> None:
    """Writes the loops."""
    rows, sides, styles = sizes.rows, sizes.sides, sizes.styles
    c = Chain(
        p,
        sizes.pairs,
        p.pick(rows),
        *(p.pick(sides) for _ in range(3)),
        iterations=p.number(
            0, MOST_SCALED_ITERATIONS if form == "attention" else MOST_ITERATIONS
        ),
        plans=seldom_planned if styles is VIEWS else hand_plan,
        styles=styles,
        is_masked=form not in ("independent", "backward") and p.chance(3),
        has_branch=p.chance(4),
        is_outer=p.chance(4),
    )
    c.plan = c.plans(p)
    iteration = FORMS[form](c)
    if c.pairs[0] != c.pairs[1]:
        p.note("chain: types differ")
    if not c.is_outer and form in STORED and p.chance(4):
        p.note("chain: scores are stored")
        c.results = make_results(p, (c.m, c.n), c.pairs[0][1], c.iterations)
    nest = Nest(c.iterations, _varied(c, iteration), c.initial, c.carried)
    for value in write_nest(p, nest, is_outer=c.is_outer):
        p.add(value)


def _varied(c: Chain, iteration: Iteration) -> Iteration:
    """The iteration itself, in an if, or behind a place where it may end."""
    p = c.p
    if p.chance(6):
        p.note("branch around loads")
        return partial(sometimes, iteration)
    if c.carried or not p.chance(6):
        return iteration

    def ends(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        leave(p, index, sums)
        return iteration(p, index, sums)

    return ends
