# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family math: every function, type and mode on special and random operands.

The interpreter computes in f64 and rounds once. The emulator runs what the compiler
made of the function, with approximations of the hardware that are rounded once, so a
function of f16 or bf16 may fall to the other side of a tie.
"""

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
from emit_data import DTYPES, FLOATS
from op_case import Array, OpCase

ULP = {
    "sin": (2, 2),
    "cos": (2, 2),
    "tan": (4, 2),
    "sinh": (3, 2),
    "cosh": (2, 2),
    "tanh": (2, 2),
    "exp": (2, 2),
    "exp2": (2, 2),
    "log": (1, 2),
    "log2": (1, 2),
    "rsqrt": (2, 2),
    "atan2": (3, 3),
    "pow": (4, 3),
}
"""What the results may be off in f32, and in f64, where NumPy itself is
off by up to one. 16-bit types: one."""
UNARY = [name for name in ULP if name not in ("atan2", "pow")]
IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")
ALL = ("sm_75", "sm_80", "sm_90", "sm_100")
TANH_APPROX_ULP = 2.0**13
"""Relative error 2^-11 (PTX ISA, "tanh")."""
EXP_APPROX_ULP = 128
"""|x| 2^-24 for |x| up to 88, and the two of `ex2.approx`."""


def _ulp(name: str, element: str) -> float:
    return {"f32": ULP[name][0], "f64": ULP[name][1]}.get(element, 1)


def _unary(element: str) -> list[Statement]:
    statements = [Statement(f"{n} %a", ulp=_ulp(n, element)) for n in UNARY]
    statements += [Statement(f"{name} %a") for name in ("floor", "ceil")]
    statements += [Statement(f"sqrt %a rounding<{mode}>") for mode in IEEE]
    if element == "f32":
        modes = (*IEEE, "approx")
        statements += [Statement(f"sqrt %a rounding<{m}> flush_to_zero") for m in modes]
        statements += [
            Statement("sqrt %a rounding<approx>", ulp=1),
            Statement("rsqrt %a flush_to_zero", ulp=2),
            Statement("exp2 %a flush_to_zero", ulp=2),
            Statement("exp %a rounding<approx>", ulp=EXP_APPROX_ULP),
            Statement("tanh %a rounding<approx>", ulp=TANH_APPROX_ULP),
        ]
    return statements


def _binary(element: str) -> list[Statement]:
    return [Statement(f"{n} %a, %b", ulp=_ulp(n, element)) for n in ("pow", "atan2")]


def _powers(
    rng: np.random.Generator, count: int, operands: Sequence[str]
) -> list[Array]:
    """Bases around one, and exponents of which some are whole numbers."""
    base, exponent = every_pair(rng, count, operands)
    near, whole = rng.random(count) < 0.3, rng.random(count) < 0.3
    factor = rng.choice([1.0, -1.0], count)
    around = factor * (1.0 + rng.standard_normal(count) * 2.0**-6)
    base = np.where(near, around.astype(base.dtype), base)
    small = rng.integers(-9, 10, count).astype(exponent.dtype)
    return [base, np.where(whole, small, exponent)]


def _constant_powers(element: str) -> OpCase:
    """Exponents that are multiplied out, and the next ones."""
    exponents = (-2, -1, 0, 1, 2, 3, 4, 5)
    setup = [f"%n{i} = constant <i32: {n}> : {{i32}}" for i, n in enumerate(exponents)]
    ulp = {"f32": 4, "f64": 3}.get(element, 1)
    statements = [
        Statement(f"fpowi %a, %n{i}", type="{T}, {i32}", ulp=ulp)
        for i, _ in enumerate(exponents)
    ]
    name = f"fpowi-{element}-constant"
    return elementwise_case(name, [element], statements, setup=setup)


def _integer_powers(element: str, kind: str) -> OpCase:
    def values(
        rng: np.random.Generator, count: int, operands: Sequence[str]
    ) -> list[Array]:
        base, exponent = every_pair(rng, count, operands)
        if kind != "i1":
            small = rng.integers(-20, 21, count).astype(DTYPES[kind])
            exponent = np.where(rng.random(count) < 0.5, small, exponent)
        near = rng.choice([1.0, -1.0], count) * (1.0 + rng.random(count) * 2.0**-20)
        chosen = rng.random(count) < 0.2
        return [np.where(chosen, near.astype(base.dtype), base), exponent]

    ulp = {"f32": 5, "f64": 3}.get(element, 1)
    statement = Statement("fpowi %a, %b", type="{T}, {" + kind + "}", ulp=ulp)
    return elementwise_case(
        f"fpowi-{element}-{kind}", [element, kind], [statement], values=values
    )


def _shapes(element: str) -> list[OpCase]:
    statements = [Statement(f"{n} %a", ulp=_ulp(n, element)) for n in ("exp", "sin")]
    statements += [Statement("pow %a, %b", ulp=_ulp("pow", element))]
    return [
        elementwise_case(
            f"{element}-{shape_name(shape)}",
            [element, element],
            statements,
            shape=shape,
        )
        for shape in SHAPES
    ]


CASES = [
    *(elementwise_case(f"unary-{e}", [e], _unary(e), chips=ALL) for e in FLOATS),
    *(elementwise_case(f"binary-{e}", [e, e], _binary(e)) for e in FLOATS),
    *(elementwise_case(f"pow-{e}", [e, e], _binary(e), values=_powers) for e in FLOATS),
    *(_integer_powers(e, kind) for e in FLOATS for kind in ("i1", "i8", "i16", "i32")),
    *map(_constant_powers, FLOATS),
    *_shapes("f32"),
]
