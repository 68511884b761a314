# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds: rounding is within, a lost element and a shorter type are not."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_tile.judge.compare import expect, first_fault


def fault_of(answer, args, got, tolerance=None):
    expected = expect(
        lambda args: [answer(*args)], args, np.random.default_rng(1), tolerance
    )
    lists = expected.values, expected.exact, expected.bounds
    return first_fault(got, *(each[0] for each in lists)), expected


def product(a, b):
    return a @ b


@pytest.mark.parametrize("k", [8, 100, 512])
def test_products_in_another_order_are_right_and_in_half_wrong(k):
    rng = np.random.default_rng(k)
    a, b = rng.standard_normal((2, k, k)).astype(np.float32)
    backwards = a[:, ::-1] @ b[::-1]
    fault, expected = fault_of(product, (a, b), backwards)
    assert fault is None
    assert expected.terms == pytest.approx(2 * k, rel=0.2)
    half = (a.astype("f2").astype("f4")) @ b
    assert fault_of(product, (a, b), half)[0] is not None
    lost = a[:, 1:] @ b[1:]
    assert fault_of(product, (a, b), lost)[0] is not None


def test_sums_one_by_one_are_right():
    x = (np.random.default_rng(0).random(4096) + 0.5).astype(np.float32)
    one_by_one = np.cumsum(x, dtype=np.float32)[-1:]
    fault, _ = fault_of(lambda x: x.sum(keepdims=True), (x,), one_by_one)
    assert fault is None


def test_integers_are_exact_and_nan_must_be_nan():
    x = np.arange(5)
    assert fault_of(lambda x: x, (x,), x)[0] is None
    fault = fault_of(lambda x: x, (x,), x + (x == 3))[0]
    assert fault == ((3,), "expected 3, got 4; 1 of 5 elements are wrong")
    y = np.array([1, np.nan, np.inf], np.float32)
    assert fault_of(lambda y: y, (y,), y)[0] is None
    for other in ([1, 0, np.inf], [1, np.nan, 3e38], [np.nan, np.nan, np.inf]):
        assert fault_of(lambda y: y, (y,), np.array(other, "f4"))[0] is not None


def test_a_tolerance_replaces_the_bound():
    x = np.ones(4, np.float32)
    assert fault_of(lambda x: x, (x,), x * 1.009, (0.01, 0))[0] is None
    assert fault_of(lambda x: x, (x,), x * 1.011, (0.01, 0))[0] is not None
