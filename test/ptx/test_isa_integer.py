# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer instructions against Python integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ptx_harness import Case, bits_of, check, check_legal, samples

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")


def wrap(value: int, ty: str) -> int:
    """Reduces a value to the range of a type."""
    bits = bits_of(ty)
    value &= (1 << bits) - 1
    if ty[0] == "s" and value >> (bits - 1):
        value -= 1 << bits
    return value


def clamp(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def divide(a: int, b: int, ty: str) -> int:
    """Division by zero gives all ones here (PTX leaves it open)."""
    if b == 0:
        return wrap(-1, ty)
    quotient = abs(a) // abs(b)
    return wrap(-quotient if (a < 0) != (b < 0) else quotient, ty)


def remainder(a: int, b: int) -> int:
    if b == 0:
        return a
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def halves(fn: Callable[[int, int], int], kind: str) -> Callable[[int, int], int]:
    """Applies a function to the 16-bit halves of packed values."""

    def apply(a: int, b: int) -> int:
        low = wrap(fn(wrap(a, f"{kind}16"), wrap(b, f"{kind}16")), "u16")
        high = fn(wrap(a >> 16, f"{kind}16"), wrap(b >> 16, f"{kind}16"))
        return low | wrap(high, "u16") << 16

    return apply


def _binary_cases(ty: str) -> list[Case]:
    bits, pair = bits_of(ty), (ty, ty)

    def case(name: str, fn: Callable[[int, int], int]) -> Case:
        code = f"{name}.{ty} {{d}}, {{a}}, {{b}};"
        return Case(code, pair, ty, lambda a, b: wrap(fn(a, b), ty))

    return [
        case("add", lambda a, b: a + b),
        case("sub", lambda a, b: a - b),
        case("mul.lo", lambda a, b: a * b),
        case("mul.hi", lambda a, b: (a * b) >> bits),
        case("div", lambda a, b: divide(a, b, ty)),
        case("rem", remainder),
        case("min", min),
        case("max", max),
    ]


def _ternary_cases(ty: str) -> list[Case]:
    bits, three = bits_of(ty), (ty, ty, ty)

    def case(name: str, fn: Callable[[int, int, int], int]) -> Case:
        code = f"{name}.{ty} {{d}}, {{a}}, {{b}}, {{c}};"
        return Case(code, three, ty, lambda a, b, c: wrap(fn(a, b, c), ty))

    return [
        case("mad.lo", lambda a, b, c: a * b + c),
        case("mad.hi", lambda a, b, c: ((a * b) >> bits) + c),
        case("sad", lambda a, b, c: c + abs(a - b)),
    ]


def _wide_cases(ty: str) -> list[Case]:
    wide = f"{ty[0]}{2 * bits_of(ty)}"
    return [
        Case(
            f"mul.wide.{ty} {{d}}, {{a}}, {{b}};",
            (ty, ty),
            wide,
            lambda a, b: wrap(a * b, wide),
        ),
        Case(
            f"mad.wide.{ty} {{d}}, {{a}}, {{b}}, {{c}};",
            (ty, ty, wide),
            wide,
            lambda a, b, c: wrap(a * b + c, wide),
        ),
    ]


def _unary_cases(ty: str) -> list[Case]:
    return [
        Case(f"abs.{ty} {{d}}, {{a}};", (ty,), ty, lambda a: wrap(abs(a), ty)),
        Case(f"neg.{ty} {{d}}, {{a}};", (ty,), ty, lambda a: wrap(-a, ty)),
    ]


def low24(value: int, ty: str) -> int:
    value &= 0xFFFFFF
    return value - (1 << 24) if ty[0] == "s" and value >> 23 else value


def _product24(ty: str, part: str) -> Callable[[int, int], int]:
    shift = 0 if part == "lo" else 16
    return lambda a, b: wrap((low24(a, ty) * low24(b, ty)) >> shift, ty)


def octets(value: int, kind: str) -> list[int]:
    return [wrap(value >> shift, f"{kind}8") for shift in (0, 8, 16, 24)]


def words(value: int, kind: str) -> list[int]:
    return [wrap(value >> shift, f"{kind}16") for shift in (0, 16)]


def _dot_cases() -> list[Case]:
    cases: list[Case] = []
    for first in "us":
        for second in "us":
            ty = "u32" if first == second == "u" else "s32"
            cases.append(
                Case(
                    f"dp4a.{first}32.{second}32 {{d}}, {{a}}, {{b}}, {{c}};",
                    ("b32", "b32", ty),
                    ty,
                    lambda a, b, c, f=first, s=second, t=ty: wrap(
                        c
                        + sum(
                            x * y
                            for x, y in zip(octets(a, f), octets(b, s), strict=True)
                        ),
                        t,
                    ),
                )
            )
            for part, start in (("lo", 0), ("hi", 2)):
                cases.append(
                    Case(
                        f"dp2a.{part}.{first}32.{second}32 {{d}}, {{a}}, {{b}}, {{c}};",
                        ("b32", "b32", ty),
                        ty,
                        lambda a, b, c, f=first, s=second, t=ty, o=start: wrap(
                            c
                            + sum(
                                x * y
                                for x, y in zip(
                                    words(a, f), octets(b, s)[o : o + 2], strict=True
                                )
                            ),
                            t,
                        ),
                    )
                )
    return cases


def _special_cases() -> list[Case]:
    low, high = -(1 << 31), (1 << 31) - 1
    pair = ("s32", "s32")
    cases = [
        Case(
            "add.sat.s32 {d}, {a}, {b};",
            pair,
            "s32",
            lambda a, b: clamp(a + b, low, high),
        ),
        Case(
            "sub.sat.s32 {d}, {a}, {b};",
            pair,
            "s32",
            lambda a, b: clamp(a - b, low, high),
        ),
        Case(
            "mad.hi.sat.s32 {d}, {a}, {b}, {c};",
            ("s32", "s32", "s32"),
            "s32",
            lambda a, b, c: clamp(((a * b) >> 32) + c, low, high),
        ),
        Case(
            "min.relu.s32 {d}, {a}, {b};",
            pair,
            "s32",
            lambda a, b: max(min(a, b), 0),
            target="sm_90",
        ),
        Case(
            "max.s16x2 {d}, {a}, {b};",
            ("b32", "b32"),
            "b32",
            halves(max, "s"),
            target="sm_90",
        ),
        Case(
            "min.u16x2 {d}, {a}, {b};",
            ("b32", "b32"),
            "b32",
            halves(min, "u"),
            target="sm_90",
        ),
        Case(
            "add.u16x2 {d}, {a}, {b};",
            ("b32", "b32"),
            "b32",
            halves(lambda a, b: a + b, "u"),
            target="sm_90",
        ),
    ]
    for ty in ("u32", "s32"):
        for part in ("lo", "hi"):
            product = _product24(ty, part)
            cases += [
                Case(f"mul24.{part}.{ty} {{d}}, {{a}}, {{b}};", (ty, ty), ty, product),
                Case(
                    f"mad24.{part}.{ty} {{d}}, {{a}}, {{b}}, {{c}};",
                    (ty, ty, ty),
                    ty,
                    lambda a, b, c, p=product, t=ty: wrap(p(a, b) + c, t),
                ),
            ]
    return cases


def _carry_cases() -> list[Case]:
    """64- and 128-bit arithmetic from halves, through the carry flag."""
    pair = ("u64", "u64")
    split = (
        "mov.b64 {{%l0, %h0}}, {a}; mov.b64 {{%l1, %h1}}, {b};"
        " NAME.cc.u32 %l0, %l0, %l1; NAMEc.u32 %h0, %h0, %h1;"
        " mov.b64 {d}, {{%l0, %h0}};"
    )
    registers = ".reg .b32 %l0, %h0, %l1, %h1;"
    cases = [
        Case(
            split.replace("NAME", name),
            pair,
            "u64",
            lambda a, b, s=sign: wrap(a + s * b, "u64"),
            registers=registers,
        )
        for name, sign in (("add", 1), ("sub", -1))
    ]
    cases.append(
        Case(
            "{{.reg .b64 %z; mul.lo.u64 %z, {a}, {b}; mad.lo.cc.u64 %z, {a}, {b}, {a};"
            " madc.hi.u64 {d}, {a}, {b}, 0;}}",
            pair,
            "u64",
            lambda a, b: (a * b + a) >> 64,
        )
    )
    # What subtracts adds the complement: the flag says that nothing was borrowed, as
    # nvcc's division of 128-bit integers needs it.
    cases += [
        Case(
            f"{{{{.reg .b32 %z; {first}.cc.u32 %z, {{a}}, {{b}}; "
            f"{then} {{d}}, 7, 2;}}}}",
            ("u32", "u32"),
            "u32",
            expected,
        )
        for first, then, expected in (
            ("sub", "addc.u32", lambda a, b: 9 + (a >= b)),
            ("add", "subc.u32", lambda a, b: 4 + (a + b >> 32)),
        )
    ]
    return cases


CASES = [
    *(case for ty in INTEGERS for case in _binary_cases(ty)),
    *(case for ty in INTEGERS for case in _ternary_cases(ty)),
    *(case for ty in ("u16", "s16", "u32", "s32") for case in _wide_cases(ty)),
    *(case for ty in ("s16", "s32", "s64") for case in _unary_cases(ty)),
    *_dot_cases(),
    *_special_cases(),
    *_carry_cases(),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_integer(case: Case) -> None:
    check(case, [samples(ty, 256, seed) for seed, ty in enumerate(case.sources)])


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)


@pytest.mark.parametrize("ty", INTEGERS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_any_integers(ty: str, data: st.DataObject) -> None:
    bits = bits_of(ty)
    low = -(1 << (bits - 1)) if ty[0] == "s" else 0
    value = st.integers(low, low + (1 << bits) - 1)
    case = data.draw(st.sampled_from(_binary_cases(ty)))
    rows = data.draw(st.lists(st.tuples(value, value), min_size=1, max_size=8))
    dtype = np.dtype(f"{'int' if low else 'uint'}{bits}")
    check(case, [np.array(column, dtype) for column in zip(*rows, strict=True)])
