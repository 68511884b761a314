# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop of several products while it is being written, whichever form it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from differential_masks import masked
from differential_nests import Results, sometimes, store_result, zeros
from differential_operands import (
    STYLES,
    HandPlan,
    Operand,
    load_operand,
    make_operand,
    product_of,
)
from differential_program import RandomProgram
from differential_squash import squashed
from emit_program import Value, tile

LOWEST = -1024
"""The running maximum before the first iteration, and what masked scores become."""
LINES = ("rows", "transposed", "gather", "carried")
"""How numbers of each row or column of a tile may come from memory."""


@dataclass
class Chain:
    """A loop of several products while it is being written.

    Attributes:
        p: The program.
        pairs: Types of operands and sums, of the first products and of the others.
        m: Rows of the results.
        d: Extent along which the first products sum up.
        n: Columns of the scores, which the iterations go along.
        e: Columns of the results.
        iterations: How many iterations there are.
        plans: Gives plans by hand of loads, or None.
        plan: That of most loads.
        styles: How operands may come from memory.
        initial: What the loop carries, before the first iteration.
        carried: Operands whose pointers the loop carries.
        results: An array for the scores of all iterations, or None.
        is_masked: Whether scores are masked by the number of their iteration.
        has_branch: Whether some products stand in an if of their own.
        is_outer: Whether the loop stands in another one, so that iterations come twice.
    """

    p: RandomProgram
    pairs: tuple[tuple[str, str], tuple[str, str]]
    m: int
    d: int
    n: int
    e: int
    iterations: int
    plans: Callable[[RandomProgram], HandPlan | None]
    plan: HandPlan | None = None
    styles: tuple[str, ...] = STYLES
    initial: list[Value] = field(default_factory=list[Value])
    carried: list[Operand] = field(default_factory=list[Operand])
    results: Results | None = None
    is_masked: bool = False
    has_branch: bool = False
    is_outer: bool = False

    def fixed(self, rows: int, columns: int) -> Value:
        """A tile of the first type that is loaded before the loop, of each block."""
        p = self.p
        shape, styles = (rows, columns), self.styles
        operand = make_operand(p, self.pairs[0][0], shape, 0, p.grid, styles=styles)
        return load_operand(p, operand, p.block_index())

    def moving(self, number: int, shape: tuple[int, int], depth: int) -> Operand:
        """An operand of which each iteration loads a tile.

        Args:
            number: 0 for the type of the first products, 1 for that of the others.
            shape: The tile's extents.
            depth: Which of them the iterations go along.
        """
        element = self.pairs[number][0]
        plan = self.plan if self.p.chance() else self.plans(self.p)
        found = make_operand(
            self.p, element, shape, depth, self.iterations, plan, self.styles
        )
        if found.style == "carried":
            self.carried.append(found)
        return found

    def zeros(self, number: int, rows: int, columns: int) -> Value:
        """A sum of the first or of the other products before the first one."""
        return zeros(self.p, (rows, columns), self.pairs[number][1])

    def scores(self, lhs: Value, rhs: Value, index: Value) -> Value:
        """The product on which the others depend, perhaps masked or stored."""
        p = self.p
        found = product_of(p, lhs, rhs, self.zeros(0, lhs.shape[0], rhs.shape[1]))
        if self.results is not None:
            store_result(p, self.results, index, found)
        return _masked(p, found, index, self.n) if self.is_masked else found

    def small(self, value: Value, most: int = 2) -> Value:
        """A result as an operand of the other products."""
        return squashed(self.p, value, self.pairs[1][0], most)

    def add(self, index: Value, lhs: Value, rhs: Operand, total: Value) -> Value:
        """Adds the product of a result and of a tile of the iteration."""
        p = self.p
        loaded = load_operand(p, rhs, index) if p.chance() else None

        def product(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
            tile = loaded or load_operand(p, rhs, index)
            return [product_of(p, lhs, tile, sums[0])]

        if not self.has_branch:
            return product(p, index, [total])[0]
        p.note("chain: product in an if")
        return sometimes(product, p, index, [total])[0]


def _masked(p: RandomProgram, scores: Value, index: Value, columns: int) -> Value:
    """Scores of columns that the mask lets through; `LOWEST` for the others."""
    p.note("chain: mask by the iteration")
    low = p.constant(scores.shape, scores.element, float(LOWEST))
    return masked(p, scores, index, columns, low)


def line_of(c: Chain, element: str, shape: tuple[int, int], depth: int) -> Operand:
    """Numbers of each iteration for the rows or the columns of a tile: no operand."""
    found = make_operand(c.p, element, shape, depth, c.iterations, styles=LINES)
    if found.style == "carried":
        c.carried.append(found)
    return found


def spread_line(p: RandomProgram, line: Value, shape: tuple[int, int]) -> Value:
    """A row in every row of a tile, or a column in every column."""
    if line.shape == shape:
        return line
    text = f"broadcast {line.name} : {line.type} -> {tile(shape, line.element)}"
    return p.make(shape, line.element, text)


def transposed(p: RandomProgram, value: Value) -> Value:
    """A matrix with rows for columns."""
    rows, columns = value.shape
    result = tile((columns, rows), value.element)
    text = f"permute {value.name} [1, 0] : {value.type} -> {result}"
    return p.make((columns, rows), value.element, text)


def combined(p: RandomProgram, op: str, one: Value, two: Value) -> Value:
    """`add`, `sub` or `mul` of two tiles, of whole numbers or of floats."""
    name = f"{op}{'i' if one.element.startswith('i') else 'f'}"
    return p.make(one.shape, one.element, f"{name} {one.name}, {two.name} : {one.type}")
