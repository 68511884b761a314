# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random steps of the families integer, bitwise, float, math and convert."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from emit_data import BITS, FLOATS, INTEGERS, is_float
from emit_memory import leaf, store
from emit_program import Program, Shape, Value, tile

WIDE_INTEGERS = ("i8", "i16", "i32", "i64")
IEEE = ("", " rounding<zero>", " rounding<negative_inf>", " rounding<positive_inf>")
PREDICATES = (
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
)


def operand(p: Program, shape: Shape, element: str) -> Value:
    """A tile of the wanted type: one there is, a new one, or one converted."""
    known = p.known(shape, element)
    if known and p.number(0, 4):
        return p.pick(known)
    others = [v for v in p.pool if v.shape == shape and v.element != element]
    if others and p.chance():
        return converted(p, p.pick(others), element)
    return p.add(leaf(p, shape, element))


def any_shape(p: Program) -> Shape:
    """The shape of some tile there is."""
    return p.pick(p.pool).shape


def sign(p: Program) -> str:
    """A signedness keyword."""
    return p.pick(("signed", "unsigned"))


# Integers -----------------------------------------------------------------------------


def integer_binary(p: Program) -> None:
    """Wrapping arithmetic, extremes, bits."""
    shape, element = any_shape(p), p.pick(INTEGERS)
    a, b = operand(p, shape, element), operand(p, shape, element)
    name = p.pick(
        ("addi", "subi", "muli", "mulhii", "maxi", "mini", "andi", "ori", "xori")
    )
    suffix = f" {sign(p)}" if name in ("maxi", "mini") else ""
    p.add(p.make(shape, element, f"{name} {a.name}, {b.name}{suffix} : {a.type}"))


def integer_unary(p: Program) -> None:
    """absi and negi."""
    shape, element = any_shape(p), p.pick(INTEGERS)
    a = operand(p, shape, element)
    p.add(p.make(shape, element, f"{p.pick(('absi', 'negi'))} {a.name} : {a.type}"))


def shift(p: Program) -> None:
    """Shifts by less than the width: more is undefined."""
    shape, element = any_shape(p), p.pick(WIDE_INTEGERS)
    a, b = operand(p, shape, element), operand(p, shape, element)
    most = p.constant(shape, element, BITS[element] - 1)
    b = p.make(shape, element, f"andi {b.name}, {most.name} : {b.type}")
    name = p.pick(("shli", "shri signed", "shri unsigned"))
    stem, _, suffix = name.partition(" ")
    text = f"{stem} {a.name}, {b.name} {suffix} : {a.type}"
    p.add(p.make(shape, element, text))


def division(p: Program) -> None:
    """Quotients and remainders; divisors are odd, dividends half the range.

    So nothing is divided by zero, and the smallest number never by -1.
    """
    shape, element = any_shape(p), p.pick(WIDE_INTEGERS)
    a, b = operand(p, shape, element), operand(p, shape, element)
    one = p.constant(shape, element, 1)
    b = p.make(shape, element, f"ori {b.name}, {one.name} : {b.type}")
    signedness = sign(p)
    if signedness == "signed":
        text = f"shri {a.name}, {one.name} signed : {a.type}"
        a = p.make(shape, element, text)
    roundings = ["", " rounding<zero>", " rounding<positive_inf>"]
    if signedness == "signed":
        roundings.append(" rounding<negative_inf>")
    name, suffix = p.pick((("divi", p.pick(roundings)), ("remi", "")))
    text = f"{name} {a.name}, {b.name} {signedness}{suffix} : {a.type}"
    p.add(p.make(shape, element, text))


def integer_comparison(p: Program) -> None:
    """cmpi."""
    shape, element = any_shape(p), p.pick(INTEGERS)
    a, b = operand(p, shape, element), operand(p, shape, element)
    result = tile(shape, "i1")
    text = f"cmpi {p.pick(PREDICATES)} {a.name}, {b.name}, {sign(p)}"
    p.add(p.make(shape, "i1", f"{text} : {a.type} -> {result}"))


# Floats -------------------------------------------------------------------------------


def _rounding(p: Program, element: str) -> str:
    return p.pick(IEEE) + (" flush_to_zero" if element == "f32" and p.chance() else "")


def float_arithmetic(p: Program) -> None:
    """Sums, products, quotients, roots in every rounding; remainders."""
    shape, element = any_shape(p), p.pick(FLOATS)
    counts = {
        "addf": 2,
        "subf": 2,
        "mulf": 2,
        "divf": 2,
        "remf": 2,
        "fma": 3,
        "sqrt": 1,
    }
    name = p.pick(tuple(counts))
    operands = [operand(p, shape, element) for _ in range(counts[name])]
    names = ", ".join(value.name for value in operands)
    rounding = _rounding(p, element) if name != "remf" else ""
    if name == "sqrt" and "rounding" not in rounding:
        rounding = f" rounding<nearest_even>{rounding}"
    text = f"{name} {names}{rounding} : {operands[0].type}"
    p.add(p.make(shape, element, text, is_payload=False))


def float_extremum(p: Program) -> None:
    """maxf and minf, with and without NaN."""
    shape, element = any_shape(p), p.pick(FLOATS)
    a, b = operand(p, shape, element), operand(p, shape, element)
    suffix = " flush_to_zero" if element == "f32" and p.chance() else ""
    suffix += " propagate_nan" if p.chance() else ""
    text = f"{p.pick(('maxf', 'minf'))} {a.name}, {b.name}{suffix} : {a.type}"
    p.add(p.make(shape, element, text, is_payload=False))


def float_unary(p: Program) -> None:
    """Sign and rounding to integers."""
    shape, element = any_shape(p), p.pick(FLOATS)
    a = operand(p, shape, element)
    name = p.pick(("negf", "absf", "floor", "ceil"))
    text = f"{name} {a.name} : {a.type}"
    p.add(p.make(shape, element, text, is_payload=False))


def float_comparison(p: Program) -> None:
    """cmpf."""
    shape, element = any_shape(p), p.pick(FLOATS)
    a, b = operand(p, shape, element), operand(p, shape, element)
    ordering = p.pick(("ordered", "unordered"))
    text = f"cmpf {p.pick(PREDICATES)} {ordering} {a.name}, {b.name}"
    p.add(p.make(shape, "i1", f"{text} : {a.type} -> {tile(shape, 'i1')}"))


def inexact(p: Program) -> None:
    """Functions and fast division: stored at once, compared within two units."""
    shape = any_shape(p)
    element = p.pick(("f16", "bf16", "f32"))
    a = operand(p, shape, element)
    names = ["exp", "exp2", "log", "log2", "sin", "cos", "cosh", "tanh", "rsqrt"]
    if element == "f32":
        names += ["exp approx", "exp2 flush", "divf approx", "divf full"]
    name = p.pick(names)
    if name.startswith("divf"):
        b = _ordinary(p, operand(p, shape, element))
        mode = name.removeprefix("divf ")
        text = f"divf {a.name}, {b.name} rounding<{mode}> : {a.type}"
    elif name == "exp approx":
        a = _clamped(p, a, -0.5, 0.5)  # its error grows with the operand
        text = f"exp {a.name} rounding<approx> : {a.type}"
    else:
        flush = " flush_to_zero" if name == "exp2 flush" else ""
        text = f"{name.split()[0]} {a.name}{flush} : {a.type}"
    result = p.make(shape, element, text, is_payload=False)
    store(p, result, is_inexact=True)


def _clamped(p: Program, a: Value, low: float, high: float) -> Value:
    for name, bound in (("maxf", low), ("minf", high)):
        limit = p.constant(a.shape, a.element, bound)
        text = f"{name} {a.name}, {limit.name} : {a.type}"
        a = p.make(a.shape, a.element, text, is_payload=False)
    return a


def _ordinary(p: Program, a: Value) -> Value:
    """A divisor for which fast division keeps its bound."""
    text = f"absf {a.name} : {a.type}"
    a = p.make(a.shape, a.element, text, is_payload=False)
    return _clamped(p, a, 2.0**-100, 2.0**100)


# Conversions --------------------------------------------------------------------------


def conversion(p: Program) -> None:
    """One value in another type."""
    value = p.pick(p.pool)
    targets = [e for e in (*INTEGERS, *FLOATS) if e != value.element]
    converted(p, value, p.pick(targets))


def converted(p: Program, value: Value, element: str) -> Value:
    """`value` in another element type, by one of the conversions there are."""
    ways: list[Callable[[Program, Value, str], Value]] = []
    pair = is_float(value.element), is_float(element)
    ways.append(
        {
            (False, False): _between_integers,
            (False, True): _itof,
            (True, False): _ftoi,
            (True, True): _ftof,
        }[pair]
    )
    same_width = BITS[element] == BITS[value.element] and "i1" not in (
        element,
        value.element,
    )
    if same_width and value.is_payload:
        ways.append(_bitcast)
    return p.add(p.pick(ways)(p, value, element))


def _cast(
    p: Program, value: Value, element: str, name: str, *, is_payload: bool = True
) -> Value:
    stem, _, suffix = name.partition(" ")
    text = f"{stem} {value.name} {suffix} : {value.type} -> "
    text += tile(value.shape, element)
    return p.make(value.shape, element, text, is_payload=is_payload)


def _between_integers(p: Program, value: Value, element: str) -> Value:
    width = {e: i for i, e in enumerate(INTEGERS)}
    if width[element] > width[value.element]:
        return _cast(p, value, element, f"exti {sign(p)}")
    return _cast(p, value, element, "trunci")


def _itof(p: Program, value: Value, element: str) -> Value:
    return _cast(p, value, element, f"itof {sign(p)}")


def _ftof(p: Program, value: Value, element: str) -> Value:
    return _cast(p, value, element, "ftof", is_payload=False)


def _bitcast(p: Program, value: Value, element: str) -> Value:
    return _cast(p, value, element, "bitcast", is_payload=value.is_payload)


def _ftoi(p: Program, value: Value, element: str) -> Value:
    """Saturating, or of numbers within the range: others are undefined."""
    if p.chance():
        return _cast(p, value, element, f"ftoi {sign(p)} saturating")
    if element == "i1":
        return _cast(p, _clamped(p, value, 0.0, 1.0), element, "ftoi unsigned")
    bounds = {"signed": (-100.0, 127.0), "unsigned": (0.0, 200.0)}
    signedness = sign(p)
    value = _clamped(p, value, *bounds[signedness])
    return _cast(p, value, element, f"ftoi {signedness}")


def small_float(p: Program, shape: Shape, element: str) -> Value:
    """Whole numbers of -4 to 3: sums of them are exact in any order."""
    value = operand(p, shape, "i32")
    for name, number in (("andi", 7), ("subi", 4)):
        other = p.constant(shape, "i32", np.int32(number))
        text = f"{name} {value.name}, {other.name} : {value.type}"
        value = p.make(shape, "i32", text)
    return _cast(p, value, element, "itof signed")


STEPS = (
    integer_binary,
    integer_unary,
    shift,
    division,
    integer_comparison,
    float_arithmetic,
    float_arithmetic,
    float_extremum,
    float_unary,
    float_comparison,
    conversion,
    conversion,
    inexact,
)
