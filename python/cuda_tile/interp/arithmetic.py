# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The five correctly rounded operations: add, multiply, divide, square root, fma.

Each takes arrays of one float element type and gives that type, rounded once.
nearest_even in f16, bf16 and f32 uses NumPy's own arithmetic, which rounds each of
+ - * / sqrt correctly (f32 has 2p+2 bits for the 16-bit types, so their detour
through f32 is harmless). All else goes through `rounding.py`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import copysign, isqrt, nan

import numpy as np

from cuda_tile.interp.rounding import (
    Floats,
    round_fraction,
    round_to,
    to_odd,
    two_product,
    two_sum,
    widen,
)
from cuda_tile.runtime.elements import Array, Element


def add(a: Array, b: Array, kind: Element, mode: str) -> Array:
    """A + b; an exact zero of opposite signs is -0 under negative_inf, else +0."""
    if mode == "nearest_even":
        return np.asarray(a + b)
    x, y = widen(a), widen(b)
    total, error = two_sum(x, y)
    if kind.name == "f64":
        result: Array = _elementwise(partial(_binary, operator.add, mode), total, x, y)
    else:
        result = round_to(to_odd(total, error), kind, mode)
    return _zero_sign(result, total, np.signbit(x), np.signbit(y), mode)


def multiply(a: Array, b: Array, kind: Element, mode: str) -> Array:
    """A * b."""
    if mode == "nearest_even":
        return np.asarray(a * b)
    x, y = widen(a), widen(b)
    product = x * y  # exact below f64: at most 48 bits
    if kind.name != "f64":
        return round_to(product, kind, mode)
    exact = _elementwise(partial(_binary, operator.mul, mode), product, x, y)
    return np.copysign(exact, product)


def divide(a: Array, b: Array, kind: Element, mode: str) -> Array:
    """A / b."""
    if mode == "nearest_even":
        return np.asarray(a / b)
    x, y = widen(a), widen(b)
    quotient = x / y
    if kind.name != "f64":
        product, error = two_product(quotient, y)
        rest = (x - product) - error
        return round_to(to_odd(quotient, rest * np.sign(y)), kind, mode)
    divisor = np.where(y == 0, np.nan, y)  # x/0 keeps the native result
    exact = _elementwise(partial(_binary, _quotient, mode), quotient, x, divisor)
    return np.copysign(exact, quotient)


def _quotient(a: Fraction, b: Fraction) -> Fraction:
    return a / b


def _binary(
    operation: Callable[[Fraction, Fraction], Fraction], mode: str, a: float, b: float
) -> float:
    return round_fraction(operation(Fraction(a), Fraction(b)), mode)


def square_root(a: Array, kind: Element, mode: str) -> Array:
    """The square root; NaN below zero, -0 for -0."""
    x = widen(a)
    root = np.sqrt(x)
    if kind.name != "f64":
        square, error = two_product(root, root)
        return round_to(to_odd(root, (x - square) - error), kind, mode)
    if mode == "nearest_even":
        return root
    return _elementwise(partial(_root, mode), root, x)


def _root(mode: str, value: float) -> float:
    """The f64 square root in a directed mode, by an integer root with spare bits."""
    if value <= 0:
        return value if value == 0 else nan
    exact = Fraction(value)
    shift = 1 << 1200  # both halves of f64's range become large integers
    scaled = exact * shift * shift * 4**64
    whole = isqrt(scaled.numerator // scaled.denominator)
    sticky = Fraction(whole) ** 2 != scaled
    return round_fraction(Fraction(2 * whole + sticky, 2 * shift * 2**64), mode)


def fma(a: Array, b: Array, c: Array, kind: Element, mode: str) -> Array:
    """A * b + c with one rounding."""
    x, y, z = widen(a), widen(b), widen(c)
    product = x * y
    total, error = two_sum(product, z)
    if kind.name == "f64":  # where a product that overflows meets no infinity
        total = np.where(np.isinf(z) & np.isfinite(x) & np.isfinite(y), z, total)
        return _elementwise(partial(_fma, mode), total, x, y, z)
    result = round_to(to_odd(total, error), kind, mode)
    return _zero_sign(result, total, np.signbit(x) ^ np.signbit(y), np.signbit(z), mode)


def _fma(mode: str, a: float, b: float, c: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return round_fraction(exact, mode)
    product_sign = copysign(1.0, a) * copysign(1.0, b)
    if product_sign == copysign(1.0, c):
        return copysign(0.0, c)
    return -0.0 if mode == "negative_inf" else 0.0


def _zero_sign(
    result: Array, total: Array, first: Array, second: Array, mode: str
) -> Array:
    """Gives exact zero sums their IEEE sign; `first`, `second` are the sign bits."""
    sign = np.where(first == second, first, mode == "negative_inf")
    zero = np.copysign(np.zeros(result.shape), np.where(sign, -1.0, 1.0))
    exact_zero = (total == 0) & (result == 0)
    return np.where(exact_zero, zero.astype(result.dtype), result)


def _elementwise(
    function: Callable[..., float], native: Floats, *operands: Floats
) -> Floats:
    """Applies a scalar function where `native` is finite or may have overflowed.

    Elements with an infinite or NaN operand keep the `native` value.
    """
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    flat = [np.broadcast_to(operand, shape).reshape(-1) for operand in operands]
    result = np.broadcast_to(native, shape).reshape(-1).copy()
    for index, numbers in enumerate(
        zip(*(array.tolist() for array in flat), strict=True)
    ):
        if all(np.isfinite(number) for number in numbers):
            result[index] = function(*numbers)
    return result.reshape(shape)
