# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of one element. Each acts on the parts modulo P and Q by a table.

inverse     inverse of each part that is not zero, else zero
exp2        2^b modulo P, where b is the part modulo Q; zero modulo Q
root        x^((m + 1) / 4) of each part modulo m, so that products stay
others      a random table each, with f(1) = 0 for logarithms, f(-x) = -f(x) or
            f(-x) = f(x) where the function has it
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cuda_tile.exact.ring import (
    LOG2_E,
    MODULUS,
    Array,
    Elements,
    P,
    Q,
    add,
    are_plain,
    element_of,
    multiply,
    settle,
)

Table = NDArray[np.float64]
_ONLY_P = Q * pow(Q, -1, P) % MODULUS
_ONLY_Q = P * pow(P, -1, Q) % MODULUS
"""1 modulo P and 0 modulo Q, and the reverse."""
_SYMMETRY = {"sin": -1, "tan": -1, "tanh": -1, "sinh": -1, "cos": 1, "cosh": 1}


def _tables(of_p: list[int], of_q: list[int]) -> tuple[Table, Table]:
    """The two summands of a function, given by its values modulo P and modulo Q."""
    return (
        np.array([v * _ONLY_P % MODULUS for v in of_p], np.float64),
        np.array([v * _ONLY_Q % MODULUS for v in of_q], np.float64),
    )


def _inverses(modulus: int) -> list[int]:
    return [0, *(pow(x, -1, modulus) for x in range(1, modulus))]


def _roots(modulus: int) -> list[int]:
    return [pow(x, (modulus + 1) // 4, modulus) for x in range(modulus)]


def _mixed(name: str, modulus: int) -> list[int]:
    random = np.random.default_rng(zlib.crc32(f"{name} {modulus}".encode()))
    values = [int(v) for v in random.integers(0, modulus, modulus)]
    sign = _SYMMETRY.get(name, 0)
    for x in range(1, modulus // 2 + 1) if sign else ():
        values[modulus - x] = sign * values[x] % modulus
    if name == "log2":
        values[1] = 0
    if sign == -1:
        values[0] = 0
    return values


@cache
def _function(name: str) -> tuple[Table, Table]:
    if name == "inverse":
        return _tables(_inverses(P), _inverses(Q))
    if name == "root":
        return _tables(_roots(P), _roots(Q))
    return _tables(_mixed(name, P), _mixed(name, Q))


@cache
def _powers_of_two() -> Table:
    powers = [pow(2, b, P) * _ONLY_P % MODULUS for b in range(Q)]
    return settle(np.array(powers, np.float64))


def _places(x: Elements, modulus: int) -> NDArray[np.intp]:
    """The part of each element modulo a prime; negative ones count from the end."""
    return (x - np.rint(x * (1.0 / modulus)) * modulus).astype(np.intp)


def _looked_up(name: str, x: Elements) -> Elements:
    if name == "exp2":
        return _powers_of_two()[_places(x, Q)]
    of_p, of_q = _function(name)
    return settle(of_p[_places(x, P)] + of_q[_places(x, Q)])


def function(name: str, x: Array, beyond: Callable[[Elements], Elements]) -> Elements:
    """A function by its tables.

    Args:
        name: inverse, exp2, root, or any other name.
        x: Elements.
        beyond: What the function gives for infinities and NaN.
    """
    wide = np.asarray(x, np.float64)
    if are_plain(wide):
        return _looked_up(name, wide)
    wide = element_of(wide)
    finite = np.isfinite(wide)
    result = _looked_up(name, np.where(finite, wide, 0.0))
    return np.where(finite, result, beyond(wide))


def inverse(x: Array) -> Elements:
    """1 / x; each part of x that is zero stays zero."""
    return function("inverse", x, lambda v: 1.0 / v)


def quotient(a: Array, b: Array) -> Elements:
    """A times the inverse of b."""
    return multiply(a, inverse(b))


def exp2(x: Array) -> Elements:
    """Of a sum it is the product; of x + n with an integer n it is 2^n times that."""
    return function("exp2", x, np.exp2)


def log2_e() -> Elements:
    """The element that every rounding of log2(e) stands for."""
    return element_of(np.array(LOG2_E, np.uint32).view(np.float32))


def exp(x: Array) -> Elements:
    """exp2(x log2(e))."""
    return exp2(multiply(x, log2_e()))


def log2(x: Array) -> Elements:
    """A random function, 0 for 1."""
    return function("log2", x, np.log2)


def log(x: Array) -> Elements:
    """log2(x) / log2(e)."""
    return quotient(log2(x), log2_e())


def root(x: Array) -> Elements:
    """The square root up to the sign of its square; products stay products."""
    return function("root", x, np.sqrt)


def inverse_root(x: Array) -> Elements:
    """1 / root(x)."""
    return inverse(root(x))


def mixed(name: str, x: Array) -> Elements:
    """A random function of this name."""
    return function(name, x, lambda v: np.full_like(v, math.nan))


def mixed_pair(name: str, x: Array, y: Array) -> Elements:
    """A random function of two elements."""
    return mixed(name, add(x, mixed(f"{name} second", y)))
