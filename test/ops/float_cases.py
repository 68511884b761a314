# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family float: every operation, type, rounding and flag on special values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from elementwise_kernel import (
    SHAPES,
    Statement,
    elementwise_case,
    every_pair,
    shape_name,
)
from emit_data import FLOATS
from op_case import Array, OpCase

IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")
PREDICATES = (
    *("equal", "not_equal", "less_than", "less_than_or_equal"),
    *("greater_than", "greater_than_or_equal"),
)
ALL = ("sm_75", "sm_80", "sm_90", "sm_100")
"""sm_75 has no arithmetic on bf16 and no `max.NaN`, sm_80 only fma of bf16; sm_100 has
arithmetic on pairs of f32."""
FAST_DIVISION_ULP = 2
"""PTX ISA, "div": both `approx`, in the range that `_divisors` gives, and `full`."""


def _modes(element: str) -> list[str]:
    modes = [f" rounding<{mode}>" for mode in IEEE]
    flushed = [f"{mode} flush_to_zero" for mode in modes]
    return modes + flushed if element == "f32" else modes


def _arithmetic(element: str) -> list[Statement]:
    names = ("addf", "subf", "mulf", "divf")
    return [Statement(f"{n} %a, %b{m}") for n in names for m in _modes(element)]


def _fma(element: str) -> list[Statement]:
    return [Statement(f"fma %a, %b, %c{mode}") for mode in _modes(element)]


def _plain(element: str) -> list[Statement]:
    """What rounds nothing."""
    flags = ["", " propagate_nan"]
    if element == "f32":
        flags += [" flush_to_zero", " flush_to_zero propagate_nan"]
    statements = [Statement(f"{n} %a, %b{f}") for n in ("maxf", "minf") for f in flags]
    statements += [Statement(f"{name} %a") for name in ("negf", "absf")]
    statements += [
        Statement(f"cmpf {predicate} {order} %a, %b", "i1", "{T} -> {i1}")
        for predicate in PREDICATES
        for order in ("ordered", "unordered")
    ]
    return [*statements, Statement("remf %a, %b")]


def _near_ties(
    rng: np.random.Generator, count: int, operands: Sequence[str]
) -> list[Array]:
    """Sums of products that lie at a tie of the type, or just beside it."""
    a, b, c = every_pair(rng, count, operands)
    with np.errstate(all="ignore"):
        wide = a.astype(np.float64) * b.astype(np.float64)
        scale = rng.choice([-1.0, 1.0, -0.5, 2.0**-9, 2.0**-12, 2.0**14], count)
        near = (wide * scale).astype(a.dtype)
    return [a, b, np.where(rng.random(count) < 0.7, near, c)]


def _divisors(
    rng: np.random.Generator, count: int, operands: Sequence[str]
) -> list[Array]:
    """Dividends of every kind, divisors for which `approx` keeps its bound."""
    a, _ = every_pair(rng, count, operands)
    exponents = rng.integers(-126, 126, count)
    b = np.ldexp(1.0 + rng.random(count), exponents) * rng.choice([-1.0, 1.0], count)
    return [a, b.astype(a.dtype)]


def _divisions() -> list[Statement]:
    return [
        Statement(f"divf %a, %b rounding<{mode}>{ftz}", ulp=FAST_DIVISION_ULP)
        for mode in ("approx", "full")
        for ftz in ("", " flush_to_zero")
    ]


def _shapes(element: str) -> list[OpCase]:
    statements = [
        Statement("addf %a, %b"),
        Statement("divf %a, %b rounding<zero>"),
        Statement("maxf %a, %b"),
        Statement("remf %a, %b"),
    ]
    return [
        elementwise_case(
            f"{element}-{shape_name(shape)}", [element] * 2, statements, shape=shape
        )
        for shape in SHAPES
    ]


def _cases(element: str) -> list[OpCase]:
    two, three = [element] * 2, [element] * 3
    plain = _plain(element)
    return [
        elementwise_case(f"arithmetic-{element}", two, _arithmetic(element), chips=ALL),
        elementwise_case(f"plain-{element}", two, plain, shape=(512,), chips=ALL),
        elementwise_case(
            f"fma-{element}", three, _fma(element), values=_near_ties, chips=ALL
        ),
        *_shapes(element),
    ]


CASES = [
    *(case for element in FLOATS for case in _cases(element)),
    elementwise_case("fast-division", ["f32"] * 2, _divisions(), values=_divisors),
]
