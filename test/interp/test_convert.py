# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions: exact references, ranges, saturation, overflow flags."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite, nan, trunc
from typing import Any

import numpy as np
import pytest
from interp_exact import FIELDS, round_exact, samples
from interp_harness import DTYPES, NAMES, bits, evaluate, same_bits, tile

from cuda_tile import interp
from cuda_tile.interp import InterpError

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
FLOATS = ("f16", "bf16", "f32", "f64")


def convert(
    op: str,
    source: np.ndarray,
    to: str,
    middle: str = "",
    source_kind: str | None = None,
    **options: object,
) -> np.ndarray:
    kind = source_kind or NAMES[source.dtype]
    body = f"%r = {op} %a {middle} : {tile(source.shape, kind)} -> "
    body += tile(source.shape, to)
    return evaluate(
        body, {"r": (source.shape, to)}, {"a": kind}, options=options, a=source
    )


def integers(kind: str) -> np.ndarray:
    width = WIDTHS[kind]
    if width == 1:
        return np.array([False, True, True, False])
    limit = 1 << (width - 1)
    rng = np.random.default_rng(4)
    values = [0, 1, -1, limit - 1, -limit, limit // 3]
    values += rng.integers(-limit, limit - 1, 58, dtype=np.int64).tolist()
    return np.array(values, DTYPES[kind])


def read(value: int, width: int, sign: str) -> int:
    low = value & ((1 << width) - 1)
    return low - (low >> (width - 1) << width) if sign == "signed" else low


PAIRS = [(a, b) for a in WIDTHS for b in WIDTHS if WIDTHS[a] < WIDTHS[b]]


@pytest.mark.parametrize(("narrow", "wide"), PAIRS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_exti(narrow: str, wide: str, sign: str) -> None:
    a = integers(narrow)
    got = convert("exti", a, wide, sign)
    expected = [
        read(read(int(v), WIDTHS[narrow], sign), WIDTHS[wide], "signed") for v in a
    ]
    assert [int(v) for v in got] == expected


@pytest.mark.parametrize(("narrow", "wide"), PAIRS)
def test_trunci_keeps_the_low_bits(narrow: str, wide: str) -> None:
    a = integers(wide)
    got = convert("trunci", a, narrow)
    sign = "unsigned" if narrow == "i1" else "signed"
    assert [int(v) for v in got] == [read(int(v), WIDTHS[narrow], sign) for v in a]


def test_trunci_to_i1_is_bit_zero() -> None:
    assert convert("trunci", np.array([2, 3], np.int8), "i1").tolist() == [False, True]


@pytest.mark.parametrize(
    ("promise", "good", "bad"),
    [
        ("no_signed_wrap", [127, -128], [127, 128]),
        ("no_unsigned_wrap", [255, 0], [255, -1]),
    ],
)
def test_trunci_promises(promise: str, good: list[int], bad: list[int]) -> None:
    middle = f"overflow<{promise}>"
    convert("trunci", np.array(good, np.int16), "i8", middle)
    with pytest.raises(InterpError, match="promised") as caught:
        convert("trunci", np.array(bad, np.int16), "i8", middle)
    assert caught.value.element_index == (1,)


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_itof_rounds_once(kind: str, to: str, sign: str) -> None:
    a = integers(kind)
    if kind == "i64":  # halfway cases that a detour through f64 would get wrong
        a[8:12] = [2**60 + 2**36 + 1, -(2**60) - 2**36 - 1, 2**62 + 2**38, 2**53 + 1]
        a[12:14] = [2**60 + 2**52 + 1, 2**60 + 2**52 - 1]
    got = convert("itof", a, to, sign)
    for value, result in zip(a.tolist(), got.tolist(), strict=True):
        number = read(int(value), WIDTHS[kind], sign)
        exact = round_exact(Fraction(number), to, "nearest_even") if number else 0.0
        assert float(result) == exact


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("to", WIDTHS)
@pytest.mark.parametrize("sign", ["signed", "unsigned"])
def test_ftoi(kind: str, to: str, sign: str) -> None:
    a = samples(kind, 1024, 9)
    width = WIDTHS[to]
    low = -(1 << (width - 1)) if sign == "signed" else 0
    high = low + (1 << width) - 1
    numbers = [float(v) for v in a]
    if to == "i1":
        assert convert("ftoi", a, to, sign).tolist() == [x != 0 for x in numbers]
        return
    inside = [isfinite(x) and low <= trunc(x) <= high for x in numbers]
    kept = np.where(np.array(inside), a, a.dtype.type(0))
    got = convert("ftoi", kept, to, sign)
    expected = [
        read(trunc(x) if ok else 0, width, "signed")
        for x, ok in zip(numbers, inside, strict=True)
    ]
    assert [int(v) for v in got] == expected


def test_addresses_are_unsigned_numbers() -> None:
    a = np.array([-8, 2**63 - 1, -(2**63), 16], np.int64)
    seen: list[list[int]] = []

    def note(op: interp.Op, results: tuple[Any, ...]) -> None:
        if op.name == "int_to_ptr":
            seen.append(results[0].tolist())

    body = """
      %q = int_to_ptr %a : tile<4xi64> -> tile<4xptr<f32>>
      %r = ptr_to_int %q : tile<4xptr<f32>> -> tile<4xi64>"""
    back = evaluate(body, {"r": ((4,), "i64")}, a=a, options={"trace": note})
    assert seen == [[2**64 - 8, 2**63 - 1, 2**63, 16]]
    assert back.tolist() == a.tolist()


def test_ftoi_outside_the_range() -> None:
    a = np.array([300.0, -5.0, nan, inf], np.float32)
    with pytest.raises(InterpError, match="outside the range of unsigned i8"):
        convert("ftoi", a, "i8", "unsigned")
    got = convert("ftoi", a, "i8", "unsigned", mode="permissive")
    assert got.view(np.uint8).tolist() == [255, 0, 0, 255]
    got = convert("ftoi", a, "i32", "signed", mode="permissive")
    assert got.tolist() == [300, -5, 0, 2**31 - 1]
    got = convert("ftoi", np.array([nan, -inf]), "i64", "signed", mode="permissive")
    assert got.tolist() == [-(2**63), -(2**63)]
    got = convert("ftoi", np.array([-0.9, 0.9], np.float32), "i8", "unsigned")
    assert got.tolist() == [0, 0]


@pytest.mark.parametrize("sign", ["signed", "unsigned"])
@pytest.mark.parametrize("to", ["i8", "i16", "i32", "i64"])
def test_the_ends_of_ftoi(to: str, sign: str) -> None:
    """What truncates to the ends is inside; the next number is outside, and clamps."""
    low, high = (-(1 << WIDTHS[to] - 1), (1 << WIDTHS[to] - 1) - 1)
    if sign == "unsigned":
        low, high = 0, (1 << WIDTHS[to]) - 1
    above = float(high + 1)
    below = np.nextafter(above, 0.0)
    lowest = float(low) if to == "i64" and low else low - 0.5
    inside = np.array([below, lowest])
    got = convert("ftoi", inside, to, sign)
    expected = [read(int(below), WIDTHS[to], "signed"), low]
    assert got.tolist() == expected
    for outside in (above, min(low - 1.0, np.nextafter(float(low), -np.inf))):
        with pytest.raises(InterpError, match="outside the range"):
            convert("ftoi", np.array([outside]), to, sign)
    outer = np.array([above, 2.0 * low - 1.0])
    clamped = convert("ftoi", outer, to, f"{sign} saturating")
    permissive = convert("ftoi", outer, to, sign, mode="permissive")
    for got in (clamped, permissive):
        assert got.tolist() == [read(high, WIDTHS[to], "signed"), low]


NARROWING = [
    ("f64", "f32"),
    ("f64", "f16"),
    ("f64", "bf16"),
    ("f32", "f16"),
    ("f32", "bf16"),
    ("f16", "bf16"),
    ("bf16", "f16"),
    ("f32", "tf32"),
]


@pytest.mark.parametrize(("kind", "to"), NARROWING)
def test_ftof_narrows_with_one_rounding(kind: str, to: str) -> None:
    a = samples(kind, 2048, 11)
    with np.errstate(all="ignore"):
        near = samples(to if to != "tf32" else "f16", 2048, 12).astype(a.dtype)
        a[::2] = near[::2] * a.dtype.type(1.0 + 2.0**-7)  # around halfway points
    got = convert("ftof", a, to)
    for value, result in zip(a.tolist(), got.tolist(), strict=True):
        number = float(value)
        if number != number:
            assert float(result) != float(result)
        elif not isfinite(number) or number == 0:
            assert float(result) == number
        else:
            exact = round_exact(Fraction(number), to, "nearest_even")
            assert float(result) == exact


def test_ftof_of_f64_does_not_round_twice() -> None:
    tie = 1.0 + 2.0**-9  # between two bf16 numbers is 1 + 2^-8; f32 would round to it
    a = np.array([1.0 + 2.0**-8 + 2.0**-40, 1.0 + 2.0**-8 - 2.0**-40, tie, -tie])
    got = convert("ftof", a, "bf16").astype(float).tolist()
    assert got == [1.0 + 2.0**-7, 1.0, 1.0, -1.0]


@pytest.mark.parametrize("to", ["f8E4M3FN", "f8E5M2"])
def test_ftof_to_eight_bits_saturates(to: str) -> None:
    a = samples("f32", 1024, 13)
    a[:4] = [1e6, -inf, 460.0, -0.0]
    got = convert("ftof", a, to)
    largest = FIELDS[to][2]
    for value, result in zip(a.tolist(), got.tolist(), strict=True):
        if value != value:
            assert float(result) != float(result)
        elif value == 0 or abs(value) > largest:
            assert float(result) == (np.copysign(largest, value) if value else value)
        else:
            assert float(result) == round_exact(Fraction(value), to, "nearest_even")


@pytest.mark.parametrize("kind", ["f8E4M3FN", "f8E5M2"])
def test_ftof_widens_every_code(kind: str) -> None:
    a = np.arange(256, dtype=np.uint16).astype(np.uint8).view(DTYPES[kind])
    same_bits(convert("ftof", a, "f32"), a.astype(np.float32))


@pytest.mark.parametrize("to", ["f32", "f16", "bf16", "i32", "i16"])
def test_bitcast_keeps_bits(to: str) -> None:
    word = f"u{DTYPES[to].itemsize}"
    raw = np.random.default_rng(3).integers(0, 2**15, 64).astype(word)
    source = raw.view({2: np.int16, 4: np.int32}[raw.itemsize])
    if to in ("i32", "i16"):
        source = raw.view({2: np.float16, 4: np.float32}[raw.itemsize])
    got = convert("bitcast", source, to)
    assert bits(got).tolist() == raw.tolist()


@pytest.mark.parametrize("value", [2**53 + 1, 2**62 + 2**38, -(2**63)])
@pytest.mark.parametrize("to", ["f16", "f32", "f64"])
def test_itof_of_a_large_scalar(value: int, to: str) -> None:
    got = convert("itof", np.array(value, np.int64), to, "signed")
    assert float(got) == round_exact(Fraction(value), to, "nearest_even")
