# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks of scores by the number of the iteration; some iterations have all open.

Keys up to a query's own place, within a window before it, or up to a length; said by
what is kept or by what is left out. Places are sometimes so large that their sums wrap
around, in some iterations or in all.
"""

from __future__ import annotations

from differential_program import RandomProgram
from emit_program import Shape, Value, tile

FORMS = ("causal", "window", "ragged", "ragged below")
CONSTRUCTS = (
    *(f"mask: {form}" for form in FORMS),
    "mask: of what is left out",
    "mask: at the end of the range",
    "mask: bound is a parameter",
)
"""What the programs have."""
OPPOSITE = {"less_than_or_equal": "greater_than", "greater_than": "less_than_or_equal"}
LAST = (1 << 31) - 1


def masked(
    p: RandomProgram, scores: Value, index: Value, columns: int, low: Value
) -> Value:
    """Scores where a mask is open, `low` elsewhere.

    Args:
        p: The program.
        scores: The scores of an iteration.
        index: The iteration.
        columns: How far an iteration moves along the columns.
        low: A constant of the same shape.
    """
    form = p.pick(FORMS)
    p.note(f"mask: {form}")
    step = p.constant((), "i32", columns)
    first = p.make((), "i32", f"muli {index.name}, {step.name} : tile<i32>")
    shift = 0
    if p.chance(4):
        p.note("mask: at the end of the range")
        shift = LAST - p.number(0, 4 * columns)
        first = _plus(p, first, p.constant((), "i32", shift))
    column = p.coordinate(scores.shape, 1)
    place = _plus(p, p.spread(first, scores.shape), column)
    reach = _bound(p, shift + p.number(0, 3 * columns), scores.shape)
    if form == "ragged":
        tests = [("less_than_or_equal", place, reach)]
    elif form == "ragged below":
        tests = [("greater_than", place, reach)]
    else:
        rows = _plus(p, p.coordinate(scores.shape, 0), reach)
        tests = [("less_than_or_equal", place, rows)]
        if form == "window":
            width = p.constant(scores.shape, "i32", p.number(1, 2 * columns))
            text = f"subi {rows.name}, {width.name} : {rows.type}"
            begin = p.make(rows.shape, "i32", text)
            tests.append(("greater_than", place, begin))
    is_inverted = p.chance()
    if is_inverted:
        p.note("mask: of what is left out")
    flags = tile(scores.shape, "i1")
    made = [_test(p, test, is_inverted=is_inverted) for test in tests]
    mask = made[0]
    for other in made[1:]:
        name = "ori" if is_inverted else "andi"
        text = f"{name} {mask.name}, {other.name} : {flags}"
        mask = p.make(scores.shape, "i1", text)
    pair = (low, scores) if is_inverted else (scores, low)
    text = f"select {mask.name}, {pair[0].name}, {pair[1].name} : {flags}, {low.type}"
    return p.make(scores.shape, scores.element, text)


def _plus(p: RandomProgram, left: Value, right: Value) -> Value:
    text = f"addi {left.name}, {right.name} : {left.type}"
    return p.make(left.shape, "i32", text)


def _bound(p: RandomProgram, number: int, shape: Shape) -> Value:
    """A number, which may wrap around, as a tile; a constant or a parameter."""
    number = (number + (1 << 31)) % (1 << 32) - (1 << 31)
    if p.chance():
        return p.constant(shape, "i32", number)
    p.note("mask: bound is a parameter")
    return p.spread(p.scalar("i32", number), shape)


def _test(
    p: RandomProgram, test: tuple[str, Value, Value], *, is_inverted: bool
) -> Value:
    name, left, right = test
    name = OPPOSITE[name] if is_inverted else name
    text = f"cmpi {name} {left.name}, {right.name}, signed : {left.type}"
    return p.make(left.shape, "i1", f"{text} -> {tile(left.shape, 'i1')}")
