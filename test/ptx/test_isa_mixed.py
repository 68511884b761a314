# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixed precision and extremes of three, against exact rationals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import pytest
from ptx_exact import F32, FORMATS, NAN, Value, decode, encode, infinity, nan
from ptx_harness import Case, check, check_legal, samples
from test_isa_float import add, finish, flush, fuse, subtract

MODES = ("", ".rn", ".rz", ".rm", ".rp")
HALVES = ("f16", "bf16")


def widened(bits: int, ty: str) -> int:
    """A half as the bits of a single; that is exact."""
    value = decode(bits, FORMATS[ty])
    if value.size == NAN:
        return nan(F32)
    if not value.is_finite:
        return infinity(F32, negative=value.negative)
    return encode(value.exact, F32, zero=int(value.negative))


def saturated(bits: int, sat: str) -> int:
    return finish(bits, F32, ftz=False, sat=bool(sat))


def mixed(rule: Callable[..., int], ty: str, mode: str, sat: str) -> Callable[..., int]:
    def expected(*bits: int) -> int:
        singles = [*(widened(b, ty) for b in bits[:-1]), bits[-1]]
        values = [decode(b, F32) for b in singles]
        return saturated(rule(*values, F32, mode[1:] or "rn"), sat)

    return expected


def _mixed() -> list[Case]:
    cases: list[Case] = []
    rules = {"add": (add, 1), "sub": (subtract, 1), "fma": (fuse, 2)}
    for name, ty, mode, sat in product(rules, HALVES, MODES, ("", ".sat")):
        rule, count = rules[name]
        if name == "fma" and not mode:
            continue
        operands = ", ".join(["{d}", "{a}", "{b}", "{c}"][: count + 2])
        code = f"{name}{mode}{sat}.f32.{ty} {operands};"
        sources = (*(ty,) * count, "f32")
        fn = mixed(rule, ty, mode, sat)
        cases.append(Case(code, sources, "f32", fn, "sm_100a"))
    return cases


def three(*bits: int, is_max: bool, ftz: bool, nan_wins: bool, is_abs: bool) -> int:
    values = [decode(b, F32) for b in bits]
    if ftz:
        values = [flush(v, F32) for v in values]
    if is_abs:
        values = [Value(False, v.size) for v in values]
    if nan_wins and any(v.size == NAN for v in values):
        return nan(F32)
    numbers = [v for v in values if v.size != NAN]
    if not numbers:
        return nan(F32)

    def rank(v: Value) -> tuple[object, ...]:
        if not v.is_finite:
            return (-1 if v.negative else 1, 0, 0)
        return (0, v.exact, -int(v.negative))  # -0 is below +0

    best = (max if is_max else min)(numbers, key=rank)
    if not best.is_finite:
        return infinity(F32, negative=best.negative)
    return encode(best.exact, F32, zero=int(best.negative))


def _extremes() -> list[Case]:
    cases: list[Case] = []
    flags = product(("min", "max"), ("", ".ftz"), ("", ".NaN"), ("", ".abs"))
    for name, ftz, quiet, size in flags:
        fn = partial(
            three,
            is_max=name == "max",
            ftz=bool(ftz),
            nan_wins=bool(quiet),
            is_abs=bool(size),
        )
        code = f"{name}{ftz}{quiet}{size}.f32 {{d}}, {{a}}, {{b}}, {{c}};"
        cases.append(Case(code, ("f32",) * 3, "f32", fn, "sm_100a"))
    return cases


CASES = [*_mixed(), *_extremes()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_singles(case: Case) -> None:
    check(case, [samples(ty, 192, seed) for seed, ty in enumerate(case.sources)])


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)
