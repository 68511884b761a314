# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that carry a matrix which their products also read: linear attention, RNNs.

What an iteration adds to the matrix the next iteration multiplies, so that a product of
the loop waits for one of the iteration before.
"""

from __future__ import annotations

from differential_chain_loop import Chain, combined, transposed
from differential_elements import with_constant
from differential_nests import Iteration
from differential_operands import load_operand, product_of
from differential_program import RandomProgram
from differential_squash import PLAIN_FLOATS
from emit_program import Value

CONSTRUCTS = (
    "chain: state that decays",
    "chain: state with the iteration's own part",
    "chain: state as a left operand",
    "chain: state as a right operand",
)
"""What the programs have."""


def state(c: Chain) -> Iteration:
    """Linear attention: queries by a matrix that sums up keys and values."""
    p = c.p
    c.pairs = (c.pairs[0], c.pairs[0])
    queries = c.moving(0, (c.m, c.d), 0)
    keys, values = c.moving(0, (c.n, c.d), 0), c.moving(0, (c.n, c.e), 0)
    decays = c.pairs[0][1] in PLAIN_FLOATS and p.chance(3)
    is_late, is_added = p.chance(4), p.chance()
    p.note("chain: state as a right operand")
    c.initial = [c.zeros(0, c.d, c.e), c.zeros(0, c.m, c.e)]

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        old, total = sums
        query, key = (load_operand(p, operand, index) for operand in (queries, keys))
        value, back = load_operand(p, values, index), transposed(p, key)
        own = c.small(c.scores(query, back, index))
        if decays:
            p.note("chain: state that decays")
            old = with_constant(p, "mulf", old, 0.5)
        new = product_of(p, back, value, old) if is_late else None
        if new is not None:
            p.note("chain: state with the iteration's own part")
        start = c.zeros(0, c.m, c.e) if is_added else total
        out = product_of(p, query, c.small(new or old), start)
        out = product_of(p, own, value, out)
        if is_added:
            out = combined(p, "add", total, out)
        return [new or product_of(p, back, value, old), out]

    return iteration


def recurrent(c: Chain) -> Iteration:
    """A state that is multiplied by weights in each iteration, and what comes of it."""
    p = c.p
    c.pairs = (c.pairs[0], c.pairs[0])
    is_left = p.chance()
    p.note(f"chain: state as a {'left' if is_left else 'right'} operand")
    weights = c.fixed(c.d, c.d)
    inputs = c.moving(0, (c.m, c.n) if is_left else (c.n, c.m), 1 if is_left else 0)
    shape = (c.n, c.d) if is_left else (c.d, c.n)
    others = c.moving(0, shape, 0 if is_left else 1)
    last = c.moving(0, (c.d, c.e) if is_left else (c.e, c.d), 0)
    held = (c.m, c.d) if is_left else (c.d, c.m)
    found = (c.m, c.e) if is_left else (c.e, c.m)
    c.initial = [c.zeros(0, *held), c.zeros(0, *found)]

    def of(p: RandomProgram, one: Value, two: Value, total: Value) -> Value:
        return product_of(p, *((one, two) if is_left else (two, one)), total)

    def iteration(p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        old, total = sums
        x, other = (load_operand(p, operand, index) for operand in (inputs, others))
        new = of(p, x, other, c.zeros(0, *held))
        new = of(p, c.small(old), weights, new)
        out = of(p, c.small(new), load_operand(p, last, index), total)
        return [new, out]

    return iteration
