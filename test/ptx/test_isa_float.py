# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single and double precision against exact rationals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from ptx_exact import (
    F32,
    FORMATS,
    INF,
    NAN,
    Format,
    Value,
    decode,
    encode,
    encode_sqrt,
    infinity,
    nan,
)
from ptx_harness import Case, check, check_legal, dtype_of, run_case, samples

MODES = ("rn", "rz", "rm", "rp")


def flush(value: Value, fmt: Format) -> Value:
    """`.ftz` on a source: subnormals become zero of the same sign."""
    if value.is_finite and value.magnitude < Fraction(2) ** (1 - fmt.bias):
        return Value(value.negative, Fraction(0))
    return value


def finish(bits: int, fmt: Format, *, ftz: bool, sat: bool) -> int:
    """`.ftz` and `.sat` on a result."""
    value = decode(bits, fmt)
    if sat:
        if value.size == NAN or value.negative:
            return 0
        if value.size == INF or value.exact > 1:
            return encode(Fraction(1), fmt)
    if ftz and value.is_finite:
        flushed = flush(value, fmt)
        if flushed.size == 0:
            return int(value.negative) << (fmt.bits - 1)
    return bits


def add(x: Value, y: Value, fmt: Format, mode: str) -> int:
    if NAN in (x.size, y.size):
        return nan(fmt)
    if INF in (x.size, y.size):
        if x.size == y.size and x.negative != y.negative:
            return nan(fmt)
        return infinity(fmt, negative=x.negative if x.size == INF else y.negative)
    total = x.exact + y.exact
    same = x.size == 0 and y.size == 0 and x.negative == y.negative
    zero = x.negative if same else mode == "rm"
    return encode(total, fmt, mode, zero=int(zero))


def multiply(x: Value, y: Value, fmt: Format, mode: str) -> int:
    negative = x.negative != y.negative
    if NAN in (x.size, y.size) or {x.size, y.size} == {INF, 0}:
        return nan(fmt)
    if INF in (x.size, y.size):
        return infinity(fmt, negative=negative)
    return encode(x.exact * y.exact, fmt, mode, zero=int(negative))


def fuse(x: Value, y: Value, z: Value, fmt: Format, mode: str) -> int:
    negative = x.negative != y.negative
    if NAN in (x.size, y.size, z.size) or {x.size, y.size} == {INF, 0}:
        return nan(fmt)
    if INF in (x.size, y.size):
        product = Value(negative, INF)
    else:
        product = Value(negative, x.magnitude * y.magnitude)
    return add(product, z, fmt, mode)


def divide(x: Value, y: Value, fmt: Format, mode: str) -> int:
    negative = x.negative != y.negative
    if NAN in (x.size, y.size) or (x.size == y.size and x.size in (INF, 0)):
        return nan(fmt)
    if x.size == INF or y.size == 0:
        return infinity(fmt, negative=negative)
    if y.size == INF:
        return int(negative) << (fmt.bits - 1)
    return encode(x.exact / y.exact, fmt, mode, zero=int(negative))


def root(x: Value, fmt: Format, mode: str) -> int:
    if x.size == NAN or (x.negative and x.size != 0):
        return nan(fmt)
    if x.size == INF:
        return infinity(fmt, negative=False)
    if x.size == 0:
        return int(x.negative) << (fmt.bits - 1)
    return encode_sqrt(x.exact, fmt, mode)


Rule = Callable[..., int]


def expect(
    rule: Rule, ty: str, mode: str, *, ftz: bool = False, sat: bool = False
) -> Rule:
    """Makes the expectation of an instruction on bits."""
    fmt = FORMATS[ty]

    def fn(*bits: int) -> int:
        values = [decode(b, fmt) for b in bits]
        if ftz:
            values = [flush(value, fmt) for value in values]
        return finish(rule(*values, fmt, mode), fmt, ftz=ftz, sat=sat)

    return fn


def _arithmetic() -> list[Case]:
    rules = {
        "add": (add, 2),
        "mul": (multiply, 2),
        "fma": (fuse, 3),
        "div": (divide, 2),
        "sqrt": (root, 1),
    }
    cases: list[Case] = []
    for name, (rule, count) in rules.items():
        for ty in ("f32", "f64"):
            for mode in MODES:
                for ftz in (False, True) if ty == "f32" else (False,):
                    flag = ".ftz" if ftz else ""
                    cases.append(
                        _case(f"{name}.{mode}{flag}", ty, count, rule, mode, ftz)
                    )
    cases.append(_case("sub", "f32", 2, subtract, "rn"))
    cases.append(_case("sub.rm", "f64", 2, subtract, "rm"))
    cases.append(_case("rcp.rz", "f32", 1, reciprocal, "rz"))
    cases.append(_case("rcp.rn", "f64", 1, reciprocal, "rn"))
    cases.append(_case("mad.rn", "f32", 3, fuse, "rn"))
    for name, rule, count in (
        ("add", add, 2),
        ("mul", multiply, 2),
        ("fma.rn", fuse, 3),
    ):
        cases.append(_case(f"{name}.sat", "f32", count, rule, "rn", sat=True))
        cases.append(_case(f"{name}.ftz.sat", "f32", count, rule, "rn", True, sat=True))
    return cases


def subtract(x: Value, y: Value, fmt: Format, mode: str) -> int:
    return add(x, Value(not y.negative, y.size), fmt, mode)


def reciprocal(x: Value, fmt: Format, mode: str) -> int:
    return divide(Value(False, Fraction(1)), x, fmt, mode)


def _case(
    name: str,
    ty: str,
    count: int,
    rule: Rule,
    mode: str,
    ftz: bool = False,
    *,
    sat: bool = False,
    target: str = "sm_80",
) -> Case:
    operands = ", ".join(["{d}", "{a}", "{b}", "{c}"][: count + 1])
    return Case(
        f"{name}.{ty} {operands};",
        (ty,) * count,
        ty,
        expect(rule, ty, mode, ftz=ftz, sat=sat),
        target,
    )


def key(value: Value) -> tuple[Fraction, bool]:
    """Orders numbers, -0 below +0."""
    size = Fraction(2) ** 5000 if value.size == INF else value.magnitude
    return (-size if value.negative else size), not value.negative


def extreme(
    pick: Callable[..., Value], *, is_nan: bool = False, xorsign: bool = False
) -> Rule:
    def rule(x: Value, y: Value, fmt: Format, mode: str) -> int:
        negative = x.negative != y.negative
        if xorsign:
            x, y = Value(False, x.size), Value(False, y.size)
        if NAN in (x.size, y.size) and (is_nan or x.size == y.size):
            return nan(fmt)
        if x.size == NAN:
            found = y
        elif y.size == NAN:
            found = x
        else:
            found = pick(x, y, key=key)
        negative = negative if xorsign else found.negative
        if found.size == INF:
            return infinity(fmt, negative=negative)
        value = -found.magnitude if negative else found.magnitude
        return encode(value, fmt, zero=int(negative))

    return rule


def _extremes() -> list[Case]:
    cases: list[Case] = []
    for name, pick in (("min", min), ("max", max)):
        cases += [
            _case(name, "f32", 2, extreme(pick), "rn"),
            _case(name, "f64", 2, extreme(pick), "rn"),
            _case(f"{name}.ftz", "f32", 2, extreme(pick), "rn", True),
            _case(f"{name}.NaN", "f32", 2, extreme(pick, is_nan=True), "rn"),
            _case(
                f"{name}.NaN.xorsign.abs",
                "f32",
                2,
                extreme(pick, is_nan=True, xorsign=True),
                "rn",
                target="sm_90",
            ),
        ]
    return cases


def _signs() -> list[Case]:
    def absolute(x: Value, fmt: Format, mode: str) -> int:
        if x.size == NAN:
            return nan(fmt)
        if x.size == INF:
            return infinity(fmt, negative=False)
        return encode(x.magnitude, fmt)

    cases = [
        _case("abs", "f32", 1, absolute, "rn"),
        _case("abs.ftz", "f32", 1, absolute, "rn", True),
    ]
    for ty in ("f32", "f64"):
        sign = 1 << (FORMATS[ty].bits - 1)
        cases += [
            Case(f"neg.{ty} {{d}}, {{a}};", (ty,), ty, lambda a, s=sign: a ^ s),
            Case(
                f"copysign.{ty} {{d}}, {{a}}, {{b}};",
                (ty, ty),
                ty,
                lambda a, b, s=sign: (a & s) | (b & ~s),
            ),
        ]
    return cases


def _tests() -> list[Case]:
    smallest = Fraction(2) ** -126
    tests: dict[str, Callable[[Value], bool]] = {
        "finite": lambda x: x.is_finite,
        "infinite": lambda x: x.size == INF,
        "number": lambda x: x.size != NAN,
        "notanumber": lambda x: x.size == NAN,
        "normal": lambda x: x.is_finite and x.magnitude >= smallest,
        "subnormal": lambda x: x.is_finite and 0 < x.magnitude < smallest,
    }
    return [
        Case(
            f"testp.{name}.f32 {{d}}, {{a}};",
            ("f32",),
            "pred",
            lambda a, t=test: int(t(decode(a, F32))),
        )
        for name, test in tests.items()
    ]


def _pairs() -> list[Case]:
    def halves(rule: Rule) -> Rule:
        def fn(*bits: int) -> int:
            low = [decode(b & 0xFFFFFFFF, F32) for b in bits]
            high = [decode(b >> 32, F32) for b in bits]
            return rule(*low, F32, "rn") | rule(*high, F32, "rn") << 32

        return fn

    return [
        Case(
            f"{name}.rn.f32x2 {', '.join(['{d}', '{a}', '{b}', '{c}'][: n + 1])};",
            ("b64",) * n,
            "b64",
            halves(rule),
            "sm_100",
        )
        for name, rule, n in (("add", add, 2), ("mul", multiply, 2), ("fma", fuse, 3))
    ]


CASES = [*_arithmetic(), *_extremes(), *_signs(), *_tests(), *_pairs()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_float(case: Case) -> None:
    sources = [samples(ty, 256, seed) for seed, ty in enumerate(case.sources)]
    check(case, sources)


def test_fused_ties_are_rounded_once() -> None:
    """A product whose double sum ties, where rounding twice would be wrong."""
    case = _case("fma.rn", "f32", 3, fuse, "rn")
    a = np.array([1 + 2**-12, 1 + 2**-23, 4097.0], np.float32)
    b = np.array([1 + 2**-12, 1 - 2**-24, 4097.0], np.float32)
    c = np.array([2.0**-60, 2.0**-100, -(2.0**-40)], np.float32)
    check(case, [a, b, c])


APPROXIMATIONS = {
    "ex2.approx.f32": (lambda x: np.exp2(x), 2.0**-22),
    "ex2.approx.ftz.f32": (lambda x: np.exp2(x), 2.0**-22),
    "lg2.approx.f32": (lambda x: np.log2(x), 2.0**-22),
    "rcp.approx.f32": (lambda x: 1 / x, 2.0**-23),
    "rcp.approx.ftz.f32": (lambda x: 1 / x, 2.0**-23),
    "sqrt.approx.f32": (lambda x: np.sqrt(x), 2.0**-23),
    "rsqrt.approx.f32": (lambda x: 1 / np.sqrt(x), 2.0**-22.9),
    "sin.approx.f32": (lambda x: np.sin(x), 2.0**-20.5),
    "cos.approx.f32": (lambda x: np.cos(x), 2.0**-20.5),
    "tanh.approx.f32": (lambda x: np.tanh(x), 2.0**-11),
}


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_approximation_is_within_the_bound_of_the_isa(name: str) -> None:
    fn, bound = APPROXIMATIONS[name]
    case = Case(f"{name} {{d}}, {{a}};", ("f32",), "f32", lambda a: a)
    x = np.linspace(0.01, 3.1, 500, dtype=np.float32)
    result = run_case(case, [x]).astype(np.float64)
    exact = fn(x.astype(np.float64))
    assert (np.abs(result - exact) <= bound * np.maximum(np.abs(exact), 1)).all()


@pytest.mark.parametrize("kind", ["approx", "full"])
def test_approximate_division(kind: str) -> None:
    case = Case(f"div.{kind}.f32 {{d}}, {{a}}, {{b}};", ("f32", "f32"), "f32", max)
    x, y = samples("f32", 256, 1), samples("f32", 256, 2)
    y = np.where(np.abs(y) > 2.0**126, np.float32(3), y).astype(np.float32)
    with np.errstate(all="ignore"):
        exact = x / y
    result = run_case(case, [x, y])
    assert np.array_equal(result, exact, equal_nan=True)


def test_approximate_division_by_a_huge_number_is_zero() -> None:
    case = Case("div.approx.f32 {d}, {a}, {b};", ("f32", "f32"), "f32", max)
    huge = np.array([2.0**127, -(2.0**127)], np.float32)
    result = run_case(case, [np.array([1e38, np.inf], np.float32), huge])
    assert result[0] == 0
    assert np.isnan(result[1])


def test_special_values_of_ex2() -> None:
    case = Case("ex2.approx.f32 {d}, {a};", ("f32",), "f32", lambda a: a)
    x = np.array([-np.inf, -0.0, 0.0, np.inf, np.nan, -140.0, 128.0], np.float32)
    result = run_case(case, [x])
    wanted = np.array([0, 1, 1, np.inf, np.nan, 2.0**-140, np.inf], np.float32)
    assert np.array_equal(result, wanted, equal_nan=True)
    assert result.dtype == dtype_of("f32")


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)
    unary = [
        Case(f"{name} {{d}}, {{a}};", ("f32",), "f32", lambda a: a)
        for name in APPROXIMATIONS
    ]
    check_legal(unary)


@pytest.mark.parametrize("mode", MODES)
def test_an_infinite_addend_outweighs_a_product_beyond_range(mode: str) -> None:
    largest, infinite = 0x7FEF << 48 | 0xFFFFFFFFFFFF, 0x7FF << 52
    sign = 1 << 63
    a = np.array([largest] * 4, np.uint64)
    b = np.array([largest, largest, largest | sign, largest | sign], np.uint64)
    c = np.array([infinite, infinite | sign] * 2, np.uint64)
    got = run_case(_case(f"fma.{mode}", "f64", 3, fuse, mode), [a, b, c])
    assert got.view(np.uint64).tolist() == c.tolist()
