# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands between products: sums become small exact numbers of an operand's type.

So that all judges agree to the last bit, whatever the order of additions.
"""

from __future__ import annotations

from differential_elements import cast, clamped, with_constant
from differential_program import RandomProgram
from emit_data import DTYPES
from emit_program import Value, literal, tile

PLAIN_FLOATS = ("f16", "bf16", "f32", "f64")
"""Types with arithmetic."""
MOST_ABOVE = 2
"""By how many powers of two what `softened` gives may be below one."""


def to_operand(p: RandomProgram, value: Value, element: str) -> Value:
    """Small numbers as operands of a product, by one conversion or two."""
    if value.element == element:
        return value
    if value.element.startswith("i") and element.startswith("i"):
        return cast(p, "trunci", value, element)
    if value.element.startswith("i"):
        wide = element if element in PLAIN_FLOATS else "f32"
        return to_operand(p, cast(p, "itof signed", value, wide), element)
    if element.startswith("i"):
        return cast(p, "ftoi signed", value, element)
    return cast(p, "ftof", value, element)


def squashed(p: RandomProgram, value: Value, element: str, most: int = 2) -> Value:
    """A sum within bounds, as an operand of a product."""
    if value.element.startswith("i"):
        low = with_constant(p, "maxi signed", value, -most)
        return to_operand(p, with_constant(p, "mini signed", low, most), element)
    return to_operand(p, clamped(p, value, -most, most), element)


def signs(p: RandomProgram, value: Value, element: str) -> Value:
    """Ones where a sum is above zero, as an operand of a product."""
    flags = above(p, value, 0)
    of = value.element
    yes, no = (p.constant(value.shape, of, DTYPES[of].type(n)) for n in (1, 0))
    text = f"select {flags.name}, {yes.name}, {no.name} : {flags.type}, {yes.type}"
    return to_operand(p, p.make(value.shape, of, text), element)


def above(p: RandomProgram, value: Value, number: int) -> Value:
    """Whether elements are greater than a number."""
    other = p.constant(value.shape, value.element, number)
    is_integer = value.element.startswith("i")
    kind = "cmpi greater_than" if is_integer else "cmpf greater_than ordered"
    how = ", signed" if is_integer else ""
    text = f"{kind} {value.name}, {other.name}{how} : {value.type} -> "
    return p.make(value.shape, "i1", text + tile(value.shape, "i1"))


def softened(p: RandomProgram, value: Value, most: Value) -> Value:
    """A power of two for each element: how far it is below another.

    Args:
        p: The program.
        value: Whole numbers.
        most: Numbers of the same shape, at least as large.
    """
    text = f"subf {value.name}, {most.name} : {value.type}"
    if p.chance(3):
        p.note("chain: difference by fma")
        negated = p.make(most.shape, most.element, f"negf {most.name} : {most.type}")
        one = p.constant(value.shape, value.element, 1.0)
        text = f"fma {value.name}, {one.name}, {negated.name} : {value.type}"
    below = p.make(value.shape, value.element, text)
    below = with_constant(p, "maxf", below, -MOST_ABOVE)
    flush = ""
    if value.element == "f32" and p.chance():
        p.note("chain: exponentials flush subnormals")
        flush = " flush_to_zero"
    text = f"exp2 {below.name}{flush} : {value.type}"
    return p.make(value.shape, value.element, text)


def folded(p: RandomProgram, op: str, value: Value, start: float) -> Value:
    """The largest element of each row, or the sum of a row, as a column."""
    rows = value.shape[0]
    row = p.make(
        (rows,),
        value.element,
        f"reduce {value.name} dim=1 identities=[{literal(start, value.element)} : "
        f"{value.element}] : {value.type} -> {tile((rows,), value.element)}",
    )
    scalar = f"tile<{value.element}>"
    p.line(f"(%a: {scalar}, %b: {scalar}) {{")
    p.line(f"  %f = {op} %a, %b : {scalar}")
    p.line(f"  yield %f : {scalar}")
    p.line("}")
    column = tile((rows, 1), value.element)
    text = f"reshape {row.name} : {row.type} -> {column}"
    return p.make((rows, 1), value.element, text)


def spread_column(p: RandomProgram, column: Value, columns: int) -> Value:
    """A column in every column of a tile."""
    shape = (column.shape[0], columns)
    if columns == 1:
        return column
    text = f"broadcast {column.name} : {column.type} -> {tile(shape, column.element)}"
    return p.make(shape, column.element, text)
