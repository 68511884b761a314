# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The laws of docs/exact.md: for all codes of 8 and 16 bits, else on samples."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from cuda_tile.exact import MODULUS, element_of, enter, formats, functions, ring
from cuda_tile.exact.ring import P, Q

pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered")
Array = NDArray[Any]
COUNT = 20_000
HALF = MODULUS // 2
NUMPY: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}


def sample(seed: int, count: int = COUNT) -> Array:
    """Elements at random, and those at the ends."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(-HALF, HALF + 1, count).astype(np.float64)
    drawn[:5] = 0, 1, -1, HALF, -HALF
    return rng.permutation(drawn)


def codes(name: str) -> Array:
    """The finite numbers of a format, each once, but -0."""
    bits = {"f16": 16, "bf16": 16, "f4E2M1FN": 4}.get(name, 8)
    word = np.uint16 if bits == 16 else np.uint8
    values = np.arange(1 << bits).astype(word).view(NUMPY[name])
    wide = values.astype(np.float64)
    return values[np.isfinite(wide) & ~((wide == 0) & np.signbit(wide))]


def bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


def residue(number: Fraction) -> int:
    """What a rational number stands for, by the definition."""
    return number.numerator * pow(number.denominator, -1, MODULUS) % MODULUS


def test_ring() -> None:
    assert P == 2 * Q + 1
    assert MODULUS == P * Q
    assert pow(2, Q, P) == 1
    assert HALF < 1 << 24
    assert ring.PRODUCTS * HALF**2 + HALF < 1 << 53


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floats_stand_for_their_values(dtype: Any) -> None:
    rng = np.random.default_rng(1)
    width = np.dtype(dtype).itemsize
    words = rng.integers(0, 1 << 8 * width, 2000, np.uint64, endpoint=False)
    values = words.astype(f"u{width}").view(dtype)
    values = values[np.isfinite(values)]
    expected = [residue(Fraction(float(value))) for value in values]
    assert (element_of(values) % MODULUS == expected).all()


def test_elements_stand_for_themselves() -> None:
    x = sample(2)
    assert (element_of(x) == x).all()
    assert (element_of(x.astype(np.float32)) == x).all()


def test_sums_and_products_are_exact() -> None:
    a, b, c = (sample(seed, 3000) for seed in (3, 4, 5))
    for x, y, z, total in zip(a, b, c, ring.fma(a, b, c), strict=True):
        assert (int(x) * int(y) + int(z) - int(total)) % MODULUS == 0
        assert abs(total) <= HALF


def test_laws_of_a_ring() -> None:
    a, b, c = (sample(seed) for seed in (6, 7, 8))
    add, times = ring.add, ring.multiply
    assert (add(a, add(b, c)) == add(add(a, b), c)).all()
    assert (times(a, times(b, c)) == times(times(a, b), c)).all()
    assert (times(a, add(b, c)) == add(times(a, b), times(a, c))).all()
    assert (ring.fma(a, b, c) == add(times(a, b), c)).all()
    assert (ring.subtract(a, b) == add(a, times(np.array(-1.0), b))).all()
    zero, one = np.zeros(1), np.ones(1)
    assert (add(a, zero) == a).all()
    assert (times(a, one) == a).all()


def test_products_of_matrices_have_no_order() -> None:
    a, b = sample(9, 8 * 200).reshape(8, 200), sample(10, 200 * 8).reshape(200, 8)
    order = np.random.default_rng(0).permutation(200)
    whole = ring.matmul(a, b)
    assert (ring.matmul(a[:, order], b[order]) == whole).all()
    first = ring.matmul(a[:, :70], b[:70])
    assert (ring.matmul(a[:, 70:], b[70:], first) == whole).all()
    assert (
        int(
            whole[3, 5]
            - sum(int(x) * int(y) for x, y in zip(a[3], b[:, 5], strict=True))
        )
        % MODULUS
        == 0
    )


@pytest.mark.parametrize("name", NUMPY)
def test_widening_loses_nothing(name: str) -> None:
    values = codes(name)
    wide = formats.widen(values, name)
    assert len(np.unique(wide)) == len(values)
    assert (wide == element_of(values.astype(np.float64))).all()
    assert (bits(formats.narrow(wide, name)) == bits(values)).all()


@pytest.mark.parametrize("name", NUMPY)
def test_every_element_narrows_to_a_number(name: str) -> None:
    narrowed = formats.narrow(sample(11), name).astype(np.float64)
    assert np.isfinite(narrowed).all()
    assert len(np.unique(narrowed)) > len(codes(name)) // 6


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_every_code_keeps_the_laws_of_16_bits(name: str) -> None:
    x = formats.widen(codes(name), name)
    y = np.random.default_rng(12).permutation(x)
    one, zero = np.ones(1), np.zeros(1)
    for made in (ring.add(x, zero), ring.multiply(x, one), ring.fma(x, one, zero)):
        assert (bits(formats.narrow(made, name)) == bits(codes(name))).all()
    first = formats.narrow(ring.fma(x, y, zero), name)
    assert (bits(first) == bits(formats.narrow(ring.multiply(x, y), name))).all()


def test_exp2_makes_products_of_sums() -> None:
    a, b = sample(13), sample(14)
    product = ring.multiply(functions.exp2(a), functions.exp2(b))
    assert (functions.exp2(ring.add(a, b)) == product).all()
    for whole in (-64, -1, 1, 23):
        scaled = ring.multiply(functions.exp2(a), element_of(np.array([2.0**whole])))
        assert (functions.exp2(ring.add(a, np.array([whole]))) == scaled).all()


def test_exp_needs_no_correction() -> None:
    """As compiled for f32: 2^h (1 + l), where l is what rounding x log2(e) left."""
    x = sample(15)
    for log2_e in (1.4426950216293335, 1.4426951408386230):
        high = ring.multiply(x, element_of(np.array([log2_e])))
        low = ring.fma(high, element_of(np.array([-0.6931471824645996])), x)
        low = ring.fma(
            high, element_of(np.array([1.9046542121559336e-09], np.float32)), low
        )
        assert (low == 0).all()
        assert (functions.exp2(high) == functions.exp(x)).all()


def test_quotients() -> None:
    a, b, c = (sample(seed) for seed in (16, 17, 18))
    times, over, inverse = ring.multiply, functions.quotient, functions.inverse
    assert (over(a, b) == times(a, inverse(b))).all()
    assert (inverse(times(a, b)) == times(inverse(a), inverse(b))).all()
    is_unit = (c % P != 0) & (c % Q != 0)
    assert is_unit.mean() > 0.999
    reduced = over(times(a, c), times(b, c))
    assert (reduced == over(a, b))[is_unit].all()
    assert (times(c, inverse(c)) == 1)[is_unit].all()


def test_roots() -> None:
    a, b = sample(19), sample(20)
    root, times = functions.root, ring.multiply
    assert (root(times(a, b)) == times(root(a), root(b))).all()
    assert (functions.inverse_root(a) == functions.inverse(root(a))).all()
    square = times(root(a), root(a)) % P
    assert ((square == a % P) | (square == -a % P)).all()


@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "log2", "pow"])
def test_other_functions_mix(name: str) -> None:
    x = sample(21)
    made = functions.mixed(name, x)
    assert len(np.unique(made)) > 0.99 * len(np.unique(x))
    if name in ("sin", "tanh"):
        assert (functions.mixed(name, -x) == -made).all()
    if name == "cos":
        assert (functions.mixed(name, -x) == made).all()


def test_infinities() -> None:
    x = sample(22, 100)
    x = x[x != 0]
    low = np.full(x.shape, -np.inf)
    assert (ring.add(low, x) == low).all()
    assert (ring.multiply(low, x) == low).all()
    assert (ring.fma(low, x, x) == low).all()
    assert (functions.exp2(low) == 0).all()
    assert np.isnan(ring.subtract(low, low)).all()
    mixed = np.where(np.arange(len(x)) % 2, x, low)
    assert (ring.add(mixed, x)[1::2] == ring.add(x, x)[1::2]).all()
    matrix = np.array([[1.0, -np.inf], [2.0, 3.0]])
    assert ring.matmul(matrix, np.ones((2, 1))).ravel().tolist() == [-np.inf, 5.0]
    assert np.isnan(formats.narrow(np.array([np.nan, 0.0]), "f16")[0])


def test_an_element_too_many_or_lost_shows() -> None:
    x = sample(23, 1000)
    sums = [x.sum() - lost for lost in (0.0, *x)]
    differs = [ring.settle(np.array([a - b]))[0] != 0 for a, b in pairwise(sums)]
    assert all(differs)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
)
def test_arguments_become_elements_once(dtype: Any) -> None:
    array = np.random.default_rng(24).standard_normal(1000).astype(dtype)
    array[:4] = 0.5, -0.0, -np.inf, np.nan
    enter([array])
    once = array.tobytes()
    enter([array])
    assert array.tobytes() == once
    assert not np.signbit(array[1])
    assert array[2] == -np.inf
