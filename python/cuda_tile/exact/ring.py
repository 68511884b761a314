# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ring Z/N, its elements as floats, and the map from numbers to elements.

N = P Q with primes P = 2 Q + 1, where 2 has the order Q modulo P. An element is the
float64 whose value is its representative between -N/2 and N/2: an integer below 2^24,
which f32 holds exactly, and whose products float64 does. A finite float of any bits
stands for m 2^e modulo N, so an element stands for itself, literals need no marking,
and constants that a compiler computes from dyadic numbers without rounding fit.
The infinities and NaN are no elements; they keep IEEE 754's rules, but for one: an
infinity times an element that is not zero keeps its sign, as an element has none.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Elements = NDArray[np.float64]
Array = NDArray[Any]

Q = 3851
P = 2 * Q + 1
MODULUS = P * Q
PRODUCTS = 32
"""Products of two elements, with one element more, that float64 sums exactly."""
_SAFE = 2.0**50
"""Below, one quotient in float64 finds the multiple of N to take off."""
_INVERSE = 1.0 / MODULUS
_FLOAT_MODULUS = float(MODULUS)
_HALF = MODULUS // 2
_LEAST_EXPONENT, _MOST_EXPONENT = -1140, 1030

LOG2_E = 0x3FB8AA3B
"""Bits of the f32 next to log2(e)."""


@cache
def _powers() -> NDArray[np.int64]:
    """2^e modulo N, from the least exponent on."""
    exponents = range(_LEAST_EXPONENT, _MOST_EXPONENT)
    return np.array([pow(2, e, MODULUS) for e in exponents], np.int64)


@cache
def named(modulus: int) -> dict[int, int]:
    """What mantissas (integers of 53 bits) of rounded irrational constants stand for.

    A compiler splits and rounds log2(e) and ln(2) as it likes. All roundings of log2(e)
    are one element, those of ln(2) its inverse, and what rounding left of ln(2) is 0.

    Args:
        modulus: Of the ring or field.
    """
    nearest = np.array(LOG2_E, np.uint32).view(np.float32).astype(float)
    log2_e, scale = int(nearest * 2**52), pow(2, -52, modulus)
    ln_2 = pow(log2_e * scale, -1, modulus) * 2 * pow(scale, -1, modulus)
    names: dict[int, int] = {}
    for number, stands in ((math.log2(math.e), log2_e), (math.log(2), ln_2)):
        single = np.float32(number)
        for near in (-1, 0, 1):
            next_to = np.nextafter(single, np.float32(single + near))
            names[_mantissa(float(next_to))] = stands
        names[_mantissa(number)] = stands
    rest = np.float32(math.log(2) - float(np.float32(math.log(2))))
    names[_mantissa(float(rest))] = 0
    return names


def _mantissa(number: float) -> int:
    return int(abs(math.frexp(number)[0]) * 2**53)


def element_of(values: Array) -> Elements:
    """The elements that finite floats stand for; infinities and NaN stay."""
    wide = np.asarray(values, np.float64)
    finite = np.isfinite(wide)
    if not np.count_nonzero(finite & ~((np.rint(wide) == wide) & (abs(wide) <= _HALF))):
        return wide
    fraction, exponent = np.frexp(np.where(finite, wide, 0.0))
    whole = (fraction * 2.0**53).astype(np.int64)
    size = np.abs(whole)
    for mantissa, stands in named(MODULUS).items():
        if (at := size == mantissa).any():
            whole = np.where(at, np.sign(whole) * stands, whole)
    power = _powers()[exponent - 53 - _LEAST_EXPONENT]
    return np.where(finite, of_integers(whole % MODULUS * power), wide)


def of_integers(values: Array) -> Elements:
    """The elements of integers of any width."""
    if values.dtype == np.uint64:
        values = values % np.uint64(MODULUS)
    rest = values.astype(np.int64) % MODULUS
    return np.where(rest > _HALF, rest - MODULUS, rest).astype(np.float64)


def settle(values: Elements) -> Elements:
    """The elements that integers of less than 2^50 are; what is infinite gives NaN."""
    if not values.ndim:
        return values - np.rint(values * _INVERSE) * MODULUS
    multiple = values * _INVERSE
    np.rint(multiple, multiple)
    multiple *= _FLOAT_MODULUS
    return np.subtract(values, multiple, multiple)


def are_plain(elements: Elements) -> bool:
    """Whether all are integers, as far as their sum tells: no NaN, no literal."""
    total = float(np.add.reduce(elements, axis=None))
    return total.is_integer()


def add(a: Array, b: Array) -> Elements:
    """A + b of elements, or of floats that stand for elements."""
    return _computed(np.add, a, b)


def subtract(a: Array, b: Array) -> Elements:
    """A - b."""
    return _computed(np.subtract, a, b)


def multiply(a: Array, b: Array) -> Elements:
    """A * b."""
    x, y = _wide(a), _wide(b)
    result = settle(x * y)
    return result if are_plain(result) else _finished(_product(x, y))


def fma(a: Array, b: Array, c: Array) -> Elements:
    """A * b + c."""
    x, y = _wide(a), _wide(b)
    raw = x * y
    raw += c
    result = settle(raw)
    return result if are_plain(result) else add(_finished(_product(x, y)), c)


def _wide(values: Array) -> Elements:
    return np.asarray(values, np.float64)


def _computed(compute: np.ufunc, a: Array, b: Array) -> Elements:
    x, y = _wide(a), _wide(b)
    result = settle(compute(x, y))
    if are_plain(result):
        return result
    return _finished(compute(element_of(x), element_of(y)))


def _finished(raw: Elements) -> Elements:
    """Settles what is finite."""
    finite = np.isfinite(raw)
    return np.where(finite, settle(np.where(finite, raw, 0.0)), raw)


def _product(x: Elements, y: Elements) -> Elements:
    """The product; an infinity keeps its sign."""
    a, b = element_of(x), element_of(y)
    result = np.multiply(a, b)
    for one, other in ((a, b), (b, a)):
        keeps = np.isinf(one) & np.isfinite(other) & (other != 0)
        result = np.where(keeps, one, result)
    return result


def matmul(a: Array, b: Array, addend: Array | None = None) -> Elements:
    """`a @ b + addend` of elements, [..., M, K] and [..., K, N]."""
    total = None if addend is None else _wide(addend)
    left, right = _wide(a), _wide(b)
    for start in range(0, left.shape[-1], PRODUCTS):
        part = slice(start, start + PRODUCTS)
        raw = np.matmul(left[..., part], right[..., part, :])
        raw = raw if total is None else raw + total
        total = settle(settle(raw))
    assert total is not None, "there is a product"
    return total if are_plain(total) else _careful_matmul(left, right, addend)


def _careful_matmul(a: Elements, b: Elements, addend: Array | None) -> Elements:
    """Where an operand is no element: IEEE 754 says which results are none."""
    left, right = element_of(a), element_of(b)
    start = np.zeros(()) if addend is None else element_of(addend)
    loose = np.matmul(left, right) + start
    parts = (np.where(np.isfinite(v), v, 0.0) for v in (left, right, start))
    first, second, third = parts
    shape = loose.shape
    total = matmul(first, second, np.broadcast_to(third, shape))
    return np.where(np.isfinite(loose), total, loose)
