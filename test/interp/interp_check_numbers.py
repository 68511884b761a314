# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of arithmetic on one choice of element types, against exact numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import ceil, copysign, floor, inf, isinf, isnan, nan, trunc
from typing import Any, cast

import numpy as np
from interp_build import apply
from interp_exact import MODES, root
from interp_legal import Signature
from interp_types import (
    FORMATS,
    WIDTHS,
    Number,
    decode,
    numbers,
    patterns,
    read,
    round_to,
    same,
    sample,
    tile,
)

SIGNS = ("signed", "unsigned")
COUNT = 256
Check = Callable[[Signature, list[str]], None]


def is_finite(*values: Number) -> bool:
    return not any(isinstance(x, float) and (isnan(x) or isinf(x)) for x in values)


def sign_of(value: Number) -> float:
    if isinstance(value, float):
        return copysign(1.0, value)
    return -1.0 if value < 0 else 1.0


def run(
    name: str,
    row: Signature,
    operands: list[np.ndarray],
    shape: tuple[int, ...] | None = None,
    **attributes: Any,
) -> np.ndarray:
    """The op on operands of the signature's types."""
    shape = operands[0].shape if shape is None else shape
    pairs = [(a, kind) for a, kind in zip(operands, row, strict=False)]
    return apply(name, pairs, [(shape, row[-1])], **attributes)


# Integers


def wrap(value: int, kind: str) -> int:
    return value & ((1 << WIDTHS[kind]) - 1)


def quotient(x: int, y: int, mode: str) -> int:
    exact = Fraction(x, y)
    return {"zero": trunc, "negative_inf": floor, "positive_inf": ceil}[mode](exact)


INTEGER: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
}
READ: dict[str, Callable[[int, int], int]] = {
    "maxi": max,
    "mini": min,
    "remi": lambda x, y: x - y * quotient(x, y, "zero"),
    "shri": lambda x, y: x >> y,
}
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less_than": operator.lt,
    "less_than_or_equal": operator.le,
    "greater_than": operator.gt,
    "greater_than_or_equal": operator.ge,
}


def integer_pairs(name: str, kind: str, sign: str) -> tuple[np.ndarray, np.ndarray]:
    """Operands for which the op is defined."""
    a, b = sample(kind, COUNT, 1), sample(kind, COUNT, 2)
    if name in ("shli", "shri"):
        amounts = np.arange(COUNT, dtype=np.uint64) % np.uint64(WIDTHS[kind])
        b = tile(kind, amounts)
    if name in ("divi", "remi"):
        lowest = -(1 << (WIDTHS[kind] - 1))
        bad = [
            read(y, kind, sign) == 0
            or (read(x, kind, sign), read(y, kind, sign)) == (lowest, -1)
            for x, y in zip(patterns(kind, a), patterns(kind, b), strict=True)
        ]
        one, zero = (tile(kind, np.array([n], np.uint64))[0] for n in (1, 0))
        a, b = np.where(bad, zero, a), np.where(bad, one, b)
    return a, b


def integer_binary(name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        kind = row[0]
        for sign in SIGNS if name in (*READ, "divi") else ("unsigned",):
            a, b = integer_pairs(name, kind, sign)
            roundings = ["zero", "positive_inf", "negative_inf"]
            for mode in roundings if name == "divi" else [""]:
                if (sign, mode) == ("unsigned", "negative_inf"):
                    continue
                attributes: dict[str, Any] = {"signedness": sign, "rounding": mode}
                got = run(name, row, [a, b], **attributes)
                expected = [
                    wrap(_integer(name, x, y, kind, sign, mode), kind)
                    for x, y in zip(patterns(kind, a), patterns(kind, b), strict=True)
                ]
                assert patterns(kind, got) == expected

    return check


def _integer(name: str, x: int, y: int, kind: str, sign: str, mode: str) -> int:
    if name in INTEGER:
        return INTEGER[name](x, y)
    if name == "mulhii":
        return x * y >> WIDTHS[kind]
    if name == "shli":
        return x << y
    left, right = read(x, kind, sign), read(y, kind, sign)
    if name == "shri":
        return left >> y
    if name == "divi":
        return quotient(left, right, mode)
    return READ[name](left, right)


def integer_unary(function: Callable[[int], int], name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        a = sample(row[0], COUNT, 3)
        expected = [
            wrap(function(read(x, row[0], "signed")), row[0])
            for x in patterns(row[0], a)
        ]
        assert patterns(row[0], run(name, row, [a])) == expected

    return check


def cmpi(row: Signature, modes: list[str]) -> None:
    a, b = sample(row[0], COUNT, 1), sample(row[0], COUNT, 2)
    for sign in SIGNS:
        for predicate, relation in COMPARE.items():
            got = run(
                "cmpi", row, [a, b], comparison_predicate=predicate, signedness=sign
            )
            assert got.tolist() == [
                relation(read(x, row[0], sign), read(y, row[0], sign))
                for x, y in zip(patterns(row[0], a), patterns(row[0], b), strict=True)
            ]


# Floats


def add(x: Number, y: Number, mode: str) -> Number:
    """The exact sum; a zero of two opposite numbers is -0 only towards -inf."""
    if not is_finite(x, y):
        return _near(x) + _near(y)
    total = Fraction(x) + Fraction(y)
    if total:
        return total
    if x == 0 and sign_of(x) == sign_of(y):
        return copysign(0.0, sign_of(x))
    return -0.0 if mode == "negative_inf" else 0.0


def multiply(x: Number, y: Number, mode: str = "") -> Number:
    if is_finite(x, y) and x != 0 and y != 0:
        return Fraction(x) * Fraction(y)
    return _near(x) * _near(y)


def _near(x: Number) -> float:
    """A float of the same class and sign: finite numbers other than zero become 1."""
    return float(x) if not is_finite(x) or x == 0 else sign_of(x)


def divide(x: Number, y: Number, mode: str = "") -> Number:
    if is_finite(x, y) and y != 0 and x != 0:
        return Fraction(x) / Fraction(y)
    if y == 0:
        return _near(x) * copysign(inf, sign_of(y)) if x != 0 else nan
    return _near(x) / _near(y)


def remainder(x: Number, y: Number, mode: str = "") -> Number:
    if not is_finite(x) or y == 0 or (isinstance(y, float) and isnan(y)):
        return nan
    if not is_finite(y) or x == 0:
        return x
    exact = Fraction(x) - trunc(Fraction(x) / Fraction(y)) * Fraction(y)
    return exact or copysign(0.0, sign_of(x))


def rounded(value: Number, kind: str, mode: str) -> Number:
    return value if not is_finite(value) or value == 0 else round_to(value, kind, mode)


def operands(kind: str, count: int) -> list[np.ndarray]:
    return [sample(kind, COUNT, 10 + seed) for seed in range(count)]


def corners(kind: str, count: int) -> list[np.ndarray]:
    """Every choice of `count` numbers at the ends of the format, zeros and ones."""
    form = FORMATS[kind]
    top = ((1 << form.exponent) - 1) << form.fraction  # infinity
    sign = 1 << (form.exponent + form.fraction)
    sizes = [0, 1, 1 << form.fraction, form.bias << form.fraction, top - 1, top]
    codes = [size | s for size in sizes for s in (0, sign)] + [top + 1]
    grids = np.meshgrid(*[np.array(codes, np.uint64)] * count)
    return [tile(kind, grid.reshape(-1)) for grid in grids]


def float_exact(name: str, function: Callable[..., Number], arity: int) -> Check:
    """One rounding of the exact value, in each IEEE mode."""

    def check(row: Signature, modes: list[str]) -> None:
        for tiles in (operands(row[0], arity), corners(row[0], arity)):
            _check_exact(name, function, row, tiles)

    return check


def _check_exact(
    name: str,
    function: Callable[..., Number],
    row: Signature,
    tiles: list[np.ndarray],
) -> None:
    values = [numbers(row[0], a) for a in tiles]
    for mode in MODES if name != "remf" else MODES[:1]:
        got = run(name, row, tiles, rounding_mode=mode)
        exact = [function(*x, mode) for x in zip(*values, strict=True)]
        same(row[-1], got, [rounded(x, row[-1], mode) for x in exact])


def fused(x: Number, y: Number, z: Number, mode: str) -> Number:
    return add(multiply(x, y), z, mode)


def square_root(x: Number, mode: str) -> Number:
    if x == 0 or not is_finite(x):
        return nan if isinstance(x, float) and x == -inf else x
    return nan if x < 0 else root(Fraction(x))


def whole(function: Callable[[Fraction], int], name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        (a,) = operands(row[0], 1)
        expected = [
            (Fraction(function(Fraction(x))) or copysign(0.0, sign_of(x)))
            if is_finite(x) and x != 0
            else x
            for x in numbers(row[0], a)
        ]
        same(row[0], run(name, row, [a]), expected)

    return check


def sign_bit(name: str, change: Callable[[int, int], int]) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        (a,) = operands(row[0], 1)
        form = FORMATS[row[0]]
        top = 1 << (form.exponent + form.fraction)
        got = patterns(row[0], run(name, row, [a]))
        for before, after in zip(patterns(row[0], a), got, strict=True):
            if decode(before, row[0]) == decode(before, row[0]):  # no NaN
                assert after == change(before, top)

    return check


def extreme(name: str) -> Check:
    def choose(x: Number, y: Number, propagate: bool) -> Number:
        missing = [isinstance(v, float) and isnan(v) for v in (x, y)]
        if any(missing):
            return nan if propagate or all(missing) else (y if missing[0] else x)
        pair = sorted((x, y), key=lambda v: (v, sign_of(v)))  # -0 below +0
        return pair[name == "maxf"]

    def check(row: Signature, modes: list[str]) -> None:
        a, b = corners(row[0], 2)
        pairs = list(zip(numbers(row[0], a), numbers(row[0], b), strict=True))
        for propagate in (False, True):
            got = run(name, row, [a, b], propagate_nan=propagate)
            same(row[0], got, [choose(x, y, propagate) for x, y in pairs])

    return check


def cmpf(row: Signature, modes: list[str]) -> None:
    a, b = corners(row[0], 2)
    pairs = list(zip(numbers(row[0], a), numbers(row[0], b), strict=True))
    for predicate, relation in COMPARE.items():
        for ordering in ("ordered", "unordered"):
            got = run(
                "cmpf",
                row,
                [a, b],
                comparison_predicate=predicate,
                comparison_ordering=ordering,
            )
            assert got.tolist() == [
                relation(x, y) if x == x and y == y else ordering == "unordered"
                for x, y in pairs
            ]


CHECKS: dict[str, Check] = {
    **{
        name: integer_binary(name)
        for name in (*INTEGER, *READ, "divi", "mulhii", "shli")
    },
    "negi": integer_unary(operator.neg, "negi"),
    "absi": integer_unary(abs, "absi"),
    "cmpi": cmpi,
    "addf": float_exact("addf", add, 2),
    "subf": float_exact(
        "subf",
        lambda x, y, mode: add(x, -y, mode),
        2,
    ),
    "mulf": float_exact("mulf", multiply, 2),
    "divf": float_exact("divf", divide, 2),
    "remf": float_exact("remf", remainder, 2),
    "fma": float_exact("fma", fused, 3),
    "sqrt": float_exact("sqrt", square_root, 1),
    "floor": whole(cast("Callable[[Fraction], int]", floor), "floor"),
    "ceil": whole(cast("Callable[[Fraction], int]", ceil), "ceil"),
    "negf": sign_bit("negf", operator.xor),
    "absf": sign_bit("absf", lambda x, top: x & ~top),
    "maxf": extreme("maxf"),
    "minf": extreme("minf"),
    "cmpf": cmpf,
}
"""The check of each op."""
