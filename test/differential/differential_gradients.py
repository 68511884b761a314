# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The five products of attention backward, with keys or with queries along the rows.

Scores and the gradients of weights are products of a tile that stays and one of the
iteration; what comes of them is multiplied by both tiles of the iteration for sums that
the loop carries, and by the keys for a part of the queries' gradients. That part is
added up in memory, stored, or carried.
"""

from __future__ import annotations

from differential_chain_loop import Chain, combined, line_of, spread_line, transposed
from differential_nests import Iteration, Results, make_results, store_result
from differential_operands import load_operand, product_of
from differential_program import RandomProgram
from differential_squash import PLAIN_FLOATS, squashed, to_operand
from emit_program import Value

FIFTH = ("added in memory", "stored", "carried", "left out")
"""What becomes of the queries' gradients."""
CONSTRUCTS = (
    "chain: gradients by keys",
    "chain: gradients by queries",
    *(f"chain: queries' gradients are {fate}" for fate in FIFTH),
    "chain: numbers for each query",
)
"""What the programs have."""


def gradients(c: Chain) -> Iteration:
    """Attention backward: the gradients of keys, of values and of queries."""
    p = c.p
    element, kind = c.pairs[0]
    c.pairs = (c.pairs[0], c.pairs[0])
    by_queries, has_lines = p.chance(), p.chance()
    p.note(f"chain: gradients by {'queries' if by_queries else 'keys'}")
    keys, values = c.fixed(c.m, c.d), c.fixed(c.m, c.e)
    queries, grads = c.moving(0, (c.n, c.d), 0), c.moving(0, (c.n, c.e), 0)
    lines = [
        line_of(c, kind, *(((c.n, 1), 0) if by_queries else ((1, c.n), 1)))
        for _ in range(2 if has_lines else 0)
    ]
    fate = p.pick([x for x in FIFTH if x != "stored" or not c.is_outer])
    p.note(f"chain: queries' gradients are {fate}")
    is_added = fate == "added in memory"
    parts = None
    if is_added or fate == "stored":
        parts = make_results(p, (c.n, c.d), kind, c.iterations, is_added=is_added)
    c.initial = [c.zeros(0, c.m, c.d), c.zeros(0, c.m, c.e)]
    if fate == "carried":
        c.initial.append(c.zeros(0, c.n, c.d))
    of = kind if kind in PLAIN_FLOATS else "f32"

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        query, grad = (load_operand(p, operand, index) for operand in (queries, grads))
        both = (keys, query), (values, grad)
        shares: list[Value] = []
        for number, (mine, theirs) in enumerate(both):
            left, right = (theirs, mine) if by_queries else (mine, theirs)
            right = transposed(p, right)
            if number:
                zero = c.zeros(0, left.shape[0], right.shape[1])
                found = product_of(p, left, right, zero)
            else:
                found = c.scores(left, right, index)
            if lines:
                p.note("chain: numbers for each query")
                line = load_operand(p, lines[number], index)
                rows, columns = found.shape
                found = combined(p, "sub", found, spread_line(p, line, (rows, columns)))
            shares.append(squashed(p, found, of))
        product = combined(p, "mul", *shares)
        weights, change = (to_operand(p, x, element) for x in (shares[0], product))
        back = transposed(p, change)
        by_key = (transposed(p, weights), back) if by_queries else (weights, change)
        made = [
            product_of(p, by_key[1], query, sums[0]),
            product_of(p, by_key[0], grad, sums[1]),
        ]
        if fate == "left out":
            return made
        total = sums[2] if fate == "carried" else c.zeros(0, c.n, c.d)
        part = product_of(p, change if by_queries else back, keys, total)
        if parts is None:
            return [*made, part]
        (_add_result if is_added else store_result)(p, parts, index, part)
        return made

    return iteration


def _add_result(p: RandomProgram, results: Results, index: Value, value: Value) -> None:
    """Adds an iteration's tile to memory, as all blocks do, in any order."""
    zero = p.constant((), "i32", 0)
    mode = "add" if value.element.startswith("i") else "addf"
    p.line(
        f"{p.fresh('k')} = atomic_red_view_tko relaxed device {results.base}"
        f"[{index.name}, {zero.name}], {mode}, {value.name} : {value.type}, "
        f"{results.view}, tile<i32> -> token"
    )
