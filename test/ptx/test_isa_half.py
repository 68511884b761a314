# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Half precision, bfloat16 and packed pairs against exact rationals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from ptx_exact import FORMATS, Value, decode, nan
from ptx_harness import Case, bits_of, check, check_legal, run_case, samples
from test_isa_float import (
    Rule,
    add,
    expect,
    extreme,
    finish,
    flush,
    fuse,
    multiply,
    subtract,
)

HALVES = ("f16", "bf16")


def packed(rule: Callable[..., int]) -> Callable[..., int]:
    """Applies a function of 16-bit values to both halves."""

    def fn(*bits: int) -> int:
        return rule(*(b & 0xFFFF for b in bits)) | rule(*(b >> 16 for b in bits)) << 16

    return fn


def relu(rule: Callable[..., int], ty: str) -> Callable[..., int]:
    fmt = FORMATS[ty]

    def fn(*bits: int) -> int:
        result = rule(*bits)
        value = decode(result, fmt)
        return (
            0 if value.negative and value.size != 0 and value.size != "nan" else result
        )

    return fn


def case(
    name: str, ty: str, count: int, expected: Callable[..., int], target: str = "sm_90"
) -> Case:
    operands = ", ".join(["{d}", "{a}", "{b}", "{c}"][: count + 1])
    memory = "b32" if ty.endswith("x2") else ty
    return Case(f"{name}.{ty} {operands};", (memory,) * count, memory, expected, target)


def _arithmetic() -> list[Case]:
    cases: list[Case] = []
    rules: dict[str, tuple[Rule, int]] = {
        "add": (add, 2),
        "sub": (subtract, 2),
        "mul": (multiply, 2),
        "fma.rn": (fuse, 3),
    }
    for ty in HALVES:
        for name, (rule, count) in rules.items():
            one = expect(rule, ty, "rn")
            cases.append(case(name, ty, count, one))
            cases.append(case(name, f"{ty}x2", count, packed(one)))
        fused = relu(expect(fuse, ty, "rn"), ty)
        cases.append(case("fma.rn.relu", ty, 3, fused))
    for name, (rule, count) in rules.items():
        cases.append(
            case(f"{name}.ftz", "f16", count, expect(rule, "f16", "rn", ftz=True))
        )
        cases.append(
            case(f"{name}.sat", "f16", count, expect(rule, "f16", "rn", sat=True))
        )
    return cases


def _extremes() -> list[Case]:
    cases: list[Case] = []
    for name, pick in (("min", min), ("max", max)):
        for ty in HALVES:
            plain = expect(extreme(pick), ty, "rn")
            strict = expect(extreme(pick, is_nan=True), ty, "rn")
            cases += [
                case(name, ty, 2, plain),
                case(name, f"{ty}x2", 2, packed(plain)),
                case(f"{name}.NaN", ty, 2, strict),
            ]
    return cases


def _signs() -> list[Case]:
    cases: list[Case] = []
    for ty in HALVES:
        negate, absolute = (lambda a: a ^ 0x8000), (lambda a: a & 0x7FFF)
        cases += [
            case("neg", ty, 1, negate),
            case("neg", f"{ty}x2", 1, packed(negate)),
            case("abs", ty, 1, absolute),
            case("abs", f"{ty}x2", 1, packed(absolute)),
        ]
    return cases


CASES = [*_arithmetic(), *_extremes(), *_signs()]


def half_samples(ty: str, memory: str, seed: int):
    """Special and random halves; two samples packed for 32-bit memory types."""
    values = samples(ty, 256 if memory != "b32" else 512, seed)
    return values.view(np.uint32) if memory == "b32" else values


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_half(case: Case) -> None:
    ty = "bf16" if "bf16" in case.code else "f16"
    check(case, [half_samples(ty, m, seed) for seed, m in enumerate(case.sources)])


@pytest.mark.parametrize("ty", ["f16", "bf16"])
@pytest.mark.parametrize("name", ["ex2", "tanh"])
def test_approximation(name: str, ty: str) -> None:
    flag = ".ftz" if (name, ty) == ("ex2", "bf16") else ""
    one = Case(
        f"{name}.approx{flag}.{ty} {{d}}, {{a}};", (ty,), ty, nan_of(ty), "sm_90"
    )
    check_legal([one])
    x = np.linspace(-4, 4, 256).astype(np.float32)
    bits = (
        x.astype(np.float16)
        if ty == "f16"
        else (x.view(np.uint32) >> 16).astype(np.uint16)
    )
    fmt = FORMATS[ty]
    result = run_case(one, [bits])
    exact = {"ex2": np.exp2, "tanh": np.tanh}[name]
    for source, found in zip(bits.view(np.uint16), result.view(np.uint16), strict=True):
        wanted = exact(float(decode(int(source), fmt).exact))
        error = abs(float(decode(int(found), fmt).exact) - wanted)
        assert error <= 2.0 ** (1 - fmt.precision) * max(abs(wanted), 2.0**-14)


def nan_of(ty: str) -> Callable[[int], int]:
    return lambda a: nan(FORMATS[ty])


def test_ftz_flushes_sources_and_results() -> None:
    fmt = FORMATS["f16"]
    tiny = Value(True, Fraction(2) ** -20)
    assert flush(tiny, fmt) == Value(True, Fraction(0))
    assert finish(0x8001, fmt, ftz=True, sat=False) == 0x8000
    assert bits_of("f16") == 16


def test_ptxas_takes_every_case() -> None:
    check_legal(CASES)
