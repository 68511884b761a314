# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands to measure functions on: all there are, or every part of their range."""

from __future__ import annotations

import numpy as np

from ulp.subjects import FORMATS, Array, Subject


def operands_of(subject: Subject, element: str, count: int) -> list[Array]:
    """Operands for a measurement; more than `count` where special values come to it.

    A 16-bit operand that stands alone takes all its values.
    """
    rng = np.random.default_rng(1)
    if not subject.has_two:
        if FORMATS[element].word.itemsize == 2:
            return [np.arange(1 << 16, dtype=np.uint16).view(FORMATS[element].dtype)]
        return [_everywhere(rng, element, count)]
    if subject.exponent:
        return _powers_by_integer(rng, element, count)
    pairs = _powers if subject.op == "pow" else _quotients
    first, second = pairs(rng, element, count)
    if subject.op == "divf" and subject.mode == "approx":
        return [first, second]  # others are outside its range
    specials = np.meshgrid(special(element), special(element), indexing="ij")
    return [
        np.concatenate([a, b, c.reshape(-1)])
        for a, b, c in zip(
            (first, second),
            (_bits(rng, element, count // 4), _bits(rng, element, count // 4)),
            specials,
            strict=True,
        )
    ]


def special(element: str) -> Array:
    """Zeros, ones, infinities, NaN, the ends of the ranges, both signs."""
    form = FORMATS[element]
    smallest_normal = 1 << form.fraction_bits
    infinity = (2 * form.largest_exponent + 1) * smallest_normal
    codes = [0, 1, smallest_normal - 1, smallest_normal, infinity - 1, infinity]
    codes += [infinity + smallest_normal // 2]
    values = np.array(codes, form.word).view(form.dtype)
    ordinary = np.array([1.0, 0.5, 2.0, 3.0, 0.75], form.dtype)
    values = np.concatenate([values, ordinary])
    return np.concatenate([values, np.negative(values)])


def _bits(rng: np.random.Generator, element: str, count: int) -> Array:
    form = FORMATS[element]
    most = np.iinfo(form.word).max
    return rng.integers(0, most, count, form.word, endpoint=True).view(form.dtype)


def _everywhere(rng: np.random.Generator, element: str, count: int) -> Array:
    """Codes at even distances, each moved at random within its part; special values.

    Of f64 half the numbers have ordinary magnitudes, as few of its codes do.
    """
    word = FORMATS[element].word
    step = (1 << 8 * word.itemsize) // count
    codes = np.arange(count, dtype=word) * word.type(step)
    codes += rng.integers(0, step, count, word)
    values = codes.view(FORMATS[element].dtype)
    if element == "f64":
        values[::2] = _magnitudes(rng, element, values[::2].size, -30, 11)
    return np.concatenate([values, special(element)])


def _magnitudes(
    rng: np.random.Generator, element: str, count: int, low: int, high: int
) -> Array:
    """Numbers of both signs with exponents from low up to below high."""
    fraction = 1.0 + rng.random(count)
    values = np.ldexp(fraction, rng.integers(low, high, count))
    return (values * rng.choice([-1.0, 1.0], count)).astype(FORMATS[element].dtype)


def _quotients(
    rng: np.random.Generator, element: str, count: int
) -> tuple[Array, Array]:
    """Operands of nearby magnitudes, from the whole range of the type."""
    most = FORMATS[element].largest_exponent
    exponent = rng.integers(-most + 1, most - 1, count)
    second = np.ldexp(1.0 + rng.random(count), exponent)
    near = np.clip(exponent + rng.integers(-8, 25, count), -most, most - 1)
    first = np.ldexp(1.0 + rng.random(count), near)
    signs = rng.choice([-1.0, 1.0], (2, count))
    return (
        (first * signs[0]).astype(FORMATS[element].dtype),
        (second * signs[1]).astype(FORMATS[element].dtype),
    )


def _powers(rng: np.random.Generator, element: str, count: int) -> tuple[Array, Array]:
    """Bases of all magnitudes, many near one, and exponents for results in range."""
    most = FORMATS[element].largest_exponent
    base = np.ldexp(1.0 + rng.random(count), rng.integers(-most, most, count))
    near = 1.0 + rng.standard_normal(count) * np.exp2(rng.integers(-20, 0, count))
    base = np.where(rng.random(count) < 0.5, np.abs(near), base).astype(
        FORMATS[element].dtype
    )
    target = rng.uniform(-1.2 * most, 1.2 * most, count)
    with np.errstate(all="ignore"):
        exponent = target / np.log2(base.astype(np.float64))
        return base, exponent.astype(FORMATS[element].dtype)


def _powers_by_integer(
    rng: np.random.Generator, element: str, count: int
) -> list[Array]:
    base, exponent = _powers(rng, element, count)
    with np.errstate(all="ignore"):
        whole = np.nan_to_num(np.rint(exponent.astype(np.float64)), nan=0.0)
    whole = np.clip(whole, -(2.0**31), 2.0**31 - 1).astype(np.int32)
    small = rng.integers(-9, 10, count).astype(np.int32)
    whole = np.where(rng.random(count) < 0.2, small, whole)
    base = np.where(rng.random(count) < 0.3, np.negative(base), base)
    values = special(element)
    exponents = np.array([0, 1, -1, 2, -2, 3, -(2**31), 2**31 - 1, 2**24 + 1], np.int32)
    pairs = np.meshgrid(values, exponents, indexing="ij")
    return [
        np.concatenate([base, pairs[0].reshape(-1)]),
        np.concatenate([whole, pairs[1].reshape(-1)]),
    ]
