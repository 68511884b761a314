# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float ops: correct rounding against rationals, special values, flushing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import copysign, inf, isfinite, nan

import ml_dtypes
import numpy as np
import pytest
from interp_exact import FIELDS, MODES, root, round_exact, samples
from interp_harness import (
    DTYPES,
    NAMES,
    binary,
    bits,
    evaluate,
    function,
    same_bits,
    tile,
    unary,
)

KINDS = ("f16", "bf16", "f32", "f64")
COUNT = {"f16": 2048, "bf16": 2048, "f32": 2048, "f64": 512}


def rounding(mode: str) -> str:
    return "" if mode == "nearest_even" else f"rounding<{mode}>"


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray, mode: str) -> np.ndarray:
    kind = tile(a.shape, NAMES[a.dtype])
    body = f"%r = fma %a, %b, %c {rounding(mode)} : {kind}"
    return evaluate(body, {"r": (a.shape, NAMES[a.dtype])}, a=a, b=b, c=c)


def check_exact(
    got: np.ndarray,
    kind: str,
    mode: str,
    exact: Callable[..., Fraction],
    *operands: np.ndarray,
) -> None:
    """Every element with finite operands is the rounding of the exact value."""
    for index, numbers in enumerate(zip(*(o.tolist() for o in operands), strict=True)):
        numbers = [float(number) for number in numbers]
        if not all(isfinite(number) for number in numbers):
            continue
        try:
            value = exact(*(Fraction(number) for number in numbers))
        except ZeroDivisionError:
            continue
        result = float(got[index])
        if value == 0:
            assert result == 0, numbers
        else:
            expected = round_exact(value, kind, mode)
            assert result == expected, numbers
            assert copysign(1, result) == copysign(1, expected), numbers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("op", "exact"),
    [
        ("addf", operator.add),
        ("subf", operator.sub),
        ("mulf", operator.mul),
        ("divf", operator.truediv),
    ],
)
def test_rounds_once(
    kind: str, mode: str, op: str, exact: Callable[..., Fraction]
) -> None:
    a, b = samples(kind, COUNT[kind], 1), samples(kind, COUNT[kind], 2)
    got = binary(op, a, b, rounding(mode))
    check_exact(got, kind, mode, exact, a, b)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_fma_rounds_once(kind: str, mode: str) -> None:
    a, b, c = (samples(kind, COUNT[kind], seed) for seed in (1, 2, 3))
    with np.errstate(all="ignore"):
        cancelling = -(a * b)
    check_exact(fma(a, b, c, mode), kind, mode, lambda x, y, z: x * y + z, a, b, c)
    check_exact(
        fma(a, b, cancelling, mode),
        kind,
        mode,
        lambda x, y, z: x * y + z,
        a,
        b,
        cancelling,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_sqrt_rounds_once(kind: str, mode: str) -> None:
    a = np.abs(samples(kind, COUNT[kind], 1))
    got = function("sqrt", a, rounding_mode=mode)
    check_exact(got, kind, mode, root, a)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_signs_of_exact_zero_sums(kind: str, mode: str) -> None:
    dtype = DTYPES[kind]
    a = np.array([0.0, -0.0, 0.0, -0.0, 1.5, -1.5, 1.5, -1.5], dtype)
    b = np.array([0.0, -0.0, -0.0, 0.0, -1.5, 1.5, -1.5, 1.5], dtype)
    opposite = -0.0 if mode == "negative_inf" else 0.0
    expected = np.array([0.0, -0.0, *[opposite] * 6], dtype)
    same_bits(binary("addf", a, b, rounding(mode)), expected)
    same_bits(binary("subf", a, -b, rounding(mode)), expected)
    ones = np.ones(8, dtype)
    same_bits(fma(a, ones, b, mode), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_infinities_and_nan(kind: str, mode: str) -> None:
    values = [0.0, -0.0, 1.0, -2.0, inf, -inf, nan, 3.0]
    a = np.array([x for x in values for _ in values], DTYPES[kind])
    b = np.array([y for _ in values for y in values], DTYPES[kind])
    with np.errstate(all="ignore"):
        wide = a.astype(np.float64), b.astype(np.float64)
        same_bits(
            binary("mulf", a, b, rounding(mode)), (wide[0] * wide[1]).astype(a.dtype)
        )
        quotient = (wide[0] / wide[1]).astype(a.dtype)
        special = ~np.isfinite(quotient) | (quotient == 0)
        got = binary("divf", a, b, rounding(mode))
        same_bits(got[special], quotient[special])
        total = (wide[0] + wide[1]).astype(a.dtype)
        got = binary("addf", a, b, rounding(mode))
        same_bits(got[total != 0], total[total != 0])


def flush(value: float) -> float:
    return copysign(0.0, value) if abs(value) < 2.0**-126 else value


@pytest.mark.parametrize(
    ("op", "compute"),
    [
        ("addf", lambda x, y: x + y),
        ("subf", lambda x, y: x - y),
        ("mulf", lambda x, y: x * y),
        ("divf", lambda x, y: x / y),
    ],
)
def test_flushing_keeps_signs(
    op: str, compute: Callable[[np.float32, np.float32], np.float32]
) -> None:
    values = [1e-40, -1e-40, 0.0, -0.0, 2.0**-126, -(2.0**-126), 1.0, 3e-38]
    a = np.array([x for x in values for _ in values], np.float32)
    b = np.array([y for _ in values for y in values], np.float32)
    with np.errstate(all="ignore"):
        expected = [
            flush(float(compute(np.float32(flush(x)), np.float32(flush(y)))))
            for x, y in zip(a.tolist(), b.tolist(), strict=True)
        ]
    got = binary(op, a, b, "flush_to_zero")
    same_bits(got, np.array(expected, np.float32))


def test_subnormals_are_kept_without_the_flag() -> None:
    a = np.array([1e-40, -1e-40], np.float32)
    same_bits(binary("addf", a, np.zeros(2, np.float32)), a)


def test_approximate_division_of_huge_divisors() -> None:
    a = np.array([1.0, -1.0, inf, 3.0], np.float32)
    b = np.array([1.5 * 2.0**126, 1.5 * 2.0**127, 2.0**127, 2.0**126], np.float32)
    approx = binary("divf", a, b, "rounding<approx>")
    same_bits(approx, np.array([0.0, -0.0, nan, 3.0 * 2.0**-126], np.float32))
    same_bits(binary("divf", a, b, "rounding<full>"), a / b)
    # The zero has the sign of the quotient; a NaN stays one.
    a = np.array([1.0, -1.0, 0.0, -inf, nan, -0.0, 5.0, inf], np.float32)
    b = np.full(8, -1.5 * 2.0**127, np.float32)
    approx = binary("divf", a, b, "rounding<approx>")
    expected = np.array([-0.0, 0.0, -0.0, nan, nan, 0.0, -0.0, nan], np.float32)
    np.testing.assert_array_equal(approx, expected)
    kept = ~np.isnan(expected)
    same_bits(approx[kept], expected[kept])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_fma_of_an_overflowing_product(kind: str, mode: str) -> None:
    """The product is exact, hence finite: an infinite addend is the sum."""
    largest = float(FIELDS[kind][2])
    a = np.array([largest, -largest, largest, inf], DTYPES[kind])
    b = np.array([largest, largest, largest, 1.0], DTYPES[kind])
    c = np.array([-inf, inf, inf, -inf], DTYPES[kind])
    same_bits(fma(a, b, c, mode)[:3], np.array([-inf, inf, inf], DTYPES[kind]))
    assert np.isnan(fma(a, b, c, mode)[3].astype(np.float64))


MAX = [
    (0.0, -0.0, 0.0),
    (-0.0, 0.0, 0.0),
    (-0.0, -0.0, -0.0),
    (1.0, 2.0, 2.0),
    (-inf, 1.0, 1.0),
    (nan, 1.0, 1.0),
    (1.0, nan, 1.0),
    (nan, nan, nan),
]
"""Operands and their maximum; the minimum follows by negation."""


@pytest.mark.parametrize("kind", KINDS)
def test_maxf_minf(kind: str) -> None:
    dtype = DTYPES[kind]
    a, b, expected = np.array(MAX, dtype).T
    same_bits(binary("maxf", a, b), expected)
    same_bits(binary("minf", -a, -b), -expected)
    some_nan = np.isnan(a) | np.isnan(b)
    expected = np.where(some_nan, dtype.type(nan), expected)
    same_bits(binary("maxf", a, b, "propagate_nan"), expected)
    same_bits(binary("minf", -a, -b, "propagate_nan"), -expected)


@pytest.mark.parametrize(
    ("kind", "canonical"), [("f16", 0x7FFF), ("bf16", 0x7FFF), ("f32", 0x7FFFFFFF)]
)
def test_maxf_gives_the_canonical_nan(kind: str, canonical: int) -> None:
    a = np.array([nan, -nan], DTYPES[kind])
    assert bits(binary("maxf", a, a)).tolist() == [canonical] * 2


def test_maxf_flushes() -> None:
    a = np.array([1e-40, -1e-40], np.float32)
    b = np.array([-0.0, -0.0], np.float32)
    same_bits(binary("maxf", a, b, "flush_to_zero"), np.array([0.0, -0.0], np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_negf_absf_move_only_the_sign_bit(kind: str) -> None:
    a = samples(kind, 256, 5)
    top = 1 << (8 * a.itemsize - 1)
    numbers = ~np.isnan(a)
    got = bits(unary("negf", a))[numbers].tolist()
    assert got == [int(v) ^ top for v in bits(a)[numbers]]
    got = bits(unary("absf", a))[numbers].tolist()
    assert got == [int(v) & ~top for v in bits(a)[numbers]]


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_floor_ceil_exhaustively(kind: str) -> None:
    a = np.arange(65536, dtype=np.uint32).astype(np.uint16).view(DTYPES[kind])
    with np.errstate(all="ignore"):
        wide = a.astype(np.float64)
        same_bits(unary("floor", a), np.floor(wide).astype(a.dtype))
        same_bits(unary("ceil", a), np.ceil(wide).astype(a.dtype))


def test_ceil_keeps_the_sign_of_zero() -> None:
    a = np.array([-0.5, -0.0, 0.0, 0.5], np.float32)
    same_bits(unary("ceil", a), np.array([-0.0, -0.0, 0.0, 1.0], np.float32))
    same_bits(unary("floor", a), np.array([-1.0, -0.0, 0.0, 0.0], np.float32))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ordering", ["ordered", "unordered"])
@pytest.mark.parametrize(
    ("predicate", "relation"),
    [
        ("equal", operator.eq),
        ("not_equal", operator.ne),
        ("less_than", operator.lt),
        ("less_than_or_equal", operator.le),
        ("greater_than", operator.gt),
        ("greater_than_or_equal", operator.ge),
    ],
)
def test_cmpf(
    kind: str, ordering: str, predicate: str, relation: Callable[[float, float], bool]
) -> None:
    values = [0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 2.0**-14]
    a = np.array([x for x in values for _ in values], DTYPES[kind])
    b = np.array([y for _ in values for y in values], DTYPES[kind])
    source, result = tile((64,), kind), tile((64,), "i1")
    body = f"%r = cmpf {predicate} {ordering} %a, %b : {source} -> {result}"
    got = evaluate(body, {"r": ((64,), "i1")}, a=a, b=b)
    expected = [
        ordering == "unordered" if x != x or y != y else relation(x, y)
        for x, y in zip(a.astype(float).tolist(), b.astype(float).tolist(), strict=True)
    ]
    assert got.tolist() == expected


def test_formats_agree_with_numpy() -> None:
    for kind, (_, _, largest) in FIELDS.items():
        if kind != "tf32":
            assert float(ml_dtypes.finfo(DTYPES[kind]).max) == largest


@pytest.mark.parametrize("op", ["maxf", "minf"])
@pytest.mark.parametrize(
    ("kind", "bits_of_nan"),
    [
        ("f16", 0x7D00),
        ("bf16", 0x7FA0),
        ("f32", 0x7FA00000),
        ("f64", 0x7FF4000000000000),
    ],
)
@pytest.mark.parametrize("count", [1, 2, 64])
def test_a_signalling_nan_loses(
    op: str, kind: str, bits_of_nan: int, count: int
) -> None:
    dtype = DTYPES[kind]
    a = np.full(count, bits_of_nan, f"u{dtype.itemsize}").view(dtype)
    b = np.full(count, -100).astype(dtype)
    assert binary(op, a, b).tolist() == b.tolist()
    assert binary(op, b, a).tolist() == b.tolist()
