# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the math family against the C library, for all 16-bit inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf, nan, pi

import numpy as np
import pytest
from interp_build import apply
from interp_exact import samples
from interp_harness import DTYPES
from interp_types import decode


def guarded(function: Callable[..., float]) -> Callable[..., float]:
    """C's result where Python raises: NaN out of the domain, infinity beyond range."""

    def call(*numbers: float) -> float:
        try:
            return function(*numbers)
        except ValueError:
            return nan
        except OverflowError:
            odd = function is math.sinh and numbers[0] < 0
            return -inf if odd else inf

    return call


def logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: -inf if x == 0 else function(x)


def reciprocal_root(x: float) -> float:
    return math.copysign(inf, x) if x == 0 else 1 / math.sqrt(x)


UNARY: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "exp2": lambda x: math.pow(2.0, x),
    "log": logarithm(math.log),
    "log2": logarithm(math.log2),
    "sqrt": math.sqrt,
    "rsqrt": reciprocal_root,
}


def close(got: np.ndarray, exact: np.ndarray, kind: str, ulps: float) -> None:
    """Within `ulps` units in the last place of the type, of the rounded reference."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(DTYPES[kind])
    wide = got.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(wide), np.isnan(exact))
    known = ~np.isnan(wide)
    word = f"i{DTYPES[kind].itemsize}"

    def ordered(values: np.ndarray) -> np.ndarray:
        raw = values.view(word).astype(np.int64)
        lowest = np.iinfo(word).min
        return np.where(raw < 0, lowest - raw, raw)

    distance = np.abs(ordered(got)[known] - ordered(rounded)[known])
    assert distance.max(initial=0) <= ulps
    np.testing.assert_array_equal(
        np.signbit(wide[known]), np.signbit(rounded.astype(np.float64)[known])
    )


def table(kind: str) -> np.ndarray:
    """Every finite value of a 16-bit format from its fields, ascending, one zero."""
    values = {float(decode(code, kind)) for code in range(1 << 16)}
    return np.array(sorted(x for x in values if math.isfinite(x)))


def nearest(got: np.ndarray, exact: np.ndarray, kind: str) -> None:
    """Each result is the format's value next to the exact one.

    The C library's last bit decides nothing: a reference within 2^-50 of halfway
    between two values may go to either.
    """
    mine = got.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(mine), np.isnan(exact))
    known = ~np.isnan(mine)
    mine, exact = mine[known], exact[known]
    np.testing.assert_array_equal(np.signbit(mine), np.signbit(exact))
    values = table(kind)
    step = values[-1] - values[-2]
    edges = np.concatenate(([-values[-1] - step], values, [values[-1] + step]))
    middle = (edges[1:] + edges[:-1]) / 2
    slack = 2.0**-50 * np.abs(middle)
    low = np.concatenate(([-inf], middle - slack))
    high = np.concatenate((middle + slack, [inf]))
    places = np.searchsorted(values, mine) + np.isfinite(mine) + (mine == inf)
    assert (low[places] <= exact).all()
    assert (exact <= high[places]).all()


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_every_16_bit_input(name: str, kind: str) -> None:
    a = np.arange(1 << 16, dtype=np.uint16).view(DTYPES[kind])
    attributes = {"rounding_mode": "nearest_even"} if name == "sqrt" else {}
    got = apply(name, [(a, kind)], [(a.shape, kind)], **attributes)
    reference = guarded(UNARY[name])
    exact = np.array([reference(float(x)) for x in a])
    nearest(got, exact, kind)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_wide_inputs(name: str, kind: str) -> None:
    a = samples(kind, 4096, 3)
    got = apply(name, [(a, kind)], [(a.shape, kind)])
    reference = guarded(UNARY[name])
    exact = np.array([reference(float(x)) for x in a])
    close(got, exact, kind, 1 if kind == "f32" else 4)


SPECIAL = [0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 0.5, -2.0, 3.0, -3.0, 1e300]


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_atan2(kind: str) -> None:
    x, y = (grid.reshape(-1) for grid in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(over="ignore"):
        x, y = (np.pad(v, (0, 112)).astype(DTYPES[kind]) for v in (x, y))
    got = apply("atan2", [(x, kind), (y, kind)], [(x.shape, kind)])
    exact = np.array(
        [math.atan2(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    )
    close(got, exact, kind, 1)
    assert float(apply("atan2", [(1.0, "f64"), (-0.0, "f64")], [((), "f64")])) == pi / 2


def c_pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except ValueError:
        if x != 0:
            return nan
        odd = math.isfinite(y) and y == int(y) and int(y) % 2
        return math.copysign(inf, x) if odd else inf
    except OverflowError:
        odd = y == int(y) and int(y) % 2
        return -inf if x < 0 and odd else inf


@pytest.mark.parametrize("name", ["pow", "fpowf"])
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_pow(name: str, kind: str) -> None:
    x, y = (grid.reshape(-1) for grid in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(over="ignore"):
        x, y = (np.pad(v, (0, 112)).astype(DTYPES[kind]) for v in (x, y))
    x[144:], y[144:] = np.abs(samples(kind, 112, 5)), samples(kind, 112, 6)
    got = apply(name, [(x, kind), (y, kind)], [(x.shape, kind)])
    exact = np.array([c_pow(float(a), float(b)) for a, b in zip(x, y, strict=True)])
    close(got, exact, kind, 1 if kind != "f64" else 4)


@pytest.mark.parametrize("exponent", ["i1", "i8", "i16", "i32"])
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_fpowi(kind: str, exponent: str) -> None:
    x = np.array([*SPECIAL[:-1], 1.5, 2.0, 7.0, 0.25, -1.5], DTYPES[kind])
    rng = np.random.default_rng(2)
    n = np.array([rng.integers(-9, 9, 16) for _ in range(4)]).astype(DTYPES[exponent])
    grid = np.broadcast_to(x, (4, 16)).copy()
    got = apply("fpowi", [(grid, kind), (n, exponent)], [((4, 16), kind)])
    number = -n.astype(np.int64) if exponent == "i1" else n  # a true i1 reads as -1
    exact = np.array(
        [c_pow(float(a), float(b)) for a, b in zip(grid.flat, number.flat, strict=True)]
    ).reshape(4, 16)
    close(got, exact, kind, 1 if kind != "f64" else 4)


@pytest.mark.parametrize("name", ["exp", "tanh", "sqrt"])
def test_approx_stays_within_its_bound(name: str) -> None:
    a = np.abs(samples("f32", 1024, 8))
    got = apply(name, [(a, "f32")], [(a.shape, "f32")], rounding_mode="approx")
    exact = np.array([guarded(UNARY[name])(float(x)) for x in a])
    close(got, exact, "f32", 1)


@pytest.mark.parametrize("name", ["rsqrt", "exp2", "sqrt"])
def test_flush_to_zero(name: str) -> None:
    tiny = np.array([1e-40, -1e-40], np.float32)
    got = apply(name, [(tiny, "f32")], [((2,), "f32")], flush_to_zero=True)
    expected = {"rsqrt": [inf, -inf], "exp2": [1, 1], "sqrt": [0.0, -0.0]}[name]
    assert got.tolist() == expected
    low = apply("exp2", [([-130.0], "f32")], [((1,), "f32")], flush_to_zero=True)
    assert low.tolist() == [0]
