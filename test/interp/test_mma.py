# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplication: exact products, one rounding of the sum."""

from __future__ import annotations

import numpy as np
import pytest
from interp_harness import DTYPES, evaluate, tile

TYPES = [
    ("f16", "f16"),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("f32", "f32"),
    ("tf32", "f32"),
    ("f64", "f64"),
    ("f8E4M3FN", "f16"),
    ("f8E5M2", "f32"),
]


def mmaf(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, kind: str, acc: str
) -> np.ndarray:
    body = f"%r = mmaf %a, %b, %c : {tile(a.shape, kind)}, {tile(b.shape, kind)}, "
    body += tile(c.shape, acc)
    names = {"a": kind, "b": kind}
    return evaluate(body, {"r": (c.shape, acc)}, names, a=a, b=b, c=c)


@pytest.mark.parametrize(("kind", "acc"), TYPES)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_small_integers_are_exact(kind: str, acc: str, batch: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(-4, 5, (*batch, 8, 16)).astype(DTYPES[kind])
    b = rng.integers(-4, 5, (*batch, 16, 4)).astype(DTYPES[kind])
    c = rng.integers(-8, 9, (*batch, 8, 4)).astype(DTYPES[acc])
    expected = c.astype(float) + np.matmul(a.astype(float), b.astype(float))
    assert mmaf(a, b, c, kind, acc).tolist() == expected.tolist()


@pytest.mark.parametrize(("kind", "acc"), TYPES)
def test_rounds_the_sum_once(kind: str, acc: str) -> None:
    rng = np.random.default_rng(2)
    a = rng.standard_normal((16, 64)).astype(DTYPES[kind])
    b = rng.standard_normal((64, 16)).astype(DTYPES[kind])
    c = rng.standard_normal((16, 16)).astype(DTYPES[acc])
    if kind == "tf32":  # whose low 13 bits the multiplier ignores
        a, b = (
            (x.view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32) for x in (a, b)
        )
    long = np.longdouble
    exact = c.astype(long) + a.astype(long) @ b.astype(long)
    size = np.abs(c.astype(long)) + np.abs(a.astype(long)) @ np.abs(b.astype(long))
    got = mmaf(a, b, c, kind, acc)
    once = 0.5001 * np.spacing(np.abs(exact).astype(DTYPES[acc])).astype(long)
    in_float64 = 64 * 2.0**-53 * size  # the interpreter's own sum
    assert (np.abs(got.astype(long) - exact) <= once + in_float64).all()


def test_special_values() -> None:
    a = np.array([[np.inf, 1], [np.nan, 1], [60000, 60000], [np.inf, 0]], np.float16)
    b = np.array([[1, 0], [1, 1]], np.float16)
    c = np.zeros((4, 2), np.float16)
    got = mmaf(a, b, c, "f16", "f16")
    expected = [[np.inf, np.nan], [np.nan, np.nan], [np.inf, 60000], [np.inf, np.nan]]
    np.testing.assert_array_equal(got, np.array(expected, np.float16))
