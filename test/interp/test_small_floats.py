# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The 8- and 4-bit formats: every code, and conversions to them."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, apply, tile_of
from interp_harness import DTYPES

from cuda_tile.runtime.elements import element, from_memory, to_memory

LAYOUT = {
    "f8E4M3FN": (4, 3, 7, True),
    "f8E5M2": (5, 2, 15, True),
    "f8E5M3FNU": (5, 3, 15, False),
    "f4E2M1FN": (2, 1, 1, True),
}
"""Exponent bits, fraction bits, bias, whether there is a sign."""


def value_of(code: int, kind: str) -> float:
    """What a code means, from the fields of the format."""
    if kind == "f8E8M0FNU":
        return nan if code == 0xFF else 2.0 ** (code - 127)
    exponent_bits, fraction_bits, bias, has_sign = LAYOUT[kind]
    sign = -1.0 if has_sign and code >> (exponent_bits + fraction_bits) else 1.0
    exponent = code >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = code & ((1 << fraction_bits) - 1)
    magnitude = code & ((1 << (exponent_bits + fraction_bits)) - 1)
    if kind == "f8E4M3FN" and magnitude == 0x7F:
        return nan
    if kind == "f8E5M3FNU" and code == 0xFF:
        return nan
    if kind == "f8E5M2" and exponent == 31:
        return nan if fraction else sign * inf
    if exponent == 0:
        return sign * fraction / 2**fraction_bits * 2.0 ** (1 - bias)
    return sign * (1 + fraction / 2**fraction_bits) * 2.0 ** (exponent - bias)


KINDS = [*LAYOUT, "f8E8M0FNU"]


def codes(kind: str) -> np.ndarray:
    return np.arange(16 if kind == "f4E2M1FN" else 256, dtype=np.uint8)


def values(kind: str) -> np.ndarray:
    return from_memory(codes(kind).reshape(-1, 1), element(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_code_widens_to_its_value(kind: str) -> None:
    expected = [value_of(int(code), kind) for code in codes(kind)]
    got = apply("ftof", [(values(kind), kind)], [(codes(kind).shape, "f64")])
    np.testing.assert_array_equal(got, expected)
    known = ~np.isnan(got)
    np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(expected)[known])


@pytest.mark.parametrize("kind", KINDS)
def test_every_code_survives_memory(kind: str) -> None:
    raw = to_memory(values(kind), element(kind))[:, 0]
    is_nan = np.isnan(values(kind).astype(np.float64))
    np.testing.assert_array_equal(raw[~is_nan], codes(kind)[~is_nan])


def nearest(value: float, kind: str) -> float:
    """Ties to the even code, beyond the range the largest finite value."""
    table = [(value_of(int(c), kind), int(c)) for c in codes(kind)]
    if kind == "f4E2M1FN" and isnan(value):
        return 6.0
    if isnan(value):
        return nan
    has_sign = LAYOUT[kind][3]
    size = abs(value)
    positive = [(v, c) for v, c in table if isfinite(v) and not np.signbit(v)]
    if size >= max(v for v, _ in positive):
        best = max(v for v, _ in positive)
    else:
        gaps = [(abs(Fraction(v) - Fraction(size)), c & 1, v) for v, c in positive]
        best = min(gaps)[2]
    return float(np.copysign(best, value)) if has_sign else best


SAMPLES = [
    0.0,
    -0.0,
    inf,
    -inf,
    nan,
    1e-9,
    -1e-9,
    1e9,
    5.0,
    0.25,
    0.75,
    1.25,
    2.5,
    -7.0,
]


@pytest.mark.parametrize("kind", LAYOUT)
@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f64"])
def test_ftof_takes_the_nearest(kind: str, source: str) -> None:
    rng = np.random.default_rng(1)
    middle = values(kind).astype(np.float64)
    middle = middle[np.isfinite(middle)]
    halves = (middle[1:] + middle[:-1]) / 2
    some = np.concatenate((SAMPLES, halves, rng.standard_normal(200) * 8))
    with np.errstate(over="ignore"):
        a = np.pad(some, (0, -len(some) % 512)).astype(DTYPES[source])
    got = apply("ftof", [(a, source)], [(a.shape, kind)]).astype(np.float64)
    expected = [nearest(float(x), kind) for x in a]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("zero", [2.0**-127, 1, 1, 2, 2.0**127, 2.0**127, 4, 2.0**-127, 2.0**-127]),
        (
            "positive_inf",
            [2.0**-127, 1, 2, 2, 2.0**127, 2.0**127, 4, 2.0**-127, 2.0**-126],
        ),
    ],
)
def test_ftof_to_e8m0(mode: str, expected: list[float]) -> None:
    a = np.array([0.0, 1, 1.5, 2, inf, 3e38, -4.0, 2.0**-130, 1.5 * 2.0**-127])
    got = apply(
        "ftof", [(a, "f64")], [(a.shape, "f8E8M0FNU")], rounding_mode=mode
    ).astype(np.float64)
    assert got.tolist() == expected
    lost = apply("ftof", [([nan], "f64")], [((1,), "f8E8M0FNU")], rounding_mode=mode)
    assert lost.view(np.uint8).tolist() == [0xFF]


@pytest.mark.parametrize("kind", ["f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f8E5M3FNU"])
def test_bitcast_to_bytes_and_back(kind: str) -> None:
    raw = codes(kind).view(np.int8)
    there = apply("bitcast", [(raw, "i8")], [(raw.shape, kind)])
    np.testing.assert_array_equal(
        there.astype(np.float64), values(kind).astype(np.float64)
    )
    back = apply("bitcast", [(there, kind)], [(raw.shape, "i8")])
    is_nan = np.isnan(there.astype(np.float64))
    np.testing.assert_array_equal(back[~is_nan], raw[~is_nan])


@pytest.mark.parametrize("kind", KINDS)
def test_ftoi_from_every_finite_code(kind: str) -> None:
    a = values(kind)
    wide = a.astype(np.float64)
    kept = np.where(np.isfinite(wide) & (np.abs(wide) < 2**31), wide, 1.0)
    narrow = from_memory(to_memory(kept.astype(a.dtype), element(kind)), element(kind))
    got = apply("ftoi", [(narrow, kind)], [(a.shape, "i32")], signedness="signed")
    assert got.tolist() == np.trunc(kept).astype(np.int64).tolist()


def test_int4() -> None:
    a = np.arange(-8, 8)
    wide = apply("exti", [(a, "i4")], [((16,), "i8")], signedness="signed")
    assert wide.tolist() == a.tolist()
    wide = apply("exti", [(a, "i4")], [((16,), "i16")], signedness="unsigned")
    assert wide.tolist() == (a & 15).tolist()
    low = apply("trunci", [(np.arange(16) * 17, "i16")], [((16,), "i4")])
    assert low.tolist() == ((np.arange(16) * 17 + 8) % 16 - 8).tolist()


def f4(numbers: Any) -> np.ndarray:
    return np.asarray(numbers, np.float64).astype(DTYPES["f4E2M1FN"])


def test_views_of_4_bit_elements() -> None:
    rng = np.random.default_rng(3)
    numbers = rng.choice([0, 0.5, 1, 1.5, 2, 3, 4, 6, -1, -6], (4, 8))
    raw = to_memory(f4(numbers).reshape(-1), element("f4E2M1FN"))[:, 0]
    memory = (raw[0::2] | raw[1::2] << 4).astype(np.uint8)
    k = Kernel("ptr<i8>", "ptr<i8>")
    pointers = [
        k.op("ptr_to_ptr", p, results=(tile_of("ptr<f4E2M1FN>"),)) for p in k.parameters
    ]
    one, zero = k.constant(1, "i32"), k.constant(0, "i32")
    source, _ = k.view(pointers[0], (4, 8), (2, 4))
    target, _ = k.view(pointers[1], (4, 8), (2, 4))
    x, _ = k.load_view(source, [one, zero])
    k.op("store_view_tko", [x], [target], [zero, one], [], results=(TOKEN,))
    out = np.zeros(16, np.uint8)
    k.run(memory.view(np.int8), out.view(np.int8))
    halves = np.stack((out & np.uint8(15), out >> np.uint8(4)), axis=-1).reshape(
        4, 8, 1
    )
    got = from_memory(halves.reshape(-1, 1), element("f4E2M1FN")).reshape(4, 8)
    expected = np.zeros((4, 8))
    expected[0:2, 4:8] = numbers[2:4, 0:4]
    np.testing.assert_array_equal(got.astype(np.float64), expected)
