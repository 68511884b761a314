# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of the math family on one choice of element types, against mpmath.

Infinities, NaN and zeros follow C99's annex F, through the C library; every other
argument is evaluated by mpmath to 40 digits. The dialect specifies little accuracy
here; the interpreter computes in float64, so that its results below f64 are the
rounded exact ones except for near ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, nan
from typing import Any

import mpmath
import numpy as np
from interp_build import apply
from interp_check_numbers import Check
from interp_exact import FIELDS
from interp_legal import Signature
from interp_types import numbers, patterns, read, sample, tile

mpmath.mp.dps = 40

COUNT = 192
ULPS = {"f64": 2.0}
"""Allowed error in units of the last place, where it is not half a unit and a bit."""
HALF = 0.5 + 2.0**-10
FAR = 1100
"""Powers of two beyond every format."""

Evaluate = Callable[..., Any]

FUNCTIONS: dict[str, Evaluate] = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x),
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "atan2": mpmath.atan2,
    "pow": mpmath.power,
    "fpowi": mpmath.power,
}
LOGARITHMS = ("log", "log2")


def c_function(name: str, *x: float) -> float:
    """What C99 says of arguments that are zero, infinite or NaN."""
    if name in (*LOGARITHMS, "rsqrt"):
        return _positive(name, x[0])
    if name in ("pow", "fpowi"):
        return c_power(*x)
    if name == "exp2":
        return math.pow(2.0, x[0])
    try:
        return getattr(math, name)(*x)
    except ValueError:  # sin(inf)
        return nan


def _positive(name: str, x: float) -> float:
    if x == 0:
        return -inf if name in LOGARITHMS else math.copysign(inf, x)
    if x != x or x < 0:
        return nan
    return inf if name in LOGARITHMS else 0.0


def c_power(x: float, y: float) -> float:
    """C's pow, which Python's refuses for zero to a negative power."""
    if x == 0 and y < 0:
        odd = isfinite(y) and y == int(y) and int(y) % 2 == 1
        return math.copysign(inf, x) if odd else inf
    try:
        return math.pow(x, y)
    except ValueError:
        return nan


def exact(name: str, *x: float) -> Any:
    """The value of a function: a float for special arguments, else an mpf."""
    if not all(isfinite(v) and v != 0 for v in x):
        return c_function(name, *x)
    if name in (*LOGARITHMS, "rsqrt") and x[0] < 0:
        return nan
    if name == "pow" and x[0] < 0 and x[1] != int(x[1]):
        return nan
    if name in ("pow", "fpowi") and abs(x[0]) != 1:  # huge powers need no digits
        size = x[1] * math.log2(abs(x[0]))
        if abs(size) > FAR:
            odd = x[0] < 0 and int(x[1]) % 2 == 1
            return math.copysign(inf if size > 0 else 0.0, -1.0 if odd else 1.0)
    if name in ("exp", "exp2", "sinh", "cosh") and abs(x[0]) > FAR:
        if name in ("sinh", "cosh"):
            return math.copysign(inf, x[0]) if name == "sinh" else inf
        return inf if x[0] > 0 else 0.0
    return FUNCTIONS[name](*(mpmath.mpf(v) for v in x))


def ulp(value: Fraction, kind: str) -> Fraction:
    """The distance of neighbours around a value."""
    precision, lowest, _ = FIELDS[kind]
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > value
    return Fraction(2) ** (max(exponent, lowest) - precision + 1)


def rational(value: Any) -> Fraction:
    """The rational that an mpf is."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * mantissa * Fraction(2) ** exponent


def close(kind: str, got: float, true: Any, where: object) -> None:
    """A result is the true value, within the allowed error."""
    if isinstance(true, float):
        if true != true:
            assert got != got, where
        else:
            same_sign = math.copysign(1, got) == math.copysign(1, true)
            special = not true or not isfinite(true)
            near = got == true if special else abs(got - true) <= 2.0**-9 * abs(true)
            assert near, (where, got, true)
            assert same_sign, (where, got, true)
        return
    if abs(mpmath.mag(true)) > FAR:
        true = mpmath.sign(true) * mpmath.ldexp(
            1, FAR if mpmath.mag(true) > 0 else -FAR
        )
    value = rational(true)
    unit = ulp(abs(value), kind)
    largest = Fraction(FIELDS[kind][2])
    allowed = Fraction(ULPS.get(kind, HALF)) * unit
    if not isfinite(got):
        assert abs(value) + allowed > largest, (where, got, true)
        assert (got > 0) == (value > 0), (where, got, true)
    else:
        assert abs(Fraction(got) - value) <= allowed, (where, got, true)


def arguments(name: str, kind: str, count: int) -> list[np.ndarray]:
    """Arguments of which most give an ordinary result."""
    tiles = [sample(kind, COUNT, 20 + seed) for seed in range(count)]
    if name in (*LOGARITHMS, "rsqrt", "pow"):
        tiles[0][::2] = np.abs(tiles[0][::2])
    return tiles


def function(name: str, called: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        count = len(row) - 1
        if row[-2] in FIELDS:
            tiles = arguments(name, row[0], count)
            values = [[float(x) for x in numbers(row[0], t)] for t in tiles]
        else:
            small = np.arange(COUNT, dtype=np.uint64) * np.uint64(37)
            tiles = [*arguments("pow", row[0], 1), tile(row[1], small)]
            values = [
                [float(x) for x in numbers(row[0], tiles[0])],
                [float(read(x, row[1], "signed")) for x in patterns(row[1], tiles[1])],
            ]
        pairs = list(zip(tiles, row, strict=False))
        got = apply(called, pairs, [((COUNT,), row[-1])])
        with np.errstate(invalid="ignore"):  # a NaN that signals
            results = got.astype(np.float64).tolist()
        for mine, *x in zip(results, *values, strict=True):
            close(row[-1], mine, exact(name, *x), (name, x))

    return check


CHECKS: dict[str, Check] = {
    **{name: function(name, name) for name in FUNCTIONS},
}
"""The check of each op."""
