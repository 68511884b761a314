# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions against exact rationals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, trunc

import pytest
from ptx_exact import FORMATS, INF, NAN, Value, decode, encode, infinity, nan
from ptx_harness import Case, bits_of, check, check_legal, samples
from test_isa_float import finish, flush
from test_isa_integer import clamp, wrap

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
MODES = ("rn", "rz", "rm", "rp")
ROUNDERS: dict[str, Callable[[Fraction], int]] = {
    "rni": round,
    "rzi": trunc,
    "rmi": floor,
    "rpi": ceil,
}


def limits(ty: str) -> tuple[int, int]:
    bits = bits_of(ty)
    return (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        if ty[0] == "s"
        else (0, (1 << bits) - 1)
    )


def to_integer(
    value: Value, ty: str, rounder: Callable[[Fraction], int], source: str
) -> int:
    low, high = limits(ty)
    if value.size == NAN:
        is_wide = source == "f64" or bits_of(ty) == 64
        return wrap(1 << (bits_of(ty) - 1), ty) if is_wide else 0
    if value.size == INF:
        return low if value.negative else high
    return clamp(rounder(value.exact), low, high)


def convert(value: Value, ty: str, mode: str) -> int:
    """Rounds a value to a float format."""
    fmt = FORMATS[ty]
    if value.size == NAN:
        return nan(fmt)
    if value.size == INF:
        return infinity(fmt, negative=value.negative)
    return encode(value.exact, fmt, mode, zero=int(value.negative))


def _integer_cases() -> list[Case]:
    cases: list[Case] = []
    for source in INTEGERS:
        for to in INTEGERS:
            cases.append(
                Case(
                    f"cvt.{to}.{source} {{d}}, {{a}};",
                    (source,),
                    to,
                    lambda a, t=to: wrap(a, t),
                )
            )
            low, high = limits(to)
            if low <= limits(source)[0] and limits(source)[1] <= high:
                continue
            cases.append(
                Case(
                    f"cvt.sat.{to}.{source} {{d}}, {{a}};",
                    (source,),
                    to,
                    lambda a, lo=low, hi=high: clamp(a, lo, hi),
                )
            )
    return cases


def _rounding_cases() -> list[Case]:
    cases: list[Case] = []
    for source in ("f16", "f32", "f64", "bf16"):
        fmt = FORMATS[source]
        target = "sm_90" if source == "bf16" else "sm_80"
        integers = INTEGERS if source != "bf16" else ("s32", "u64")
        for name, rounder in ROUNDERS.items():
            cases += [
                Case(
                    f"cvt.{name}.{to}.{source} {{d}}, {{a}};",
                    (source,),
                    to,
                    lambda a, t=to, r=rounder, f=fmt, s=source: to_integer(
                        decode(a, f), t, r, s
                    ),
                    target,
                )
                for to in integers
            ]
            if source != "bf16":
                cases.append(
                    Case(
                        f"cvt.{name}.{source}.{source} {{d}}, {{a}};",
                        (source,),
                        source,
                        lambda a, t=source, r=rounder, f=fmt: integral(
                            decode(a, f), t, r
                        ),
                        target,
                    )
                )
    return cases


def integral(value: Value, ty: str, rounder: Callable[[Fraction], int]) -> int:
    if not value.is_finite:
        return convert(value, ty, "rn")
    whole = Fraction(rounder(value.exact))
    return encode(whole, FORMATS[ty], zero=int(value.negative))


def _to_float_cases() -> list[Case]:
    cases: list[Case] = []
    for to in ("f16", "f32", "f64", "bf16"):
        target = "sm_90" if to == "bf16" else "sm_80"
        for mode in MODES:
            for source in INTEGERS:
                if to == "bf16" and source not in ("s32", "u64"):
                    continue
                cases.append(
                    Case(
                        f"cvt.{mode}.{to}.{source} {{d}}, {{a}};",
                        (source,),
                        to,
                        lambda a, t=to, m=mode: encode(Fraction(a), FORMATS[t], m),
                        target,
                    )
                )
    return cases


def _between_cases() -> list[Case]:
    cases: list[Case] = []
    narrowing = [("f32", "f64"), ("f16", "f32"), ("f16", "f64"), ("bf16", "f32")]
    for to, source in narrowing:
        for mode in MODES:
            if (to, mode) == ("bf16", "rm") or (to, mode) == ("bf16", "rp"):
                continue
            cases.append(_between(mode, to, source))
    cases += [_between("", to, s) for s, to in narrowing if s != "bf16"]
    cases += [
        _between("", "f32", "bf16"),
        _between("rn.ftz", "f32", "f64", ftz=True),
        _between("rn.sat", "f16", "f32", sat=True),
        _between("sat", "f32", "f16", sat=True),
        _between("ftz.sat", "f32", "f32", ftz=True, sat=True),
        _between("rn", "bf16", "f16", target="sm_90"),
        _between("rz", "bf16", "f64", target="sm_90"),
    ]
    return cases


def _between(
    flags: str,
    to: str,
    source: str,
    *,
    ftz: bool = False,
    sat: bool = False,
    target: str = "sm_80",
) -> Case:
    mode = flags.split(".")[0]
    mode = mode if mode in MODES else "rn"

    def fn(a: int) -> int:
        value = decode(a, FORMATS[source])
        if ftz and source == "f32":
            value = flush(value, FORMATS["f32"])
        bits = convert(value, to, mode)
        return finish(bits, FORMATS[to], ftz=ftz and to == "f32", sat=sat)

    dot = f".{flags}" if flags else ""
    return Case(f"cvt{dot}.{to}.{source} {{d}}, {{a}};", (source,), to, fn, target)


def _packed_cases() -> list[Case]:
    cases: list[Case] = []
    f32 = FORMATS["f32"]
    for to in ("f16", "bf16"):
        cases += [
            Case(
                f"cvt.{mode}.{to}x2.f32 {{d}}, {{a}}, {{b}};",
                ("f32", "f32"),
                "b32",
                lambda a, b, t=to, m=mode: (
                    convert(decode(a, f32), t, m) << 16 | convert(decode(b, f32), t, m)
                ),
            )
            for mode in ("rn", "rz")
        ]
        cases.append(
            Case(
                f"cvt.rn.relu.{to}.f32 {{d}}, {{a}};",
                ("f32",),
                to,
                lambda a, t=to: clamped(decode(a, f32), t),
            )
        )
    cases.append(
        Case("cvt.rna.tf32.f32 {d}, {a};", ("f32",), "b32", lambda a: tf32(a, "rna"))
    )
    cases.append(
        Case(
            "cvt.rn.tf32.f32 {d}, {a};",
            ("f32",),
            "b32",
            lambda a: tf32(a, "rn"),
            "sm_90",
        )
    )
    return cases


def clamped(value: Value, ty: str) -> int:
    """`.relu`: negative values become +0, also -0 stays a zero."""
    if value.size != NAN and value.negative and value.size != 0:
        return 0
    return convert(value, ty, "rn")


def tf32(bits: int, mode: str) -> int:
    value = decode(bits, FORMATS["f32"])
    if value.size == NAN:
        return 0x7FFFFFFF
    if value.size == INF:
        return bits
    unit = 1 << 13
    low = bits & (unit - 1)
    base = bits - low
    if mode == "rna":
        up = low >= unit // 2
    else:
        up = low > unit // 2 or (low == unit // 2 and bits & unit != 0)
    return base + unit if up else base


CASES = [
    *_integer_cases(),
    *_rounding_cases(),
    *_to_float_cases(),
    *_between_cases(),
    *_packed_cases(),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_convert(case: Case) -> None:
    check(case, [samples(ty, 192, seed) for seed, ty in enumerate(case.sources)])


def test_a_wide_register_is_extended_by_the_type() -> None:
    """As LLVM writes sign extensions: the low byte of a 32-bit register."""
    case = Case("cvt.s32.s8 {d}, {a};", ("b32",), "s32", lambda a: wrap(a, "s8"))
    check(case, [samples("b32", 64, 0)])
    check_legal([case])


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)
