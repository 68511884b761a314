# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons and selections."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from ptx_exact import FORMATS, NAN, decode
from ptx_harness import Case, check, check_legal, samples
from test_isa_float import flush, key
from test_isa_half import half_samples

ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def integers(name: str) -> Callable[[int, int], int]:
    order = ORDERS[UNSIGNED.get(name, name)]
    return lambda a, b: int(order(a, b))


def floats(name: str, ty: str, *, ftz: bool = False) -> Callable[[int, int], int]:
    """Comparisons of floats given by bits; the names with u hold for NaN."""
    fmt = FORMATS[ty]

    def fn(a: int, b: int) -> int:
        x, y = decode(a, fmt), decode(b, fmt)
        if ftz:
            x, y = flush(x, fmt), flush(y, fmt)
        unordered = NAN in (x.size, y.size)
        if name in ("num", "nan"):
            return int(unordered == (name == "nan"))
        if unordered:
            return int(name.endswith("u"))
        return int(ORDERS[name[:2]](key(x)[0], key(y)[0]))

    return fn


def _setp(name: str, ty: str, expected: Callable[[int, int], int], **more: str) -> Case:
    code = f"setp.{name}.{ty} {{d}}, {{a}}, {{b}};"
    return Case(code, (ty, ty), "pred", expected, **more)


def _setp_cases() -> list[Case]:
    cases: list[Case] = []
    for bits in (16, 32, 64):
        cases += [_setp(n, f"b{bits}", integers(n)) for n in ("eq", "ne")]
        cases += [_setp(n, f"s{bits}", integers(n)) for n in ORDERS]
        cases += [_setp(n, f"u{bits}", integers(n)) for n in (*ORDERS, *UNSIGNED)]
    names = [*ORDERS, *(f"{n}u" for n in ORDERS), "num", "nan"]
    for ty in ("f32", "f64", "f16", "bf16"):
        target = "sm_90" if ty == "bf16" else "sm_80"
        cases += [_setp(n, ty, floats(n, ty), target=target) for n in names]
    cases += [
        _setp("lt.ftz", "f32", floats("lt", "f32", ftz=True)),
        _setp("equ.ftz", "f32", floats("equ", "f32", ftz=True)),
    ]
    return cases


def _joined_cases() -> list[Case]:
    joins = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
    three = ("s32", "s32", "pred")
    cases: list[Case] = []
    for name, join in joins.items():
        cases += [
            Case(
                f"setp.lt.{name}.s32 {{d}}, {{a}}, {{b}}, {{c}};",
                three,
                "pred",
                lambda a, b, c, j=join: j(int(a < b), c),
            ),
            Case(
                f"setp.lt.{name}.s32 %p|{{d}}, {{a}}, {{b}}, !{{c}};",
                three,
                "pred",
                lambda a, b, c, j=join: j(int(a >= b), 1 - c),
            ),
        ]
    cases.append(
        Case(
            "setp.lt.s32 %p|{d}, {a}, {b};", three[:2], "pred", lambda a, b: int(a >= b)
        )
    )
    return cases


def _set_cases() -> list[Case]:
    less = floats("lt", "f32")
    return [
        Case(
            "set.lt.u32.s32 {d}, {a}, {b};",
            ("s32", "s32"),
            "u32",
            lambda a, b: 0xFFFFFFFF * (a < b),
        ),
        Case(
            "set.lt.f32.f32 {d}, {a}, {b};",
            ("f32", "f32"),
            "f32",
            lambda a, b: 0x3F800000 * less(a, b),
        ),
        Case(
            "set.gt.and.u32.f32 {d}, {a}, {b}, {c};",
            ("f32", "f32", "pred"),
            "u32",
            lambda a, b, c: 0xFFFFFFFF * (floats("gt", "f32")(a, b) & c),
        ),
        Case(
            "set.lt.f16x2.f16x2 {d}, {a}, {b};",
            ("b32", "b32"),
            "b32",
            lambda a, b: (
                0x3C00 * floats("lt", "f16")(a & 0xFFFF, b & 0xFFFF)
                | 0x3C000000 * floats("lt", "f16")(a >> 16, b >> 16)
            ),
        ),
    ]


def _set_half_cases() -> list[Case]:
    """Comparisons of pairs fill halves; what is compared need not be a half."""
    cases: list[Case] = []
    for half, order in (("f16", "lt"), ("f16", "nan"), ("bf16", "geu")):
        single = floats(order, half)
        target = "sm_90" if half == "bf16" else "sm_80"
        cases.append(
            Case(
                f"set.{order}.u32.{half}x2 {{d}}, {{a}}, {{b}};",
                ("b32", "b32"),
                "u32",
                lambda a, b, f=single: (
                    0xFFFF * f(a & 0xFFFF, b & 0xFFFF)
                    | 0xFFFF0000 * f(a >> 16, b >> 16)
                ),
                target=target,
            )
        )
        cases.append(
            Case(
                f"set.{order}.xor.u32.{half}x2 {{d}}, {{a}}, {{b}}, {{c}};",
                ("b32", "b32", "pred"),
                "u32",
                lambda a, b, c, f=single: (
                    0xFFFF * (f(a & 0xFFFF, b & 0xFFFF) ^ c)
                    | 0xFFFF0000 * (f(a >> 16, b >> 16) ^ c)
                ),
                target=target,
            )
        )
    for to, one in (("f16", 0x3C00), ("bf16", 0x3F80)):
        target = "sm_90" if to == "bf16" else "sm_80"
        cases += [
            Case(
                f"set.lt.{to}.s32 {{d}}, {{a}}, {{b}};",
                ("s32", "s32"),
                "b16",
                lambda a, b, one=one: one * (a < b),
                target=target,
            ),
            Case(
                f"set.gt.{to}.f32 {{d}}, {{a}}, {{b}};",
                ("f32", "f32"),
                "b16",
                lambda a, b, one=one: one * floats("gt", "f32")(a, b),
                target=target,
            ),
        ]
    return cases


def _select_cases() -> list[Case]:
    cases = [
        Case(
            f"selp.{ty} {{d}}, {{a}}, {{b}}, {{c}};",
            (ty, ty, "pred"),
            ty,
            lambda a, b, c: a if c else b,
        )
        for ty in ("b16", "b32", "b64", "f32", "f64")
    ]
    cases += [
        Case(
            "slct.b32.s32 {d}, {a}, {b}, {c};",
            ("b32", "b32", "s32"),
            "b32",
            lambda a, b, c: a if c >= 0 else b,
        ),
        Case(
            "slct.b32.f32 {d}, {a}, {b}, {c};",
            ("b32", "b32", "f32"),
            "b32",
            lambda a, b, c: a if floats("ge", "f32")(c, 0) else b,
        ),
    ]
    return cases


CASES = [
    *_setp_cases(),
    *_joined_cases(),
    *_set_cases(),
    *_set_half_cases(),
    *_select_cases(),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_compare(case: Case) -> None:
    if "f16x2" in case.code:
        half = "bf16" if "bf16x2" in case.code else "f16"
        sources = [half_samples(half, "b32", seed) for seed in range(2)]
        sources += [samples(ty, 256, 2) for ty in case.sources[2:]]
    else:
        sources = [samples(ty, 256, seed) for seed, ty in enumerate(case.sources)]
    sources[1][::7] = sources[0][::7]
    check(case, sources)


def test_packed_setp_gives_one_predicate_per_half() -> None:
    low = "setp.lt.f16x2 {d}|%p, {a}, {b};"
    high = "setp.lt.f16x2 %p|{d}, {a}, {b};"
    sources = [half_samples("f16", "b32", seed) for seed in range(2)]
    less = floats("lt", "f16")
    pair = ("b32", "b32")
    cases = [
        Case(low, pair, "pred", lambda a, b: less(a & 0xFFFF, b & 0xFFFF)),
        Case(high, pair, "pred", lambda a, b: less(a >> 16, b >> 16)),
    ]
    for case in cases:
        check(case, sources)
    check_legal(cases)


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)
