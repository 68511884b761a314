# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Math functions: half a unit in the last place around the true value."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import numpy as np
import pytest
from interp_exact import FIELDS, samples
from interp_harness import DTYPES, function, same_bits

KINDS = ("f16", "bf16", "f32", "f64")

FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


def reference(op: str, a: np.ndarray) -> np.ndarray:
    """The function in extended precision, as far as this machine has it."""
    with np.errstate(all="ignore"):
        return FUNCTIONS[op](a.astype(np.longdouble))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", FUNCTIONS)
def test_is_within_one_ulp(kind: str, op: str) -> None:
    if kind in ("f16", "bf16"):
        a = np.arange(65536, dtype=np.uint32).astype(np.uint16).view(DTYPES[kind])
    else:
        a = samples(kind, 4096, 3)
    got = function(op, a)
    true = reference(op, a)
    precision, lowest, largest = FIELDS[kind]
    finite = np.isfinite(true) & (np.abs(true) <= largest)
    assert np.array_equal(np.isnan(got), np.isnan(true))
    exponent = np.frexp(np.where(finite, true, 1))[1] - 1
    ulp = np.ldexp(np.longdouble(1), np.maximum(exponent, lowest) - precision + 1)
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(np.longdouble) - true)
    bound = 1.5 if kind == "f64" else 0.501  # f64 has no wider type to round from
    assert (error[finite] <= bound * ulp[finite]).all()
    infinite = np.isinf(true)
    assert np.array_equal(got[infinite].astype(float), true[infinite].astype(float))


@pytest.mark.parametrize("kind", KINDS)
def test_special_values(kind: str) -> None:
    def tile(*values: float) -> np.ndarray:
        return np.array(values, DTYPES[kind])

    a = tile(-inf, -0.0, 0.0, inf)
    same_bits(function("exp", a), tile(0.0, 1.0, 1.0, inf))
    same_bits(function("exp2", a), tile(0.0, 1.0, 1.0, inf))
    b = tile(-0.0, 0.0, -1.0, 1.0, inf, nan, -inf, 4.0)
    same_bits(function("log2", b), tile(-inf, -inf, nan, 0.0, inf, nan, nan, 2.0))
    same_bits(
        function("sqrt", b),
        tile(-0.0, 0.0, nan, 1.0, inf, nan, nan, 2.0),
    )
    same_bits(function("rsqrt", b), tile(-inf, inf, nan, 1.0, 0.0, nan, nan, 0.5))


def test_flushing() -> None:
    tiny = np.array([1e-40, -1e-40], np.float32)
    same_bits(function("exp2", tiny, flush_to_zero=True), np.ones(2, np.float32))
    same_bits(
        function("rsqrt", tiny, flush_to_zero=True), np.array([inf, -inf], np.float32)
    )
    deep = np.array([-127.0, -126.0], np.float32)
    same_bits(
        function("exp2", deep, flush_to_zero=True),
        np.array([0.0, 2.0**-126], np.float32),
    )
    same_bits(function("exp2", deep), np.array([2.0**-127, 2.0**-126], np.float32))
    same_bits(
        function("sqrt", tiny, rounding_mode="approx", flush_to_zero=True),
        np.array([0.0, -0.0], np.float32),
    )
