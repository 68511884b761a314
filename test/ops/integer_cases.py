# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family integer: every operation, width, signedness and rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from elementwise_kernel import (
    SHAPES,
    Statement,
    Values,
    elementwise_case,
    every_pair,
    shape_name,
)
from emit_data import INTEGERS
from op_case import Array, OpCase

SIGNS = ("signed", "unsigned")
PREDICATES = (
    *("equal", "not_equal", "less_than", "less_than_or_equal"),
    *("greater_than", "greater_than_or_equal"),
)
PLAIN = ("addi", "subi", "muli", "mulhii")
ROUNDINGS = {
    "signed": ("zero", "negative_inf", "positive_inf"),
    "unsigned": ("zero", "positive_inf"),
}


def _wrapping() -> list[Statement]:
    statements = [Statement(f"{name} %a, %b") for name in PLAIN]
    statements += [Statement(f"{name} %a") for name in ("absi", "negi")]
    statements += [
        Statement(f"{name} %a, %b {sign}")
        for name in ("maxi", "mini")
        for sign in SIGNS
    ]
    return statements + [
        Statement(f"cmpi {predicate} %a, %b, {sign}", "i1", "{T} -> {i1}")
        for predicate in PREDICATES
        for sign in SIGNS
    ]


def _divisions(sign: str) -> list[Statement]:
    modes = [Statement(f"divi %a, %b {sign} rounding<{m}>") for m in ROUNDINGS[sign]]
    return [*modes, Statement(f"remi %a, %b {sign}")]


def _dividends(sign: str) -> Values:
    """Operands that may be divided: no zero divisor, no smallest number by -1."""

    def values(
        rng: np.random.Generator, count: int, operands: Sequence[str]
    ) -> list[Array]:
        a, b = every_pair(rng, count, operands)
        b = np.where(b == 0, np.ones_like(b), b)
        if sign == "signed":
            lowest = True if operands[0] == "i1" else np.iinfo(a.dtype).min
            overflows = (a == lowest) & (b == (True if operands[0] == "i1" else -1))
            a = np.where(overflows, np.zeros_like(a), a)
        return [a, b]

    return values


DIVISORS = (1, 2, 16, 64, 3, 100, -2, -5)
"""Powers of two, which are shifts, and others."""


def _by_constants(sign: str, element: str) -> OpCase:
    """Quotients and rests of divisors that are known, by dividends of every kind."""
    divisors = [number for number in DIVISORS if sign == "signed" or number > 0]
    names = [f"%d{number}".replace("-", "minus") for number in divisors]
    lines = (f"constant <{element}: {number}> : {{T}}" for number in divisors)
    setup = [f"{name} = {line}" for name, line in zip(names, lines, strict=True)]
    modes = [f"divi %a, {{}} {sign} rounding<{mode}>" for mode in ROUNDINGS[sign]]
    texts = [*modes, f"remi %a, {{}} {sign}"]
    statements = [Statement(t.format(name)) for name in names for t in texts]
    name = f"divide-{sign}-{element}-by-constants"
    return elementwise_case(name, [element], statements, setup=setup)


def _shifts() -> list[Statement]:
    names = ("shli %a, %b", "shri %a, %b signed", "shri %a, %b unsigned")
    return [Statement(name) for name in names]


def _amounts(
    rng: np.random.Generator, count: int, operands: Sequence[str]
) -> list[Array]:
    """Amounts below the width; more is undefined."""
    (a,) = every_pair(rng, count, operands[:1])
    bits = int(operands[1][1:])
    return [a, rng.integers(0, bits, count).astype(a.dtype)]


def _promised(element: str) -> OpCase:
    """Operands so small that every promise of `overflow` holds."""
    flags = ("no_signed_wrap", "no_unsigned_wrap", "no_wrap")
    names = ("addi %a, %b", "subi %a, %b", "muli %a, %b", "shli %a, %b")
    statements = [Statement(f"{n} overflow<{f}>") for n in names for f in flags]
    statements += [Statement("negi %a overflow<no_signed_wrap>")]

    def values(
        rng: np.random.Generator, count: int, operands: Sequence[str]
    ) -> list[Array]:
        most = 0 if element == "i1" else 3
        b = rng.integers(0, most + 1, count).astype(
            every_pair(rng, 1, [element])[0].dtype
        )
        return [np.maximum(b, rng.integers(0, 4 * most + 1, count).astype(b.dtype)), b]

    name = f"promised-{element}"
    return elementwise_case(name, [element] * 2, statements, values=values)


def _cases(element: str) -> list[OpCase]:
    two = [element] * 2
    return [
        elementwise_case(f"wrapping-{element}", two, _wrapping()),
        elementwise_case(f"shift-{element}", two, _shifts(), values=_amounts),
        *(
            elementwise_case(
                f"divide-{sign}-{element}",
                two,
                _divisions(sign),
                values=_dividends(sign),
            )
            for sign in SIGNS
        ),
        _promised(element),
    ]


def _shapes(element: str) -> list[OpCase]:
    statements = [*_divisions("signed"), Statement("mulhii %a, %b")]
    return [
        elementwise_case(
            f"{element}-{shape_name(shape)}",
            [element] * 2,
            statements,
            shape=shape,
            values=_dividends("signed"),
        )
        for shape in SHAPES
    ]


CASES = [
    *(_by_constants(sign, element) for sign in SIGNS for element in ("i8", "i32")),
    *(case for element in INTEGERS for case in _cases(element)),
    *_shapes("i32"),
    *_shapes("i8"),
]
