# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of one or two products whose operands copies may bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from differential_nests import (
    Nest,
    Results,
    leave,
    make_results,
    sometimes,
    store_result,
    write_nest,
    zeros,
)
from differential_operands import (
    BLOCK_SCALED,
    FOUR,
    PRODUCTS,
    STYLES,
    VIEWS,
    HandPlan,
    Operand,
    hand_plan,
    load_operand,
    make_operand,
    make_scales,
    perhaps_scaled,
    product_of,
    scaled_product,
    seldom_planned,
)
from differential_program import RandomProgram
from differential_squash import signs
from emit_program import Value

SIDES = (16, 32, 64)
MOST_ITERATIONS = 6
WARPGROUP = ((64, 64, 128), (32, 64, 64, 128), (32, 64))
"""Rows, columns and depths of what warpgroups may multiply."""
WARPGROUP_PRODUCTS = (
    *(("f16", "f32"), ("f16", "f32"), ("bf16", "f32")),
    *(("f8E4M3FN", "f32"), ("i8", "i32")),
)
"""Types of their operands and sums. Threads convert operands that are loaded as another
type, and transpose those of 8 bits that do not lie along K."""
TENSOR = ((64, 128, 128, 256), (16, 32, 64, 128), (32, 64))
"""The same for tensor memory."""
SCALED_TENSOR = ((128, 128, 128, 256), (32, 64, 128), (128, 128, 256))
"""The same of products with factors that are loaded."""
TENSOR_PRODUCTS = (
    *(("f16", "f32"), ("f16", "f32"), ("bf16", "f32"), ("f16", "f16")),
    *(("tf32", "f32"), ("i8", "i32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f32")),
    *(("f8E4M3FN", "f16"), (FOUR, "f32"), (FOUR, "f32")),
    (FOUR, "f32"),
)
"""Types of their operands and sums. Sums of f16 are exact below 2048."""
MOST_TENSOR_ITERATIONS = 4
CONSTRUCTS = (
    *(f"products: {form}" for form in ("one", "two", "shared", "chain")),
    "products: for warpgroups",
)
"""What the programs have."""


@dataclass
class Iteration:
    """What an iteration of the loop does.

    Attributes:
        form: `one`, or how there is a second product: `two` of their own operands,
            `shared` with the same left one, `chain` of what the first one gives.
        operands: Left and right of the first product, then those of the second.
        has_branch: Whether only some iterations do it.
        may_leave: Whether some iterations end early.
        results: Where the first sum is stored, or None.
        scales: The factors of blocks of the first product, or None.
    """

    form: str
    operands: list[Operand]
    has_branch: bool
    may_leave: bool
    results: Results | None = None
    scales: tuple[Operand, Operand] | None = None

    def write(self, p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        """Writes an iteration, from its index and the sums so far to the next ones."""
        if self.may_leave:
            leave(p, index, sums)
        if self.has_branch:
            p.note("branch around loads")
            made = sometimes(self.products, p, index, sums)
        else:
            made = self.products(p, index, sums)
        if self.results is not None:
            store_result(p, self.results, index, made[0])
        return made

    def products(
        self, p: RandomProgram, index: Value, sums: list[Value]
    ) -> list[Value]:
        """One product or two."""
        operands = self.operands
        if self.form == "two" and p.chance():  # all loads first
            x, y, z, w = (load_operand(p, operand, index) for operand in operands)
            one = self._first(p, (x, y, sums[0]), index)
            return [one, product_of(p, z, w, sums[1])]
        x, y = (load_operand(p, operand, index) for operand in operands[:2])
        one = self._first(p, (x, y, sums[0]), index)
        if self.form == "one":
            return [one]
        if self.may_leave:
            leave(p, index, [one, sums[1]])
        more = [load_operand(p, operand, index) for operand in operands[2:]]
        if self.form == "shared":
            more.insert(0, x)
        elif self.form == "chain":
            more.insert(0, signs(p, one, operands[0].element))
        return [one, product_of(p, more[0], more[1], sums[1])]

    def _first(
        self, p: RandomProgram, parts: tuple[Value, Value, Value], index: Value
    ) -> Value:
        """The first product."""
        if self.scales is None:
            return perhaps_scaled(p, *parts)
        factors = [load_operand(p, operand, index) for operand in self.scales]
        return scaled_product(p, parts, factors)


def nest_step(p: RandomProgram) -> None:
    """A loop of products, or a loop of such loops."""
    element, total = p.pick(PRODUCTS)
    m, n = p.pick(SIDES), p.pick(SIDES)
    k = p.pick((32, 64) if element == "i8" else SIDES)
    styles, plans = STYLES, hand_plan
    if p.chance(3):
        plans = seldom_planned
        p.note("products: for warpgroups")
        element, total = p.pick(WARPGROUP_PRODUCTS)
        is_wide = element in ("f16", "bf16")
        styles = (*VIEWS, "converted", "scaled") if is_wide else VIEWS
        m, n, k = (p.pick(sizes) for sizes in WARPGROUP)
    iterations = p.number(0, MOST_ITERATIONS)
    _write(p, _Sizes((element, total), (m, n, k), styles, plans, iterations))


def tensor_nest_step(p: RandomProgram) -> None:
    """The same of sizes and types that suit tensor memory."""
    pair = p.pick(TENSOR_PRODUCTS)
    m, n, k = (p.pick(sizes) for sizes in TENSOR)
    iterations = p.number(0, MOST_TENSOR_ITERATIONS)
    if pair[1] == "f16":
        k, iterations = 32, min(iterations, 2)
    if pair[0] == FOUR:
        k *= 2
    styles = VIEWS if pair[1] == "f16" else (*VIEWS, *VIEWS, *STYLES)
    if p.chance(5):
        element = p.pick((*BLOCK_SCALED, FOUR, FOUR))
        m, n, k = (p.pick(sizes) for sizes in SCALED_TENSOR)
        pair, extents = (element, "f32"), (m, n, k)
        if p.chance():
            _write_stored(p, pair, extents, max(1, iterations), is_scaled=True)
            return
        plans = seldom_planned
        _write(p, _Sizes(pair, extents, VIEWS, plans, iterations, is_scaled=True))
        return
    if p.chance(6):
        _write_alone(p, pair, (m, n, k), styles)
        return
    if p.chance(4):
        _write_stored(p, pair, (m, n, k), max(1, iterations))
        return
    _write(p, _Sizes(pair, (m, n, k), styles, seldom_planned, iterations))


def _write_alone(
    p: RandomProgram,
    pair: tuple[str, str],
    extents: tuple[int, int, int],
    styles: tuple[str, ...],
) -> None:
    """A product, and one of it, in no loop."""
    (element, total), (m, n, k) = pair, extents
    known = [style for style in styles if style != "carried"]
    shapes = ((m, k), 1), ((k, n), 0), ((n, n), 0)
    operands = [
        make_operand(p, element, *shape, 1, None, tuple(known)) for shape in shapes
    ]
    first = p.constant((), "i32", 0)
    x, y, z = (load_operand(p, operand, first) for operand in operands)
    one = perhaps_scaled(p, x, y, zeros(p, (m, n), total))
    p.add(one)
    if p.chance():
        left = signs(p, one, element)
        p.add(product_of(p, left, z, one))


def _write_stored(
    p: RandomProgram,
    pair: tuple[str, str],
    extents: tuple[int, int, int],
    iterations: int,
    *,
    is_scaled: bool = False,
) -> None:
    """A sum from zero on that nothing but a store needs: a role may multiply."""
    (element, total), (m, n, k) = pair, extents
    operands = [
        make_operand(p, element, *shape, iterations, None, VIEWS)
        for shape in (((m, k), 1), ((k, n), 0))
    ]
    body = Iteration("one", operands, has_branch=False, may_leave=False)
    if is_scaled:
        body.scales = make_scales(p, extents, element, iterations)
    nest = Nest(iterations, body.write, [zeros(p, (m, n), total)])
    (made,) = write_nest(p, nest, is_outer=False)
    results, block = make_results(p, (m, n), total, p.grid), p.block_index()
    zero = p.constant((), "i32", 0)
    p.line(
        f"{p.fresh('k')} = store_view_tko weak {made.name}, {results.base}"
        f"[{block.name}, {zero.name}] : {made.type}, {results.view}, tile<i32> -> token"
    )


@dataclass(frozen=True)
class _Sizes:
    """What is multiplied.

    Attributes:
        pair: Types of operands and sums.
        extents: Rows, columns and depth of the first product.
        styles: How operands may come from memory.
        plans: Gives plans by hand of loads, or None.
        iterations: Of the loop.
        is_scaled: Whether each iteration loads factors of blocks.
    """

    pair: tuple[str, str]
    extents: tuple[int, int, int]
    styles: tuple[str, ...]
    plans: Callable[[RandomProgram], HandPlan | None]
    iterations: int
    is_scaled: bool = False


def _write(p: RandomProgram, sizes: _Sizes) -> None:
    """Writes the loops."""
    (element, total), (m, n, k) = sizes.pair, sizes.extents
    styles, plans, iterations = sizes.styles, sizes.plans, sizes.iterations
    is_outer = p.chance(3)
    form = p.pick(("one", "one", "two", "shared", "chain"))
    p.note(f"products: {form}")
    left, right = ((m, k), 1), ((k, n), 0)
    second = {
        "one": [],
        "two": [left, right],
        "shared": [right],
        "chain": [((n, n), 0)],
    }[form]
    plan = plans(p)
    other = plan if p.chance() else plans(p)
    operands = [
        make_operand(p, element, *shape, iterations, how, styles)
        for shapes, how in (((left, right), plan), (second, other))
        for shape in shapes
    ]
    carried = [o for o in operands if o.style == "carried"]
    iteration = Iteration(form, operands, p.chance(3), not carried and p.chance(4))
    if sizes.is_scaled:
        iteration.scales = make_scales(p, (m, n, k), element, iterations)
    if not is_outer and p.chance(3):  # each iteration comes once, so that it may store
        iteration.results = make_results(p, (m, n), total, iterations)
    initial = [zeros(p, (m, n), total) for _ in range(2 if second else 1)]
    nest = Nest(iterations, iteration.write, initial, carried)
    for value in write_nest(p, nest, is_outer=is_outer):
        p.add(value)
