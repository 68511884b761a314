# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer and bitwise ops against Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from interp_harness import DTYPES, NAMES, binary, evaluate, unary

from cuda_tile.interp import InterpError

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
SIGNS = ("signed", "unsigned")


def wrap(value: int, width: int) -> int:
    """The signed reading of the low `width` bits; 0 or 1 for one bit."""
    low = value & ((1 << width) - 1)
    return low if width == 1 else low - (low >> (width - 1) << width)


def read(value: int, width: int, sign: str) -> int:
    low = value & ((1 << width) - 1)
    return low - (low >> (width - 1) << width) if sign == "signed" else low


def operands(kind: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of small types; special and random pairs of the others."""
    width = WIDTHS[kind]
    if width <= 8:
        values = [wrap(v, width) for v in range(1 << width)]
        pairs = [(a, b) for a in values for b in values]
    else:
        rng = np.random.default_rng(seed)
        limit = 1 << (width - 1)
        special = [0, 1, -1, 2, 3, 7, -7, limit - 1, -limit, limit // 2, -limit + 1]
        random = [int(v) for v in rng.integers(-limit, limit - 1, 200, dtype=np.int64)]
        small = [int(v) for v in rng.integers(-50, 50, 100)]
        pairs = [(a, b) for a in special for b in special]
        pairs += list(zip(random, reversed(random), strict=True))
        pairs += list(zip(random[:100], small, strict=True))
        pairs = (pairs * 2)[:512]
    first, second = zip(*pairs, strict=True)
    dtype = DTYPES[kind]
    return np.array(first, dtype=dtype), np.array(second, dtype=dtype)


def expect(
    function: Callable[[int, int], int], a: np.ndarray, b: np.ndarray
) -> list[int]:
    width = WIDTHS[NAMES[a.dtype]]
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    return [wrap(function(int(x), int(y)), width) for x, y in pairs]


def check(got: np.ndarray, expected: list[int]) -> None:
    assert [int(v) for v in got] == expected


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("addi", lambda x, y: x + y),
        ("subi", lambda x, y: x - y),
        ("muli", lambda x, y: x * y),
        ("andi", lambda x, y: x & y),
        ("ori", lambda x, y: x | y),
        ("xori", lambda x, y: x ^ y),
    ],
)
def test_wrapping(kind: str, op: str, function: Callable[[int, int], int]) -> None:
    a, b = operands(kind)
    check(binary(op, a, b), expect(function, a, b))


@pytest.mark.parametrize("kind", WIDTHS)
def test_mulhii_takes_the_unsigned_high_half(kind: str) -> None:
    a, b = operands(kind)
    width = WIDTHS[kind]
    high = expect(
        lambda x, y: prod(read(v, width, "unsigned") for v in (x, y)) >> width, a, b
    )
    check(binary("mulhii", a, b), high)


@pytest.mark.parametrize("kind", WIDTHS)
def test_negi_absi(kind: str) -> None:
    a, _ = operands(kind)
    width = WIDTHS[kind]
    check(unary("negi", a), expect(lambda x, _: -x, a, a))
    check(unary("absi", a), expect(lambda x, _: abs(read(x, width, "signed")), a, a))


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(("op", "function"), [("maxi", max), ("mini", min)])
def test_extremes(
    kind: str, sign: str, op: str, function: Callable[[int, int], int]
) -> None:
    a, b = operands(kind)
    width = WIDTHS[kind]
    expected = expect(
        lambda x, y: function(read(x, width, sign), read(y, width, sign)), a, b
    )
    check(binary(op, a, b, sign), expected)


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(
    ("predicate", "function"),
    [
        ("equal", lambda x, y: x == y),
        ("not_equal", lambda x, y: x != y),
        ("less_than", lambda x, y: x < y),
        ("less_than_or_equal", lambda x, y: x <= y),
        ("greater_than", lambda x, y: x > y),
        ("greater_than_or_equal", lambda x, y: x >= y),
    ],
)
def test_cmpi(
    kind: str, sign: str, predicate: str, function: Callable[[int, int], bool]
) -> None:
    a, b = operands(kind)
    width = WIDTHS[kind]
    count = len(a)
    body = (
        f"%r = cmpi {predicate} %a, %b, {sign} : tile<{count}x{kind}> -> "
        f"tile<{count}xi1>"
    )
    got = evaluate(body, {"r": ((count,), "i1")}, a=a, b=b)
    expected = [
        function(read(x, width, sign), read(y, width, sign))
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert got.tolist() == expected


def quotient(x: int, y: int, mode: str) -> int:
    if mode == "negative_inf":
        return x // y
    if mode == "positive_inf":
        return -(-x // y)
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize(
    ("sign", "mode"),
    [
        ("signed", "zero"),
        ("signed", "negative_inf"),
        ("signed", "positive_inf"),
        ("unsigned", "zero"),
        ("unsigned", "positive_inf"),
    ],
)
def test_divi_remi(kind: str, sign: str, mode: str) -> None:
    a, b = operands(kind)
    width = WIDTHS[kind]
    lowest = -(1 << (width - 1))
    defined = np.array(
        [
            y != 0 and not (sign == "signed" and x == lowest and y == -1)
            for x, y in (
                (read(p, width, sign), read(q, width, sign))
                for p, q in zip(a.tolist(), b.tolist(), strict=True)
            )
        ]
    )
    a = np.where(defined, a, a.dtype.type(0))
    b = np.where(defined, b, b.dtype.type(1))

    def divide(x: int, y: int) -> int:
        return quotient(read(x, width, sign), read(y, width, sign), mode)

    def remainder(x: int, y: int) -> int:
        p, q = read(x, width, sign), read(y, width, sign)
        return p - quotient(p, q, "zero") * q

    rounding = "" if mode == "zero" else f"rounding<{mode}>"
    check(binary("divi", a, b, f"{sign} {rounding}"), expect(divide, a, b))
    check(binary("remi", a, b, sign), expect(remainder, a, b))


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("sign", SIGNS)
def test_shifts(kind: str, sign: str) -> None:
    a, _ = operands(kind)
    width = WIDTHS[kind]
    b = np.array([n % width for n in range(len(a))], dtype=a.dtype)
    left = expect(lambda x, y: x << y, a, b)
    right = expect(lambda x, y: read(x, width, sign) >> y, a, b)
    check(binary("shli", a, b), left)
    check(binary("shri", a, b, sign), right)


@pytest.mark.parametrize("kind", ["i8", "i32", "i64"])
def test_wide_shifts_clamp_when_permissive(kind: str) -> None:
    dtype = DTYPES[kind]
    a = np.array([-3, 5, -1, 1], dtype=dtype)
    b = np.array([WIDTHS[kind], WIDTHS[kind], -1, 100], dtype=dtype)
    assert binary("shli", a, b, mode="permissive").tolist() == [0, 0, 0, 0]
    assert binary("shri", a, b, "unsigned", mode="permissive").tolist() == [0] * 4
    signed = binary("shri", a, b, "signed", mode="permissive")
    assert signed.tolist() == [-1, 0, -1, 0]


def test_permissive_division() -> None:
    a = np.array([7, -128, -128, 0], dtype=np.int8)
    b = np.array([0, -1, 0, 0], dtype=np.int8)
    assert binary("divi", a, b, "signed", mode="permissive").tolist() == [
        -1,
        -128,
        -1,
        -1,
    ]
    assert binary("remi", a, b, "signed", mode="permissive").tolist() == [7, 0, -128, 0]


@pytest.mark.parametrize(
    ("op", "suffix", "a", "b", "message"),
    [
        ("divi", "signed", [1, 1], [1, 0], "division by zero"),
        ("remi", "unsigned", [1, 1], [1, 0], "division by zero"),
        ("divi", "signed", [1, -128], [1, -1], "overflows"),
        ("shli", "", [1, 1], [7, 8], "8 bits or more"),
        ("shri", "signed", [1, 1], [7, -1], "8 bits or more"),
        ("addi", "overflow<no_signed_wrap>", [1, 127], [1, 1], "promised signed"),
        ("addi", "overflow<no_unsigned_wrap>", [1, -1], [1, 1], "promised unsigned"),
        ("subi", "overflow<no_unsigned_wrap>", [1, 0], [1, 1], "promised unsigned"),
        ("subi", "overflow<no_signed_wrap>", [1, -128], [1, 1], "promised signed"),
        ("muli", "overflow<no_wrap>", [1, 16], [1, 8], "promised signed"),
        ("shli", "overflow<no_signed_wrap>", [1, 1], [6, 7], "promised signed"),
        ("shli", "overflow<no_unsigned_wrap>", [1, 2], [7, 7], "promised unsigned"),
    ],
)
def test_checked_mode_names_the_element(
    op: str, suffix: str, a: list[int], b: list[int], message: str
) -> None:
    with pytest.raises(InterpError, match=message) as caught:
        binary(op, np.array(a, np.int8), np.array(b, np.int8), suffix)
    assert caught.value.element_index == (1,)
    assert caught.value.op_name == op


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("op", ["divi", "remi"])
def test_the_smallest_by_minus_one(op: str, kind: str) -> None:
    """The one quotient that overflows; of i1 the smallest value is -1 itself."""
    width = WIDTHS[kind]
    smallest = True if width == 1 else -(1 << width - 1)
    a = np.array([0, smallest], DTYPES[kind])
    b = np.array([1, True if width == 1 else -1], DTYPES[kind])
    with pytest.raises(
        InterpError, match=f"the smallest {kind} divided by -1"
    ) as caught:
        binary(op, a, b, "signed")
    assert caught.value.element_index == (1,)
    got = binary(op, a, b, "signed", mode="permissive")
    assert got.tolist() == [0, smallest if op == "divi" else 0]
    binary(op, a, b, "unsigned")


def test_kept_promises_pass() -> None:
    a, b = np.array([127, -128], np.int8), np.array([-1, 0], np.int8)
    got = binary("addi", a, b, "overflow<no_signed_wrap>")
    assert got.tolist() == [126, -128]
    big = np.array([2**62, -(2**63)], np.int64)
    small = np.array([2**62 - 1, 1], np.int64)
    got = binary("addi", big, small, "overflow<no_signed_wrap>")
    assert got.tolist() == [2**63 - 1, -(2**63) + 1]


def test_negi_of_the_smallest_breaks_its_promise() -> None:
    with pytest.raises(InterpError, match="promised signed i8"):
        unary("negi", np.array([1, -128], np.int8), "overflow<no_signed_wrap>")
